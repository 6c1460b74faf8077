"""What a model holds: each node that becomes an experiment, and notes on the others."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

from msgspec.structs import replace

from ...desc.fields import Role
from ...errors import plain
from ...formats.json_places import NO_LINE
from ...formats.onnx_library import onnx_tools
from ..lib.found import Found, Item
from ..lib.imported import ImportFailedError, Note, Why, listed
from . import nodes
from .dims import free_dims, set_dims
from .graph import KINDS, MOST_VALUES, READ, Graph, Node

MOST_DATA = 4096
"""Elements of data that come along; data may be filled, while indices and lengths are what they are."""
MOST_IN_ALL = 1 << 22
"""Elements that come along with all the nodes; one tensor may be given to many."""
MOST_EXPERIMENTS = 1000
MOST_HELP = 8
"""Free dimensions that a sentence gives sizes for."""


def found(data: bytes, name: str, dims: dict[str, int]) -> list[Item]:
    """What a model holds, with sizes for its free dimensions. Raises ImportFailedError."""
    onnx = onnx_tools()
    model = onnx.ModelProto.FromString(data)
    if any(isinstance(text, bytes) for text in _texts(model)):
        raise ImportFailedError(f"{name} has a text that is no UTF-8, expected a well-formed ONNX model.")
    set_dims(model, dims, name)
    reader = _Reader(model, Graph(onnx, model, name))
    items = reader.items()
    sentence = reader.summary(free_dims(model))
    if reader.taken:
        return [Note(f"{sentence}.", unchecked=True), *items] if sentence else items
    if sentence:
        raise ImportFailedError(f"{name}: {sentence}.", Why.NOT_READ)
    none = f"{name} is a model without a node of {', '.join(READ)}, expected at least one."
    raise ImportFailedError(none, Why.NOTHING if model.graph.node else Why.UNREADABLE)


def _texts(message: Any) -> Iterator[str | bytes]:
    """All texts in a message of protobuf, which gives bytes for one that isn't UTF-8."""
    for field, held in message.ListFields():
        many = held if hasattr(held, "extend") else [held]
        if field.type == field.TYPE_STRING:
            yield from many
        elif field.type == field.TYPE_MESSAGE:
            for each in many:
                yield from _texts(each)


class _Reader:
    """What was made of the nodes so far."""

    def __init__(self, model: Any, graph: Graph) -> None:
        self.taken: dict[Node, tuple[Found, nodes.Finding]] = {}
        self._graph, self._is_ours = graph, model.producer_name == "dmlviz"
        self._unread: list[tuple[Note, str]] = []
        """Notes on nodes that aren't read, each with the node's kind."""
        self._values_left = MOST_IN_ALL

    def items(self) -> list[Item]:
        """Each node as what it becomes, or a note why not."""
        items = [self._item(node) for node in self._graph.nodes]
        for node in self.taken:
            self._lead(node, *self.taken[node])
        return items

    def _item(self, node: Node) -> Item:
        if node.kind not in READ:
            domain = f"of {plain(node.proto.domain, 40)}, not of ONNX's own operators"
            return Note(f"it is {'none of the operators here' if node.kind else domain}.", at=node.label)
        try:
            if len(self.taken) == MOST_EXPERIMENTS:
                raise nodes.Unknown(f"the {MOST_EXPERIMENTS:,} nodes before it are enough")
            finding = nodes.found(node, is_ours=self._is_ours)
        except nodes.Unknown as error:
            note = Note(f"{error}.", at=node.label, unchecked=True)
            self._unread.append((note, node.kind))
            return note
        one = Found(finding.desc, node.kind, at=node.label, text=finding.note)
        called = node.proto.doc_string if self._is_ours else node.name
        one.name = called or f"{node.kind} {len(self.taken) + 1}"
        self.taken[node] = one, finding
        return one

    def _lead(self, node: Node, one: Found, finding: nodes.Finding) -> None:
        """Add to an experiment the values of its inputs, which others it reads, and what its tensors are called."""
        for part, tensor in zip(finding.desc.inputs, finding.reads, strict=True):
            kind, sizes, count = part.tensor.data_type, part.tensor.sizes, math.prod(part.tensor.sizes)
            array = finding.lengths if part.field.role is Role.LENGTHS else tensor.value
            most = min(self._values_left, MOST_DATA if part.field.role is Role.DATA else MOST_VALUES)
            if array is not None and array.dtype == kind.dtype and 0 < array.size == count <= most:
                self._values_left -= count
                one.values[part.path] = listed(array.reshape(sizes))
            origin = nodes.origin(tensor)
            is_alike = KINDS.get(tensor.kind) == kind.name and math.prod(tensor.sizes or (0,)) == count
            if origin.maker in self.taken and is_alike:
                at = origin.maker.outputs.index(origin)
                output = f"OutputTensors[{at}]" if origin.maker.kind == "Split" else ""
                one.reads[part.path] = self.taken[origin.maker][0], output
            elif not self._is_ours:
                one.roots[part.path] = origin.name
        pairs = [*zip(finding.desc.inputs, node.inputs, strict=False)]
        pairs += zip(finding.desc.outputs, node.outputs, strict=False)
        label = f"graph/{node.label}"
        places = {part.path: replace(NO_LINE, name=f"{label}: {plain(tensor.name, 80)}") for part, tensor in pairs}
        one.locate = partial(dict, {"": replace(NO_LINE, name=label)} | places)

    def summary(self, free: list[str]) -> str:
        """How many nodes were not checked, and why the first; empty where there is none."""
        if not self._unread:
            return ""
        first = self._unread[0][0]
        kinds = {kind for _, kind in self._unread} | {one.called for one, _ in self.taken.values()}
        bad, total = len(self._unread), len(self._unread) + len(self.taken)
        more = f" (and {bad - 1:,} more)" if bad > 1 else ""
        sentence = (
            f"{bad:,} of {total:,} node{'s' * (total != 1)} of {', '.join(kind for kind in READ if kind in kinds)} not "
            f"checked: {first.at}: {first.text.removesuffix('.')}{more}"
        )
        if not free:
            return sentence
        given = " ".join(f"--dim {plain(dim, 60)}={_usual_size(dim)}" for dim in free[:MOST_HELP])
        more = f" and {len(free) - MOST_HELP:,} more" if len(free) > MOST_HELP else ""
        return f"{sentence}; `{given}`{more} would give the model's free dimensions their sizes"


def _usual_size(name: str) -> int:
    """A size that a sentence suggests for a free dimension: 1 for a batch, else 128."""
    return 1 if "batch" in name.lower() or name.lower() in ("n", "b") or name.endswith(":0") else 128
