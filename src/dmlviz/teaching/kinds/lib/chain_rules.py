"""Wrong rules that people hold about chains, and where elements come from by each: a map besides the true one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....desc.indexing import flat_in, put
from ....operators.gather import Gather
from ....operators.join import Join
from ....operators.maps import NOWHERE
from ....operators.reverse_subsequences import ReverseSubsequences
from ....operators.split import Split
from ....operators.tile import Tile
from ....operators.wrong_rules import Misreading
from ....session.chains import At, Chain
from ...questions.wording import is_index


def _rule(id_: str, name: str, feedback: str, look: str) -> Misreading[Any]:
    return Misreading(id=id_, name=name, feedback=feedback, lights=(look,))


CHAIN_RULES: tuple[Misreading[Any], ...] = (
    _rule(
        "Q2",
        "the second GATHER picks from the first one's input",
        "The second GATHER picks from what the first one has written: x[i][j] is x[i[j]], and not x[j].",
        "the first GATHER's indices",
    ),
    _rule(
        "Q3",
        "TILE and JOIN may change places",
        "TILE of a JOIN gives a b a b; only a JOIN of TILEs gives a a b b.",
        "which of JOIN and TILE is the later stage",
    ),
    _rule(
        "Q4",
        "SPLIT cuts first, and each part is reversed for itself",
        "The whole is reversed before SPLIT cuts it, so the first part begins with what stood last.",
        "REVERSE_SUBSEQUENCES comes before SPLIT",
    ),
    _rule(
        "Q5",
        "a SPLIT's parts are read in their order",
        "Each wire says which part it is from: an input may read any part, in any order.",
        "the numbers of the parts at the wires",
    ),
    _rule(
        "Q1",
        "the order of two stages doesn't matter",
        "Two stages may not change places: each moves what the one before it has written, "
        "so go back through the last one first.",
        "the last two stages",
    ),
)
"""The more particular ones first: who holds one of those would often change two stages, too."""

OUTSIDE: At = (0, 0, ())
"""In place of an input's element: the rule leads to where no tensor has one."""


class Here:
    """An element of a stage's output, and what fills the inputs of that stage."""

    def __init__(self, chain: Chain, at: At) -> None:
        self.chain, (self.stage, self.output, self.index) = chain, at
        self.desc = chain.stages[self.stage].desc
        self.fed = [chain.fed[self.stage, k] for k in range(len(chain.traces[self.stage].inputs))]
        self.before = [chain.stages[stage].desc if stage != NOWHERE else None for stage, _ in self.fed]
        """The descs of the stages that fill the inputs; None where no wire does."""

    @property
    def is_read_as_written(self) -> bool:
        """True if no wire reads its source as other sizes: coordinates mean the same before and behind it."""
        own = self.chain.traces[self.stage].input_sizes
        return all(k == NOWHERE or _sizes(self.chain, k, n) == own[i] for i, (k, n) in enumerate(self.fed))


def origin(chain: Chain, rule: str, output: int, index: tuple[int, ...]) -> tuple[int, int] | None:
    """(input, flat element) that an element of the end comes from, by a rule or, for "", in truth; None for none."""
    turn = TURNS.get(rule)
    at = (len(chain.stages) - 1, output, index)
    while True:
        here = Here(chain, at)
        turned = turn(here) if turn is not None and (rule == "Q1" or here.is_read_as_written) else None
        if turned is not None and rule == "Q1":
            turn = None  # two stages change places, and no others
        read = turned or _truly(chain, at)
        sizes = chain.traces[read[0]].input_sizes[read[1]]
        if not is_index(read[2], sizes):
            return None
        if (led := chain.led(*read)) is None:
            return chain.fed[read[:2]][1], flat_in(read[2], sizes)
        at = led


def _truly(chain: Chain, at: At) -> At:
    source = chain.traces[at[0]].source(*at[1:])
    return OUTSIDE if source.nowhere else (at[0], source.tensor, source.index)


def _sizes(chain: Chain, stage: int, output: int) -> tuple[int, ...]:
    return chain.traces[stage].outputs[output].tensor.sizes


def _block(lengths: Sequence[int], place: int) -> tuple[int, int]:
    """(which of blocks of these lengths a place along an axis is in, place in it)."""
    block = int(np.searchsorted(np.cumsum(lengths), place, side="right"))
    return block, place - sum(lengths[:block])


