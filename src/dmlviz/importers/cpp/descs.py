"""Structs that were read from C++ text to descs, with a remark wherever a desc here says less than the struct."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from ...desc.base import Desc
from ...desc.fields import Field, Role, TensorField
from ...desc.tensors import DataType, TensorDesc
from ...errors import DmlvizError, plain
from ...operators.registry import operator_of
from .expressions import Expressions
from .values import (
    BUFFER,
    MEMBERS,
    NULL,
    TENSOR,
    Array,
    Inverted,
    Object,
    Place,
    Pointer,
    Spot,
    Symbol,
    Unknown,
    Value,
    shown,
    why,
)

MOST_SIZES = 1 << 20
"""Sizes and tensors of all descs of a text together: what refers to one array often could grow without end."""
MOST_SPOTS = 64
"""Elements of an array, for each of which it is known where it stands: many tensors may refer to one."""
T = TypeVar("T")
_PREFIX = "DML_TENSOR_DATA_TYPE_"
_FLAGS = re.compile(r"\w{1,80}(?: \| \w{1,80}){1,8}", re.ASCII)


class LeftError(Exception):
    """A struct can't be made a desc; the message says why."""


class Reading(msgspec.Struct):
    """What a struct of an operator came to at one place of the text."""

    desc: Desc | None = None
    why: str = ""
    """Why there is no desc."""
    unchecked: list[tuple[int, str]] = msgspec.field(default_factory=list)
    """What can't be held against a rule: lines, and sentences."""
    objects: list[Object] = msgspec.field(default_factory=list)
    """What it was read of."""
    spots: dict[str, Spot] = msgspec.field(default_factory=dict)
    """What its fields, by their paths, were set to."""


