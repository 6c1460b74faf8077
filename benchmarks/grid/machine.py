"""The machine a result was measured on, and the versions it was measured with."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from dmlviz.running.memory import bytes_text
from dmlviz.version import __version__

PACKAGES = ("numpy", "numba", "llvmlite")


def describe() -> dict[str, Any]:
    """CPU, cores, caches, memory, system and versions; what can't be found out is left out."""
    found: dict[str, Any] = {
        "cpu": _cpu(),
        "processors": _processors(),
        "caches": _caches(),
        "memory": _memory(),
        "system": _system(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "dmlviz": __version__,
    }
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return {key: value for key, value in found.items() if value}


def sentence(machine: dict[str, Any]) -> str:
    """`AMD EPYC, 2 processors, L1d 32 KiB, L2 1 MiB, ...`."""
    parts = [str(machine.get("cpu", "unknown CPU"))]
    count = machine.get("processors")
    if count:
        parts.append(f"{count} processor{'s' * (count > 1)}")
    parts += [f"{name} {size}" for name, size in machine.get("caches", {}).items()]
    if "memory" in machine:
        parts.append(f"{machine['memory']} of memory")
    parts += [str(machine[key]) for key in ("system", "python") if key in machine]
    parts += [f"{key} {machine[key]}" for key in ("dmlviz", *PACKAGES) if key in machine]
    return ", ".join(parts)


def _cpu() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _processors() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 0


def _caches() -> dict[str, str]:
    """The first processor's caches: `{"L1d": "32 KiB", "L2": "1 MiB"}`."""
    found = {}
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        try:
            level, kind, size = ((folder / name).read_text().strip() for name in ("level", "type", "size"))
        except OSError:
            continue
        if kind == "Instruction" or not size.endswith("K"):
            continue
        found[f"L{level}{'d' if kind == 'Data' else ''}"] = bytes_text(int(size[:-1]) * 1024).replace(".0 ", " ")
    return found


def _memory() -> str:
    try:
        return bytes_text(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return ""


def _system() -> str:
    try:
        name = platform.freedesktop_os_release()["PRETTY_NAME"] + ", "
    except (OSError, KeyError):
        name = ""
    return f"{name}{platform.system()} {platform.release()}"
