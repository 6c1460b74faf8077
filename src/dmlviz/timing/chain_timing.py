"""How long a chain takes: each stage, and all in turn."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from msgspec import Struct, to_builtins

from ..desc.values import Array
from ..kernels.lib import loading
from ..operators.registry import operator_of
from ..running import engine, memory
from ..session.chains import Chain
from ..stopping import checkpoint
from . import sampling
from .sampling import Spread, bytes_moved

BUDGET = 0.25
"""Seconds of warm calls, of all stages together."""


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


class ChainTiming(Struct, frozen=True, kw_only=True):
    """A chain's stages; all medians come from the same rounds."""

    stages: tuple[StageTime, ...]
    whole: Spread
    """All stages' calls, one after the other."""

    @property
    def total(self) -> float:
        """The sum of the stages' medians."""
        return sum(stage.warm.median for stage in self.stages)

    @property
    def moved(self) -> int:
        return sum(stage.moved for stage in self.stages)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        json: dict[str, Any] = to_builtins(self)
        return json


def time_chain(
    chain: Chain, budget: float = BUDGET, tell: Callable[[str, float], None] = lambda stage, share: None
) -> ChainTiming:
    """Runs the stages of a chain, and times them in turns.

    `tell` hears what is done now, and which share. Raises ResourceError where memory is short.
    """
    tell("compiling", 0)
    for name in {operator_of(stage.desc).name for stage in chain.stages}:
        loading.load(name)
    bounds = _bound(chain)
    for bound in bounds:
        checkpoint()
        bound()
    calls: list[Callable[[], object]] = [*bounds, lambda: [bound() for bound in bounds]]
    tell("timing", 0)
    spreads = sampling.sample(calls, budget, partial(tell, "timing"))
    stages = []
    for stage, bound, spread in zip(chain.stages, bounds, spreads, strict=False):
        read, written = bytes_moved(stage.desc, bound.inputs)
        name = operator_of(stage.desc).name
        stages.append(StageTime(name=stage.name, operator=name, warm=spread, bytes_read=read, bytes_written=written))
    return ChainTiming(stages=tuple(stages), whole=spreads[-1])


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
