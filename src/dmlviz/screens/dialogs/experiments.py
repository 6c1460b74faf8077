"""The session's experiments: switch, add, rename, duplicate, move, delete."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

from ...errors import DmlvizError, plain
from ...operators.registry import operator_of
from ...session.document import Document
from ...session.experiments import Experiment
from ...session.new_experiments import begun
from ...widgets.lib.browse_list import BrowseList
from .asking import AskLine
from .choose import ChooseOperator
from .dialog import Dialog


class Experiments(Dialog[None]):
    """Edits the document; every change can be undone. `changed` is called whenever the document has moved.

    The list's highlight isn't the document's experiment: the document goes there to be edited, and at the end.
    """

    KIND = "experiments"
    BINDINGS = [
        Binding("ctrl+n", "add", "Add", id="experiments.add"),
        Binding("f2", "rename", "Rename", id="experiments.rename"),
        Binding("ctrl+d", "duplicate", "Copy", id="experiments.duplicate"),
        Binding("delete", "delete", "Delete", id="experiments.delete"),
        Binding("shift+up,ctrl+up", "move(-1)", "Up", id="experiments.up"),
        Binding("shift+down,ctrl+down", "move(1)", "Down", id="experiments.down"),
        Binding("escape", "close", "Close", id="experiments.close"),
        *(Binding(str(n), f"take({n - 1})", show=False, id=f"experiments.{n}") for n in range(1, 10)),
    ]

    def __init__(self, doc: Document, changed: Callable[[], None]) -> None:
        super().__init__()
        self._document, self._changed = doc, changed

    def compose(self) -> ComposeResult:
        told = Label("enter or esc shows the chosen one · every change can be undone", classes="hint")
        yield self.frame("Experiments", BrowseList(id="experiments"), told)

    def on_mount(self) -> None:
        self._fill_list()
        self.query_one(OptionList).focus()

    def _edit(self, edit: Callable[[], object]) -> None:
        before = self._document.number
        self._document.go(self._highlighted)
        try:
            edit()
        except DmlvizError as error:
            self._document.go(before)
            self.say_trouble(str(error))
        else:
            self._changed()
            self._fill_list()

    @property
    def _highlighted(self) -> int:
        return self.query_one(OptionList).highlighted or 0

    @property
    def _experiment(self) -> Experiment:
        return self._document.session.experiments[self._highlighted]

    def _fill_list(self) -> None:
        listed = self.query_one(OptionList)
        self.say_trouble("")
        with self.prevent(OptionList.OptionHighlighted):
            listed.clear_options()
            listed.add_options(map(_row, self._document.session.experiments, count(1)))
            listed.highlighted = self._document.number

    @on(OptionList.OptionHighlighted)
    def _hide_trouble(self) -> None:
        self.say_trouble("")

    @on(OptionList.OptionSelected)
    def action_close(self) -> None:
        if self.is_top:
            self._document.go(self._highlighted)
            self._changed()
        self.dismiss(None)

    def action_take(self, number: int) -> None:
        if number < len(self._document.session.experiments):
            self.query_one(OptionList).highlighted = number
            self.action_close()

    @work
    async def action_add(self) -> None:
        kind = self._experiment.desc.TYPE
        chosen = await self.app.push_screen_wait(ChooseOperator("Add an experiment", kind))
        if chosen is not None:
            self._edit(lambda: self._document.add(begun(chosen)))

    @work
    async def action_rename(self) -> None:
        name = plain(self._experiment.name)
        chosen = await self.app.push_screen_wait(AskLine("Rename", str, text=name, replaced=name, hint="enter renames"))
        if chosen is not None:
            self._edit(lambda: self._document.rename(chosen))

    def action_duplicate(self) -> None:
        self._edit(self._document.duplicate)

    def action_move(self, by: int) -> None:
        self._edit(lambda: self._document.move(by))

    def action_delete(self) -> None:
        self._edit(self._document.delete)


def _row(one: Experiment, number: int) -> Option:
    name, op = plain(one.name, 60) or "(no name)", operator_of(one.desc).name
    return Option(Text.assemble((f"{number}  {one.check().verdict.mark} {name}", "bold"), f"  {op}" * (op not in name)))
