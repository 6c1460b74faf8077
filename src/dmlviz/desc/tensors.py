"""DataType and TensorDesc: what a tensor is, before anything fills it."""

from __future__ import annotations

import enum
import math
import operator
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import DTypeLike

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
    def of(cls, found: DataType | str | DTypeLike) -> DataType:
        """The type called `found`: a DataType, its name (with or without `DML_TENSOR_DATA_TYPE_`), or a NumPy dtype.

        Raises DmlvizError for anything else.
        """
        if isinstance(found, DataType):
            return found
        if isinstance(found, str):
            name = found.removeprefix("DML_TENSOR_DATA_TYPE_")
            if name in cls.__members__:
                return cls[name]
        try:
            # np.dtype takes None for FLOAT64, which nobody means here.
            return _BY_DTYPE[np.dtype(found if found is not None else "").newbyteorder("=")]
        except (TypeError, KeyError, ValueError, SyntaxError):
            raise DmlvizError(f"DataType is {quote(found)}, expected one of {', '.join(cls.__members__)}.") from None

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype, in native byte order."""
        return _DTYPES[self]

    @property
    def item_size(self) -> int:
        """Bytes an element."""
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


_DTYPES: dict[DataType, np.dtype[Any]] = {each: np.dtype(each.name.lower()) for each in DataType}
_BY_DTYPE = {dtype: each for each, dtype in _DTYPES.items()}


def integer(found: object, field: str) -> int:
    """`found` as an int. Raises DmlvizError for booleans and for whatever is no integer."""
    if not isinstance(found, (bool, np.bool_)):
        try:
            made = operator.index(found)  # type: ignore[arg-type]
        except TypeError:
            pass
        else:
            return _printable(made, field)
    raise DmlvizError(f"{field} is {quote(found)}, expected an integer.")


def _printable(found: int, field: str) -> int:
    """`found`, which sentences have to print. Raises DmlvizError where Python refuses to."""
    try:
        str(found)
    except ValueError:
        digits = int(found.bit_length() * math.log10(2)) + 1
        raise DmlvizError(f"{field} has about {digits:,} digits, expected an integer that fits a UINT.") from None
    return found


def integers(found: Iterable[object], field: str) -> tuple[int, ...]:
    """`found` as ints. Raises DmlvizError that names the first of them that is no integer."""
    held = tuple(found)
    if all(type(each) is int and each.bit_length() < 64 for each in held):
        return held  # type: ignore[return-value]  # as most are
    return tuple(integer(each, f"{field}[{i}]") for i, each in enumerate(held))


@dataclass(frozen=True, init=False, slots=True)
class TensorDesc:
    """A tensor's DataType and Sizes, as in `DML_BUFFER_TENSOR_DESC`; DimensionCount is `len(sizes)`.

    Any integers are held, legal or not: `dmlviz.check` says which rules they break. Raises DmlvizError where a size is
    no integer.
    """

    data_type: DataType
    sizes: tuple[int, ...]

    def __init__(self, data_type: DataType | str | DTypeLike, sizes: Iterable[SupportsIndex]) -> None:
        object.__setattr__(self, "data_type", DataType.of(data_type))
        if not isinstance(sizes, tuple) and (isinstance(sizes, (str, bytes)) or not isinstance(sizes, Iterable)):
            raise DmlvizError(f"Sizes is {quote(sizes)}, expected a list of integers.")
        object.__setattr__(self, "sizes", integers(sizes, "Sizes"))

    @property
    def dimension_count(self) -> int:
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
        """TotalTensorSizeInBytes: the bytes of the elements, packed and rounded up to a multiple of 4, in a UINT64.

        Illegal sizes wrap as in a UINT, so this is what DirectML's own arithmetic makes of any sizes.
        """
        made = self.data_type.item_size
        for size in self.sizes:
            made = made * (size % 2**32) % 2**64
        return (made + 3) % 2**64 // 4 * 4

    @property
    def can_exist(self) -> bool:
        """True if every size is at least 1, and dimensions and elements keep within DirectML's bounds."""
        return (
            1 <= self.dimension_count <= MAX_DIMENSIONS and min(self.sizes) >= 1 and self.element_count <= MAX_ELEMENTS
        )

    def resized(self, sizes: Iterable[int]) -> TensorDesc:
        return TensorDesc(self.data_type, sizes)

    def __str__(self) -> str:
        return f"{self.data_type.name} {braces(self.sizes)}"

    def __repr__(self) -> str:
        return f"TensorDesc({self.data_type.name!r}, {self.sizes})"


def braces(sizes: Iterable[object]) -> str:
    """Sizes as the pages print them: `{3, 2}`."""
    return "{" + ", ".join(map(str, sizes)) + "}"


def brackets(index: Iterable[object]) -> str:
    """A coordinate: `[2,0]`."""
    return "[" + ",".join(map(str, index)) + "]"
