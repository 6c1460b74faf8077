"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import platform
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from ..formats.regular_files import read_regular

ASIDE = ".unreadable"
"""How the names of damaged files end that were set aside: nobody looks at them again."""


def state_folder() -> Path:
    """The user's own folder for what is kept between launches. Raises RuntimeError where nobody knows it."""
    from platformdirs import user_state_path

    return user_state_path("dmlviz", appauthor=False)


def digest(data: bytes) -> str:
    """The SHA-256 of a file's bytes, to see whether they have changed."""
    import hashlib  # OpenSSL takes its time

    return hashlib.sha256(data).hexdigest()


def digest_of(path: Path) -> str | None:
    """The digest of a file; None where it can't be read."""
    try:
        return digest(read_regular(path))
    except OSError:
        return None


def write_whole(target: Path, data: bytes) -> None:
    """Writes a file so that a reader sees all of it or what was there before. Raises OSError."""
    replace_whole(target, lambda out: out.write(data))


def replace_whole(target: Path, fill: Callable[[BinaryIO], object]) -> None:
    """Replaces a file by what `fill` writes; where that or the disk fails, the file stays as it was. Raises OSError.

    The file stays its owner's, and other names of it stay names of it: where only writing into it does that, its new
    content lies whole beside it until that is done.
    """
    name = staged(target, fill)
    try:
        if _may_replace(target, name):
            os.replace(name, target)
            return
        _overwrite(target, Path(name))
        os.unlink(name)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _overwrite(target: Path, staged_file: Path) -> None:
    """Writes what `staged_file` holds into `target`, or leaves it as it was. Raises OSError."""
    with target.open("r+b") as out:
        before = out.read()
        try:
            _rewrite(out, staged_file.read_bytes())
        except OSError:  # a full disk: what was there had room
            with contextlib.suppress(OSError):
                _rewrite(out, before)
            raise


def _rewrite(out: BinaryIO, data: bytes) -> None:
    """Makes `data` all that an open file holds, on the disk too."""
    out.seek(0)
    out.write(data)
    out.truncate()
    out.flush()
    os.fsync(out.fileno())


def staged(target: Path, fill: Callable[[BinaryIO], object]) -> str:
    """Writes a file beside `target` that is to replace it, and returns its name. Raises OSError; there is none then."""
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "it is no regular file")
    tidy_folder(target.parent, _staged_prefix(target))
    name = f"{target.parent / _staged_prefix(target)}{os.getpid()}-{_host()}-{os.urandom(6).hex()}.new"
    mode = target.stat().st_mode & 0o777 if target.exists() else None
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    handle = os.open(name, flags, 0o666 if mode is None else mode & 0o600)
    try:
        with os.fdopen(handle, "wb") as out:
            fill(out)
            out.flush()
            os.fsync(out.fileno())
        if mode is not None:
            os.chmod(name, mode)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    return name


def _may_replace(target: Path, name: str) -> bool:
    """True if a staged file may take `target`'s place, whose owner it gets; else `target` is to be written into."""
    if not target.exists():
        return True
    before, after = target.stat(), os.stat(name)
    if before.st_nlink > 1:
        return False
    if hasattr(os, "chown") and (before.st_uid, before.st_gid) != (after.st_uid, after.st_gid):
        try:
            os.chown(name, before.st_uid, before.st_gid)
            os.chmod(name, before.st_mode & 0o777)
        except OSError:
            return not os.access(target, os.W_OK)
    return True


def _staged_prefix(target: Path) -> str:
    """How names of files begin that are staged for `target`."""
    return f".{target.name[:40]}."


def _host() -> str:
    """What stands for this machine: a process of another one, with the same number, may write into the same folder."""
    return f"{zlib.crc32(platform.node().encode(errors='replace')):08x}"


def tidy_folder(where: Path, beginning: str = ".") -> None:
    """Removes what processes of this machine staged in a folder before they were killed, if its name begins so."""
    with contextlib.suppress(OSError):
        for path in where.iterdir():
            match = re.search(_STAGED, path.name)
            if match and path.name.startswith(beginning) and match[2] == _host() and not _is_running(int(match[1])):
                with contextlib.suppress(OSError):
                    path.unlink()


_STAGED = r"\.(\d{1,10})-([0-9a-f]{8})-\w+\.new(\.old)?\Z"
"""What is staged; an export keeps what it replaces beside it for so long."""


def _is_running(process: int) -> bool:
    """True if a process runs, or if nobody can tell."""
    if not hasattr(os, "kill") or os.name == "nt":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
