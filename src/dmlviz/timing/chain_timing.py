"""How long a chain takes: each stage, all in turn, and beside them one GATHER by the composed map.

What tells them apart is what they move: each stage reads and writes its tensors whole, while one gather reads each
element that arrives once, writes it once, and reads where it comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np
from msgspec import Struct, convert, to_builtins

from ..desc.fields import Role
from ..desc.levels import NEWEST
from ..desc.tensors import DataType, TensorDesc
from ..desc.values import CHUNK, Array, Indices
from ..errors import DmlvizError, InvalidDescError
from ..kernels.lib import loading
from ..operators.desc_edits import with_tensor
from ..operators.gather import Gather
from ..operators.maps import NOWHERE
from ..operators.registry import operator_of
from ..running import engine, memory
from ..running.memory import bytes_text
from ..session.chains import Chain, Root
from ..stopping import checkpoint
from . import sampling
from .sampling import Spread, bytes_moved

BUDGET = 0.25
"""Seconds of warm calls, of the stages and of the gather together."""
MOST_ASKED = 1 << 20
"""Elements of the end's outputs up to which each is asked for where it comes from: that takes a second or two."""


class StageTime(Struct, frozen=True, kw_only=True):
    """One stage's warm calls, on what the stage before it has written."""

    name: str
    operator: str
    warm: Spread
    bytes_read: int
    """As `sampling.bytes_moved` has it."""
    bytes_written: int

    @property
    def moved(self) -> int:
        return self.bytes_read + self.bytes_written


class GatherTime(Struct, frozen=True, kw_only=True):
    """One GATHER on {1, N}, the chain's inputs laid end to end, which makes all outputs of its end, end to end."""

    warm: Spread
    bytes_moved: int
    """Elements read and written; those that are constants are read too."""
    index_bytes: int


class ChainTiming(Struct, frozen=True, kw_only=True):
    """A chain's stages, and what they are held against; all medians come from the same rounds."""

    stages: tuple[StageTime, ...]
    whole: Spread
    """All stages' calls, one after the other."""
    gather: GatherTime | None = None
    why_none: str = ""
    """Why there is no gather beside them."""

    @property
    def total(self) -> float:
        """The sum of the stages' medians."""
        return sum(stage.warm.median for stage in self.stages)

    @property
    def moved(self) -> int:
        return sum(stage.moved for stage in self.stages)

    @property
    def sentence(self) -> str:
        """What tells stages and gather apart: `3 stages move 96.0 MiB; one gather moves 64.0 MiB and reads ...`."""
        count = len(self.stages)
        stages = f"{count} stage{'s' * (count != 1)} move{'s' * (count == 1)} {bytes_text(self.moved)}"
        if self.gather is None:
            return f"{stages}; {self.why_none}."
        indices = bytes_text(self.gather.index_bytes)
        return f"{stages}; one gather moves {bytes_text(self.gather.bytes_moved)} and reads {indices} of indices."

    def to_json(self) -> dict[str, Any]:
        """Plain values, which `from_json` reads back, and the sentence."""
        return {**to_builtins(self), "sentence": self.sentence}

    @classmethod
    def from_json(cls, json: dict[str, Any]) -> ChainTiming:
        return convert(json, cls)


def time_chain(
    chain: Chain, budget: float = BUDGET, tell: Callable[[str, float], None] = lambda stage, share: None
) -> ChainTiming:
    """Runs the stages of a chain, and one gather by their composed map, and times them in turns.

    The gather's outputs are held against the chain's, byte for byte. `tell` hears what is done now, and which share.
    Raises ResourceError where memory is short, and DmlvizError where both differ.
    """
    tell("compiling", 0)
    for name in {operator_of(stage.desc).name for stage in chain.stages}:
        loading.load(name)
    bounds = _bound(chain)
    for bound in bounds:
        checkpoint()
        bound()
    tell("composing", 0)
    fused = _fused(chain, bounds)
    calls: list[Callable[[], object]] = [*bounds, lambda: [bound() for bound in bounds]]
    if not isinstance(fused, str):
        calls.append(fused)
    tell("timing", 0)
    spreads = sampling.sample(calls, budget, partial(tell, "timing"))
    stages = []
    for stage, bound, spread in zip(chain.stages, bounds, spreads, strict=False):
        read, written = bytes_moved(stage.desc, bound.inputs)
        name = operator_of(stage.desc).name
        stages.append(StageTime(name=stage.name, operator=name, warm=spread, bytes_read=read, bytes_written=written))
    whole = spreads[len(bounds)]
    if isinstance(fused, str):
        return ChainTiming(stages=tuple(stages), whole=whole, why_none=fused)
    moved, index_bytes = 2 * fused.outputs[0].nbytes, fused.inputs[1].nbytes
    gather = GatherTime(warm=spreads[-1], bytes_moved=moved, index_bytes=index_bytes)
    return ChainTiming(stages=tuple(stages), whole=whole, gather=gather)


def _bound(chain: Chain) -> list[engine.Bound]:
    """Each stage bound to what those before it write: the same memory, read as the wired tensor's sizes."""
    filled = sum(root.part.tensor.byte_count for root in chain.inputs)
    needed = filled + sum(engine.memory_needed(stage.desc) for stage in chain.stages)
    memory.require_memory(needed, f"running {len(chain.stages)} stages")
    bounds: list[engine.Bound] = []
    for s, stage in enumerate(chain.stages):
        arrays: list[Array] = []
        for k, part in enumerate(stage.desc.inputs):
            led = chain.wire(s, k)
            if led is None:
                arrays.append(chain.traces[s].values[k].array())
            else:
                arrays.append(bounds[led[0]].outputs[led[1]].reshape(part.tensor.sizes))
        bounds.append(engine.bind(stage.desc, arrays, feature_level=stage.feature_level))
    return bounds


