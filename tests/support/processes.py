"""What a runner tells, the processes that a program has started, and waiting for what they do."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

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


def children(process: int) -> list[int]:
    """The processes that `process` has started and not buried. Skips the test where the system doesn't tell."""
    if not sys.platform.startswith("linux"):
        pytest.skip("looks into /proc")
    found: list[int] = []
    for each in Path("/proc").glob("[0-9]*"):  # a list of children may leave some out while one ends
        try:
            state = (each / "stat").read_text()
        except OSError:
            continue  # it has ended meanwhile
        if int(state.rpartition(")")[2].split()[1]) == process:  # a program's name may hold anything
            found.append(int(each.name))
    return found


def worker(process: int | None = None) -> int | None:
    """The process that runs experiments for `process`, by default for this one; None where there is none."""
    found = [each for each in children(process or os.getpid()) if b"dmlviz.worker" in _command(each)]
    assert len(found) < 2, found
    return found[0] if found else None


def _command(process: int) -> bytes:
    """How a process was called; empty for one that has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""
