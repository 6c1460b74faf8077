"""The fields of a desc: a column of them is the form, a line of them the strip above the picture."""

from __future__ import annotations

from collections.abc import Callable, Collection
from itertools import pairwise
from typing import Any

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import ScrollableContainer
from textual.widget import AwaitMount, Widget
from textual.widgets import Input, Static

from ...scene.names import short_name
from ...scene.spans import DIM, PLAIN, Line, Span, Style, cut, fitting, length
from ...workspace.shown.state import FormRow, FormState
from ..lib.painted import DrawnLines
from .field import GAP, MARK, Entry, Field, field_of

LABELS = (14, 22)
"""Columns of a tensor's label from which on it is the shorter name, and where the form is wide."""
NEAR = 5
"""Tensors of an array that are shown on both sides of the one that is worked on, or behind the first."""


class FormLines(DrawnLines):
    """The hint, or what stands for fields that aren't there yet."""

    PANEL = "surface"


class Form(Widget):
    """Has a field for each row; with the class `-strip`, for those that decide what the operator does, in a line.

    What isn't on the screen has no fields yet, or old ones; where it `waits` the first frame has their text alone.
    """

    BINDINGS = [Binding("tab", "walk(1)", show=False), Binding("shift+tab", "walk(-1)", show=False)]
    DEFAULT_CSS = """
    Form { height: auto; }
    Form > FormLines { height: 1; }
    Form Field.-apart { margin-top: 1; }
    #form-title { background: $surface; text-style: bold; }
    Form > ScrollableContainer { height: auto; scrollbar-size-horizontal: 0; scrollbar-size-vertical: 1; }
    Form.-strip > #form-hint { dock: right; width: 1; }
    Form.-strip, Form.-strip > ScrollableContainer { height: 1; layout: horizontal; scrollbar-size: 0 0; }
    """

    def __init__(
        self,
        typed: Callable[[str, str], None],
        grown: Callable[[str, int], None] | None = None,
        *,
        id: str,  # noqa: A002
        classes: str = "",
        in_level: bool = False,
        waits: bool = False,
    ) -> None:
        """`typed(key, text)` takes what a row holds now, `grown(key, more)` adds a tensor behind `key` or removes that.

        In a level letters and enter are the screen's.
        """
        super().__init__(id=id, classes=classes)
        self._typed, self._grown, self._in_level = typed, grown, in_level
        self._form: FormState | None = None
        self._fields: dict[str, Field] = {}
        self._waits, self._is_seen = waits, False
        self._wanted = ""  # the row that is to have the focus once it is there
        self.here = ""
        """The row that is edited, or was last."""
        self._hint, self._draft = FormLines(id="form-hint"), FormLines(id="form-draft")
        self._list = ScrollableContainer(self._draft, can_focus=False)

    def compose(self) -> ComposeResult:
        if not self._is_strip:
            yield Static("Desc", id="form-title")
        yield self._list
        yield self._hint

    def on_mount(self) -> None:
        self.watch(self._list, "virtual_size", self._tell_cut)
        self.watch(self._list, "scroll_x", self._hint.redraw)
        self._hint.show(lambda width, height: [self._hint_line(width)])
        self._draft.show(self._draft_lines)

    def _tell_cut(self, size: Any) -> None:
        self._hint.display = not self._is_strip or size.width > self.size.width + GAP  # behind the last

    async def begin(self) -> None:
        """Has fields from now on; a form that is out of sight too, as it may be asked for by a key at any time."""
        self._waits = False
        if self._is_seen or not self._is_strip:
            self._lay_out(refill=True)
            await AwaitMount(self._list, [*self._fields.values()])

    def on_show(self) -> None:
        self._is_seen = True
        if not self._waits:
            self._lay_out(refill=True)

    def on_hide(self) -> None:
        self._is_seen = False

    @property
    def _is_strip(self) -> bool:
        return self.has_class("-strip")

    # ---- what is shown

    def present(self, state: Any) -> None:
        form, before = state.form, self._form
        if form is not before:
            self._form = form
            if self._is_seen and not self._waits:
                self._lay_out(refill=before is not None and form.refill != before.refill)
            elif self._waits:
                self._draft.styles.height = len(self._draft_lines(0, 0))

    def _draft_lines(self, width: int, height: int) -> list[Line]:
        rows = self._rows_in_sight(self._form).values() if self._form is not None else ()
        labels = self._labels_of(rows)
        columns = 1 if self._is_strip else max(map(len, labels.values()), default=0) + 2
        apart, lines = self._apart(rows), list[Line]()
        for row in rows:
            lines += [[]] * (row in apart)
            text = (row.text or row.inferred) + " " * (GAP + self._is_strip)  # as its field will have it
            lines.append([Span(f"{labels[row.key] + ' ':<{columns}}", PLAIN), Span(text, PLAIN if row.text else DIM)])
        together = [span for line in lines for span in line]
        is_cut = length(together) > width + GAP  # behind the last
        return lines if not self._is_strip else [fitting(together, width) if is_cut else together]

    def _labels_of(self, rows: Collection[FormRow]) -> dict[str, str]:
        """Rows' labels by their keys; of a tensor the shorter name where there is no room for the other."""
        most = 0 if self._is_strip else LABELS[self.size.width >= sum(LABELS)]
        return {
            row.key: short_name(row.label) if row.is_sizes and len(row.label) >= most else row.label for row in rows
        }

    def _apart(self, rows: Collection[FormRow]) -> list[FormRow]:
        """The rows above which an empty line stands: each group's first one, where there is room."""
        if self._is_strip or self.screen.has_class("low"):
            return []
        return [row for before, row in pairwise(rows) if row.group > before.group]

    def _lay_out(self, *, refill: bool) -> None:
        form = self._form
        if form is None or not self._list.is_attached:
            return
        self._draft.display = False
        rows = self._rows_in_sight(form)
        for key, field in [*self._fields.items()]:
            if key not in rows or bool(field.row.choices) is not bool(rows[key].choices):
                del self._fields[key]
                field.remove()
        labels = self._labels_of(rows.values())
        columns = 0 if self._is_strip else max(map(len, labels.values()), default=0) + 1
        ordered, apart = dict[str, Field](), self._apart(rows.values())
        before: Widget = self._draft
        for key, row in rows.items():
            field = self._fields.get(key) or self._new_field(row, before)
            ordered[key] = before = field
            field.show(row, form.broken.get(key, ""), labels[key], columns, refill=refill)
            field.set_class(row in apart, "-apart")
        self._fields = ordered
        self._hint.redraw()
        if self._wanted in ordered:
            self.call_after_refresh(self._focus_wanted)

    def _new_field(self, row: FormRow, before: Widget) -> Field:
        field = Field(row, self._typed, self._grow, in_level=self._in_level)
        self._list.mount(field, after=before)
        return field

    def _rows_in_sight(self, form: FormState) -> dict[str, FormRow]:
        """The rows that have a field: all, but of an array of many tensors those near the one that is worked on."""
        rows = {row.key: row for row in form.rows}
        shown = {key: rows[key] for key in form.strip} if self._is_strip else rows
        here = rows.get(self._wanted) or rows.get(self.here)

        def is_near(row: FormRow) -> bool:
            array = _array_of(row)
            at = _number_of(here) if here is not None and here.is_array and _array_of(here) == array else 0
            return not row.is_array or abs(_number_of(row) - at) <= NEAR

        return {key: row for key, row in shown.items() if is_near(row)}

    def on_resize(self) -> None:
        if self._fields:
            self._lay_out(refill=False)

    # ---- the focus

    @property
    def focused_key(self) -> str:
        """The key of the row that has the focus; "" while the focus is elsewhere."""
        field = self._focused_field
        return field.row.key if field is not None else ""

    @property
    def _focused_field(self) -> Field | None:
        field = field_of(self.screen.focused)
        return field if field is not None and self in field.ancestors else None

    def focus_row(self, key: str) -> bool:
        """Puts the focus on a row; False where there is none."""
        if self._form is None or key not in {row.key for row in self._form.rows}:
            return False
        self._wanted = key
        if key not in self._fields:
            self._lay_out(refill=False)
        self._focus_wanted()
        return True

    def _focus_wanted(self) -> None:
        field = self._fields.get(self._wanted)
        if field is None:
            self._wanted = ""
        elif field.is_mounted:
            # A resize, which lays out anew, may come before the focus does.
            self.here, self._wanted = self._wanted, ""
            field.focus_editor()
        else:
            self.call_after_refresh(self._focus_wanted)

    def renew(self) -> None:
        """What is typed next replaces the text, which was checked."""
        field = self._focused_field
        if field is not None and isinstance(field.editor, Entry):
            field.editor.action_select_all()

    def on_descendant_focus(self) -> None:
        self.here = self.focused_key
        if self._form is not None and [*self._rows_in_sight(self._form)] != [*self._fields]:
            self._lay_out(refill=False)
        self.on_descendant_blur()

    def on_descendant_blur(self) -> None:
        self.set_class(self.has_focus_within, "-focused", update=False)
        self.app.stylesheet.apply(self)  # alone: `:focus-within` and `update` style every field anew at each step
        self._hint.redraw()

    def action_walk(self, by: int) -> None:
        keys = [*self._fields]
        self.focus_row(keys[keys.index(self.focused_key) + by])

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        keys = [*self._fields]
        if action != "walk" or not self._in_level or self.focused_key not in keys:
            return action != "walk"
        return 0 <= keys.index(self.focused_key) + int(str(parameters[0])) < len(keys)

    # ---- what is done

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.screen.focus_next()

    def _grow(self, row: FormRow, more: int) -> None:
        """Adds a tensor behind the row's, or removes that; from the row that adds, at the array's end."""
        if self._grown is None or self._form is None:
            return
        array = _array_of(row)
        count = sum(r.is_sizes and _array_of(r) == array and r.inferred != "none" for r in self._form.rows)
        if row.adds:
            if more > 0 or count:
                self._grown(f"{array}[{max(0, count - 1)}]", more)
            return
        n = _number_of(row)
        self._grown(row.tensor, more)
        self.focus_row(f"{array}[{n + more if more > 0 else min(n, max(0, count - 2))}]")

    # ---- the hint

    def _hint_line(self, width: int) -> Line:
        if self._is_strip:  # more is behind its end, which tab scrolls to
            return [Span("…" * (self._list.scroll_x < self._list.max_scroll_x), DIM)]
        row = self._fields[self.focused_key].row if self.focused_key in self._fields else None
        if row is None or self._form is None:
            return []
        words, style = row.hint or ("enter opens the list" if row.choices else "↑ ↓ step the number"), DIM
        if row.key in self._form.errors:
            words, style = "not read: esc restores it", Style("warn", strong=True)
        room = max(0, width - len(" ?"))
        return [Span(f"{cut(words, room):<{room}}", style), Span(" ?", MARK, "screen.help")]


def _array_of(row: FormRow) -> str:
    """`InputTensors` for a row of `InputTensors[1]`, and for the row that adds one."""
    return row.key.partition("[")[0].removesuffix(".add")


def _number_of(row: FormRow) -> int:
    return int(row.tensor.partition("[")[2].rstrip("]"))
