"""The functions of NumPy and PyTorch that are read: those that move elements as descs, and those that make arrays."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.lib.array_utils import normalize_axis_index

from ...desc.base import Desc
from ...desc.tensors import MAX_DIMENSIONS, DataType, TensorDesc
from ...desc.values import Array, Constant
from ...errors import DmlvizError, plain
from ...operators.gather import Gather
from ...operators.gather_elements import GatherElements
from ...operators.join import Join
from ...operators.reverse_subsequences import ReverseSubsequences
from ...operators.slice1 import Slice1
from ...operators.split import Split
from ...operators.tile import Tile
from ..lib.found import Found

MOST_RANK, MOST_ENTRIES = 32, 1024

Sizes = tuple[int, ...]
Parts = int | Sizes
Kind = np.dtype[Any]
BFLOAT16: Kind = np.dtype("V2")
TORCH_KINDS = {"float": "float32", "int": "int32", "half": "float16", "double": "float64", "long": "int64"}
TORCH_KINDS |= {"byte": "uint8", "bfloat16": "V2", "bool": "bool"}
FLOATS: Mapping[str, Kind] = {"numpy": np.dtype(np.float64), "torch": np.dtype(np.float32)}
INTEGERS: Kind = np.dtype(np.int64)
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
    """An array: `held` has its shape and type, and its elements where they are known; else it has stride 0."""

    held: Array
    is_known: bool = False
    library: str = ""
    origin: tuple[Found, str] | str = ""
    """The desc whose output it is in order, and the output's path; or what a root is called."""

    @property
    def sizes(self) -> Sizes:
        return self.held.shape

    @property
    def rank(self) -> int:
        return self.held.ndim

    def axis(self, axis: int) -> int:
        return normalize_axis_index(axis, self.rank)

    def along(self, axis: int, *own: int) -> Sizes:
        return (*self.sizes[:axis], *own, *self.sizes[axis + 1 :])

    @property
    def tensor(self) -> TensorDesc:
        """Raises Left for what DirectML has no tensor of."""
        name = "bfloat16" if self.held.dtype == BFLOAT16 else self.held.dtype.name
        if name.upper() not in DataType.__members__:
            raise Left(f"is given an array of {name}, which DirectML has no type for")
        if not 1 <= self.rank <= MAX_DIMENSIONS or not all(self.sizes):
            raise Left(f"has an array {self}, expected 1 to {MAX_DIMENSIONS} sizes of at least 1 in DirectML")
        return TensorDesc(DataType[name.upper()], self.sizes)

    def cast(self, kind: Kind) -> Arr:
        if kind == self.held.dtype:
            return self
        if not self.is_known or BFLOAT16 in (kind, self.held.dtype):
            return blank(self.sizes, kind)
        with np.errstate(all="ignore"):
            return Arr(self.held.astype(kind), True)

    def __repr__(self) -> str:
        return f"{self.held.dtype.name} ({', '.join(map(str, self.sizes))})"


class Dotted(Struct, frozen=True):
    name: str
    owner: Arr | None = None


def blank(sizes: Sequence[int], kind: Kind, value: float | None = None) -> Arr:
    """An array that nobody stores. Raises Left."""
    if len(sizes) > MOST_RANK or min(sizes, default=0) < 0 or math.prod(sizes) >= 2**59:
        raise Left(f"makes an array of {len(sizes)} sizes, expected at most {MOST_RANK}, none below 0, of 64 bits")
    one = np.array(value or 0).astype(kind)
    return Arr(np.broadcast_to(one, tuple(sizes)), value is not None and math.prod(sizes) <= MOST_ENTRIES)


def made_of(given: object, floats: Kind) -> Arr:
    sizes, first = list[int](), given
    while isinstance(first, (list, tuple)):
        sizes.append(len(first))
        first = first[0] if first else 0.0
    if len(sizes) > MOST_RANK or math.prod(sizes) > MOST_ENTRIES:  # a name may stand for one list many times
        raise Left(f"has a list of more than {MOST_ENTRIES:,} entries, expected fewer")
    try:
        held: Array = np.array(given)
    except ValueError:
        raise Left("has lists that differ in length, expected equal lengths") from None
    if held.dtype.kind not in "biuf":
        odd = next((found(item) for item in held.flat if isinstance(item, Unknown)), "no numbers")
        raise Left(f"has {odd}, expected numbers, in lists of equal lengths")
    return Arr(held.astype(floats) if held.dtype.kind == "f" else held, True)


