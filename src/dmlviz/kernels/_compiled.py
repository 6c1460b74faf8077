"""Compiling kernels once an operator, and keeping what was compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba import types

from ._store import cache_directory as cache_directory
from ._store import kept

WRITTEN = types.Array(types.uint8, 1, "C")
READ = types.Array(types.uint8, 1, "C", readonly=True)  # takes writable arrays too


def compiled(inputs: int, numbers: int) -> Callable[[Callable[..., None]], Any]:
    """Compiles `run(out, *inputs, *numbers)` at once: flat bytes, then int64 numbers; it returns nothing.

    The machine code is kept on disk and found there by the next process; see `_store`.
    """
    signature = types.void(WRITTEN, *(READ,) * inputs, *(types.int64,) * numbers)
    options = {"nogil": True, "error_model": "numpy", "boundscheck": False}

    def decorate(function: Callable[..., None]) -> Any:
        return kept(function, lambda cache: numba.njit(signature, cache=cache, **options)(function))

    return decorate
