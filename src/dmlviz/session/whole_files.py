"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from ..formats.regular_files import read_regular

Stamp = tuple[int, int, int]
"""What differs after each writing of a file."""


def state_folder() -> Path:
    """The user's own folder for what is kept between launches. Raises RuntimeError where nobody knows it."""
    from platformdirs import user_state_path

    return user_state_path("dmlviz", appauthor=False)


def digest(data: bytes) -> str:
    """The SHA-256 of a file's bytes, to see whether they have changed."""
    import hashlib  # OpenSSL takes its time

    return hashlib.sha256(data).hexdigest()


def digest_of(path: Path) -> str | None:
    try:
        return digest(read_regular(path))
    except OSError:
        return None


def stamp_of(file: Path) -> Stamp | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ino, status.st_size


def write_whole(target: Path, data: bytes) -> Stamp | None:
    """Writes a file so that a reader sees all of it or what was there before; its stamp. Raises OSError."""
    name = Path(staged(target, lambda out: out.write(data)))
    stamp = stamp_of(name)  # somebody else may write the file right after
    try:
        os.replace(name, target)
    finally:
        name.unlink(missing_ok=True)
    return stamp


def staged(target: Path, fill: Callable[[BinaryIO], object]) -> str:
    """Writes a file beside `target` that is to replace it, and returns its name. Raises OSError; there is none then."""
    if target.is_dir():
        raise OSError(errno.EISDIR, "it is a directory, expected a file to write")
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "it is no regular file")
    name = target.parent / f".{target.name[:40]}.{os.urandom(6).hex()}.new"
    try:
        with open(name, "xb") as out:
            if target.exists():
                shutil.copymode(target, name)
            fill(out)
            out.flush()
            os.fsync(out.fileno())
    except BaseException:
        name.unlink(missing_ok=True)
        raise
    return str(name)
