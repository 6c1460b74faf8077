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
from ...operators.report import Verdict
from ...session.document import Document
from ...session.experiments import Experiment
from ...session.new_experiments import fresh
from ...widgets.lib.browse_list import BrowseList
from ...widgets.lib.text_editor import LineInput
from .dialog import Dialog

BUTTONS = (
    ("add", "Add (a)", "add"),
    ("rename", "Rename (r)", "rename"),
    ("duplicate", "Duplicate (d)", "duplicate"),
    ("up", "Up (⇧↑)", "move(-1)"),
    ("down", "Down (⇧↓)", "move(1)"),
    ("delete", "Delete (del)", "delete"),
    ("undo", "Undo (u)", "undo"),
    ("close", "Show it (enter)", "close"),
)
"""(id, label, action) of each."""


class Experiments(Dialog[None]):
    """Edits the document as it stands; every change is one that can be undone. `changed` is called after each."""

    BINDINGS = [
        Binding("escape", "close", "Close", id="experiments.close"),
        Binding("a", "add", "Add", id="experiments.add"),
        Binding("r,f2", "rename", "Rename", id="experiments.rename"),
        Binding("d", "duplicate", "Duplicate", id="experiments.duplicate"),
        Binding("shift+up,ctrl+up", "move(-1)", "Up", id="experiments.up"),
        Binding("shift+down,ctrl+down", "move(1)", "Down", id="experiments.down"),
        Binding("delete,x", "delete", "Delete", id="experiments.delete"),
        Binding("u,ctrl+z", "undo", "Undo", id="experiments.undo"),
        Binding("ctrl+y", "redo", "Redo", id="experiments.redo"),
    ]

    def __init__(self, document: Document, changed: Callable[[], None]) -> None:
        super().__init__()
        self._document = document
        self._changed = changed
        self._verdicts: dict[int, tuple[Experiment, Verdict]] = {}

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog wide"):
            yield Label("Experiments", classes="question")
            yield BrowseList(id="experiments")
            yield LineInput(id="name", placeholder="a name")
            yield Label("", classes="trouble")
            for row in (BUTTONS[:4], BUTTONS[4:]):
                with Horizontal(classes="buttons flow"):
                    for name, label, action in row:
                        yield Button(label, id=name, name=action, compact=True)
            yield Label("enter shows it · esc closes · every change can be undone", classes="hint")

    def on_mount(self) -> None:
        self._fill_list()
        self.query_one(OptionList).focus()

    def _after_edit(self) -> None:
        """Calls `changed`, and fills the list anew."""
        self._changed()
        self._fill_list()

    def _fill_list(self) -> None:
        listed = self.query_one(OptionList)
        self.say_trouble("")
        options = []
        for i, experiment in enumerate(self._document.session.experiments):
            line = Text(no_wrap=True, overflow="ellipsis")
            line.append(f"{i + 1:>3}  ")
            line.append(
                f"{self._verdict_of(experiment).mark} ", "bold"
            )  # no colour is read on the chosen row in every theme
            name, operator = plain(experiment.name, 60) or "(no name)", operator_of(experiment.desc).name
            line.append(name, "bold")
            line.append(f"  {operator}" if operator not in name else "")
            line.append(f"  ? {experiment.asks}" if experiment.asks else "")
            options.append(Option(line))
        with self.prevent(OptionList.OptionHighlighted):
            listed.clear_options()
            listed.add_options(options)
            listed.highlighted = self._document.number

    def _verdict_of(self, experiment: Experiment) -> Verdict:
        known = self._verdicts.get(id(experiment))
        if known is None:
            known = self._verdicts[id(experiment)] = experiment, experiment.check().verdict
        return known[1]

    @on(OptionList.OptionHighlighted)
    def _go_to_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if event.option_index != self._document.number:
            self._document.go(event.option_index)
            self.say_trouble("")

    @on(OptionList.OptionSelected)
    def _close_at_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_close()

    @on(Button.Pressed)
    async def _act_by_button(self, event: Button.Pressed) -> None:
        event.stop()
        await self.run_action(str(event.button.name))
        if event.button.id not in ("rename", "close", "add"):
            self.query_one(OptionList).focus()

    def action_close(self) -> None:
        """Ends renaming where it goes on; else closes the dialog."""
        if self.query_one("#name").has_class("on"):
            self._end_naming()
            return
        self.dismiss(None)

    @work
    async def action_add(self) -> None:
        from .choose_operator import ChooseOperator

        kind = self._document.experiment.desc.TYPE
        chosen = await self.app.push_screen_wait(ChooseOperator("Add an experiment", kind))
        if chosen is not None:
            self._document.add_all([fresh(chosen)])
            self._after_edit()

    def action_rename(self) -> None:
        field = self.query_one("#name", Input)
        field.value = self._document.experiment.name
        field.add_class("on")
        field.focus()
        field.action_select_all()

    @on(Input.Submitted)
    def _take_name(self, event: Input.Submitted) -> None:
        event.stop()
        try:
            if any(one.is_wired for one in self._document.session.experiments):
                from ...session.wire_edits import name_clash

                if clash := name_clash(self._document.session, self._document.number, event.value):
                    raise DmlvizError(clash)
            self._document.rename(event.value)
        except DmlvizError as error:
            self.say_trouble(str(error))
            return
        self._end_naming()
        self._after_edit()

    def _end_naming(self) -> None:
        self.query_one("#name").remove_class("on")
        self.query_one(OptionList).focus()

    def action_duplicate(self) -> None:
        self._document.duplicate()
        self._after_edit()

    def action_move(self, by: int) -> None:
        self._document.move(by)
        self._after_edit()

    @work
    async def action_delete(self) -> None:
        keeps_values, readers = False, self._document.readers
        if readers and len(self._document.session.experiments) > 1:
            from .asking import AskReaders

            names = [self._document.session.experiments[number].name for number in dict.fromkeys(n for n, _ in readers)]
            answer = await self.app.push_screen_wait(AskReaders(self._document.experiment.name, names))
            if answer is None:
                return
            keeps_values = answer == "keep"
        try:
            self._document.delete(keeps_values=keeps_values)
        except DmlvizError as error:
            self.say_trouble(str(error))
            return
        self._after_edit()

    def action_undo(self) -> None:
        if self._document.undo():
            self._after_edit()

    def action_redo(self) -> None:
        if self._document.redo():
            self._after_edit()
