"""DataType and TensorDesc: what a tensor is, before anything fills it."""

from __future__ import annotations

import enum
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from typing import Any, SupportsIndex, TypeGuard

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..errors import DmlvizError, quote

MAX_ELEMENTS = 2**32 - 1
MAX_DIMENSIONS = 8


class DataType(enum.Enum):
    """An element type. Values are those of `DML_TENSOR_DATA_TYPE`."""

    FLOAT32 = 1
    FLOAT16 = 2
    UINT32 = 3
    UINT16 = 4
    UINT8 = 5
    INT32 = 6
    INT16 = 7
    INT8 = 8
    FLOAT64 = 9
    UINT64 = 10
    INT64 = 11

    __hash__ = object.__hash__  # there is one of each; Enum hashes the name every time

    @classmethod
    def of(cls, kind: DataType | str | DTypeLike) -> DataType:
        """The type called `kind`: a DataType, its name (with or without `DML_TENSOR_DATA_TYPE_`), or a NumPy dtype.

        Raises DmlvizError for anything else.
        """
        if isinstance(kind, DataType):
            return kind
        if isinstance(kind, str):
            name = kind.removeprefix("DML_TENSOR_DATA_TYPE_")
            if name in cls.__members__:
                return cls[name]
        try:
            # np.dtype takes None for FLOAT64, which nobody means here.
            return _BY_DTYPE[np.dtype(kind if kind is not None else "").newbyteorder("=")]
        except (TypeError, KeyError, ValueError, SyntaxError):
            raise DmlvizError(f"DataType is {quote(kind)}, expected one of {', '.join(cls.__members__)}.") from None

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype, in native byte order."""
        return _DTYPES[self]

    @property
    def item_size(self) -> int:
        return self.dtype.itemsize

    @property
    def is_float(self) -> bool:
        return self.dtype.kind == "f"

    @property
    def is_signed(self) -> bool:
        return self.dtype.kind != "u"

    @property
    def integer_range(self) -> tuple[int, int]:
        """The smallest and the largest value of an integer type."""
        info = np.iinfo(self.dtype)
        return int(info.min), int(info.max)

    def __str__(self) -> str:
        return self.name


_DTYPES: dict[DataType, np.dtype[Any]] = {data_type: np.dtype(data_type.name.lower()) for data_type in DataType}
_BY_DTYPE = {dtype: data_type for data_type, dtype in _DTYPES.items()}


def integer(number: object, field: str, expected: str = "an integer") -> int:
    """`number` as an int. Raises DmlvizError for booleans, more than 64 bits and for whatever is no integer."""
    try:
        plain = None if isinstance(number, (bool, np.bool_)) else int(operator.index(number))  # type: ignore[arg-type]
    except TypeError:
        plain = None
    if plain is None:
        raise DmlvizError(f"{field} is {quote(number)}, expected {expected}.")
    if not -(1 << 63) <= plain < 1 << 64:
        raise DmlvizError(f"{field} has more than 64 bits, expected an integer of at most 64.")
    return plain


def is_listed(given: object) -> TypeGuard[Iterable[object]]:
    """True for what has entries in an order, as lists and arrays do; a set has none and keeps no entry twice."""
    is_one = isinstance(given, (str, bytes, Set, Mapping)) or getattr(given, "ndim", 1) == 0
    return isinstance(given, Iterable) and not is_one


def integers(numbers: object, field: str) -> tuple[int, ...]:
    """`numbers` as ints. Raises DmlvizError for no list, or naming the first of them that is no integer."""
    if type(numbers) is not tuple and not is_listed(numbers):
        raise DmlvizError(f"{field} is {quote(numbers)}, expected a list of integers such as [3, 2].")
    listed = tuple(numbers)
    if all(type(number) is int and number.bit_length() < 64 for number in listed):
        return listed  # as most are
    return tuple(integer(number, f"{field}[{i}]") for i, number in enumerate(listed))


_FLAG = re.compile(r"[-\w]{0,700}", re.ASCII)


def _flags(flags: Any, field: str) -> tuple[str, ...]:
    names: tuple[Any, ...] = tuple(flags) if is_listed(flags) else (flags,)
    if not all(isinstance(name, str) and _FLAG.fullmatch(name) for name in names):
        raise DmlvizError(f"{field} is {quote(flags)}, expected names such as DML_TENSOR_FLAG_OWNED_BY_DML.")
    return tuple(name for name in names if name not in ("", "0", "NONE", "DML_TENSOR_FLAG_NONE"))


MEMBERS: dict[str, Callable[[Any, str], Any]] = {
    "Flags": _flags,
    "DimensionCount": integer,
    "Strides": integers,
    "TotalTensorSizeInBytes": integer,
    "GuaranteedBaseOffsetAlignment": integer,
}
"""What a `DML_BUFFER_TENSOR_DESC` may hold besides DataType and Sizes, in the struct's order, and what reads it."""


