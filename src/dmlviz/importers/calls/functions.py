"""The functions of NumPy and PyTorch that are read: those that move elements as descs, and those that make arrays."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import cast

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ...desc.base import Desc
from ...desc.tensors import MAX_DIMENSIONS, DataType, TensorDesc
from ...desc.values import Constant
from ...operators.gather import Gather
from ...operators.gather_elements import GatherElements
from ...operators.join import Join
from ...operators.reverse_subsequences import ReverseSubsequences
from ...operators.slice1 import Slice1
from ...operators.split import Split
from ...operators.tile import Tile
from .arrays import (
    MOST_ARRAYS,
    MOST_RANK,
    MOST_VALUES,
    TORCH_KINDS,
    Arr,
    Dotted,
    Function,
    Kind,
    Left,
    Parts,
    Sizes,
    blank,
    found,
    kind_called,
    made_of,
    read_as,
)

FLOATS: Mapping[str, Kind] = {"numpy": np.dtype(np.float64), "torch": np.dtype(np.float32)}
INTEGERS: Kind = np.dtype(np.int64)
_EMPTY = "DirectML has no empty tensors"


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


# ---- JOIN and SPLIT -----------------------------------------------------------------------------------------------


def _promoted(library: str, kinds: list[Kind]) -> Kind:
    """The type that a library makes of several. Raises Left where it has none."""
    if library == "numpy" or len(set(kinds)) == 1:
        return np.result_type(*kinds)
    if any(kind.kind in "uV" and kind.itemsize > 1 for kind in kinds):
        raise Left(f"promotes no {' and '.join(map(str, dict.fromkeys(kinds)))}, expected arrays of one type")
    floats = [kind for kind in kinds if kind.kind == "f"]
    return max(floats, key=lambda kind: kind.itemsize) if floats else np.result_type(*kinds)


def _join(library: str, arrays: list[Arr], axis: int | None = 0) -> Moved:
    """Sizes that don't fit are left to the rules of JOIN."""
    if axis is None:
        arrays, axis = [reshape(array, (-1,)) for array in arrays], 0
    kinds = dict.fromkeys(array.held.dtype for array in arrays)
    kind = _promoted(library, list(kinds))
    arrays = [array.cast(kind) for array in arrays]
    desc = Join(tuple(array.tensor for array in arrays), _axis(axis, arrays[0].rank))
    names = " and ".join(str(one).upper() for one in kinds)
    note = f"{names} are promoted to {str(kind).upper()}, expected one type: DirectML promotes nothing, cast them first"
    return Moved(desc, [*arrays], notes=[note] * (len(kinds) > 1))


def _hstack(library: str, arrays: list[Arr]) -> Moved:
    return _join(library, arrays, 0 if arrays[0].rank == 1 else 1)


def _vstack(library: str, arrays: list[Arr]) -> Moved:
    return _join(library, [reshape(one, (1, -1)) if one.rank == 1 else one for one in arrays])


def _split_sized(x: Arr, sizes: Sequence[int], axis: int) -> Moved:
    if min(sizes, default=0) < 1 or len(sizes) > MOST_ARRAYS:
        raise Left(f"makes an empty part, or too many, expected 1 to {MOST_ARRAYS:,} of at least 1")
    shapes = [(*x.sizes[:axis], size, *x.sizes[axis + 1 :]) for size in sizes]
    return Moved(Split(x.tensor, tuple(map(x.tensor.resized, shapes)), axis), [x], is_view=True)


def _split_at(is_equal: bool, x: Arr, where: Parts, axis: int = 0) -> Moved:
    """At places to cut at, or into a number of parts."""
    axis = _axis(axis, x.rank)
    if is_equal and isinstance(where, int) and where > 0 and x.sizes[axis] % where:
        raise Left(f"can't cut {x.sizes[axis]} into {where} equal parts, expected a divisor")
    count = where if isinstance(where, int) else len(where) + 1
    if not 1 <= count <= MOST_ARRAYS:
        raise Left(f"makes {count:,} parts, expected 1 to {MOST_ARRAYS:,}")
    return _split_sized(x, [part.shape[axis] for part in np.array_split(x.held, where, axis)], axis)


def _split(x: Arr, size: Parts, dim: int = 0) -> Moved:
    """PyTorch's, into parts of one size, the last one smaller where it has to be, or of several."""
    dim = _axis(dim, x.rank)
    if not isinstance(size, int):
        return _split_sized(x, size, dim)
    if size < 1:
        raise Left(f"makes parts of {size}, expected at least 1")
    return _split_at(False, x, tuple(range(size, x.sizes[dim], size)[: MOST_ARRAYS + 1]), dim)


