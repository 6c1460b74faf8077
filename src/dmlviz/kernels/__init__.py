"""How the operators run fast: one file each, Numba on flat bytes and numbers.

A kernel is a module here, named as its operator in lower case, that defines `run(out, *inputs, *numbers)`: tensors as
flat, C-contiguous uint8 arrays, numbers as `Operator.kernel_calls` folds them. The package's path is searched, so a
folder added to `dmlviz.kernels.__path__` brings kernels too. Numba is imported when the first kernel is loaded.
"""

from __future__ import annotations

import enum
import importlib
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import DmlvizError


class KernelState(enum.StrEnum):
    """What it took to get a kernel ready."""

    COMPILED = "compiled now"
    CACHED = "loaded from cache"
    READY = "ready"


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel that is ready to be called, and what getting it ready took."""

    run: Callable[..., None]
    state: KernelState
    """COMPILED or CACHED."""
    seconds: float
    """Compiling it, or loading it from the cache."""
    numba_seconds: float
    """Importing Numba before that; 0 where it was imported already."""


_loaded: dict[str, Kernel] = {}
_lock = threading.RLock()


def import_numba() -> float:
    """Imports Numba, which takes half a second, and returns the seconds; 0 where it was imported already."""
    if "numba" in sys.modules:
        return 0.0
    start = time.perf_counter()
    importlib.import_module("numba")
    return time.perf_counter() - start


def is_loaded(name: str) -> bool:
    """True if the kernel of operator `name` needs no more getting ready."""
    return name in _loaded


def load(name: str) -> Kernel:
    """The kernel of operator `name`, such as "GATHER". Raises DmlvizError if there is none."""
    found = _loaded.get(name)
    if found is not None:
        return found
    with _lock:
        # Another thread may have loaded it while this one waited.
        return _loaded.get(name) or _load(name)


def _load(name: str) -> Kernel:
    module_name = f"{__name__}.{name.lower()}"
    numba_seconds = import_numba()
    start = time.perf_counter()
    importlib.invalidate_caches()
    try:
        run: Any = importlib.import_module(module_name).run
    except ModuleNotFoundError as error:
        if error.name != module_name:
            raise
        raise DmlvizError(f"{name} has no kernel, expected one in dmlviz.kernels.{name.lower()}.") from None
    seconds = time.perf_counter() - start
    hits = getattr(getattr(run, "stats", None), "cache_hits", None)
    state = KernelState.CACHED if hits else KernelState.COMPILED
    kernel = _loaded[name] = Kernel(run, state, seconds, numba_seconds)
    return kernel
