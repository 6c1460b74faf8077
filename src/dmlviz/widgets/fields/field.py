"""One row of a desc: its label, what is typed or chosen, and a remark."""

from __future__ import annotations

import re
from collections.abc import Callable

from textual import events
from textual.app import ComposeResult
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, Select

from ...scene.spans import PLAIN, Line, Span, Style
from ...workspace.shown.state import FormRow
from ..lib.commands import bindings
from ..lib.painted import LinePanel

GAP = 3
"""Columns behind a field of the strip: for the marks that step its number, and a blank."""
POINTERS = {"error": "◀", "warning": "◁"}
"""What points at a field that a broken rule names."""
MARK, DIM = Style("axis", strong=True), Style("dim")
LABELS = {"error": Style("broken"), "warning": Style("warn", strong=True)}
WHOLE, LETTERS = "0123456789-, ", "+.einaftyEINAFTY"
"""What is typed in a level, whose screen has other keys: whole numbers, and what other values have besides."""
DELETING = "backspace", "delete"
PAUSE = 0.12
"""Seconds after the last letter in which what follows from a text is shown."""
MOST_DIGITS = 20  # of a number that can be stepped
STEPS = (("‹", "step(-1)"), ("›", "step(1)"))
LESS = ("×", "grow(-1)")
NUMBERS = (("+", "resize(1)"), ("×", "resize(-1)"))
"""Marks and what a click on each does: to a number, to a tensor of an array, and in a level to a list's numbers."""


class Entry(Input):
    """An `Input` that leaves to what lies around it the keys that are no text in its row."""

    virtual_size = Reactive(Size(0, 0))  # of which a letter doesn't lay the screen out anew
    compact = Reactive(True)  # which sets no class, as one that comes later styles it anew

    def __init__(self, row: FormRow, in_level: bool) -> None:
        super().__init__(placeholder=row.inferred, classes="-valid -textual-compact")
        self._in_level, self._letters, self._grows = in_level, row.takes_letters, row.is_array and row.is_sizes

    def check_consume_key(self, key: str, character: str | None) -> bool:
        if not super().check_consume_key(key, character) or character is None:
            return False
        if not self._in_level:
            return not self._grows or character not in "+-"
        return character in WHOLE or (self._letters and character in LETTERS)

    def on_key(self, event: events.Key) -> None:
        if event.is_printable and not self.check_consume_key(event.key, event.character):
            event.prevent_default()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "submit" or not self._in_level  # there enter is the screen's

    @property
    def shown(self) -> str:
        """The text, or what stands for it while there is none."""
        return self.value or str(self.placeholder)

    @property
    def _words(self) -> list[tuple[int, int]]:
        return [match.span() for match in re.finditer(r"[^,\s\[\]]+", self.shown)]

    @property
    def number(self) -> int:
        """Which number of the text, from 0, the cursor is in or behind; -1 where there is none."""
        words, at = self._words, self.cursor_position if self.value else len(self.shown)
        return next((n for n, (_, end) in enumerate(words) if at <= end), len(words) - 1)

    def step(self, by: int) -> None:
        """Steps the number at the cursor, if it is whole."""
        start, end = self._words[self.number] if self._words else (0, 0)
        text, word = self.shown, self.shown[start:end]
        if word.lstrip("-").isdecimal() and len(word) < MOST_DIGITS:
            word, at = str(int(word) + by), self.cursor_position if self.value else end
            self.value = text[:start] + word + text[end:]
            self.cursor_position = min(at, start + len(word))

    def resize(self, by: int) -> None:
        """Adds a number like the one at the cursor behind it, or takes that away."""
        numbers, at = self.shown.replace(" ", "").split(","), max(self.number, 0)
        if by > 0:
            numbers.insert(at + 1, numbers[at])
        elif len(numbers) > 1:
            del numbers[at]
        self.value = ",".join(numbers)
        self.cursor_position = len(",".join(numbers[: at + 1 + max(0, by)]))


