"""A kernel that is ready to be called, and what getting it ready took."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


class KernelState(enum.StrEnum):
    """What it took to get a kernel ready."""

    COMPILED = "compiled now"
    CACHED = "loaded from cache"
    READY = "ready"


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel that is ready to be called, and what getting it ready took."""

    run: Callable[[tuple[Any, ...], Any, int], None]
    """`run(arrays, numbers, turn)`, see the package. It holds no lock of Python's while it runs."""
    plan: Callable[..., list[int]] | None
    state: KernelState
    """COMPILED or CACHED."""
    seconds: float
    """Compiling it, or loading it from the cache."""
    numba_seconds: float
    """Importing Numba before that; 0 where it was imported already."""
    code: int = 0
    """Where the machine code of `run` lies, which a helper calls without Python; 0 where it isn't compiled."""
