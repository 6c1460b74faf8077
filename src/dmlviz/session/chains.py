"""Chains: all that an experiment reads by wires, and where elements come from and go to through all of it."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct

from ..desc.base import Part
from ..desc.fields import Role
from ..desc.indexing import flat_in, index_in, unravel
from ..desc.levels import FeatureLevel
from ..desc.tensors import brackets, integer
from ..desc.values import CHUNK, Array, Indices, Stored, Values
from ..errors import DmlvizError, ValuesError, plain, quote
from ..operators.maps import CLAMPED, NOT_COUNTED, NOWHERE, tensors_among
from ..operators.scans import COUNT_LIMIT
from ..stopping import checkpoint
from ..tracing import Source, Trace, checked_index
from .wiring import WiredValues, fault, run_desc, stages_of, through_output, wires

MOST_WAYS = 1 << 37
"""What is told of more ways too: wired indices double them at every stage, and sums of these still fit INT64."""
MOST_SAID = 8
"""Stages that are named of where an index comes from."""
MOST_EXPANDED = 1 << 15
"""Elements of a stage whose destinations are asked for, one by one."""


class Root(NamedTuple):
    """An input of a chain: a tensor that no wire fills."""

    stage: int
    tensor: int
    """Its number among the stage's inputs."""
    part: Part


class Hop(Struct, frozen=True):
    """One stage of a path: an element of its output, and where in its inputs that comes from."""

    stage: int
    output: int
    index: tuple[int, ...]
    source: Source


class Path(Struct, frozen=True):
    """Where an element comes from through all stages, its own stage first."""

    hops: tuple[Hop, ...]
    root: int
    """The number of the chain's input that it ends at; NOWHERE (-1) for a constant, which is in the last hop."""
    index: tuple[int, ...]
    """The element of that input; () for a constant."""
    clamped: bool
    """An index or length on the way lay outside its range, or was itself read through one that did."""


class Arrival(NamedTuple):
    """An element of an output that an input element reaches, and on how many ways."""

    output: int
    index: tuple[int, ...]  # type: ignore[assignment]  # a coordinate, not tuple's method
    times: int


Reached = dict[int, tuple[Indices, Indices]]
"""By output, the flat elements that are reached, ascending, and on how many ways each; both (N,)."""


class Reach:
    """Where an input element arrives: in the last stage's outputs, in row-major order, and in each stage's on the way.

    Ways lead through data, and through indices and lengths: a cell reaches all that it sends.
    """

    def __init__(self, chain: Chain, reached: Sequence[Reached] | None) -> None:
        self._chain, self._reached = chain, reached

    @property
    def counted(self) -> bool:
        """False where that would need more than 2^15 elements of a stage, or the scan of a giant."""
        return self._reached is not None

    def at(self, stage: int) -> Reached:
        """What is reached in a stage. Raises DmlvizError where that isn't counted."""
        if self._reached is None:
            raise DmlvizError("destinations are not counted: more than 2^15 elements of a stage lead there.")
        return self._reached[stage]

    def __len__(self) -> int:
        return sum(len(flats) for flats, _ in self.at(-1).values())

    @property
    def times(self) -> int:
        """On how many ways it arrives, all elements together."""
        return sum(int(times.sum()) for _, times in self.at(-1).values())

    def __iter__(self) -> Iterator[Arrival]:
        for output, (flats, times) in sorted(self.at(-1).items()):
            sizes = self._chain.traces[-1].outputs[output].tensor.sizes
            for start in range(0, len(flats), CHUNK):
                index = [axis.tolist() for axis in unravel(flats[start : start + CHUNK], sizes)]
                for at, count in zip(zip(*index, strict=True), times[start : start + CHUNK].tolist(), strict=True):
                    yield Arrival(output, at, count)

    def __repr__(self) -> str:
        return f"Reach({len(self)})" if self.counted else "Reach(not counted)"


