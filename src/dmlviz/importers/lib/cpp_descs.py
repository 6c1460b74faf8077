"""Structs that were read from C++ text to descs, with a remark wherever a desc here says less than the struct."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ...desc.base import Desc
from ...desc.fields import CountField, Field, NumberField, Role, TensorField
from ...desc.tensors import DataType, TensorDesc
from ...errors import DmlvizError, plain
from ...operators.registry import operator_of
from .cpp_expressions import array_of
from .cpp_values import (
    BUFFER,
    NULL,
    TENSOR,
    Doubt,
    Items,
    Struct,
    Structs,
    Symbol,
    Unknown,
    Value,
    Variable,
    chain,
    settled,
    shown,
)

MOST_SIZES = 1 << 20
"""Sizes and tensors of all descs of a text together: what refers to one array often could grow without end."""
_PREFIX = "DML_TENSOR_DATA_TYPE_"
_FLAGS = re.compile(r"\w{1,80}(?: \| \w{1,80}){1,8}", re.ASCII)


class LeftError(Exception):
    """A struct can't be made a desc; the message says why."""


class Descs:
    """Makes descs of structs. `unchecked` is told of what can't be held against a rule: a line, and a sentence."""

    def __init__(self, structs: Structs, unchecked: Callable[[int, str], None]) -> None:
        self.structs, self.unchecked = structs, unchecked
        self.room = MOST_SIZES
        self._tensors: dict[int, TensorDesc] = {}
        self._until = 0
        self._doubted: dict[Doubt, str] = {}

    def desc(self, struct: Struct, until: int) -> Desc:
        """The desc that a struct of an operator fills, of what stands in front of token `until`. Raises LeftError."""
        self._until, self._doubted = until, {}
        self._look(struct)
        operator = operator_of(self.structs.operators[struct.kind])
        self._tensors.clear()  # structs may have been changed since the desc before
        given: dict[str, object] = {}
        for field in operator.desc.FIELDS:
            value = struct.members.get(field.name)
            made = self._field(field, value, struct)
            if made is not None:
                given[field.name] = made
        for field in operator.desc.FIELDS:
            # A count that is right is left out, so that it follows when the array is edited.
            counted = given.get(field.arrays[0]) if isinstance(field, CountField) else None
            if isinstance(counted, Sequence) and given.get(field.name) == len(counted):
                del given[field.name]
        try:
            built: Desc = operator.desc.build(given)
        except DmlvizError as error:
            raise LeftError(str(error).removesuffix(".")) from None
        for doubt, name in self._doubted.items():
            said = f"{name} may be changed in line {doubt.line} by {doubt.text}, which isn't followed"
            raise LeftError(plain(said, 200))
        return built

    def _look(self, value: Value | None) -> None:
        """Takes note of doubts about the variables that `value` leads through."""
        held = settled(value)
        looked: list[Variable | Struct] = [*chain(value), *([held] if isinstance(held, Struct) else [])]
        for each in looked:
            found = next((doubt for doubt in each.doubts if doubt.end < self._until), None)
            if found is not None:
                self._doubted.setdefault(found, each.name)

    def _field(self, field: Field, value: Value | None, struct: Struct) -> object:
        """What a member holds, as descs hold it; None for what is left to be inferred."""
        name, empty = field.name, _is_null(value)
        self._look(value)
        if isinstance(field, TensorField):
            if field.many:
                if value is None:
                    raise LeftError(f"{name} isn't given, expected an array of {TENSOR}")
                return () if empty else self._many(name, value)
            if not empty:
                return self._tensor(value, name)
            if field.role is Role.OUTPUT:
                self.unchecked(struct.line, f"{name} isn't given, which DirectML refuses; it is inferred here.")
                return None
            raise LeftError(f"{name} isn't given, expected a {TENSOR}")
        if isinstance(field, (NumberField, CountField)):
            if value is None:
                if not struct.cleared:
                    self.unchecked(struct.line, f"{name} is never set; it may be anything, and is taken as 0.")
                return 0
            number = settled(value, use=True)
            if not isinstance(number, int):
                raise LeftError(f"{name} is {_named(value)}, expected a number that stands in the text")
            return number
        return () if empty else self._numbers(value, name)

    def _spend(self, count: int) -> None:
        self.room -= count
        if self.room < 0:
            raise LeftError(f"all descs together have more than {MOST_SIZES:,} sizes, expected fewer")

    # ---- arrays -------------------------------------------------------------------------------------------------

    def _many(self, name: str, value: Value | None) -> Sequence[TensorDesc]:
        items = array_of(value)
        if items is None:
            # The address of one struct is an array of one.
            held = settled(value)
            items = [value] if isinstance(held, Struct) and value is not None else None
        if items is None:
            raise LeftError(f"{name} is {_named(value)}, expected an array of {TENSOR} that stands in the text")
        return [self._tensor(each, f"{name}[{i}]") for i, each in enumerate(items)]

    def _numbers(self, value: Value | None, path: str) -> list[int]:
        self._look(value)
        items = array_of(value)
        if items is None:
            raise LeftError(f"{path} is {_named(value)}, expected an array of numbers that stands in the text")
        self._spend(len(items))
        made = []
        for i, each in enumerate(items):
            number = settled(each, use=True)
            if not isinstance(number, int):
                raise LeftError(f"{path}[{i}] is {_named(each)}, expected a number that stands in the text")
            made.append(number)
        return made

    # ---- tensors ------------------------------------------------------------------------------------------------

    def _tensor(self, value: Value | None, path: str) -> TensorDesc:
        self._look(value)
        struct = _one(value)
        if isinstance(struct, Struct) and struct.kind == TENSOR:
            kind = settled(struct.members.get("Type"))
            if isinstance(kind, Symbol) and kind.name != "DML_TENSOR_TYPE_BUFFER":
                self.unchecked(struct.line, f"{path}.Type is {_named(kind)}, read as DML_TENSOR_TYPE_BUFFER.")
            if "Desc" not in struct.members:
                raise LeftError(
                    f"{path} is a {TENSOR} whose Desc is set nowhere that is read, expected the address of a {BUFFER}; "
                    f"loops and functions are not run"
                )
            value = struct.members["Desc"]
            self._look(value)
            struct = _one(value)
        if not isinstance(struct, Struct) or struct.kind != BUFFER:
            raise LeftError(
                f"{path} leads to {_named(value)}, expected a {BUFFER} that stands in the text; loops and functions "
                f"are not run"
            )
        if (known := self._tensors.get(id(struct))) is None:
            known = self._tensors[id(struct)] = self._buffer(struct, path)
        self._spend(1 + known.dimension_count)
        return known

    def _buffer(self, struct: Struct, path: str) -> TensorDesc:
        members, line = struct.members, struct.line
        listed = members.get("Sizes")
        sizes = [] if _is_null(listed) else self._numbers(listed, f"{path}.Sizes")
        return TensorDesc(
            _data_type(members.get("DataType"), path),
            sizes,
            dimension_count=self._counted(struct, "DimensionCount", path),
            strides=self._strides(struct, path),
            total_tensor_size_in_bytes=self._counted(struct, "TotalTensorSizeInBytes", path),
            flags=self._flags(line, members.get("Flags"), path),
            guaranteed_base_offset_alignment=self._counted(struct, "GuaranteedBaseOffsetAlignment", path, quiet=True),
        )

    def _counted(self, struct: Struct, name: str, path: str, *, quiet: bool = False) -> int | None:
        """A number of a tensor's struct; 0 where it is never set, None where it can't be read."""
        value = struct.members.get(name)
        if value is None:
            if not struct.cleared and not quiet:
                self.unchecked(struct.line, f"{path}.{name} is never set; it may be anything, and is taken as 0.")
            return 0
        found = settled(value, use=True)
        if isinstance(found, int):
            return found
        self.unchecked(struct.line, f"{path}.{name} is {_named(value)}, which can't be read here.")
        return None

    def _strides(self, struct: Struct, path: str) -> list[int] | None:
        value = struct.members.get("Strides")
        if _is_null(value):
            return None
        try:
            return self._numbers(value, f"{path}.Strides")
        except LeftError:
            self.unchecked(struct.line, f"{path}.Strides is {_named(value)}, which can't be read here.")
            return None

    def _flags(self, line: int, value: Value | None, path: str) -> list[str] | None:
        found = settled(value, use=True)
        if found is None or found is NULL:
            return None
        if isinstance(found, Symbol) and found.name.isascii():
            return [found.name]
        if isinstance(found, int):
            return [str(found)]
        if isinstance(found, Unknown) and _FLAGS.fullmatch(found.text):
            return [name.strip() for name in found.text.split("|")]
        self.unchecked(line, f"{path}.Flags is {_named(value)}, which can't be read here.")
        return None


def _is_null(value: Value | None) -> bool:
    """True of a pointer that leads nowhere: never set, nullptr, or 0."""
    found = settled(value)
    return value is None or found is NULL or (isinstance(found, int) and found == 0)


def _named(value: Value | None) -> str:
    return plain(shown(value), 60)


def _data_type(value: Value | None, path: str) -> DataType:
    found = settled(value, use=True)
    if isinstance(found, Symbol) and found.name.removeprefix(_PREFIX) in DataType.__members__:
        return DataType[found.name.removeprefix(_PREFIX)]
    if isinstance(found, int) and any(found == each.value for each in DataType):
        return DataType(found)
    said = "never set" if value is None else _named(found if found is not None else value)
    raise LeftError(f"{path}.DataType is {said}, expected {_PREFIX} and one of {', '.join(DataType.__members__)}")


def _one(value: Value | None) -> Value | None:
    """What a pointer leads to; an array is a pointer to its first element."""
    found = settled(value, use=True)
    return settled(found.items[0], use=True) if isinstance(found, Items) and found.items else found
