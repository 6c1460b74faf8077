"""The last page of a lesson: enter goes on to the next one, m tries what was missed again, a all, h hands in."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import Static

from ...teaching.words.catalogue import sentence
from ...widgets.bars.footer_line import StateFooter
from ...widgets.boards.end_board import EndBoard
from ...workspace.lessons.lesson_end import LessonEnd
from ..smallest import TOO_SMALL, mark_tiny

NEXT, AGAIN, ANEW, MAP, HAND_IN = "next", "again", "anew", "map", "hand-in"


class LessonEndScreen(Screen[str]):
    """Shows a lesson's end; it is dismissed with what is to come: `NEXT`, `AGAIN`, `ANEW` or `MAP`."""

    CSS_PATH = "learn.tcss"
    AUTO_FOCUS = "#end-board"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose('next')", "next lesson", key_display="enter", id="ending.next"),
        Binding("m", "choose('again')", "the missed again", id="ending.again"),
        Binding("escape", "choose('map')", "map", key_display="esc", id="ending.leave"),
        Binding("a", "choose('anew')", "all of it again", id="ending.anew"),
        Binding("h", "choose('hand-in')", "hand in", id="ending.hand-in"),
        Binding("question_mark,f1", "help", "help", key_display="?", id="app.keys", priority=True),
    ]

    def __init__(self, end: LessonEnd, hands_in: Callable[[], object]) -> None:
        """`hands_in` asks for a name and a file, and writes what was answered."""
        super().__init__()
        self.end, self._hands_in = end, hands_in
        self._board, self._footer = EndBoard(end, id="end-board"), StateFooter[LessonEnd](id="end-footer")

    def compose(self) -> ComposeResult:
        yield Static(f"dmlviz  {sentence('end.head')}", id="end-head", markup=False)
        yield self._board
        yield Static(TOO_SMALL, classes="too-small")
        yield self._footer

    def on_mount(self) -> None:
        self.app.theme_changed_signal.subscribe(self, lambda _: self._board.refresh(recompose=True))

    def on_resize(self) -> None:
        mark_tiny(self)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return parameters != (AGAIN,) or self.end.missed > 0

    def action_choose(self, name: str) -> None:
        """Closes with what is to come; without a next lesson enter leads to the map."""
        if name == HAND_IN:
            self._hands_in()
        elif self.app.screen_stack[-1] is self:
            self.dismiss(MAP if name == NEXT and not self.end.following else name)

    def action_help(self) -> None:
        """Tells what is done here, and what each sign means."""
        from ..dialogs.help import learn_help

        self.app.push_screen(learn_help(self, self._footer, "end"))