class Chain:
    """Experiments of which each reads others before it, the last one reading all; valid ones, as frozen as these."""

    def __init__(self, end: Any) -> None:
        """The chain that ends with experiment `end`. Raises DmlvizError for one that can't run."""
        if broken := fault(end):
            raise DmlvizError(f"{quote(broken)} is not valid, expected a chain of valid descs; `check` says why.")
        self.stages: tuple[Any, ...] = stages_of(end)
        """Each behind those that it reads."""
        self.traces: tuple[Trace, ...] = tuple(stage.links for stage in self.stages)
        numbers = {id(stage): i for i, stage in enumerate(self.stages)}
        self._wires: list[dict[int, tuple[int, int]]] = []
        self.inputs: tuple[Root, ...] = ()
        """The inputs that no wire fills, in the stages' order."""
        for s, stage in enumerate(self.stages):
            led = {part.path: (numbers[id(wire.source)], wire.number) for part, wire in wires(stage)}
            own = list(enumerate(stage.desc.inputs))
            self._wires.append({k: led[part.path] for k, part in own if part.path in led})
            self.inputs += tuple(Root(s, k, part) for k, part in own if part.path not in led)
        self.root_numbers = {(root.stage, root.tensor): number for number, root in enumerate(self.inputs)}
        """The number among `inputs` of a stage's input that no wire fills."""

    def __repr__(self) -> str:
        return f"<Chain {' ▸ '.join(plain(stage.name, 40) for stage in self.stages)}>"

    @property
    def outputs(self) -> tuple[Part, ...]:
        """The last stage's outputs."""
        return self.traces[-1].outputs

    def wire(self, stage: int, tensor: int) -> tuple[int, int] | None:
        """What fills an input of a stage: (number of a stage, number of its output); None where no wire does."""
        return self._wires[stage].get(tensor)

    # ---- levels

    @property
    def lowest_level(self) -> FeatureLevel | None:
        """The lowest feature level that takes all stages; None where a stage has none."""
        levels = [stage.check().lowest_level for stage in self.stages]
        return max(level for level in levels if level is not None) if None not in levels else None

    # ---- values

    def run(self, inputs: Sequence[Any] | None = None) -> list[Array]:
        """The last stage's outputs, each stage run on its kernel in turn.

        `inputs` are arrays for the chain's `inputs`, in order; None for one, or for all, that keep their values.
        Raises ValuesError for another number of them, DmlvizError for an array that isn't what its desc says, and
        ResourceError where memory is short.
        """
        given = [None] * len(self.inputs) if inputs is None else list(inputs)
        if len(given) != len(self.inputs):
            names = ", ".join(f"{root.part.path} of {quote(self.stages[root.stage].name)}" for root in self.inputs[:8])
            raise ValuesError(f"inputs has {len(given)} arrays, expected {len(self.inputs)}: {names}.")
        made: list[list[Array]] = []
        for s, stage in enumerate(self.stages):
            filled: list[Array | Values] = []
            for k, part in enumerate(stage.desc.inputs):
                if (led := self.wire(s, k)) is not None:
                    filled.append(made[led[0]][led[1]].reshape(part.tensor.sizes))
                else:
                    array = given[self.root_numbers[s, k]]
                    filled.append(array if array is not None else self.traces[s].values[k])
            checkpoint()
            made.append(run_desc(stage.desc, filled, stage.feature_level))
        return made[-1]

    # ---- back

    def source(self, output: int = 0, index: Sequence[int] = ()) -> Path:
        """Where an element of the last stage's output comes from. Raises DmlvizError for an index outside."""
        return self.path(len(self.stages) - 1, output, index)

    def path(self, stage: int, output: int, index: Sequence[int]) -> Path:
        """Where an element of any stage's output comes from. Raises DmlvizError for an index outside."""
        hops = tuple(self._hops(stage, output, tuple(index) if not isinstance(index, int) else (index,)))
        start, source = hops[0], hops[-1].source
        flat = flat_in(start.index, self.traces[stage].outputs[output].tensor.sizes)
        clamped = bool(self.addresses(stage, output, np.array([flat], np.int64))[2][0] & CLAMPED)
        if source.nowhere:
            return Path(hops, NOWHERE, (), clamped)
        return Path(hops, self.root_numbers[hops[-1].stage, source.tensor], source.index, clamped)

    def _hops(self, stage: int, output: int, index: tuple[int, ...]) -> Iterator[Hop]:
        """The stages that an element comes through, its own first."""
        while True:
            source = self.traces[stage].source(output, index)
            yield Hop(stage, output, index, source)
            led = self.wire(stage, source.tensor) if not source.nowhere else None
            if led is None:
                return
            index = self._led_index(stage, source.tensor, source.index, led)
            stage, output = led

    def _led_index(self, stage: int, tensor: int, index: Sequence[int], led: tuple[int, int]) -> tuple[int, ...]:
        """The element of an output that is read as an element of a stage's input."""
        return index_in(flat_in(index, self._sizes(stage, tensor)), self.traces[led[0]].outputs[led[1]].tensor.sizes)

    def origin(self, hop: Hop) -> Path | None:
        """Where the index or length of a hop comes from; None where it has none, or one that no wire fills."""
        at = self._origin_of(hop)
        return self.path(*at) if at is not None else None

    def _origin_of(self, hop: Hop) -> tuple[int, int, tuple[int, ...]] | None:
        """The element, of a stage's output, that the index or length of a hop is."""
        via = hop.source.via
        led = self.wire(hop.stage, via.tensor) if via is not None else None
        return (*led, self._led_index(hop.stage, via.tensor, via.index, led)) if via is not None and led else None

    def _sizes(self, stage: int, tensor: int) -> tuple[int, ...]:
        return self.traces[stage].input_sizes[tensor]

    def addresses(self, stage: int, output: int, flat: Indices) -> tuple[Indices, Indices, Indices]:
        """Where elements `flat` (N,) of a stage's output come from: (inputs' numbers, flat elements, flags), all (N,).

        What has no source is of input NOWHERE (-1). Flags are those of all stages on the way, and of where indices and
        lengths come from.
        """
        roots, flats, flags = (np.full(len(flat), fill, np.int64) for fill in (NOWHERE, 0, 0))
        waiting: list[list[tuple[Indices, int, Indices, bool]]] = [[] for _ in self.stages]
        waiting[stage].append((np.arange(len(flat), dtype=np.int64), output, flat, True))
        for s in range(stage, -1, -1):
            for which, number, elements, is_data in _merged(waiting[s]):
                checkpoint()
                tensors, places, cells, found = through_output(self.traces[s], number, elements)
                np.bitwise_or.at(flags, which, found if is_data else found & CLAMPED)
                for k in tensors_among(tensors):
                    here = tensors == k
                    if (led := self.wire(s, k)) is not None:
                        waiting[led[0]].append((which[here], led[1], places[here], is_data))
                    elif is_data:
                        roots[which[here]], flats[which[here]] = self.root_numbers[s, k], places[here]
                if cells is not None and (led := self._wires[s].get(self._via_of(s))) is not None:
                    waiting[led[0]].append((which, led[1], cells, False))
        return roots, flats, flags

    def _via_of(self, stage: int) -> int:
        """The number of a stage's index or length tensor; -1 for none."""
        trace = self.traces[stage]
        zero = tuple(np.zeros(1, np.int64) for _ in trace.outputs[0].tensor.sizes)
        return trace.sources(0, zero).via_tensor

    # ---- forth

    @property
    def elements(self) -> int:
        """How many elements all stages' outputs have."""
        return sum(part.tensor.element_count for trace in self.traces for part in trace.outputs)

    def destinations(
        self,
        input: int = 0,  # noqa: A002 (the design's own word)
        index: Sequence[int] = (),
        *,
        most: int = COUNT_LIMIT,
    ) -> Reach:
        """Where an element of the chain's input number `input` arrives. Raises DmlvizError for an index outside.

        Up to `most` places are asked for, of MOST_EXPANDED elements of a stage.
        """
        number = integer(input, "input")
        if not 0 <= number < len(self.inputs):
            raise DmlvizError(f"input is {number}, expected 0 to {len(self.inputs) - 1}.")
        root = self.inputs[number]
        at = checked_index(root.part.tensor, index, root.part.path)
        flat = np.array([flat_in(at, root.part.tensor.sizes)], np.int64)
        reached: list[Reached] = []
        for s, trace in enumerate(self.traces):
            found: dict[int, list[tuple[Indices, Indices]]] = {}
            for tensor, elements, times in self._entering(s, root, flat, reached):
                if len(elements) > MOST_EXPANDED:
                    return Reach(self, None)
                where = unravel(elements, self._sizes(s, tensor))
                if not trace.prepared:
                    trace.prepare()
                counts = trace.counts(tensor, where)
                if (counts < 0).any() or counts.sum() > most:
                    return Reach(self, None)
                offsets, outputs, flats = trace.links(tensor, where)
                ways = np.repeat(times, np.diff(offsets))
                for output in tensors_among(outputs):
                    here = outputs == output
                    found.setdefault(output, []).append((flats[here], ways[here]))
            reached.append({output: _summed(pieces) for output, pieces in found.items()})
        return Reach(self, reached)

    def _entering(
        self, s: int, root: Root, flat: Indices, reached: Sequence[Reached]
    ) -> Iterator[tuple[int, Indices, Indices]]:
        """What enters a stage: (input, flat elements, on how many ways)."""
        if s == root.stage:
            yield root.tensor, flat, np.ones(1, np.int64)
        for tensor, (source, output) in self._wires[s].items():
            if output in reached[source]:
                yield tensor, *reached[source][output]

    @cached_property
    def _counts(self) -> list[Indices] | None:
        """On how many ways each element of each input arrives; None for stages of too many elements."""
        if self.elements + sum(root.part.tensor.element_count for root in self.inputs) > COUNT_LIMIT:
            return None
        ways = [[np.zeros(p.tensor.element_count, np.int64) for p in trace.outputs] for trace in self.traces]
        counts = [np.zeros(root.part.tensor.element_count, np.int64) for root in self.inputs]
        for made in ways[-1]:
            made[:] = 1
        for s in range(len(self.stages) - 1, -1, -1):
            trace = self.traces[s]

            def add(k: int, places: Indices, times: Indices, s: int = s) -> None:
                led = self.wire(s, k)
                np.add.at(counts[self.root_numbers[s, k]] if led is None else ways[led[0]][led[1]], places, times)

            for number, made in enumerate(np.minimum(arrived, MOST_WAYS) for arrived in ways[s]):
                for start, stop in _pieces(len(made)):
                    tensors, places, cells, _ = through_output(trace, number, np.arange(start, stop, dtype=np.int64))
                    for k in tensors_among(tensors):
                        here = tensors == k
                        add(k, places[here], made[start:stop][here])
                    if cells is not None:
                        add(self._via_of(s), cells, made[start:stop])
        return counts

    def counts(self, input: int, flat: Indices) -> Indices:  # noqa: A002
        """On how many ways elements `flat` (N,) of an input arrive at the end; NOT_COUNTED (-1) as for `Reach`."""
        counts = self._counts
        return np.full(len(flat), NOT_COUNTED, np.int64) if counts is None else counts[input][flat]

    def dead(self, input: int) -> int | None:  # noqa: A002
        """How many elements of an input never arrive at the end; None where that isn't counted."""
        counts = self._counts
        return None if counts is None else int(np.count_nonzero(counts[input] == 0))

    def filling(self, stage: int, tensor: int) -> set[int]:
        """The numbers of the inputs of which an input of a stage holds elements, through any data that it reads."""
        found, waiting = set(), [(stage, tensor)]
        for at in waiting:
            if (led := self.wire(*at)) is None:
                found.add(self.root_numbers[at])
            else:
                data = (k for k, part in enumerate(self.traces[led[0]].inputs) if part.field.role is Role.DATA)
                waiting += [(led[0], k) for k in data if (led[0], k) not in waiting]
        return found

    def with_values(self, arrays: Mapping[int, Array]) -> Chain:
        """The same chain with other values in some of its inputs, by number; what others read of these follows."""
        chain, traces = copy.copy(self), list[Trace]()
        for s, trace in enumerate(self.traces):
            values = list(trace.values)
            for k, part in enumerate(trace.inputs):
                if (led := self.wire(s, k)) is None:
                    array = arrays.get(self.root_numbers[s, k])
                    values[k] = Stored(part.tensor, array) if array is not None else values[k]
                elif traces[led[0]] is not self.traces[led[0]]:
                    values[k] = WiredValues(part, traces[led[0]], led[1])
            is_same = all(one is other for one, other in zip(values, trace.values, strict=True))
            traces.append(trace if is_same else Trace(trace.desc, values))
        chain.traces = tuple(traces)
        chain.__dict__.pop("_counts", None)
        return chain

    # ---- words

    def element_text(self, stage: int, output: int, index: Sequence[int]) -> str:
        """An element of a stage's output as lines name it: `halves[1][0,1]`; `twice[0,9]` of its only output."""
        number = f"[{output}]" if len(self.traces[stage].outputs) > 1 else ""
        return f"{plain(self.stages[stage].name, 40)}{number}{brackets(index)}"

    def root_name(self, input: int) -> str:  # noqa: A002
        """What the stage's `roots` call an input, as an imported model does; "" where nothing names it."""
        root = self.inputs[input]
        names = self.stages[root.stage].extra.get("roots")
        name = names.get(root.part.path) if isinstance(names, dict) else ""
        return plain(name, 40) if isinstance(name, str) else ""

    def root_text(self, input: int, index: Sequence[int] | None = None) -> str:  # noqa: A002
        """An input, or an element of it, as lines name it: `InputTensor[0,5] of halves`; `qkv[0,5]` with a name."""
        root, at = self.inputs[input], "" if index is None else brackets(index)
        if name := self.root_name(input):
            return f"{name}{at}"
        return f"{root.part.path}{at} of {plain(self.stages[root.stage].name, 40)}"

    def path_text(self, path: Path) -> str:
        """A path in one line: `twice[0,9] ⇠ swapped[0,1] ⇠ halves[1][0,1] ⇠ InputTensor[0,5] of halves`."""
        places = [self.element_text(hop.stage, hop.output, hop.index) for hop in path.hops]
        return " ⇠ ".join([*places, self.end_text(path)]) + " !" * path.clamped

    def origin_text(self, hop: Hop) -> str:
        """Where the index or length of a hop comes from, in one line; a long way's beginning. "" as for `origin`."""
        if (at := self._origin_of(hop)) is None:
            return ""
        begins = list(islice(self._hops(*at), MOST_SAID + 1))
        if len(begins) <= MOST_SAID:
            return self.path_text(self.path(*at))
        return " ⇠ ".join([*(self.element_text(h.stage, h.output, h.index) for h in begins[:MOST_SAID]), "…"])

    def end_text(self, path: Path) -> str:
        """What a path ends at: `InputTensor[0,5] of halves`."""
        if path.root == NOWHERE:
            return f"the constant {path.hops[-1].source.constant}"
        return self.root_text(path.root, path.index)


