"""Shapes that ONNX nodes make of known sizes and values, where ONNX's own inference isn't asked: some kinds of nodes
end the process there, or take all memory, in a model that is ill-made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from ...desc.values import Array
from .nodes import has, number
from .values import all_known

Dims = tuple[int | None, ...]
"""Sizes, with None for each that isn't known."""
Given = Sequence[Dims | None]
Values = Sequence[Array | None]
Made = Iterator[tuple[int, int, Sequence[int | None]]]
"""The number of an output, its TensorProto.DataType or 0 for that of the first input, and its sizes."""
_INT64 = 7


def made_shapes(node: Any, given: Given, values: Values) -> Made:
    """Numbers, types and sizes of a node's outputs, as far as they are known. May raise Unknown for an ill-made one."""
    return KINDS[node.op_type](node, given, values)


def broadcast(a: int | None, b: int | None) -> int | None:
    """The size that two sizes are broadcast to; None where that isn't known, or they don't fit."""
    if a == 1 or b == 1 or a == b:
        return b if a == 1 else a
    return (a or b) if a is None or b is None else None


def _known_numbers(values: Values, at: int) -> list[int] | None:
    """The integers of input `at`; None where they aren't all known."""
    array = values[at] if at < len(values) else None
    return [int(element) for element in array.flat] if array is not None and all_known(array) else None


def _expand(node: Any, given: Given, values: Values) -> Made:
    dims, to = given[0] if given else None, values[1] if len(values) > 1 else None
    if dims is None or to is None or to.ndim != 1 or not all(size is None or size >= 1 for size in to):
        return
    rank = max(len(dims), len(to))
    pairs = zip((1,) * (rank - len(dims)) + dims, [1] * (rank - len(to)) + to.tolist(), strict=True)
    yield 0, 0, [broadcast(here, there) for here, there in pairs]


def _range(node: Any, given: Given, values: Values) -> Made:
    ends = [_known_numbers(values, at) for at in range(3)]
    start, limit, step = (end[0] if end is not None and len(end) == 1 else None for end in ends)
    if start is None or limit is None or not step:
        yield 0, 0, [None]
    else:
        yield 0, 0, [max(0, -((start - limit) // step))]


def _recurrent(node: Any, given: Given, values: Values) -> Made:
    """LSTM, GRU and RNN: Y, then the last states."""
    dims, hidden, layout = given[0] if given else None, number(node, "hidden_size", 0), number(node, "layout", 0)
    if dims is None or len(dims) != 3 or layout not in (0, 1):
        return
    direction = next((attribute.s for attribute in node.attribute if attribute.name == "direction"), b"")
    ways = 2 if direction == b"bidirectional" else 1
    time, batch = dims[layout], dims[1 - layout]
    size = hidden if hidden > 0 else None
    yield 0, 0, [[time, ways, batch, size], [batch, time, ways, size]][layout]
    for at in (1, 2):
        yield at, 0, [[ways, batch, size], [batch, ways, size]][layout]


def _top_k(node: Any, given: Given, values: Values) -> Made:
    dims, count = given[0] if given else None, _known_numbers(values, 1)
    if dims is None or count is None or len(count) != 1:
        return
    axis = number(node, "axis", -1)
    if -len(dims) <= axis < len(dims):
        shape = list(dims)
        shape[axis] = count[0]
        yield 0, 0, shape
        yield 1, _INT64, shape


def _resize(node: Any, given: Given, values: Values) -> Made:
    """Resize, to sizes that are given for every axis alone."""
    dims, sizes = given[0] if given else None, _known_numbers(values, 3)
    keeps = next(
        (attribute.s for attribute in node.attribute if attribute.name == "keep_aspect_ratio_policy"), b"stretch"
    )
    if dims is not None and sizes is not None and len(sizes) == len(dims) and not has(node, "axes"):
        yield 0, 0, sizes if keeps == b"stretch" else [None] * len(dims)


KINDS: Mapping[str, Callable[[Any, Given, Values], Made]] = MappingProxyType(
    {
        "Expand": _expand,
        "Range": _range,
        "LSTM": _recurrent,
        "GRU": _recurrent,
        "RNN": _recurrent,
        "TopK": _top_k,
        "Resize": _resize,
    }
)
