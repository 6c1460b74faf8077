"""The cache of compiled kernels on disk, in which a process finds what another one has compiled.

It is Numba's own, in a directory named by the sources: a kernel's machine code holds code of its helpers in other
files, whose changes Numba doesn't see.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import logging
import os
import re
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from platformdirs import user_cache_dir

_OTHERS_RUN = re.compile(r"^from \.(?:lib\.)?(\w+) import .*\brun\b", re.MULTILINE)
"""How a kernel's file says that it is another's, and kept under that one's name."""

_log = logging.getLogger(__name__)
_lock = threading.RLock()


def kept(function: Callable[..., Any], make: Callable[[bool], Any]) -> Any:
    """`make(True)`, which compiles `function` by Numba with its cache on; `make(False)` where that can't be kept.

    Files that Numba can't read are thrown away, and compiled again. Raises what `make(False)` raises.
    """
    import numba

    file = Path(function.__code__.co_filename)
    directory = cache_directory(file.parent)
    with _lock:
        before = numba.config.CACHE_DIR
        try:
            while directory is not None:
                numba.config.CACHE_DIR = str(directory)
                # A full disk or a damaged file is no reason to fail; a kernel that is wrong fails below.
                try:
                    return make(True)
                except Exception:
                    _log.debug("%s can't be kept in %s", function, directory, exc_info=True)
                damaged = [*_files(directory, f"{file.stem}.{function.__qualname__}")]
                directory = directory if damaged else None
                for each in damaged:
                    with contextlib.suppress(OSError):
                        each.unlink()
        finally:
            numba.config.CACHE_DIR = before
    return make(False)


def cache_directory(folder: Path) -> Path | None:
    """The directory that the compiled kernels of `folder` are kept in, made if need be; None where nothing can be
    written.

    It lies in NUMBA_CACHE_DIR, else in the user's cache, else in a folder of the user's own among the temporary ones.
    """
    digest, own = hashlib.sha256(), Path(__file__).parent
    try:
        for place in dict.fromkeys((own.parent, own, folder)):
            for file in sorted(place.glob("*.py")):
                digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
        chosen = os.environ.get("NUMBA_CACHE_DIR")
        bases = [Path(chosen)] if chosen else [Path(user_cache_dir("dmlviz", appauthor=False)), _temporary()]
    except (OSError, RuntimeError):  # RuntimeError: no home directory is known
        return None
    for base in bases:
        directory = base / f"kernels-{digest.hexdigest()[:16]}"
        if _is_usable(directory):
            return directory
    return None


def _temporary() -> Path:
    return Path(tempfile.gettempdir(), f"dmlviz-{os.getuid() if hasattr(os, 'getuid') else 'user'}")


def _is_usable(directory: Path) -> bool:
    """True if files can be written in `directory`, which is made."""
    base = directory.parent
    with contextlib.suppress(OSError):
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = base.lstat()
        # What is kept is code that will be run: nobody else may have put it there.
        if base == _temporary() and hasattr(os, "getuid") and (status.st_uid != os.getuid() or status.st_mode & 0o022):
            return False
        directory.mkdir(exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return True
    return False


def is_kept(name: str) -> bool:
    """True if the kernel of operator `name` will be loaded and not compiled, as far as can be seen without Numba."""
    spec = importlib.util.find_spec(f"{__package__.rpartition('.')[0]}.{name.lower()}")
    if spec is None or spec.origin is None or (directory := cache_directory(Path(spec.origin).parent)) is None:
        return False
    other = _OTHERS_RUN.search(Path(spec.origin).read_text("utf-8"))
    return any(_files(directory, f"{other[1] if other else name.lower()}.run"))  # its textbook loop lies beside it


def _files(directory: Path, name: str) -> Iterator[Path]:
    """Index and machine code of function `name`, for this Python."""
    return directory.rglob(f"{name}-*.py{sys.version_info[0]}{sys.version_info[1]}*.nb[ci]")
