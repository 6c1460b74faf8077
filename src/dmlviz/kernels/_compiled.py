"""Compiling kernels once an operator, and keeping what was compiled."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba import types
from platformdirs import user_cache_dir

from ._blocks import OPTIONS
from ._memory import HELD

SIGNATURE = types.void(HELD, HELD, types.int64)

_lock = threading.RLock()


def compiled(function: Callable[..., None]) -> Any:
    """Compiles `run(arrays, numbers, counter)` at once; see the package for what it takes.

    The machine code is kept under `cache_directory` and found there by the next process. Where that directory can't be
    used, the kernel is compiled all the same and not kept.
    """
    directory = cache_directory(Path(function.__code__.co_filename).parent)
    if directory is not None:
        with _lock:
            before = numba.config.CACHE_DIR
            numba.config.CACHE_DIR = str(directory)
            # A full disk or a damaged file is no reason to fail; what is wrong with the kernel itself shows below.
            try:
                with contextlib.suppress(Exception):
                    return numba.njit(SIGNATURE, cache=True, **OPTIONS)(function)
            finally:
                numba.config.CACHE_DIR = before
    return numba.njit(SIGNATURE, **OPTIONS)(function)


def cache_directory(folder: Path) -> Path | None:
    """Where the compiled kernels of `folder` are kept, made if need be; None where nothing can be written there.

    A kernel's machine code holds code of its helpers in other files, whose changes Numba doesn't see; so the directory
    is named by a hash of every file of this package (and of `folder`, where it lies elsewhere).
    """
    try:
        own = Path(__file__).parent
        digest = hashlib.sha256()
        for place in dict.fromkeys((own, folder)):
            for file in sorted(place.glob("*.py")):
                digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
        base = os.environ.get("NUMBA_CACHE_DIR") or user_cache_dir("dmlviz", appauthor=False)
        directory = Path(base) / f"kernels-{digest.hexdigest()[:16]}"
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return directory
    except (OSError, RuntimeError):  # RuntimeError: no home directory is known
        return None
