"""Where an element of a chain comes from: through all stages, and by each wrong rule of chains, as a second map."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ....desc.indexing import flat_in, index_in, put
from ....operators.gather import Gather
from ....operators.join import Join
from ....operators.reverse_subsequences import ReverseSubsequences
from ....operators.split import Split
from ....operators.tile import Tile
from ....session.chains import At, Chain

Turn = Callable[[Chain, At], At | None]
"""(chain, element of a stage's output) to the element of a stage's input from which a rule's holder goes on; None where
the rule says nothing of it."""
OUTSIDE: At = (0, 0, ())
"""In place of an input's element: the rule leads to where no tensor has one."""


def origin(chain: Chain, rule: str, output: int, index: tuple[int, ...]) -> tuple[int, int] | None:
    """(input's number, flat element) that an element of the last stage comes from, by a wrong rule or in truth for "".

    None for a constant, and where the rule leads out of a tensor.
    """
    turn, at = TURNS.get(rule), (len(chain.stages) - 1, output, index)
    while True:
        turned = turn(chain, at) if turn is not None else None
        if turned is not None and rule == "Q1":
            turn = None  # two stages change places, and no others
        read = turned or _truly(chain, at)
        sizes = _read_sizes(chain, *read[:2])
        if not _is_inside(read[2], sizes):
            return None
        if (led := chain.led(*read)) is None:
            return chain.fed[read[:2]][1], flat_in(read[2], sizes)
        at = led


def _truly(chain: Chain, at: At) -> At:
    stage, output, index = at
    source = chain.traces[stage].source(output, index)
    return OUTSIDE if source.nowhere else (stage, source.tensor, source.index)


def _is_inside(index: Sequence[int], sizes: Sequence[int]) -> bool:
    return len(index) == len(sizes) and all(0 <= i < n for i, n in zip(index, sizes, strict=True))


def _sizes(chain: Chain, stage: int, output: int) -> tuple[int, ...]:
    return chain.traces[stage].outputs[output].tensor.sizes


def _read_sizes(chain: Chain, stage: int, tensor: int) -> tuple[int, ...]:
    return chain.traces[stage].input_sizes[tensor]


def _is_read_as_written(chain: Chain, stage: int) -> bool:
    """True if no wire reads its source as other sizes: coordinates mean the same before and behind it."""
    wires = ((k, chain.wire(stage, k)) for k in range(len(chain.traces[stage].inputs)))
    return all(led is None or _sizes(chain, *led) == _read_sizes(chain, stage, k) for k, led in wires)


def _block(lengths: Sequence[int], place: int) -> tuple[int, int]:
    """(which of blocks of these lengths a place along an axis is in, place in it)."""
    block = int(np.searchsorted(np.cumsum(lengths), place, side="right"))
    return block, place - sum(lengths[:block])


def _order_turned(chain: Chain, at: At) -> At | None:
    """Q1: the stage before this one is gone back through first."""
    stage, output, index = at
    led = chain.wire(stage, 0)
    if led is None or len(chain.traces[led[0]].outputs) > 1 or len(chain.traces[stage].outputs) > 1:
        return None
    inner, outer = _sizes(chain, *led), _sizes(chain, stage, output)
    if len(inner) != len(outer) or any(len(sizes) != len(outer) for sizes in chain.traces[led[0]].input_sizes):
        return None
    before = _truly(chain, (*led, index)) if _is_inside(index, inner) else OUTSIDE
    if not _is_inside(before[2], outer):
        return OUTSIDE
    read = _truly(chain, (stage, output, before[2]))
    return (*before[:2], read[2]) if chain.wire(*read[:2]) == led else read


def _outer_alone(chain: Chain, at: At) -> At | None:
    """Q2: a GATHER of a GATHER picks from what the inner one picks from."""
    desc, led = chain.stages[at[0]].desc, chain.wire(at[0], 0)
    inner = chain.stages[led[0]].desc if led is not None else None
    both = isinstance(desc, Gather) and isinstance(inner, Gather) and inner.axis == desc.axis
    return (led[0], 0, _truly(chain, at)[2]) if led and both and _is_read_as_written(chain, at[0]) else None


def _tiled_before(chain: Chain, at: At) -> At | None:
    """Q3: TILE of a JOIN as JOIN of TILEs, and the other way round."""
    stage, _, index = at
    desc, wires = chain.stages[stage].desc, [chain.wire(stage, k) for k in range(len(chain.traces[stage].inputs))]
    sources = [chain.stages[led[0]].desc if led is not None else None for led in wires]
    if not _is_read_as_written(chain, stage):
        return None
    if isinstance(desc, Tile) and isinstance(sources[0], Join):
        axis = sources[0].axis
        if axis >= len(desc.repeats) or (times := desc.repeats[axis]) < 2:
            return None
        lengths = [tensor.sizes[axis] for tensor in sources[0].input_tensors]
        block, place = _block([n * times for n in lengths], index[axis])
        index = put(index, axis, place % lengths[block] + sum(lengths[:block]))
        return stage, 0, tuple(i % n for i, n in zip(index, desc.input_tensor.sizes, strict=True))
    if isinstance(desc, Join) and all(isinstance(source, Tile) for source in sources):
        axis, counts = desc.axis, {source.repeats[desc.axis] for source in sources if isinstance(source, Tile)}
        if len(counts) != 1 or counts == {1}:
            return None
        (count,) = counts
        lengths = [tensor.sizes[axis] // count for tensor in desc.input_tensors]
        block, place = _block(lengths, index[axis] % sum(lengths))
        return stage, block, put(index, axis, place)
    return None


def _parts_reversed(chain: Chain, at: At) -> At | None:
    """Q4: SPLIT of REVERSE_SUBSEQUENCES as the reverse of each part."""
    stage, output, index = at
    desc, led = chain.stages[stage].desc, chain.wire(stage, 0)
    before = chain.stages[led[0]].desc if led is not None else None
    if led is None or not isinstance(desc, Split) or not isinstance(before, ReverseSubsequences):
        return None
    if before.axis != desc.axis or not _is_read_as_written(chain, stage):
        return None
    sizes, axis, place = _sizes(chain, stage, output), desc.axis, index[desc.axis]
    cell = flat_in(put(index, axis, 0), put(sizes, axis, 1))
    length = min(int(chain.traces[led[0]].read.one(1, cell)), sizes[axis])
    start = sum(tensor.sizes[axis] for tensor in desc.output_tensors[:output])
    return led[0], 0, put(index, axis, start + (length - 1 - place if place < length else place))


def _parts_in_order(chain: Chain, at: At) -> At | None:
    """Q5: input 0 reads part 0 of a SPLIT, input 1 part 1, whatever the wires say."""
    stage, _, index = at
    desc, wires = chain.stages[stage].desc, [chain.wire(stage, k) for k in range(len(chain.traces[stage].inputs))]
    if wires[0] is None or not isinstance(before := chain.stages[wires[0][0]].desc, Split):
        return None
    if not _is_read_as_written(chain, stage):
        return None
    source, parts = wires[0][0], [tensor.sizes for tensor in before.output_tensors]
    own = [led[1] for led in wires if led is not None and led[0] == source]
    if isinstance(desc, Join) and len(own) == len(wires) <= len(parts) and before.axis == desc.axis:
        block, place = _block([sizes[desc.axis] for sizes in parts[: len(wires)]], index[desc.axis])
        return _truly(chain, (source, block, put(index, desc.axis, place))) if block < len(wires) else OUTSIDE
    read = _truly(chain, at)
    if len(own) > 1 or read[1] != 0 or parts[0] != parts[wires[0][1]]:
        return None
    return _truly(chain, (source, 0, index_in(flat_in(read[2], _read_sizes(chain, stage, 0)), parts[0])))


TURNS: Mapping[str, Turn] = {
    "Q1": _order_turned,
    "Q2": _outer_alone,
    "Q3": _tiled_before,
    "Q4": _parts_reversed,
    "Q5": _parts_in_order,
}
