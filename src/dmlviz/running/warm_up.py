"""Kernels got ready ahead of their first use, and where they are kept."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from .. import kernels
from ..kernels.lib import cache, loading
from ..kernels.lib.kernel import KernelState


class Warmed(Struct, frozen=True):
    """What getting a kernel ready took."""

    name: str
    """The operator's."""
    state: KernelState
    """COMPILED or CACHED."""
    seconds: float
    kept: bool
    """True if the next process finds it on disk."""

    @property
    def compiled(self) -> bool:
        return self.state is KernelState.COMPILED


def directory() -> Path | None:
    """The folder that compiled kernels are kept in; None where nothing can be written."""
    return cache.cache_directory(Path(str(kernels.__file__)).parent)


def is_kept(name: str) -> bool:
    """True if the kernel of operator `name` will be loaded and not compiled, as far as can be seen without Numba."""
    return cache.is_kept(name)


def warm(name: str) -> Warmed:
    """Gets the kernel of operator `name` ready. Raises DmlvizError if there is none."""
    kernel = loading.load(name)
    return Warmed(name, kernel.state, kernel.seconds, cache.is_kept(name))


def ready_to_share() -> None:
    """Gets ready what hands a large call to other threads; after the first kernel, which it waits for otherwise."""
    loading.ready_to_share()
