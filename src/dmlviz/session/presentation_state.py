"""Where a presentation stands, in a file that the wall and the speaker's screen share.

The file is in the user's state folder, and is named after the path of what is presented. Both screens write it whole
after each thing that somebody does, and read it when it has changed. So either may end and begin again at any time.
"""

from __future__ import annotations

import contextlib
import enum
import json
import os
import re
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct, field
from msgspec.structs import replace

from ..errors import SessionError, plain, quote, reason_of
from ..formats.regular_files import read_regular
from .whole_files import ASIDE, digest, digest_of, state_folder, write_whole

VERSION = 1
MOST_BYTES = 1_000_000
"""Of a state file: a lesson of a hundred experiments takes some thousands."""
PATIENCE = 1.0
"""Seconds that one screen waits for the other: whoever was stopped in the middle holds nobody up."""
VOTES = 2
"""Votes on a question: before the room talks, and after."""
EXAMPLE = "example:"
"""What the name of a presentation begins with that is of an example."""
Count = Annotated[int, Meta(ge=0)]
Time = Annotated[float, Meta(ge=0, lt=1e12)]
"""Seconds since 1970."""
Counts = tuple[Count | None, ...]
"""Hands for each answer; None for one that isn't counted yet."""
Hands = Annotated[tuple[Counts, ...], Meta(max_length=VOTES)]
"""The counts of each vote."""


class Build(enum.Enum):
    """What of an experiment is on the wall."""

    QUESTION = "question"
    """The inputs, and what is asked; the outputs are hidden."""
    PLAY = "play"
    """The outputs are written step by step."""
    REVEAL = "reveal"
    """Everything: the outputs, the answer, and the hands."""


class Presented(Struct, frozen=True):
    """Where a presentation stands."""

    experiment: Count = 0
    """From 0."""
    build: Build = Build.QUESTION
    step: Count = 0
    """The step that is shown while `build` is PLAY; where it plays, the one that it began with."""
    playing: bool = False
    cursor: tuple[bool, Count, tuple[Count, ...]] | None = None
    """(is an output's, tensor, index) of the element that is pointed at; None for the first."""
    spotlight: bool = False
    """All but the cursor's row and its partners is dimmed."""
    hides: bool = False
    """The output is hidden, whatever `build` says."""
    black: bool = False
    vote: Annotated[int, Meta(ge=0, lt=VOTES)] = 0
    """Which vote is counted, from 0."""
    hands: Mapping[str, Hands] = field(default_factory=lambda: MappingProxyType({}))
    """The hands that were counted, by what stands for the question that they were counted for."""
    began: Time = 0.0
    timer: Time | None = None
    """When the timer is at its end; None while none runs."""
    changed: Time = 0.0
    """When somebody did something for the last time."""
    session: str = ""
    """What stands for the session that the screen which wrote it has opened; "" where nobody said."""
    told: bool = False
    """The steps that are shown come after the reveal: the answer stays on the wall."""
    memory: bool | None = None
    """Linear memory is shown, or hidden; None where it is shown if the experiment is about it."""

    def with_hands(self, question: str, counts: Counts) -> Presented:
        """A copy whose present vote on a question has these counts."""
        empty: Counts = (None,) * len(counts)
        votes = [*self.hands.get(question, ()), *[empty] * VOTES][:VOTES]
        votes[self.vote] = counts
        return replace(self, hands=MappingProxyType({**self.hands, question: tuple(votes)}))

    def counts(self, question: str, answers: int, vote: int) -> Counts:
        """The hands of one vote on a question; None for each of its `answers` where none were counted."""
        votes = self.hands.get(question, ())
        counts = votes[vote] if vote < len(votes) else ()
        return counts if len(counts) == answers else (None,) * answers


def folder() -> Path:
    """The folder of all state files."""
    return state_folder() / "presenting"


def name_of(path: Path | None, example: str | None = None) -> str | None:
    """What a presentation is called: by its file's resolved path, else its example. None for neither."""
    if path is not None:
        return os.path.abspath(path)  # links aren't followed: the file need not be there any more
    return f"{EXAMPLE}{example}" if example is not None else None


class DamagedStateError(SessionError):
    """A state file holds what no version of dmlviz wrote."""


