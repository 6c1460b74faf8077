"""The free dimensions of an ONNX model: what they are called, and sizes for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import plain, quote
from ..lib.imported import ImportFailedError

MOST_SIZE = 2**32 - 1
MOST_NAMED = 12
"""Free dimensions that a sentence names."""


def free_dims(model: Any) -> list[str]:
    """What the free dimensions of a model's inputs are called: by the model, or `INPUT:AXIS`."""
    return list(dict.fromkeys(words[0] for _, words in _free(model)))


def _free(model: Any) -> Iterator[tuple[Any, list[str]]]:
    """The free dimensions of a model's inputs, each with the words for it."""
    initialised = {tensor.name for tensor in model.graph.initializer}
    for info in model.graph.input:
        shape = info.type.tensor_type.shape.dim
        for axis, dim in enumerate(shape if info.name not in initialised else ()):
            if is_free(dim):
                own = [dim.dim_param] if dim.dim_param else []
                yield dim, [*own, f"{info.name}:{axis}", f"{info.name}:{axis - len(shape)}"]


def set_dims(model: Any, dims: Mapping[str, int], name: str) -> None:
    """Gives free dimensions of `model`, called `name` in sentences, their sizes.

    A key is the dimension's own name, or `INPUT:AXIS`. Raises ImportFailedError for what the model hasn't got, and for
    a size that isn't 1 to 2^32 - 1.
    """
    free, every = list(_free(model)), free_dims(model)
    for key, size in dims.items():
        if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= MOST_SIZE:
            raise ImportFailedError(f"dimension {quote(key)} is {quote(size)}, expected a size of 1 to {MOST_SIZE:,}.")
        one = next((dim for dim, words in free if key in words), None)
        if one is None:
            names = ", ".join(plain(each, 60) for each in every[:MOST_NAMED])
            expected = f"expected one of {names}" if every else "as all its inputs' sizes are fixed"
            raise ImportFailedError(f"{name} has no free dimension {quote(key)}, {expected}.")
        for info in _infos(model.graph) if one.dim_param else ():
            for dim in info.type.tensor_type.shape.dim:
                if is_free(dim) and dim.dim_param == one.dim_param and dim is not one:
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


def is_free(dim: Any) -> bool:
    """True for a dimension without a size; some exporters write -1."""
    return not dim.HasField("dim_value") or dim.dim_value < 0
