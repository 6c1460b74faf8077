"""Arrays as NumPy's own, and arguments as what a function takes."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from msgspec import Struct, field

from ...desc.tensors import MAX_DIMENSIONS, DataType, TensorDesc
from ...desc.values import Array
from ...errors import DmlvizError, plain
from ..lib.found import Found

MOST_VALUES = 1024
"""Elements of an array whose elements are known."""
MOST_RANK, MOST_ARRAYS = 32, 1024

Sizes = tuple[int, ...]
Parts = int | Sizes
Kind = np.dtype[Any]
BFLOAT16: Kind = np.dtype("V2")
TORCH_KINDS = {"float": "float32", "int": "int32", "half": "float16", "double": "float64", "long": "int64"}
TORCH_KINDS |= {"byte": "uint8"}
IGNORED = frozenset(
    {"device", "requires_grad", "layout", "pin_memory", "generator", "memory_format", "non_blocking", "copy"}
    | {"padding_idx", "sparse", "sparse_grad", "freeze"}
)
"""Arguments that change neither shape nor type nor elements."""


class Left(Exception):  # noqa: N818 (the message is for the reader of the line)
    """What isn't read; the message goes on behind the name of the function, and has no full stop."""


class Unknown(Struct, frozen=True):
    """A value of which nothing is known, and why: a sentence without its full stop."""

    why: str


class Arr(Struct, frozen=True, eq=False):
    """An array: `held` has its shape and type, and its elements where they are known."""

    held: Array
    """Of stride 0 unless its elements are known."""
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
            return Arr(blank(self.sizes, kind).held, False, self.library)
        with np.errstate(all="ignore"):
            return Arr(self.held.astype(kind), True, self.library)

    def __str__(self) -> str:
        return f"{self.held.dtype.name} ({', '.join(map(str, self.sizes))})"


class Dotted(Struct, frozen=True):
    """A name in a library, `numpy.random.rand`, or of a method, `torch..repeat`, with its array."""

    name: str
    owner: Arr | None = None


def blank(sizes: Sequence[int], kind: Kind, value: Any = None) -> Arr:
    """An array that nobody stores. Raises Left."""
    if len(sizes) > MOST_RANK or min(sizes, default=0) < 0 or math.prod(sizes) >= 2**59:
        raise Left(f"makes an array of {len(sizes)} sizes, expected at most {MOST_RANK}, none below 0, of 64 bits")
    with np.errstate(all="ignore"):
        one = np.zeros((), kind) if value is None else np.asarray(value).astype(kind)
    return Arr(np.broadcast_to(one, tuple(sizes)), value is not None and math.prod(sizes) <= MOST_VALUES)


def made_of(given: object, floats: Kind, kind: Kind | None = None) -> Arr:
    """The array of a number or of nested lists. Raises Left."""
    sizes, first = list[int](), given
    while isinstance(first, (list, tuple)):
        sizes.append(len(first))
        first = first[0] if first else 0.0
    if len(sizes) > MOST_RANK or math.prod(sizes) > MOST_VALUES:  # a name may stand for one list many times
        raise Left(f"has a list of more than {MOST_VALUES:,} entries, expected fewer")
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


# ---- arguments ----------------------------------------------------------------------------------------------------

EXPECTED = {"Arr": "an array"} | dict.fromkeys(("Sizes", "Parts"), "whole numbers")
EXPECTED |= {"int": "a whole number", "float": "a number", "Kind": "a type such as float32"}
EXPECTED |= {"list[Arr]": f"a list of 1 to {MOST_ARRAYS:,} arrays"}
"""What is expected of an argument, by the annotation of its parameter; others are taken as they are."""


def read_as(annotation: str, value: object, what: str, floats: Kind) -> object:
    """An argument as its parameter is annotated. Raises Left."""
    match annotation:
        case "Arr" if isinstance(value, (Arr, list, tuple, int, float)):
            return value if isinstance(value, Arr) else made_of(value, floats)
        case "list[Arr]" if isinstance(value, (list, tuple)) and 1 <= len(value) <= MOST_ARRAYS:
            return [read_as("Arr", item, what, floats) for item in value]
        case "Sizes" | "Parts" if isinstance(value, (list, tuple)):
            return tuple([read_as("int", item, what, floats) for item in value])
        case "int" | "Sizes" | "Parts" if type(value) is int:
            return (value,) if annotation == "Sizes" else value
        case "float" if isinstance(value, (int, float)) and not isinstance(value, bool):
            return value
        case "Kind" if isinstance(value, str) and (kind := kind_called(value, floats.itemsize == 4)) is not None:
            return kind
        case "Kind" if isinstance(value, np.dtype):
            return value
    raise Left(f"has {what} {found(value)}, expected {EXPECTED[annotation]}")


class Function(Struct, frozen=True):
    """A function with the names that a library's parameters have, in its order; `*` as in `FUNCTIONS`."""

    body: Callable[..., Any]
    names: str

    @property
    def moves(self) -> bool:
        return "Moved" in str(inspect.signature(self.body).return_annotation)

    def __call__(self, args: list[object], named: Mapping[str, object], floats: Kind) -> Any:
        """What it gives for these arguments, bound as Python binds them. Raises Left."""
        parameters = _parameters(self)
        if "dim" in parameters:
            named = {"dim" if name == "axis" else name: value for name, value in named.items()}
        at = next((i for i, name in enumerate(self.names.split()) if name[-1] == "*"), len(args))
        if args[at:] and not isinstance(args[at], (list, tuple)):
            args = [*args[:at], args[at:]]
        try:
            bound = inspect.Signature(list(parameters.values())).bind(*args, **named).arguments
        except TypeError as error:
            raise Left(f"isn't read: {plain(str(error), 80)}, expected {', '.join(parameters)}") from None
        for name, value in bound.items():
            annotation = str(parameters[name].annotation).removesuffix(" | None")
            if annotation in EXPECTED and not (value is None and parameters[name].default is None):
                bound[name] = read_as(annotation, value, name, floats)
        try:
            return self.body(*(bound.get(name, each.default) for name, each in parameters.items()))
        except (ValueError, TypeError, OverflowError) as error:  # NumPy's own, of reshape, promotion and the like
            raise Left(f"isn't read: {plain(str(error), 120).rstrip('.')}") from None


@cache
def _parameters(function: Function) -> dict[str, inspect.Parameter]:
    """Its parameters by the library's names."""
    own = zip(
        function.names.replace("*", "").split(), inspect.signature(function.body).parameters.values(), strict=False
    )
    return {name: each.replace(name=name) for name, each in own}
