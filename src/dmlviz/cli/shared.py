"""What the commands share: exit codes, sentences on stderr, and the files that they are given."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TextIO

from ..errors import DmlvizError, SessionError, plain, quote

if TYPE_CHECKING:
    from ..opening import Found
    from ..session.experiments import Experiment, Session

MOST_IGNORED = 5
"""Places of an imported file that are said to be ignored where it is not the import that was asked for."""
FINE, INVALID, UNREADABLE = 0, 1, 2
"""Exit codes: fine; a desc is invalid; wrong usage, or a file that can't be read or written."""
OF_REPORT = {True: FINE, None: UNREADABLE, False: INVALID}
"""The exit code for a report, by its `ok`."""
JOINERS = "\u200c\u200d"
FAULT = 70
"""The exit code of a fault of the program's own, which is no verdict: EX_SOFTWARE of sysexits.h."""


def worst(codes: Iterable[int]) -> int:
    """The exit code of several: a desc that is known to be broken outweighs what couldn't be read or checked."""
    distinct = set(codes)
    return next((code for code in (INVALID, UNREADABLE) if code in distinct), FINE)


def shown(text: str) -> str:
    """A line without what a terminal would act on; joiners are of names in many languages."""
    return "".join(c if c.isprintable() or c in JOINERS else "\N{REPLACEMENT CHARACTER}" for c in text)


def say(said: str) -> None:
    say_plainly(f"dmlviz: {shown(said)}")


def say_plainly(text: str) -> None:
    """Prints lines on stderr. Where nothing can be written there, the exit code tells the verdict all the same."""
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        drop(sys.stderr)


def shown_word(word: str) -> str:
    """A word that names a file, as sentences call it."""
    from ..session.tokens import is_token

    if word == "-":
        return "standard input"
    if is_token(word):
        return "the token"
    return plain(word)


def require_free(file: str, *, force: bool) -> None:
    """Raises SessionError for a file that is there already, unless by `force`."""
    if os.path.exists(file) and not force:
        raise SessionError(f"{plain(file)} exists already, expected another name, or --force, which replaces it.")


def count_of(count: int, what: str) -> str:
    """`1 desc`, `2 descs`."""
    return f"{count:,} {what}{'s' * (count != 1)}"


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


def read_session(word: str, dims: Mapping[str, int] | None = None) -> tuple[Session, int]:
    """The session that a word names, without experiments where nothing can be read, and the exit code.

    stderr tells why. `dims` are sizes for a model's free dimensions.
    """
    from .. import opening  # `--help` needs nothing of it
    from ..session.experiments import Session

    try:
        source = opening.find(word, dims=dims)
    except DmlvizError as error:
        say(str(error))
        return Session(()), UNREADABLE
    code = say_about(source)
    return source.session, UNREADABLE if any(remark.unchecked for remark in source.remarks) else code


def say_failed(word: str, one: Experiment, error: DmlvizError) -> int:
    """Says why an experiment of what a word names couldn't run; gives the exit code."""
    say(f"{shown_word(word)}: experiment {quote(one.name)}: {error}")
    return INVALID if one.check().ok is False else UNREADABLE


def find_whole(word: str, one: str | None, **how: Any) -> Found:
    """What a word names, or of it the experiment of that name. Raises SessionError where not all can be read."""
    from .. import opening

    source = opening.find(word, **how)
    if say_about(source) and one is None:
        raise SessionError(f"{source.shown} can't be read whole, expected --experiment NAME for one that can be read.")
    return source


def say_about(source: Found, *, taken: bool = False) -> int:
    """Says what couldn't be read, and what was left out, with `taken` also what was not; gives the exit code."""
    for said in sentences_about(source, taken=taken):
        say(said)
    return UNREADABLE if source.errors else FINE


def sentences_about(source: Found, *, taken: bool = False, apart: bool = False) -> list[str]:
    """What `say_about` says. Where `apart`, what is not checked of an experiment is left out: its report tells that."""
    shown = source.shown
    remarks = [r for r in source.remarks if not (apart and r.unchecked and r.experiment is not None)]
    if not taken:
        remarks = sorted((r for r in remarks if not r.taken), key=lambda remark: not remark.unchecked)
    most = len(remarks) if taken else MOST_IGNORED
    said = [
        f"{shown}{', ' * bool(remark.where)}{remark.where}: {remark.kind}: {remark.text}" for remark in remarks[:most]
    ]
    if len(remarks) > most:
        said.append(f"{shown}: {len(remarks) - most:,} more ignored; `dmlviz import` lists all.")
    said += [f"{shown}: {line}" for line in source.session.told.values()]
    return [*said, *map(str, source.errors)]


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