def chain_of(end: Any, here: Any) -> Chain | None:
    """The chain up to its end, or up to the stage that is looked at where what follows is broken; None for no valid."""
    for one in (end, here):
        try:
            return Chain(one)
        except DmlvizError:
            continue
    return None


def chains_of(experiments: Sequence[Any]) -> list[Chain]:
    """The chains that end with experiments that read others and that none of these reads; those that can run."""
    read = {id(stage) for one in experiments if one.is_wired for stage in one.stages[:-1]}
    return [Chain(one) for one in experiments if one.is_wired and id(one) not in read and not fault(one)]


def _merged(items: Sequence[tuple[Indices, int, Indices, bool]]) -> Iterator[tuple[Indices, int, Indices, bool]]:
    """The items of one output and kind at once; of those that only bring flags, each once."""
    for number, is_data in sorted({(number, is_data) for _, number, _, is_data in items}):
        pieces = [(which, flat) for which, n, flat, kind in items if (n, kind) == (number, is_data) and len(which)]
        if not pieces:
            continue
        which, flat = (np.concatenate(arrays) for arrays in zip(*pieces, strict=True))
        if not is_data and len(pieces) > 1:
            which, flat = np.unique(np.stack([which, flat]), axis=1)
        yield which, number, flat, is_data


def _summed(pieces: Sequence[tuple[Indices, Indices]]) -> tuple[Indices, Indices]:
    """Elements of several pieces, ascending, each once, and the sums of their ways."""
    flats, times = (np.concatenate(arrays) for arrays in zip(*pieces, strict=True))
    once, place = np.unique(flats, return_inverse=True)
    summed = np.zeros(len(once), np.int64)
    np.add.at(summed, place, times)
    return once, np.minimum(summed, MOST_WAYS)


def _pieces(count: int) -> Iterator[tuple[int, int]]:
    for start in range(0, count, CHUNK):
        checkpoint()
        yield start, min(start + CHUNK, count)
