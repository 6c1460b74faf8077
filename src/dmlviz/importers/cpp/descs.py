"""Structs that were read from C++ text to descs, with a remark wherever a desc here says less than the struct."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec
from msgspec import field as made_by

from ...desc.base import Desc
from ...desc.fields import CountField, Field, NumberField, Role, TensorField
from ...desc.tensors import DataType, TensorDesc
from ...errors import DmlvizError, plain
from ...operators.registry import operator_of
from .expressions import Expressions
from .values import (
    BUFFER,
    NULL,
    TENSOR,
    Array,
    Inverted,
    Member,
    Pointer,
    Struct,
    Symbol,
    Unknown,
    Value,
    Variable,
    owner_of,
    shown,
)

MOST_SIZES = 1 << 20
"""Sizes and tensors of all descs of a text together: what refers to one array often could grow without end."""
_PREFIX = "DML_TENSOR_DATA_TYPE_"
_FLAGS = re.compile(r"\w{1,80}(?: \| \w{1,80}){1,8}", re.ASCII)


class LeftError(Exception):
    """A struct can't be made a desc; the message says why."""


class Reading(msgspec.Struct):
    """What a struct of an operator came to at one place of the text."""

    at: int
    desc: Desc | None = None
    why: str = ""
    """Why there is no desc."""
    unchecked: list[tuple[int, str]] = made_by(default_factory=list)
    """What can't be held against a rule: lines, and sentences."""
    owners: dict[int, Variable | Struct | Array] = made_by(default_factory=dict)
    """What it was read of."""

    @property
    def holds(self) -> bool:
        """True if the text has set nothing of it since."""
        return all(owner.stamp < self.at for owner in self.owners.values())


