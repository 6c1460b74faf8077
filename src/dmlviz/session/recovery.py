"""Sessions that outlive a crash: what was edited is kept in a file until it is saved or given up.

Each program that edits has a file of its own, which says what process that is. A file whose process is gone belongs to
nobody any more: its session is offered at the next launch.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Lock, Timer

from msgspec import Struct

from ..errors import DmlvizError, SessionError, plain
from .document import Document
from .experiments import Session
from .kept import Kept
from .reading import load, parse
from .whole_files import stamp_of, state_folder
from .writing import dump

DELAY = 0.3
"""Seconds that edits are gathered for before they are written."""
RECOVERY = "recovery"
"""The user's own folder of all such files."""
ASIDE = ".unreadable"
"""How the names of damaged files end that were set aside: nobody looks at them again."""


class _Record(Struct):
    pid: int
    path: str | None
    number: int
    folder: str | None
    """Where the .npy files of its experiments lie."""
    session: str
    seen: str | None = None


class Keeper:
    """Keeps the latest state of one explorer's document, written by a thread.

    Where the file can't be written, `trouble` is called with a sentence, once until it can be again. It is called from
    any thread, and must not wait for another one.
    """

    def __init__(self, trouble: Callable[[str], object], where: Path | None = None) -> None:
        self._trouble = trouble
        self._kept = Kept[_Record]((where or state_folder() / RECOVERY) / f"{os.urandom(16).hex()}.json", _Record)
        self._next: tuple[Session, Path | None, int, str | None] | None = None
        self._waits = self._ended = False
        self.unkept = ""
        """Why the latest state isn't kept; "" where it is."""
        self._writing = Lock()

    def keep(self, doc: Document) -> None:
        """Writes what is unsaved of a document soon; where nothing is, the file goes."""
        self._next = (doc.viewed(), doc.path, doc.number, doc.seen) if doc.dirty else None
        if not self._waits and not self._ended:
            self._waits = True
            timer = Timer(DELAY, self._work)
            timer.daemon = True
            timer.start()

    def adopt(self, lost: LostSession) -> None:
        """Goes on with the file of a session that was found, so that it is never without one."""
        with self._writing, contextlib.suppress(OSError):
            os.replace(lost.kept.file, self._kept.file)

    def close(self, *, clean: bool) -> bool:
        """Ends the keeping; what was kept goes if the user left knowingly. True if it waits for the next launch."""
        if self._ended:
            return False
        self._ended = True
        with self._writing:
            self._next = None if clean else self._next
            if clean or self._waits:
                self._write()
        return self._kept.file.exists()

    def _work(self) -> None:
        was_unkept = self.unkept
        with self._writing:
            if self._waits:
                self._write()
        if self.unkept and not was_unkept:
            self._trouble(f"unsaved changes would not outlive a crash: {self.unkept}.")

    def _write(self) -> None:
        """Writes the latest state, or removes the file where there is none; where that fails, `unkept` says why."""
        self._waits, self.unkept = False, ""
        unsaved = self._next
        try:
            if unsaved is None:
                self._kept.remove()
            else:
                self._kept.write(_record_of(*unsaved))
        except SessionError as error:
            self.unkept = str(error).removesuffix(".")
        except (ValueError, TypeError, RecursionError):
            self.unkept = "the session holds what no file can"


def _record_of(session: Session, path: Path | None, number: int, seen: str | None) -> _Record:
    """Raises ValueError, TypeError or RecursionError for sessions that no file can hold."""
    folder = next((one.folder for one in session.experiments if one.folder is not None), session.folder)
    file = None if path is None else str(path.absolute())
    where = None if folder is None else str(folder)
    return _Record(os.getpid(), file, number, where, session=dump(session, keeps_missing=True), seen=seen)


class LostSession(Struct):
    """A session that nobody saved."""

    kept: Kept[_Record]
    document: Document
    written: float
    """Seconds since 1970."""


def find(where: Path | None = None) -> tuple[list[LostSession], list[str]]:
    """Sessions left behind, the newest first, and a sentence for each unreadable file, set aside. Never raises."""
    left = list[LostSession]()
    sentences = list[str]()
    for file in (where or state_folder() / RECOVERY).glob("*.json"):
        kept = Kept[_Record](file, _Record)
        record, doc = kept.read(), None
        told = [kept.problem] if kept.problem else []
        if record is not None and _is_running(record.pid):
            continue
        try:
            doc = _document_of(record, told) if record is not None else None
        except (DmlvizError, ValueError) as error:
            told.append(str(error))
        if doc is not None and not told and not doc.dirty:
            kept.remove()
        elif doc is not None:
            left.append(LostSession(kept, doc, (stamp_of(file) or (0, 0, 0))[0] / 1e9))
        aside = file.with_suffix(ASIDE)
        with contextlib.suppress(OSError):
            if told and doc is not None:  # going on with it leaves out what can't be read
                shutil.copyfile(file, aside)
            elif told:
                os.replace(file, aside)
        sentences += [f"a session that wasn't saved is set aside as {plain(str(aside))}: {one}" for one in told[:1]]
    return sorted(left, key=lambda lost: -lost.written), sentences


def _document_of(record: _Record, told: list[str]) -> Document:
    """The document that was kept, and sentences about what is lost. Raises DmlvizError or ValueError for none."""
    folder = Path(record.folder) if record.folder is not None else None
    data = record.session.encode()
    session, errors = parse(data, "the session that was kept", folder, missing=told)
    if not session.experiments:
        raise errors[0]
    told[:0] = map(str, errors)
    doc = Document(session, Path(record.path) if record.path is not None else None, record.seen)
    doc.number = min(max(record.number, 0), len(session.experiments) - 1)
    doc.saved = None
    if doc.path is not None:
        with contextlib.suppress(DmlvizError):
            doc.saved = load(doc.path)
    return doc


def _is_running(process: int) -> bool:
    if process == os.getpid():  # that was an earlier one's
        return False
    if sys.platform == "win32":
        import ctypes

        handle = ctypes.windll.kernel32.OpenProcess(0x1000, False, process)  # to ask about it
        return bool(handle and ctypes.windll.kernel32.CloseHandle(handle))
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True
