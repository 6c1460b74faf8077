"""Arrays as NumPy's own, and arguments as what a function takes."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from ...desc.tensors import MAX_DIMENSIONS, DataType, TensorDesc
from ...desc.value_sources import ValueSource
from ...desc.values import Array, Constant
from ...errors import DmlvizError, plain
from ..lib.found import Found
from ..lib.imported import listed

MOST_VALUES = 4096
"""Elements of an array that is stored; of a larger one only a single value is known."""
MOST_RANK = 32
MOST_ARRAYS = 1024

Sizes = tuple[int, ...]
Parts = int | Sizes
_NUMBERS = ("int", "float", "Sizes", "Parts")
Kind = np.dtype[Any]
BFLOAT16: Kind = np.dtype("V2")
TORCH_KINDS = {
    "float": "float32",
    "int": "int32",
    "half": "float16",
    "double": "float64",
    "long": "int64",
    "short": "int16",
}
_NAMED_KIND = re.compile(r"[<=|]?(?:[a-z]{2,12}\d{0,3}|[fiu][1248]|[fdeiqhbBHILQ?])")
IGNORED = frozenset(
    {"device", "requires_grad", "layout", "pin_memory", "generator", "memory_format", "non_blocking", "copy", "subok"}
    | {"order", "casting", "padding_idx", "norm_type", "scale_grad_by_freq", "sparse", "sparse_grad", "freeze"}
)
"""Arguments that change neither shape nor type nor elements."""


class Left(Exception):  # noqa: N818 (the message is for the reader of the line)
    """What isn't read; the message goes on behind the name of the function, and has no full stop."""


class Unknown(Struct, frozen=True):
    """A value of which nothing is known."""

    why: str
    """A sentence without its full stop."""


class Arr(Struct, frozen=True, eq=False):
    """An array: `held` has its shape and type, and its elements where they are known."""

    held: Array
    """Of stride 0 unless its elements are known and differ."""
    is_known: bool = False
    library: str = ""
    """`numpy` or `torch`; empty where nothing says which."""
    origin: tuple[Found, str] | str = ""
    """The desc whose output it is in order, and the output's path; or what a root is called."""
    memory: list[int] = field(default_factory=list)
    """The lines that write into it, and into all that share it."""
    seen: int = 0
    """How many of these there were before it."""

    @property
    def is_changed(self) -> bool:
        """True where its elements aren't what they were."""
        return len(self.memory) > self.seen

    @property
    def sizes(self) -> Sizes:
        return self.held.shape

    @property
    def tensor(self) -> TensorDesc:
        """Raises Left for what DirectML has no tensor of."""
        try:
            kind = DataType.of(self.held.dtype)
        except DmlvizError:
            name = "bfloat16" if self.held.dtype == BFLOAT16 else self.held.dtype.name
            raise Left(f"is given an array of {name}, which DirectML has no type for") from None
        if not 1 <= self.held.ndim <= MAX_DIMENSIONS:
            raise Left(f"has an array of {self.held.ndim} dimensions, expected 1 to {MAX_DIMENSIONS} in DirectML")
        if not all(self.sizes):
            raise Left("has an array with a size of 0, expected at least 1: DirectML has no empty tensors")
        return TensorDesc(kind, self.sizes)

    def cast(self, kind: Kind) -> Arr:
        """The elements as another type, as `astype` makes them."""
        if kind == self.held.dtype:
            return self
        if not self.is_known or BFLOAT16 in (kind, self.held.dtype):
            return replace(blank(self.sizes, kind), library=self.library)
        with np.errstate(all="ignore"):
            one = any(self.held.strides) or not self.held.size
            held = self.held.astype(kind) if one else np.broadcast_to(self.held.flat[0].astype(kind), self.sizes)
        return Arr(held, True, self.library)

    def filling(self, sizes: Sequence[int]) -> ValueSource:
        """Its elements for a tensor of these sizes, which are as many."""
        if any(self.held.strides) or self.held.size <= MOST_VALUES:
            return listed(self.held.reshape(sizes))
        return Constant(listed(self.held.reshape(-1)[:1]).items[0])

    def __str__(self) -> str:
        return f"{self.held.dtype.name} ({', '.join(map(str, self.sizes))})"


Tensor = Arr
"""One that can be a tensor of DirectML."""


class Embedding(Struct, frozen=True):
    """`nn.Embedding`: a layer that looks up rows of its weight."""

    weight: Arr


def blank(sizes: Sequence[int], kind: Kind, value: float | None = None) -> Arr:
    """An array that nobody stores. Raises Left."""
    if len(sizes) > MOST_RANK or min(sizes, default=0) < 0:
        raise Left(f"has a shape of {len(sizes)} sizes, the least {min(sizes, default=0)}, expected none below 0")
    if math.prod(sizes) * kind.itemsize >= 2**63:
        raise Left("makes an array of more than 2**63 bytes, expected fewer")
    with np.errstate(all="ignore"):
        one = np.zeros((), kind) if value is None else np.asarray(value).astype(kind)
    return Arr(np.broadcast_to(one, tuple(sizes)), value is not None)


