"""The functions of NumPy and PyTorch that are read: those that move elements as descs, and those that make arrays."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from types import MappingProxyType
from typing import Any, cast

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ...desc.base import Desc
from ...desc.tensors import MAX_DIMENSIONS, DataType, TensorDesc
from ...desc.values import Constant
from ...errors import plain
from ...operators.gather import Gather
from ...operators.gather_elements import GatherElements
from ...operators.join import Join
from ...operators.reverse_subsequences import ReverseSubsequences
from ...operators.slice1 import Slice1
from ...operators.split import Split
from ...operators.tile import Tile
from .arrays import MOST_ENTRIES, TORCH_KINDS, Arr, Dotted, Kind, Left, Sizes, blank, found, kind_called, made_of

FLOATS: Mapping[str, Kind] = {"numpy": np.dtype(np.float64), "torch": np.dtype(np.float32)}
INTEGERS: Kind = np.dtype(np.int64)
IGNORED = frozenset(
    {"device", "requires_grad", "layout", "pin_memory", "generator", "memory_format", "non_blocking", "copy"}
    | {"padding_idx", "sparse", "sparse_grad", "freeze"}
)
"""Arguments that change neither shape nor type nor elements."""
_EMPTY = "DirectML has no empty tensors"
Parts = int | Sizes


class Moved(Struct):
    """What moves elements: a desc, its inputs in the order of fields, and the shape that the library gives back."""

    desc: Desc
    inputs: list[Arr | Constant]
    shape: Sizes | None = None
    """None for the output's."""
    notes: list[str] = []
    is_view: bool = False
    """True if the result may share the first input's memory."""


def _axis(axis: int, rank: int) -> int:
    """An axis counted from 0. Raises Left."""
    if not -rank <= axis < rank:
        raise Left(f"has axis {axis}, expected {-rank} to {rank - 1}")
    return axis % rank


# ---- what moves elements ------------------------------------------------------------------------------------------


def _promoted(library: str, kinds: list[Kind]) -> Kind:
    """The type that a library makes of several. Raises Left where it has none."""
    if library == "torch" and len(kinds) > 1:
        if any(kind.kind == "u" and kind.itemsize > 1 for kind in kinds):
            raise Left(f"promotes no {' and '.join(map(str, kinds))}, expected arrays of one type")
        kinds = [kind for kind in kinds if kind.kind == "f"] or kinds
    return np.result_type(*kinds)


def _join(library: str, arrays: list[Arr], axis: int | None = 0) -> Moved:
    """Sizes that don't fit are left to the rules of JOIN."""
    if axis is None:
        arrays, axis = [_reshape(array, (-1,)) for array in arrays], 0
    names = list(dict.fromkeys(array.tensor.data_type.name for array in arrays))
    kind = _promoted(library, list(dict.fromkeys(array.held.dtype for array in arrays)))
    arrays = [array.cast(kind) for array in arrays]
    note = f"{' and '.join(names)} are promoted to {arrays[0].tensor.data_type.name}, expected one type: DirectML "
    desc = Join(tuple(array.tensor for array in arrays), _axis(axis, arrays[0].rank))
    return Moved(desc, [*arrays], notes=[f"{note}promotes nothing, cast them first"] * (len(names) > 1))


def _hstack(library: str, arrays: list[Arr]) -> Moved:
    return _join(library, arrays, 0 if arrays[0].rank == 1 else 1)


def _vstack(library: str, arrays: list[Arr]) -> Moved:
    return _join(library, [_reshape(one, (1, -1)) if one.rank == 1 else one for one in arrays])


def _split_sized(x: Arr, sizes: Sequence[int], axis: int) -> Moved:
    if min(sizes, default=0) < 1 or len(sizes) > MOST_ENTRIES:
        raise Left(f"makes an empty part, or too many, expected 1 to {MOST_ENTRIES:,} of at least 1")
    shapes = [(*x.sizes[:axis], size, *x.sizes[axis + 1 :]) for size in sizes]
    return Moved(Split(x.tensor, tuple(map(x.tensor.resized, shapes)), axis), [x], is_view=True)


