"""Structs that were read from C++ text to descs, with a remark wherever a desc here says less than the struct."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...desc.base import Desc
from ...desc.fields import CountField, Field, NumberField, Role, TensorField
from ...desc.tensors import DataType, TensorDesc, braces
from ...errors import DmlvizError, plain
from ...operators.registry import operator_of
from .cpp_values import (
    BUFFER,
    NULL,
    TENSOR,
    Braced,
    Element,
    Items,
    Struct,
    Structs,
    Symbol,
    Value,
    Variable,
    settled,
    shown,
)

MOST_SIZES = 1 << 20
"""Sizes and tensors of all descs of a text together: what refers to one array often could grow without end."""
_PREFIX = "DML_TENSOR_DATA_TYPE_"


class LeftError(Exception):
    """A struct can't be made a desc; the message says why."""


class Descs:
    """Makes descs of structs. `remark` is told of what is left out: a line, and a sentence."""

    def __init__(self, structs: Structs, remark: Callable[[int, str], None]) -> None:
        self.structs, self.remark = structs, remark
        self.room = MOST_SIZES
        self._tensors: dict[int, TensorDesc] = {}

    def desc(self, struct: Struct) -> Desc:
        """The desc that a struct of an operator fills. Raises LeftError."""
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
        return built

    def _field(self, field: Field, value: Value | None, struct: Struct) -> object:
        """What a member holds, as descs hold it; None for what is left to be inferred."""
        name, empty = field.name, _is_null(value)
        if isinstance(field, TensorField):
            if field.many:
                return () if empty else self._many(name, value)
            if not empty:
                return self._tensor(value, name)
            if field.role is Role.OUTPUT:
                self.remark(struct.line, f"{name} isn't given, so it is inferred.")
                return None
            raise LeftError(f"{name} isn't given, expected a {TENSOR}")
        if isinstance(field, (NumberField, CountField)):
            if value is None:
                if not struct.cleared:
                    self.remark(struct.line, f"{name} is never set; it may be anything, and is taken as 0.")
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
        items = _array(value)
        if items is None:
            # The address of one struct is an array of one.
            held = settled(value)
            items = [value] if isinstance(held, Struct) and value is not None else None
        if items is None:
            raise LeftError(f"{name} is {_named(value)}, expected an array of {TENSOR} that stands in the text")
        return [self._tensor(each, f"{name}[{i}]") for i, each in enumerate(items)]

    def _numbers(self, value: Value | None, path: str) -> list[int]:
        items = _array(value)
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
        struct = _one(value)
        if isinstance(struct, Struct) and struct.kind == TENSOR:
            kind = settled(struct.members.get("Type"))
            if isinstance(kind, Symbol) and kind.name != "DML_TENSOR_TYPE_BUFFER":
                self.remark(struct.line, f"{path}.Type is {_named(kind)}, read as DML_TENSOR_TYPE_BUFFER.")
            struct = _one(struct.members.get("Desc"))
        if not isinstance(struct, Struct) or struct.kind != BUFFER:
            raise LeftError(f"{path} is {_named(value)}, expected a {TENSOR} of a {BUFFER} that stands in the text")
        if (known := self._tensors.get(id(struct))) is None:
            known = self._tensors[id(struct)] = self._buffer(struct, path)
        self._spend(1 + known.dimension_count)
        return known

    def _buffer(self, struct: Struct, path: str) -> TensorDesc:
        members = struct.members
        listed = members.get("Sizes")
        sizes = [] if _is_null(listed) else self._numbers(listed, f"{path}.Sizes")
        count = settled(members.get("DimensionCount"), use=True)
        if isinstance(count, int) and 0 <= count < len(sizes):
            self.remark(
                struct.line, f"{path} has {len(sizes)} sizes, of which DimensionCount {count} counts the first."
            )
            sizes = sizes[:count]
        elif isinstance(count, int) and count != len(sizes):
            said = f"{path} has {len(sizes)} sizes, expected {plain(str(count), 20)} for its DimensionCount"
            self.remark(struct.line, f"{said}; DirectML would read past them.")
        elif count is None and sizes:
            self.remark(struct.line, f"{path}.DimensionCount is never set, expected {len(sizes)}.")
        tensor = TensorDesc(_data_type(members.get("DataType"), path), sizes)
        self._layout(struct, tensor, path)
        return tensor

    def _layout(self, struct: Struct, tensor: TensorDesc, path: str) -> None:
        """Remarks about what a tensor has besides DataType and Sizes."""
        members, line = struct.members, struct.line
        strides = members.get("Strides")
        if not _is_null(strides):
            items = _array(strides)
            few = [settled(each) for each in (items or [])[:16]]
            if items is None or len(items) < tensor.dimension_count or few[: tensor.dimension_count] != _packed(tensor):
                said = _named(strides) if items is None else braces(shown(each) for each in few)
                self.remark(line, f"{path}.Strides is {plain(said, 60)}, which isn't packed; it is read as packed.")
        flags = members.get("Flags")
        if flags is not None and settled(flags) not in (0, NULL, Symbol("DML_TENSOR_FLAG_NONE")):
            self.remark(line, f"{path}.Flags is {_named(flags)}, which says nothing of the result.")
        total = settled(members.get("TotalTensorSizeInBytes"))
        if (isinstance(total, int) or total is None) and total != tensor.total_bytes:
            found = "never set" if total is None else plain(str(total), 40)
            said = (
                f"{path}.TotalTensorSizeInBytes is {found}, expected {tensor.total_bytes} for {_sizes(tensor)}, packed."
            )
            self.remark(line, said)
        aligned = settled(members.get("GuaranteedBaseOffsetAlignment"))
        if aligned not in (None, 0):
            self.remark(line, f"{path}.GuaranteedBaseOffsetAlignment is {_named(aligned)}, which is left out.")


def _sizes(tensor: TensorDesc) -> str:
    shown_sizes = [plain(str(size), 20) for size in tensor.sizes[:16]]
    return f"{tensor.data_type} {braces(shown_sizes + ['…'] * (tensor.dimension_count > 16))}"


def _is_null(value: Value | None) -> bool:
    """True of a pointer that leads nowhere: never set, nullptr, or 0."""
    found = settled(value)
    return value is None or found is NULL or (isinstance(found, int) and found == 0)


def _named(value: Value | None) -> str:
    return plain(shown(value), 60)


def _packed(tensor: TensorDesc) -> list[int]:
    strides, step = [], 1
    for size in reversed(tensor.sizes):
        strides.append(step)
        step *= size % 2**32
        step %= 2**64
    return strides[::-1]


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


def _array(value: Value | None) -> Sequence[Value] | None:
    """The elements of the array that `value` leads to; those from the element on whose address it is."""
    for _ in range(16):
        if isinstance(value, Variable):
            value.used = True
            value = value.value
        elif isinstance(value, Element):
            value.of.used = True
            items = settled(value.of.value, use=True)
            if not isinstance(items, Items) or not 0 <= value.number < len(items.items):
                return None
            inner = items.items[value.number]
            if not isinstance(inner, (Items, Braced)):
                return items.items[value.number :]
            value = inner
        elif isinstance(value, Items):
            return value.items
        elif isinstance(value, Braced):
            return [each for _, each in value.items]
        else:
            break
    return None
