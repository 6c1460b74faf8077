"""Opens a presentation over the explorer: the wall, or the speaker's screen, which stands here."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import Static

from ...errors import DmlvizError
from ...session.experiments import Session
from ...session.presentation_state import StateFile
from ...widgets.boards.presented_lines import notes_footer, notes_head, notes_lines
from ...widgets.lib.painted import DrawnLines, PanelLines
from ...workspace.wall.presenting import Presenting
from ...workspace.wall.wall_state import NotesState
from ..smallest import TOO_SMALL
from .presenting_screen import PresentingScreen
from .wall import Attend, WallScreen


class SpeakerScreen(PresentingScreen):
    """Shows what the room must not see, and follows the wall."""

    def __init__(self, presenting: Presenting) -> None:
        super().__init__(presenting)
        self.state: NotesState = presenting.notes
        self._head, self._footer = PanelLines(id="wall-head"), PanelLines(id="wall-footer")
        self._board = DrawnLines(id="wall-body")

    def compose(self) -> ComposeResult:
        yield self._head
        yield self._board
        yield Static(TOO_SMALL, id="wall-small")
        yield self._footer

    def show_now(self) -> None:
        self.present(self.presenting.notes)

    def present(self, state: NotesState) -> None:
        self.state = state
        self._head.show(lambda width, _: notes_head(state, width))
        self._board.show(partial(notes_lines, state))
        self._footer.show(lambda width, _: notes_footer(state, width))


def open_presentation(
    explorer: Screen[Any],
    session: Session,
    name: str | None,
    *,
    notes: bool = False,
    room: bool = False,
    begins: int | None = None,
    closed: Callable[[], object] | None = None,
    attend: Attend | None = None,
) -> None:
    """Opens the wall, for a `room` alone, or with `notes` the speaker's screen; or says why it can't be.

    `name` is what the state file is named after; None where nothing is to be kept. `begins` is an experiment's number,
    from 0; None goes on where the presentation stands. `closed` is called once it is left, or can't be opened. `attend`
    has a class on phones follow it.
    """
    kept = None
    with contextlib.suppress(RuntimeError):  # nobody knows the user's own folder
        kept = StateFile(name) if name is not None else None
    try:
        presenting = Presenting(session, time.time, kept=kept, begins=begins)
    except DmlvizError as error:
        explorer.notify(str(error), severity="error", markup=False)
        if closed is not None:
            closed()
        return
    if attend is None and not notes:  # a class that was held here before is over
        presenting.hear(None, joining=False)
    screen = SpeakerScreen(presenting) if notes else WallScreen(presenting, room=room, attend=attend)

    def left(_: None) -> None:
        if closed is not None:
            closed()

    explorer.app.push_screen(screen, left)
