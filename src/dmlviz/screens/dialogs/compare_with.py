"""Which output one is to be compared with."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

from ...errors import plain
from ...workspace.explorer.comparing import CompareChoice
from .dialog import Dialog

HINT = "↑ ↓ choose · enter or a click compares them · esc cancels"


class CompareWith(Dialog[CompareChoice | None]):
    """The output that was chosen, or None."""

    BINDINGS = [Binding("escape", "dismiss(None)", "Cancel", id="compare.cancel")]

    def __init__(self, name: str | None, choices: Sequence[CompareChoice]) -> None:
        super().__init__()
        self._name, self._choices = name, choices

    def compose(self) -> ComposeResult:
        rows = [
            Option(Text.assemble((choice.text, "bold"), f"   {choice.remark}" if choice.remark else ""), id=str(n))
            for n, choice in enumerate(self._choices)
        ]
        with Vertical(classes="dialog wide"):
            yield Label(f"Compare {plain(self._name or 'it', 40)} with", classes="question", markup=False)
            yield OptionList(*rows, id="outputs-compared")
            yield Label(HINT, classes="hint")

    @on(OptionList.OptionSelected)
    def _close_with_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(self._choices[int(str(event.option_id))])
