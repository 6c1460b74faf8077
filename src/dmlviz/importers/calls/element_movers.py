"""The functions that move elements, as descs: `np.take`, `torch.cat`, `x.repeat`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from ...desc.base import Desc
from ...desc.tensors import MAX_DIMENSIONS, DataType, TensorDesc
from ...desc.values import Array, Constant, Iota
from ...operators.gather import Gather
from ...operators.gather_elements import GatherElements
from ...operators.join import Join
from ...operators.padding import CONSTANT, EDGE, NUMPY_MODES, REFLECTION, padding_of
from ...operators.reverse_subsequences import ReverseSubsequences
from ...operators.slice1 import Slice1
from ...operators.split import Split
from ...operators.tile import Tile
from .known_arrays import Call, Known, Left, Origin, Sizes, Slice, as_int, as_ints, as_known

MOST_PARTS = 1024
"""Arrays of one call."""
Given = Array | Iota | Constant | Origin | None


class Moved(Struct):
    """What a call becomes: the desc, the values of its inputs in field order, and what the call gives back."""

    desc: Desc
    values: list[Given]
    returned: Known | list[object]
    remarks: list[str] = field(default_factory=list)
    """What the library does otherwise, as ends of a sentence."""


Mover = Callable[[Call], Moved]


def _as_array(argument: object, call: Call, what: str = "array") -> Known:
    """An argument as an array that can be a tensor. Raises Left."""
    known = as_known(argument, f"the {what} of {call.shown}", call.library)
    if not 1 <= len(known.sizes) <= MAX_DIMENSIONS:
        raise Left(
            f"the {what} of {call.shown} has {len(known.sizes)} dimensions, expected 1 to {MAX_DIMENSIONS} in DirectML"
        )
    if min(known.sizes) < 1:
        raise Left(f"the {what} of {call.shown} has a size of 0, expected at least 1: DirectML has none empty")
    return known


def _axis(argument: object, rank: int, call: Call) -> int:
    """An axis argument, counted from 0. Raises Left for one that an array of `rank` dimensions lacks."""
    axis = as_int(argument, f"the axis of {call.shown}")
    if not -rank <= axis < rank:
        raise Left(f"the axis of {call.shown} is {axis}, expected {-rank} to {rank - 1}")
    return axis % rank


def _flattened(known: Known) -> Known:
    return known.reshaped((known.count,))


def _reshaped(values: Given, sizes: Sizes) -> Given:
    return values.reshape(sizes) if isinstance(values, np.ndarray) else values


# ---- JOIN -------------------------------------------------------------------------------------------------------


def _concatenate(call: Call) -> Moved:
    arrays, axis = call.bound("tensors|arrays", "axis|dim")
    flat = axis is None and ("axis" in call.named or len(call.args) > 1)
    parts = _array_list(arrays, call)
    return _joined([_flattened(part) for part in parts] if flat else parts, 0 if axis is None else axis, call)


def _array_list(argument: object, call: Call) -> list[Known]:
    if not isinstance(argument, list) or not 1 <= len(argument) <= MOST_PARTS:
        raise Left(f"the arrays of {call.shown} aren't known, expected a list of 1 to {MOST_PARTS:,}")
    return [_as_array(part, call) for part in argument]


def _joined(parts: list[Known], axis: object, call: Call) -> Moved:
    """The JOIN of arrays, cast to one type if they differ; what else doesn't fit is left to the rules of JOIN."""
    kinds = list(dict.fromkeys(part.data_type for part in parts))
    remarks = []
    if len(kinds) > 1:
        kind = _promoted(kinds, call)
        parts = [part.cast(kind) for part in parts]
        remarks = [f"its arrays are {', '.join(map(str, kinds))}, which {call.library} promotes to {kind}"]
    desc = Join(tuple(part.tensor for part in parts), _axis(axis, len(parts[0].sizes), call))
    out = desc.output_tensor
    assert out is not None
    return Moved(desc, [part.values for part in parts], replace(parts[0], sizes=out.sizes, values=None), remarks)


def _promoted(kinds: list[DataType], call: Call) -> DataType:
    """The type that a library makes of several. Raises Left where PyTorch has none."""
    if call.library != "torch":
        return DataType.of(np.result_type(*(kind.dtype for kind in kinds)))
    floats = [kind for kind in kinds if kind.is_float]
    if floats:
        return max(floats, key=lambda kind: kind.dtype.itemsize)
    if {DataType.UINT16, DataType.UINT32, DataType.UINT64} & set(kinds):
        raise Left(f"torch promotes no {kinds[0]} and {kinds[1]}, expected arrays of one type")
    return DataType.of(np.result_type(*(kind.dtype for kind in kinds)))


