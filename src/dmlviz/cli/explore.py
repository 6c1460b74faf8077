"""`dmlviz [FILE | EXAMPLE | TOKEN | -]`: the explorer."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import SessionError, ValuesError, plain
from .shared import count_of, progress

if TYPE_CHECKING:
    from ..opening import Found
    from ..session.experiments import Session
    from ..workspace.wall.wall_desk import WallDesk


def run(
    argv: list[str],
    learns: Callable[[Session], str] | None = None,
    presents: str = "",
    attend: Callable[[WallDesk], Awaitable[None]] | None = None,
) -> int:
    """Opens the explorer on the session that a word names; without one, on the last session or an example.

    `learns` has the course map opened over it: it says which lesson of it, "" for none, and may refuse the session.
    `presents` is "wall" or "notes" for a presentation of the session, whose screen that is; `attend` has a class on
    phones follow it.
    """
    # What is imported stays; the app turns it on again after the first frame.
    gc.disable()
    try:
        return _open_explorer(argv, learns, presents, attend)
    finally:
        gc.enable()


def _open_explorer(
    argv: list[str],
    learns: Callable[[Session], str] | None,
    presents: str,
    attend: Callable[[WallDesk], Awaitable[None]] | None,
) -> int:
    from .. import opening
    from ..session import recent_files
    from ..session.document import Document

    # `serve` has started a tab's program.
    in_tab = os.environ.get("TEXTUAL_DRIVER", "").endswith((":WebDriver", ":TabDriver"))
    files = not in_tab or os.environ.get("DMLVIZ_FILES") == "1"
    if not argv:
        try:
            opened = recent_files.Recent().last() if files else recent_files.first()
        except RuntimeError:  # nobody knows the user's own folder; the app says so
            opened = recent_files.first()
    else:
        # A large file takes seconds, before there is a screen that could say so; nobody knows when a pipe ends.
        waits = argv[0] != "-" and not in_tab
        with progress(f"reading {plain(argv[0], 60)}") if waits else contextlib.nullcontext():
            source = opening.find(argv[0]).whole()
        if argv[0] == "-":
            _take_terminal()
        opened = Document(source.session, source.path, source.seen, example=source.example)
        opened.notice = _notice(source)
        if not source.saved:
            opened.saved = None
    begins = learns(opened.session) if learns is not None else None
    name = presentation_name(opened.path, opened.example, argv[0]) if presents else ""
    if not in_tab and not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        raise SessionError(
            "the explorer needs a terminal, found standard input or output redirected; "
            "`dmlviz check FILE` and `dmlviz run FILE` work without one."
        )
    if hasattr(signal, "SIGHUP"):
        # Under nohup it would outlive its terminal, with nobody to see it.
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    from ..app import explore

    if not files:
        from ..desc import npy_files

        npy_files.allowed = frozenset(_npy_files(opened.session))
    first = None
    if presents:
        from ..screens.present.wall import open_presentation

        first = partial(open_presentation, name=name, notes=presents == "notes", attend=attend)
    return explore(opened, files=files, learns=begins, welcomes=not argv and not in_tab, presents=first)


def presentation_name(path: Path | None, example: str | None, word: str) -> str:
    """The name of a presentation's state file: that of its path or example, else `word`."""
    from ..session import presentation_state
    from ..session.tokens import is_token

    return presentation_state.name_of(path, example) or (word if is_token(word) else os.path.abspath(word))


def _npy_files(session: Session) -> Iterator[Path]:
    """The .npy files that a session names."""
    from ..desc.npy_files import locate
    from ..desc.value_sources import Npy

    for one in session.experiments:
        for path, source in one.values.items():
            if isinstance(source, Npy):
                with contextlib.suppress(ValuesError):
                    yield locate(source.file, path, one.folder)


def _notice(source: Found) -> str:
    """How much of an imported session was taken, and what was left out; "" where nothing was."""
    left = [remark for remark in source.remarks if remark.left]
    if not left:
        return ""
    first = "; ".join(f"{remark.where}: {remark.text}".removeprefix(": ").rstrip(".") for remark in left[:3])
    more = f" and {len(left) - 3} more" if len(left) > 3 else ""
    count = count_of(len(source.session.experiments), "experiment")
    return f"imported {count} from {source.shown}, ignored {first}{more}."


def _take_terminal() -> None:
    """Puts the terminal in the place of standard input, which has been read to its end."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR)
    except OSError:
        raise SessionError("the explorer needs a terminal, found none at standard input.") from None
    os.dup2(terminal, sys.stdin.fileno())
