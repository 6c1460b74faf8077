"""What a model holds: each node that becomes an experiment, and notes on the others."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import islice
from typing import Any

import numpy as np

from ...desc.fields import Role
from ...desc.value_sources import Listed
from ...errors import plain, quote
from ...session.cell_edits import listed
from ..lib.found import Found, Item
from ..lib.imported import ImportFailedError, Note, Why
from . import nodes
from .graph import KINDS, MOST, READ, RESHAPING, Graph, Node, is_free

MOST_EXPERIMENTS = 1000
MOST_NAMED = 8


def found(data: bytes, name: str, dims: Mapping[str, int]) -> list[Item]:
    """What a model holds, with sizes for its free dimensions. Raises ImportFailedError."""
    import onnx.checker  # not everybody has it
    import onnx.inliner
    import onnx.reference
    import onnx.shape_inference

    model = onnx.ModelProto.FromString(data)
    set_dims(model, dims, name)
    taken: dict[Node, Found] = {}
    items = [_item(node, taken) for node in Graph(onnx, model, name).nodes]
    for node in taken:
        _lead(node, taken)
    unread = [item for item in items if isinstance(item, Note) and item.unchecked]
    if not unread and not taken:
        none = f"{name} is a model without a node of {', '.join(READ)}, expected at least one."
        raise ImportFailedError(none, Why.NOTHING if model.graph.node else Why.UNREADABLE)
    if not unread:
        return items
    first = unread[0]
    total = len(unread) + len(taken)
    said = f"{len(unread):,} of {total:,} node{'s' * (total != 1)} not checked: {first.at}: {first.text[:-1]}"
    if free := " ".join(f"--dim {plain(dim, 60)}=SIZE" for dim in islice(_free_dims(model), MOST_NAMED)):
        said += f"; `{free}` gives free dimensions their sizes"
    if not taken:
        raise ImportFailedError(f"{name}: {said}.", Why.NOT_READ)
    return [Note(f"{said}.", unchecked=True), *items]


def set_dims(model: Any, dims: Mapping[str, int], name: str) -> None:
    """Raises ImportFailedError for a dimension that isn't free in the model called `name`, and for no size."""
    free = _free_dims(model)
    for key, size in dims.items():
        if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size < 2**32:
            raise ImportFailedError(f"dimension {quote(key)} is {quote(size)}, expected a size of 1 to 4,294,967,295.")
        if key not in free:
            names = ", ".join(plain(each, 60) for each in islice(free, MOST_NAMED))
            expected = f"expected one of {names}" if free else "as all its inputs' sizes are fixed"
            raise ImportFailedError(f"{name} has no free dimension {quote(key)}, {expected}.")
        for dim in free[key]:
            dim.dim_value = size


def _free_dims(model: Any) -> dict[str, list[Any]]:
    initialised = {tensor.name for tensor in model.graph.initializer}
    free: dict[str, list[Any]] = {}
    for info in model.graph.input:
        for axis, dim in enumerate(info.type.tensor_type.shape.dim if info.name not in initialised else ()):
            if is_free(dim):
                free.setdefault(dim.dim_param or f"{info.name}:{axis}", []).append(dim)
    return free


def _item(node: Node, taken: dict[Node, Found]) -> Item:
    if node.kind not in READ:
        return Note("it is none of the operators here.", at=node.label)
    try:
        if len(taken) == MOST_EXPERIMENTS:
            raise nodes.Unknown(f"the {MOST_EXPERIMENTS:,} nodes before it are enough")
        desc = nodes.found(node)
    except nodes.Unknown as error:
        return Note(f"{error}.", at=node.label, unchecked=True)
    taken[node] = Found(desc, node.kind, at=node.label, name=str(node.name or f"{node.kind} {len(taken) + 1}"))
    return taken[node]


def _lead(node: Node, taken: dict[Node, Found]) -> None:
    one = taken[node]
    for part, tensor in zip(one.desc.inputs, node.inputs, strict=False):
        kind = part.tensor.data_type
        sizes = part.tensor.sizes
        count = math.prod(part.tensor.sizes)
        array = tensor.value
        own = KINDS.get(tensor.type[0])
        if part.field.role is Role.LENGTHS:
            one.text = f"its lengths are {own}, and became {kind}, one for each sequence"
            if array is not None and count <= MOST:
                batch = [-1 if axis == 1 - one.desc.get("Axis") else 1 for axis in range(len(sizes))]
                array = np.broadcast_to(array.astype(kind.dtype).reshape(batch), sizes)
        if array is not None and array.dtype == kind.dtype and 0 < array.size == count <= MOST:
            one.values[part.path] = Listed(tuple(listed(array.reshape(-1))), sizes)
        origin = tensor
        while origin.maker is not None and origin.maker.kind in RESHAPING and origin.maker.inputs:
            origin = origin.maker.inputs[0]
        if origin.maker in taken and own == kind.name and math.prod(tensor.sizes or (0,)) == count:
            at = origin.maker.outputs.index(origin)
            output = f"OutputTensors[{at}]" if origin.maker.kind == "Split" else ""
            one.reads[part.path] = taken[origin.maker], output
        else:
            one.roots[part.path] = str(origin.name)
