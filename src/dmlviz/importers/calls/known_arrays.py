"""What is known of an array in a line of NumPy or PyTorch, and of the other things that stand in one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from ...desc.tensors import DataType, TensorDesc
from ...desc.values import Array, Constant, Filled, Iota

Sizes = tuple[int, ...]
MOST_VALUES = 4096
"""Elements of an array whose values are looked at."""
MOST_LISTED = 1 << 16
"""Entries of nested lists."""
MOST_RANK = 32


class Left(Exception):  # noqa: N818 (what is said is meant for the reader of the line)
    """What can't be taken from a line; the message is a sentence without its full stop."""


class Origin(Struct, frozen=True):
    """What an array without values is: an output of experiment `number`, by its path, or, below 0, a name's array."""

    number: int
    path: str


class Known(Struct, frozen=True):
    """An array: its shape, its type, and its values where they are known."""

    sizes: Sizes
    data_type: DataType
    library: str = ""
    """`numpy` or `torch`; empty where nothing says which."""
    values: Array | Iota | Constant | Origin | None = None
    """An origin goes wherever values would, and is lost where they would change."""

    @property
    def count(self) -> int:
        return math.prod(self.sizes)

    @property
    def tensor(self) -> TensorDesc:
        return TensorDesc(self.data_type, self.sizes)

    def array(self) -> Array | None:
        """The values, if they are known and few."""
        if isinstance(self.values, Origin) or self.values is None:
            return None
        if self.count > MOST_VALUES or min(self.sizes, default=1) < 0:
            return None
        if isinstance(self.values, np.ndarray):
            return self.values
        return Filled(self.tensor, self.values).read(np.arange(self.count)).reshape(self.sizes)

    def reshaped(self, sizes: Sizes) -> Known:
        """The elements in other sizes, of which one may be -1. Raises Left where they don't fit."""
        open_at = [d for d, size in enumerate(sizes) if size == -1]
        if len(open_at) == 1 and (rest := -math.prod(sizes)) > 0 and self.count % rest == 0:
            sizes = (*sizes[: open_at[0]], self.count // rest, *sizes[open_at[0] + 1 :])
        if min(sizes, default=1) < 0 or math.prod(sizes) != self.count:
            raise Left(
                f"{_shape_text(self.sizes)} can't be reshaped to {_shape_text(sizes)}, expected as many elements"
            )
        values = self.values.reshape(sizes) if isinstance(self.values, np.ndarray) else self.values
        return replace(self, sizes=sizes, values=values)

    def cast(self, kind: DataType) -> Known:
        """The elements as another type, as NumPy's astype makes them."""
        if kind is self.data_type:
            return self
        values = self.values
        if isinstance(values, Iota) and self.data_type is DataType.INT64 and _is_whole(values):
            return replace(self, data_type=kind)  # it wraps and rounds as astype does
        if isinstance(values, Constant) and self.count > MOST_VALUES:
            one = replace(self, sizes=()).cast(kind).values
            return replace(self, data_type=kind, values=one if isinstance(one, Constant) else None)
        if isinstance(values, Constant) and not self.sizes:
            with np.errstate(all="ignore"):
                element = Filled(self.tensor, values).read(np.zeros(1, np.int64)).astype(kind.dtype).item()
            return replace(self, data_type=kind, values=Constant(element) if math.isfinite(element) else None)
        values = self.array()
        if isinstance(values, np.ndarray):
            with np.errstate(all="ignore"):
                values = values.astype(kind.dtype)
        return replace(self, data_type=kind, values=values)


def _is_whole(values: Iota) -> bool:
    """True for an iota that is computed in whole numbers, as NumPy's arange is."""
    start, step = values.start, values.step
    return isinstance(start, int) and isinstance(step, int) and abs(start) + abs(step) * 2**32 < 2**63


def _shape_text(sizes: Sequence[int]) -> str:
    return f"({', '.join(map(str, sizes[:9]))}{', …' * (len(sizes) > 9)})"


class Dotted(Struct, frozen=True):
    """A dotted name in a library: `numpy.random.rand`."""

    name: str


class Method(Struct, frozen=True):
    """A method of an array."""

    owner: Known
    name: str


class Embedding(Struct, frozen=True):
    """`nn.Embedding`: a layer that looks rows of its weight up."""

    weight: Known


class Slice(Struct, frozen=True):
    """`1:3` or `::-1` in an index; one whose numbers aren't known is `odd`."""

    start: int | None = None
    stop: int | None = None
    step: int = 1
    odd: bool = False

    @property
    def takes_all(self) -> bool:
        """True for `:`, with whatever step."""
        return self.start is None and self.stop is None and not self.odd


class Call(Struct):
    """A function's name as it was written, and what it is given."""

    shown: str
    args: list[object]
    named: dict[str, object]
    library: str
    _IGNORED = frozenset(
        {
            "device",
            "requires_grad",
            "order",
            "copy",
            "out",
            "layout",
            "pin_memory",
            "generator",
            "subok",
            "memory_format",
            "non_blocking",
        }
    )

    def bound(self, *names: str, rest: bool = False) -> list[object]:
        """The arguments by parameter, None for what isn't given; `input|a` is one parameter with two names.

        The last one is a list of what is left, with `rest`. Raises Left for too many and for unknown ones.
        """
        arguments: list[object] = [None] * len(names)
        places = {alias: i for i, name in enumerate(names) for alias in name.split("|")}
        args = self.args
        if rest:
            arguments[-1], args = list(args[len(names) - 1 :]), args[: len(names) - 1]
        if len(args) > len(names):
            raise Left(f"{self.shown} has {len(args)} arguments, expected at most {len(names)}")
        arguments[: len(args)] = args
        for name, value in self.named.items():
            if name in places and not (rest and places[name] == len(names) - 1 and arguments[-1]):
                arguments[places[name]] = value
            elif name not in self._IGNORED:
                raise Left(f"{self.shown} has the argument {name}, expected only {', '.join(places)}")
        return arguments


DTYPES: Mapping[str, DataType] = MappingProxyType(
    {
        **{kind.name.lower(): kind for kind in DataType},
        "half": DataType.FLOAT16,
        "single": DataType.FLOAT32,
        "double": DataType.FLOAT64,
        "short": DataType.INT16,
        "long": DataType.INT64,
        "longlong": DataType.INT64,
        "intp": DataType.INT64,
        "int_": DataType.INT64,
        "uint": DataType.UINT64,
        "byte": DataType.INT8,
        "ubyte": DataType.UINT8,
        "ushort": DataType.UINT16,
    }
)
"""The types by the names that both libraries have for them."""
OWN_DTYPES: Mapping[str, Mapping[str, DataType]] = MappingProxyType(
    {
        "torch": {"float": DataType.FLOAT32, "int": DataType.INT32},
        "numpy": {"float": DataType.FLOAT64, "int": DataType.INT64},
    }
)
"""The names that mean another type in each."""


def dtype_called(name: str, library: str) -> DataType | None:
    """The type of that name in a library; None for no type that DirectML has."""
    return OWN_DTYPES.get(library, {}).get(name) or DTYPES.get(name)


def as_int(argument: object, what: str) -> int:
    """A whole number. Raises Left."""
    if isinstance(argument, int) and not isinstance(argument, bool):
        return argument
    array = argument.array() if isinstance(argument, Known) and not argument.sizes else None
    if array is not None and array.dtype.kind != "f":
        return int(array)
    raise Left(f"{what} isn't known, expected a whole number")


def as_ints(argument: object, what: str) -> Sizes:
    """Whole numbers: a list, an array that is known, or one number. Raises Left."""
    if isinstance(argument, Known) and not argument.data_type.is_float and len(argument.sizes) == 1:
        array = argument.array()
        if array is not None:
            return tuple(int(x) for x in array)
    if isinstance(argument, list):
        return tuple(as_int(argument, f"{what}[{i}]") for i, argument in enumerate(argument))
    return (as_int(argument, what),)


def as_known(argument: object, what: str, library: str) -> Known:
    """An array, or a list of numbers as one. Raises Left."""
    if isinstance(argument, Known):
        return argument
    if isinstance(argument, (list, int, float)) and not isinstance(argument, bool):
        return from_list(argument, library, None)
    raise Left(f"{what} isn't known, expected an array")


def from_list(listed: object, library: str, kind: DataType | None) -> Known:
    """The array that a library makes of nested lists of numbers. Raises Left."""
    sizes: list[int] = []
    level: list[object] = [listed]
    while level and all(isinstance(item, list) for item in level):
        lists = [item for item in level if isinstance(item, list)]
        sizes.append(len(lists[0]))
        if len({len(item) for item in lists}) > 1 or len(sizes) > MOST_RANK:
            raise Left("its lists differ in length, expected equal ones")
        if len(lists) * len(lists[0]) > MOST_LISTED:  # a name may stand for one list many times
            raise Left(f"its lists hold more than {MOST_LISTED:,} entries, expected fewer")
        level = [item for inner in lists for item in inner]
    if any(isinstance(item, bool) or not isinstance(item, (int, float)) for item in level):
        raise Left("it holds what is no number, expected numbers in lists of equal lengths")
    real = any(isinstance(item, float) for item in level) or not level
    usual = DataType.INT64 if not real else DataType.FLOAT32 if library == "torch" else DataType.FLOAT64
    kind = kind or usual
    try:
        with np.errstate(all="ignore"):
            # A list of floats is rounded from FLOAT64, a list of integers never passes through a float.
            array = np.array(level, np.float64 if real else kind.dtype).astype(kind.dtype)
    except (OverflowError, ValueError, TypeError):
        raise Left(f"a number in it is beyond {kind}, expected ones that fit") from None
    return Known(tuple(sizes), kind, library, array.reshape(sizes))


class Names(Struct):
    """What names stand for, at the line that is read."""

    bound: dict[str, object] = field(default_factory=dict)
    told: dict[str, list[tuple[int, Known]]] = field(default_factory=dict)
    """Shapes from comments, each with its line."""
    types: dict[str, DataType] = field(default_factory=dict)
    """Types that were told without a shape."""

    def find(self, name: str, line: int) -> object | None:
        """What `name` stands for: what was assigned, or else what a comment tells, rather before `line` than behind."""
        if name in self.bound:
            return self.bound[name]
        told = self.told.get(name)
        if told is None:
            return None
        return next((known for at, known in reversed(told) if at <= line), told[0][1])
