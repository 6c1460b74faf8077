"""The session's experiments: switch, add, rename, duplicate, move, delete."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Input, Label, OptionList
from textual.widgets.option_list import Option

from ...errors import DmlvizError, plain
from ...operators.registry import operator_of
from ...session.document import Document
from ...session.experiments import Experiment
from ...session.new_experiments import fresh
from ...session.wire_edits import readers
from ...widgets.lib.browse_list import BrowseList
from .asking import AskReaders
from .choose import ChooseOperator
from .dialog import Dialog

BUTTONS = (
    ("add", "Add (^n)", "add"),
    ("rename", "Rename (F2)", "rename"),
    ("duplicate", "Duplicate (^d)", "duplicate"),
    ("up", "Up (⇧↑)", "move(-1)"),
    ("down", "Down (⇧↓)", "move(1)"),
    ("delete", "Delete (del)", "delete"),
    ("undo", "Undo (^z)", "undo"),
    ("close", "Show it (enter)", "close"),
)
"""(id, label, action) of each; all have keys, so that the list keeps the focus."""


class ActionButton(Button, can_focus=False):
    """A button for the mouse alone."""


class Experiments(Dialog[None]):
    """Edits the document; every change can be undone. `changed` is called whenever the document has moved.

    The list's highlight isn't the document's experiment: the document goes there to be edited, and at the end.
    """

    BINDINGS = [
        Binding("escape", "close", "Close", id="experiments.close"),
        Binding("ctrl+n", "add", "Add", id="experiments.add"),
        Binding("f2", "rename", "Rename", id="experiments.rename"),
        Binding("ctrl+d", "duplicate", "Duplicate", id="experiments.duplicate"),
        Binding("shift+up,ctrl+up", "move(-1)", "Up", id="experiments.up"),
        Binding("shift+down,ctrl+down", "move(1)", "Down", id="experiments.down"),
        Binding("delete", "delete", "Delete", id="experiments.delete"),
        Binding("ctrl+z", "undo", "Undo", id="experiments.undo"),
        Binding("ctrl+y", "redo", "Redo", id="experiments.redo"),
    ]

    def __init__(self, doc: Document, changed: Callable[[], None]) -> None:
        super().__init__()
        self._document, self._changed = doc, changed

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog wide"):
            yield Label("Experiments", classes="question")
            yield BrowseList(id="experiments")
            yield Input(id="name", placeholder="a name")
            yield Label("", classes="trouble")
            for row in (BUTTONS[:4], BUTTONS[4:]):
                with Horizontal(classes="buttons flow"):
                    for name, label, action in row:
                        yield ActionButton(label, id=name, compact=True, action=f"screen.{action}")
            yield Label("enter shows it · esc closes · every change can be undone", classes="hint")

    def on_mount(self) -> None:
        self._fill_list()
        self.query_one(OptionList).focus()

    def _edit(self, edit: Callable[[], object]) -> bool:
        """Edits the document at the highlighted experiment; False, with the reason shown, where that can't be."""
        before = self._document.number
        self._document.go(self._highlighted)
        try:
            edit()
        except DmlvizError as error:
            self._document.go(before)
            self.say_trouble(str(error))
            return False
        self._show_edit()
        return True

    def _show_edit(self) -> None:
        self._changed()
        self._fill_list()

    @property
    def _highlighted(self) -> int:
        return self.query_one(OptionList).highlighted or 0

    @property
    def _experiment(self) -> Experiment:
        """The highlighted experiment."""
        return self._document.session.experiments[self._highlighted]

    def _fill_list(self) -> None:
        listed = self.query_one(OptionList)
        self.say_trouble("")
        options = []
        for n, one in enumerate(self._document.session.experiments, 1):
            name, op = plain(one.name, 60) or "(no name)", operator_of(one.desc).name
            mark = f"{one.check().verdict.mark} "  # no colour is read on the chosen row in every theme
            options.append(
                Option(Text.assemble(f"{n:>3}  ", (mark, "bold"), (name, "bold"), f"  {op}" * (op not in name)))
            )
        with self.prevent(OptionList.OptionHighlighted):
            listed.clear_options()
            listed.add_options(options)
            listed.highlighted = self._document.number

    @on(OptionList.OptionHighlighted)
    def _hide_trouble(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self.say_trouble("")

    @on(OptionList.OptionSelected)
    def _close_at_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_close()

    def action_close(self) -> None:
        """Ends renaming where it goes on; else closes the dialog."""
        if self.query_one("#name").has_class("on"):
            self._end_naming()
            return
        if self.is_top:
            self._document.go(self._highlighted)
            self._changed()
        self.dismiss(None)

    @work
    async def action_add(self) -> None:
        kind = self._experiment.desc.TYPE
        chosen = await self.app.push_screen_wait(ChooseOperator("Add an experiment", kind))
        if chosen is not None:
            self._edit(lambda: self._document.add(fresh(chosen)))

    def action_rename(self) -> None:
        field = self.query_one("#name", Input)
        field.value = self._experiment.name
        field.add_class("on")
        field.focus()
        field.action_select_all()

    @on(Input.Submitted)
    def _take_name(self, event: Input.Submitted) -> None:
        event.stop()
        if self._edit(lambda: self._document.rename(event.value)):
            self._end_naming()

    def _end_naming(self) -> None:
        self.query_one("#name").remove_class("on")
        self.query_one(OptionList).focus()

    def action_duplicate(self) -> None:
        self._edit(self._document.duplicate)

    def action_move(self, by: int) -> None:
        self._edit(lambda: self._document.move(by))

    @work
    async def action_delete(self) -> None:
        every = self._document.session.experiments
        found = readers(self._document.session, self._highlighted)
        if found and len(every) > 1:
            names = [every[n].name for n in found]
            if not await self.app.push_screen_wait(AskReaders(self._experiment.name, names)):
                return
        self._edit(self._document.delete)

    def action_undo(self) -> None:
        if self._document.undo():
            self._show_edit()

    def action_redo(self) -> None:
        if self._document.redo():
            self._show_edit()
