"""The memory that is available, and refusing what needs more."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import ResourceError


def available_memory() -> int | None:
    """Bytes that can be had without swapping, on this machine and in this process's group; None if that isn't known."""
    limits = [free for free in (_machine_memory(), _group_memory()) if free is not None]
    return max(0, min(limits)) if limits else None


def _machine_memory() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _group_memory() -> int | None:
    """What the control group leaves, as a container sees it; file pages count as free."""
    for folder, limit, usage, freed in (
        ("/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"),
        ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ):
        try:
            most = int(Path(folder, limit).read_text())  # "max", no limit, is a ValueError
            used = int(Path(folder, usage).read_text())
            stat = dict(line.split() for line in Path(folder, "memory.stat").read_text().splitlines())
            return most - used + int(stat.get(freed, 0))
        except (OSError, ValueError):
            continue
    return None


def require_memory(need: int, what: str) -> None:
    """Raises ResourceError, with `what` as the subject of its sentence, where `need` bytes are not available."""
    free = available_memory()
    if free is not None and need > free:
        raise ResourceError(f"{what} needs {bytes_text(need)} of memory, but only {bytes_text(free)} is available.")


def bytes_text(count: int) -> str:
    """Bytes with a binary unit: `48 bytes`, `8.0 GiB`."""
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= size:
            return f"{count / size:,.1f} {unit}"
    return f"{count} bytes"
