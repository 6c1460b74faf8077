"""The cache of compiled kernels on disk, in which a process finds what another one has compiled."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import re
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from platformdirs import user_cache_dir

from ...formats.regular_files import read_regular

UNUSED = 42 * 24 * 3600.0
"""Seconds after which a directory that nothing was loaded from goes: it is of another version."""
LEFT = 3600.0
"""Seconds after which a file that was never finished goes: whoever wrote it was killed."""
OURS = re.compile(r"kernels-[0-9a-f]{16}")
SUMS = ".sums"
_OTHERS_RUN = re.compile(r"^from \.(\w+) import .*\brun\b", re.MULTILINE)
"""How a kernel's file says that it is another's, and kept under that one's name."""

_log = logging.getLogger(__name__)
_lock = threading.RLock()
_tidied: set[Path] = set()


def kept(function: Callable[..., Any], make: Callable[[bool], Any]) -> Any:
    """`make(True)`, which compiles `function` by Numba with its cache on; `make(False)` where that can't be kept.

    What was kept is held against its checksums first. Damaged machine code would crash, and a damaged index is an error
    of Numba's at every start. Damaged files are thrown away, compiled again and kept. Raises what `make(False)` raises.
    """
    import numba

    directory = cache_directory(Path(function.__code__.co_filename).parent)
    if directory is None:
        return make(False)
    name = _name(function)
    _log.debug("%s is kept in %s", name, directory)
    with _lock:
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(directory)
        try:
            if not _sound(directory, name):
                _log.debug("%s isn't as it was written; %d files are thrown away", name, forget(directory, name))
            for _ in range(2):
                # A full disk or what Numba can't read is no reason to fail; a kernel that is wrong fails below.
                try:
                    compiled = make(True)
                    _seal(directory, name)
                    return compiled
                except Exception:
                    _log.debug("%s can't be kept in %s", name, directory, exc_info=True)
                if not forget(directory, name):
                    break
        finally:
            numba.config.CACHE_DIR = before
    return make(False)


def only_version(function: Any) -> Any:
    """The one version that Numba has compiled of a function.

    An ordered dict's own `values` looks up every key, by Python code; ctrl+c in there would come out as a KeyError.
    """
    (version,) = dict.values(function.overloads)
    return version


def cache_directory(folder: Path) -> Path | None:
    """The directory that the compiled kernels of `folder` are kept in, made if need be; None where nothing can be
    written.

    A kernel's machine code holds code of its helpers in other files, whose changes Numba doesn't see. The directory is
    named by a hash of every file of the kernels, and of `folder`, where it lies elsewhere. It lies in NUMBA_CACHE_DIR,
    else in the user's cache. Where neither can be written, it lies in a folder of the user's own among the temporary
    ones, with what the other place has already.
    """
    try:
        name = _directory_name(folder)
        chosen = os.environ.get("NUMBA_CACHE_DIR")
        base = Path(chosen or user_cache_dir("dmlviz", appauthor=False))
        directory = base / name
    except (OSError, RuntimeError):  # RuntimeError: no home directory is known
        return None
    if _is_usable(directory):
        _tidy(base, directory)
        return directory
    if chosen and not directory.is_dir():
        return None  # a place that was asked for is not replaced by another
    return _temporary(directory)


def is_kept(name: str) -> bool:
    """True if the kernel of operator `name` will be loaded and not compiled, as far as can be seen without Numba."""
    folders = [Path(path) for path in sys.modules[__package__.rpartition(".")[0]].__path__]
    file = next((path / f"{name.lower()}.py" for path in folders if (path / f"{name.lower()}.py").exists()), None)
    directory = cache_directory(file.parent) if file is not None else None
    if file is None or directory is None:
        return False
    other = _OTHERS_RUN.search(file.read_text("utf-8"))
    begins = f"{other[1] if other else file.stem}.run-"  # its textbook loop lies beside it
    return any(_files(directory, begins)) and _sound(directory, begins)


def forget(directory: Path, name: str) -> int:
    """Removes what is kept of the functions whose file names begin with `name`; the number of files."""
    count = 0
    for file in [*_files(directory, name), *_sums_files(directory, name)]:
        with contextlib.suppress(OSError):
            file.unlink()
            count += 1
    return count