def made_of(given: object, floats: Kind, kind: Kind | None = None) -> Arr:
    """The array of a number or of nested lists. Raises Left."""
    level, sizes = [given], list[int]()
    while level and all(isinstance(item, (list, tuple)) for item in level):
        lengths = {len(item) for item in level if isinstance(item, (list, tuple))}
        sizes += lengths
        if len(lengths) > 1 or len(sizes) > MOST_RANK:
            raise Left("has lists that differ in length, expected equal ones")
        if len(level) * max(lengths) > MOST_VALUES:  # a name may stand for one list many times
            raise Left(f"has a list of more than {MOST_VALUES:,} entries, expected fewer")
        level = [each for item in level if isinstance(item, (list, tuple)) for each in item]
    for item in level:
        if not isinstance(item, (bool, int, float)):
            raise Left(f"has {found(item)}, expected numbers, in lists of equal lengths")
    try:
        with np.errstate(all="ignore"):
            held: Array = np.array(level)
            if held.dtype.kind not in "biuf" or (kind is not None and kind.kind in "iu" and held.dtype.kind in "biu"):
                held = np.array(level, kind)
            elif kind is not None or held.dtype.kind == "f":
                held = held.astype(kind or floats)
    except (OverflowError, ValueError, TypeError):
        raise Left(f"has a number beyond {kind or '64 bits'}, expected ones that fit") from None
    return Arr(held.reshape(sizes), True)


def found(value: object) -> str:
    """What an argument is, in a sentence. Raises Left for an unknown one, with why."""
    if isinstance(value, Unknown):
        raise Left(f"isn't read: {value.why}")
    if isinstance(value, Arr):
        return str(value)
    names = {list: "a list", tuple: "a tuple", slice: "a slice"}
    return plain(repr(value), 40) if isinstance(value, (int, float, str)) else names.get(type(value), "no number")


def kind_called(name: str, is_torch: bool) -> Kind | None:
    """The type of that name; None for no name of a type of numbers."""
    if is_torch and name == "bfloat16":
        return BFLOAT16
    name = TORCH_KINDS.get(name, name) if is_torch else name
    try:
        kind: Kind = np.dtype(name if _NAMED_KIND.fullmatch(name) else "V")
    except (TypeError, ValueError):
        return None
    return kind.newbyteorder("=") if kind.kind in "biufc" else None


# ---- arguments ----------------------------------------------------------------------------------------------------

EXPECTED: Mapping[str, str] = MappingProxyType(
    {
        "int": "a whole number",
        "float": "a number",
        "Sizes": "whole numbers",
        "Parts": "whole numbers",
        "Arr": "an array",
        "Tensor": "an array",
        "list[Arr]": "a list of 1 to 1,024 arrays",
        "Kind": "a type such as float32",
        "str": "a name in quotes",
        "None": "none",
    }
)
"""What is expected of an argument, by the annotation of its parameter; others are taken as they are."""


def read_as(annotation: str, value: object, what: str, floats: Kind) -> object:
    """An argument as its parameter is annotated. Raises Left."""
    if isinstance(value, Arr) and value.is_known and value.held.ndim < 2 and annotation in _NUMBERS:
        value = value.held.tolist() if value.held.dtype.kind in "iu" or annotation == "float" else value
    is_list = isinstance(value, (list, tuple))
    match annotation:
        case "Arr" | "Tensor" if isinstance(value, Arr) or is_list or isinstance(value, (int, float)):
            array = value if isinstance(value, Arr) else made_of(value, floats)
            assert annotation == "Arr" or array.tensor
            return array
        case "list[Arr]" if isinstance(value, (list, tuple)) and 1 <= len(value) <= MOST_ARRAYS:
            return [read_as("Arr", item, what, floats) for item in value]
        case "Sizes" | "Parts" if isinstance(value, (list, tuple)):
            return tuple(read_as("int", item, what, floats) for item in value)
        case "int" | "Sizes" | "Parts" if type(value) is int:
            return (value,) if annotation == "Sizes" else value
        case "float" if isinstance(value, (int, float)) and not isinstance(value, bool):
            return value
        case "Kind" if isinstance(value, np.dtype):
            return value
        case "Kind" if isinstance(value, str) and (kind := kind_called(value, floats.itemsize == 4)) is not None:
            return kind
        case "str" if isinstance(value, str):
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
        names = list(parameters)
        if "dim" in names:
            named = {"dim" if name == "axis" else name: value for name, value in named.items()}
        named = {name: value for name, value in named.items() if name in names or name not in IGNORED}
        at = next((i for i, name in enumerate(self.names.split()) if name[-1] == "*"), len(args))
        if args[at:] and not isinstance(args[at], (list, tuple, Arr)):
            args = [*args[:at], args[at:]]
        try:
            bound = inspect.Signature(list(parameters.values())).bind(*args, **named)
        except TypeError as error:
            raise Left(f"has {_binding(str(error))}, expected {', '.join(names)}") from None
        for name, value in bound.arguments.items():
            annotation, usual = str(parameters[name].annotation), parameters[name].default
            if value is None and usual is not inspect.Parameter.empty:
                bound.arguments[name] = None if annotation.endswith(" | None") else usual
            elif annotation.removesuffix(" | None") in EXPECTED:
                bound.arguments[name] = read_as(annotation.removesuffix(" | None"), value, name, floats)
        return self.body(*(bound.arguments.get(name, parameters[name].default) for name in names))


@cache
def _parameters(function: Function) -> dict[str, inspect.Parameter]:
    """Its parameters by the library's names."""
    own = zip(
        function.names.replace("*", "").split(), inspect.signature(function.body).parameters.values(), strict=False
    )
    return {name: each.replace(name=name) for name, each in own}


def _binding(said: str) -> str:
    """What Python says of arguments that it can't bind, behind `has`."""
    name = re.search(r"'(\w{1,40})'", said)
    if said.startswith("too many") or name is None:
        return "too many arguments"
    if said.startswith("missing"):
        return f"no argument {name[1]}"
    return f"the argument {name[1]}{' twice' * said.startswith('multiple')}"
