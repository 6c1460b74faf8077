"""Choose an operator."""

from __future__ import annotations

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

from ...operators.base import NEIGHBOURS
from ...operators.registry import operators
from .dialog import Dialog


class ChooseOperator(Dialog[str | None]):
    """The operators with a sentence for each; the type of the one that was chosen, or None."""

    BINDINGS = [Binding("escape", "dismiss(None)", "Cancel", id="new.cancel")]

    def __init__(self, question: str, kind: str) -> None:
        """`kind` is chosen at first."""
        super().__init__()
        self._question, self._kind = question, kind

    def compose(self) -> ComposeResult:
        known = operators()
        hint = "↑ ↓ choose · enter or a click begins with an example · esc cancels"
        rows = [Option(Text.assemble((one.name, "bold"), f"\n{one.title}"), id=kind) for kind, one in known.items()]
        first = next((i for i, one in enumerate(known.values()) if one.neighbour), len(rows))
        if first < len(rows):
            rows.insert(first, Option(NEIGHBOURS, disabled=True))
        with Vertical(classes="dialog"):
            yield Label(self._question, classes="question")
            yield OptionList(*rows, id="operators")
            yield Label(hint, classes="hint")

    def on_mount(self) -> None:
        options = self.query_one(OptionList)
        options.highlighted = options.get_option_index(self._kind)

    @on(OptionList.OptionSelected)
    def _close_with_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(event.option_id)
