"""Wire an input to another experiment's output, or take its wire away."""

from __future__ import annotations

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

from ...workspace.explorer.wire_choices import WireAsk
from .dialog import Dialog

UNWIRE = "no wire: the usual fill"
HINT = "↑ ↓ choose · enter or a click wires it · esc cancels"
NOTHING = "nothing to read: all others read this one, or have no name of their own · esc closes"


class WireTensor(Dialog[int | None]):
    """The number of the output that was chosen, -1 for no wire, or None."""

    BINDINGS = [Binding("escape", "dismiss(None)", "Cancel", id="wire.cancel")]

    def __init__(self, ask: WireAsk) -> None:
        super().__init__()
        self._ask = ask

    def compose(self) -> ComposeResult:
        ask = self._ask
        rows = [Option(Text(UNWIRE), id="-1")] if ask.now else []
        for number, choice in enumerate(ask.choices):
            mark = "● " if choice.is_now else "  " if ask.now else ""
            remark = f"   {choice.remark}" if choice.remark else ""
            rows.append(Option(Text.assemble(mark, (choice.text, "bold"), remark), id=str(number)))
        reads = f", which reads {ask.now}" if ask.now else ""
        with Vertical(classes="dialog wide"):
            yield Label(f"Wire {ask.path}, {ask.tensor}{reads}", classes="question", markup=False)
            yield OptionList(*rows, id="wires")
            yield Label(HINT if rows else NOTHING, classes="hint")

    def on_mount(self) -> None:
        options = self.query_one(OptionList)
        now = next((k for k, choice in enumerate(self._ask.choices) if choice.is_now), 0)
        if options.option_count:
            options.highlighted = now + bool(self._ask.now) * bool(self._ask.choices)

    @on(OptionList.OptionSelected)
    def _close_with_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(int(str(event.option_id)))
