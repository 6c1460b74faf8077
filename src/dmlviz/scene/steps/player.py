"""Playing: which step is shown at what time. No clock and no screen in here: times are told, in seconds."""

from __future__ import annotations

import enum
from bisect import bisect_right

from msgspec import Struct
from msgspec.structs import replace

from ...tracing import Trace
from ..elements.known import EVERYTHING, Known
from ..elements.partners import Partners
from ..look import Look
from .order import UNITS, Steps, Unit

SPEEDS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0)
"""Seconds a pass."""
SLOW = 0.2
"""Seconds a step: from here on a step shows its phases, below it is done at once."""
WAYS = 12
"""Places that a value takes on its way through the lane."""


class Phase(enum.IntEnum):
    """How far a step has come."""

    SOURCE = 0
    """What is read is lit."""
    RULE = 1
    """The index or length cell, and the formula."""
    MOVING = 2
    """The value is in the lane."""
    DONE = 3
    """It is there."""


ENDS = (0.2, 0.35, 0.8)
"""When each phase but the last is over, as shares of a step's time."""


class Player(Struct, frozen=True):
    """What plays, and how fast. Each change makes a new one."""

    unit: Unit = Unit.ELEMENT
    step: int | None = None
    phase: Phase = Phase.DONE
    way: int | None = WAYS
    """From 0 at the source to WAYS at the destination; None where the lane is empty."""
    seconds: float = 2.0
    """How long a pass takes, first step to last."""
    began: float | None = None
    """When the pass would have begun at its first step; None while it doesn't play."""

    @property
    def playing(self) -> bool:
        return self.began is not None

    def now(self, count: int) -> int:
        return count if self.step is None else min(self.step, count)

    def written(self, count: int) -> int:
        """How many of `count` steps have written what they write."""
        return self.now(count) - (self.phase is not Phase.DONE)

    # ---- moving

    def stopped(self) -> Player:
        """At rest: the present step is done."""
        return replace(self, began=None, phase=Phase.DONE, way=WAYS)

    def at(self, step: int, count: int) -> Player:
        """At rest after `step` steps, kept inside."""
        return replace(self.stopped(), step=min(max(step, 0), count))

    def freed(self) -> Player:
        """At rest with everything written."""
        return replace(self.stopped(), step=None)

    # ---- time

    def played(self, time: float, count: int) -> Player:
        """Playing on from the present step, from the first where the pass is over."""
        step = self.now(count)
        step = 0 if step >= count else step
        return replace(self.stopped(), step=step, began=time - step / count * self.seconds)

    def ticked(self, time: float, count: int) -> Player:
        """The player with what is shown at `time`; at rest once the pass is over, unchanged where it doesn't play."""
        if self.began is None:
            return self
        passed = max(0.0, (time - self.began) / self.seconds) * count
        if passed >= count:
            return self.at(count, count)
        step, part = int(passed) + 1, passed % 1
        if self.seconds / count < SLOW:
            return replace(self, step=step, phase=Phase.DONE, way=WAYS)
        phase = Phase(bisect_right(ENDS, part))
        way = round((part - ENDS[1]) / (ENDS[2] - ENDS[1]) * WAYS) if phase is Phase.MOVING else None
        return replace(self, step=step, phase=phase, way=way)

    def slower(self, by: int, time: float) -> Player:
        """`by` speeds slower (faster where negative); a pass that plays goes on from where it is."""
        at = min(range(len(SPEEDS)), key=lambda i: abs(SPEEDS[i] - self.seconds))
        seconds = SPEEDS[min(max(at + by, 0), len(SPEEDS) - 1)]
        began = None if self.began is None else time - (time - self.began) / self.seconds * seconds
        return replace(self, seconds=seconds, began=began)

    # ---- what is seen

    def look(self, steps: Steps, look: Look) -> Look:
        """`look` with what is written, and while the cursor is on the present step with what that moves."""
        if self.step is None:
            return look
        step, lit = self.now(steps.count), None
        if look.cursor == steps.element(step):
            lit = steps.lit(step, self.phase >= Phase.RULE, self.phase >= Phase.MOVING)
        return replace(look, written=steps.until(self.written(steps.count)), lit=lit)

    def known(self, steps: Steps) -> Known:
        """What may be told: all that is written, and what the present step is about to write."""
        return EVERYTHING if self.step is None else steps.until(self.now(steps.count))

    def links(self, partners: Partners) -> Partners:
        """`partners` as far as the phase has come: the source first, then what sends it, then the destination."""
        if self.phase >= Phase.MOVING:
            return partners
        return replace(partners, output=None, via=partners.via if self.phase is Phase.RULE else None)

    # ---- units

    def in_unit(self, unit: Unit, trace: Trace) -> Player:
        """At rest in another unit, at the step that holds where the present one began; start and end stay."""
        steps, new = Steps(trace, self.unit), Steps(trace, unit)
        step, element = self.step, steps.element(self.now(steps.count))
        if step is not None and element is not None:
            step = new.step_of(element) if step < steps.count else new.count
        return replace(self.stopped(), unit=unit, step=step)

    def next_unit(self, by: int, trace: Trace) -> Player:
        """At rest in the unit `by` further, round and round, at the step that holds the present one's first element."""
        return self.in_unit(UNITS[(UNITS.index(self.unit) + by) % len(UNITS)], trace)
