"""What a runner tells, and waiting for what a process does."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

PATIENCE = 60.0
"""Seconds that `wait_until` waits at most."""


class Told:
    """Collects what a runner tells of a run."""

    def __init__(self) -> None:
        self.states: list[Any] = []
        self._changed = threading.Condition()

    def __call__(self, state: object) -> None:
        with self._changed:
            self.states.append(state)
            self._changed.notify_all()

    def until(self, done: Callable[[Any], bool], seconds: float = 60) -> Any:
        with self._changed:
            assert self._changed.wait_for(lambda: any(map(done, self.states)), seconds), self.states
        return next(filter(done, self.states))

    def end(self) -> Any:
        return self.until(lambda state: not state.stage)


def gone(process: int) -> bool:
    """True if a process has ended, with all of its threads; whether anybody has buried it doesn't matter."""
    try:
        if Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
            return False
        return len([*Path(f"/proc/{process}/task").iterdir()]) < 2  # the first thread may end before the others do
    except OSError:
        return True


def wait_until(done: Callable[[], object], what: str) -> None:
    """Waits for what another program or thread does."""
    ends = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < ends, f"still waiting for {what} after {PATIENCE:g} s"
        time.sleep(0.02)