class Descs:
    """Makes descs of structs."""

    def __init__(self, memory: Expressions) -> None:
        self.memory = memory
        self.room = MOST_SIZES
        self._tensors: dict[int, TensorDesc] = {}
        self._unchecked: list[tuple[int, str]] = []
        self._spots: dict[str, Spot] = {}

    def reading(self, struct: Object, moment: int) -> Reading:
        """What a struct comes to, as it is at the token `moment`: a desc, or why there is none."""
        memory, self._unchecked, self._spots = self.memory, [], {}
        self._tensors.clear()  # structs may have been changed since the desc before
        reads, memory.reads, memory.moment = memory.reads, [], moment
        try:
            desc = self._desc(struct)
            return Reading(desc, unchecked=self._unchecked, objects=memory.reads, spots=self._spots)
        except LeftError as error:
            return Reading(why=str(error))
        finally:
            memory.reads, memory.moment = reads, None

    def _desc(self, struct: Object) -> Desc:
        """The desc of an operator's struct. Raises LeftError."""
        operator = operator_of(self.memory.structs.operators[struct.kind])
        given: dict[str, object] = {}
        for field in operator.desc.FIELDS:
            part = self._field(field, struct)
            if part is not None:
                given[field.name] = part
        return desc_of(operator.desc, given)

    def _member(self, struct: Object, name: str) -> Value | None:
        """The value of a member; None for one that was never set."""
        return self.memory.cell(Place(struct, name))

    def _pointed(self, value: Value | None) -> Value | None:
        """What a pointer leads to; an array is a pointer to its first element."""
        if isinstance(value, Pointer) and isinstance(value.to, Object) and not isinstance(value.to, Array):
            self.memory.reads.append(value.to)
            return value.to
        if value is None or isinstance(value, Unknown) or (isinstance(value, Object) and not isinstance(value, Array)):
            return value
        parts = self.memory.elements(value)
        return parts if isinstance(parts, Unknown) else parts[0] if parts else value

    def _elements(self, value: Value, path: str, what: str) -> list[Value]:
        """The elements that `value` leads to. Raises LeftError where they aren't known."""
        parts = self.memory.elements(value)
        unread = (
            parts if isinstance(parts, Unknown) else next(iter(parts), None) if isinstance(value, Pointer) else None
        )
        if isinstance(unread, Unknown):
            raise LeftError(
                _cause(unread) or f"{path} is {_text(value)}, expected an array of {what} that stands in the text"
            )
        assert isinstance(parts, list)
        return parts

    # ---- fields -------------------------------------------------------------------------------------------------

    def _field(self, field: Field, struct: Object) -> object:
        """What a member holds, as descs hold it; None for what is left to be inferred."""
        value, name = self._member(struct, field.name), field.name
        self._note_spot(struct, name, name)
        is_empty = _is_null(value)
        if not isinstance(field, TensorField):
            if field.is_list:
                return () if value is None or is_empty else self._numbers(value, name)
            if value is None and not struct.is_cleared:
                self._note_unchecked(struct, f"{name} is never set; it may be anything, and is taken as 0.")
            return scalar_of(field, 0 if value is None else value)
        if field.many:
            if value is None:
                raise LeftError(f"{name} isn't given, expected an array of {TENSOR}")
            parts = [] if is_empty else self._elements(value, name, TENSOR)
            return [self._tensor(part, f"{name}[{i}]") for i, part in enumerate(parts)]
        if not is_empty:
            return self._tensor(value, name)
        if field.role is not Role.OUTPUT:
            raise LeftError(f"{name} isn't given, expected a {TENSOR}")
        self._note_unchecked(struct, f"{name} isn't given, which DirectML refuses; it is inferred here.")
        return None

    def _note_spot(self, struct: Object, key: str, path: str) -> None:
        """Notes what a member was set to; what an array was filled with is a better place of a list."""
        if key in struct.spots:
            self._spots.setdefault(path, struct.spots[key])

    def _note_elements(self, value: Value | None, path: str) -> None:
        """Notes where the elements of an array stand that a member leads to."""
        first = 0
        if isinstance(value, Pointer) and isinstance(value.to, Place) and isinstance(value.to.key, int):
            first, value = value.to.key, value.to.of
        if isinstance(value, Array) and len(value.spots) <= MOST_SPOTS:
            spots = {key - first: spot for key, spot in value.spots.items() if isinstance(key, int) and key >= first}
            self._spots.update({f"{path}[{i}]": spot for i, spot in spots.items()})
            if "" in value.spots and not first:
                self._spots[path] = value.spots[""]

    def _note_unchecked(self, struct: Object, text: str) -> None:
        """Notes a sentence on a struct that can't be held against a rule."""
        self._unchecked.append((struct.line, text))

    def _spend(self, count: int) -> None:
        """Counts sizes of all descs. Raises LeftError for too many."""
        self.room -= count
        if self.room < 0:
            raise LeftError(f"all descs together have more than {MOST_SIZES:,} sizes, expected fewer")

    def _number(self, value: Value, path: str) -> int:
        if not isinstance(value, int) or isinstance(value, Inverted):
            raise LeftError(_cause(value) or f"{path} is {_text(value)}, expected a number that stands in the text")
        return value

    def _numbers(self, value: Value, path: str) -> list[int]:
        parts = self._elements(value, path, "numbers")
        self._spend(len(parts))
        self._note_elements(value, path)
        return [self._number(part, f"{path}[{i}]") for i, part in enumerate(parts)]

    # ---- tensors ------------------------------------------------------------------------------------------------

    def _tensor(self, value: Value | None, path: str) -> TensorDesc:
        """The tensor desc that `value` leads to. Raises LeftError."""
        struct = self._pointed(value)
        if isinstance(struct, Object) and struct.kind == TENSOR:
            kind = self._member(struct, "Type")
            if _cause(kind):
                raise LeftError(_cause(kind))
            if isinstance(kind, (Symbol, Unknown)) and _text(kind) != "DML_TENSOR_TYPE_BUFFER":
                self._note_unchecked(struct, f"{path}.Type is {_text(kind)}, read as DML_TENSOR_TYPE_BUFFER.")
            value = self._member(struct, "Desc")
            if value is None:
                raise LeftError(f"{path} is a {TENSOR} whose Desc is set nowhere that is read")
            struct = self._pointed(value)
        if not isinstance(struct, Object) or struct.kind != BUFFER:
            sentence = _cause(struct) or _cause(value)
            raise LeftError(sentence or f"{path} leads to {_text(value)}, expected a {BUFFER} that stands in the text")
        if (tensor := self._tensors.get(id(struct))) is None:
            tensor = self._tensors[id(struct)] = self._buffer_desc(struct, path)
        else:
            self._note_elements(self._member(struct, "Sizes"), f"{path}.Sizes")
        for key in ("", *MEMBERS[BUFFER]):
            self._note_spot(struct, key, f"{path}.{key}".rstrip("."))
        self._spend(1 + tensor.dimension_count)
        return tensor

    def _buffer_desc(self, struct: Object, path: str) -> TensorDesc:
        sizes, strides = (self._member(struct, name) for name in ("Sizes", "Strides"))
        return TensorDesc(
            self._required_type(struct, path),
            [] if sizes is None or _is_null(sizes) else self._numbers(sizes, f"{path}.Sizes"),
            dimension_count=self._counted(struct, "DimensionCount", path),
            strides=None if _is_null(strides) else self._tried(struct, "Strides", path, self._numbers),
            total_tensor_size_in_bytes=self._counted(struct, "TotalTensorSizeInBytes", path),
            flags=self._tried(struct, "Flags", path, _flags),
            guaranteed_base_offset_alignment=self._counted(struct, "GuaranteedBaseOffsetAlignment", path),
        )

    def _counted(self, struct: Object, name: str, path: str) -> int | None:
        """A number of a tensor's struct; 0 where it is never set, None where it can't be read."""
        if self._member(struct, name) is not None:
            return self._tried(struct, name, path, self._number)
        if not struct.is_cleared and name != "GuaranteedBaseOffsetAlignment":
            self._note_unchecked(struct, f"{path}.{name} is never set; it may be anything, and is taken as 0.")
        return 0

    def _tried(self, struct: Object, name: str, path: str, read: Callable[[Value, str], T]) -> T | None:
        """What `read` makes of a member; None if that was never set or, with a remark, if it can't be read."""
        value = self._member(struct, name)
        try:
            return None if value is None else read(value, f"{path}.{name}")
        except LeftError:
            told = (
                f"is not read: {_cause(value)}." if _cause(value) else f"is {_text(value)}, which can't be read here."
            )
            self._note_unchecked(struct, f"{path}.{name} {told}")
            return None

    def _required_type(self, struct: Object, path: str) -> DataType:
        """The DataType of a tensor's struct. Raises LeftError where it isn't known."""
        value = self._member(struct, "DataType")
        if (kind := data_type(value)) is not None:
            return kind
        told = "never set" if value is None else _text(value)
        expected = f"expected {_PREFIX} and one of {', '.join(DataType.__members__)}"
        raise LeftError(_cause(value) or f"{path}.DataType is {told}, {expected}")