class StateFile:
    """The state of one presentation, as both screens have it. A file of another version or owner is left as it is."""

    def __init__(self, name: str, where: Path | None = None) -> None:
        """`name` is `name_of` what is presented, or what else stands for it."""
        self.name = name
        stem = re.sub(r"[^A-Za-z0-9]+", "-", Path(name).stem)[:40].strip("-") or "session"
        tail = digest(name.encode(errors="surrogateescape"))[:16]
        self.file = (where if where is not None else folder()) / f"{stem}-{tail}.json"
        self._seen: object = None
        self._depth = 0
        """How many `alone` are in each other."""

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody else writes while the context lasts; without file locks, or after PATIENCE, it goes on unlocked."""
        handle = _folder_lock(self.file.parent) if not self._depth else None
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if handle is not None:
                os.close(handle)

    def read(self) -> Presented | None:
        """The state; None without a file. Raises DamagedStateError, or SessionError for another version or owner."""
        self._seen = stamp_of(self.file)
        shown = plain(str(self.file))
        try:
            if hasattr(os, "getuid") and self.file.stat().st_uid != os.getuid():
                raise SessionError(f"{shown} is another user's, expected a presentation's state of your own.")
            if self.file.stat().st_size > MOST_BYTES:
                raise DamagedStateError(f"{shown} has more than {MOST_BYTES:,} bytes, expected a presentation's state.")
            data = read_regular(self.file)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if isinstance(error, PermissionError) and not os.access(self.file.parent, os.X_OK):
                return None  # nothing can be kept there, which whoever writes is told
            raise SessionError(f"{shown} can't be read: {reason_of(error)}; remove it to begin anew.") from None
        try:
            tree = json.loads(data)
            version = tree["dmlviz_presentation"]
        except (ValueError, TypeError, KeyError, RecursionError):
            raise DamagedStateError(f"{shown} {NO_STATE}") from None
        if version != VERSION or isinstance(version, bool):
            raise SessionError(
                f"{shown} has version {quote(version)} of a presentation's state, expected {VERSION}; "
                "remove it to begin anew."
            )
        if tree.get("file") != self.name:
            raise SessionError(
                f"{shown} is of {quote(tree.get('file'))}, expected {quote(self.name)}; remove it to begin anew."
            )
        try:
            return _state_from(tree)
        except (ValueError, KeyError, RecursionError):
            raise DamagedStateError(f"{shown} {NO_STATE}") from None

    def take(self) -> tuple[Presented | None, str]:
        """The state as `read` has it, and "". A damaged one is set aside: None, and a sentence that tells of it.

        Raises SessionError as `read`, for a damaged file too if it can't be set aside.
        """
        with self.alone():  # the other screen may be about to do the same
            try:
                return self.read(), ""
            except DamagedStateError as error:
                aside = self.file.with_suffix(ASIDE)
                try:
                    os.replace(self.file, aside)
                except OSError:
                    raise error from None
                self._seen = stamp_of(self.file)
                return None, f"Where the presentation stood is damaged and set aside as {plain(str(aside))}."

    def changed(self) -> bool:
        """True if somebody else has written the file since it was read or written here."""
        return stamp_of(self.file) != self._seen

    def write(self, state: Presented) -> None:
        """Writes the state whole. Raises SessionError."""
        data = json.dumps(_state_json(state, self.name)).encode()
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(self.file, data)
        except OSError as error:
            shown = plain(str(self.file))
            raise SessionError(f"{shown} can't be written: {reason_of(error)}; no other screen follows.") from None
        stamp = stamp_of(self.file)
        self._seen = stamp if digest_of(self.file) == digest(data) else object()  # somebody else's is still to be read


def stamp_of(file: Path) -> object:
    """What differs after each writing of a file; None where there is none."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ino, status.st_size


def _folder_lock(where: Path) -> int | None:
    """A lock on a folder, until it is closed; None where there is none to be had."""
    if sys.platform == "win32":
        return None  # folders can't be opened there
    import fcntl

    try:
        handle = os.open(where, os.O_RDONLY)
    except OSError:
        return None
    ends = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() < ends:
                time.sleep(0.002)
                continue
        except OSError:
            pass
        else:
            return handle
        os.close(handle)
        return None


NO_STATE = "holds no presentation's state, expected what dmlviz wrote; remove it to begin anew."


def _state_json(state: Presented, name: str) -> dict[str, Any]:
    """The JSON of a state in the file of the presentation `name`."""
    return {"dmlviz_presentation": VERSION, "file": name, **msgspec.to_builtins(state, enc_hook=dict)}


def _state_from(written: Mapping[str, Any]) -> Presented:
    """The state in JSON. Raises ValueError or KeyError for what `_state_json` doesn't write."""
    for name in Presented.__struct_fields__[:-3]:
        written[name]  # the last three are not in the files of before
    try:
        state = msgspec.convert(written, Presented)
    except msgspec.ValidationError as error:  # no ValueError before msgspec 0.21
        raise ValueError(str(error)) from None
    return replace(state, hands=MappingProxyType(state.hands))
