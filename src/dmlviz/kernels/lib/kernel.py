"""Kernels: what a module of the package offers, and a kernel that is ready to be called.

A kernel is a module of `dmlviz.kernels`, or of a folder added to that package's path, named as its operator in lower
case. It has a `run`, and where the work can be shared a `plan`:

- `plan(*numbers)` makes a list of int64 of what `Operator.kernel_numbers` folded. The list begins with how many units
  the work has, and how many of them a thread should take at a time. Numbers stay as they were folded without a `plan`.
- `run(arrays, numbers, turn)` does the work. `arrays` is a tuple of C-contiguous arrays, the outputs and then the
  inputs; `numbers` is an array. It does all units where `turn` is 0. Else `turn` is the address of a thread's turn, see
  `blocks.claim`, and units are claimed until none is left. A `run` that isn't compiled is given flat uint8.

A module may offer the plain loop that its kernel replaces, too: see `textbook`.

Addresses have no bounds. The tests run kernels as plain Python on a model of memory, which notices a store that goes
astray.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from msgspec import Struct


class KernelState(enum.StrEnum):
    """What it took to get a kernel ready."""

    COMPILED = "compiled now"
    CACHED = "loaded from cache"
    READY = "ready"


class Kernel(Struct, frozen=True):
    """A kernel that is ready to be called, and what getting it ready took."""

    run: Callable[[tuple[Any, ...], Any, int], None]
    """`run(arrays, numbers, turn)`, see the module. It holds no lock of Python's while it runs."""
    plan: Callable[..., list[int]] | None
    state: KernelState
    """COMPILED or CACHED."""
    seconds: float
    """Compiling it, or loading it from the cache."""
    code: int = 0
    """The address of the machine code of `run`, which a helper calls without Python; 0 where it isn't compiled."""