class Field(LinePanel):
    """Draws a row around the widget in which it is edited; a click on a mark does what the mark says.

    It knows no desc: what is typed or chosen is the form's to take, as is the wish for another tensor. A letter draws
    the editor alone: the text is handed on once typing pauses, or whoever needs it calls `take`.
    """

    DEFAULT_CSS = """
    Field { height: 1; layout: horizontal; }
    Field Entry, Field Select { width: 1fr; background: $panel; padding: 0; }
    Field SelectCurrent { background: $panel; padding: 0 !important; }
    Field .arrow, Field SelectCurrent Static#label { padding: 0 !important; }
    Field SelectOverlay { width: auto; min-width: 100%; max-height: 17; border: none; background: $panel; }
    Field Entry:focus, Field Select:focus > SelectCurrent, Field:focus {
        background: $primary; background-tint: $primary 0%; color: $text; text-style: bold;
    }
    Field Entry > .input--placeholder { color: $hint; }
    Field Entry > .input--selection { background: $accent; color: $background; }
    """
    PANEL = "surface"
    BINDINGS = bindings("form")

    def __init__(
        self,
        row: FormRow,
        typed: Callable[[str, str], None],
        grown: Callable[[FormRow, int], None],
        *,
        in_level: bool,
    ) -> None:
        super().__init__(name=row.key)
        self.row, self._typed, self._grown, self._in_level = row, typed, grown, in_level
        self._pause: Timer | None = None  # until what is typed is handed on
        self._severity, self._label = "", row.label
        self._columns = 0  # of the labels; 0 in the strip
        self.editor: Entry | Select[str] | None = None
        if row.choices:
            self.editor = Select(self._choices, value=row.text, allow_blank=False, compact=True)
        elif row.adds:
            self.can_focus = True
        else:
            self.editor = Entry(row, in_level)

    def compose(self) -> ComposeResult:
        if self.editor is not None:
            yield self.editor

    def on_mount(self) -> None:
        self.fill()
        self._lay_out()
        for overlay in self.query("SelectOverlay"):
            overlay.styles.width = max(len(name) for name, _ in self._choices) + 4

    @property
    def _choices(self) -> list[tuple[str, str]]:
        needs = self.row.needs
        return [(f"{choice}  {needs[choice]}" if choice in needs else choice, choice) for choice in self.row.choices]

    # ---- what is shown

    def show(self, row: FormRow, severity: str, label: str, columns: int, *, refill: bool) -> None:
        """Shows a row; what is being typed stays, unless its document is to `refill` the field.

        `columns` are those of all labels, 0 in the strip, where each has its own.
        """
        same = (row, severity, label, columns) == (self.row, self._severity, self._label, self._columns)
        if same and not refill:
            return
        before, self.row, self._severity = self.row, row, severity
        self._label, self._columns = label, columns
        if self.is_mounted:
            if isinstance(self.editor, Select) and (row.choices, row.needs) != (before.choices, before.needs):
                with self.prevent(Select.Changed):
                    self.editor.set_options(self._choices)
            if refill or not self.has_focus_within:
                self.fill()
            self._lay_out()
            self.redraw()

    def fill(self) -> None:
        with self.prevent(Input.Changed, Select.Changed):
            if isinstance(self.editor, Select) or (self.editor is not None and self.editor.value != self.row.text):
                self.editor.value = self.row.text
        if isinstance(self.editor, Input):
            self.editor.placeholder = self.row.inferred

    @property
    def _right(self) -> int:
        """Columns behind the editor: for what points at it, and marks or the remark with a blank."""
        more = len(NUMBERS) if self._in_level and self.row.is_list else 0
        if not self._columns:
            return GAP + more + bool(self._severity)
        beside = max(len(self._marks_of_row), len(self.row.remark))
        return 1 + more + beside + (beside > 0)

    @property
    def _needed(self) -> int:
        """Columns of the text with the cursor behind it, or in the strip of the longest choice, with the arrow."""
        if isinstance(self.editor, Input):
            return len(self.editor.value or self.row.inferred or " ") + 1
        return max(map(len, self.row.choices if not self._columns else [self.row.text])) + (1 if self._columns else 3)

    def _lay_out(self) -> None:
        """Leaves the columns of label and marks free beside the editor; a long text takes some of the label's."""
        editor, own, right = self.editor, len(self._label) + 1, self._right
        left = self._columns or own
        if editor is None:
            self.styles.width = "1fr" if self._columns else left
            return
        if self._columns and not self.row.key.endswith(".values"):
            left = max(own, min(left, self.size.width - right - self._needed - 1))
        if editor.styles.margin != (0, right, 0, left):
            editor.styles.margin = (0, right, 0, left)
        if self._columns:
            self.styles.width = editor.styles.width = "1fr"
        else:
            self.styles.width, editor.styles.width = left + self._needed + right, self._needed

    def on_resize(self) -> None:
        self._lay_out()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._lay_out()
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(PAUSE, self.take)

    def on_select_changed(self, event: Select.Changed) -> None:
        event.stop()
        if self.has_focus_within and event.value != self.row.text:  # it tells what it was made with, too
            self._typed(self.row.key, str(event.value))

    def types(self, message: Message) -> bool:
        """True unless what was typed is to be handed on before a message: for a letter, or where nothing waits."""
        if self._pause is None or not isinstance(message, events.Key) or not isinstance(self.editor, Entry):
            return self._pause is None
        return message.key in DELETING or self.editor.check_consume_key(message.key, message.character)

    def take(self) -> None:
        if self._pause is not None:
            self._pause.stop()
            self._pause = None
        if isinstance(self.editor, Entry) and (self.editor.value != self.row.text or self._severity):
            self._typed(self.row.key, self.editor.value)

    def _set(self, change: Callable[[Entry], None]) -> None:
        if isinstance(self.editor, Entry):
            with self.prevent(Input.Changed):
                change(self.editor)
            self._lay_out()
            self.take()

    @property
    def _marks_of_row(self) -> tuple[tuple[str, str], ...]:
        """What can be clicked at the right while the row has the focus."""
        row = self.row
        if self._in_level and row.is_list:
            return (*STEPS, *NUMBERS)
        if row.choices or row.adds or row.key.endswith(".values"):
            return ()
        return (*STEPS, LESS) if row.is_array and row.is_sizes and self._columns else STEPS

    def lines(self, width: int, height: int) -> list[Line]:
        row, label = self.row, self._label
        if row.adds:
            return [[Span(label, MARK, "grow(1)")]]
        style = LABELS.get(self._severity, Style("letter") if self.has_focus_within else PLAIN)
        is_cut = isinstance(self.editor, Input) and self._needed > self.editor.size.width + 1
        pointer = Span(POINTERS.get(self._severity, "…" if is_cut and self._columns else " "), style)
        marks = self._marks_of_row if self.has_focus_within else ()
        end: Line = [Span(mark, MARK, action) for mark, action in marks]
        if self._columns and marks:
            end.append(Span(" " * (self._right - 1 - len(marks)), PLAIN))
        elif self._columns:  # on the editor's ground: all boxes end in one column
            remark = f"{row.remark} ".lstrip()
            end.append(Span(f"{remark:>{self._right - 1}}", Style("field")))
        end.append(pointer)
        return [[Span(label, style), Span(" " * max(0, width - self._right - len(label)), PLAIN), *end]]

    def on_descendant_focus(self) -> None:
        self.refresh()  # its lines may have been asked for since the focus is here

    def on_descendant_blur(self) -> None:
        if self._pause is not None:
            self.take()
        self.fill()
        self.refresh()

    def on_click(self) -> None:
        """Beside the editor a click chooses the row, too."""
        if not self.has_focus_within:
            self.focus_editor()
        # All of it, with its marks: what is clicked is not, as it gets the focus.
        self.scroll_visible(animate=False)

    def focus_editor(self) -> None:
        self.screen.set_focus(self.editor if self.editor is not None else self, scroll_visible=False)
        self.scroll_visible(animate=False)
        if isinstance(self.editor, Entry):
            self.editor.action_select_all()

    # ---- what keys and marks do

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        row = self.row
        able = {"grow": row.is_array or row.adds, "accept": row.adds, "step": row.is_typed}
        return able.get(action, True)

    def action_step(self, by: int) -> None:
        self._set(lambda editor: editor.step(by))

    def action_resize(self, by: int) -> None:
        self._set(lambda editor: editor.resize(by))

    def action_grow(self, more: int) -> None:
        self._grown(self.row, more)

    def action_accept(self) -> None:
        self._grown(self.row, 1)


def field_of(widget: Widget | None) -> Field | None:
    """The field that a widget stands in, or is."""
    nodes = widget.ancestors_with_self if widget is not None else ()
    return next((node for node in nodes if isinstance(node, Field)), None)
