"""What the wall and the speaker's screen have in common: their keys, and the time that passes; and the speaker's."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from textual import events
from textual.actions import parse
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.reactive import reactive
from textual.widgets import Static

from ...widgets.boards.presented_lines import keys_line, notes_head, notes_lines
from ...widgets.lib.painted import DrawnLines, PanelLines
from ...widgets.lib.textual_private import bindings_of
from ...widgets.picture.picture_pane import PicturePane
from ...workspace.wall.presented_item import LETTERS
from ...workspace.wall.wall_desk import WallDesk
from ...workspace.wall.wall_state import WallState
from ..page import TOO_SMALL
from ..picture_screen import PicturePage

TICK = 0.05
"""Seconds after which the other screen is looked at: a hand is slower than that."""


class PresentedPage(PicturePage[None]):
    """Each key goes to one method of `WallDesk`."""

    CSS_PATH = "present.tcss"
    has_palette = False
    """`?` lists the keys, and Textual's own commands aren't for a room."""
    desk: WallDesk
    state: reactive[WallState]

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pagedown,n", "do('forward')", "on: question, steps, answer, next experiment", id="present.forward"),
        Binding("pageup,N", "do('back')", "back, the same way", id="present.back"),
        Binding("r", "do('reveal')", "reveal: the answer, and the hands", id="present.reveal"),
        *(
            Binding(k, f"do('type_number', ('{k}',))", "hands for an answer: type how many", id=f"present.hands-{k}")
            for k in LETTERS
        ),
        Binding("g", "do('type_number', ('g',))", "go to an experiment: its number, then enter", id="present.go-to"),
        Binding("v", "do('second_vote')", "count the second vote, or the first again", id="present.second-vote"),
        Binding("p,space", "do('play')", "play the steps, or stop", id="present.play"),
        Binding("full_stop", "do('step', (1,))", "a step on", id="present.step"),
        Binding("comma", "do('step', (-1,))", "a step back", id="present.step-back"),
        Binding("k", "do('black')", "black, until any of page up, page down and k", id="present.black"),
        Binding("Z", "do('clean')", "twice: begin anew, without hands, at time 0", id="present.clean"),
        Binding("enter", "do('enter')", "the number is whole", id="present.enter"),
        Binding("question_mark", "keys", "these keys", id="present.keys"),
        Binding("escape", "leave(True)", "type no more, or leave", id="present.escape"),
        Binding("q", "leave(False)", "leave; it goes on here the next time", id="present.leave"),
    ]

    def __init__(self, desk: WallDesk) -> None:
        super().__init__(desk)
        self.pane = PicturePane(id="wall-picture")
        self._head, self._footer = PanelLines(id="wall-head"), PanelLines(id="wall-footer")
        self._small = Static(TOO_SMALL, classes="too-small")

    def on_mount(self) -> None:
        super().on_mount()
        self.set_interval(TICK, self._tick)

    def _fit(self) -> None:
        """The wall is laid out as soon as it is shown: what it says decides which room the picture has."""

    def on_mouse_down(self) -> None:
        """What plays goes on: it is a talk's."""

    def on_key(self, event: events.Key) -> None:
        if self.desk.typed and event.character is not None and event.character in "0123456789":
            event.stop()
            event.prevent_default()
            self.action_do("type_number", (event.character,))

    def action_do(self, name: str, given: tuple[Any, ...] = ()) -> None:
        self.desk.follow()  # what the other screen did comes first
        super().action_do(name, given)

    def action_keys(self) -> None:
        """Lists the keys of this screen."""
        from .key_list import KeyList

        self.app.push_screen(KeyList(one for one in bindings_of(self) if self.check_action(*parse(one.action)[1:])))

    def action_leave(self, gives_up: bool) -> None:
        """Leaves; with `gives_up`, where a number is being typed, gives up that alone."""
        if gives_up and self.desk.typed:
            self.action_do("cancel")
        else:
            self.close(None)


class SpeakerPage(PresentedPage):
    """Shows what the room must not see, and follows the wall."""

    def __init__(self, desk: WallDesk) -> None:
        desk.has_notes = True
        super().__init__(desk)
        self._notes = DrawnLines(id="wall-notes")

    def compose(self) -> ComposeResult:
        yield from (self._head, self._notes, self._small, self._footer)

    def present(self, state: WallState) -> None:
        self._head.show(lambda width, _: notes_head(state, width))
        self._notes.show(partial(notes_lines, state))
        self._footer.show(lambda width, _: keys_line(state, width, speaker=True))