def _hstack(call: Call) -> Moved:
    parts = _array_list(call.bound("tup|tensors")[0], call)
    return _joined(parts, 0 if len(parts[0].sizes) == 1 else 1, call)


def _vstack(call: Call) -> Moved:
    parts = _array_list(call.bound("tup|tensors")[0], call)
    return _joined([part.reshaped((1, *part.sizes)) if len(part.sizes) == 1 else part for part in parts], 0, call)


# ---- SPLIT ------------------------------------------------------------------------------------------------------


def _split_sized(known: Known, sizes: list[int], axis: int, call: Call) -> Moved:
    """The SPLIT into parts of these sizes. Raises Left for too many, or an empty one."""
    if len(sizes) > MOST_PARTS:
        raise Left(f"{call.shown} makes {len(sizes):,} parts, expected at most {MOST_PARTS:,}")
    if min(sizes, default=0) < 1:
        raise Left(f"{call.shown} makes an empty part, expected parts of at least 1: DirectML has none empty")
    shapes = [(*known.sizes[:axis], size, *known.sizes[axis + 1 :]) for size in sizes]
    desc = Split(known.tensor, tuple(known.tensor.resized(shape) for shape in shapes), axis)
    return Moved(desc, [known.values], [replace(known, sizes=shape, values=None) for shape in shapes])


def _split_at(known: Known, cuts: Sizes, axis: int, call: Call) -> Moved:
    """The SPLIT at NumPy's places to cut at: each part is the slice from one to the next. Raises Left."""
    along = range(known.sizes[axis])
    ends = [0, *cuts[: MOST_PARTS + 1], len(along)]
    try:
        return _split_sized(known, [len(along[a:b]) for a, b in pairwise(ends)], axis, call)
    except Left as error:
        raise Left(f"{error} ({call.shown} takes places to cut at)") from None


def _split_into(known: Known, count: int, axis: int, call: Call) -> Moved:
    """The SPLIT into `count` parts, the first ones larger by 1 where they can't be equal. Raises Left."""
    if not 1 <= count <= MOST_PARTS:
        raise Left(f"{call.shown} makes {count:,} parts, expected 1 to {MOST_PARTS:,}")
    size, more = divmod(known.sizes[axis], count)
    return _split_sized(known, [size + 1] * more + [size] * (count - more), axis, call)


def _split_numpy(strict: bool, fixed: int | None = None) -> Mover:
    """`np.split` (strict: equal parts alone), `np.array_split`; `fixed` is the axis of `np.vsplit` and the like."""

    def move(call: Call) -> Moved:
        array, where, axis = call.bound("ary|input", "indices_or_sections|tensor_indices_or_sections", "axis|dim")
        known = _as_array(array, call)
        at = _axis(0 if axis is None else axis, len(known.sizes), call) if fixed is None else fixed
        if fixed == 1 and len(known.sizes) == 1:
            at = 0  # np.hsplit of one dimension
        if at >= len(known.sizes):
            raise Left(f"the array of {call.shown} has {len(known.sizes)} dimensions, expected more than {at}")
        if isinstance(where, list) or (isinstance(where, Known) and where.sizes):
            return _split_at(known, as_ints(where, f"the cuts of {call.shown}"), at, call)
        count = as_int(where, f"the number of parts of {call.shown}")
        if strict and count > 0 and known.sizes[at] % count:
            raise Left(f"{call.shown} can't cut {known.sizes[at]} into {count} equal parts, expected a divisor")
        return _split_into(known, count, at, call)

    return move


def _split_torch(call: Call) -> Moved:
    array, sizes, dim = call.bound("tensor|self|input", "split_size_or_sections|split_size", "dim")
    known = _as_array(array, call)
    axis = _axis(0 if dim is None else dim, len(known.sizes), call)
    if isinstance(sizes, list):
        return _split_sized(known, list(as_ints(sizes, f"the sizes of {call.shown}")), axis, call)
    return _split_by(known, as_int(sizes, f"the size of {call.shown}"), axis, call)