def _order_turned(here: Here) -> At | None:
    """Q1: the stage before this one is gone back through first."""
    chain, led = here.chain, here.fed[0]
    if here.before[0] is None or len(here.before[0].outputs) > 1 or len(here.desc.outputs) > 1:
        return None
    inner = _sizes(chain, *led)
    outer = _sizes(chain, here.stage, here.output)
    if {len(sizes) for sizes in (inner, *chain.traces[led[0]].input_sizes)} != {len(outer)}:
        return None
    before = _truly(chain, (*led, here.index)) if is_index(here.index, inner) else OUTSIDE
    if not is_index(before[2], outer):
        return OUTSIDE
    read = _truly(chain, (here.stage, here.output, before[2]))
    return (*before[:2], read[2]) if chain.wire(*read[:2]) == led else read


def _outer_alone(here: Here) -> At | None:
    """Q2: a GATHER of a GATHER picks from what the inner one picks from."""
    desc, inner = here.desc, here.before[0]
    if not isinstance(desc, Gather) or not isinstance(inner, Gather) or inner.axis != desc.axis:
        return None
    return here.fed[0][0], 0, _truly(here.chain, (here.stage, 0, here.index))[2]


def _tiled_before(here: Here) -> At | None:
    """Q3: TILE of a JOIN as JOIN of TILEs, and the other way round."""
    desc = here.desc
    before = here.before
    index = here.index
    if isinstance(desc, Tile) and isinstance(joined := before[0], Join):
        axis = joined.axis
        if axis >= len(desc.repeats) or (times := desc.repeats[axis]) < 2:
            return None
        lengths = [tensor.sizes[axis] for tensor in joined.input_tensors]
        block, place = _block([n * times for n in lengths], index[axis])
        index = put(index, axis, place % lengths[block] + sum(lengths[:block]))
        return here.stage, 0, tuple(i % n for i, n in zip(index, desc.input_tensor.sizes, strict=True))
    tiles = [source for source in before if isinstance(source, Tile)]
    if isinstance(desc, Join) and len(tiles) == len(before):
        counts = {tile.repeats[desc.axis] for tile in tiles}
        if len(counts) != 1 or counts == {1}:
            return None
        (count,) = counts
        lengths = [tensor.sizes[desc.axis] // count for tensor in desc.input_tensors]
        block, place = _block(lengths, index[desc.axis] % sum(lengths))
        return here.stage, block, put(index, desc.axis, place)
    return None


def _parts_reversed(here: Here) -> At | None:
    """Q4: SPLIT of REVERSE_SUBSEQUENCES as the reverse of each part."""
    desc = here.desc
    before = here.before[0]
    index = here.index
    if not isinstance(desc, Split) or not isinstance(before, ReverseSubsequences) or before.axis != desc.axis:
        return None
    stage = here.fed[0][0]
    axis = desc.axis
    sizes = _sizes(here.chain, here.stage, here.output)
    cell = flat_in(put(index, axis, 0), put(sizes, axis, 1))
    place = index[axis]
    length = min(int(here.chain.traces[stage].read.one(1, cell)), sizes[axis])
    start = sum(tensor.sizes[axis] for tensor in desc.output_tensors[: here.output])
    return stage, 0, put(index, axis, start + (length - 1 - place if place < length else place))


def _parts_in_order(here: Here) -> At | None:
    """Q5: a JOIN's input 0 reads part 0 of a SPLIT, input 1 part 1, whatever the wires say."""
    desc = here.desc
    before = here.before[0]
    source = here.fed[0][0]
    if not isinstance(before, Split) or not isinstance(desc, Join) or before.axis != desc.axis:
        return None
    lengths = [tensor.sizes[desc.axis] for tensor in before.output_tensors[: len(here.fed)]]
    if {stage for stage, _ in here.fed} != {source} or len(lengths) < len(here.fed):
        return None
    block, place = _block(lengths, here.index[desc.axis])
    if block >= len(lengths):
        return OUTSIDE
    return _truly(here.chain, (source, block, put(here.index, desc.axis, place)))


TURNS = {"Q1": _order_turned, "Q2": _outer_alone, "Q3": _tiled_before, "Q4": _parts_reversed, "Q5": _parts_in_order}
"""To the element of a stage's input from which a rule's holder goes on; None where the rule says nothing of it."""