def _chunk(x: Arr, chunks: int, dim: int = 0) -> Moved:
    if chunks < 1:
        raise Left(f"makes {chunks} parts, expected at least 1")
    return _split(x, -(-x.sizes[_axis(dim, x.rank)] // chunks), dim)


# ---- TILE ---------------------------------------------------------------------------------------------------------


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


# ---- GATHER and GATHER_ELEMENTS -----------------------------------------------------------------------------------


def _indices(picks: Arr) -> tuple[Arr, list[str]]:
    """Indices in a type that DirectML takes, and a note where it is another one. Raises Left."""
    kind = picks.held.dtype
    if kind.kind not in "iu" or not picks.held.size:
        raise Left(f"has indices {picks}, expected whole numbers, at least one")
    wide = np.dtype(f"{kind.kind}4")
    note = f"its indices are {kind.name.upper()}, expected a type that DirectML takes; {wide.name.upper()} is shown"
    return (picks, []) if kind.itemsize >= 4 else (picks.cast(wide), [note])


def _gather(x: Arr, indices: Arr, axis: int) -> Moved:
    axis, (picks, notes) = _axis(axis, x.rank), _indices(indices)
    shape = (*x.sizes[:axis], *picks.sizes, *x.sizes[axis + 1 :])
    rank = max(len(shape), picks.rank)
    if rank > MAX_DIMENSIONS:
        raise Left(f"needs {rank} dimensions, expected at most {MAX_DIMENSIONS} in DirectML")
    desc = Gather.of_ranks(x.tensor, TensorDesc(DataType.of(picks.held.dtype), picks.sizes), axis)
    return Moved(desc, [x, picks], shape, notes)


def _take(x: Arr, indices: Arr, axis: int | None = None) -> Moved:
    return _gather(reshape(x, (-1,)), indices, 0) if axis is None else _gather(x, indices, axis)


def _index_select(x: Arr, dim: int, index: Arr) -> Moved:
    if index.rank > 1:
        raise Left(f"has an index of {index.rank} dimensions, expected 1")
    return _gather(x, reshape(index, (-1,)), dim)


def _embed(indices: Arr, weight: Arr) -> Moved:
    return _gather(weight, indices, 0)


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


# ---- REVERSE_SUBSEQUENCES, SLICE1, and indices --------------------------------------------------------------------


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
    if count > x.rank:
        raise Left(f"indexes {count} axes, expected at most {x.rank}")
    if len(at) > MOST_RANK:
        raise Left(f"has {len(at)} indices, expected at most {MOST_RANK}")
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
        return _gather(x, cast(Arr, read_as("Arr", at[odd[0]], "the index", FLOATS["numpy"])), odd[0])
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


def _filled(library: str, value: int | None, shape: Sizes = (), dtype: Kind | None = None) -> Arr:
    return blank(shape, dtype or FLOATS[library], value)


def _drawn(usual: Kind, low: object, high: object = 0, size: Sizes = (), dtype: Kind | None = None) -> Arr:
    """PyTorch's also without the lowest."""
    return blank(tuple(high) if isinstance(high, (list, tuple)) else size, dtype or usual)


def _full(library: str, shape: Sizes, value: float, dtype: Kind | None = None) -> Arr:
    return blank(shape, dtype or made_of(value, FLOATS[library]).held.dtype, value)


def _like(value: int | None, x: Arr, dtype: Kind | None = None) -> Arr:
    return blank(x.sizes, dtype or x.held.dtype, value)


def _arange(start: int, stop: int | None = None, step: int = 1, dtype: Kind | None = None) -> Arr:
    """Of whole numbers."""
    entries = range(start) if stop is None else range(start, stop, step)
    kind = dtype or INTEGERS
    return made_of([*entries], kind, kind) if len(entries) <= MOST_VALUES else blank((len(entries),), kind)


def _array(library: str, given: object, dtype: Kind | None = None) -> Arr:
    if not isinstance(given, Arr):
        return made_of(given, FLOATS[library], dtype)
    return given.cast(dtype) if dtype else given


def _layer(rows: int, size: int) -> Dotted:
    """`nn.Embedding`: a layer that looks up rows of its weight."""
    return Dotted("torch.embedding", blank((rows, size), FLOATS["torch"]))


def reshape(x: Arr, shape: Sizes) -> Arr:
    return replace(x, held=x.held.reshape(shape))


def _ravel(x: Arr) -> Arr:
    return reshape(x, (-1,))


def _flatten(x: Arr, first: int = 0, last: int = -1) -> Arr:
    if not x.rank:
        return reshape(x, (-1,))
    first, last = _axis(first, x.rank), _axis(last, x.rank)
    return reshape(x, (*x.sizes[:first], math.prod(x.sizes[first : last + 1]), *x.sizes[last + 1 :]))


def _astype(x: Arr, dtype: Kind) -> Arr:
    return x.cast(dtype)


def _to(x: Arr, given: Sequence[object] = (), dtype: Kind | None = None) -> Arr:
    """A type, or an array of it, or a device, which changes nothing."""
    for one in given:
        if isinstance(one, (Arr, np.dtype)):
            dtype = one.held.dtype if isinstance(one, Arr) else one
        elif not isinstance(one, (str, bool)):
            raise Left(f"is given {found(one)}, expected a type or a device")
    return x.cast(dtype) if dtype else x


def _unchanged(x: Arr) -> Arr:
    return x


# ---- names --------------------------------------------------------------------------------------------------------

_NUMPY = {
    "concatenate concat": Function(partial(_join, "numpy"), "arrays axis"),
    "hstack": Function(partial(_hstack, "numpy"), "tup"),
    "vstack": Function(partial(_vstack, "numpy"), "tup"),
    "split": Function(partial(_split_at, True), "ary indices_or_sections axis"),
    "array_split": Function(partial(_split_at, False), "ary indices_or_sections axis"),
    "tile": Function(_tile, "A reps"),
    "take .take": Function(_take, "a indices axis"),
    "take_along_axis": Function(_take_along, "arr indices axis"),
    "flip": Function(_flip, "m axis"),
    "zeros": Function(partial(_filled, "numpy", 0), "shape dtype"),
    "ones": Function(partial(_filled, "numpy", 1), "shape dtype"),
    "empty": Function(partial(_filled, "numpy", None), "shape dtype"),
    "random.rand random.randn": Function(partial(_filled, "numpy", None), "size*"),
    "random.random random.standard_normal": Function(partial(_filled, "numpy", None), "size dtype"),
    "random.normal random.uniform": Function(partial(_drawn, FLOATS["numpy"]), "low high size"),
    "random.randint random.integers": Function(partial(_drawn, INTEGERS), "low high size dtype"),
    "full": Function(partial(_full, "numpy"), "shape fill_value dtype"),
    "zeros_like": Function(partial(_like, 0), "a dtype"),
    "ones_like": Function(partial(_like, 1), "a dtype"),
    "empty_like": Function(partial(_like, None), "prototype dtype"),
    "arange": Function(_arange, "start stop step dtype"),
    "array": Function(partial(_array, "numpy"), "object dtype"),
    "asarray ascontiguousarray": Function(partial(_array, "numpy"), "a dtype"),
    "reshape": Function(reshape, "a shape"),
    ".reshape": Function(reshape, "a shape*"),
    "ravel .ravel .flatten": Function(_ravel, "a"),
    ".astype": Function(_astype, "a dtype"),
    ".copy": Function(_unchanged, "a"),
}
_TORCH = {
    "cat concat concatenate": Function(partial(_join, "torch"), "tensors dim"),
    "hstack": Function(partial(_hstack, "torch"), "tensors"),
    "vstack": Function(partial(_vstack, "torch"), "tensors"),
    "split": Function(_split, "tensor split_size_or_sections dim"),
    ".split": Function(_split, "self split_size dim"),
    "chunk .chunk": Function(_chunk, "input chunks dim"),
    "tensor_split .tensor_split": Function(partial(_split_at, False), "input indices_or_sections dim"),
    "tile .tile": Function(_tile, "input dims*"),
    ".repeat": Function(_repeat, "self repeats*"),
    "index_select .index_select": Function(_index_select, "input dim index"),
    "nn.functional.embedding": Function(_embed, "input weight"),
    "embedding": Function(partial(_gather, axis=0), "weight indices"),
    "gather .gather": Function(_gather_elements, "input dim index"),
    "flip .flip": Function(_flip, "input dims*"),
    "zeros": Function(partial(_filled, "torch", 0), "size* dtype"),
    "ones": Function(partial(_filled, "torch", 1), "size* dtype"),
    "empty rand randn": Function(partial(_filled, "torch", None), "size* dtype"),
    "randint": Function(partial(_drawn, INTEGERS), "low high size dtype"),
    "full": Function(partial(_full, "torch"), "size fill_value dtype"),
    "zeros_like": Function(partial(_like, 0), "input dtype"),
    "ones_like": Function(partial(_like, 1), "input dtype"),
    "empty_like rand_like randn_like": Function(partial(_like, None), "input dtype"),
    "arange": Function(_arange, "start end step dtype"),
    "tensor as_tensor from_numpy asarray nn.Parameter": Function(partial(_array, "torch"), "data dtype"),
    "nn.Embedding": Function(_layer, "num_embeddings embedding_dim"),
    "reshape": Function(reshape, "input shape"),
    ".reshape .view": Function(reshape, "self shape*"),
    "flatten .flatten": Function(_flatten, "input start_dim end_dim"),
    "ravel .ravel": Function(_ravel, "input"),
    ".to": Function(_to, "self given* dtype"),
    ".clone .contiguous .detach .cpu .cuda .numpy .requires_grad_": Function(_unchanged, "self"),
    **{
        f".{name}": Function(partial(_to, given=[kind_called(name, True)]), "self")
        for name in (*TORCH_KINDS, "bool", "bfloat16")
    },
}
FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {
        f"{library}.{name}": function
        for library, rows in (("numpy", _NUMPY), ("torch", _TORCH))
        for names, function in rows.items()
        for name in names.split()
    }
)
"""By dotted name; a method's begins with a dot, as `numpy..take`. One with `*` takes its list one by one, too."""
MOVERS = frozenset(name for name, function in FUNCTIONS.items() if function.moves)
