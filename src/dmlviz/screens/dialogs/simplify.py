"""What does the same as a chain with less, to choose from: each was proved to be the same map."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

from ...equality.simplifying import Offer
from .dialog import Dialog

HINT = "↑ ↓ choose · enter or a click puts it in the chain's place, one undo step · esc cancels"
NOTHING = "No rule that is known makes less of it · esc closes"


class Simplify(Dialog[int | None]):
    """The number of the offer that was chosen, or None."""

    BINDINGS = [Binding("escape", "dismiss(None)", "Cancel", id="simplify.cancel")]

    def __init__(self, offers: Sequence[Offer]) -> None:
        super().__init__()
        self._offers = offers

    def compose(self) -> ComposeResult:
        rows = [
            Option(Text.assemble((offer.text, "bold"), f"\n  {offer.saves} · the same map, {offer.holds}"), id=str(n))
            for n, offer in enumerate(self._offers)
        ]
        with Vertical(classes="dialog wide"):
            yield Label("The same with less", classes="question", markup=False)
            yield OptionList(*rows, id="offers")
            yield Label(HINT if rows else NOTHING, classes="hint")

    @on(OptionList.OptionSelected)
    def _close_with_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(int(str(event.option_id)))
