"""Chains: all that an experiment reads by wires, in values, and where elements come from and go to through it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from msgspec import Struct

from ..desc.base import Part
from ..desc.indexing import flat_in, index_in, ravel, unravel
from ..desc.tensors import brackets, integer
from ..desc.value_sources import Wired
from ..desc.values import Array, Indices, Values
from ..errors import DmlvizError, ValuesError, plain, quote
from ..operators.maps import CLAMPED, NOWHERE, tensors_among
from ..stopping import checkpoint
from ..tracing import Source, Trace, checked_index
from .wiring import Stage, broken_by, fault, stages_of, wires

if TYPE_CHECKING:
    from .same import Verdict

MOST_KEPT = 1 << 20
"""Elements of an output that are kept of those read last."""
MOST_WAYS = 1 << 37
"""What is told of more ways too: wired indices double them at every stage, and sums of these still fit INT64."""
MOST_REACHED = 1 << 14
"""Elements of a stage that are followed to where they go, one by one."""
MOST_COUNTED = 1 << 20
"""Elements of a chain up to which it is counted on how many ways each arrives."""
At = tuple[int, int, tuple[int, ...]]
"""An element of an output: (stage, output, index)."""


class WiredValues(Values):
    """Elements of another experiment's output, by its trace: the same packed memory, whatever the sizes."""

    def __init__(self, part: Part, trace: Trace, number: int) -> None:
        super().__init__(part.tensor)
        self._trace, self._number = trace, number
        self.key = part.tensor, number, trace  # a trace is equal to itself alone
        count = min(part.tensor.element_count, MOST_KEPT)
        new = np.zeros(count, np.int64), np.zeros(count, part.tensor.data_type.dtype), Lock()
        self._kept = trace.kept.setdefault(("wired", number), new)  # numbers from 1, and 0 for none; elements

    def read(self, flat: Indices) -> Array:
        numbers, elements, lock = self._kept  # traces are read by several threads
        places = flat % len(numbers)
        with lock:
            found = elements[places]
            is_new = numbers[places] != flat + 1
        if is_new.any():
            asked = flat[is_new]
            at = places[is_new]
            index = unravel(asked, self._trace.outputs[self._number].tensor.sizes)
            found[is_new] = made = self._trace.window(self._number, index)
            with lock:
                numbers[at] = asked + 1
                elements[at] = made
        return np.asarray(found)


def values_of(part: Part, wire: Wired) -> Values:
    """What a wired input holds. Raises ValuesError where the wire leads nowhere, or to what has no values yet."""
    if wire.source is not None and (name := fault(wire.source)):
        raise ValuesError(f"{part.path} reads {quote(name)}, which is not valid.")
    if (check := broken_by(part, wire)) is not None:
        raise ValuesError(check.message)
    return WiredValues(part, wire.source.links, wire.number)


class Root(NamedTuple):
    """An input of a chain, the tensor with that number among its stage's inputs: no wire fills it."""

    stage: int
    tensor: int
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


Leg = tuple[tuple[int, int], Indices, Indices, bool]
"""What elements of an output are, one stage back: (the tensor as `Chain.fed` has it, which of them, their flat elements
there, True unless these are the indices or lengths that send them)."""


