"""What the commands share: exit codes, sentences on stderr, and the files that they are given."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TextIO

from ..errors import DmlvizError, SessionError, plain, quote

if TYPE_CHECKING:
    from pathlib import Path

    from ..opening import Found
    from ..session.experiments import Experiment, Session
    from ..session.settings import Settings
    from ..teaching.lessons.lessons import Lesson
    from ..teaching.progress.progress import Answered

MOST_IGNORED = 5
"""Places of an imported file that are said to be ignored where it is not the import that was asked for."""
FINE, INVALID, UNREADABLE = 0, 1, 2
"""Exit codes: fine; a desc is invalid; wrong usage, or a file that can't be read or written."""
OF_REPORT = {True: FINE, None: UNREADABLE, False: INVALID}
"""The exit code for a report, by its `ok`."""
FAULT = 70
"""The exit code of a fault of the program's own, which is no verdict: EX_SOFTWARE of sysexits.h."""


def worst(codes: Iterable[int]) -> int:
    """The exit code of several: a desc that is known to be broken outweighs what couldn't be read or checked."""
    distinct = set(codes)
    return next((code for code in (INVALID, UNREADABLE) if code in distinct), FINE)


def say(sentence: str) -> None:
    """Prints one line on stderr, without what a terminal would act on."""
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in sentence)
    say_plainly(f"dmlviz: {shown}")


def say_plainly(text: str) -> None:
    """Prints lines on stderr. Where nothing can be written there, the exit code tells the verdict all the same."""
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        drop(sys.stderr)


def hand_in(file: Path, name: str, lesson: Lesson | None, answers: Iterable[Answered]) -> None:
    """Writes answers, of a lesson those to its tasks, to be handed in. Raises SessionError."""
    from ..teaching.lessons.handing_in import hand_in_of
    from ..teaching.progress.hand_ins import HandIn

    handed_in = hand_in_of(lesson, answers, name) if lesson is not None else HandIn(name=name, answers=tuple(answers))
    handed_in.write(file)
    say(f"{handed_in.summary} in {plain(str(file))}, to be handed in.")


def drop(stream: TextIO) -> None:
    """Leads a stream nowhere, so that what is buffered for it fails no more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def write_out(content: str | bytes, kind: str) -> None:
    """Writes a file's content to standard output. Raises SessionError for bytes where that is a terminal."""
    if isinstance(content, str):
        sys.stdout.write(content)
        return
    if sys.stdout.isatty():
        raise SessionError(f"a {kind} file is no text for a terminal, expected -o F, or standard output redirected.")
    sys.stdout.flush()
    sys.stdout.buffer.write(content)


def write_session(session: Session, output: str | None, *, force: bool) -> None:
    """Writes a session to a file, or to standard output where that is None or -; says how many experiments.

    Raises SessionError for a file that is there already, unless by `force`, and where .npy files belong beside it.
    """
    from ..desc.value_sources import Npy
    from ..session.writing import dump, save

    if output is None or output == "-":
        entries = (entry for one in session.experiments for entry in one.values.values())
        if files := sorted({entry.file for entry in entries if isinstance(entry, Npy)}):
            raise SessionError(f"the session needs {plain(files[0])} beside it, expected -o F to say where.")
        sys.stdout.write(dump(session))
        return
    if os.path.exists(output) and not force:
        raise SessionError(f"{plain(output)} exists already, expected another name, or --force, which replaces it.")
    save(session, output)
    count = len(session.experiments)
    say(f"wrote {plain(output)}: {count} experiment{'s' * (count != 1)}.")


def read(word: str, dims: Mapping[str, int] | None = None) -> tuple[tuple[Experiment, ...], int]:
    """The experiments that a word names, and the exit code of those that can't be read or checked.

    `dims` are sizes for a model's free dimensions. Sentences on stderr say which can't be read, and what an import left
    out.
    """
    session, code = read_session(word, dims)
    return session.experiments if session is not None else (), code


def read_session(word: str, dims: Mapping[str, int] | None = None) -> tuple[Session | None, int]:
    """The session that a word names, None where nothing can be read, and the exit code; stderr tells why."""
    from .. import opening  # `--help` needs nothing of it

    try:
        source = opening.find(word, dims=dims)
    except DmlvizError as error:
        say(str(error))
        return None, UNREADABLE
    code = say_about(source)
    return source.session, UNREADABLE if any(remark.unchecked for remark in source.remarks) else code


def user_settings() -> Settings:
    """The user's settings; sentences on stderr say what can't be used of them."""
    from ..session.settings import Store, default_file

    store = Store(default_file())
    for sentence in store.sentences:
        say(sentence)
    return store.settings


def say_about(source: Found, *, taken: bool = False) -> int:
    """Says what couldn't be read, and what was left out, with `taken` also what was not; gives the exit code."""
    sentences, code = sentences_about(source, taken=taken)
    for sentence in sentences:
        say(sentence)
    return code


def sentences_about(source: Found, *, taken: bool = False, apart: bool = False) -> tuple[list[str], int]:
    """What `say_about` says, and the exit code.

    Where `apart`, what is not checked of an experiment is left out: its report tells that.
    """
    said: list[str] = []
    remarks = sorted((r for r in source.remarks if taken or not r.taken), key=lambda r: not (taken or r.unchecked))
    if apart:
        remarks = [remark for remark in remarks if not remark.unchecked or remark.experiment is None]
    for remark in remarks if taken else remarks[:MOST_IGNORED]:
        where = f"{source.shown}, {remark.where}" if remark.where else source.shown
        said.append(f"{where}: {remark.kind}: {remark.text}")
    if not taken and len(remarks) > MOST_IGNORED:
        said.append(f"{source.shown}: {len(remarks) - MOST_IGNORED:,} more ignored; `dmlviz import` tells all.")
    said += [f"{source.shown}: {sentence}" for sentence in source.session.told.values()]
    said += [
        f"{source.shown}: experiment {quote(experiment.name)}: note: {sentence}"
        for experiment in source.session.experiments
        for sentence in experiment.view.notes
    ]
    return [*said, *map(str, source.errors)], UNREADABLE if source.errors else FINE


@contextlib.contextmanager
def progress(what: str) -> Iterator[None]:
    """Says on stderr what is going on once it has taken a second, and every few seconds from then on."""
    done = threading.Event()
    started = time.monotonic()

    def watch() -> None:
        wait = 1.0
        while not done.wait(wait):
            say(f"{what} … {time.monotonic() - started:.0f} s")
            wait = 4.0

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
