"""What does the same as a chain with less, to choose from: each was proved to be the same map."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.binding import Binding
from textual.widgets.option_list import Option

from ...equality.simplifying import Offer
from .choose_row import ChooseRow

HINT = "↑ ↓ choose · enter or a click puts it in the chain's place, one undo step · esc cancels"
NOTHING = "No rule that is known makes less of it · esc closes"


class Simplify(ChooseRow):
    """The number of the offer that was chosen, or None."""

    BINDINGS = [Binding("escape", "dismiss(None)", "Cancel", id="simplify.cancel")]
    ROWS = "offers"

    def __init__(self, offers: Sequence[Offer]) -> None:
        rows = [
            Option(Text.assemble((offer.text, "bold"), f"\n  {offer.saves} · the same map, {offer.holds}"), id=str(n))
            for n, offer in enumerate(offers)
        ]
        super().__init__("The same with less", rows, HINT if rows else NOTHING)
