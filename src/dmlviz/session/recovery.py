"""Sessions that outlive a crash: what was edited is kept in a file until it is saved or given up.

Each program that edits has a file of its own, which says what process that is. A file whose process is gone belongs to
nobody any more: its session is offered at the next launch.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from msgspec import Struct

from ..errors import DmlvizError, SessionError, plain, reason_of
from ..formats.json_text import escaped, json_line
from ..formats.regular_files import read_regular
from .document import Document
from .experiments import Experiment, Session
from .kept import Kept
from .reading import VERSION, load, parse
from .whole_files import ASIDE, stamp_of, state_folder, write_whole
from .writing import dump, dump_experiment

DELAY = 0.3
"""Seconds that edits are gathered for before they are written."""


class _Record(Struct):
    """An unsaved document in its file."""

    pid: int
    path: str | None
    number: int
    folder: str | None
    folders: list[str | None]
    """Where the .npy files of each experiment lie."""
    session: str
    """The session's own JSON."""
    seen: str | None = None
    dmlviz_recovery: int = 1


def _text_of(folder: Path | None) -> str | None:
    return str(folder) if folder is not None else None


class Keeper:
    """Keeps the latest state of one explorer's document, in a thread of its own.

    Where the file can't be written, `trouble` is called with a sentence, once until it can be again. It is called from
    any thread, and must not wait for another one.
    """

    def __init__(self, trouble: Callable[[str], object], where: Path | None = None) -> None:
        self._trouble = trouble
        file = (where or folder()) / f"{os.urandom(16).hex()}.json"
        self._kept: Kept[_Record] = Kept(file, _Record)
        self._next: tuple[Session, Path | None, int, str | None] | None = None
        self._timer: threading.Timer | None = None
        self._texts: dict[int, tuple[Experiment, str]] = {}
        """JSON by `id` of an experiment, which is held as well: an edit costs what it has changed."""
        self._ended = False
        self.unkept = ""
        """Why the latest state isn't kept; "" where it is."""
        self._turn = threading.Lock()
        self._writing = threading.Lock()

    def keep(self, document: Document) -> None:
        """Writes what is unsaved of a document soon; where nothing is, the file goes."""
        unsaved = (document.viewed(), document.path, document.number, document.seen) if document.dirty else None
        with self._turn:
            self._next = unsaved
            if self._timer is None and not self._ended:
                self._timer = threading.Timer(DELAY, self._work)
                self._timer.daemon = True
                self._timer.start()

    def adopt(self, lost: LostSession) -> None:
        """Goes on with the file of a session that was found, so that it is never without one."""
        with self._writing, contextlib.suppress(OSError):
            os.replace(lost.file, self._kept.file)

    def close(self, *, clean: bool) -> bool:
        """Ends the keeping. What was kept goes if the user left knowingly, and otherwise waits for the next launch.

        True if anything waits.
        """
        with self._turn:
            timer, self._timer, was_ended, self._ended = self._timer, None, self._ended, True
        if was_ended:
            return False
        if timer is not None:
            timer.cancel()
        with self._writing:
            if clean:
                self._kept.remove()
            elif timer is not None:
                self._write()
        return self._kept.file.exists()

    def _work(self) -> None:
        """Writes the latest state, in a thread."""
        with self._turn:
            self._timer = None
        with self._writing:
            if self._ended:
                return
            was_unkept = self.unkept
            self._write()
        if self.unkept and not was_unkept:
            self._trouble(f"unsaved changes would not outlive a crash: {self.unkept}.")

    def _write(self) -> None:
        """Writes the latest state, or removes the file where there is none; where that fails, `unkept` says why."""
        self.unkept, unsaved = "", self._next
        if unsaved is None:
            self._kept.remove()
            return
        try:
            self._kept.write(self._record_of(*unsaved))
        except SessionError as error:
            self.unkept = str(error).removesuffix(".")
        except (ValueError, TypeError, RecursionError):
            self.unkept = "the session holds what no file can"

    def _record_of(self, session: Session, path: Path | None, number: int, seen: str | None) -> _Record:
        """Raises ValueError, TypeError or RecursionError for sessions that no file can hold."""
        self._texts = {id(one): self._texts.get(id(one)) or (one, _json_of(one)) for one in session.experiments}
        head = json_line({"dmlviz": VERSION, "title": session.title, **session.extra})
        joined = ",\n".join(text for _, text in (self._texts[id(one)] for one in session.experiments))
        return _Record(
            pid=os.getpid(),
            path=str(path.absolute()) if path is not None else None,
            number=number,
            folder=_text_of(session.folder),
            folders=[_text_of(experiment.folder) for experiment in session.experiments],
            session=f'{escaped(head)[:-1]}, "experiments": [{joined}]}}\n',
            seen=seen,
        )


