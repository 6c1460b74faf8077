"""Compiling a kernel once, and keeping what was compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba import types

from .blocks import CALLED
from .cache import kept
from .primitives import HELD, INT


def native(result: Any, *kinds: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compiles a function at once, for arguments of these kinds; it holds no lock of Python's then.

    The machine code is kept on disk and found there by the next process; see `cache`.
    """
    return lambda function: kept(function, lambda cache: numba.njit(result(*kinds), cache=cache, **CALLED)(function))


compiled = native(types.void, HELD, HELD, INT)
"""Compiles `run(arrays, numbers, turn)`; see `kernel` for what it takes."""


def only_version(function: Any) -> Any:
    """The one version that Numba has compiled of a function, whose `entry_point` is called without looking at types.

    An ordered dict's own `values` looks up every key, by Python code; ctrl+c in there would come out as a KeyError.
    """
    (version,) = dict.values(function.overloads)
    return version
