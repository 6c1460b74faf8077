"""Arrays as NumPy's own: one that nobody stores has stride 0."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct, field

from ...desc.tensors import MAX_DIMENSIONS, DataType, TensorDesc
from ...desc.values import Array
from ...errors import DmlvizError, plain
from ..lib.found import Found

MOST_RANK, MOST_ENTRIES = 32, 1024
"""Of an array; of lists, of arrays whose elements are known, and of arrays and parts of one call."""

Sizes = tuple[int, ...]
Kind = np.dtype[Any]
BFLOAT16: Kind = np.dtype("V2")
TORCH_KINDS = {"float": "float32", "int": "int32", "half": "float16", "double": "float64", "long": "int64"}
TORCH_KINDS |= {"byte": "uint8"}


class Left(Exception):  # noqa: N818 (the message is for the reader of the line)
    """What isn't read; the message goes on behind the name of the function, and has no full stop."""


class Unknown(Struct, frozen=True):
    """A value of which nothing is known, and why: a sentence without its full stop."""

    why: str


class Arr(Struct, frozen=True, eq=False):
    """An array: `held` has its shape and type, and its elements where they are known."""

    held: Array
    is_known: bool = False
    library: str = ""
    """`numpy` or `torch`; empty where nothing says which."""
    origin: tuple[Found, str] | str = ""
    """The desc whose output it is in order, and the output's path; or what a root is called."""
    memory: list[int] = field(default_factory=list)
    """The lines that write into it, and into all that share it: its elements aren't what they were."""

    @property
    def sizes(self) -> Sizes:
        return self.held.shape

    @property
    def rank(self) -> int:
        return self.held.ndim

    @property
    def tensor(self) -> TensorDesc:
        """Raises Left for what DirectML has no tensor of."""
        try:
            kind = DataType.of(self.held.dtype)
        except DmlvizError:
            name = "bfloat16" if self.held.dtype == BFLOAT16 else self.held.dtype.name
            raise Left(f"is given an array of {name}, which DirectML has no type for") from None
        if not 1 <= self.rank <= MAX_DIMENSIONS or not all(self.sizes):
            raise Left(f"has an array {self}, expected 1 to {MAX_DIMENSIONS} sizes of at least 1 in DirectML")
        return TensorDesc(kind, self.sizes)

    def cast(self, kind: Kind) -> Arr:
        """The elements as another type, as `astype` makes them."""
        if kind == self.held.dtype:
            return self
        if not self.is_known or self.memory or BFLOAT16 in (kind, self.held.dtype):
            return blank(self.sizes, kind)
        with np.errstate(all="ignore"):
            return Arr(self.held.astype(kind), True)

    def __str__(self) -> str:
        return f"{self.held.dtype.name} ({', '.join(map(str, self.sizes))})"


class Dotted(Struct, frozen=True):
    """A name in a library, `numpy.random.rand`, or of a method, `torch..repeat`, with its array."""

    name: str
    owner: Arr | None = None


def blank(sizes: Sequence[int], kind: Kind, value: float | None = None) -> Arr:
    """An array that nobody stores. Raises Left."""
    if len(sizes) > MOST_RANK or min(sizes, default=0) < 0 or math.prod(sizes) >= 2**59:
        raise Left(f"makes an array of {len(sizes)} sizes, expected at most {MOST_RANK}, none below 0, of 64 bits")
    with np.errstate(all="ignore"):
        one = np.zeros((), kind) if value is None else np.asarray(value).astype(kind)
    return Arr(np.broadcast_to(one, tuple(sizes)), value is not None and math.prod(sizes) <= MOST_ENTRIES)


def made_of(given: object, floats: Kind, kind: Kind | None = None) -> Arr:
    """The array of a number or of nested lists. Raises Left."""
    sizes, first = list[int](), given
    while isinstance(first, (list, tuple)):
        sizes.append(len(first))
        first = first[0] if first else 0.0
    if len(sizes) > MOST_RANK or math.prod(sizes) > MOST_ENTRIES:  # a name may stand for one list many times
        raise Left(f"has a list of more than {MOST_ENTRIES:,} entries, expected fewer")
    try:
        with np.errstate(all="ignore"):
            held: Array = np.array(given)
            if kind is not None and kind.kind in "iu" and held.dtype.kind != "f":
                held = np.array(given, kind)  # which rejects what doesn't fit
            elif held.dtype.kind in "biuf" and (kind is not None or held.dtype.kind == "f"):
                held = held.astype(kind or floats)
    except (ValueError, TypeError, OverflowError):
        raise Left("has lists that differ in length, or no numbers that fit, expected others") from None
    if held.dtype.kind not in "biuf":
        odd = next((found(item) for item in held.flat if isinstance(item, Unknown)), "no numbers")
        raise Left(f"has {odd}, expected numbers, in lists of equal lengths")
    return Arr(held, True)


def found(value: object) -> str:
    """What an argument is, in a sentence. Raises Left for an unknown one, with why."""
    if isinstance(value, Unknown):
        raise Left(f"isn't read: {value.why}")
    return plain(str(value) if isinstance(value, (Arr, int, float)) else repr(value), 60)


def kind_called(name: str, is_torch: bool) -> Kind | None:
    """The type of that name; None for no name of a type of numbers."""
    if is_torch and name == "bfloat16":
        return BFLOAT16
    name = TORCH_KINDS.get(name, name) if is_torch else name
    try:
        kind: Kind = np.dtype(name if name.isalnum() and 1 < len(name) < 11 else "V")
    except TypeError:
        return None
    return kind if kind.kind in "biufc" else None