def found(value: object) -> str:
    if isinstance(value, Unknown):
        raise Left(f"isn't read: {value.why}")
    return plain("a list" if isinstance(value, (list, tuple)) else repr(value), 60)


def kind_called(name: str, is_torch: bool) -> Kind | None:
    name = TORCH_KINDS.get(name, name) if is_torch else name
    try:
        kind: Kind = np.dtype(name if name.isalnum() and len(name) > 1 else "V")
    except TypeError:
        return None
    return kind if kind.kind in "biufc" or kind == BFLOAT16 else None


class Moved(Struct):
    """What moves elements: a desc, its inputs in the order of fields, and the shape that the library gives back."""

    desc: Desc
    inputs: list[Arr | Constant]
    shape: Sizes | None = None  # the output's
    notes: list[str] = []


def _join(library: str, arrays: list[Arr], axis: int | None = 0) -> Moved:
    if axis is None:
        arrays = [_reshape(array, (-1,)) for array in arrays]
        axis = 0
    names = " and ".join(dict.fromkeys(array.tensor.data_type.name for array in arrays))
    kinds = {array.held.dtype for array in arrays}
    if library == "torch" and len(kinds) > 1:
        if any(kind.kind == "u" and kind.itemsize > 1 for kind in kinds):
            raise Left(f"promotes no {names}, expected arrays of one type")
        kinds = {kind for kind in kinds if kind.kind == "f"} or kinds
    kind = np.result_type(*kinds)
    arrays = [array.cast(kind) for array in arrays]
    note = f"{names} are promoted to {kind.name.upper()}, expected one type: DirectML promotes nothing, cast them first"
    desc = Join(tuple(array.tensor for array in arrays), arrays[0].axis(axis))
    return Moved(desc, [*arrays], notes=[note] * (" and " in names))


def _hstack(library: str, arrays: list[Arr]) -> Moved:
    return _join(library, arrays, min(1, arrays[0].rank - 1))


def _vstack(library: str, arrays: list[Arr]) -> Moved:
    return _join(library, [_reshape(one, (1, -1)) if one.rank == 1 else one for one in arrays])


def _split_sized(x: Arr, sizes: Sequence[int], axis: int) -> Moved:
    if min(sizes, default=0) < 1 or len(sizes) > MOST_ENTRIES:
        raise Left(f"makes an empty part, or too many, expected 1 to {MOST_ENTRIES:,} of at least 1")
    shapes = [x.along(axis, size) for size in sizes]
    return Moved(Split(x.tensor, tuple(map(x.tensor.resized, shapes)), axis), [x])


def _split_at(cut: Callable[..., list[Array]], x: Arr, where: Parts, axis: int = 0) -> Moved:
    axis = x.axis(axis)
    where = where if isinstance(where, tuple) else min(where, MOST_ENTRIES + 1)
    return _split_sized(x, [part.shape[axis] for part in cut(x.held, where, axis)], axis)


def _split(x: Arr, size: Parts, dim: int = 0) -> Moved:
    dim = x.axis(dim)
    if isinstance(size, int):
        n = x.sizes[dim]
        size = tuple(min(size, n - at) for at in range(0, n, size)[: MOST_ENTRIES + 1])
    return _split_sized(x, size, dim)


