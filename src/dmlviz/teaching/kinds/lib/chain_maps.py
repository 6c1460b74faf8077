"""Where elements of a chain come from: through all stages, and by each wrong rule of chains, as a second map."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ....desc.indexing import put, ravel, unravel
from ....desc.values import Indices
from ....operators.gather import Gather
from ....operators.join import Join
from ....operators.maps import NOWHERE, tensors_among
from ....operators.reverse_subsequences import ReverseSubsequences
from ....operators.split import Split
from ....operators.tile import Tile
from ....session.chains import Chain

UNKNOWN = -2
"""In place of an input's number: by a wrong rule an element comes from where no tensor has one."""


class Leg(NamedTuple):
    """Elements on their way back: at an output of an earlier stage, or at an input of the chain."""

    which: Indices
    """Positions of the elements that are asked for; (N,), as `flat` is."""
    stage: int
    """NOWHERE where they have arrived."""
    number: int
    """The stage's output; of the chain an input, NOWHERE or UNKNOWN."""
    flat: Indices


Legs = list[Leg]
Turn = Callable[[Chain, int, int, Indices], Legs | None]
"""(chain, stage, output, flat elements) to where a rule's holder goes on; None where the rule says nothing of it."""


def origins(chain: Chain, rule: str, output: int) -> tuple[Indices, Indices]:
    """(inputs' numbers, flat elements), both (N,), that all elements of an output of the last stage come from.

    By a wrong rule, or in truth for "". NOWHERE for constants, UNKNOWN where the rule leads out of a tensor.
    """
    count = chain.outputs[output].tensor.element_count
    roots, flats = np.full(count, UNKNOWN, np.int64), np.zeros(count, np.int64)
    every = np.arange(count, dtype=np.int64)
    turn, turned = TURNS.get(rule), False
    left = [Leg(every, len(chain.stages) - 1, output, every)]
    while left:
        leg = left.pop()
        if leg.stage == NOWHERE:
            roots[leg.which], flats[leg.which] = leg.number, leg.flat
            continue
        legs = turn(chain, leg.stage, leg.number, leg.flat) if turn is not None and not turned else None
        turned = turned or (rule == "Q1" and legs is not None)  # two stages change places, and no others
        legs = _true_legs(chain, leg.stage, leg.number, leg.flat) if legs is None else legs
        left += [each._replace(which=leg.which[each.which]) for each in legs if len(each.which)]
    return roots, flats


def _true_legs(chain: Chain, stage: int, output: int, flat: Indices) -> Legs:
    tensors, places = chain.traces[stage].addresses(output, unravel(flat, _sizes(chain, stage, output)))
    nowhere = np.flatnonzero(tensors == NOWHERE)
    legs = [Leg(nowhere, NOWHERE, NOWHERE, np.zeros(len(nowhere), np.int64))]
    for k in tensors_among(tensors):
        here = np.flatnonzero(tensors == k)
        legs.append(_into(chain, stage, k, here, places[here]))
    return legs


def _into(chain: Chain, stage: int, tensor: int, which: Indices, flat: Indices) -> Leg:
    """Elements of a stage's input, and so of what fills that."""
    return Leg(which, *chain.fed[stage, tensor], flat)


def _into_at(chain: Chain, stage: int, tensor: int, index: tuple[Indices, ...]) -> Legs:
    """Elements of a stage's input by their index, those that it has."""
    sizes = chain.traces[stage].input_sizes[tensor]
    if len(sizes) != len(index):
        return []
    inside = np.flatnonzero(np.all([(axis >= 0) & (axis < n) for axis, n in zip(index, sizes, strict=True)], axis=0))
    return [_into(chain, stage, tensor, inside, ravel(tuple(axis[inside] for axis in index), sizes))]


def _sizes(chain: Chain, stage: int, output: int) -> tuple[int, ...]:
    return chain.traces[stage].outputs[output].tensor.sizes


