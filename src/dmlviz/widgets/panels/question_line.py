"""The question of the notes, where it is in sight at every size."""

from __future__ import annotations

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.widgets import Static

from ...scene.names import tight
from ...session.notes import question_of
from ...workspace.shown.state import State

MOST = 140
"""Columns of a question that has a line of its own: three lines or fewer on every screen. The notes have any other."""


def has_line(question: str) -> bool:
    """True if a question is shown in a line of its own."""
    return 0 < cell_len(question) <= MOST


class QuestionLine(Static):
    """Shows a question in as many lines as it needs; nothing where there is none. A click reads the notes."""

    question = ""

    def present(self, state: State) -> None:
        question = question_of(state.document.experiment.notes)
        if question != self.question:
            self.question = question
            self.set_class(has_line(question), "on")
            self.update(Content.assemble(("? ", "$accent bold"), (tight(question), "bold")))

    async def on_click(self, event: events.Click) -> None:
        event.stop()
        await self.screen.run_action("notes")
