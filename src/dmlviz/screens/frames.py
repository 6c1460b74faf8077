"""How often a picture that plays is drawn."""

from __future__ import annotations

import time

FRAME = 1 / 30
"""Seconds from one frame to the next."""
SHARE = 0.22
"""Of the processor's time, what playing takes at most."""


class Pace:
    """Lets frames that cost much come less often."""

    def __init__(self) -> None:
        self._drawn, self._spent = 0.0, 0.0

    def begin(self) -> None:
        """Notes that a frame is about to be drawn."""
        self._drawn, self._spent = time.monotonic(), time.thread_time()

    def allows(self) -> bool:
        """True if another frame may be drawn: the last one was cheap enough for the time since."""
        return time.thread_time() - self._spent <= SHARE * (time.monotonic() - self._drawn)
