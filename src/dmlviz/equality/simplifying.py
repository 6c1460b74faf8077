"""The same chain with less: edits of a copy of the session, each verified by `deciding.same` before it is offered.

On the copy every input is wired: one that no wire fills reads a stage of its own, which copies it. So a rule sees wires
alone, and these stages, the same objects before and after an edit, say which inputs are the same tensors.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import accumulate, count, islice, pairwise

import numpy as np
from msgspec import Struct

from ..desc.base import Desc
from ..desc.fields import Role
from ..desc.indexing import put, ravel, sample_indices, unravel
from ..desc.levels import NEWEST
from ..desc.tensors import DataType, TensorDesc
from ..desc.value_sources import MOST_FITTED, Listed, ValueSource, Wired
from ..desc.values import Constant, Indices, Iota, Random
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
from ..session.wiring import fault, through_output, wires
from ..stopping import checkpoint
from .deciding import Answer, same

MOST_LISTED = 4096
"""Indices that an offer lists, and values of an input that a rule looks at."""
MOST_TRIED = 64
"""Edits of one chain that are verified."""
Output = tuple[int, int]
"""A stage's number, and the number of its output."""


class Offer(Struct, frozen=True, kw_only=True):
    """A session in which a chain is the same with less."""

    text: str
    """What becomes of which stages."""
    session: Session
    number: int
    """Where the chain ends in it."""
    answer: Answer
    """FOR_ALL or FOR_THESE index values."""
    uses_values: bool
    """False where none but the offer's own indices have to be as they are."""
    dispatches: int
    """How many fewer."""
    bytes: int
    """How many fewer are moved, indices included; negative for more."""

    @property
    def holds(self) -> str:
        """For which index values it is the same map."""
        if self.answer is Answer.FOR_ALL:
            return "for all index values"
        return "for these index values" if self.uses_values else "by indices of its own"

    @property
    def saves(self) -> str:
        """What it saves, in words."""
        fewer = f"{self.dispatches} dispatch{'es' * (self.dispatches != 1)} fewer"
        way = "fewer" if self.bytes >= 0 else "more"
        return f"{fewer}, {abs(self.bytes):,} bytes {way}"


class _Edit(Struct, frozen=True, kw_only=True):
    """What a rule would do to the copy."""

    text: str
    stages: Mapping[int, Experiment] = {}
    """By number, what takes a stage's place."""
    added: tuple[Experiment, ...] = ()
    led: Mapping[Output, Wired] = {}
    """What is read in the place of an output."""
    uses_values: bool = False


def offers(session: Session, number: int) -> list[Offer]:
    """What does the same as the chain that ends with an experiment with less, what saves most first.

    Raises DmlvizError for a chain that can't run, and for an experiment that reads no other.
    """
    copied = _Copy(session, number)
    found: list[Offer] = []
    for edit in islice(copied.edits(), MOST_TRIED):
        checkpoint()
        offer = copied.offer(edit)
        if offer is not None and all(other.session != offer.session for other in found):
            found.append(offer)
    return sorted(found, key=lambda offer: (-offer.dispatches, -offer.bytes, offer.text))


def best_of(session: Session, number: int, *, for_all_values: bool = False) -> tuple[Session, int]:
    """The session with every offer for a chain that costs nothing, one after the other, and where the chain ends in it.

    With `for_all_values`, only those that hold whatever index values are.
    """
    while True:
        better = (offer for offer in offers(session, number) if min(offer.dispatches, offer.bytes) >= 0)
        best = next((offer for offer in better if offer.answer is Answer.FOR_ALL or not for_all_values), None)
        if best is None:
            return session, number
        session, number = best.session, best.number


def simplified(chain: Chain, *, for_all_values: bool = False) -> Chain:
    """The chain with every offer that costs nothing; itself where there is none. Raises DmlvizError for large arrays.

    With `for_all_values`, only with those that hold whatever index values are.
    """
    plain_stages = tuple(map(_as_file, chain.stages))
    session, number = best_of(Session(plain_stages), len(plain_stages) - 1, for_all_values=for_all_values)
    is_same = len(session.experiments) == len(plain_stages) and session == Session(plain_stages)
    return chain if is_same else Chain(session.experiments[number])


