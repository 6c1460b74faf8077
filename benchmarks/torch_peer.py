"""PyTorch's ways, on tensors that share their memory with NumPy's arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import torch
from onnxruntime_peer import Folded, indices_in_range, interleaved, join_folded, signed, split_folded, uniform_length
from timer import CannotExpressError, Way

from dmlviz.desc.base import Desc
from dmlviz.desc.values import Array
from dmlviz.operators.gather import Gather
from dmlviz.operators.gather_elements import GatherElements
from dmlviz.operators.join import Join
from dmlviz.operators.padding import CONSTANT, EDGE, SYMMETRIC, Padding
from dmlviz.operators.reverse_subsequences import ReverseSubsequences
from dmlviz.operators.slice1 import Slice1
from dmlviz.operators.split import Split
from dmlviz.operators.tile import Tile

Outs = Sequence[Array] | None
torch.set_grad_enabled(False)


def version() -> str:
    return f"{torch.__version__} ({torch.get_num_threads()} threads)"


def ways(desc: Desc, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    """`cat`, `split_copy`, `index_select`, `copy_`, `gather` and what else does the same."""
    ways_of_operator = _WAYS.get(type(desc))
    if ways_of_operator is None:
        raise CannotExpressError("has no such function")
    return ways_of_operator(desc, arrays, outs)


def _tensor(array: Array, shape: Sequence[int]) -> Any:
    """An array as a tensor. Unsigned types of more than a byte, for which little is implemented, become signed ones."""
    folded = array.reshape(tuple(shape))
    return torch.from_numpy(signed(folded) if folded.dtype.kind == "u" and folded.dtype.itemsize > 1 else folded)


def _way(name: str, call: Callable[[], Any], outs: Outs) -> Way:
    def outputs() -> list[Array]:
        tensors = call()
        if outs is not None:
            return list(outs)
        return [
            tensor.contiguous().numpy() for tensor in (tensors if isinstance(tensors, (list, tuple)) else [tensors])
        ]

    return Way(name, call, outputs)


def _join(desc: Join, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    folded, sizes = join_folded(desc)
    parts = [_tensor(array, folded.shape(size)) for array, size in zip(arrays, sizes, strict=True)]
    axis = folded.axis
    if outs is None:
        return [_way("cat", lambda: torch.cat(parts, axis), None)]
    out = _tensor(outs[0], folded.shape())
    pairs = list(zip(torch.split(out, sizes, axis), parts, strict=True))
    return [_way("cat", lambda: torch.cat(parts, axis, out=out), outs), _copies(pairs, outs)]


def _copies(pairs: Sequence[tuple[Any, Any]], outs: Outs) -> Way:
    def call() -> None:
        for out, source in pairs:
            out.copy_(source)

    return _way("copy_", call, outs)


def _split(desc: Split, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    folded, sizes = split_folded(desc)
    data, axis = _tensor(arrays[0], folded.shape()), folded.axis
    views = torch.split(data, sizes, axis)
    if outs is None:
        return [
            _way("split_with_sizes_copy", lambda: torch.split_with_sizes_copy(data, sizes, axis), None),
            _way("clone", lambda: [v.clone(memory_format=torch.contiguous_format) for v in views], None),
        ]
    targets = [_tensor(out, folded.shape(size)) for out, size in zip(outs, sizes, strict=True)]
    return [
        _way("split_with_sizes_copy", lambda: torch.split_with_sizes_copy(data, sizes, axis, out=targets), outs),
        _copies(list(zip(targets, views, strict=True)), outs),
    ]


def _gather(desc: Gather, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    folded = Folded.of(desc.input_tensor.sizes, desc.axis)
    if not indices_in_range(arrays[1], folded.n):
        raise CannotExpressError("takes no index out of range")
    data, axis = _tensor(arrays[0], folded.shape()), folded.axis
    indices = torch.from_numpy(signed(arrays[1].reshape(-1)))
    if outs is None:
        ways = [_way("index_select", lambda: torch.index_select(data, axis, indices), None)]
        if indices.dtype == torch.int64 and data.dim() == 1:
            ways.append(_way("take", lambda: torch.take(data, indices), None))
        return ways
    out = _tensor(outs[0], folded.shape(len(indices)))
    ways = [_way("index_select", lambda: torch.index_select(data, axis, indices, out=out), outs)]
    if indices.dtype == torch.int64 and data.dim() == 1:
        ways.append(_way("take", lambda: torch.take(data, indices, out=out), outs))
        ways.append(_way("gather", lambda: torch.gather(data, 0, indices, out=out), outs))
    return ways


def _gather_elements(desc: GatherElements, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    """`gather` takes INT64 alone: indices of other types are widened in each call, as whoever has those must."""
    folded, rows = Folded.of(desc.input_tensor.sizes, desc.axis), desc.indices_tensor.sizes[desc.axis]
    if not indices_in_range(arrays[1], folded.n):
        raise CannotExpressError("takes no index out of range")
    data, at = _tensor(arrays[0], folded.shape()), torch.from_numpy(signed(arrays[1]).reshape(folded.shape(rows)))
    if outs is None:
        return [_way("gather", lambda: torch.gather(data, folded.axis, at.to(torch.int64)), None)]
    out = _tensor(outs[0], folded.shape(rows))
    return [_way("gather", lambda: torch.gather(data, folded.axis, at.to(torch.int64), out=out), outs)]


def _padding(desc: Padding, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    """`pad`, which has no mode with the edge mirrored, and mirrors floats of the last axes alone; it allocates."""
    axes, mode = desc.axes, {CONSTANT: "constant", EDGE: "replicate"}.get(desc.mode, "reflect")
    padded = [d for d, axis in enumerate(axes) if axis.is_padded]
    if desc.mode == SYMMETRIC:
        raise CannotExpressError("has no mode that mirrors the edge")
    data = _tensor(arrays[0], desc.input_tensor.sizes)
    rank = len(axes) - min(padded, default=len(axes) - 1)
    pads = [count for axis in axes[: len(axes) - rank - 1 : -1] for count in axis[1:]]
    if mode != "constant":
        large = any(max(axis.start, axis.end) >= axis.size for axis in axes)
        if rank > 3 or not desc.input_tensor.data_type.is_float or (mode == "reflect" and large):
            raise CannotExpressError("pads the last axes alone in that mode")
        data = data.reshape((-1, 1, *desc.input_tensor.sizes[len(axes) - rank :]))
        more: dict[str, Any] = {}
    else:
        more = {"value": desc.value}

    def pad() -> Any:
        return torch.nn.functional.pad(data, pads, mode, **more)

    if outs is None:
        return [_way("pad", pad, None)]
    out = _tensor(outs[0], [axis.full for axis in axes])
    ways = [_way("pad", lambda: out.copy_(pad().reshape(out.shape)), outs)]
    if mode == "constant":
        inside = tuple(slice(axis.start, axis.start + axis.size) for axis in axes)

        def fill() -> None:
            out.fill_(desc.value)
            out[inside] = data

        ways.append(_way("copy_", fill, outs))
    return ways


def _tile(desc: Tile, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    source, whole = interleaved(desc.input_tensor.sizes, desc.repeats)
    data, repeats = _tensor(arrays[0], desc.input_tensor.sizes), tuple(desc.repeats)
    spread = _tensor(arrays[0], source).expand(whole)
    if outs is None:
        return [
            _way("tile", lambda: torch.tile(data, repeats), None),
            _way("clone", lambda: spread.clone(memory_format=torch.contiguous_format), None),
        ]
    out, there = _tensor(outs[0], whole), _tensor(outs[0], desc.output_tensor.sizes)  # type: ignore[union-attr]
    return [
        _way("copy_", lambda: out.copy_(spread), outs),
        _way("tile", lambda: there.copy_(torch.tile(data, repeats)), outs),
    ]


def _slice(desc: Slice1, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    """It has no negative steps: what is walked backwards is taken forwards, and turned round."""
    turned = [axis for axis, stride in enumerate(desc.input_window_strides) if stride < 0]
    index = [*desc.slices]
    for axis in turned:
        start, step = desc.starts[axis], desc.input_window_strides[axis]
        last = start + step * (desc.outputs[0].tensor.sizes[axis] - 1)
        index[axis] = slice(last, start + 1, -step)
    taken = _tensor(arrays[0], desc.input_tensor.sizes)[tuple(index)]
    out = None if outs is None else _tensor(outs[0], desc.outputs[0].tensor.sizes)
    if not turned:
        call = taken.contiguous if out is None else lambda: out.copy_(taken)
        if out is None and taken.is_contiguous():
            call = taken.clone
        return [_way("copy_" if out is not None else "contiguous", call, outs)]
    if out is None:
        return [_way("flip", lambda: torch.flip(taken, turned), None)]
    return [_way("flip", lambda: out.copy_(torch.flip(taken, turned)), outs)]


def _reverse(desc: ReverseSubsequences, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    folded = Folded.of(desc.input_tensor.sizes, desc.axis)
    outer, n, inner = folded.outer, folded.n, folded.inner
    data = _tensor(arrays[0], (outer, n, inner))
    lengths = _tensor(arrays[1], (outer, 1, inner))
    if not indices_in_range(arrays[1], n + 1):
        raise CannotExpressError("takes no length beyond the axis")
    along = torch.arange(n).reshape(1, n, 1)
    out = _tensor(outs[0], (outer, n, inner)) if outs is not None else None

    def gather() -> Any:
        wide = lengths.to(torch.int64)
        at = torch.where(along < wide, wide - 1 - along, along)
        return torch.gather(data, 1, at) if out is None else torch.gather(data, 1, at, out=out)

    ways = [_way("gather", gather, outs)]
    length = uniform_length(arrays[1], n)
    if length is None:
        return ways
    at = torch.cat([torch.arange(length - 1, -1, -1), torch.arange(length, n)])
    if out is not None:
        turned, rest = out[:, :length], out[:, length:]

        def flip_into() -> None:
            turned.copy_(torch.flip(data[:, :length], (1,)))
            rest.copy_(data[:, length:])

        ways.append(_way("index_select", lambda: torch.index_select(data, 1, at, out=out), outs))
        ways.append(_way("flip", flip_into, outs))
        return ways
    ways.append(_way("index_select", lambda: torch.index_select(data, 1, at), None))
    if length == n:
        ways.append(_way("flip", lambda: torch.flip(data, (1,)), None))
    elif length == 0:
        ways.append(_way("clone", lambda: data.clone(), None))
    else:
        ways.append(_way("flip", lambda: torch.cat([torch.flip(data[:, :length], (1,)), data[:, length:]], 1), None))
    return ways


_WAYS: Mapping[type[Desc], Callable[[Any, Sequence[Array], Outs], list[Way]]] = MappingProxyType(
    {
        Join: _join,
        Split: _split,
        Gather: _gather,
        Tile: _tile,
        ReverseSubsequences: _reverse,
        GatherElements: _gather_elements,
        Padding: _padding,
        Slice1: _slice,
    }
)
