"""The processes that a program has started, found as the system knows them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest


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