def _as_file(stage: Experiment) -> Experiment:
    """A stage as a file would have it: Python's arrays are lists. Raises DmlvizError for one that is too long."""
    if type(stage) is Experiment:
        return stage
    values = dict(stage.values)
    for part, held in zip(stage.desc.inputs, stage.sources(), strict=True):
        if part.path not in values:
            if part.tensor.element_count > MOST_FITTED:
                raise SessionError(
                    f"{part.path} of {quote(stage.name)} has {part.tensor.element_count:,} elements, expected at most "
                    f"{MOST_FITTED:,} of an array."
                )
            values[part.path] = Listed(tuple(held.array().reshape(-1).tolist()), part.tensor.sizes)
    return Experiment(stage.name, stage.desc, stage.feature_level, values, folder=stage.folder)


class _Copy:
    """The copy of a session in which all inputs of what belongs to a chain are wired."""

    def __init__(self, session: Session, number: int) -> None:
        own = session.experiments
        end = own[number]
        stages = {id(stage) for stage in Chain(end).stages}
        met = [i for i, one in enumerate(own) if any(id(stage) in stages for stage in one.stages)]
        here = {id(stage) for i in met for stage in own[i].stages}
        self._session = session
        self._own = [i for i, one in enumerate(own) if id(one) in here]
        """The numbers of what belongs to it: what it reads, what reads that, and what these read."""
        names = {one.name for one in own}
        self._given: dict[str, tuple[int, str, ValueSource]] = {}
        """By name of a stage that copies an input, whose input that was, and what fills it."""
        roots: list[Experiment] = []
        copied: dict[int, Experiment] = {}
        for i in self._own:
            one, wired = own[i], {part.path for part, _ in wires(own[i])}
            values = dict(one.values)
            for k, part in enumerate(one.desc.inputs):
                if part.path in wired:
                    continue
                entry = _entry(one, k)
                if entry is None:
                    continue
                name = _free(f"{part.path} of {one.name}", names)
                desc = Join([TensorDesc(part.tensor.data_type, part.tensor.sizes)], 0)
                roots.append(Experiment(name, desc, NEWEST, {"InputTensors[0]": entry}, folder=one.folder))
                self._given[name] = i, part.path, entry
                values[part.path] = Wired(name)
            copied[i] = replace(one, values=values)
        self._names = names
        self.session = Session((*roots, *copied.values()))
        self.stages = self.session.experiments
        places = {i: len(roots) + k for k, i in enumerate(self._own)}
        self._places = {place: i for i, place in places.items()}
        read = {id(w.source) for one in self.stages for _, w in wires(one)}
        self._end = places[number]
        self._ends = [p for p in self._places if p == self._end or id(self.stages[p]) not in read]
        """What has to stay the same map: the end of the chain, and whatever nobody reads."""
        self._numbers = {id(stage): n for n, stage in enumerate(self.stages)}
        chained = {id(stage) for stage in self.stages[places[number]].stages}
        self._tried = [place for place in self._places if id(self.stages[place]) in chained]

    # ---- what rules ask

    def _source(self, place: int, path: str = "InputTensor") -> Output | None:
        """What fills an input of a stage."""
        entry = self.stages[place].values.get(path)
        return (self._numbers[id(entry.source)], entry.number) if isinstance(entry, Wired) and entry.source else None

    def _wire(self, output: Output) -> Wired:
        stage = self.stages[output[0]]
        return Wired(stage.name, stage.desc.outputs[output[1]].path)

    def _tensor(self, output: Output) -> TensorDesc:
        return self.stages[output[0]].desc.outputs[output[1]].tensor

    def _read(self, output: Output) -> bool:
        stage = self.stages[output[0]]
        return any(w.source is stage and w.number == output[1] for one in self.stages for _, w in wires(one))

    def _text(self, output: Output) -> str:
        stage = self.stages[output[0]]
        given = self._given.get(stage.name)
        if given is not None:
            return f"{given[1]} of {plain(self._session.experiments[given[0]].name, 40)}"
        return f"{plain(stage.name, 40)}{f'[{output[1]}]' * (len(stage.desc.outputs) > 1)}"

    def _label(self, place: int) -> str:
        stage = self.stages[place]
        return f"{operator_of(stage.desc).name} {plain(stage.name, 40)}"

    def _put(self, place: int, desc: Desc, **led: Output) -> Experiment:
        """A stage with another desc in its place, wired to outputs by path."""
        return self._new(place, desc, {path: self._wire(output) for path, output in led.items()})

    def _new(self, place: int, desc: Desc, values: Mapping[str, ValueSource]) -> Experiment:
        stage = self.stages[place]
        extra = {key: entry for key, entry in stage.extra.items() if key not in ("task", "roots")}
        return replace(stage, desc=desc, values=values, extra=extra)

    # ---- the rules: guesses, all of them

    def edits(self) -> Iterator[_Edit]:
        """Edits that may be the same with less."""
        for place in self._tried:
            desc = self.stages[place].desc
            yield from self._straight(place)
            if isinstance(desc, Gather):
                yield from self._gather_of_gather(place, desc)
                yield from self._reversal(place, desc)
                yield from self._parts(place, desc)
            if isinstance(desc, Join):
                yield from self._join_of_join(place, desc)
            if isinstance(desc, Tile):
                yield from self._tile_of_tile(place, desc)
            if isinstance(desc, Split):
                yield from self._split_of_split(place, desc)
                yield from self._one_part(place, desc)
            yield from self._one_gather(place)

    def _straight(self, place: int) -> Iterator[_Edit]:
        """Outputs that are ones before them: what reads them reads those."""
        outputs, is_end = self.stages[place].desc.outputs, place in self._ends
        found: list[list[tuple[Output, Output, list[int]]]] = []
        for number, part in enumerate(outputs):
            flat = sample_indices(part.tensor.element_count)
            ways = [
                ((place, number), before, between)
                for before, places, between in self._passed((place, number), flat)
                if self._tensor(before).element_count == part.tensor.element_count and (places == flat).all()
                if not is_end or self._ends_like(before, part.tensor)
            ]
            found.append(ways[::-1])  # the farthest first
        several = len(outputs) > 1
        if several:
            found = [[way for ways in found for way in ways[:1]]] if not is_end else []
        for ways in [*found] if several else [[way] for way in found[0]]:
            if ways:
                between = [*dict.fromkeys(stage for _, _, stages in ways for stage in stages)]
                through = f", through {', '.join(map(self._label, between))}" * bool(between)
                back = ", ".join(self._text(before) for _, before, _ in ways)
                yield _Edit(
                    text=f"{self._label(place)} gives back {back}{through}",
                    led={output: self._wire(before) for output, before, _ in ways},
                    uses_values=self._steered([place, *between]),
                )

    def _ends_like(self, before: Output, tensor: TensorDesc) -> bool:
        """True if a chain may end with an output in the place of another: it is its stage's only one, and looks so."""
        return self._tensor(before).sizes == tensor.sizes and len(self.stages[before[0]].desc.outputs) == 1

    def _one_gather(self, place: int) -> Iterator[_Edit]:
        """Several stages, or a REVERSE, of which the last picks slices of what the first reads along one axis."""
        stage = self.stages[place]
        if len(stage.desc.outputs) > 1:
            return
        sizes = stage.desc.outputs[0].tensor.sizes
        flat = sample_indices(math.prod(sizes))
        own = unravel(flat, sizes)
        for before, places, between in self._passed((place, 0), flat):
            if not between and not isinstance(stage.desc, ReverseSubsequences):
                continue
            whole = self._tensor(before).sizes
            if len(whole) != len(sizes):
                continue
            moved = [
                d
                for d, (at, there) in enumerate(zip(own, unravel(places, whole), strict=True))
                if sizes[d] != whole[d] or (at != there).any()
            ]
            if len(moved) != 1 or sizes[moved[0]] > MOST_LISTED:
                continue
            axis = moved[0]
            along = np.arange(sizes[axis], dtype=np.int64)
            line = ravel([along if d == axis else np.zeros_like(along) for d in range(len(sizes))], sizes)
            there = next((at for node, at, _ in self._passed((place, 0), line) if node == before), None)
            if there is None:
                continue
            indices = unravel(there, whole)[axis].tolist()
            shape = (*(1,) * (len(sizes) - 1), len(indices))
            desc = Gather(self._tensor(before), TensorDesc(DataType.UINT32, shape), axis, 1)
            of = " of ".join(map(self._label, [place, *between]))
            yield _Edit(
                text=f"{of} is one GATHER of {self._text(before)} along axis {axis}",
                stages={
                    place: self._new(
                        place, desc, {"InputTensor": self._wire(before), "IndicesTensor": Listed(tuple(indices), shape)}
                    )
                },
                uses_values=self._steered([place, *between]),
            )

    def _gather_of_gather(self, place: int, desc: Gather) -> Iterator[_Edit]:
        """GATHER(GATHER(x, i), j): x by i[j], whatever both hold."""
        before, last = self._source(place), self._source(place, "IndicesTensor")
        first = self.stages[before[0]].desc if before is not None else None
        if before is None or last is None or not isinstance(first, Gather) or first.output_tensor != desc.input_tensor:
            return
        data, indices = self._source(before[0]), self._source(before[0], "IndicesTensor")
        if first.index_dimensions != 1 or first.axis != desc.axis or data is None or indices is None:
            return
        rank = first.indices_tensor.dimension_count
        picked = Gather(first.indices_tensor, desc.indices_tensor, rank - 1, desc.index_dimensions)
        if picked.output_tensor is None:
            return
        name = _free(f"{self.stages[place].name} indices", {*self._names})
        made = Experiment(
            name,
            picked,
            self.stages[place].feature_level,
            {"InputTensor": self._wire(indices), "IndicesTensor": self._wire(last)},
            folder=self.stages[place].folder,
        )
        both = Gather(first.input_tensor, picked.output_tensor, first.axis, desc.index_dimensions)
        yield _Edit(
            text=f"{self._label(place)} of {self._label(before[0])} is one of {self._text(data)} by indices of indices",
            stages={place: self._new(place, both, {"InputTensor": self._wire(data), "IndicesTensor": Wired(name)})},
            added=(made,),
        )

    def _reversal(self, place: int, desc: Gather) -> Iterator[_Edit]:
        """A GATHER whose indices turn around the beginning of an axis: one REVERSE."""
        data, n = self._source(place), desc.input_tensor.sizes[desc.axis]
        indices = self._indices(place, desc)
        if indices is None or data is None or len(indices) != n or n < 2 or desc.output_tensor != desc.input_tensor:
            return
        length = indices[0] + 1
        if indices != [*range(length - 1, -1, -1), *range(length, n)] or length < 2:
            return
        lengths = TensorDesc(DataType.UINT32, put(desc.input_tensor.sizes, desc.axis, 1))
        turned = ReverseSubsequences(desc.input_tensor, lengths, desc.axis)
        values: dict[str, ValueSource] = {"InputTensor": self._wire(data), "SequenceLengthsTensor": Constant(length)}
        yield _Edit(
            text=f"{self._label(place)} is REVERSE_SUBSEQUENCES of {self._text(data)} by {length}",
            stages={place: self._new(place, turned, values)},
            uses_values=True,
        )

    def _parts(self, place: int, desc: Gather) -> Iterator[_Edit]:
        """GATHERs of one tensor that each take neighbours: the parts of one SPLIT."""
        data = self._source(place)
        taken: list[tuple[int, int, int]] = []
        for other in self._places:
            its = self.stages[other].desc
            if not isinstance(its, Gather) or (self._source(other), its.axis) != (data, desc.axis):
                continue
            indices = self._indices(other, its)
            if not indices or other in self._ends or self._tensor((other, 0)).sizes[its.axis] != len(indices):
                continue
            if indices == [*range(indices[0], indices[0] + len(indices))]:
                taken.append((indices[0], len(indices), other))
        taken.sort()
        if data is None or place != min((other for *_, other in taken), default=-1):
            return
        cuts, led, whole = [0], dict[Output, Wired](), desc.input_tensor
        name = self.stages[place].name
        for start, length, other in taken:
            if start < cuts[-1] or start + length > whole.sizes[desc.axis]:
                return
            cuts += [start] * (start > cuts[-1])
            led[other, 0] = Wired(name, f"OutputTensors[{len(cuts) - 1}]")
            cuts.append(start + length)
        cuts += [whole.sizes[desc.axis]] * (cuts[-1] < whole.sizes[desc.axis])
        parts = [whole.resized(put(whole.sizes, desc.axis, b - a)) for a, b in pairwise(cuts)]
        yield _Edit(
            text=f"{', '.join(self._label(other) for *_, other in taken)}: parts of one SPLIT of {self._text(data)}",
            stages={place: self._put(place, Split(whole, parts, desc.axis), InputTensor=data)},
            led=led,
            uses_values=True,
        )

    def _join_of_join(self, place: int, desc: Join) -> Iterator[_Edit]:
        for k, tensor in enumerate(desc.input_tensors):
            before = self._source(place, f"InputTensors[{k}]")
            inner = self.stages[before[0]].desc if before is not None else None
            if before is None or before[0] not in self._places or not isinstance(inner, Join):
                continue
            if inner.axis != desc.axis or inner.output_tensor != tensor:
                continue
            tensors = [*desc.input_tensors[:k], *inner.input_tensors, *desc.input_tensors[k + 1 :]]
            entries = [self.stages[place].values[f"InputTensors[{i}]"] for i in range(len(desc.input_tensors))]
            theirs = [self.stages[before[0]].values[f"InputTensors[{i}]"] for i in range(len(inner.input_tensors))]
            entries[k : k + 1] = theirs
            values = {f"InputTensors[{i}]": entry for i, entry in enumerate(entries)}
            yield _Edit(
                text=f"{self._label(place)} of {self._label(before[0])} is one JOIN of {len(tensors)}",
                stages={place: self._new(place, Join(tensors, desc.axis), values)},
            )

    def _tile_of_tile(self, place: int, desc: Tile) -> Iterator[_Edit]:
        before = self._source(place)
        inner = self.stages[before[0]].desc if before is not None else None
        if before is None or not isinstance(inner, Tile) or inner.output_tensor != desc.input_tensor:
            return
        data = self._source(before[0])
        if data is not None:
            repeats = [a * b for a, b in zip(inner.repeats, desc.repeats, strict=True)]
            yield _Edit(
                text=f"{self._label(place)} of {self._label(before[0])} is one TILE by {repeats}",
                stages={place: self._put(place, Tile(inner.input_tensor, repeats), InputTensor=data)},
            )

    def _split_of_split(self, place: int, desc: Split) -> Iterator[_Edit]:
        before = self._source(place)
        inner = self.stages[before[0]].desc if before is not None else None
        if before is None or place in self._ends or not isinstance(inner, Split) or inner.axis != desc.axis:
            return
        stage, j = before
        if inner.output_tensors[j] != desc.input_tensor or self._readers(before) != 1:
            return
        parts = [*inner.output_tensors[:j], *desc.output_tensors, *inner.output_tensors[j + 1 :]]
        name, more = self.stages[stage].name, len(desc.output_tensors)
        led = {(place, k): Wired(name, f"OutputTensors[{j + k}]") for k in range(more)}
        behind = range(j + 1, len(inner.output_tensors))
        led |= {(stage, k): Wired(name, f"OutputTensors[{k + more - 1}]") for k in behind}
        yield _Edit(
            text=f"{self._label(place)} of {self._label(stage)} is one SPLIT in {len(parts)}",
            stages={stage: replace(self.stages[stage], desc=Split(inner.input_tensor, parts, inner.axis))},
            led=led,
        )

    def _one_part(self, place: int, desc: Split) -> Iterator[_Edit]:
        """A SPLIT of which one part is read: that alone is sliced off."""
        read = [k for k in range(len(desc.output_tensors)) if self._read((place, k))]
        data = self._source(place)
        if place in self._ends or len(read) != 1 or len(desc.output_tensors) == 1 or data is None:
            return
        k, sizes = read[0], desc.output_tensors[read[0]].sizes
        start = [0, *accumulate(part.sizes[desc.axis] for part in desc.output_tensors)][k]
        offsets = put((0,) * len(sizes), desc.axis, start)
        desc1 = Slice1(desc.input_tensor, offsets, sizes, (1,) * len(sizes))
        yield _Edit(
            text=f"{self._label(place)} without the parts that nobody reads is one SLICE1",
            stages={place: self._put(place, desc1, InputTensor=data)},
            led={(place, k): Wired(self.stages[place].name, "OutputTensor")},
        )

    def _indices(self, place: int, desc: Gather) -> list[int] | None:
        """What a GATHER's few indices along one dimension hold."""
        if desc.index_dimensions != 1 or desc.indices_tensor.element_count > MOST_LISTED:
            return None
        found: list[int] = self.stages[place].links.values[1].array().reshape(-1).tolist()
        return found

    def _readers(self, output: Output) -> int:
        stage = self.stages[output[0]]
        return sum(w.source is stage and w.number == output[1] for one in self.stages for _, w in wires(one))

    def _steered(self, places: Iterable[int]) -> bool:
        return any(part.field.role is not Role.DATA for place in places for part in self.stages[place].desc.inputs)

    def _passed(self, output: Output, flat: Indices) -> Iterator[tuple[Output, Indices, list[int]]]:
        """The outputs before one through which all elements `flat` of it came, where in them, and what lies between."""
        waiting: dict[Output, list[tuple[Indices, Indices]]] = {output: [(np.arange(len(flat)), flat)]}
        between: list[int] = []
        order = [self._numbers[id(stage)] for stage in self.stages[output[0]].stages]
        for place in reversed(order):
            entered = [key for key in waiting if key[0] == place]
            for key in entered:
                which, elements = (np.concatenate(pieces) for pieces in zip(*waiting.pop(key), strict=True))
                if key != output and len(which) == len(flat):
                    yield key, elements[np.argsort(which)], between[1:]
                tensors, places, _, _ = through_output(self.stages[place].links, key[1], elements)
                for k in tensors_among(tensors):
                    led = self._source(place, self.stages[place].desc.inputs[k].path)
                    if led is not None:
                        here = tensors == k
                        waiting.setdefault(led, []).append((which[here], places[here]))
            between += [place] * bool(entered)

    # ---- an edit, verified, and brought back

    def offer(self, edit: _Edit) -> Offer | None:
        """An edit of the session; None where it isn't the same map, or can't be made."""
        try:
            return self._offer(edit)
        except DmlvizError:
            return None

    def _offer(self, edit: _Edit) -> Offer | None:
        now: dict[int, Experiment] = dict(enumerate(self.stages)) | dict(edit.stages)
        added = dict(enumerate(edit.added, len(self.stages)))
        led = {(self.stages[place].name, k): wire for (place, k), wire in edit.led.items()}
        for place, stage in edit.stages.items():
            paths = [[part.path for part in one.desc.outputs] for one in (self.stages[place], stage)]
            if len(paths[0]) == 1 and paths[0] != paths[1][:1]:
                led.setdefault((stage.name, 0), Wired(stage.name, paths[1][0]))
        for place in now.keys() - edit.stages.keys():
            moved = {
                part.path: led[w.name, w.number] for part, w in wires(self.stages[place]) if (w.name, w.number) in led
            }
            if moved:
                now[place] = replace(now[place], values={**now[place].values, **moved})
        heirs = {place: edit.led[place, 0] for place in self._ends if (place, 0) in edit.led}
        kept = {wire.name for wire in heirs.values()}
        for place in heirs:
            del now[place]
        is_read = {w.name for one in self.stages for _, w in wires(one)}
        while True:  # what was read before, and isn't now
            read = {w.name for one in (*now.values(), *added.values()) for _, w in _wired(one)} | kept
            gone = [place for place, one in now.items() if one.name in is_read and one.name not in read]
            if not gone:
                break
            for place in gone:
                del now[place]
        after = Session((*now.values(), *added.values()))
        named = dict(zip((*now, *added), after.experiments, strict=True))
        by_name = {one.name: place for place, one in named.items()}
        answers = []
        for end in self._ends:
            new = named[by_name[heirs[end].name] if end in heirs else end]
            old = self.stages[end]
            if new is not old:
                left, right = Chain(old), Chain(new)
                answers += [same(left, right, k, k) for k in range(len(old.desc.outputs))]
        if not answers or not all(answer.same for answer in answers):
            return None
        for_all = all(verdict.answer is Answer.FOR_ALL and not verdict.reason for verdict in answers)
        session, places = self._brought_back(named, heirs)
        pairs = (self._session.experiments, session.experiments), (session.experiments, self._session.experiments)
        saved = [sum(_moved(one) for one in mine if not any(one is it for it in its)) for mine, its in pairs]
        fewer = len(self._session.experiments) - len(session.experiments)
        if fewer < 0 or (not fewer and saved[0] == saved[1]):
            return None
        return Offer(
            text=edit.text,
            session=session,
            number=places[by_name[heirs[self._end].name] if self._end in heirs else self._end],
            answer=Answer.FOR_ALL if for_all else Answer.FOR_THESE,
            uses_values=edit.uses_values,
            dispatches=fewer,
            bytes=saved[0] - saved[1],
        )

    def _brought_back(
        self, named: Mapping[int, Experiment], heirs: Mapping[int, Wired]
    ) -> tuple[Session, dict[int, int]]:
        """The session with an edited copy in it, and where each stage of that is in it now.

        Inputs have their values again. Raises DmlvizError where these don't fit, and for what isn't valid.
        """
        old, made = self._session.experiments, list[tuple[int | None, Experiment]]()
        ended = {wire.name: end for end, wire in heirs.items() if wire.name in self._given}
        added = [place for place in named if place >= len(self.stages)]
        for i, one in enumerate(old):
            if i not in self._own:
                made.append((None, one))
                continue
            place = next(p for p, number in self._places.items() if number == i)
            inherited = next((name for name, end in ended.items() if end == place), None)
            if place in named:
                reads = {w.name for _, w in wires(named[place])}
                made += [(p, self._filled(p, named[p])) for p in added if named[p].name in reads]
                is_same = named[place] is self.stages[place]
                made.append((place, one if is_same else self._filled(place, named[place])))
            elif inherited is not None:
                root = next(p for p, stage in named.items() if stage.name == inherited)
                made.append((root, replace(self._filled(root, named[root]), name=one.name)))
        session = replace(self._session, experiments=tuple(one for _, one in made))
        for (at, _), one in zip(made, session.experiments, strict=True):
            if at is not None:
                one.sources()
                if broken := fault(one):
                    raise SessionError(f"{quote(broken)} is not valid.")
        return session, {at: n for n, (at, _) in enumerate(made) if at is not None}

    def _filled(self, place: int, stage: Experiment) -> Experiment:
        """A stage whose inputs are filled by their values again."""
        values, i = dict(stage.values), self._places.get(place)
        sizes = {part.path: part.tensor.sizes for part in stage.desc.inputs}
        for part, wire in wires(stage):
            if wire.name not in self._given:
                continue
            origin, path, entry = self._given[wire.name]
            own = self._session.experiments[origin]
            del values[part.path]
            if (origin, path) == (i, part.path):
                if path in own.values:
                    values[path] = own.values[path]
            elif own.folder != stage.folder:
                raise SessionError(f"{part.path} of {quote(stage.name)} would be filled from another folder.")
            elif isinstance(entry, Listed) and entry.shape != sizes[part.path]:
                values[part.path] = Listed(entry.items, (len(entry.items),))
            else:
                values[part.path] = entry
        return replace(stage, values=values)