class Descs:
    """Makes descs of structs."""

    def __init__(self, memory: Expressions) -> None:
        self.memory = memory
        self.room = MOST_SIZES
        self._tensors: dict[int, TensorDesc] = {}
        self._reading = Reading(0)

    def reading(self, struct: Struct) -> Reading:
        self._reading = Reading(self.memory.at)
        self._tensors.clear()  # structs may have been changed since the desc before
        try:
            self._reading.desc = self._desc(struct)
        except LeftError as error:
            self._reading.why = str(error)
            self._reading.unchecked.clear()
        return self._reading

    def _unchecked(self, line: int, text: str) -> None:
        self._reading.unchecked.append((line, text))

    def _desc(self, struct: Struct) -> Desc:
        operator = operator_of(self.memory.structs.operators[struct.kind])
        given: dict[str, object] = {}
        for field in operator.desc.FIELDS:
            part = self._field(field, self._held(struct, field.name), struct)
            if part is not None:
                given[field.name] = part
        return built(operator.desc, given)

    # ---- what is held, with where it is taken from ----------------------------------------------------------------

    def _held(self, struct: Struct, name: str) -> Value | None:
        self._reading.owners[id(struct)] = struct
        return self.memory.get(Member(struct, name))

    def _pointed(self, value: Value | None) -> Value | None:
        """What a pointer leads to; an array is a pointer to its first element."""
        for _ in range(4):
            if not isinstance(value, Pointer):
                break
            owner = owner_of(value.to)
            self._reading.owners[id(owner)] = owner
            value = self.memory.get(value.to)
        if isinstance(value, Array):
            self._reading.owners[id(value)] = value
            parts = self.memory.parts(value)
            return parts if isinstance(parts, Unknown) else parts[0] if parts else value
        return value

    def _elements(self, value: Value, path: str, what: str) -> list[Value]:
        if isinstance(value, Pointer):
            owner = owner_of(value.to)
            self._reading.owners[id(owner)] = owner
            if isinstance(owner, Variable) and isinstance(owner.value, Array):
                self._reading.owners[id(owner.value)] = owner.value
        elif isinstance(value, Array):
            self._reading.owners[id(value)] = value
        parts = self.memory.elements(value)
        if isinstance(parts, Unknown) or (isinstance(value, Pointer) and parts and isinstance(parts[0], Unknown)):
            told = parts if isinstance(parts, Unknown) else value
            raise LeftError(
                _why(told)
                or _why(parts[0] if isinstance(parts, list) else None)
                or f"{path} is {_named(value)}, expected an array of {what} that stands in the text"
            )
        return parts

    # ---- fields -------------------------------------------------------------------------------------------------

    def _field(self, field: Field, value: Value | None, struct: Struct) -> object:
        """What a member holds, as descs hold it; None for what is left to be inferred."""
        name, empty = field.name, _is_null(value)
        if isinstance(field, TensorField):
            if field.many:
                if value is None:
                    raise LeftError(f"{name} isn't given, expected an array of {TENSOR}")
                return () if empty else self._many(name, value)
            if not empty:
                return self._tensor(value, name)
            if field.role is Role.OUTPUT:
                self._unchecked(struct.line, f"{name} isn't given, which DirectML refuses; it is inferred here.")
                return None
            raise LeftError(f"{name} isn't given, expected a {TENSOR}")
        if isinstance(field, (NumberField, CountField)):
            if value is None:
                if not struct.cleared:
                    self._unchecked(struct.line, f"{name} is never set; it may be anything, and is taken as 0.")
                return 0
            return self._number(value, name)
        return () if value is None or empty else self._numbers(value, name)

    def _spend(self, count: int) -> None:
        self.room -= count
        if self.room < 0:
            raise LeftError(f"all descs together have more than {MOST_SIZES:,} sizes, expected fewer")

    def _number(self, value: Value, path: str) -> int:
        number = self.memory.rvalue(value)
        if not isinstance(number, int) or isinstance(number, Inverted):
            raise LeftError(_why(value) or f"{path} is {_named(value)}, expected a number that stands in the text")
        return number

    def _many(self, name: str, value: Value) -> Sequence[TensorDesc]:
        parts = self._elements(value, name, TENSOR)
        return [self._tensor(part, f"{name}[{i}]") for i, part in enumerate(parts)]

    def _numbers(self, value: Value, path: str) -> list[int]:
        parts = self._elements(value, path, "numbers")
        self._spend(len(parts))
        return [self._number(part, f"{path}[{i}]") for i, part in enumerate(parts)]

    # ---- tensors ------------------------------------------------------------------------------------------------

    def _tensor(self, value: Value | None, path: str) -> TensorDesc:
        struct = self._pointed(value)
        if isinstance(struct, Struct) and struct.kind == TENSOR:
            kind = self._held(struct, "Type")
            if isinstance(kind, Unknown) and kind.why:
                raise LeftError(kind.why)
            if isinstance(kind, (Symbol, Unknown)) and _named(kind) != "DML_TENSOR_TYPE_BUFFER":
                self._unchecked(struct.line, f"{path}.Type is {_named(kind)}, read as DML_TENSOR_TYPE_BUFFER.")
            value = self._held(struct, "Desc")
            if value is None:
                raise LeftError(f"{path} is a {TENSOR} whose Desc is set nowhere that is read")
            struct = self._pointed(value)
        if not isinstance(struct, Struct) or struct.kind != BUFFER:
            why = _why(struct) or _why(value)
            raise LeftError(why or f"{path} leads to {_named(value)}, expected a {BUFFER} that stands in the text")
        if (known := self._tensors.get(id(struct))) is None:
            known = self._tensors[id(struct)] = self._buffer(struct, path)
        self._spend(1 + known.dimension_count)
        return known

    def _buffer(self, struct: Struct, path: str) -> TensorDesc:
        listed = self._held(struct, "Sizes")
        sizes = [] if listed is None or _is_null(listed) else self._numbers(listed, f"{path}.Sizes")
        return TensorDesc(
            self._data_type(struct, path),
            sizes,
            dimension_count=self._counted(struct, "DimensionCount", path),
            strides=self._strides(struct, path),
            total_tensor_size_in_bytes=self._counted(struct, "TotalTensorSizeInBytes", path),
            flags=self._flags(struct, path),
            guaranteed_base_offset_alignment=self._counted(struct, "GuaranteedBaseOffsetAlignment", path, quiet=True),
        )

    def _counted(self, struct: Struct, name: str, path: str, *, quiet: bool = False) -> int | None:
        """A number of a tensor's struct; 0 where it is never set, None where it can't be read."""
        value = self._held(struct, name)
        if value is None:
            if not struct.cleared and not quiet:
                self._unchecked(struct.line, f"{path}.{name} is never set; it may be anything, and is taken as 0.")
            return 0
        try:
            return self._number(value, path)
        except LeftError:
            self._cannot(struct, f"{path}.{name}", value)
            return None

    def _cannot(self, struct: Struct, path: str, value: Value) -> None:
        why = f"is not read: {_why(value)}." if _why(value) else f"is {_named(value)}, which can't be read here."
        self._unchecked(struct.line, f"{path} {why}")

    def _strides(self, struct: Struct, path: str) -> list[int] | None:
        value = self._held(struct, "Strides")
        if value is None or _is_null(value):
            return None
        try:
            return self._numbers(value, f"{path}.Strides")
        except LeftError:
            self._cannot(struct, f"{path}.Strides", value)
            return None

    def _flags(self, struct: Struct, path: str) -> list[str] | None:
        value = self._held(struct, "Flags")
        if value is None or value is NULL:
            return None
        if isinstance(value, Symbol) and value.name.isascii():
            return [value.name]
        if isinstance(value, int):
            return [str(value)]
        if isinstance(value, Unknown) and not value.why and _FLAGS.fullmatch(value.text):
            return [name.strip() for name in value.text.split("|")]
        self._cannot(struct, f"{path}.Flags", value)
        return None

    def _data_type(self, struct: Struct, path: str) -> DataType:
        value = self._held(struct, "DataType")
        if (kind := data_type(value)) is not None:
            return kind
        told = "never set" if value is None else _named(value)
        expected = f"expected {_PREFIX} and one of {', '.join(DataType.__members__)}"
        raise LeftError(_why(value) or f"{path}.DataType is {told}, {expected}")


def data_type(value: Value | None) -> DataType | None:
    """The type that an enumerator names."""
    if isinstance(value, Symbol) and value.name.removeprefix(_PREFIX) in DataType.__members__:
        return DataType[value.name.removeprefix(_PREFIX)]
    if isinstance(value, int) and any(value == kind.value for kind in DataType):
        return DataType(value)
    return None


def built(kind: type[Desc], given: dict[str, object]) -> Desc:
    """A desc of its fields. Raises LeftError."""
    for field in kind.FIELDS:
        # A count that is right is left out, so that it follows when the array is edited.
        counted = given.get(field.arrays[0]) if isinstance(field, CountField) else None
        if isinstance(counted, Sequence) and given.get(field.name) == len(counted):
            del given[field.name]
    try:
        return kind.build(given)
    except DmlvizError as error:
        raise LeftError(str(error).removesuffix(".")) from None


def _is_null(value: Value | None) -> bool:
    """True of a pointer that leads nowhere: never set, nullptr, or 0."""
    return value is None or value is NULL or (isinstance(value, int) and value == 0)


def _why(value: Value | None) -> str:
    return plain(value.why, 200) if isinstance(value, Unknown) else ""


def _named(value: Value | None) -> str:
    if isinstance(value, Pointer):
        return plain(shown(value.to), 60)
    return plain(shown(value), 60)
