"""Compiling a kernel once, and keeping what was compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba import types

from .blocks import OPTIONS
from .cache import kept
from .primitives import HELD

SIGNATURE = types.void(HELD, HELD, types.int64)


def compiled(function: Callable[..., None]) -> Any:
    """Compiles `run(arrays, numbers, turn)` at once; see `kernel` for what it takes.

    The machine code is kept on disk and found there by the next process; see `cache`.
    """
    return kept(function, lambda cache: numba.njit(SIGNATURE, cache=cache, **OPTIONS)(function))
