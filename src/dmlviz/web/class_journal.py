"""The room file of a class: what has happened, line by line, so that a server that is killed goes on where it was.

It is in the folder of presentations' states, named after the state file, and nobody else may read it. A line is
written before what it says is acknowledged. The file is locked as long as its class is held, and removed at the end.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
import time
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import msgspec
from msgspec import Meta, Struct

from ..errors import SessionError, plain, reason_of
from .class_room import Room, new_code

OLDEST = 12 * 3600.0
"""Seconds after which a room is forgotten unread: by then it is another lesson."""
LONGEST = 1 << 16
"""Bytes of a line."""
MOST_BYTES = 4_000_000
"""Of a file, which is written anew then, without what was answered before the last time; or twice what is left."""
WAIT = 5.0
"""Seconds in which a server that has lost its wall makes place for the next."""


class Head(Struct, frozen=True, kw_only=True):
    """A file's first line."""

    dmlviz_class: Annotated[int, Meta(ge=1, le=1)] = 1
    file: str
    """What the presentation is named after."""
    code: Annotated[str, Meta(pattern="^[0-9A-HJKMNP-TV-Z]{7}$")]
    secret: Annotated[str, Meta(min_length=43, max_length=43)]
    """Of the instructor's own phone."""
    key: Annotated[str, Meta(min_length=64, max_length=64)]
    """Signs cookies."""
    port: Annotated[int, Meta(ge=0, le=65535)] = 0


class RoomFile:
    """A room's file, locked."""

    def __init__(self, path: Path, handle: BinaryIO, head: Head) -> None:
        self.path, self._handle, self.head = path, handle, head
        self.room = Room(bytes.fromhex(head.key), time.time, self.append)
        self._size, self._most = self._read(), MOST_BYTES

    def append(self, event: tuple[Any, ...]) -> None:
        """Keeps an event: not on the disk, but where a killed process leaves it. Raises OSError."""
        line = msgspec.json.encode(event) + b"\n"
        if self._size + len(line) > self._most or not self.path.exists():
            self._rewrite()
        written = os.write(self._handle.fileno(), line)
        if written != len(line):  # a full disk: half a line is no event
            os.ftruncate(self._handle.fileno(), self._size)
            raise OSError("only part of a line could be written")
        self._size += written

    def _read(self) -> int:
        """Has the room follow the file, without the lines that are none; the file's size in bytes."""
        self._handle.seek(0)
        data = self._handle.read()
        for line in data.split(b"\n")[1:]:
            with contextlib.suppress(ValueError, msgspec.DecodeError, RecursionError):
                self.room.follow(msgspec.json.decode(line[:LONGEST]))
        if data and not data.endswith(b"\n"):
            os.write(self._handle.fileno(), b"\n")  # what was cut off by a kill: nobody was told of it
        return os.fstat(self._handle.fileno()).st_size

    def set_port(self, port: int) -> None:
        """Keeps the port on which the class is held. Raises OSError."""
        if port != self.head.port:
            self.head = msgspec.structs.replace(self.head, port=port)
            self._rewrite()

    def _rewrite(self) -> None:
        """Writes the shortest file that says the same; it is locked before it takes its place. Raises OSError."""
        beside = self.path.with_suffix(".room-new")
        beside.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        beside.unlink(missing_ok=True)
        handle = _opened(beside)
        try:
            _lock(handle)
            data = b"".join(msgspec.json.encode(line) + b"\n" for line in (self.head, *self.room.events()))
            done = 0
            while done < len(data):
                done += os.write(handle.fileno(), data[done:])
            if sys.platform == "win32":
                self._handle.close()
            os.replace(beside, self.path)
        except OSError:
            handle.close()
            raise
        self._handle.close()
        self._handle, self._size = handle, done
        self._most = max(MOST_BYTES, 2 * done)  # not at every line of a class that has as much to say

    def close(self, *, forgets: bool) -> None:
        """Ends the lock; `forgets` removes the file."""
        if forgets:
            with contextlib.suppress(OSError):
                self.path.unlink()
        self._handle.close()


def open_room(path: Path, name: str) -> tuple[RoomFile, str]:
    """The room file of a presentation called `name`, made if there is none, and a sentence on what was lost, or "".

    Raises SessionError where it can't be had, is somebody else's, or where its class is held already.
    """
    shown, request = plain(str(path)), leave_request(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        forget_old(path.parent)
        handle = _opened(path)
    except OSError as error:
        raise SessionError(f"{shown} can't be written: {reason_of(error)}; no class can be held.") from None
    try:
        if hasattr(os, "getuid") and os.fstat(handle.fileno()).st_uid != os.getuid():
            raise SessionError(f"{shown} is another user's, expected a class's room of your own.")
        if not _lock(handle):
            request.touch(mode=0o600)
            ends = time.monotonic() + WAIT
            while not _lock(handle):
                if time.monotonic() > ends:
                    request.unlink(missing_ok=True)  # a class that loses its wall later need not go
                    raise SessionError(f"a class is held on {plain(name)} already; expected to end it first.")
                time.sleep(0.05)
        request.unlink(missing_ok=True)
        if not path.exists() or os.fstat(handle.fileno()).st_ino != path.stat().st_ino:
            handle.close()  # whoever had it has ended its class, or written it anew
            return open_room(path, name)
        head, lost = _head_of(handle, name, shown)
        if head is None:
            secret, key = secrets.token_urlsafe(32), secrets.token_bytes(32).hex()
            head = Head(file=name, code=new_code(), secret=secret, key=key)
            handle.seek(0)
            handle.truncate()
            os.write(handle.fileno(), msgspec.json.encode(head) + b"\n")
        return RoomFile(path, handle, head), lost
    except OSError as error:
        handle.close()
        raise SessionError(f"{shown} can't be written: {reason_of(error)}; no class can be held.") from None
    except SessionError:
        handle.close()
        raise


def leave_request(path: Path) -> Path:
    """The file by which the next class asks a server without a wall to go."""
    return path.with_suffix(".room-asked")


def forget_old(folder: Path) -> None:
    """Removes files of classes that are too old, unread, unless their class is still held."""
    for path in (*folder.glob("*.room*"), *folder.glob("*.class")):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > OLDEST:
                with _opened(path) as handle:
                    if _lock(handle):
                        path.unlink()


def _head_of(handle: BinaryIO, name: str, shown: str) -> tuple[Head | None, str]:
    """(the first line, ""); (None, a sentence) where the file is damaged, and (None, "") for an empty one."""
    handle.seek(0)
    line = handle.readline(LONGEST)
    if not line:
        return None, ""
    try:
        head = msgspec.json.decode(line, type=Head)
        bytes.fromhex(head.key)
        if head.file == name:
            return head, ""
    except (ValueError, msgspec.DecodeError, RecursionError):
        pass
    return None, f"{shown} was damaged: the class begins anew, with another code."


def _opened(path: Path) -> BinaryIO:
    """A file that nobody else may read, made if need be, which is read anywhere and written at its end."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(path, flags, 0o600), "rb+", buffering=0)


def _lock(handle: BinaryIO) -> bool:
    """Locks a file until it is closed; False where another process has locked it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            handle.seek(1 << 30)  # a lock there keeps others from reading what it covers
            msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return sys.platform != "win32"  # a file system without locks
    return True
