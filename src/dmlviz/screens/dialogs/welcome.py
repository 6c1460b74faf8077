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
CHOICES: Mapping[str, str] = {LEARN: "learn", EXAMPLE: "example", PASTE: "paste"}
"""The names that the sentences of each have in the catalogue: `welcome.` and the name, and `welcome.about_`."""


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
            for n, name in enumerate(CHOICES.values(), 1)
        ),
        Binding("escape", "dismiss(None)", "Look around", id="welcome.leave"),
    ]

    def __init__(self, keymap: Mapping[str, str]) -> None:
        """`keymap` has the keys that the user gave to commands, by their ids."""
        super().__init__()
        self._keymap = keymap

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(self._say("welcome.question"), classes="question")
            yield OptionList(
                *(
                    Option(
                        Text.assemble(
                            (f"{n}  {self._say(f'welcome.{name}')}", "bold"),
                            f"{self._later(command)}\n{self._say(f'welcome.about_{name}')}",
                        ),
                        id=command,
                    )
                    for n, (command, name) in enumerate(CHOICES.items(), 1)
                ),
                id="ways",
            )
            yield Label(f"{self._say('welcome.keys')}\n{self._say('welcome.again')}", classes="hint")

    def on_mount(self) -> None:
        self.query_one(OptionList).highlighted = 0

    def _later(self, command: str) -> str:
        """The end of a line: by which key the explorer does a command later; "" where it has none."""
        keys = command_keys(BY_ID[command], self._keymap)
        return self._say("welcome.later", keys=keys) if keys else ""

    def _say(self, key: str, **values: str) -> str:
        """The sentence of that key."""
        from ...teaching.words.catalogue import sentence

        return sentence(key, **values)

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
