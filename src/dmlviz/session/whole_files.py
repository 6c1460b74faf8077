"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO


def write_whole(target: Path, data: bytes) -> None:
    """Writes a file so that a reader sees all of it or what was there before. Raises OSError."""
    replace_whole(target, lambda out: out.write(data))


def replace_whole(target: Path, fill: Callable[[BinaryIO], object]) -> None:
    name = staged(target, fill)
    try:
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def staged(target: Path, fill: Callable[[BinaryIO], object]) -> str:
    """Writes a file beside `target` that is to replace it, and returns its name. Raises OSError; there is none then."""
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "it is no regular file")
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.", suffix=".new")
    try:
        with os.fdopen(handle, "wb") as out:
            fill(out)
            out.flush()
            os.fsync(out.fileno())
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        os.chmod(name, mode)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    return name


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