def _fused(chain: Chain, bounds: Sequence[engine.Bound]) -> engine.Bound | str:
    """One GATHER that makes the outputs of a chain's end, end to end; or why there is none, as the end of a sentence.

    Raises DmlvizError where it makes other bytes than the stages, which would be a fault here.
    """
    outputs = bounds[-1].outputs
    elements = sum(array.size for array in outputs)
    kind = DataType[f"UINT{8 * outputs[0].itemsize}"]  # of any type, bits are what moves
    composed = _carried(chain, bounds)
    if composed is None:
        if elements > MOST_ASKED:
            return f"a map of {elements:,} elements with constants is not composed, which is done up to {MOST_ASKED:,}"
        composed = _asked(chain, bounds, elements)
    places, data = composed
    needed = 2 * data.nbytes + 2 * outputs[0].itemsize * elements + 4 * elements
    free = memory.available_memory()
    if free is not None and needed > free:
        return f"one gather would take {bytes_text(needed)} of memory more, which is not there"
    if len(data) > 2**32 - 1:
        return "the inputs have more elements together than a tensor may"
    desc = Gather(
        TensorDesc(kind, (1, len(data))), TensorDesc(DataType.UINT32, (1, elements)), axis=1, index_dimensions=1
    )
    loading.load("GATHER")
    arrays = [data.view(kind.dtype).reshape(1, -1), places.astype(np.uint32).reshape(1, -1)]
    bound = engine.bind(desc, arrays, feature_level=NEWEST)
    bound()
    at = 0
    made = bound.outputs[0].reshape(-1)
    for part, array in zip(chain.outputs, outputs, strict=True):
        if made[at : at + array.size].tobytes() != array.tobytes():
            raise DmlvizError(f"{part.path} differs from one gather by the composed map: please report this session.")
        at += array.size
    return bound


def _carried(chain: Chain, bounds: Sequence[engine.Bound]) -> tuple[Indices, Array] | None:
    """(M,) where each element of the end's outputs stands in a row of all data inputs, and that row, (N,).

    The stages carry elements' numbers, as they would elements; indices and lengths stay what they are. None where a
    stage has constants, which have no number, or carries none of these.
    """
    if any(operator_of(stage.desc).constant_path for stage in chain.stages):
        return None
    carried = [root for root in chain.inputs if _is_carried(chain, root)]
    row = [bounds[root.stage].inputs[root.tensor].reshape(-1) for root in carried]
    offsets = accumulate((array.size for array in row), initial=0)
    starts = {(root.stage, root.tensor): offset for root, offset in zip(carried, offsets, strict=False)}
    made: list[list[Array]] = []
    for s, stage in enumerate(chain.stages):
        desc, arrays = stage.desc, []
        for k, part in enumerate(stage.desc.inputs):
            if part.field.role is not Role.DATA:
                arrays.append(bounds[s].inputs[k])
                continue
            led, tensor = chain.wire(s, k), part.tensor
            desc = desc.replace(with_tensor(desc, part, tensor.retyped(DataType.UINT32)))
            if led is not None:
                arrays.append(made[led[0]][led[1]].reshape(tensor.sizes))
            else:
                start = starts.get((s, k), 0)
                numbers = np.arange(start, start + tensor.element_count, dtype=np.int64)
                arrays.append(numbers.astype(np.uint32).reshape(tensor.sizes))
        for part in desc.outputs:
            desc = desc.replace(with_tensor(desc, part, part.tensor.retyped(DataType.UINT32)))
        checkpoint()
        try:
            made.append(engine.run(desc, arrays, feature_level=NEWEST))
        except InvalidDescError:
            return None
    return np.concatenate([array.reshape(-1) for array in made[-1]]), np.concatenate(row)


def _is_carried(chain: Chain, root: Root) -> bool:
    """True for an input of data of the type that arrives: others steer, and never arrive themselves."""
    return root.part.field.role is Role.DATA and root.part.tensor.data_type is chain.outputs[0].tensor.data_type


def _asked(chain: Chain, bounds: Sequence[engine.Bound], elements: int) -> tuple[Indices, Array]:
    """The same of the inputs that arrive, each element asked for where it comes from.

    Constants stand behind the inputs, an element for each output that has some.
    """
    inputs, places = np.empty(elements, np.int64), np.empty(elements, np.int64)
    last, at = len(chain.stages) - 1, 0
    for output, part in enumerate(chain.outputs):
        for start in range(0, part.tensor.element_count, CHUNK):
            stop = min(start + CHUNK, part.tensor.element_count)
            checkpoint()
            found = chain.addresses(last, output, np.arange(start, stop, dtype=np.int64))
            inputs[at + start : at + stop], places[at + start : at + stop] = found[:2]
        at += part.tensor.element_count
    row: list[Array] = []
    offset = 0
    for number in np.unique(inputs[inputs != NOWHERE]).tolist():
        root = chain.inputs[number]
        places[inputs == number] += offset
        row.append(bounds[root.stage].inputs[root.tensor].reshape(-1))
        offset += row[-1].size
    constant = np.flatnonzero(inputs == NOWHERE)
    if len(constant):
        ends = np.concatenate([array.reshape(-1) for array in bounds[-1].outputs])
        values, which = np.unique(ends[constant].view(f"u{ends.itemsize}"), return_inverse=True)
        row.append(values.view(ends.dtype))
        places[constant] = offset + which.reshape(-1)
    return places, np.concatenate(row)
