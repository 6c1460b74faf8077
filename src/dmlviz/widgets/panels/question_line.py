"""The question of the notes, where it is in sight at every size."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text
from textual import events
from textual.geometry import Size
from textual.message import Message

from ...scene.spans import PLAIN, Line, Span, Style
from ...session.notes import question_of
from ...workspace.shown.state import State
from ..lib.painted import LinePanel

MOST, NARROW = 3, 76
"""Lines of a question at most, and the columns below which there is one more."""
MARK = "? "
"""What stands before a question."""
MORE = " …  n reads on"
"""What a question ends with that has no room for all of it."""
SURE = 140
"""Columns of a question that is never cut: any two lines of it together are wider than the 76 that one has at least.

On a screen of less than 80 columns one of very long words may be.
"""


def is_whole(question: str) -> bool:
    """True if a question fits its lines on every screen of 80 columns or more."""
    return cell_len(question) <= SURE


def question_lines(question: str, width: int) -> list[str]:
    """A question in up to `MOST` lines of `width` columns, of about one length; the last says if there is more."""
    most = MOST if width >= NARROW else MOST + 1
    lines = _wrapped(question, width)
    if len(lines) <= most:
        while width > 1 and len(lines) > 1 and len(closer := _wrapped(question, width - 1)) == len(lines):
            lines, width = closer, width - 1
            if max(map(cell_len, lines)) > width:
                break  # a word that is longer than a line
        return lines
    rest = " ".join(lines[most - 1 :])
    return [*lines[: most - 1], set_cell_size(rest, max(0, width - cell_len(MORE))).rstrip() + MORE]


def _wrapped(question: str, width: int) -> list[str]:
    return [line.plain.rstrip() for line in Text(question).wrap(Console(), width)]


class QuestionLine(LinePanel):
    """Shows a question in bold, in as many lines as it needs; nothing where there is none. A click reads the notes."""

    class Wanted(Message):
        """The notes are to be read."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.question = ""
        self._notes: str | None = None

    def present(self, state: State) -> None:
        """Shows another state."""
        notes = state.document.experiment.notes
        if notes is not self._notes:
            self._notes = notes
            self.show(question_of(notes))

    def show(self, question: str) -> None:
        """Shows another question; "" for none."""
        self.set_class(bool(question), "on")
        if question != self.question:
            self.question = question
            self.refresh(layout=True)
            self.redraw()

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(question_lines(self.question, max(1, width - len(MARK))))

    def lines(self, width: int, height: int) -> list[Line]:
        lines = question_lines(self.question, max(1, width - len(MARK)))
        heads = [Span(MARK, Style("axis", strong=True)), *[Span(" " * len(MARK), PLAIN)] * (len(lines) - 1)]
        return [[head, Span(line, Style("title", strong=True))] for head, line in zip(heads, lines, strict=True)]

    def on_click(self, event: events.Click) -> None:
        event.stop()
        self.post_message(self.Wanted())


class LargeQuestion(QuestionLine):
    """A `QuestionLine` on a panel of its own, above the picture."""

    PANEL = "surface"