def _chunk(x: Arr, chunks: int, dim: int = 0) -> Moved:
    return _split(x, -(-x.sizes[x.axis(dim)] // chunks), dim)


def _tile(x: Arr, times: Sizes) -> Moved:
    if len(times) > MAX_DIMENSIONS or min(times, default=1) < 1:
        raise Left(f"has repeats {times[:9]}, expected 1 to {MAX_DIMENSIONS} of at least 1 in DirectML")
    return Moved(Tile.of_ranks(x.tensor, times), [x])


def _repeat(x: Arr, times: Sizes) -> Moved:
    moved = _tile(x, times)
    if 0 < len(times) < x.rank:
        moved.desc = Tile(x.tensor, times, moved.desc.outputs[0].tensor)
    return moved


def _indices(picks: Arr) -> tuple[Arr, list[str]]:
    kind = picks.held.dtype
    if kind.kind not in "iu" or not picks.held.size:
        raise Left(f"has indices {picks}, expected whole numbers, at least one")
    wide = np.dtype(f"{kind.kind}4")
    note = f"its indices are {kind.name.upper()}, expected a type that DirectML takes; {wide.name.upper()} is shown"
    return (picks, []) if kind.itemsize >= 4 else (picks.cast(wide), [note])


def _gather(x: Arr, indices: Arr, axis: int = 0) -> Moved:
    axis = x.axis(axis)
    picks, notes = _indices(indices)
    shape = x.along(axis, *picks.sizes)
    desc = Gather.of_ranks(x.tensor, TensorDesc(DataType.of(picks.held.dtype), picks.sizes), axis)
    return Moved(desc, [x, picks], shape, notes)


def _take(x: Arr, indices: Arr, axis: int | None = None) -> Moved:
    if axis is None:
        return _gather(_reshape(x, (-1,)), indices)
    return _gather(x, indices, axis)


def _index_select(x: Arr, dim: int, index: Arr) -> Moved:
    if index.rank > 1:
        raise Left(f"has an index of {index.rank} dimensions, expected 1")
    return _gather(x, _reshape(index, (-1,)), dim)


def _embed(indices: Arr, weight: Arr) -> Moved:
    return _gather(weight, indices)


def _gather_elements(x: Arr, axis: int, indices: Arr) -> Moved:
    picks, notes = _indices(indices)
    if picks.rank != x.rank:
        raise Left(f"has indices of {picks.rank} dimensions, expected {x.rank}")
    axis = x.axis(axis)
    return Moved(GatherElements(x.tensor, picks.tensor, axis), [x, picks], notes=notes)


def _take_along(x: Arr, indices: Arr, axis: int = -1) -> Moved:
    moved = _gather_elements(x, axis, indices)
    if not np.array_equal(np.delete(x.sizes, axis), np.delete(indices.sizes, axis)):
        raise Left(f"broadcasts {x} and {indices}, expected the same sizes but along the axis")
    return moved


def _flip(x: Arr, axes: Sizes | None = None) -> Moved:
    axes = tuple(range(x.rank)) if axes is None else axes
    if len(axes) != 1:
        raise Left(f"reverses {len(axes)} axes, expected 1: DirectML reverses along one Axis")
    axis = x.axis(axes[0])
    cells = TensorDesc(DataType.UINT32, x.along(axis, 1))
    return Moved(ReverseSubsequences(x.tensor, cells, axis), [x, Constant(x.sizes[axis])])


def indexed(x: Arr, at: tuple[object, ...]) -> Arr | Moved:
    """`x[:, [0, 2]]` gathers, `x[..., ::-1]` reverses, `x[1:3]` is a slice."""
    count = len(at) - at.count(...)
    if count > x.rank:
        raise Left(f"indexes {count} axes, expected at most {x.rank}")
    k = next((k for k, one in enumerate(at) if one is ...), len(at))
    entries = [*at[:k], *[slice(None)] * (x.rank - count), *at[k + 1 :]]
    odd = [axis for axis, one in enumerate(entries) if not isinstance(one, slice) or one != slice(None)]
    cuts = [one for one in entries if isinstance(one, slice)]
    if len(cuts) == len(entries):
        return _sliced(x, cuts, odd)
    if len(odd) > 1:
        raise Left(f"indexes {len(odd)} axes, expected 1 by a list, or slices alone")
    return _gather(x, cast(Arr, _read_as("Arr", entries[odd[0]], "the index", FLOATS["numpy"])), odd[0])


def _sliced(x: Arr, cuts: list[slice], odd: list[int]) -> Arr | Moved:
    if not odd:
        return x
    if any(type(end) not in (int, type(None)) for cut in cuts for end in (cut.start, cut.stop, cut.step)):
        raise Left("is a slice that isn't known, expected whole numbers")
    if any(cut.step == 0 or ((cut.step or 1) < 0 and x.library == "torch") for cut in cuts):
        raise Left("is a slice with a step that the library rejects, expected another")
    if len(odd) == 1 and cuts[odd[0]] == slice(None, None, -1):
        return _flip(x, (odd[0],))
    desc = Slice1.of_slices(x.tensor, cuts)
    if min(desc.input_window_sizes) < 1:
        raise Left("takes nothing, expected at least 1 element along each axis")
    return Moved(desc, [x])


def _filled(value: int | None, library: str, shape: Sizes = (), dtype: Kind | None = None) -> Arr:
    return blank(shape, dtype or FLOATS[library], value)


def _drawn(low: int, high: Parts = 0, size: Sizes = (), dtype: Kind = INTEGERS) -> Arr:
    return blank(high if isinstance(high, tuple) else size, dtype)


def _full(library: str, shape: Sizes, value: object, dtype: Kind | None = None) -> Arr:
    one = made_of(value, FLOATS[library]).held
    if one.ndim:
        raise Left("is filled with an array, expected a number")
    return blank(shape, dtype or one.dtype, one.item())


def _arange(start: int, stop: int | None = None, step: int = 1, dtype: Kind | None = None) -> Arr:
    entries = range(start) if stop is None else range(start, stop, step)
    kind = dtype or INTEGERS
    if len(entries) <= MOST_ENTRIES:
        return made_of([*entries], kind).cast(kind)
    return blank((len(entries),), kind)


def _array(library: str, given: object, dtype: Kind | None = None) -> Arr:
    made = given if isinstance(given, Arr) else made_of(given, FLOATS[library])
    return made.cast(dtype) if dtype else made


def _layer(rows: int, size: int) -> Dotted:
    return Dotted("torch.embedding", blank((rows, size), FLOATS["torch"]))


def _reshape(x: Arr, shape: Sizes) -> Arr:
    return replace(x, held=x.held.reshape(shape))


def _to(x: Arr, given: Sequence[object] = (), dtype: Kind | None = None) -> Arr:
    for one in given:
        if isinstance(one, np.dtype):
            dtype = one
        elif not isinstance(one, (str, bool, int)):
            raise Left(f"is given {found(one)}, expected a type or a device")
    return x.cast(dtype) if dtype else x


_EXPECTED = {
    "Arr": "an array",
    "list[Arr]": f"a list of 1 to {MOST_ENTRIES:,} arrays",
    "Kind": "a type such as float32",
}
_EXPECTED |= {"Sizes": "whole numbers", "Parts": "whole numbers", "int": "a whole number"}
"""What is expected of an argument, by the annotation of its parameter; others are taken as they are."""


def _read_as(annotation: str, value: object, what: str, floats: Kind) -> object:
    match annotation:
        case "Arr" if isinstance(value, (Arr, list, tuple, int, float)):
            return value if isinstance(value, Arr) else made_of(value, floats)
        case "list[Arr]" if isinstance(value, (list, tuple)) and 1 <= len(value) <= MOST_ENTRIES:
            return [_read_as("Arr", item, what, floats) for item in value]
        case "Sizes" | "Parts" if isinstance(value, (list, tuple)):
            return tuple([_read_as("int", item, what, floats) for item in value])
        case "int" | "Sizes" | "Parts" if type(value) is int:
            return (value,) if annotation == "Sizes" else value
        case "Kind" if isinstance(value, str) and (kind := kind_called(value, floats.itemsize == 4)) is not None:
            return kind
        case "Kind" if isinstance(value, np.dtype):
            return value
    raise Left(f"has {what} {found(value)}, expected {_EXPECTED[annotation]}")


def call(name: str, args: list[object], named: Mapping[str, object]) -> Any:
    """What a function gives for these arguments, bound as Python binds them. Raises Left."""
    body, names = FUNCTIONS[name]
    library = name.partition(".")[0]
    own = [*inspect.signature(body).parameters.values()]
    if own[0].name == "library":
        body = partial(body, library)
        own = own[1:]
    known = zip(names.replace("*", "").split(), own, strict=False)
    parameters = {name: each.replace(name=name) for name, each in known}
    at = next((i for i, name in enumerate(names.split()) if name[-1] == "*"), len(args))
    if args[at:] and not isinstance(args[at], (list, tuple)):
        args = [*args[:at], args[at:]]
    try:
        bound = inspect.Signature([*parameters.values()]).bind(*args, **named).arguments
    except TypeError as error:
        raise Left(f"isn't read: {plain(str(error), 80)}, expected {', '.join(parameters)}") from None
    for name, value in bound.items():
        annotation, optional, _ = str(parameters[name].annotation).partition(" | None")
        if annotation in _EXPECTED and not (value is None and optional):
            bound[name] = _read_as(annotation, value, name, FLOATS[library])
    try:
        return body(*(bound.get(name, each.default) for name, each in parameters.items()))
    except (ValueError, TypeError, ArithmeticError, DmlvizError) as error:  # of axes, reshape, promotion and the like
        raise Left(f"isn't read: {plain(str(error), 120).rstrip('.')}") from None


_ROWS: list[tuple[Callable[..., Any], str, str, str, str]] = [
    (_join, "concatenate concat", "arrays axis", "cat concat concatenate", "tensors dim"),
    (_hstack, "hstack", "tup", "hstack", "tensors"),
    (_vstack, "vstack", "tup", "vstack", "tensors"),
    (partial(_split_at, np.split), "split", "ary indices_or_sections axis", "", ""),
    (_split, "", "", "split", "tensor split_size_or_sections dim"),
    (_split, "", "", ".split", "self split_size dim"),
    (partial(_split_at, np.array_split), "array_split", "ary indices_or_sections axis", "", ""),
    (_chunk, "", "", "chunk .chunk", "input chunks dim"),
    (_tile, "tile", "A reps", "tile .tile", "input dims*"),
    (_repeat, "", "", ".repeat", "self repeats*"),
    (_take, "take .take", "a indices axis", "", ""),
    (_index_select, "", "", "index_select .index_select", "input dim index"),
    (_embed, "", "", "nn.functional.embedding", "input weight"),
    (_gather, "", "", "embedding", "weight indices"),
    (_take_along, "take_along_axis", "arr indices axis", "", ""),
    (_gather_elements, "", "", "gather .gather", "input dim index"),
    (_flip, "flip", "m axis", "flip .flip", "input dims*"),
    (partial(_filled, 0), "zeros", "shape dtype", "zeros", "size* dtype"),
    (_full, "full", "shape fill_value dtype", "full", "size fill_value dtype"),
    (partial(_filled, 1), "ones", "shape dtype", "ones", "size* dtype"),
    (partial(_filled, None), "empty random.random random.standard_normal", "shape dtype", "", ""),
    (partial(_filled, None), "random.rand random.randn", "size*", "empty rand randn", "size* dtype"),
    (_drawn, "random.randint", "low high size dtype", "randint", "low high size dtype"),
    (_arange, "arange", "start stop step dtype", "arange", "start end step dtype"),
    (_array, "array asarray .copy", "object dtype", "tensor as_tensor from_numpy nn.Parameter", "data dtype"),
    (_layer, "", "", "nn.Embedding", "num_embeddings embedding_dim"),
    (_reshape, "reshape", "a shape", "reshape", "input shape"),
    (_reshape, ".reshape", "a shape*", ".reshape .view", "self shape*"),
    (partial(_reshape, shape=(-1,)), "ravel .ravel .flatten", "a", "flatten .flatten ravel .ravel", "input"),
    (Arr.cast, ".astype", "a dtype", "", ""),
    (_to, "", "", ".to .cuda .cpu .clone .contiguous .detach .requires_grad_", "self given* dtype"),
]
_ROWS += [(partial(_to, given=[np.dtype(kind)]), "", "", f".{name}", "self") for name, kind in TORCH_KINDS.items()]


FUNCTIONS: Mapping[str, tuple[Callable[..., Any], str]] = {
    f"{library}.{name}": (body, parameters)
    for body, *columns in _ROWS
    for library, names, parameters in (("numpy", *columns[:2]), ("torch", *columns[2:]))
    for name in names.split()
}
"""By dotted name; a method's begins with a dot, as `numpy..take`. What a parameter with `*` takes may stand singly."""
_GIVEN = {name: inspect.signature(body).return_annotation for name, (body, _) in FUNCTIONS.items()}
MOVERS = frozenset(name for name, given in _GIVEN.items() if given == "Moved")