def _is_read_as_written(chain: Chain, stage: int) -> bool:
    """True if no wire reads its source as other sizes: coordinates mean the same before and behind it."""
    wires = ((k, chain.wire(stage, k)) for k in range(len(chain.traces[stage].inputs)))
    return all(led is None or _sizes(chain, *led) == chain.traces[stage].input_sizes[k] for k, led in wires)


def _by_blocks(chain: Chain, stage: int, axis: int, lengths: list[int], index: tuple[Indices, ...]) -> Iterator[Any]:
    """(k, which, index within it) of each block of `lengths` along an axis that elements fall into."""
    start = 0
    for k, n in enumerate(lengths):
        which = np.flatnonzero((index[axis] >= start) & (index[axis] < start + n))
        yield k, which, put(tuple(i[which] for i in index), axis, index[axis][which] - start)
        start += n


def _order_turned(chain: Chain, stage: int, output: int, flat: Indices) -> Legs | None:
    """Q1: the stage before this one is gone back through first."""
    led = chain.wire(stage, 0)
    if led is None or len(chain.traces[led[0]].outputs) > 1 or len(chain.traces[stage].outputs) > 1:
        return None
    before, index = led[0], unravel(flat, _sizes(chain, stage, output))
    inner, outer = _sizes(chain, before, 0), _sizes(chain, stage, output)
    if len(inner) != len(outer):
        return None
    which = np.flatnonzero(np.all([axis < n for axis, n in zip(index, inner, strict=True)], axis=0))
    tensors, places = chain.traces[before].addresses(0, tuple(i[which] for i in index))
    legs: Legs = []
    for k in tensors_among(tensors):
        here = np.flatnonzero(tensors == k)
        at = unravel(places[here], chain.traces[before].input_sizes[k])
        if len(at) != len(outer):
            return None
        inside = np.flatnonzero(np.all([axis < n for axis, n in zip(at, outer, strict=True)], axis=0))
        others, back = chain.traces[stage].addresses(output, tuple(i[inside] for i in at))
        for m in tensors_among(others):
            there = np.flatnonzero(others == m)
            ends = which[here[inside[there]]]
            if chain.wire(stage, m) != led:
                legs.append(_into(chain, stage, m, ends, back[there]))
                continue
            found = _into_at(chain, before, k, unravel(back[there], chain.traces[stage].input_sizes[m]))
            legs += [leg._replace(which=ends[leg.which]) for leg in found]
    return legs


def _outer_alone(chain: Chain, stage: int, output: int, flat: Indices) -> Legs | None:
    """Q2: a GATHER of a GATHER picks from what the inner one picks from."""
    desc, led = chain.stages[stage].desc, chain.wire(stage, 0)
    if not isinstance(desc, Gather) or led is None:
        return None
    inner = chain.stages[led[0]].desc
    if not isinstance(inner, Gather) or inner.axis != desc.axis or not _is_read_as_written(chain, stage):
        return None
    _, places = chain.traces[stage].addresses(output, unravel(flat, _sizes(chain, stage, output)))
    return _into_at(chain, led[0], 0, unravel(places, chain.traces[stage].input_sizes[0]))


