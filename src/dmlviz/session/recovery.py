"""Sessions that outlive a crash: what was edited is kept in a file until it is saved or given up.

Every explorer has a file of its own, and holds a lock beside it that ends with its process. A file whose lock can be
had belongs to nobody any more: its session is offered at the next launch.
"""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import re
import stat
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from ..errors import DmlvizError, SessionError, plain
from ..formats.json_text import PIECE
from ..formats.regular_files import read_regular
from .document import Document
from .experiments import Experiment, Session
from .reading import load, parse
from .whole_files import ASIDE, state_folder, tidy_folder, write_whole
from .writing import dump, dump_brief, dump_joined

DELAY = 0.3
"""Seconds that edits are gathered for before they are written."""
AGAIN = 2.0
"""Seconds after which what couldn't be written is tried again: a full disk may have got room."""
LATEST = 32_503_680_000.0
"""The year 3000, in seconds since 1970: no clock that is later is believed."""


def folder() -> Path:
    """The folder of all recovery files."""
    return state_folder() / "recovery"


class Texts:
    """The JSON of experiments, each kept for as long as it is in the session: an edit costs what it has changed."""

    def __init__(self) -> None:
        self._texts_by_id: dict[int, tuple[Experiment, str]] = {}
        """By `id` of an experiment, which is held as well, so that no other has its number."""

    def of(self, experiment: Experiment) -> str:
        """The JSON of an experiment, kept from before where it is the same object.

        Raises ValueError, TypeError or RecursionError for what no file can hold.
        """
        if (kept := self._texts_by_id.get(id(experiment))) is not None:
            return kept[1]
        settled = experiment.settled(keeps_missing=True)
        text = dump_brief(settled)
        if len(settled.values) == len(experiment.values):  # else an .npy file doesn't fit now, and may later
            self._texts_by_id[id(experiment)] = experiment, text
        return text

    def whole(self, session: Session) -> str:
        """The JSON of a session; what was kept of experiments that aren't in it is forgotten. Raises as `of`."""
        text = dump_joined(session, map(self.of, session.experiments))
        self._texts_by_id = {
            key: self._texts_by_id[key] for key in map(id, session.experiments) if key in self._texts_by_id
        }
        return text


class Kept(Struct, frozen=True):
    """What is worth keeping of a document that is being edited."""

    session: Session
    path: Path | None
    number: int
    seen: str | None = None
    """What the file held when it was read; see `Document.seen`."""

    def text(self, texts: Texts | None = None) -> str:
        """The document as `read` reads it; `texts` has the JSON of experiments that was made before.

        Raises ValueError, TypeError or RecursionError for sessions that no file can hold.
        """
        folders = [
            str(experiment.folder) if experiment.folder is not None else None for experiment in self.session.experiments
        ]
        head = json.dumps(
            {
                "dmlviz_recovery": 1,
                "pid": os.getpid(),
                "written": time.time(),
                "path": str(self.path.absolute()) if self.path is not None else None,
                "number": self.number,
                "seen": self.seen,
                "folder": str(self.session.folder) if self.session.folder is not None else None,
                "folders": folders,
            }
        )
        return f'{head[:-1]}, "session": "{_in_quotes((texts or Texts()).whole(self.session))}"}}'


def _in_quotes(text: str) -> str:
    """What stands between the quotes of a text in JSON; a long one is written in pieces, and other threads run."""
    return "".join(json.dumps(text[start : start + PIECE])[1:-1] for start in range(0, len(text), PIECE))


class ReadDocument(NamedTuple):
    """What `Kept.text` wrote."""

    document: Document
    written: float
    """Seconds since 1970; NaN where that isn't known."""
    errors: list[SessionError]
    """One for each experiment that is lost."""
    missing: list[str]
    """A sentence for each .npy file that isn't as it was: the experiment is there without it."""


def read(text: str) -> ReadDocument:
    """The document that `Kept.text` wrote. Raises SessionError where there is no document in it."""
    missing: list[str] = []
    try:
        tree = json.loads(text)
        path = Path(tree["path"]) if tree["path"] is not None else None
        folder, *folders = [Path(name) if name is not None else None for name in (tree["folder"], *tree["folders"])]
        written, number, data = float(tree["written"]), int(tree["number"]), str(tree["session"])
        if not 0 <= written <= LATEST:
            written = math.nan
        seen = tree.get("seen")
        session, errors = parse(data.encode(), "the session that was kept", folder, missing=missing, folders=folders)
    except DmlvizError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        raise SessionError("it holds no session, expected what dmlviz wrote.") from None
    if not session.experiments:
        raise errors[0]
    document = Document(session, path)
    document.number = min(max(number, 0), len(session.experiments) - 1)
    document.saved = None
    if path is not None:
        with contextlib.suppress(DmlvizError):
            document.saved = load(path)
    document.seen = seen if isinstance(seen, str) else None
    return ReadDocument(document, written, errors, missing)