@dataclass(frozen=True, init=False, slots=True)
class TensorDesc:
    """A tensor's DataType and Sizes, as in `DML_BUFFER_TENSOR_DESC`; DimensionCount is `len(sizes)`.

    Any integers are held, legal or not: `dmlviz.check` says which rules they break. `flags` are names, or one name.
    Where a `dimension_count` below the number of `sizes` is given, the first of them count, and `sizes` are these.
    Raises DmlvizError where a size or another number is no integer.
    """

    data_type: DataType
    sizes: tuple[int, ...]
    listed_sizes: tuple[int, ...]
    """Every entry of Sizes, also those that DimensionCount doesn't count."""
    members: dict[str, Any] = field(hash=False)
    """What was given and says something else than what DataType and Sizes imply, by DirectML's names, in its order."""
    given: frozenset[str] = field(compare=False)
    """The names of the members that were given, also of those that say what is implied."""

    def __init__(
        self,
        data_type: DataType | str | DTypeLike,
        sizes: Iterable[SupportsIndex],
        *,
        dimension_count: SupportsIndex | None = None,
        strides: Iterable[SupportsIndex] | None = None,
        total_tensor_size_in_bytes: SupportsIndex | None = None,
        flags: str | Iterable[str] | None = None,
        guaranteed_base_offset_alignment: SupportsIndex | None = None,
    ) -> None:
        self._set("data_type", DataType.of(data_type))
        listed = integers(sizes, "Sizes")
        total = total_tensor_size_in_bytes
        aligned = guaranteed_base_offset_alignment
        given = zip(MEMBERS, (flags, dimension_count, strides, total, aligned), strict=True)
        members = {name: MEMBERS[name](member, name) for name, member in given if member is not None}
        count = members.get("DimensionCount", -1)
        self._set("sizes", listed if count < 0 else listed[:count])
        self._set("listed_sizes", listed)
        self._set("members", members)
        self._set("given", frozenset(members))
        if "Strides" in members and _are_packed(members["Strides"], self.sizes):
            del members["Strides"]
        if members:
            implied = {"Flags": (), "DimensionCount": len(listed), "GuaranteedBaseOffsetAlignment": 0}
            implied["TotalTensorSizeInBytes"] = self.total_bytes
            self._set("members", {name: m for name, m in members.items() if m != implied.get(name)})

    def _set(self, name: str, content: object) -> None:
        object.__setattr__(self, name, content)

    @property
    def dimension_count(self) -> int:
        """The number of sizes that count; where more were promised than there are, those that are there."""
        return len(self.sizes)

    @property
    def element_count(self) -> int:
        """The product of the sizes; meaningless while one of them is below 1."""
        return math.prod(self.sizes)

    @property
    def byte_count(self) -> int:
        """Bytes of the elements, packed."""
        return self.element_count * self.data_type.item_size

    @property
    def total_bytes(self) -> int:
        """The least TotalTensorSizeInBytes: up to the last element, rounded up to a multiple of 4, in a UINT64.

        Illegal sizes wrap as in a UINT, so this is what DirectML's own arithmetic makes of any sizes. Strides that
        are fewer than the sizes count as packed.
        """
        strides = self.members.get("Strides")
        elements = math.prod(size % 2**32 for size in self.sizes)
        if strides is not None and len(strides) >= len(self.sizes):
            steps = zip(self.sizes, strides, strict=False)
            elements = sum((size - 1) % 2**32 * (stride % 2**32) for size, stride in steps) + 1
        return (elements * self.data_type.item_size + 3) % 2**64 // 4 * 4

    @property
    def can_exist(self) -> bool:
        """True if every size is at least 1, and dimensions and elements keep within DirectML's bounds."""
        ranked = 1 <= self.dimension_count <= MAX_DIMENSIONS
        return ranked and min(self.sizes) >= 1 and self.element_count <= MAX_ELEMENTS

    @property
    def flat(self) -> NDArray[np.int64]:
        """The row-major flat indices of all elements, (N,)."""
        return np.arange(self.element_count, dtype=np.int64)

    def resized(self, sizes: Iterable[int]) -> TensorDesc:
        """A copy with other sizes; DimensionCount follows where their number changes."""
        listed = tuple(sizes)
        further = self.listed_sizes[len(self.sizes) :]
        if further and len(listed) != len(self.sizes):
            return self.changed(sizes=listed, dimension_count=None)
        return self.changed(sizes=listed + further)

    def plain(self) -> TensorDesc:
        """A copy of DataType and Sizes alone."""
        return self if not self.given else TensorDesc(self.data_type, self.sizes)

    def changed(self, **changes: Any) -> TensorDesc:
        """A copy with other arguments, None for what is implied; what was given is still held against the rules."""
        kept = {snake(name): member for name, member in self.members.items()}
        made = TensorDesc(**{"data_type": self.data_type, "sizes": self.listed_sizes, **kept, **changes})
        made._set("given", made.given | self.given)
        return made

    def __str__(self) -> str:
        return f"{self.data_type.name} {braces(self.sizes)}"

    def __repr__(self) -> str:
        more = (f", {snake(name)}={member!r}" for name, member in self.members.items())
        return f"TensorDesc({self.data_type.name!r}, {self.listed_sizes}{''.join(more)})"


def _are_packed(strides: tuple[int, ...], sizes: tuple[int, ...]) -> bool:
    """True if elements lie in row-major order without gaps; an axis of size 1 may have any stride."""
    packed = accumulate(reversed(sizes), operator.mul, initial=1)
    axes = zip(reversed(sizes), reversed(strides[: len(sizes)]), packed, strict=False)
    return len(strides) >= len(sizes) and all(size == 1 or stride == step for size, stride, step in axes)


def braces(sizes: Iterable[object]) -> str:
    """Sizes as the pages print them: `{3, 2}`."""
    return "{" + ", ".join(map(str, sizes)) + "}"


def brackets(index: Iterable[object]) -> str:
    """A coordinate: `[2,0]`."""
    return "[" + ",".join(map(str, index)) + "]"


@cache
def snake(name: str) -> str:
    """DirectML's name of a field or a member as Python spells it: `InputTensors` to `input_tensors`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