def _json_of(experiment: Experiment) -> str:
    return escaped(json_line(dump_experiment(experiment.settled(keeps_missing=True))))


# ---- finding ----------------------------------------------------------------------------------------------------


class LostSession(Struct):
    """A session that nobody saved."""

    file: Path
    document: Document
    written: float
    """Seconds since 1970."""

    def discard(self) -> None:
        """Deletes the file."""
        with contextlib.suppress(OSError):
            self.file.unlink()


def folder() -> Path:
    """The folder of all recovery files."""
    return state_folder() / "recovery"


def find(where: Path | None = None) -> tuple[list[LostSession], list[str]]:
    """Sessions that explorers left behind, the newest first, and a sentence for each file that can't be read.

    A file that can't be read, or not whole, is set aside under another name: it is told of once. Never raises.
    """
    left_behind: list[LostSession] = []
    sentences: list[str] = []
    for file in (where or folder()).glob("*.json"):
        kept: Kept[_Record] = Kept(file, _Record)
        record, document, told = kept.read(), None, list[str]()
        if record is None:
            told += [kept.problem] if kept.problem else []
        elif _is_running(record.pid):
            continue
        else:
            try:
                document = _document_of(record, told)
            except (DmlvizError, ValueError) as error:
                told.append(str(error))
        if document is not None and not told and _is_saved(document):
            kept.remove()
        elif document is not None:
            left_behind.append(LostSession(file, document, (stamp_of(file) or (0, 0, 0))[0] / 1e9))
        if told:
            aside = file.with_suffix(ASIDE)
            try:
                if document is None:
                    os.replace(file, aside)
                else:  # going on with it leaves out what can't be read
                    write_whole(aside, read_regular(file))
                sentences.append(f"a session that wasn't saved is set aside as {plain(str(aside))}: {told[0]}")
            except OSError as error:
                sentences.append(f"{plain(str(file))}, which wasn't saved, can't be set aside: {reason_of(error)}.")
    return sorted(left_behind, key=lambda lost: -lost.written), sentences


def _document_of(record: _Record, told: list[str]) -> Document:
    """The document that was kept, and sentences about what is lost. Raises DmlvizError or ValueError for none."""
    folder, *folders = [Path(name) if name is not None else None for name in (record.folder, *record.folders)]
    data = record.session.encode()
    session, errors = parse(data, "the session that was kept", folder, missing=told, folders=folders)
    if not session.experiments:
        raise errors[0]
    told[:0] = map(str, errors)
    document = Document(session, Path(record.path) if record.path is not None else None, record.seen)
    document.number = min(max(record.number, 0), len(session.experiments) - 1)
    document.saved = None
    if document.path is not None:
        with contextlib.suppress(DmlvizError):
            document.saved = load(document.path)
    return document


def _is_saved(document: Document) -> bool:
    """True if a document's file holds all of its session, whatever is said there of how it is looked at."""
    return document.saved is not None and dump(document.session, views=False) == dump(document.saved, views=False)


def _is_running(process: int) -> bool:
    """True if another process of this number runs."""
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