# ---- writing ----------------------------------------------------------------------------------------------------


class Keeper:
    """Keeps the latest state of one explorer's document, in a thread of its own.

    Where the file can't be written, `trouble` is called with a sentence, once until it can be again. It is called from
    any thread, and must not wait for another one.
    """

    def __init__(self, trouble: Callable[[str], object], where: Path | None = None) -> None:
        self._trouble = trouble
        self._where = where
        self._file: Path | None = None
        self._lock: int | None = None
        self._next: Kept | None = None
        self._waits = False
        self._texts = Texts()
        self._ended = False
        self._told = False
        self.unkept = ""
        """Why the latest state isn't kept; "" where it is."""
        self._turn = threading.Condition()
        self._busy = threading.Lock()
        self._thread: threading.Thread | None = None

    def keep(self, kept: Kept | None) -> None:
        """Writes a state soon; None stands for one that needs no keeping, and the file goes."""
        with self._turn:
            if self._ended or (kept is None and self._thread is None and self._file is None):
                return
            self._next, self._waits = kept, True
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, daemon=True, name="recovery")
                self._thread.start()
            self._turn.notify()

    def adopt(self, lost: LostSession) -> None:
        """Goes on with the file of a session that was found, so that it is never without one."""
        with self._busy:
            self._release(remove=True)
            self._file, self._lock = lost.file, lost.take()

    def close(self, *, clean: bool) -> bool:
        """Ends the keeping. What was kept goes if the user left knowingly, and otherwise waits for the next launch.

        True if anything waits.
        """
        with self._turn:
            if self._ended:
                return False
            self._ended = True
            self._turn.notify()
        if self._thread is not None:
            self._thread.join(timeout=5)
        with self._busy:
            if not clean and self._waits:
                self._write(self._next)
            waits = not clean and self._file is not None
            self._release(remove=clean)
        return waits

    def _work(self) -> None:
        """Writes what is to be kept until the keeper is closed, in the thread."""
        pause = DELAY
        while True:
            with self._turn:
                self._turn.wait_for(lambda: self._waits or self._ended)
                self._turn.wait_for(lambda: self._ended, timeout=pause)
                if self._ended:
                    return
                kept, self._waits = self._next, False
            with self._busy:
                may_be_later = self._write(kept)
            pause = DELAY
            if may_be_later:
                with self._turn:
                    self._waits, pause = True, AGAIN
            self._tell()

    def _write(self, kept: Kept | None) -> bool:
        """Writes a state, or removes the file for None; True if writing failed and may go later, `unkept` says why."""
        self.unkept = ""
        if kept is None:
            self._release(remove=True)
            return False
        try:
            if self._file is None:
                where = self._where or folder()
                where.mkdir(parents=True, exist_ok=True, mode=0o700)
                if not _is_own(where):
                    raise OSError(errno.EINVAL, f"{where} is a link or another user's, expected a folder of your own")
                file = where / f"{os.urandom(16).hex()}.json"
                self._lock, self._file = _lock_beside(file), file
            write_whole(self._file, kept.text(self._texts).encode())
        except OSError as error:
            self.unkept = plain(str(error.strerror or error))
            return True
        except (ValueError, TypeError, RecursionError):
            self.unkept = "the session holds what no file can"
        except Exception as error:  # the thread goes on: the next edit is to be kept, and this one as soon as it can be
            self.unkept = "memory ran out" if isinstance(error, MemoryError) else type(error).__name__
            return True
        return False

    def _tell(self) -> None:
        """Calls `trouble` where the state isn't kept, once until it is kept again."""
        if self.unkept and not self._told:
            self._trouble(f"unsaved changes would not outlive a crash: {self.unkept}.")
        self._told = bool(self.unkept)

    def _release(self, remove: bool) -> None:
        """Lets go of the file and its lock; with `remove`, both are deleted."""
        if remove and self._file is not None:
            _remove(self._file, self._lock)
        else:
            _let_go(self._lock)
        self._file, self._lock = None, None


# ---- finding ----------------------------------------------------------------------------------------------------


class LostSession(Struct):
    """A session that nobody saved. Its lock is held, so that no other explorer offers it meanwhile."""

    file: Path
    document: Document
    written: float
    """Seconds since 1970."""
    _lock: int | None

    def take(self) -> int | None:
        """The lock, which is the caller's from now on; None where the file system has none."""
        lock, self._lock = self._lock, None
        return lock

    def later(self) -> None:
        """Lets go of the lock, and leaves the file for another launch."""
        _let_go(self._lock)

    def discard(self) -> None:
        """Deletes the file and its lock."""
        _remove(self.file, self._lock)


