"""Dialogs in which one thing of a list is chosen: an operator, what to read, how to begin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from ...operators.base import NEIGHBOURS
from ...operators.registry import operators
from ...widgets.lib.commands import BY_ID, command_keys
from .dialog import Dialog

if TYPE_CHECKING:
    from ...workspace.explorer.chain_view import WireAsk

LEARN, EXAMPLE, PASTE = "learn.course", "session.open", "session.import"
"""The commands that the ways to begin stand for, by their ids."""
WAYS: Mapping[str, tuple[str, str]] = {
    LEARN: ("Learn", "Ten-minute lessons on each operator, and puzzles"),
    EXAMPLE: ("Explore an example", "DirectML's own examples, and one for most rules"),
    PASTE: ("Paste a desc", "C++, NumPy, DxDispatch, ONNX, or a token"),
}
"""What each is called, and what it leads to."""


class Choose(Dialog[str | None]):
    """Some options in a list; the id of the one that was chosen, or None."""

    LATER = ""
    """Where it can be had again, for the hint."""
    BINDINGS = [
        Binding("escape", "dismiss(None)", "Cancel", id="choose.cancel"),
        *(Binding(str(n), f"take({n - 1})", show=False, id=f"choose.{n}") for n in range(1, 10)),
    ]

    def __init__(self, question: str, options: Sequence[Option], first: str | None = None) -> None:
        """`first` is the id of the option that is chosen at first."""
        super().__init__()
        self._question, self._options, self._first = question, options, first

    def compose(self) -> ComposeResult:
        listed, count = OptionList(*self._options, id="ways"), sum(not option.disabled for option in self._options)
        hint = f"1 to {min(count, 9)}, ↑ ↓ and enter{self.LATER}" if count else ""
        yield self.frame(self._question, listed, hint=hint)

    def on_mount(self) -> None:
        if self._first is not None:
            listed = self.query_one(OptionList)
            listed.highlighted = listed.get_option_index(self._first)

    @on(OptionList.OptionSelected)
    def _close_with_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)

    def action_take(self, number: int) -> None:
        ids = [option.id for option in self._options if not option.disabled]
        if number < len(ids):
            self.dismiss(ids[number])


def _option(id_: str, name: str, about: str) -> Option:
    return Option(Text.assemble((name, "bold"), f"\n{about}"), id=id_)


class ChooseOperator(Choose):
    """The operators with a sentence for each, by their types; `kind` is chosen at first."""

    def __init__(self, question: str, kind: str) -> None:
        rows = [_option(name, one.name, one.title) for name, one in operators().items()]
        own = sum(not one.neighbour for one in operators().values())
        rows.insert(own, Option(NEIGHBOURS, disabled=True))
        super().__init__(question, rows, kind)


class WireTensor(Choose):
    """What an input is to read: the number of an output, or -1 for no wire."""

    def __init__(self, ask: WireAsk) -> None:
        rows = [Option("no wire: the usual fill", id="-1")] if ask.now else []
        for n, choice in enumerate(ask.choices):
            rows.append(Option(Text(choice.text, "bold"), id=str(n)))
        if not rows:
            rows = [Option("nothing to read: all others read this one, or have no name of their own", disabled=True)]
        reads = f", which reads {ask.now}" if ask.now else ""
        super().__init__(f"Wire {ask.path}, {ask.tensor}{reads}", rows, "0" if ask.choices else None)


class Welcome(Choose):
    """Three ways to begin, which the first launch offers, and later the palette; None is to look around."""

    LATER = " · later: ^p, Welcome"
    BINDINGS = [Binding("escape", "dismiss(None)", "Look around", id="welcome.leave")]

    def __init__(self, keymap: Mapping[str, str]) -> None:
        """`keymap` has the keys that the user gave to commands, by their ids."""
        self.pasted = ""
        """What was pasted already, without a choice before."""
        rows = []
        for n, (cmd, (name, about)) in enumerate(WAYS.items(), 1):
            keys = command_keys(BY_ID[cmd], keymap)
            rows.append(_option(cmd, f"{n}  {name}{f' (later: {keys})' if keys else ''}", about))
        super().__init__("How do you want to begin?", rows, LEARN)

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        if event.text.strip():
            self.pasted = event.text
            self.dismiss(PASTE)