def _chunk(call: Call) -> Moved:
    array, chunks, dim = call.bound("input|self", "chunks", "dim")
    known = _as_array(array, call)
    axis = _axis(0 if dim is None else dim, len(known.sizes), call)
    count = as_int(chunks, f"the number of {call.shown}")
    if count < 1:
        raise Left(f"{call.shown} makes {count} parts, expected at least 1")
    return _split_by(known, -(-known.sizes[axis] // count), axis, call)


def _split_by(known: Known, size: int, axis: int, call: Call) -> Moved:
    """The SPLIT into parts of one size, the last one smaller where it has to be. Raises Left."""
    whole = known.sizes[axis]
    if size < 1 or -(-whole // size) > MOST_PARTS:
        raise Left(f"{call.shown} cuts {whole:,} into parts of {size:,}, expected 1 to {MOST_PARTS:,} parts")
    return _split_sized(known, [min(size, whole - start) for start in range(0, whole, size)], axis, call)


# ---- TILE -------------------------------------------------------------------------------------------------------


def _tile(call: Call) -> Moved:
    """`np.tile(x, (2, 3))`, `torch.tile(x, (2, 3))`, `x.tile(2, 3)`."""
    if call.args[2:]:
        call.args[1:] = [list(call.args[1:])]
    array, reps = call.bound("A|input|self", "reps|dims")
    return _tiled(_as_array(array, call), as_ints(reps, f"the repeats of {call.shown}"), call)


def _repeat(call: Call) -> Moved:
    """PyTorch's `x.repeat(2, 3)`, which is what NumPy calls tile."""
    if len(call.args) > 2 or (len(call.args) == 2 and not isinstance(call.args[1], list)):
        call.args[1:] = [list(call.args[1:])]
    array, reps = call.bound("self", "repeats")
    known, times = _as_array(array, call), as_ints(reps, f"the repeats of {call.shown}")
    if 0 < len(times) < len(known.sizes) and min(times) >= 1:
        # PyTorch refuses it; what is computed of that many copies in the last dimensions shows where one is missing.
        whole = Tile.of_ranks(known.tensor, times).output_tensor
        assert whole is not None
        desc = Tile(known.tensor, times, whole)
        return Moved(desc, [known.values], replace(known, sizes=whole.sizes, values=None))
    return _tiled(known, times, call)


def _tiled(known: Known, times: Sizes, call: Call) -> Moved:
    """The TILE by as many repeats as the library is given. Raises Left for what DirectML hasn't got."""
    if len(times) > MAX_DIMENSIONS:
        raise Left(f"{call.shown} has {len(times)} repeats, expected at most {MAX_DIMENSIONS} in DirectML")
    if min(times, default=1) < 1:
        raise Left(f"{call.shown} repeats {min(times)} times, expected at least once: DirectML has no empty tensors")
    desc = Tile.of_ranks(known.tensor, times)
    out = desc.output_tensor
    assert out is not None
    return Moved(desc, [_reshaped(known.values, desc.input_tensor.sizes)], replace(known, sizes=out.sizes, values=None))


# ---- PADDING ----------------------------------------------------------------------------------------------------

_NUMPY_PADS = {name: mode for mode, name in NUMPY_MODES.items()}
_TORCH_PADS = {"constant": CONSTANT, "reflect": REFLECTION, "replicate": EDGE}


def _pad_numpy(call: Call) -> Moved:
    """`np.pad(x, ((1, 2), (0, 1)), "edge")`; one pair, or one number, is for all axes."""
    names = ("array", "pad_width", "mode", "constant_values", "reflect_type")
    array, widths, mode, value, way = call.bound(*names)
    known, rank = _as_array(array, call), len(_as_array(array, call).sizes)
    if way not in (None, "even"):
        raise Left(f"the reflect_type of {call.shown} isn't 'even', expected it: DirectML computes nothing")
    rows = widths if isinstance(widths, list) else [widths]
    numbers = [as_ints(row, f"the pad_width of {call.shown}") for row in rows]
    if all(not isinstance(row, list) for row in rows):
        numbers = [tuple(n for row in numbers for n in row)]
    pairs = [(row[0], row[-1]) for row in (numbers * rank if len(numbers) == 1 else numbers) if 1 <= len(row) <= 2]
    if len(pairs) != rank:
        raise Left(f"the pad_width of {call.shown} has {len(pairs)} pairs, expected one for each of {rank} axes")
    return _padded(known, "constant" if mode is None else mode, _NUMPY_PADS, value, pairs, call)


def _pad_torch(call: Call) -> Moved:
    """`F.pad(x, (1, 2, 0, 1))`: pairs from the last axis on."""
    array, pads, mode, value = call.bound("input", "pad", "mode", "value")
    known, widths = _as_array(array, call), as_ints(pads, f"the pads of {call.shown}")
    rank = len(known.sizes)
    if len(widths) % 2 or len(widths) > 2 * rank:
        raise Left(f"{call.shown} has {len(widths)} pads, expected pairs for at most {rank} axes")
    pairs = list(zip(widths[::2], widths[1::2], strict=True))
    pairs = [*[(0, 0)] * (rank - len(pairs)), *pairs[::-1]]
    return _padded(known, "constant" if mode is None else mode, _TORCH_PADS, value, pairs, call)


def _padded(
    known: Known, mode: object, modes: Mapping[str, str], value: object, pairs: list[tuple[int, int]], call: Call
) -> Moved:
    """The PADDING by pairs of what stands before and behind each axis. Raises Left for what DirectML hasn't got."""
    if not isinstance(mode, str) or mode not in modes:
        why = "no page says what DirectML makes of others"
        raise Left(f"the mode of {call.shown} is {mode!r}, expected one of {', '.join(modes)}: {why}")
    if min(min(pair) for pair in pairs) < 0:
        raise Left(f"{call.shown} pads by {min(min(pair) for pair in pairs)}, expected at least 0: a SLICE1 cuts")
    constant = 0 if value is None else value
    if isinstance(constant, Known) and constant.array() is not None and not constant.sizes:
        constant = constant.array().item()  # type: ignore[union-attr]
    if isinstance(constant, bool) or not isinstance(constant, (int, float)):
        raise Left(f"the constant of {call.shown} isn't known, expected one number")
    starts, ends = zip(*pairs, strict=True)
    desc = padding_of(known.tensor, modes[mode], constant, starts, ends)
    if desc is None:
        raise Left(f"the constant of {call.shown} is {constant!r}, expected one that a FLOAT holds, as PaddingValue is")
    out = desc.output_tensor
    assert out is not None
    return Moved(desc, [known.values], replace(known, sizes=out.sizes, values=None))


# ---- GATHER -----------------------------------------------------------------------------------------------------

_INDEX_TYPES = {
    DataType.INT8: DataType.INT32,
    DataType.INT16: DataType.INT32,
    DataType.UINT8: DataType.UINT32,
    DataType.UINT16: DataType.UINT32,
}
"""What indices become whose type DirectML doesn't take."""


def _take(call: Call) -> Moved:
    array, indices, axis, _, mode = call.bound("a|input|self", "indices|index", "axis|dim", "out", "mode")
    known = _as_array(array, call)
    if axis is None:  # the array as one row
        known, axis = _flattened(known), 0
    return gathered(known, indices, axis, call, mode)


def _index_select(call: Call) -> Moved:
    array, dim, index = call.bound("input|self", "dim|axis", "index")
    picks = as_known(index, f"the index of {call.shown}", call.library)
    if len(picks.sizes) > 1:
        raise Left(f"the index of {call.shown} has {len(picks.sizes)} dimensions, expected 1")
    return gathered(_as_array(array, call), picks if picks.sizes else picks.reshaped((1,)), dim, call, None)


def embedded(call: Call) -> Moved:
    """`F.embedding(indices, weight)`: rows of the weight."""
    names = ("input", "weight", "padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse")
    indices, weight, _, norm, _, _, _ = call.bound(*names)
    known = _as_array(weight, call, "weight")
    if norm is not None or len(known.sizes) != 2:
        raise Left(f"{call.shown} has a max_norm or a weight of {len(known.sizes)} dimensions, expected 2 of them")
    return gathered(known, as_known(indices, f"the indices of {call.shown}", "torch"), 0, call, None)


def _embedding(call: Call) -> Moved:
    """`torch.embedding(weight, indices)`."""
    weight, indices = call.bound("weight", "indices", "padding_idx", "scale_grad_by_freq", "sparse")[:2]
    return embedded(replace(call, args=[indices, weight], named={}))


def gathered(known: Known, indices: object, axis: object, call: Call, mode: object) -> Moved:
    """The GATHER of slices of `known` along `axis` by `indices`; `mode` is that of `np.take`. Raises Left."""
    at, picks = _axis(axis, len(known.sizes), call), _as_indices(indices, call)
    remarks = []
    if mode in ("clip", "wrap"):
        array, n = picks.array(), known.sizes[at]
        if array is not None and n <= picks.data_type.integer_range[1]:
            picks = replace(picks, values=np.asarray(array.clip(0, n - 1) if mode == "clip" else array % n))
        remarks = [f"mode {mode!r} was applied to the indices" if array is not None else f"mode {mode!r} was left out"]
    elif mode not in (None, "raise"):
        raise Left(f"the mode of {call.shown} isn't known, expected 'raise', 'clip' or 'wrap'")
    if len(known.sizes) - 1 + len(picks.sizes) > MAX_DIMENSIONS or len(picks.sizes) > MAX_DIMENSIONS:
        rank = max(len(known.sizes) - 1 + len(picks.sizes), len(picks.sizes))
        raise Left(f"{call.shown} needs {rank} dimensions, expected at most {MAX_DIMENSIONS} in DirectML")
    desc = Gather.of_ranks(known.tensor, picks.tensor, at)
    sizes = (*known.sizes[:at], *picks.sizes, *known.sizes[at + 1 :])
    values = [
        _reshaped(known.values, desc.input_tensor.sizes),
        _reshaped(picks.values, desc.indices_tensor.sizes),
    ]
    return Moved(desc, values, replace(known, sizes=sizes, values=None), remarks)


def _as_indices(indices: object, call: Call) -> Known:
    """An argument as indices of a type that DirectML takes. Raises Left."""
    picks = as_known(indices, f"the indices of {call.shown}", call.library)
    if picks.data_type.is_float or min(picks.sizes, default=1) < 1:
        raise Left(f"the indices of {call.shown} are {picks.tensor}, expected whole numbers, at least one")
    return picks.cast(_INDEX_TYPES.get(picks.data_type, picks.data_type))


# ---- GATHER_ELEMENTS --------------------------------------------------------------------------------------------


def _take_along(call: Call) -> Moved:
    """`np.take_along_axis`, `torch.take_along_dim`."""
    array, indices, axis = call.bound("arr|input|self", "indices", "axis|dim")
    known, picks = _as_array(array, call), _as_indices(indices, call)
    is_given = len(call.args) > 2 or not {"axis", "dim"}.isdisjoint(call.named)
    if axis is None and (is_given or call.library == "torch"):  # both as one row
        known, picks, axis = _flattened(known), _flattened(picks), 0
    moved = elements_along(known, picks, -1 if axis is None else axis, call)
    assert isinstance(moved.desc, GatherElements)
    if moved.desc.index_sizes() != picks.sizes:
        raise Left(
            f"{call.shown} broadcasts {known.tensor} and {picks.tensor}, expected the same sizes but along the axis"
        )
    return moved


def _torch_gather(call: Call) -> Moved:
    """`torch.gather`. Fewer indices than there are lines stay, which a rule tells."""
    array, dim, index = call.bound("input|self", "dim|axis", "index", "sparse_grad")[:3]
    return elements_along(_as_array(array, call), _as_indices(index, call), dim, call)


def elements_along(known: Known, picks: Known, axis: object, call: Call) -> Moved:
    """The GATHER_ELEMENTS of `known` along `axis`. Raises Left."""
    at = _axis(axis, len(known.sizes), call)
    if len(picks.sizes) != len(known.sizes):
        raise Left(f"the indices of {call.shown} have {len(picks.sizes)} dimensions, expected {len(known.sizes)}")
    desc = GatherElements(known.tensor, picks.tensor, at)
    return Moved(desc, [known.values, picks.values], replace(known, sizes=picks.sizes, values=None))


# ---- REVERSE_SUBSEQUENCES ---------------------------------------------------------------------------------------


def _flip(fixed: int | None = None) -> Mover:
    """`np.flip`, `torch.flip`; `fixed` is the axis of `np.flipud` and the like."""

    def move(call: Call) -> Moved:
        if fixed is None and call.library == "torch" and call.args[2:]:
            call.args[1:] = [list(call.args[1:])]  # x.flip(0, 1)
        array, axes = call.bound("m|input|self", "axis|dims")
        known = _as_array(array, call)
        if fixed is not None:
            axes = fixed
        elif axes is None:
            axes = list(range(len(known.sizes)))
        turned = [_axis(axis, len(known.sizes), call) for axis in (axes if isinstance(axes, list) else [axes])]
        if len(turned) != 1:
            raise Left(f"{call.shown} turns {len(turned)} axes round, expected 1: DirectML reverses along one Axis")
        return reversed_along(known, turned[0])

    return move


def reversed_along(known: Known, axis: int) -> Moved:
    """The REVERSE_SUBSEQUENCES that reverses every sequence along `axis` whole."""
    cells = TensorDesc(DataType.UINT32, (*known.sizes[:axis], 1, *known.sizes[axis + 1 :]))
    desc = ReverseSubsequences(known.tensor, cells, axis)
    lengths = Constant(known.sizes[axis]) if known.sizes[axis] < 2**32 else None
    return Moved(desc, [known.values, lengths], replace(known, values=None))


# ---- SLICE1 -----------------------------------------------------------------------------------------------------


def sliced(known: Known, cuts: Sequence[Slice], call: Call) -> Moved:
    """The SLICE1 of `x[1:3, ::2]`; axes behind the last cut stay whole. Raises Left where numbers aren't known."""
    if any(cut.odd for cut in cuts) or len(cuts) > len(known.sizes):
        raise Left(f"{call.shown} takes a slice that isn't known, expected numbers for at most {len(known.sizes)} axes")
    least = 1 if call.library == "torch" else None
    if any(cut.step == 0 or (least is not None and cut.step < least) for cut in cuts):
        raise Left(f"{call.shown} takes a slice with a step that {call.library} refuses, expected another")
    whole = [slice(None)] * (len(known.sizes) - len(cuts))
    desc = Slice1.of_slices(known.tensor, [*(slice(cut.start, cut.stop, cut.step) for cut in cuts), *whole])
    if min(desc.input_window_sizes) < 1:
        raise Left(f"{call.shown} takes nothing, expected at least 1 element along each axis: DirectML has none empty")
    return Moved(desc, [known.values], replace(known, sizes=tuple(desc.most()), values=None))


# ---- names ------------------------------------------------------------------------------------------------------

MOVERS: Mapping[str, Mover] = MappingProxyType(
    {
        "numpy.concatenate": _concatenate,
        "numpy.concat": _concatenate,
        "torch.cat": _concatenate,
        "torch.concat": _concatenate,
        "torch.concatenate": _concatenate,
        **{f"{library}.hstack": _hstack for library in ("numpy", "torch")},
        **{f"{library}.vstack": _vstack for library in ("numpy", "torch")},
        "numpy.split": _split_numpy(True),
        "numpy.array_split": _split_numpy(False),
        "numpy.vsplit": _split_numpy(True, 0),
        "numpy.hsplit": _split_numpy(True, 1),
        "numpy.dsplit": _split_numpy(True, 2),
        "torch.tensor_split": _split_numpy(False),
        "torch.split": _split_torch,
        "torch.chunk": _chunk,
        "numpy.tile": _tile,
        "torch.tile": _tile,
        "numpy.pad": _pad_numpy,
        "torch.nn.functional.pad": _pad_torch,
        "numpy.take": _take,
        "torch.take": _take,
        "torch.index_select": _index_select,
        "torch.nn.functional.embedding": embedded,
        "torch.embedding": _embedding,
        "numpy.take_along_axis": _take_along,
        "torch.take_along_dim": _take_along,
        "torch.gather": _torch_gather,
        "numpy.flip": _flip(),
        "torch.flip": _flip(),
        "numpy.flipud": _flip(0),
        "numpy.fliplr": _flip(1),
        "torch.flipud": _flip(0),
        "torch.fliplr": _flip(1),
    }
)
"""The functions by dotted name; most are methods too."""
METHOD_MOVERS: Mapping[str, Mover] = MappingProxyType(
    {
        "numpy.take": _take,
        "torch.repeat": _repeat,
        **{
            f"torch.{name}": MOVERS[f"torch.{name}"]
            for name in (
                "take",
                "split",
                "chunk",
                "tensor_split",
                "tile",
                "index_select",
                "flip",
                "flipud",
                "fliplr",
                "gather",
                "take_along_dim",
            )
        },
    }
)
"""The methods, by library and name."""

_CALLED = "|".join(sorted({name.rpartition(".")[2] for name in MOVERS}, reverse=True))
CALLED = rf"\b(?:np|numpy|torch|F|nn\.functional)[ \t]{{0,9}}\.[ \t]{{0,9}}(?:{_CALLED})[ \t]{{0,9}}\("
"""A pattern for the beginning of a call of any of these, as people write it."""

_ELEMENT_BY_ELEMENT = "repeats each element in its place, expected tile: DirectML's TILE lays whole copies side by side"
_STACKS = "puts on an axis first, expected concatenate or cat"
OTHERS: Mapping[str, str] = MappingProxyType(
    {
        "numpy.repeat": _ELEMENT_BY_ELEMENT,
        "torch.repeat_interleave": _ELEMENT_BY_ELEMENT,
        "numpy.stack": _STACKS,
        "torch.stack": _STACKS,
    }
)
"""What looks alike and is another operator, and how; functions and methods alike."""