def _tiled_before(chain: Chain, stage: int, output: int, flat: Indices) -> Legs | None:
    """Q3: TILE of a JOIN as JOIN of TILEs, and the other way round."""
    desc, index = chain.stages[stage].desc, unravel(flat, _sizes(chain, stage, output))
    wires = [chain.wire(stage, k) for k in range(len(desc.inputs))]
    sources = [chain.stages[led[0]].desc if led is not None else None for led in wires]
    legs: Legs = []
    if not _is_read_as_written(chain, stage):
        return None
    if isinstance(desc, Tile) and isinstance(sources[0], Join):
        axis = sources[0].axis
        if axis >= len(desc.repeats) or (times := desc.repeats[axis]) < 2:
            return None
        lengths = [tensor.sizes[axis] for tensor in sources[0].input_tensors]
        for k, which, inner in _by_blocks(chain, stage, axis, [n * times for n in lengths], index):
            inner = put(inner, axis, inner[axis] % lengths[k] + sum(lengths[:k]))
            inner = tuple(i % n for i, n in zip(inner, desc.input_tensor.sizes, strict=True))
            legs += [leg._replace(which=which[leg.which]) for leg in _into_at(chain, stage, 0, inner)]
        return legs
    if isinstance(desc, Join) and all(isinstance(source, Tile) for source in sources):
        axis, counts = desc.axis, {source.repeats[desc.axis] for source in sources if isinstance(source, Tile)}
        if len(counts) != 1 or counts == {1}:
            return None
        (count,) = counts
        lengths = [tensor.sizes[axis] // count for tensor in desc.input_tensors]
        within = put(index, axis, index[axis] % sum(lengths))
        for k, which, inner in _by_blocks(chain, stage, axis, lengths, within):
            legs += [leg._replace(which=which[leg.which]) for leg in _into_at(chain, stage, k, inner)]
        return legs
    return None


def _parts_reversed(chain: Chain, stage: int, output: int, flat: Indices) -> Legs | None:
    """Q4: SPLIT of REVERSE_SUBSEQUENCES as the reverse of each part."""
    desc, led = chain.stages[stage].desc, chain.wire(stage, 0)
    if not isinstance(desc, Split) or led is None:
        return None
    before = chain.stages[led[0]].desc
    is_reversed = isinstance(before, ReverseSubsequences) and before.axis == desc.axis
    if not is_reversed or not _is_read_as_written(chain, stage):
        return None
    sizes, axis = _sizes(chain, stage, output), desc.axis
    index = unravel(flat, sizes)
    cells = ravel(put(index, axis, np.zeros_like(flat)), put(sizes, axis, 1))
    lengths = np.minimum(chain.traces[led[0]].read(1, cells).astype(np.int64), sizes[axis])
    turned = np.where(index[axis] < lengths, lengths - 1 - index[axis], index[axis])
    start = sum(tensor.sizes[axis] for tensor in desc.output_tensors[:output])
    return _into_at(chain, led[0], 0, put(index, axis, turned + start))


def _parts_in_order(chain: Chain, stage: int, output: int, flat: Indices) -> Legs | None:
    """Q5: input 0 reads part 0 of a SPLIT, input 1 part 1, whatever the wires say."""
    desc = chain.stages[stage].desc
    wires = [chain.wire(stage, k) for k in range(len(desc.inputs))]
    if wires[0] is None or not isinstance(before := chain.stages[wires[0][0]].desc, Split):
        return None
    if not _is_read_as_written(chain, stage):
        return None
    own = [led[1] for led in wires if led is not None and led[0] == wires[0][0]]
    legs: Legs = []
    if isinstance(desc, Join) and len(own) == len(wires) <= len(before.output_tensors) and before.axis == desc.axis:
        lengths = [tensor.sizes[desc.axis] for tensor in before.output_tensors[: len(wires)]]
        for k, which, inner in _by_blocks(chain, stage, desc.axis, lengths, unravel(flat, _sizes(chain, stage, 0))):
            legs.append(Leg(which, wires[0][0], k, ravel(inner, _sizes(chain, wires[0][0], k))))
        return legs
    for leg in _true_legs(chain, stage, output, flat):
        if (leg.stage, leg.number) != wires[0] or len(own) > 1:
            legs.append(leg)
        elif _sizes(chain, leg.stage, 0) == _sizes(chain, leg.stage, leg.number):
            legs.append(leg._replace(number=0))
    return legs


TURNS: Mapping[str, Turn] = {
    "Q1": _order_turned,
    "Q2": _outer_alone,
    "Q3": _tiled_before,
    "Q4": _parts_reversed,
    "Q5": _parts_in_order,
}
