"""The question of the notes, where it is in sight at every size."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size
from textual import events
from textual.content import Content
from textual.widgets import Static

from ...session.notes import question_of
from ...workspace.shown.state import State

MORE = " …  n reads on"
"""What a question ends with that is cut."""
SURE = 140
"""Columns of a question that is shown whole: it has three lines or fewer on every screen."""


def is_whole(question: str) -> bool:
    """True if a question is shown whole."""
    return cell_len(question) <= SURE


class QuestionLine(Static):
    """Shows a question in as many lines as it needs; nothing where there is none. A click reads the notes."""

    question = ""

    def present(self, state: State) -> None:
        """Shows another state."""
        question = question_of(state.document.experiment.notes)
        if question != self.question:
            self.question = question
            self.set_class(bool(question), "on")
            said = question if is_whole(question) else set_cell_size(question, SURE - len(MORE)).rstrip() + MORE
            self.update(Content.assemble(("? ", "$accent bold"), (said, "bold")))

    async def on_click(self, event: events.Click) -> None:
        event.stop()
        await self.screen.run_action("notes")