def _flags(value: Value, path: str) -> list[str] | None:
    """The names of flags; None for nullptr. Raises LeftError for what isn't read."""
    if value is NULL:
        return None
    if isinstance(value, Symbol) and value.name.isascii():
        return [value.name]
    if isinstance(value, int):
        return [str(value)]
    if isinstance(value, Unknown) and not value.why and _FLAGS.fullmatch(value.text):
        return [name.strip() for name in value.text.split("|")]
    raise LeftError(path)


def scalar_of(field: Field, value: Value) -> object:
    """What a member holds that is neither a tensor nor an array. Raises LeftError for what isn't known, or no such."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, Inverted)
    if not is_number and not (field.choices() and isinstance(value, Symbol)):
        expected = field.example if field.choices() else "a number"
        raise LeftError(_cause(value) or f"{field.name} is {_text(value)}, expected {expected} that stands in the text")
    try:
        return field.checked(value.name if isinstance(value, Symbol) else value)
    except DmlvizError as error:
        raise LeftError(str(error).removesuffix(".")) from None


def data_type(value: Value | None) -> DataType | None:
    """The type that an enumerator or its number names; None for no type."""
    if isinstance(value, Symbol) and value.name.removeprefix(_PREFIX) in DataType.__members__:
        return DataType[value.name.removeprefix(_PREFIX)]
    if isinstance(value, int) and any(value == kind.value for kind in DataType):
        return DataType(value)
    return None


def desc_of(kind: type[Desc], given: dict[str, object]) -> Desc:
    """A desc of its fields. Raises LeftError."""
    for field in kind.FIELDS:
        # A count that is right is left out, so that it follows when the array is edited.
        counted = given.get(field.arrays[0]) if field in kind.COUNTS else None
        if isinstance(counted, Sequence) and given.get(field.name) == len(counted):
            del given[field.name]
    try:
        return kind.build(given)
    except DmlvizError as error:
        raise LeftError(str(error).removesuffix(".")) from None


def _is_null(value: Value | None) -> bool:
    """True of a pointer that leads nowhere: never set, nullptr, or 0."""
    return value is None or value is NULL or (isinstance(value, int) and value == 0)


def _cause(value: Value | None) -> str:
    """Why a value isn't known, fit for a terminal; empty where nothing says why."""
    return plain(why(value), 200)


def _text(value: Value | None) -> str:
    """A value as a sentence names it, fit for a terminal."""
    return plain(shown(value).removeprefix("&"), 60)
