"""How phones join a class, over the wall; and over the speaker's screen, the way to the instructor's own phone."""

from __future__ import annotations

from functools import partial

from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import Screen
from textual.widgets import Static

from ...scene.spans import WARN, Line, Span, fitting
from ...widgets.boards.join_lines import host_lines, join_head, join_lines
from ...widgets.boards.presented_lines import keys_line
from ...widgets.lib.painted import DrawnLines, Ground, PanelLines
from ...workspace.wall.presented_item import Item
from ...workspace.wall.wall_state import WallState
from ..smallest import TOO_SMALL, mark_tiny

LEAVES = "pagedown,pageup,n,N,space,J,escape,enter,q,right,left,down,up"
"""Whatever one presses to go on, or back: a clicker has no other key."""


class CodeScreen(Screen[None], Ground):
    """A head, a code with its words, and a footer; any of `LEAVES` closes it."""

    CSS_PATH = "present.tcss"
    AUTO_FOCUS = ""
    has_palette = False
    BINDINGS = [Binding(LEAVES, "leave", "Close", show=False, id="present-code.close")]

    def __init__(self) -> None:
        super().__init__()
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

    def show_now(self) -> None:
        """Shows what it is a code of."""
        raise NotImplementedError

    def action_leave(self) -> None:
        if self.app.screen_stack[-1] is self:
            self.dismiss(None)

    def on_click(self) -> None:
        self.action_leave()


class JoinScreen(CodeScreen):
    """How phones join, and how many have."""

    def __init__(self, state: WallState) -> None:
        super().__init__()
        self.state = self._known = state

    def present(self, state: WallState) -> None:
        """Shows how the class stands now; leaves where the other screen has gone on."""
        stood, self.state = _stand(self.state), state
        self._known = state if state.room is not None else self._known  # the way in stays the same while it is away
        if stood != _stand(state) or (state.room is None and not state.away):
            self.action_leave()
        elif self.is_mounted:
            self.show_now()

    def show_now(self) -> None:
        state = self.state
        self._head.show(lambda width, _: join_head(state, width))
        self._board.show(partial(join_lines, self._known))
        keys = [("pgdn", "to the questions")]
        self._footer.show(lambda width, _: keys_line(keys, width, ()))


def _stand(state: WallState) -> tuple[object, ...]:
    return state.heading.number, state.build, state.black


class HostScreen(CodeScreen):
    """The way to the instructor's own phone, which the room must not see."""

    def __init__(self, link: str, item: Item) -> None:
        super().__init__()
        self._link, self._item = link, item

    def show_now(self) -> None:
        self._head.show(self._head_lines)
        self._board.show(partial(host_lines, self._link, self._item))
        self._footer.show(lambda width, _: keys_line([("J", "close")], width, ()))

    def _head_lines(self, width: int, _: int) -> list[Line]:
        return [fitting([Span(self._item.say("present.room_host_head"), WARN)], width)]
