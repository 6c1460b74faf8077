"""The same chain with less: edits of a copy of its session, each verified by `deciding.same` before it is offered.

A rule is a guess, by a few hundred elements that it follows; what isn't the same map is not offered.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import accumulate, islice, pairwise
from typing import Any

import numpy as np
from msgspec import Struct

from ..desc.base import Desc
from ..desc.fields import Role
from ..desc.indexing import put, ravel, sample_indices, unravel
from ..desc.tensors import DataType, TensorDesc
from ..desc.value_sources import MOST_FITTED, Listed, ValueSource, Wired
from ..desc.values import Constant, Indices
from ..errors import DmlvizError, SessionError, plain, quote
from ..operators.gather import Gather
from ..operators.join import Join
from ..operators.maps import tensors_among
from ..operators.registry import operator_of
from ..operators.reverse_subsequences import ReverseSubsequences
from ..operators.slice1 import Slice1
from ..operators.split import Split
from ..operators.tile import Tile
from ..session.chains import Chain
from ..session.experiments import Experiment, Session
from ..session.wiring import through_output
from ..stopping import checkpoint
from .rooted import MOST_LISTED, Edit, Output, Rooted

MOST_TRIED = 64
"""Edits of one chain that are verified."""


class Offer(Struct, frozen=True, kw_only=True):
    """A session in which a chain is the same with less."""

    text: str
    """What becomes of which stages."""
    session: Session
    number: int
    """Where the chain ends in it."""
    for_all: bool
    """It is the same map for all index values."""
    uses_values: bool
    """If not for all: False where none but the offer's own indices have to be as they are."""
    dispatches: int
    """How many fewer."""
    bytes: int
    """How many fewer are moved, indices included; negative for more."""

    @property
    def holds(self) -> str:
        """For which index values it is the same map."""
        if self.for_all:
            return "for all index values"
        return "for these index values" if self.uses_values else "by indices of its own"

    @property
    def saves(self) -> str:
        """What it saves, in words."""
        fewer = f"{self.dispatches} dispatch{'es' * (self.dispatches != 1)} fewer"
        return f"{fewer}, {abs(self.bytes):,} bytes {'fewer' if self.bytes >= 0 else 'more'}"


def offers(session: Session, number: int) -> list[Offer]:
    """What does the same as the chain that ends with an experiment with less, what saves most first.

    Raises DmlvizError for a chain that can't run.
    """
    rules = _Rules(session, number)
    found: list[Offer] = []
    for edit in islice(rules.edits(), MOST_TRIED):
        checkpoint()
        offer = _offer(rules, edit)
        if offer is not None and all(other.session != offer.session for other in found):
            found.append(offer)
    return sorted(found, key=lambda offer: (-offer.dispatches, -offer.bytes, offer.text))


def _offer(rules: _Rules, edit: Edit) -> Offer | None:
    """An edit that is the same map, can be made, and saves something or trades bytes; None for another."""
    try:
        edited = rules.edited(edit)
    except DmlvizError:
        return None
    if edited is None:
        return None
    before, after = rules.session.experiments, edited.session.experiments
    lost, won = ([one for one in a if not any(one is o for o in b)] for a, b in ((before, after), (after, before)))
    dispatches, saved = len(before) - len(after), sum(map(_moved, lost)) - sum(map(_moved, won))
    if dispatches < 0 or dispatches == saved == 0:
        return None
    return Offer(
        text=edit.text,
        session=edited.session,
        number=edited.number,
        for_all=edited.for_all,
        uses_values=edit.uses_values,
        dispatches=dispatches,
        bytes=saved,
    )


def _moved(stage: Experiment) -> int:
    """Bytes that a stage reads and writes: each element of its outputs, and indices or lengths once."""
    steering = sum(p.tensor.byte_count for p in stage.desc.inputs if p.field.role is not Role.DATA)
    return 2 * sum(part.tensor.byte_count for part in stage.desc.outputs) + steering


def best_of(session: Session, number: int, *, for_all_values: bool = False) -> tuple[Session, int]:
    """The session with every offer for a chain that costs nothing, one after the other, and where the chain ends in it.

    With `for_all_values`, only those that hold whatever index values are.
    """
    while True:
        better = (offer for offer in offers(session, number) if min(offer.dispatches, offer.bytes) >= 0)
        best = next((offer for offer in better if offer.for_all or not for_all_values), None)
        if best is None:
            return session, number
        session, number = best.session, best.number


def simplified(chain: Chain, *, for_all_values: bool = False) -> Chain:
    """The chain with every offer that costs nothing; itself where there is none. Raises DmlvizError for large arrays.

    With `for_all_values`, only with those that hold whatever index values are.
    """
    begun = Session(tuple(map(_as_file, chain.stages)))
    session, number = best_of(begun, len(chain.stages) - 1, for_all_values=for_all_values)
    return chain if session is begun else Chain(session.experiments[number])


