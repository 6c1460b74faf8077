"""The free dimensions of an ONNX model: what they are called, and sizes for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import plain, quote
from ..lib.imported import ImportFailedError

MOST_SIZE = 2**32 - 1
MOST_NAMED = 12
"""Free dimensions that a sentence names."""


def free_dims(model: Any) -> dict[str, Any]:
    """The free dimensions of a model's inputs, by the model's own name or `INPUT:AXIS`."""
    initialised = {tensor.name for tensor in model.graph.initializer}
    return {
        dim.dim_param or f"{info.name}:{axis}": dim
        for info in model.graph.input
        if info.name not in initialised
        for axis, dim in enumerate(_dims(info))
        if is_free(dim)
    }


def set_dims(model: Any, dims: Mapping[str, int], name: str) -> None:
    """Gives free dimensions of `model`, called `name` in sentences, their sizes.

    A key is the dimension's own name, or `INPUT:AXIS`. Raises ImportFailedError for what the model hasn't got, and for
    a size that isn't 1 to 2^32 - 1.
    """
    free = free_dims(model)
    words = {
        f"{info.name}:{at}": dim
        for info in model.graph.input
        for axis, dim in enumerate(_dims(info))
        for at in (axis, axis - len(_dims(info)))
        if is_free(dim)
    }
    for key, size in dims.items():
        if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= MOST_SIZE:
            raise ImportFailedError(f"dimension {quote(key)} is {quote(size)}, expected a size of 1 to {MOST_SIZE:,}.")
        one = free.get(key, words.get(key))
        if one is None:
            more = f" and {len(free) - MOST_NAMED:,} more" if len(free) > MOST_NAMED else ""
            names = ", ".join(plain(each, 60) for each in [*free][:MOST_NAMED])
            expected = f"expected one of {names}{more}" if free else "as all its inputs' sizes are fixed"
            raise ImportFailedError(f"{name} has no free dimension {quote(key)}, {expected}.")
        word = one.dim_param
        for dim in (dim for info in _infos(model.graph) for dim in _dims(info) if word and is_free(dim)):
            if dim.dim_param == word:
                dim.dim_value = size
        one.dim_value = size


def _infos(graph: Any) -> Iterator[Any]:
    """What a graph, and every graph in it, says of its tensors."""
    yield from (*graph.input, *graph.output, *graph.value_info)
    for node in graph.node:
        for _, inner in subgraphs(node):
            yield from _infos(inner)


def subgraphs(node: Any) -> Iterator[tuple[str, Any]]:
    """The graphs that a node holds, and what they are called: `then_branch`, `branches[1]`."""
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.name, attribute.g
        for i, graph in enumerate(attribute.graphs):
            yield f"{attribute.name}[{i}]", graph


def _dims(info: Any) -> Any:
    return info.type.tensor_type.shape.dim


def is_free(dim: Any) -> bool:
    """True for a dimension without a size; some exporters write -1."""
    return not dim.HasField("dim_value") or dim.dim_value < 0
