"""Files opened to be read or added to, and nothing that may never begin or never end, as a FIFO or a device."""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO, cast

KINDS = (
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def open_regular(path: str | os.PathLike[str], mode: str = "rb") -> BinaryIO:
    """A file, open to be read. Raises OSError, for a FIFO, a socket and a device too; its `strerror` says which."""
    return cast(BinaryIO, open(path, mode, opener=_descriptor))


def read_regular(path: str | os.PathLike[str]) -> bytes:
    """All that a file holds. Raises OSError as `open_regular`."""
    with open_regular(path) as file:
        return file.read()


def _descriptor(path: str, flags: int) -> int:
    """The descriptor of a file that is opened, as `open` wants it of its opener. Raises as `open_regular`."""
    if os.path.exists(path):
        _require_regular(os.stat(path))  # to open a device may do something
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)
    try:
        _require_regular(os.fstat(handle))  # another one may have taken its place
    except OSError:
        os.close(handle)
        raise
    return handle


def _require_regular(status: os.stat_result) -> None:
    """Raises OSError for a FIFO, a socket or a device; folders pass, which can't be opened anyhow."""
    for is_kind, kind in KINDS:
        if is_kind(status.st_mode):
            raise OSError(errno.EINVAL, f"it is {kind}, expected a file")
