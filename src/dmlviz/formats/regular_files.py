"""Files opened to be read or added to, and nothing that may never begin or never end, as a FIFO or a device."""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO, cast


def open_regular(path: str | os.PathLike[str], mode: str = "rb") -> BinaryIO:
    """A file, open to be read. Raises OSError, for a FIFO, a socket and a device too; its `strerror` says which."""
    return cast(BinaryIO, open(path, mode, opener=_descriptor))


def read_regular(path: str | os.PathLike[str]) -> bytes:
    """All that a file holds. Raises OSError as `open_regular`."""
    with open_regular(path) as file:
        return file.read()


def _descriptor(path: str, flags: int) -> int:
    if os.path.exists(path):
        mode = os.stat(path).st_mode  # to open a device may do something
        kind = "a FIFO" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            raise OSError(errno.EINVAL, f"it is {kind}, expected a file")
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)
