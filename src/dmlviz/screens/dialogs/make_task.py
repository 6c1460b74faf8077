"""Make a task of the experiment on the screen: a question with an author's words, or a level."""

from __future__ import annotations

from collections.abc import Callable

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Input, Label, OptionList
from textual.widgets.option_list import Option

from ...errors import DmlvizError, plain
from ...session.experiments import Experiment, Session
from ...teaching.lessons.lessons import Lesson
from ...widgets.lib.inks import Inks, inks_of
from ...widgets.lib.text_editor import LineInput
from ...workspace.authoring.author_state import AuthorRow, AuthorState, RowKind
from ...workspace.authoring.authoring import ABOUT, Authoring
from .dialog import Dialog

LABEL = 16
"""Columns of what a row is called."""
GIVES_UP = "What you wrote isn't a task yet: ctrl+s makes the task, esc once more gives it up."
BUTTONS = (
    ("preview", "As a student (F2)"),
    ("make", "Make it (^s)"),
    ("remove", "Remove (del)"),
    ("close", "Close (esc)"),
)


class MakeTask(Dialog[Session | None]):
    """Shows what `Authoring` yields; the session with the task, or None where nothing is to change."""

    CSS_PATH = ["dialog.tcss", "make_task.tcss"]
    AUTO_FOCUS = "#task-rows"
    BINDINGS = [
        Binding("escape", "close", "Close", id="task.close"),
        Binding("space", "press", "Choose", id="task.choose"),
        Binding("f2", "preview", "As a student", id="task.preview"),
        Binding("ctrl+s", "make", "Make it", id="task.make"),
        Binding("delete", "remove", "Remove", id="task.remove"),
    ]

    def __init__(self, authoring: Authoring, preview: Callable[[Lesson, Experiment], None]) -> None:
        """`preview` shows a lesson of one step, which an experiment has, as a student sees it."""
        super().__init__()
        self._preview = preview
        self.authoring = authoring
        self.state = authoring.state
        self._picks = self._gives_up = False
        self._written = ""

    def compose(self) -> ComposeResult:
        name = plain(self.authoring.session.experiments[self.authoring.number].name, 50)
        with Vertical(classes="dialog task"):
            yield Label(f"Make a task of {name}", classes="question", markup=False)
            yield OptionList(id="task-rows")
            yield LineInput(id="task-text")
            yield Label("", id="task-whole", markup=False)
            yield Label("", classes="trouble", markup=False)
            with Horizontal(classes="buttons flow"):
                for id_, label in BUTTONS:
                    yield Button(label, id=id_, compact=True)
            yield Label("↑ ↓ rows · enter, space or a click acts · ← → choose", classes="hint")

    def on_mount(self) -> None:
        self.present(self.state)

    def on_resize(self) -> None:
        self.set_class(self.size.width < 100, "narrow")

    @property
    def _row_list(self) -> OptionList:
        return self.query_one(OptionList)

    # ---- what is shown

    def present(self, state: AuthorState, at: str = "") -> None:
        """Shows a state; `at` is the key of the row that is highlighted then, by default the same as before."""
        rows, before = self._row_list, at or self._highlighted_key
        self.state = state
        inks = inks_of(self.app.theme_variables, "surface")
        rows.clear_options()
        if self._picks:
            rows.add_options(
                Option(_kind_line(self.authoring, kind, inks), id=f"pick.{kind}") for kind in self.authoring.listed
            )
        else:
            rows.add_options(Option(_row_line(row, inks), id=row.key, disabled=not row.kind.acts) for row in state.rows)
        ids = [option.id for option in rows.options]
        rows.highlighted = ids.index(before) if before in ids else 0
        remove = self.query_one("#remove", Button)
        remove.disabled = not state.made_before
        self.query_one("#preview", Button).disabled = not state.can_preview
        self._say_row()

    def _say_row(self) -> None:
        """Shows the sentences on what is wrong, and the highlighted row's whole text, which its line may cut."""
        trouble = self.query_one(".trouble", Label)
        said = [GIVES_UP] if self._gives_up else self.state.sentences[:2]
        trouble.update(Text("\n".join(said)))
        trouble.set_class(bool(said), "on")
        row = self._highlighted_row
        whole = "" if row is None or self._picks else _whole_text(row)
        self.query_one("#task-whole", Label).update(Text(whole))

    @property
    def _highlighted_key(self) -> str:
        """The key of the row that is highlighted; "" for none."""
        n = self._row_list.highlighted
        if n is None or n >= self._row_list.option_count:
            return ""
        return str(self._row_list.get_option_at_index(n).id)

    @property
    def _highlighted_row(self) -> AuthorRow | None:
        key = self._highlighted_key
        return next((row for row in self.state.rows if row.key == key), None)

    @on(OptionList.OptionHighlighted)
    def _say_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        self._say_row()

    # ---- what an author does

    @on(OptionList.OptionSelected)
    def _press_selected(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.action_press()

    def action_press(self) -> None:
        """Does what the highlighted row does."""
        self._gives_up = False
        if self._picks:
            kind = self._highlighted_key.removeprefix("pick.")
            if kind in self.authoring.needs:
                self.say_trouble(f"{kind} can't be asked of this desc: it {self.authoring.needs[kind]}.")
                return
            self._picks = False
            self.present(self.authoring.choose_kind(kind), "kind")
            return
        is_taken, row = self._take_text(), self._highlighted_row
        if row is None or not is_taken:
            return
        if row.key == "kind":
            self._picks = True
            self.present(self.state, f"pick.{self.authoring.kind}")
        elif row.kind is RowKind.TEXT:
            self._written = row.key
            field = self.query_one(LineInput)
            field.value, field.placeholder = row.value, row.empty
            field.add_class("on")
            field.focus()
        elif row.kind.acts:
            self.present(self.authoring.press(row.key))

    @on(Input.Submitted)
    def _write_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._take_text()

    def _take_text(self) -> bool:
        """Takes what is being written, if anything is: a click elsewhere loses none of it. False where it's refused."""
        field = self.query_one(LineInput)
        if not field.has_class("on"):
            return True
        self._leave_text()
        self.present(self.authoring.write(self._written, field.value))
        return not self.authoring.sentence

    def _leave_text(self) -> None:
        self.query_one(LineInput).remove_class("on")
        self._row_list.focus()

    def action_button(self, by: int) -> None:
        """Turns the choice of the highlighted row; where the list has no focus, moves between buttons."""
        row = self._highlighted_row
        if self.focused is not self._row_list:
            super().action_button(by)
        elif row is not None and row.kind is RowKind.CHOICE and not self._picks:
            self._gives_up = False
            self.present(self.authoring.turn(row.key, by))

    def action_make(self) -> None:
        """Closes with the session that has the task; says why where it can't be one."""
        if not self._take_text():
            return
        try:
            session = self.authoring.finished()
        except DmlvizError as error:
            self.say_trouble(str(error))
            return
        self.dismiss(session)

    def action_remove(self) -> None:
        if self.state.made_before:
            self.dismiss(self.authoring.removed())

    def action_close(self) -> None:
        """Ends typing, or picking; asks once before changes are given up; else closes."""
        if self.query_one(LineInput).has_class("on"):
            self._leave_text()
        elif self._picks:
            self._picks = False
            self.present(self.state, "kind")
        elif self.may_quit():
            self.dismiss(None)

    def may_quit(self) -> bool:
        """True unless changes would be given up, and nobody was told: then the dialog tells it."""
        self._take_text()
        may = self._gives_up or not self.state.changed
        self._gives_up = True
        self._say_row()
        if not may and not self.is_top:
            self.notify(GIVES_UP, markup=False)
        return may

    def action_preview(self) -> None:
        """Shows the task as a student sees it; what is answered there is kept nowhere."""
        if not self._take_text():
            return
        try:
            self._preview(*self.authoring.preview())
        except DmlvizError as error:
            self.say_trouble(str(error))

    @on(Button.Pressed)
    def _act_by_button(self, event: Button.Pressed) -> None:
        event.stop()
        acts = {
            "preview": self.action_preview,
            "make": self.action_make,
            "remove": self.action_remove,
            "close": self.action_close,
        }
        acts[str(event.button.id)]()


def _whole_text(row: AuthorRow) -> str:
    if row.kind is RowKind.TICK:
        return f"Whoever believes “{row.label}” answers {row.value}." if row.value else ""
    return row.value or row.empty


def _kind_line(authoring: Authoring, kind: str, inks: Inks) -> Text:
    """A kind and what it asks; of one that can't be asked what it needs."""
    needs = authoring.needs.get(kind)
    if needs is None:
        return Text.assemble((kind.ljust(LABEL), "bold"), ABOUT[kind])
    return Text.assemble((kind.ljust(LABEL), inks.muted.hex), (f"× {needs}", inks.muted.hex))


def _row_line(row: AuthorRow, inks: Inks) -> Text:
    line = Text(no_wrap=True, overflow="ellipsis")
    if row.kind is RowKind.HEAD:
        return line.append(row.label, f"bold {inks.text.hex}")
    if row.kind is RowKind.TICK:
        line.append("[x] " if row.ticked else "[ ] ", "bold" if row.ticked else "")
        line.append(row.label)
        return line.append(f"   answers {row.value}" if row.value else "", inks.muted.hex)
    indent = "    " if row.key.startswith("wrong.") else ""
    line.append(f"{indent}{row.label.ljust(LABEL - len(indent))}", "bold")
    line.append(row.value or row.empty, "" if row.value else inks.muted.hex)
    return line
