"""The question of the notes, where it is in sight at every size."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text
from textual import events
from textual.geometry import Size
from textual.message import Message

from ...scene.spans import Line, Span, Style
from ...session.notes import question_of
from ...workspace.shown.state import State
from ..lib.painted import LinePanel

MOST = 3
"""Lines of a question at most."""
MORE = " …  n reads on"
"""What a question ends with that has no room for all of it."""
SURE = 140
"""Columns of a question that has room for all of it on a screen of 80 columns."""


def is_whole(question: str) -> bool:
    """True if a question fits its lines on every screen of 80 columns or more."""
    return cell_len(question) <= SURE


class QuestionLine(LinePanel):
    """Shows a question in bold, in as many lines as it needs; nothing where there is none. A click reads the notes."""

    class Wanted(Message):
        """The notes are to be read."""

    question = ""

    def present(self, state: State) -> None:
        """Shows another state."""
        question = question_of(state.document.experiment.notes)
        if question != self.question:
            self.question = question
            self.set_class(bool(question), "on")
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self.lines(width, MOST))

    def lines(self, width: int, height: int) -> list[Line]:
        room = max(20, width - 2)
        texts = [text.plain.rstrip() for text in Text(self.question).wrap(Console(), room)]
        if len(texts) > MOST:
            last = set_cell_size(" ".join(texts[MOST - 1 :]), room - len(MORE)).rstrip()
            texts = [*texts[: MOST - 1], last + MORE]
        heads = [Span("? " if not k else "  ", Style("axis", strong=True)) for k in range(len(texts))]
        return [[head, Span(text, Style("title", strong=True))] for head, text in zip(heads, texts, strict=True)]

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(self.Wanted())


class LargeQuestion(QuestionLine):
    """A `QuestionLine` on a panel of its own, above the picture."""

    PANEL = "surface"
