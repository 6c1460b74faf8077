"""PyTorch's ways, on tensors that share their memory with NumPy's arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import torch

from dmlviz.desc.base import Desc
from dmlviz.desc.values import Array
from dmlviz.operators.gather import Gather
from dmlviz.operators.join import Join
from dmlviz.operators.reverse_subsequences import ReverseSubsequences
from dmlviz.operators.split import Split
from dmlviz.operators.tile import Tile
from dmlviz.timing.peers.folding import (
    gather_folded,
    indices_in_range,
    interleaved,
    join_folded,
    reverse_folded,
    signed,
    split_folded,
    uniform_length,
)
from dmlviz.timing.peers.ways import CannotExpressError, Way

Outs = Sequence[Array] | None
torch.set_grad_enabled(False)


def version() -> str:
    return str(torch.__version__)


def threads() -> int:
    return int(torch.get_num_threads())


def ways(desc: Desc, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    """`cat`, `split_copy`, `index_select`, `copy_`, `gather` and what else does the same."""
    made = _WAYS.get(type(desc))
    if made is None:
        raise CannotExpressError("has no such function")
    return made(desc, arrays, outs)


def _tensor(array: Array, shape: Sequence[int]) -> Any:
    """An array as a tensor. Unsigned types of more than a byte, for which little is implemented, become signed ones."""
    held = array.reshape(tuple(shape))
    return torch.from_numpy(signed(held) if held.dtype.kind == "u" and held.dtype.itemsize > 1 else held)


def _way(name: str, call: Callable[[], Any], outs: Outs) -> Way:
    def outputs() -> list[Array]:
        found = call()
        if outs is not None:
            return list(outs)
        return [each.contiguous().numpy() for each in (found if isinstance(found, (list, tuple)) else [found])]

    return Way(name, call, outputs)


def _join(desc: Join, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    folded, sizes = join_folded(desc)
    held = [_tensor(array, folded.shape(size)) for array, size in zip(arrays, sizes, strict=True)]
    axis = folded.axis
    if outs is None:
        return [_way("cat", lambda: torch.cat(held, axis), None)]
    out = _tensor(outs[0], folded.shape())
    pairs = list(zip(torch.split(out, sizes, axis), held, strict=True))
    return [_way("cat", lambda: torch.cat(held, axis, out=out), outs), _copies(pairs, outs)]


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
    held = [_tensor(out, folded.shape(size)) for out, size in zip(outs, sizes, strict=True)]
    return [
        _way("split_with_sizes_copy", lambda: torch.split_with_sizes_copy(data, sizes, axis, out=held), outs),
        _copies(list(zip(held, views, strict=True)), outs),
    ]


def _gather(desc: Gather, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    folded = gather_folded(desc)
    if not indices_in_range(arrays[1], folded.n):
        raise CannotExpressError("takes no index out of range")
    data, axis = _tensor(arrays[0], folded.shape()), folded.axis
    indices = torch.from_numpy(signed(arrays[1].reshape(-1)))
    if outs is None:
        found = [_way("index_select", lambda: torch.index_select(data, axis, indices), None)]
        if indices.dtype == torch.int64 and data.dim() == 1:
            found.append(_way("take", lambda: torch.take(data, indices), None))
        return found
    out = _tensor(outs[0], folded.shape(len(indices)))
    found = [_way("index_select", lambda: torch.index_select(data, axis, indices, out=out), outs)]
    if indices.dtype == torch.int64 and data.dim() == 1:
        found.append(_way("take", lambda: torch.take(data, indices, out=out), outs))
        found.append(_way("gather", lambda: torch.gather(data, 0, indices, out=out), outs))
    return found


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


def _reverse(desc: ReverseSubsequences, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    folded = reverse_folded(desc)
    outer, n, inner = folded.outer, folded.n, folded.inner
    data = _tensor(arrays[0], (outer, n, inner))
    lengths = _tensor(arrays[1], (outer, 1, inner))
    if not indices_in_range(arrays[1], n + 1):
        raise CannotExpressError("takes no length beyond the axis")
    along = torch.arange(n).reshape(1, n, 1)
    out = _tensor(outs[0], (outer, n, inner)) if outs is not None else None

    def gather() -> Any:
        held = lengths.to(torch.int64)
        at = torch.where(along < held, held - 1 - along, along)
        return torch.gather(data, 1, at) if out is None else torch.gather(data, 1, at, out=out)

    found = [_way("gather", gather, outs)]
    length = uniform_length(arrays[1], n)
    if length is None:
        return found
    at = torch.cat([torch.arange(length - 1, -1, -1), torch.arange(length, n)])
    if out is not None:
        turned, rest = out[:, :length], out[:, length:]

        def flip_into() -> None:
            turned.copy_(torch.flip(data[:, :length], (1,)))
            rest.copy_(data[:, length:])

        found.append(_way("index_select", lambda: torch.index_select(data, 1, at, out=out), outs))
        found.append(_way("flip", flip_into, outs))
        return found
    found.append(_way("index_select", lambda: torch.index_select(data, 1, at), None))
    if length == n:
        found.append(_way("flip", lambda: torch.flip(data, (1,)), None))
    elif length == 0:
        found.append(_way("clone", lambda: data.clone(), None))
    else:
        found.append(_way("flip", lambda: torch.cat([torch.flip(data[:, :length], (1,)), data[:, length:]], 1), None))
    return found


_WAYS: Mapping[type[Desc], Callable[[Any, Sequence[Array], Outs], list[Way]]] = MappingProxyType(
    {Join: _join, Split: _split, Gather: _gather, Tile: _tile, ReverseSubsequences: _reverse}
)
