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
from ..formats.json_text import escaped, json_line, laid_out
from ..formats.regular_files import read_regular
from .document import Document
from .experiments import Experiment, Session
from .kept import Kept
from .reading import VERSION, load, parse
from .whole_files import ASIDE, state_folder, write_whole
from .writing import dump, dump_experiment

DELAY = 0.3
"""Seconds that edits are gathered for before they are written."""
AGAIN = 2.0
"""Seconds after which what couldn't be written is tried again: a full disk may have got room."""


class Unsaved(Struct, frozen=True):
    """What is worth keeping of a document that is being edited."""

    session: Session
    path: Path | None
    number: int
    seen: str | None = None
    """What the file held when it was read; see `Document.seen`."""


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


class Texts:
    """The JSON of sessions of which each comes from the one before: an edit costs what it has changed."""

    def __init__(self) -> None:
        self._texts_by_id: dict[int, tuple[Experiment, str]] = {}
        """By `id` of an experiment, which is held as well, so that no other has its number."""

    def of(self, session: Session) -> str:
        """The JSON of a session. Raises ValueError, TypeError or RecursionError for what no file can hold."""
        experiments = session.experiments
        self._texts_by_id = {id(one): self._texts_by_id.get(id(one)) or (one, _json_of(one)) for one in experiments}
        head = laid_out({"dmlviz": VERSION, "title": session.title, **session.extra}, wide=sys.maxsize)
        joined = ",\n".join(self._texts_by_id[id(one)][1] for one in experiments)
        return f'{escaped(head)[:-1]}, "experiments": [{joined}]}}\n'


def _json_of(experiment: Experiment) -> str:
    return escaped(json_line(dump_experiment(experiment.settled(keeps_missing=True))))


def _record_of(unsaved: Unsaved, texts: Texts) -> _Record:
    """Raises ValueError, TypeError or RecursionError for sessions that no file can hold."""
    session, path = unsaved.session, unsaved.path
    return _Record(
        pid=os.getpid(),
        path=str(path.absolute()) if path is not None else None,
        number=unsaved.number,
        folder=_text_of(session.folder),
        folders=[_text_of(experiment.folder) for experiment in session.experiments],
        session=texts.of(session),
        seen=unsaved.seen,
    )


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
        self._next: Unsaved | None = None
        self._timer: threading.Timer | None = None
        self._texts = Texts()
        self._ended = self._told = False
        self.unkept = ""
        """Why the latest state isn't kept; "" where it is."""
        self._turn = threading.Lock()
        self._writing = threading.Lock()

    def keep(self, unsaved: Unsaved | None) -> None:
        """Writes a state soon; None stands for one that needs no keeping, and the file goes."""
        with self._turn:
            self._next = unsaved
            self._start(DELAY)

    def _start(self, delay: float) -> None:
        if self._timer is None and not self._ended:
            self._timer = threading.Timer(delay, self._work)
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
            timer, self._timer = self._timer, None
            was_ended, self._ended = self._ended, True
        if was_ended:
            return False
        if timer is not None:
            timer.cancel()
        with self._writing:
            if clean:
                self._kept.remove()
            elif timer is not None:
                self._write(self._next)
        return self._kept.file.exists()

    def _work(self) -> None:
        """Writes the latest state, in a thread, and again after a while where that can't be done."""
        with self._turn:
            unsaved, self._timer = self._next, None
        with self._writing:
            if self._ended:
                return
            may_be_later = self._write(unsaved)
        with self._turn:
            if may_be_later:
                self._start(AGAIN)
        told, self._told = self._told, bool(self.unkept)
        if self.unkept and not told:
            self._trouble(f"unsaved changes would not outlive a crash: {self.unkept}.")

    def _write(self, unsaved: Unsaved | None) -> bool:
        """Writes a state, or removes the file for None; True if writing failed and may go later, `unkept` says why."""
        self.unkept = ""
        if unsaved is None:
            self._kept.remove()
            return False
        try:
            self._kept.write(_record_of(unsaved, self._texts))
        except SessionError as error:
            self.unkept = str(error).removesuffix(".")
            return True
        except (ValueError, TypeError, RecursionError):
            self.unkept = "the session holds what no file can"
        except MemoryError:
            self.unkept = "memory ran out"
            return True
        return False


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

    A file that can't be read is set aside under another name: it is told of once. Never raises.
    """
    left_behind: list[LostSession] = []
    sentences: list[str] = []
    for file in (where or folder()).glob("*.json"):
        try:
            lost, sentence = _lost_in(file)
        except OSError as error:
            lost, sentence = None, f"{plain(str(file))}, which wasn't saved, can't be set aside: {reason_of(error)}."
        left_behind += [lost] if lost is not None else []
        sentences += [sentence] if sentence else []
    return sorted(left_behind, key=lambda lost: -lost.written), sentences


def _lost_in(file: Path) -> tuple[LostSession | None, str]:
    """A file's unsaved session or None, and what can't be read, or "". Raises OSError for what can't be set aside."""
    kept: Kept[_Record] = Kept(file, _Record)
    record, why, missing = kept.read(), kept.problem, list[str]()
    if record is not None:
        if _is_running(record.pid):
            return None, ""
        try:
            document, errors = _document_of(record, missing)
        except (DmlvizError, ValueError) as error:
            record, why = None, str(error)
    if record is None:
        if not why:
            return None, ""  # another explorer has taken it
        aside = file.with_suffix(ASIDE)
        os.replace(file, aside)
        return None, f"a session that wasn't saved is damaged and set aside as {plain(str(aside))}: {why}"
    lost = LostSession(file, document, file.stat().st_mtime)
    if not errors and _is_saved(document):
        lost.discard()
        return None, ""
    if not errors and not missing:
        return lost, ""
    what = str(errors[0]) if errors else f"{missing[0]} It is filled by default."  # going on with it leaves that out
    aside = file.with_suffix(ASIDE)
    write_whole(aside, read_regular(file))
    return lost, f"{what} All of it is set aside as {plain(str(aside))}."


def _document_of(record: _Record, missing: list[str]) -> tuple[Document, list[SessionError]]:
    """The document that was kept, and an error for each experiment that is lost; `missing` gets .npy files' sentences.

    Raises DmlvizError or ValueError where there is no document.
    """
    folder, *folders = [Path(name) if name is not None else None for name in (record.folder, *record.folders)]
    data = record.session.encode()
    session, errors = parse(data, "the session that was kept", folder, missing=missing, folders=folders)
    if not session.experiments:
        raise errors[0]
    document = Document(session, Path(record.path) if record.path is not None else None, record.seen)
    document.number = min(max(record.number, 0), len(session.experiments) - 1)
    document.saved = None
    if document.path is not None:
        with contextlib.suppress(DmlvizError):
            document.saved = load(document.path)
    return document, errors


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
