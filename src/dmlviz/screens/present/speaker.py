"""The speaker's screen: what comes next, the rule behind each answer, hands, notes and time."""

from __future__ import annotations

from functools import partial

from textual.app import ComposeResult
from textual.widgets import Static

from ...scene.spans import Line
from ...widgets.boards.presented_lines import notes_footer, notes_head, notes_lines
from ...widgets.lib.drawn_lines import DrawnLines, PanelLines
from ...workspace.wall.presenting import Presenting
from ...workspace.wall.wall_state import NotesState
from ..smallest import TOO_SMALL
from .presenting_screen import PresentingScreen


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
        """Shows the speaker's screen as it stands."""
        self.present(self.presenting.notes)

    def present(self, state: NotesState) -> None:
        """Hands a state to every panel."""
        self.state = state
        self._head.show(partial(_head, state))
        self._board.show(partial(notes_lines, state))
        self._footer.show(partial(_footer, state))


def _head(state: NotesState, width: int, height: int) -> list[Line]:
    return notes_head(state, width)


def _footer(state: NotesState, width: int, height: int) -> list[Line]:
    return notes_footer(state, width)
