"""Dialogs in which one thing of a list is chosen: an operator, what to copy, what to read, how to begin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

from ...operators.base import NEIGHBOURS
from ...operators.registry import operators
from ...widgets.lib.browse_list import BrowseList
from ...widgets.lib.commands import BY_ID, command_keys
from ...workspace.explorer.wire_choices import WireAsk
from .dialog import Dialog

HINT = "↑ ↓ choose · enter or a click takes it · esc cancels"
NOTHING = "nothing to read: all others read this one, or have no name of their own · esc closes"
LEARN, EXAMPLE, PASTE = "learn.course", "session.open", "session.import"
"""The commands that the ways to begin stand for, by their ids."""
WAYS: Mapping[str, tuple[str, str]] = {
    LEARN: ("Learn", "Ten-minute lessons on each operator, and levels"),
    EXAMPLE: ("Explore an example", "DirectML's own examples, and most of the rules"),
    PASTE: ("Paste a desc", "C++, NumPy, DxDispatch, ONNX, or a token"),
}
"""What each is called, and what it leads to."""


class Choices(BrowseList):
    """A list in which a click takes."""

    TAKES = True


class Choose(Dialog[str | None]):
    """Some options in a list; the id of the one that was chosen, or None."""

    BINDINGS = [
        Binding("escape", "dismiss(None)", "Cancel", id="choose.cancel"),
        *(Binding(str(n), f"take({n - 1})", show=False, id=f"choose.{n}") for n in range(1, 10)),
    ]

    def __init__(self, question: str, options: Sequence[Option], *, first: str = "", hint: str = HINT) -> None:
        """`first` is the id of the option that is chosen at first."""
        super().__init__()
        self._question, self._options, self._first, self._hint = question, options, first, hint

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog"):
            yield Label(self._question, classes="question", markup=False)
            yield Choices(*self._options, id="ways")
            yield Label(self._hint, classes="hint")

    def on_mount(self) -> None:
        listed = self.query_one(OptionList)
        if self._options:
            listed.highlighted = listed.get_option_index(self._first) if self._first else 0

    @on(OptionList.OptionSelected)
    def _close_with_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(event.option_id)

    def action_take(self, number: int) -> None:
        """Takes an option by its number among those that can be chosen, from 0."""
        ids = [option.id for option in self._options if not option.disabled]
        if number < len(ids):
            self.dismiss(ids[number])


def _option(name: str, about: str, title: str = "", later: str = "") -> Option:
    return Option(Text.assemble((title or name, "bold"), f"{later}\n{about}"), id=name)


class ChooseOperator(Choose):
    """The operators with a sentence for each, by their types; `kind` is chosen at first."""

    def __init__(self, question: str, kind: str) -> None:
        rows, known = list[Option](), operators()
        for name, one in known.items():
            if one.neighbour and not any(row.disabled for row in rows):
                rows.append(Option(NEIGHBOURS, disabled=True))
            rows.append(_option(name, one.title, one.name))
        super().__init__(question, rows, first=kind)


class CopyMenu(Choose):
    """What to copy as text; `choices` maps a name to a sentence about it."""

    def __init__(self, choices: Mapping[str, str]) -> None:
        rows = [_option(what, about, what.capitalize()) for what, about in choices.items()]
        super().__init__("Copy as text", rows)


class WireTensor(Choose):
    """What an input is to read: the number of an output, or -1 for no wire."""

    def __init__(self, ask: WireAsk) -> None:
        reads = f", which reads {ask.now}" if ask.now else ""
        rows = [*self._rows(ask)]
        now = next((str(k) for k, choice in enumerate(ask.choices) if choice.is_now), "")
        question = f"Wire {ask.path}, {ask.tensor}{reads}"
        super().__init__(question, rows, first=now or "0" * bool(ask.choices), hint=HINT if rows else NOTHING)

    @staticmethod
    def _rows(ask: WireAsk) -> Iterator[Option]:
        if ask.now:
            yield Option("no wire: the usual fill", id="-1")
        for n, choice in enumerate(ask.choices):
            mark = "● " if choice.is_now else "  " if ask.now else ""
            remark = f"   {choice.remark}" if choice.remark else ""
            yield Option(Text.assemble(mark, (choice.text, "bold"), remark), id=str(n))


class Welcome(Choose):
    """Three ways to begin, which the first launch offers, and later the palette; None is to look around."""

    def __init__(self, keymap: Mapping[str, str]) -> None:
        """`keymap` has the keys that the user gave to commands, by their ids."""
        self.pasted = ""
        """What was pasted already, without a choice before."""
        rows = []
        for n, (cmd, (name, about)) in enumerate(WAYS.items(), 1):
            keys = command_keys(BY_ID[cmd], keymap)
            rows.append(_option(cmd, about, f"{n}  {name}", f", later by {keys}" if keys else ""))
        hint = "1 2 3, ↑ ↓ and enter, or a click · esc looks around\nWelcome in the palette asks again"
        super().__init__("How do you want to begin?", rows, hint=hint)

    def on_paste(self, event: events.Paste) -> None:
        """Closes with the pasted text; blank text is passed over."""
        event.stop()
        if event.text.strip():
            self.pasted = event.text
            self.dismiss(PASTE)