def _as_file(stage: Experiment) -> Experiment:
    """A stage as a file would have it: Python's arrays are lists. Raises DmlvizError for one that is too long."""
    if type(stage) is Experiment:
        return stage
    values = dict(stage.values)
    for part, held in zip(stage.desc.inputs, stage.sources(), strict=True):
        if (count := part.tensor.element_count) > MOST_FITTED and part.path not in values:
            at_most = f"expected at most {MOST_FITTED:,} of an array"
            raise SessionError(f"{part.path} of {quote(stage.name)} has {count:,} elements, {at_most}.")
        if part.path not in values:
            values[part.path] = Listed(tuple(held.array().reshape(-1).tolist()), part.tensor.sizes)
    return Experiment(stage.name, stage.desc, stage.feature_level, values, folder=stage.folder)


class _Rules(Rooted):
    """The rules, on the copy of a session."""

    def edits(self) -> Iterator[Edit]:
        """Edits that may be the same with less."""
        by_operator: dict[type[Desc], list[Any]] = {
            Gather: [self._gather_of_gather, self._reversal, self._parts],
            Join: [self._join_of_join],
            Tile: [self._tile_of_tile],
            Split: [self._split_of_split, self._one_part],
        }
        for place in self.chain:
            desc = self.stages[place].desc
            for rule in [self._straight, *by_operator.get(type(desc), []), self._one_gather]:
                yield from rule(place, desc)

    # ---- by elements that are followed

    def _straight(self, place: int, desc: Desc) -> Iterator[Edit]:
        """Outputs that are ones before them: what reads them reads those."""
        outputs, is_end = desc.outputs, place in self.ends
        found: list[list[tuple[Output, Output, list[int]]]] = []
        for number, part in enumerate(outputs):
            flat = sample_indices(part.tensor.element_count)
            ways = [
                ((place, number), before, between)
                for before, places, between in self._passed((place, number), flat)
                if self.tensor(before).element_count == part.tensor.element_count and (places == flat).all()
                if not is_end or (self.tensor(before).sizes == part.tensor.sizes and self._is_alone(before))
            ]
            found.append(ways[::-1])  # the farthest first
        if len(outputs) > 1:  # all at once, or nothing is saved
            found = [] if is_end else [[way for ways in found for way in ways[:1]]]
        for ways in found if len(outputs) > 1 else [[way] for way in found[0]]:
            between = [*dict.fromkeys(stage for _, _, stages in ways for stage in stages)]
            through = f", through {', '.join(map(self._label, between))}" * bool(between)
            yield Edit(
                text=f"{self._label(place)} gives back {', '.join(self.text(way[1]) for way in ways)}{through}",
                led={output: self.wire(before) for output, before, _ in ways},
                uses_values=self._steered([place, *between]),
            )

    def _one_gather(self, place: int, desc: Desc) -> Iterator[Edit]:
        """Several stages, or a REVERSE, of which the last has slices of what the first reads, along one axis."""
        if len(desc.outputs) > 1:
            return
        sizes = desc.outputs[0].tensor.sizes
        flat = sample_indices(math.prod(sizes))
        for before, places, between in self._passed((place, 0), flat):
            whole = self.tensor(before).sizes
            if len(whole) != len(sizes) or not (between or isinstance(desc, ReverseSubsequences)):
                continue
            pairs = zip(unravel(flat, sizes), unravel(places, whole), strict=True)
            moved = [d for d, (at, there) in enumerate(pairs) if sizes[d] != whole[d] or (at != there).any()]
            if len(moved) != 1 or sizes[moved[0]] > MOST_LISTED:
                continue
            axis = moved[0]
            line = np.arange(sizes[axis], dtype=np.int64)
            line = ravel([line * (d == axis) for d in range(len(sizes))], sizes)
            there = next((at for output, at, _ in self._passed((place, 0), line) if output == before), None)
            if there is None:
                continue
            shape = (*(1,) * (len(sizes) - 1), sizes[axis])
            picked = Gather(self.tensor(before), TensorDesc(DataType.UINT32, shape), axis, 1)
            indices = Listed(tuple(unravel(there, whole)[axis].tolist()), shape)
            of = " of ".join(map(self._label, [place, *between]))
            yield Edit(
                text=f"{of} is one GATHER of {self.text(before)} along axis {axis}",
                stages={place: self._new(place, picked, InputTensor=before, IndicesTensor=indices)},
                uses_values=self._steered([place, *between]),
            )

    def _passed(self, output: Output, flat: Indices) -> Iterator[tuple[Output, Indices, list[int]]]:
        """The outputs before one through which all elements `flat` of it came, where in them, and what lies between."""
        waiting: dict[Output, list[tuple[Indices, Indices]]] = {output: [(np.arange(len(flat)), flat)]}
        between: list[int] = []
        for stage in reversed(self.stages[output[0]].stages):
            place = self.numbers[id(stage)]
            entered = [key for key in waiting if key[0] == place]
            for key in entered:
                which, elements = (np.concatenate(pieces) for pieces in zip(*waiting.pop(key), strict=True))
                if key != output and len(which) == len(flat):
                    yield key, elements[np.argsort(which)], between[1:]
                tensors, places, _, _ = through_output(stage.links, key[1], elements)
                for k in tensors_among(tensors):
                    if (led := self.source(place, stage.desc.inputs[k].path)) is not None:
                        waiting.setdefault(led, []).append((which[tensors == k], places[tensors == k]))
            between += [place] * bool(entered)

    # ---- by descs

    def _gather_of_gather(self, place: int, desc: Gather) -> Iterator[Edit]:
        """GATHER(GATHER(x, i), j): x by i[j], whatever both hold."""
        before, first, _ = self._like(place, desc, "InputTensor")
        if first is None or (first.index_dimensions, first.axis) != (1, desc.axis):
            return
        data, own, its = self.source(before), self.source(before, "IndicesTensor"), self.source(place, "IndicesTensor")
        last = first.indices_tensor.dimension_count - 1
        picked = Gather(first.indices_tensor, desc.indices_tensor, last, desc.index_dimensions)
        if picked.output_tensor is None or data is None or own is None or its is None:
            return
        name, stage = self.free(f"{self.stages[place].name} indices"), self.stages[place]
        values = {"InputTensor": self.wire(own), "IndicesTensor": self.wire(its)}
        both = Gather(first.input_tensor, picked.output_tensor, first.axis, desc.index_dimensions)
        yield Edit(
            text=f"{self._label(place)} of {self._label(before)} is one of {self.text(data)} by indices of indices",
            stages={place: self._new(place, both, InputTensor=data, IndicesTensor=Wired(name))},
            added=(Experiment(name, picked, stage.feature_level, values, folder=stage.folder),),
        )

    def _reversal(self, place: int, desc: Gather) -> Iterator[Edit]:
        """A GATHER whose indices turn around the beginning of an axis: one REVERSE."""
        data, indices, n = self.source(place), self._indices(place, desc), desc.input_tensor.sizes[desc.axis]
        length = indices[0] + 1 if indices else 0
        if data is None or length < 2 or indices != [*range(length - 1, -1, -1), *range(length, n)]:
            return
        lengths = TensorDesc(DataType.UINT32, put(desc.input_tensor.sizes, desc.axis, 1))
        turned = ReverseSubsequences(desc.input_tensor, lengths, desc.axis)
        yield Edit(
            text=f"{self._label(place)} is REVERSE_SUBSEQUENCES of {self.text(data)} by {length}",
            stages={place: self._new(place, turned, InputTensor=data, SequenceLengthsTensor=Constant(length))},
            uses_values=True,
        )

    def _parts(self, place: int, desc: Gather) -> Iterator[Edit]:
        """GATHERs of one tensor that each take neighbours: the parts of one SPLIT."""
        data, axis, whole, taken = self.source(place), desc.axis, desc.input_tensor, list[tuple[int, int, int]]()
        for other in self.places:
            its = self.stages[other].desc
            if isinstance(its, Gather) and (self.source(other), its.axis) == (data, axis) and other not in self.ends:
                indices = self._indices(other, its)
                if indices and indices == [*range(indices[0], indices[0] + len(indices))]:
                    taken.append((indices[0], indices[-1] + 1, other))
        taken.sort()
        if data is None or place != min((other for *_, other in taken), default=-1):
            return
        cuts, led, name = [0], dict[Output, Wired](), self.stages[place].name
        for start, stop, other in taken:
            if start < cuts[-1] or stop > whole.sizes[axis]:
                return
            cuts += [start] * (start > cuts[-1])
            led[other, 0] = Wired(name, f"OutputTensors[{len(cuts) - 1}]")
            cuts.append(stop)
        cuts += [whole.sizes[axis]] * (cuts[-1] < whole.sizes[axis])
        parts = [whole.resized(put(whole.sizes, axis, b - a)) for a, b in pairwise(cuts)]
        yield Edit(
            text=f"{', '.join(self._label(other) for *_, other in taken)}: parts of one SPLIT of {self.text(data)}",
            stages={place: self._new(place, Split(whole, parts, axis), InputTensor=data)},
            led=led,
            uses_values=True,
        )

    def _join_of_join(self, place: int, desc: Join) -> Iterator[Edit]:
        for k in range(len(desc.input_tensors)):
            before, inner, _ = self._like(place, desc, f"InputTensors[{k}]")
            if inner is not None and inner.axis == desc.axis and before in self.places:
                tensors, entries = (
                    [*own[:k], *its, *own[k + 1 :]]
                    for own, its in (
                        (desc.input_tensors, inner.input_tensors),
                        (self._entries(place), self._entries(before)),
                    )
                )
                values = {f"InputTensors[{i}]": entry for i, entry in enumerate(entries)}
                yield Edit(
                    text=f"{self._label(place)} of {self._label(before)} is one JOIN of {len(tensors)}",
                    stages={place: self._new(place, Join(tensors, desc.axis), **values)},
                )

    def _entries(self, place: int) -> list[ValueSource]:
        return [self.stages[place].values[part.path] for part in self.stages[place].desc.inputs]

    def _tile_of_tile(self, place: int, desc: Tile) -> Iterator[Edit]:
        before, inner, _ = self._like(place, desc, "InputTensor")
        if inner is not None:
            repeats = [a * b for a, b in zip(inner.repeats, desc.repeats, strict=True)]
            tiled = self._new(place, Tile(inner.input_tensor, repeats), InputTensor=self.source(before))
            yield Edit(
                text=f"{self._label(place)} of {self._label(before)} is one TILE by {repeats}", stages={place: tiled}
            )

    def _split_of_split(self, place: int, desc: Split) -> Iterator[Edit]:
        before, inner, j = self._like(place, desc, "InputTensor")
        if inner is None or place in self.ends or inner.axis != desc.axis or self.readers((before, j)) != 1:
            return
        parts = [*inner.output_tensors[:j], *desc.output_tensors, *inner.output_tensors[j + 1 :]]
        name, more = self.stages[before].name, len(desc.output_tensors)
        led = {(place, k): Wired(name, f"OutputTensors[{j + k}]") for k in range(more)}
        for k in range(j + 1, len(inner.output_tensors)):
            led[before, k] = Wired(name, f"OutputTensors[{k + more - 1}]")
        yield Edit(
            text=f"{self._label(place)} of {self._label(before)} is one SPLIT in {len(parts)}",
            stages={before: replace(self.stages[before], desc=Split(inner.input_tensor, parts, inner.axis))},
            led=led,
        )

    def _one_part(self, place: int, desc: Split) -> Iterator[Edit]:
        """A SPLIT of which one part is read: that alone is sliced off."""
        read = [k for k in range(len(desc.output_tensors)) if self.readers((place, k))]
        if place in self.ends or len(read) != 1 or len(desc.output_tensors) == 1:
            return
        k, sizes = read[0], desc.output_tensors[read[0]].sizes
        start = [0, *accumulate(part.sizes[desc.axis] for part in desc.output_tensors)][k]
        cut = Slice1(desc.input_tensor, put((0,) * len(sizes), desc.axis, start), sizes, (1,) * len(sizes))
        yield Edit(
            text=f"{self._label(place)} without the parts that nobody reads is one SLICE1",
            stages={place: self._new(place, cut, InputTensor=self.source(place))},
            led={(place, k): Wired(self.stages[place].name, "OutputTensor")},
        )

    # ---- what they ask

    def _like(self, place: int, desc: Desc, path: str) -> tuple[int, Any, int]:
        """What an input reads if a stage of the same operator makes just that: its number, its desc, its output."""
        source, own = self.source(place, path), next(part.tensor for part in desc.inputs if part.path == path)
        before = self.stages[source[0]].desc if source is not None else None
        if source is None or type(before) is not type(desc) or self.tensor(source) != own:
            return place, None, 0
        return source[0], before, source[1]

    def _indices(self, place: int, desc: Gather) -> list[int] | None:
        """What a GATHER's indices hold, if they are few and its output has as many slices as they are."""
        alike = self.tensor((place, 0)).dimension_count == desc.input_tensor.dimension_count
        if desc.index_dimensions != 1 or not alike or desc.indices_tensor.element_count > MOST_LISTED:
            return None
        found: list[int] = self.stages[place].links.values[1].array().reshape(-1).tolist()
        return found

    def _steered(self, places: Iterable[int]) -> bool:
        return any(part.field.role is not Role.DATA for place in places for part in self.stages[place].desc.inputs)

    def _is_alone(self, output: Output) -> bool:
        return len(self.stages[output[0]].desc.outputs) == 1

    def _label(self, place: int) -> str:
        return f"{operator_of(self.stages[place].desc).name} {plain(self.stages[place].name, 40)}"

    def _new(self, place: int, desc: Desc, **values: Output | ValueSource | None) -> Experiment:
        """A stage with another desc in its place; by path, the outputs that it reads, or what fills it."""
        stage = self.stages[place]
        extra = {key: entry for key, entry in stage.extra.items() if key not in ("task", "roots")}
        led = {path: self.wire(to) if isinstance(to, tuple) else to for path, to in values.items() if to is not None}
        return replace(stage, desc=desc, values=led, extra=extra)
