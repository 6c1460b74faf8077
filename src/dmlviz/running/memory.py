"""The memory that is available, and refusing what needs more."""

from __future__ import annotations

from pathlib import Path

from ..errors import ResourceError


def available_memory() -> int | None:
    """Bytes that can be had without swapping, on this machine and in this process's group; None if that isn't known."""
    limits = [free for free in (_machine_memory(), _group_memory()) if free is not None]
    return max(0, min(limits)) if limits else None


def _machine_memory() -> int | None:
    try:
        (line,) = (x for x in Path("/proc/meminfo").read_text().splitlines() if x.startswith("MemAvailable:"))
        return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        return None


def _group_memory() -> int | None:
    """What the control group leaves, as a container sees it; file pages count as free."""
    group = Path("/sys/fs/cgroup")
    try:
        most = int((group / "memory.max").read_text())  # "max", no limit, is a ValueError
        used = int((group / "memory.current").read_text())
        stat = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
        return most - used + int(stat.get("inactive_file", 0))
    except (OSError, ValueError):
        return None


def require_memory(need: int, what: str) -> None:
    """Raises ResourceError, with `what` as the subject of its sentence, where `need` bytes are not available."""
    free = available_memory()
    if free is not None and need > free:
        there = f"but only {bytes_text(free)} is available"
        raise ResourceError(f"{what} needs {bytes_text(need)} of memory, {there}.")


def bytes_text(count: int) -> str:
    """Bytes with a binary unit: `48 bytes`, `8.0 GiB`."""
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= size:
            return f"{count / size:,.1f} {unit}"
    return f"{count} bytes"
