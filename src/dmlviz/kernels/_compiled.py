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

WRITTEN = types.Array(types.uint8, 1, "C")
READ = types.Array(types.uint8, 1, "C", readonly=True)  # takes writable arrays too

_lock = threading.RLock()


def compiled(inputs: int, numbers: int) -> Callable[[Callable[..., None]], Any]:
    """Compiles `run(out, *inputs, *numbers)` at once: flat bytes, then int64 numbers; it returns nothing.

    The machine code is kept under `cache_directory` and found there by the next process. Where that directory can't be
    used, the kernel is compiled all the same and not kept.
    """
    signature = types.void(WRITTEN, *(READ,) * inputs, *(types.int64,) * numbers)
    options = {"nogil": True, "error_model": "numpy", "boundscheck": False}

    def decorate(function: Callable[..., None]) -> Any:
        directory = cache_directory(Path(function.__code__.co_filename).parent)
        if directory is not None:
            with _lock:
                before = numba.config.CACHE_DIR
                numba.config.CACHE_DIR = str(directory)
                # A full disk or a damaged file is no reason to fail; what is wrong with the kernel itself shows below.
                try:
                    with contextlib.suppress(Exception):
                        return numba.njit(signature, cache=True, **options)(function)
                finally:
                    numba.config.CACHE_DIR = before
        return numba.njit(signature, **options)(function)

    return decorate


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
