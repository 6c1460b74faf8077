"""Which output one is to be compared with."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual.binding import Binding
from textual.widgets.option_list import Option

from ...errors import plain
from ...workspace.explorer.comparing import CompareChoice
from .choose_row import ChooseRow

HINT = "↑ ↓ choose · enter or a click compares them · esc cancels"


class CompareWith(ChooseRow):
    """The number of the output that was chosen, or None."""

    BINDINGS = [Binding("escape", "dismiss(None)", "Cancel", id="compare.cancel")]
    ROWS = "outputs-compared"

    def __init__(self, name: str | None, choices: Sequence[CompareChoice]) -> None:
        rows = [
            Option(Text.assemble((choice.text, "bold"), f"   {choice.remark}" if choice.remark else ""), id=str(n))
            for n, choice in enumerate(choices)
        ]
        super().__init__(f"Compare {plain(name or 'it', 40)} with", rows, HINT)
