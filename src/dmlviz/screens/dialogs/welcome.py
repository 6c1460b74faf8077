"""Three ways to begin: learn, explore an example, paste a desc."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

from ...widgets.lib.commands import BY_ID, command_keys
from .dialog import Dialog

LEARN, EXAMPLE, PASTE = "learn.course", "session.open", "session.import"
"""The commands that the choices stand for, by their ids."""
CHOICES: Mapping[str, tuple[str, str]] = {
    LEARN: ("Learn", "Ten-minute lessons on each operator, and levels"),
    EXAMPLE: ("Explore an example", "DirectML's own examples, and most of the rules"),
    PASTE: ("Paste a desc", "C++, NumPy, DxDispatch, ONNX, or a token"),
}
"""What each is called, and what it leads to."""


class Begun(Struct, frozen=True):
    """What was chosen."""

    command: str
    """`LEARN`, `EXAMPLE` or `PASTE`."""
    text: str = ""
    """What was pasted already."""


class Welcome(Dialog[Begun | None]):
    """What the first launch offers, and later the palette; None where somebody looks around by themselves."""

    BINDINGS = [
        *(
            Binding(str(n), f"begin({n - 1})", name, show=False, id=f"welcome.{n}")
            for n, (name, _) in enumerate(CHOICES.values(), 1)
        ),
        Binding("escape", "dismiss(None)", "Look around", id="welcome.leave"),
    ]

    def __init__(self, keymap: Mapping[str, str]) -> None:
        """`keymap` has the keys that the user gave to commands, by their ids."""
        super().__init__()
        self._keymap = keymap

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label("How do you want to begin?", classes="question")
            yield OptionList(
                *(
                    Option(
                        Text.assemble((f"{n}  {name}", "bold"), f"{self._later(command)}\n{about}"),
                        id=command,
                    )
                    for n, (command, (name, about)) in enumerate(CHOICES.items(), 1)
                ),
                id="ways",
            )
            yield Label(
                "1 2 3, ↑ ↓ and enter, or a click · esc looks around\nWelcome in the palette asks again", classes="hint"
            )

    def on_mount(self) -> None:
        self.query_one(OptionList).highlighted = 0

    def _later(self, command: str) -> str:
        """The end of a line: by which key the explorer does a command later; "" where it has none."""
        keys = command_keys(BY_ID[command], self._keymap)
        return f", later by {keys}" if keys else ""

    def action_begin(self, number: int) -> None:
        self.dismiss(Begun([*CHOICES][number]))

    @on(OptionList.OptionSelected)
    def _begin_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(Begun(str(event.option_id)))

    def on_paste(self, event: events.Paste) -> None:
        """Closes with the pasted text, which needs no choice before; blank text is passed over."""
        event.stop()
        if event.text.strip():
            self.dismiss(Begun(PASTE, event.text))
