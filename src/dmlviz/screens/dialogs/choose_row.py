"""What dialogs have in common in which one row is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

from .dialog import Dialog


class ChooseRow(Dialog[int | None]):
    """The number that is the id of the row that was chosen, or None."""

    ROWS: ClassVar[str]
    """The list's id."""

    def __init__(self, question: str, rows: Sequence[Option], hint: str, first: int = 0) -> None:
        """`first` is the row that is highlighted at the beginning."""
        super().__init__()
        self._question, self._listed, self._hint, self._first = question, rows, hint, first

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog wide"):
            yield Label(self._question, classes="question", markup=False)
            yield OptionList(*self._listed, id=self.ROWS)
            yield Label(self._hint, classes="hint")

    def on_mount(self) -> None:
        self.query_one(OptionList).highlighted = self._first if self._listed else None

    @on(OptionList.OptionSelected)
    def _close_with_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(int(str(event.option_id)))
