"""How phones join a class, over the wall."""

from __future__ import annotations

from functools import partial

from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import Screen
from textual.widgets import Static

from ...widgets.boards.join_lines import join_head, join_lines
from ...widgets.boards.presented_lines import keys_line
from ...widgets.lib.painted import DrawnLines, PanelLines
from ...workspace.wall.wall_state import WallState
from ..smallest import TOO_SMALL, mark_tiny

LEAVES = "pagedown,pageup,n,N,space,J,escape,enter,q,right,left,down,up"
"""Whatever one presses to go on, or back: a clicker has no other key."""


class JoinScreen(Screen[None]):
    """A code with its words, and how many have joined; any of `LEAVES` closes it."""

    CSS_PATH = "present.tcss"
    AUTO_FOCUS = ""
    has_palette = False
    BINDINGS = [Binding(LEAVES, "leave", "Close", show=False, id="present-code.close")]

    def __init__(self, state: WallState) -> None:
        super().__init__()
        self.state = state
        self._head, self._footer = PanelLines(id="wall-head"), PanelLines(id="wall-footer")
        self._board = DrawnLines(id="wall-body")

    def compose(self) -> ComposeResult:
        yield self._head
        yield self._board
        yield Static(TOO_SMALL, id="wall-small")
        yield self._footer

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, lambda _: self.show_now())
        self.on_resize()

    def on_resize(self) -> None:
        mark_tiny(self)
        self.show_now()

    def present(self, state: WallState) -> None:
        """Shows how the class stands now; leaves where somebody has gone on."""
        self.state = state
        if not state.joining:
            self.action_leave()
        elif self.is_mounted:
            self.show_now()

    def show_now(self) -> None:
        """Shows how to join."""
        state = self.state
        self._head.show(lambda width, _: join_head(state, width))
        self._board.show(partial(join_lines, state))
        self._footer.show(lambda width, _: keys_line([("pgdn", "to the questions")], width, ()))

    def action_leave(self) -> None:
        if self.app.screen_stack[-1] is self:
            self.dismiss(None)

    def on_click(self) -> None:
        self.action_leave()