# ---- directories ------------------------------------------------------------------------------------------------


def _directory_name(folder: Path) -> str:
    digest = hashlib.sha256()
    own = Path(__file__).parent
    for place in dict.fromkeys((own.parent, own, folder)):
        for file in sorted(place.glob("*.py")):
            digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return f"kernels-{digest.hexdigest()[:16]}"


def _is_usable(directory: Path) -> bool:
    """True if files can be written in `directory`, which is made; its time of use is then now."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            os.utime(directory)
            return True
    except OSError:
        return False


def _temporary(directory: Path) -> Path | None:
    """The directory that stands in for `directory`, which can't be written, with copies of what lies there."""
    user = os.getuid() if hasattr(os, "getuid") else "user"
    base = Path(tempfile.gettempdir(), f"dmlviz-{user}")
    try:
        base.mkdir(mode=0o700, exist_ok=True)
        # What is kept is code that will be run: nobody else may have put it there.
        status = base.lstat()
        if hasattr(os, "getuid") and (status.st_uid != os.getuid() or status.st_mode & 0o077 or base.is_symlink()):
            return None
        stand_in = base / directory.name
        if directory.is_dir() and not stand_in.exists():
            copy = Path(tempfile.mkdtemp(dir=base))
            shutil.copytree(directory, copy, dirs_exist_ok=True, copy_function=shutil.copyfile)
            with contextlib.suppress(OSError):  # another process was first
                copy.rename(stand_in)
            shutil.rmtree(copy, ignore_errors=True)
    except (OSError, shutil.Error):
        return None
    if not _is_usable(stand_in):
        return None
    _tidy(base, stand_in)
    return stand_in


def _tidy(base: Path, own: Path) -> None:
    """Removes directories that no process has used for weeks, and files that were never finished; once a process."""
    if own in _tidied:
        return
    _tidied.add(own)
    now = time.time()
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(base)):
            with contextlib.suppress(OSError):
                if (
                    OURS.fullmatch(entry.name)
                    and entry.name != own.name
                    and entry.is_dir(follow_symlinks=False)
                    and now - entry.stat(follow_symlinks=False).st_mtime > UNUSED
                ):
                    shutil.rmtree(entry.path, ignore_errors=True)
    for file in own.rglob("*.tmp.*"):
        with contextlib.suppress(OSError):
            if now - file.stat().st_mtime > LEFT:
                file.unlink()


# ---- files ------------------------------------------------------------------------------------------------------


def _name(function: Callable[..., Any]) -> str:
    """How the names begin that Numba gives to the files of `function`."""
    qualified = function.__qualname__.replace("<", "").replace(">", "")
    return f"{Path(function.__code__.co_filename).stem}.{qualified}-"


def _files(directory: Path, name: str) -> Iterator[Path]:
    """Index and machine code of the functions `name` begins, for this Python."""
    python = f".py{sys.version_info[0]}{sys.version_info[1]}"
    for file in sorted(directory.rglob("*.nb[ci]")):
        if file.name.startswith(name) and python in file.name:
            yield file


def _sums_files(directory: Path, name: str) -> list[Path]:
    tag = f".{sys.implementation.cache_tag}{SUMS}"
    return [file for file in directory.glob(f"*{tag}") if file.name.startswith(name)]


def _sums(files: Iterator[Path]) -> dict[str, str]:
    return {file.name: hashlib.sha256(read_regular(file)).hexdigest() for file in files}


def _sound(directory: Path, name: str) -> bool:
    """True if the files are as they were written, and all there; nothing at all is sound, too."""
    try:
        known: dict[str, str] = {}
        for file in _sums_files(directory, name):
            known |= json.loads(read_regular(file))
        return known == _sums(_files(directory, name))
    except (OSError, ValueError, TypeError):
        return False


def _seal(directory: Path, name: str) -> None:
    """Writes the checksums of what Numba has just written or read."""
    with contextlib.suppress(OSError):
        if _sound(directory, name):
            return
        target = directory / f"{name}.{sys.implementation.cache_tag}{SUMS}"
        unfinished = target.with_name(f"{target.name}.tmp.{os.getpid()}")
        unfinished.write_text(json.dumps(_sums(_files(directory, name))), encoding="utf-8")
        os.replace(unfinished, target)