class Chain:
    """Experiments of which each reads others before it, the last one reading all; valid ones, as frozen as these."""

    def __init__(self, end: Stage) -> None:
        """The chain that ends with experiment `end`. Raises DmlvizError for one that can't run."""
        if broken := fault(end):
            raise DmlvizError(f"{quote(broken)} is not valid, expected a chain of valid descs; `check` says why.")
        self.stages: tuple[Stage, ...] = stages_of(end)
        """Each behind those that it reads."""
        self.traces: tuple[Trace, ...] = tuple(stage.links for stage in self.stages)
        self.inputs: tuple[Root, ...] = ()
        """The inputs that no wire fills, in the stages' order."""
        self.fed: dict[tuple[int, int], tuple[int, int]] = {}
        """What fills each (stage, input): (stage, output), or (NOWHERE, number among `inputs`)."""
        numbers = {id(stage): i for i, stage in enumerate(self.stages)}
        for i, stage in enumerate(self.stages):
            led = {part.path: (numbers[id(wire.source)], wire.number) for part, wire in wires(stage)}
            for k, part in enumerate(stage.desc.inputs):
                self.fed[i, k] = led.get(part.path, (NOWHERE, len(self.inputs)))
                self.inputs += () if part.path in led else (Root(i, k, part),)
        tensors = {(NOWHERE, n): root.part.tensor for n, root in enumerate(self.inputs)}
        for s, trace in enumerate(self.traces):
            tensors |= {(s, k): part.tensor for k, part in enumerate(trace.outputs)}
        self._sizes = {at: tensor.element_count for at, tensor in tensors.items()}

    @property
    def outputs(self) -> tuple[Part, ...]:
        return self.traces[-1].outputs

    @property
    def elements(self) -> int:
        return sum(self._sizes.values())

    def wire(self, stage: int, tensor: int) -> tuple[int, int] | None:
        """What fills an input of a stage: (number of a stage, number of its output); None where no wire does."""
        fed = self.fed.get((stage, tensor), (NOWHERE, 0))
        return fed if fed[0] != NOWHERE else None

    def led(self, stage: int, tensor: int, index: Sequence[int]) -> At | None:
        """The element, of another stage's output, that an element of an input is; None where no wire fills that."""
        if (at := self.wire(stage, tensor)) is None:
            return None
        flat = flat_in(index, self.traces[stage].input_sizes[tensor])
        return (*at, index_in(flat, self.traces[at[0]].outputs[at[1]].tensor.sizes))

    def run(self, inputs: Sequence[Any] | None = None) -> list[Array]:
        """The last stage's outputs, each stage run on its kernel in turn.

        `inputs` are arrays for the chain's `inputs`, in order, each of which is None where it keeps its values. Raises
        DmlvizError for arrays that aren't what descs say, and where memory is short.
        """
        from ..running.engine import require_room, run  # most chains are never run

        given = list(inputs or [None] * len(self.inputs))
        if len(given) != len(self.inputs):
            raise ValuesError(f"inputs has {len(given)} arrays, expected {len(self.inputs)}, as `chain.inputs` has.")
        held = {(NOWHERE, n): array for n, array in enumerate(given)}
        made = list[Array]()
        for s, (stage, trace) in enumerate(zip(self.stages, self.traces, strict=True)):
            filled: list[Any] = list(trace.values)
            for k, part in enumerate(trace.inputs):
                if (array := held[self.fed[s, k]]) is not None:
                    filled[k] = array.reshape(part.tensor.sizes) if self.wire(s, k) else array
            checkpoint()
            require_room(stage.desc, [one for one in filled if isinstance(one, Values)])
            arrays = [one.array() if isinstance(one, Values) else one for one in filled]
            made = run(stage.desc, arrays, feature_level=stage.feature_level)
            held |= {(s, k): array for k, array in enumerate(made)}
        return made

    def with_values(self, values: Mapping[int, Values]) -> Chain:
        """The same chain with other values in some of its inputs, by number; what others read of these follows."""
        chain = Chain(self.stages[-1])
        chain.traces = ()
        for s, trace in enumerate(self.traces):
            own = list(trace.values)
            for k, part in enumerate(trace.inputs):
                at, number = self.fed[s, k]
                if at == NOWHERE:
                    own[k] = values.get(number, own[k])
                else:
                    own[k] = WiredValues(part, chain.traces[at], number)
            chain.traces += (Trace(trace.desc, own),)
        return chain

    def source(self, output: int = 0, index: Sequence[int] = ()) -> Path:
        """Where an element of the last stage's output comes from. Raises DmlvizError for an index outside."""
        return self.path(len(self.stages) - 1, output, index)

    def path(self, stage: int, output: int, index: Sequence[int]) -> Path:
        """Where an element of any stage's output comes from. Raises DmlvizError for an index outside."""
        hops = list[Hop]()
        at: At | None = (stage, output, tuple(index))
        while at is not None:
            source = self.traces[at[0]].source(*at[1:])
            hops.append(Hop(*at, source))
            at = None if source.nowhere else self.led(at[0], source.tensor, source.index)
        flat = flat_in(hops[0].index, self.traces[stage].outputs[output].tensor.sizes)
        clamped = bool(self.addresses(stage, output, np.array([flat], np.int64))[2][0] & CLAMPED)
        root = NOWHERE if source.nowhere else self.fed[hops[-1].stage, source.tensor][1]
        return Path(tuple(hops), root, source.index, clamped)

    def _through(self, stage: int, output: int, flat: Indices) -> tuple[Indices, list[Leg]]:
        """The flags (N,) of elements of an output, and what they are one stage back."""
        trace = self.traces[stage]
        sources = trace.sources(output, unravel(flat, trace.outputs[output].tensor.sizes))
        places = sources.flat(trace.input_sizes)
        legs = list[Leg]()
        for k in tensors_among(sources.tensor):
            here = np.flatnonzero(sources.tensor == k)
            legs.append((self.fed[stage, k], here, places[here], True))
        if sources.via is not None:
            cells = ravel(sources.via, trace.input_sizes[sources.via_tensor])
            legs.append((self.fed[stage, sources.via_tensor], np.arange(len(flat)), cells, False))
        return sources.flags if sources.flags is not None else np.zeros(len(flat), np.int64), legs

    def addresses(self, stage: int, output: int, flat: Indices) -> tuple[Indices, Indices, Indices]:
        """Where elements `flat` (N,) of a stage's output come from: (inputs' numbers, flat elements, flags), all (N,).

        What has no source is of input NOWHERE (-1). Flags are those of all stages on the way, and of where indices and
        lengths come from.
        """
        roots, flats, flags = (np.full(len(flat), fill, np.int64) for fill in (NOWHERE, 0, 0))
        waiting = {(stage, output, True): [np.stack([np.arange(len(flat)), flat])]}
        while waiting:
            s, number, is_data = at = max(waiting)  # the last stage, so that all that asks for it has done so
            which, elements = asked = np.concatenate(waiting.pop(at), axis=1)
            if s == NOWHERE:
                roots[which] = number
                flats[which] = elements
                continue
            checkpoint()
            if not is_data:
                which, elements = np.unique(asked, axis=1)
            found, legs = self._through(s, number, elements)
            np.bitwise_or.at(flags, which, found if is_data else found & CLAMPED)
            for (stage, number), here, places, is_own in legs:
                if stage != NOWHERE or (is_data and is_own):
                    more = np.stack([which[here], places])
                    waiting.setdefault((stage, number, is_data and is_own), []).append(more)
        return roots, flats, flags

    def destinations(self, input: int = 0, index: Sequence[int] = ()) -> list[Arrival] | None:  # noqa: A002
        """Where an element of the chain's input number `input` arrives, in row-major order of the last stage's outputs.

        Ways lead through data, and through indices and lengths: a cell reaches all that it sends. None where more than
        2^14 elements of a stage are reached. Raises DmlvizError for an index outside.
        """
        if not 0 <= integer(input, "input") < len(self.inputs):
            raise DmlvizError(f"input is {input}, expected 0 to {len(self.inputs) - 1}.")
        part = self.inputs[input].part
        start = flat_in(checked_index(part.tensor, index, part.path), part.tensor.sizes)
        reached = {(NOWHERE, input): Counter({start: 1})}  # on how many ways, by flat elements
        for s, trace in enumerate(self.traces):
            for k, sizes in enumerate(trace.input_sizes):
                if not (ways := reached.get(self.fed[s, k])):
                    continue
                trace.prepare()
                counts = trace.counts(k, unravel(np.array([*ways], np.int64), sizes))
                if (counts < 0).any() or counts.sum() > MOST_REACHED:
                    return None
                for at, more in ways.items():
                    if len(reads := trace.destinations(k, index_in(at, sizes))):
                        into = reached.setdefault((s, reads.output), Counter())
                        there = reads.window(0, len(reads))
                        part = trace.outputs[reads.output]
                        for flat in ravel(there, part.tensor.sizes).tolist():
                            into[flat] = min(into[flat] + more, MOST_WAYS)
        ends = ((k, part.tensor.sizes, reached.get((s, k), Counter())) for k, part in enumerate(self.outputs))
        return [Arrival(k, index_in(n, sizes), ways[n]) for k, sizes, ways in ends for n in sorted(ways)]

    @cached_property
    def counts(self) -> list[Indices] | None:
        """For each input, on how many ways its elements arrive at the end (N,); None for more than 2^20 in all."""
        if self.elements > MOST_COUNTED:
            return None
        ways = {at: np.zeros(count, np.int64) for at, count in self._sizes.items()}
        for (s, k), made in reversed(ways.items()):
            made += s == len(self.stages) - 1
            np.minimum(made, MOST_WAYS, out=made)
            flat = np.arange(len(made), dtype=np.int64)
            for to, which, places, _ in self._through(s, k, flat)[1] if s != NOWHERE else ():
                np.add.at(ways[to], places, made[which])
        return [ways[NOWHERE, n] for n in range(len(self.inputs))]

    def dead(self, input: int) -> int | None:  # noqa: A002
        """How many elements of an input never arrive at the end; None as for `counts`."""
        if self.counts is None:
            return None
        return int(np.count_nonzero(self.counts[input] == 0))

    def same_as(self, other: Chain, output: int = 0, other_output: int = 0) -> Verdict:
        """Whether an output is equivalent to one of another chain: the verdict of `dml.same`."""
        from .same import same  # few ask

        return same(self, other, output, other_output)

    def element_text(self, stage: int, output: int, index: Sequence[int]) -> str:
        """An element of a stage's output as lines name it: `halves[1][0,1]`; `twice[0,9]` of its only output."""
        number = f"[{output}]" if len(self.traces[stage].outputs) > 1 else ""
        return f"{plain(self.stages[stage].name, 40)}{number}{brackets(index)}"

    def root_name(self, input: int) -> str:  # noqa: A002
        """What the stage's `roots` call an input, as an imported model does; "" where nothing names it."""
        names = self.stages[self.inputs[input].stage].extra.get("roots")
        name = names.get(self.inputs[input].part.path) if isinstance(names, dict) else ""
        return plain(name, 40) if isinstance(name, str) else ""

    def root_text(self, input: int, index: Sequence[int] | None = None) -> str:  # noqa: A002
        """An input, or an element of it, as lines name it: `InputTensor[0,5] of halves`; `qkv[0,5]` with a name."""
        root = self.inputs[input]
        at = "" if index is None else brackets(index)
        own = f"{root.part.path}{at} of {plain(self.stages[root.stage].name, 40)}"
        return f"{name}{at}" if (name := self.root_name(input)) else own

    def end_text(self, path: Path) -> str:
        if path.root == NOWHERE:
            return f"the constant {path.hops[-1].source.constant}"
        return self.root_text(path.root, path.index)

    def path_text(self, path: Path) -> str:
        """A path in one line: `twice[0,9] ⇠ swapped[0,1] ⇠ halves[1][0,1] ⇠ InputTensor[0,5] of halves`."""
        places = [self.element_text(hop.stage, hop.output, hop.index) for hop in path.hops]
        return " ⇠ ".join([*places, self.end_text(path)]) + " !" * path.clamped
