"""Kernels got ready ahead of their first use, and where they are kept."""

from __future__ import annotations

from pathlib import Path

from .. import kernels
from ..kernels.lib.cache import cache_directory
from ..kernels.lib.cache import is_kept as is_kept
from ..kernels.lib.kernel import Kernel as Kernel
from ..kernels.lib.loading import load as load
from ..kernels.lib.thread_pool import ready as ready


def directory() -> Path | None:
    """The folder that compiled kernels are kept in; None where nothing can be written."""
    return cache_directory(Path(str(kernels.__file__)).parent)
