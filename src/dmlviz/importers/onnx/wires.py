"""Which tensors of a model go from one experiment into another, and what those are called that come from elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...desc.base import Desc
from ...desc.fields import Role
from ...desc.value_sources import Wired
from ...errors import quote
from ...session.experiments import Experiment
from ...session.wiring import wires
from ..lib.wired import wired, with_roots
from .graph import MOST_STEPS, RESHAPING, Graph
from .nodes import Unknown

MOST_NAMED = 8
"""Tensors that a remark names."""
Tensor = tuple[Graph, str]


class Piece(NamedTuple):
    """A node that became an experiment."""

    graph: Graph
    node: Any
    desc: Desc
    steering: Tensor | None
    """The tensor that indices or lengths are read from."""

    def read(self) -> Iterator[tuple[str, Tensor, bool]]:
        """Each input's path and tensor; False for one of another type or count, of which its values are made."""
        names = iter(self.node.input)
        for part in self.desc.inputs:
            at = (self.graph, next(names, "")) if part.field.role is Role.DATA else self.steering
            if at is None or not at[1]:
                continue
            try:
                kind, sizes = at[0].data_type(at[1]), at[0].sizes(at[1])
            except Unknown:
                continue
            yield part.path, at, kind is part.tensor.data_type and math.prod(sizes) == math.prod(part.tensor.sizes)


def chained(
    experiments: Sequence[Experiment], pieces: Sequence[Piece], *, named: bool
) -> tuple[tuple[Experiment, ...], Mapping[int, tuple[Sequence[str], str]]]:
    """The experiments with wires, and of each one in a chain, by number: its wired paths, and a sentence's end.

    What no wire fills is a root of the chain; with `named`, by the name that the model has for it.
    """
    made: dict[tuple[int, str], tuple[int, str] | None] = {}
    for i, piece in enumerate(pieces):
        for k, name in enumerate(piece.node.output):
            path = f"OutputTensors[{k}]" if piece.node.op_type == "Split" else ""
            for graph, called in piece.graph.names(name) if name else ():
                at = id(graph), called
                made[at] = (i, path) if at not in made else None
    reads: list[dict[str, Tensor]] = []
    links: list[dict[str, tuple[int, str]]] = []
    for piece in pieces:
        reads.append({})
        links.append({})
        for path, tensor, is_alike in piece.read():
            graph, name = reads[-1][path] = _origin(tensor)
            link = made.get((id(graph), name))
            if is_alike and link is not None:
                links[-1][path] = link
    found = wired(experiments, dict(enumerate(links)))
    if named:
        found = with_roots(found, {i: {path: name for path, (_, name) in own.items()} for i, own in enumerate(reads)})
    read = {wire.name for one in found for _, wire in wires(one)}
    told = {}
    for i, own in enumerate(reads):
        led = {part.path: wire for part, wire in wires(found[i])}
        if led or found[i].name in read:
            roots = {path: at for path, at in own.items() if named and path not in led}
            told[i] = list(led), _sentence(led, roots)
    return found, told


def _origin(at: Tensor) -> Tensor:
    """The tensor of the same elements in the same order that stands before nodes that only reshape."""
    graph, name = at[0].home(at[1])
    for _ in range(MOST_STEPS):
        source = graph.maker(name)
        if source is None or source[1].op_type not in RESHAPING or not source[1].input or not source[1].input[0]:
            break
        graph, name = source[0].home(source[1].input[0])
    return graph, name


def _sentence(led: Mapping[str, Wired], roots: Mapping[str, Tensor]) -> str:
    """What an experiment of a chain reads: other experiments, and roots."""
    sources = dict.fromkeys(quote(wire.name, 40) for wire in led.values())
    told = [f"{path} is {quote(name, 40)}, {graph.about(name)}" for path, (graph, name) in roots.items()]
    texts = [f"it reads {_listed(list(sources))}"] if sources else []
    return "".join(f"; {text}" for text in [*texts, *([_listed(told, "; ")] if told else [])])


def _listed(texts: Sequence[str], mark: str = ", ") -> str:
    return mark.join(texts[:MOST_NAMED]) + f"{mark}…" * (len(texts) > MOST_NAMED)