def _split_at(x: Arr, where: Parts, axis: int = 0) -> Moved:
    """At places to cut at, or into a number of parts."""
    axis = _axis(axis, x.rank)
    count = where if isinstance(where, int) else len(where) + 1
    if not 1 <= count <= MOST_ENTRIES:
        raise Left(f"makes {count:,} parts, expected 1 to {MOST_ENTRIES:,}")
    return _split_sized(x, [part.shape[axis] for part in np.array_split(x.held, where, axis)], axis)


def _split_equal(x: Arr, where: Parts, axis: int = 0) -> Moved:
    size = x.sizes[_axis(axis, x.rank)]
    if isinstance(where, int) and where > 0 and size % where:
        raise Left(f"can't cut {size} into {where} equal parts, expected a divisor")
    return _split_at(x, where, axis)


def _split(x: Arr, size: Parts, dim: int = 0) -> Moved:
    """PyTorch's, into parts of one size, the last one smaller where it has to be, or of several."""
    dim = _axis(dim, x.rank)
    if not isinstance(size, int):
        return _split_sized(x, size, dim)
    if size < 1:
        raise Left(f"makes parts of {size}, expected at least 1")
    return _split_at(x, tuple(range(size, x.sizes[dim], size)[: MOST_ENTRIES + 1]), dim)