def find(where: Path | None = None) -> tuple[list[LostSession], list[str]]:
    """Sessions that explorers left behind, the newest first, and a sentence for each file that can't be read.

    A file that can't be read is set aside under another name: it is told of once. Where there is no room for that it
    stays, for a later launch. Never raises.

    Only files that are called as explorers call theirs, and only in a folder that they would make: elsewhere, other
    programs' files may lie.
    """
    left_behind: list[LostSession] = []
    sentences: list[str] = []
    where = where or folder()
    try:
        if not _is_own(where):
            return left_behind, sentences
        _tidy(where)
        files = sorted(file for file in where.glob("*.json") if re.fullmatch(_OWN_NAME, file.stem))
    except OSError:
        return left_behind, sentences
    for file in files:
        try:
            lock = _lock_beside(file)
        except OSError:
            continue  # its explorer is running, or another looks at it
        lost, sentence = _lost_in(file, lock)
        left_behind += [lost] if lost is not None else []
        sentences += [sentence] if sentence else []
    return sorted(left_behind, key=lambda lost: -lost.written), sentences


def _lost_in(file: Path, lock: int | None) -> tuple[LostSession | None, str]:
    """A file's unsaved session or None, and what can't be read, or "". Saved ones go, damaged are set aside."""
    try:
        text = read_regular(file).decode()
        document, written, errors, missing = read(text)
        if math.isnan(written):
            written = file.stat().st_mtime
    except FileNotFoundError:
        _remove(file, lock)
        return None, ""
    except (DmlvizError, OSError, UnicodeDecodeError) as error:
        why = str(error) if isinstance(error, DmlvizError) else "it can't be read, expected what dmlviz wrote."
        aside = file.with_suffix(ASIDE)
        try:
            os.replace(file, aside)  # takes no room
        except OSError:
            _let_go(lock)
        else:
            _remove(file, lock)
        return None, f"a session that wasn't saved is damaged and set aside as {plain(str(aside))}: {why}"
    if not errors and _is_saved(document):
        _remove(file, lock)  # it had been saved
        return None, ""
    if _is_writer_running(text, lock):
        return None, ""
    lost = LostSession(file, document, written, lock)
    if not errors and not missing:
        return lost, ""
    what = str(errors[0]) if errors else f"{missing[0]} It is filled by default."  # going on with it leaves that out
    try:
        return lost, f"{what} All of it is set aside as {_copied_aside(file)}."
    except OSError as error:
        _let_go(lock)
        return None, f"{what} All of it is offered once it can be set aside: {plain(str(error.strerror or error))}."


def _is_saved(document: Document) -> bool:
    """True if a document's file holds all of its session, whatever is said there of how it is looked at."""
    return document.saved is not None and dump(document.session, views=False) == dump(document.saved, views=False)


def _copied_aside(file: Path) -> str:
    """Copies a file under a name that isn't looked at again, and tells that name. Raises OSError."""
    aside = file.with_suffix(ASIDE)
    write_whole(aside, read_regular(file))
    return plain(str(aside))


_OWN_NAME = r"[0-9a-f]{32}"
"""What files are called here, without their endings."""


def _is_own(where: Path) -> bool:
    """True for a folder of the user's own that is no link. Raises OSError."""
    status = where.lstat()
    return stat.S_ISDIR(status.st_mode) and (not hasattr(os, "getuid") or status.st_uid == os.getuid())


def _tidy(where: Path) -> None:
    """Removes what explorers left that were killed before their session was in its file."""
    tidy_folder(where)
    for lock in where.glob("*.lock"):
        if re.fullmatch(_OWN_NAME, lock.stem) and not lock.with_suffix(".json").exists():
            with contextlib.suppress(OSError):
                handle = _lock_beside(lock)
                _remove(lock, handle)


def _is_writer_running(text: str, lock: int | None) -> bool:
    """True if this file system has no locks, and the process that wrote `text` is running."""
    if lock is not None or sys.platform == "win32":
        return False
    try:
        os.kill(int(json.loads(text)["pid"]), 0)
    except PermissionError:
        return True
    except (OSError, ValueError, TypeError, KeyError, OverflowError):
        return False
    return True


def _lock_beside(file: Path) -> int | None:
    """The lock beside `file`; None on file systems without locks. Raises BlockingIOError if another process has it."""
    handle = os.open(file.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        os.close(handle)
        raise BlockingIOError from None
    except OSError:
        os.close(handle)
        return None
    return handle


def _remove(file: Path, lock: int | None) -> None:
    """Removes a file and its lock, and lets that go."""
    for path in (file, file.with_suffix(".lock")):
        with contextlib.suppress(OSError):
            path.unlink()
    _let_go(lock)


def _let_go(lock: int | None) -> None:
    """Closes a lock; None is no lock."""
    if lock is not None:
        with contextlib.suppress(OSError):
            os.close(lock)
