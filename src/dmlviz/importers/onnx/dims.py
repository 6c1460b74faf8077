"""The free dimensions of an ONNX model: what they are called, and sizes for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import plain, quote
from ..lib.imported import ImportFailedError
from .nodes import all_nodes, subgraphs

MOST_SIZE = 2**32 - 1
MOST_NAMED = 12
"""Free dimensions that a sentence names."""


def free_dims(model: Any) -> list[str]:
    """What the free dimensions of a model's inputs are called: by the model, or `INPUT:AXIS`."""
    initialised = {tensor.name for tensor in model.graph.initializer}
    names: dict[str, None] = {}
    for info in model.graph.input:
        if info.name not in initialised:
            for axis, dim in enumerate(_dims(info)):
                # protobuf gives what is no UTF-8 as bytes; nobody can type it either.
                if _is_free(dim) and isinstance(dim.dim_param, str) and isinstance(info.name, str):
                    names[dim.dim_param or f"{info.name}:{axis}"] = None
    return list(names)


def set_dims(model: Any, dims: Mapping[str, int], name: str) -> None:
    """Gives free dimensions of `model`, called `name` in sentences, their sizes.

    A key is the dimension's own name, or `INPUT:AXIS`. Raises ImportFailedError for what the model hasn't got, and for
    a size that isn't 1 to 2^32 - 1.
    """
    named: dict[str, int] = {}
    infos = list(_infos(model.graph))
    own = {dim.dim_param for info in infos for dim in _dims(info) if _is_free(dim)} - {""}
    for key, size in dims.items():
        if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= MOST_SIZE:
            raise ImportFailedError(f"dimension {quote(key)} is {quote(size)}, expected a size of 1 to {MOST_SIZE:,}.")
        if not isinstance(key, str):
            raise ImportFailedError(f"dimension {quote(key)} is no name, expected one, or INPUT:AXIS.")
        if key in own:
            named[key] = size
            continue
        dim = _of_input(model, key, name)
        if dim.dim_param:
            named[dim.dim_param] = size
        else:
            dim.dim_value = size
    for info in infos:
        for dim in _dims(info):
            if _is_free(dim) and dim.dim_param in named:
                dim.dim_value = named[dim.dim_param]


def _of_input(model: Any, key: str, name: str) -> Any:
    """The free dimension that `INPUT:AXIS` names. Raises ImportFailedError."""
    word, _, axis = key.rpartition(":")
    info = next((info for info in model.graph.input if info.name == word), None) if word else None
    if info is not None and axis.removeprefix("-").isdecimal() and len(axis) < 5 and axis.isascii():
        shape = _dims(info)
        if not -len(shape) <= int(axis) < len(shape):
            raise ImportFailedError(
                f"{name} has no dimension {quote(key)}, expected an axis below {len(shape)}, as many as the model "
                f"gives {quote(word)}."
            )
        dim = shape[int(axis)]
        if _is_free(dim):
            return dim
        raise ImportFailedError(f"dimension {quote(key)} of {name} is {dim.dim_value}, expected one that is free.")
    names = free_dims(model)
    if not names:
        raise ImportFailedError(f"{name} has no dimension {quote(key)}: none of its inputs' is free.")
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    raise ImportFailedError(
        f"{name} has no free dimension {quote(key)}, expected one of "
        f"{', '.join(plain(free, 60) for free in names[:MOST_NAMED])}{more}."
    )


def _infos(graph: Any) -> Iterator[Any]:
    """What a graph, and every graph in it, says of its tensors."""
    graphs = [graph, *(inner for node in all_nodes(graph.node) for _, inner in subgraphs(node))]
    for graph_of in graphs:
        yield from graph_of.input
        yield from graph_of.output
        yield from graph_of.value_info


def _dims(info: Any) -> Any:
    return info.type.tensor_type.shape.dim


def _is_free(dim: Any) -> bool:
    return not dim.HasField("dim_value") or dim.dim_value < 0