def _chunk(x: Arr, chunks: int, dim: int = 0) -> Moved:
    return _split(x, -(-x.sizes[_axis(dim, x.rank)] // max(chunks, 1)) if chunks > 0 else chunks, dim)


def _tile(x: Arr, times: Sizes) -> Moved:
    if len(times) > MAX_DIMENSIONS or min(times, default=1) < 1:
        raise Left(f"has repeats {times[:9]}, expected at most {MAX_DIMENSIONS} of at least 1: {_EMPTY}")
    return Moved(Tile.of_ranks(x.tensor, times), [x])


def _repeat(x: Arr, times: Sizes) -> Moved:
    """PyTorch's; it rejects fewer repeats than dimensions, and what the missing ones are is shown."""
    moved = _tile(x, times)
    if 0 < len(times) < x.rank:
        moved.desc = Tile(x.tensor, times, moved.desc.outputs[0].tensor)
    return moved


def _indices(picks: Arr) -> tuple[Arr, list[str]]:
    """Indices in a type that DirectML takes, and a note where it is another one. Raises Left."""
    kind = picks.held.dtype
    if kind.kind not in "iu" or not picks.held.size:
        raise Left(f"has indices {picks}, expected whole numbers, at least one")
    wide = np.dtype(f"{kind.kind}4")
    note = f"its indices are {kind.name.upper()}, expected a type that DirectML takes; {wide.name.upper()} is shown"
    return (picks, []) if kind.itemsize >= 4 else (picks.cast(wide), [note])


def _gather(x: Arr, indices: Arr, axis: int = 0) -> Moved:
    axis, (picks, notes) = _axis(axis, x.rank), _indices(indices)
    shape = (*x.sizes[:axis], *picks.sizes, *x.sizes[axis + 1 :])
    rank = max(len(shape), picks.rank)
    if rank > MAX_DIMENSIONS:
        raise Left(f"needs {rank} dimensions, expected at most {MAX_DIMENSIONS} in DirectML")
    desc = Gather.of_ranks(x.tensor, TensorDesc(DataType.of(picks.held.dtype), picks.sizes), axis)
    return Moved(desc, [x, picks], shape, notes)


def _take(x: Arr, indices: Arr, axis: int | None = None) -> Moved:
    return _gather(_reshape(x, (-1,)), indices) if axis is None else _gather(x, indices, axis)


def _index_select(x: Arr, dim: int, index: Arr) -> Moved:
    if index.rank > 1:
        raise Left(f"has an index of {index.rank} dimensions, expected 1")
    return _gather(x, _reshape(index, (-1,)), dim)


def _embed(indices: Arr, weight: Arr) -> Moved:
    return _gather(weight, indices)


def _gather_elements(x: Arr, axis: int, indices: Arr) -> Moved:
    """Fewer indices than x has lines are left to the rules of GATHER_ELEMENTS."""
    picks, notes = _indices(indices)
    if picks.rank != x.rank:
        raise Left(f"has indices of {picks.rank} dimensions, expected {x.rank}")
    return Moved(GatherElements(x.tensor, picks.tensor, _axis(axis, x.rank)), [x, picks], notes=notes)


def _take_along(x: Arr, indices: Arr, axis: int = -1) -> Moved:
    moved = _gather_elements(x, axis, indices)
    if any(n != m and d != axis % x.rank for d, (n, m) in enumerate(zip(x.sizes, indices.sizes, strict=True))):
        raise Left(f"broadcasts {x} and {indices}, expected the same sizes but along the axis")
    return moved


def _flip(x: Arr, axes: Sizes | None = None) -> Moved:
    axes = tuple(range(x.rank)) if axes is None else axes
    if len(axes) != 1:
        raise Left(f"reverses {len(axes)} axes, expected 1: DirectML reverses along one Axis")
    axis = _axis(axes[0], x.rank)
    cells = TensorDesc(DataType.UINT32, (*x.sizes[:axis], 1, *x.sizes[axis + 1 :]))
    return Moved(ReverseSubsequences(x.tensor, cells, axis), [x, Constant(x.sizes[axis])], is_view=True)


def indexed(x: Arr, at: Sequence[object]) -> Arr | Moved:
    """`x[:, [0, 2]]` gathers, `x[..., ::-1]` reverses, `x[1:3]` is a slice; `x[None]` has the same elements."""
    count = sum(one is not None and one is not ... for one in at)
    if count > x.rank or len(at) > 2 * MAX_DIMENSIONS:
        raise Left(f"indexes {count} axes, expected at most {x.rank}")
    k = next((k for k, one in enumerate(at) if one is ...), len(at))
    at = [*at[:k], *[slice(None)] * (x.rank - count), *at[k + 1 :]]
    odd = [axis for axis, one in enumerate(at) if not isinstance(one, slice) or one != slice(None)]
    if all(at[axis] is None for axis in odd):
        return replace(x, held=x.held[tuple(None if one is None else slice(None) for one in at)])
    assert x.tensor
    cuts = [one for one in at if isinstance(one, slice)]
    if len(cuts) < len(at):
        if len(odd) != 1:
            raise Left(f"indexes {len(odd)} axes, expected 1 by a list or by ::-1")
        return _gather(x, cast(Arr, _read_as("Arr", at[odd[0]], "the index", FLOATS["numpy"])), odd[0])
    if any(type(end) not in (int, type(None)) for cut in cuts for end in (cut.start, cut.stop, cut.step)):
        raise Left("is a slice that isn't known, expected whole numbers")
    if any(cut.step == 0 or ((cut.step or 1) < 0 and x.library == "torch") for cut in cuts):
        raise Left("has a step that the library rejects, expected another")
    if len(odd) == 1 and cuts[odd[0]] == slice(None, None, -1):
        return _flip(x, (odd[0],))
    desc = Slice1.of_slices(x.tensor, cuts)
    if min(desc.input_window_sizes) < 1:
        raise Left(f"takes nothing, expected at least 1 element along each axis: {_EMPTY}")
    return Moved(desc, [x], is_view=True)


# ---- what makes arrays, and changes how they lie ------------------------------------------------------------------


def _filled(value: int | None, library: str, shape: Sizes = (), dtype: Kind | None = None) -> Arr:
    return blank(shape, dtype or FLOATS[library], value)


def _drawn(usual: Kind, low: object, high: object = 0, size: Sizes = (), dtype: Kind | None = None) -> Arr:
    """PyTorch's also without the lowest."""
    return blank(tuple(high) if isinstance(high, (list, tuple)) else size, dtype or usual)


def _full(library: str, shape: Sizes, value: float, dtype: Kind | None = None) -> Arr:
    return blank(shape, dtype or made_of(value, FLOATS[library]).held.dtype, value)


def _like(x: Arr, dtype: Kind | None = None) -> Arr:
    return blank(x.sizes, dtype or x.held.dtype)


def _arange(start: int, stop: int | None = None, step: int = 1, dtype: Kind | None = None) -> Arr:
    """Of whole numbers."""
    entries = range(start) if stop is None else range(start, stop, step)
    kind = dtype or INTEGERS
    return made_of([*entries], kind, kind) if len(entries) <= MOST_ENTRIES else blank((len(entries),), kind)


def _array(library: str, given: object, dtype: Kind | None = None) -> Arr:
    if not isinstance(given, Arr):
        return made_of(given, FLOATS[library], dtype)
    return given.cast(dtype) if dtype else given


def _layer(rows: int, size: int) -> Dotted:
    """`nn.Embedding`: a layer that looks up rows of its weight."""
    return Dotted("torch.embedding", blank((rows, size), FLOATS["torch"]))


def _reshape(x: Arr, shape: Sizes) -> Arr:
    return replace(x, held=x.held.reshape(shape))


def _flatten(x: Arr, first: int = 0, last: int = -1) -> Arr:
    first, last = _axis(first, max(x.rank, 1)), _axis(last, max(x.rank, 1))
    return _reshape(x, (*x.sizes[:first], math.prod(x.sizes[first : last + 1]), *x.sizes[last + 1 :]))


def _to(x: Arr, given: Sequence[object] = (), dtype: Kind | None = None) -> Arr:
    """A type, or an array of it, or a device, which changes nothing."""
    for one in given:
        if isinstance(one, (Arr, np.dtype)):
            dtype = one.held.dtype if isinstance(one, Arr) else one
        elif not isinstance(one, (str, bool, int)):
            raise Left(f"is given {found(one)}, expected a type or a device")
    return x.cast(dtype) if dtype else x


# ---- arguments ----------------------------------------------------------------------------------------------------

_EXPECTED = {"Arr": "an array", "list[Arr]": f"a list of 1 to {MOST_ENTRIES:,} arrays", "float": "a number"}
_EXPECTED |= {"Sizes": "whole numbers", "Parts": "whole numbers", "int": "a whole number"}
_EXPECTED |= {"Kind": "a type such as float32"}
"""What is expected of an argument, by the annotation of its parameter; others are taken as they are."""


def _read_as(annotation: str, value: object, what: str, floats: Kind) -> object:
    """An argument as its parameter is annotated. Raises Left."""
    match annotation:
        case "Arr" if isinstance(value, (Arr, list, tuple, int, float)):
            return value if isinstance(value, Arr) else made_of(value, floats)
        case "list[Arr]" if isinstance(value, (list, tuple)) and 1 <= len(value) <= MOST_ENTRIES:
            return [_read_as("Arr", item, what, floats) for item in value]
        case "Sizes" | "Parts" if isinstance(value, (list, tuple)):
            return tuple([_read_as("int", item, what, floats) for item in value])
        case "int" | "Sizes" | "Parts" if type(value) is int:
            return (value,) if annotation == "Sizes" else value
        case "float" if isinstance(value, (int, float)) and not isinstance(value, bool):
            return value
        case "Kind" if isinstance(value, str) and (kind := kind_called(value, floats.itemsize == 4)) is not None:
            return kind
        case "Kind" if isinstance(value, np.dtype):
            return value
    raise Left(f"has {what} {found(value)}, expected {_EXPECTED[annotation]}")


class Function(Struct, frozen=True):
    """A library's function, with its parameters' names in its order; one with `*` takes its list one by one, too."""

    library: str
    body: Callable[..., Any]
    names: str

    def __call__(self, args: list[object], named: Mapping[str, object]) -> Any:
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
            annotation, optional, _ = str(parameters[name].annotation).partition(" | None")
            if annotation in _EXPECTED and not (value is None and optional):
                bound[name] = _read_as(annotation, value, name, FLOATS[self.library])
        try:
            return self.body(*(bound.get(name, each.default) for name, each in parameters.items()))
        except (ValueError, TypeError, OverflowError) as error:  # NumPy's own, of reshape, promotion and the like
            raise Left(f"isn't read: {plain(str(error), 120).rstrip('.')}") from None


@cache
def _parameters(function: Function) -> dict[str, inspect.Parameter]:
    """Its parameters by the library's names."""
    own = inspect.signature(function.body).parameters.values()
    names = function.names.replace("*", "").split()
    return {name: each.replace(name=name) for name, each in zip(names, own, strict=False)}


# ---- names --------------------------------------------------------------------------------------------------------

_ROWS: list[tuple[Callable[..., Any], str, str, str, str]] = [
    (_join, "concatenate concat", "arrays axis", "cat concat concatenate", "tensors dim"),
    (_hstack, "hstack", "tup", "hstack", "tensors"),
    (_vstack, "vstack", "tup", "vstack", "tensors"),
    (_split_equal, "split", "ary indices_or_sections axis", "", ""),
    (_split, "", "", "split", "tensor split_size_or_sections dim"),
    (_split, "", "", ".split", "self split_size dim"),
    (_split_at, "array_split", "ary indices_or_sections axis", "tensor_split", "input indices_or_sections dim"),
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
    (partial(_filled, 1), "ones", "shape dtype", "ones", "size* dtype"),
    (partial(_filled, None), "empty random.random random.standard_normal", "shape dtype", "", ""),
    (partial(_filled, None), "random.rand random.randn", "size*", "empty rand randn", "size* dtype"),
    (partial(_drawn, FLOATS["numpy"]), "random.normal random.uniform", "low high size", "", ""),
    (partial(_drawn, INTEGERS), "random.randint random.integers", "low high size dtype", "", ""),
    (partial(_drawn, INTEGERS), "", "", "randint", "low high size dtype"),
    (_full, "full", "shape fill_value dtype", "full", "size fill_value dtype"),
    (_like, "zeros_like ones_like empty_like", "a dtype", "zeros_like ones_like rand_like randn_like", "input dtype"),
    (_arange, "arange", "start stop step dtype", "arange", "start end step dtype"),
    (_array, "array asarray .copy", "object dtype", "tensor as_tensor from_numpy nn.Parameter", "data dtype"),
    (_layer, "", "", "nn.Embedding", "num_embeddings embedding_dim"),
    (_reshape, "reshape", "a shape", "reshape", "input shape"),
    (_reshape, ".reshape", "a shape*", ".reshape .view", "self shape*"),
    (_flatten, "ravel .ravel .flatten", "a", "flatten .flatten ravel", "input start_dim end_dim"),
    (Arr.cast, ".astype", "a dtype", "", ""),
    (_to, "", "", ".to .cuda .cpu .clone .contiguous .detach .numpy .requires_grad_", "self given* dtype"),
]
_ROWS += [
    (partial(_to, given=[kind_called(name, True)]), "", "", f".{name}", "self")
    for name in (*TORCH_KINDS, "bool", "bfloat16")
]


def _bound(library: str, body: Callable[..., Any]) -> Callable[..., Any]:
    return partial(body, library) if next(iter(inspect.signature(body).parameters)) == "library" else body


FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {
        f"{library}.{name}": Function(library, _bound(library, body), parameters)
        for body, *columns in _ROWS
        for library, names, parameters in (("numpy", *columns[:2]), ("torch", *columns[2:]))
        for name in names.split()
    }
)
"""By dotted name; a method's begins with a dot, as `numpy..take`."""
MOVERS = frozenset(
    name for name, each in FUNCTIONS.items() if inspect.signature(each.body).return_annotation == "Moved"
)
