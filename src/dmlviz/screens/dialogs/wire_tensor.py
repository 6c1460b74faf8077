"""Wire an input to another experiment's output, or take its wire away."""

from __future__ import annotations

from rich.text import Text
from textual.binding import Binding
from textual.widgets.option_list import Option

from ...workspace.explorer.wire_choices import WireAsk
from .choose_row import ChooseRow

UNWIRE = "no wire: the usual fill"
HINT = "↑ ↓ choose · enter or a click wires it · esc cancels"
NOTHING = "nothing to read: all others read this one, or have no name of their own · esc closes"


class WireTensor(ChooseRow):
    """The number of the output that was chosen, -1 for no wire, or None."""

    BINDINGS = [Binding("escape", "dismiss(None)", "Cancel", id="wire.cancel")]
    ROWS = "wires"

    def __init__(self, ask: WireAsk) -> None:
        rows = [Option(Text(UNWIRE), id="-1")] if ask.now else []
        for number, choice in enumerate(ask.choices):
            mark = "● " if choice.is_now else "  " if ask.now else ""
            remark = f"   {choice.remark}" if choice.remark else ""
            rows.append(Option(Text.assemble(mark, (choice.text, "bold"), remark), id=str(number)))
        reads = f", which reads {ask.now}" if ask.now else ""
        first = next((k for k, choice in enumerate(ask.choices) if choice.is_now), 0)
        super().__init__(
            f"Wire {ask.path}, {ask.tensor}{reads}",
            rows,
            HINT if rows else NOTHING,
            first + bool(ask.now) if ask.choices else 0,
        )
