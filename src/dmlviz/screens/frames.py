"""How often a picture that plays is drawn."""

from __future__ import annotations

import time

FRAME = 1 / 30
"""Seconds from one frame to the next."""
SHARE = 0.22
"""Of the processor's time, what playing takes at most."""


class Pace:
    """Lets frames that cost much come less often; what the thread does besides them doesn't count."""

    def __init__(self) -> None:
        self._drawn, self._spent = 0.0, 0.0
        self._due: float | None = 0.0  # when the next frame may be drawn; None until the last one's cost is known

    def begin(self) -> None:
        """Notes that a frame is about to be drawn."""
        self._drawn, self._spent, self._due = time.monotonic(), time.thread_time(), None

    def allows(self) -> bool:
        """True if another frame may be drawn; to be asked first a FRAME after `begin`, when that one is drawn."""
        if self._due is None:
            self._due = self._drawn + (time.thread_time() - self._spent) / SHARE
        return time.monotonic() >= self._due