def _wired(stage: Experiment) -> Iterator[tuple[str, Wired]]:
    return ((path, entry) for path, entry in stage.values.items() if isinstance(entry, Wired))


def _entry(one: Experiment, k: int) -> ValueSource | None:
    """What fills an input, wherever it stands; None for many values of which only their operator knows the range."""
    part = one.desc.inputs[k]
    entry = one.values.get(part.path) or operator_of(one.desc).default_fill(one.desc, k) or Iota(1, 1)
    is_bound = isinstance(entry, Random) and part.field.role is not Role.DATA
    if isinstance(entry, ValueSource) and not is_bound:
        return entry
    if part.tensor.element_count > MOST_LISTED:
        return None
    array = one.source(k, part).array()
    return Listed(tuple(array.reshape(-1).tolist()), array.shape)


def _free(name: str, taken: set[str]) -> str:
    """A name that none has, taken now."""
    numbered = (name if n == 1 else f"{name} {n}" for n in count(1))
    free = next(name for name in numbered if name not in taken)
    taken.add(free)
    return free


def _moved(stage: Experiment) -> int:
    """Bytes that a stage reads and writes: each element of its outputs, and indices or lengths once."""
    steering = sum(p.tensor.byte_count for p in stage.desc.inputs if p.field.role is not Role.DATA)
    return 2 * sum(part.tensor.byte_count for part in stage.desc.outputs) + steering
