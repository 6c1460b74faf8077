"""Getting a kernel ready: imported, compiled or loaded from the cache, once a process."""

from __future__ import annotations

import importlib.util
import os
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...errors import DmlvizError
from .kernel import Kernel, KernelState
from .uninterrupted import uninterrupted

KERNELS = __package__.rpartition(".")[0]
"""The package whose path is searched."""
_loaded: dict[str, Kernel] = {}
_lock = threading.RLock()


def import_numba() -> None:
    """Imports Numba, which takes half a second the first time."""
    for module in ("numba", "numpy.ma"):  # Numba asks for that one when it first meets an array
        if module not in sys.modules:
            uninterrupted(partial(importlib.import_module, module))


def is_loaded(name: str) -> bool:
    """True if the kernel of operator `name` needs no more getting ready."""
    return name in _loaded


def load(name: str) -> Kernel:
    """The kernel of operator `name`, such as "GATHER". Raises DmlvizError if there is none."""
    kernel = _loaded.get(name)
    if kernel is not None:
        return kernel
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        raise DmlvizError("NUMBA_DISABLE_JIT is set, expected Numba's compiler, without which no kernel runs.")
    return uninterrupted(lambda: _load(name))


def _load(name: str) -> Kernel:
    module_name = f"{KERNELS}.{name.lower()}"
    with _lock:
        if name in _loaded:  # by another thread, while this one waited
            return _loaded[name]
        import_numba()
        start = time.perf_counter()
        importlib.invalidate_caches()
        if importlib.util.find_spec(module_name) is None:
            raise DmlvizError(f"{name} has no kernel, expected one in dmlviz.kernels.{name.lower()}.")
        module: Any = importlib.import_module(module_name)
        seconds = time.perf_counter() - start
        hits = getattr(getattr(module.run, "stats", None), "cache_hits", None)
        run, code = _entry(module.run)
        shared = code and any(each.code == code for each in _loaded.values())  # with another operator
        state = KernelState.CACHED if hits or shared else KernelState.COMPILED
        _loaded[name] = Kernel(run, getattr(module, "plan", None), state, seconds, code=code)
        return _loaded[name]


def _entry(run: Any) -> tuple[Callable[[tuple[Any, ...], Any, int], None], int]:
    """What to call for a kernel: its machine code itself, which asks nothing about types again; and where that lies."""
    if getattr(run, "overloads", None):
        from .compiled import only_version  # not before there is a kernel: it takes time

        version = only_version(run)
        return version.entry_point, version.library.get_pointer_to_function(version.fndesc.llvm_func_name)

    def plain(arrays: tuple[Any, ...], numbers: Any, turn: int) -> None:
        run(tuple(np.frombuffer(array, np.uint8) for array in arrays), numbers, turn)

    return plain, 0
