"""The form: one row for each field of the operator, made from its declaration."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.color import Color
from textual.geometry import Offset, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ...workspace.shown.state import FormRow, FormState
from ..lib.commands import bindings
from ..lib.text_view import after_click, more_of
from .field_editor import FieldEditor
from .form_lines import Columns, Drawing, Line, Mark, columns_of, cut, labels_of, lines_of
from .number_text import named_choice, number_at, ordinal

if TYPE_CHECKING:
    from .choice_list import ChoiceList
    from .number_input import NumberInput

HEAD, FOOT = 2, 1
"""Lines above and below the rows that don't scroll: the title, and the hint."""
HELP = " ? "
"""What stands at the right of the hint; a click there explains the row that has the focus, as F1 does."""
ADD_HINT = "+ add, - remove, ctrl+↑ ctrl+↓ move"


class Form(FieldEditor, ScrollView, can_focus=True, inherit_bindings=False):
    """Lays the rows in a column, with their choices and values.

    One row has the focus: a row that is typed has the one `NumberInput` over its field, a row with choices is kept by
    the form itself, which opens the one `ChoiceList`. Both are made when they are first wanted.
    """

    FOCUS_ON_CLICK = False  # a click goes to the row under it

    PANEL = "surface"

    BINDINGS = bindings("fields", "form", "number")

    class HelpWanted(Message):
        """The row that has the focus is to be explained."""

    class TaskWanted(Message):
        """The experiment's task, which the title names, is to be edited."""

    def __init__(
        self,
        rows: Iterable[FormRow],
        typed: Callable[[str, str], None],
        left: Callable[[str], None],
        grown: Callable[[str, int], None],
        moved: Callable[[str, int], None],
        *,
        id: str,  # noqa: A002
    ) -> None:
        """`grown(key, more)` adds a tensor behind `key`, or removes that; `moved(key, by)` moves it in its array."""
        super().__init__(typed, left, id=id)
        self._grown, self._moved = grown, moved
        self._rows = {row.key: row for row in rows}
        self._wanted = ""  # the row that the focus is on its way to
        self._away = True  # the focus is elsewhere
        self._unfolded = next((row.tensor for row in self._rows.values() if row.folds), "")
        self._hover = ""
        self._field: NumberInput | None = None
        self._choices: ChoiceList | None = None
        self._open = False
        self._lines: list[Line] = []
        self._labels: dict[str, str] = {}
        self._columns = Columns(1, 1)
        self._airy = False
        self._width = 0

    # ---- what is shown

    def shown_rows(self, form: FormState) -> Iterable[FormRow]:
        return form.rows

    def lay_out(self) -> None:
        if self._unfolded not in self._rows:
            folded = (row.tensor for row in self._rows.values() if row.folds)
            self._unfolded = self._array_tensor(self._key) or next(folded, "")
        self._fit_lines()
        row, field = self._rows.get(self._key), self._field
        if row is not None and field is not None:
            field.placeholder = row.inferred

    def reread_document(self) -> None:
        row = self._rows.get(self._key)
        if self._field is not None and row is not None and row.is_typed:
            self._field.fill(self._text_for_field(row), row.inferred)

    @property
    def typed_text(self) -> str | None:
        field = self._field
        return field.value if field is not None and field.touched and self.has_keys else None

    @property
    def text_and_position(self) -> tuple[str, int]:
        field = self._field
        assert field is not None
        return (field.value, field.cursor_position) if field.value else (str(field.placeholder), len(field.placeholder))

    def put_text(self, text: str, at: int | None = None) -> None:
        if at is None or self._field is None:
            self._typed(self._key, text)
        else:
            self._field.value = text
            self._field.cursor_position = at

    @property
    def has_keys(self) -> bool:
        focused = self.screen.focused
        return focused is not None and (focused is self or focused.parent is self)

    def focus_row(self, key: str) -> bool:
        if key not in self._rows:
            return False
        if self.has_keys and self._field is not None:
            self._close_choices()
            self._go_to(key)
        else:
            self._wanted = key
            self.screen.set_focus(self)
        return True

    # ---- layout

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        # Groups stand apart where all of the form can still be seen then.
        share = self.styles.max_height
        most = container.height if share is None else round(container.height * share.value / 100)
        most -= self.styles.gutter.height
        self._fit_lines(self.scrollable_content_region.width or width, most)
        tall = HEAD + len(self._lines) + FOOT
        return tall + (tall < most)

    def on_resize(self) -> None:
        self._fit_lines()

    def _fit_lines(self, width: int = 0, most: int | None = None) -> None:
        """Sets lines and columns for the rows there are; asks for other room if their number has changed."""
        width = self._width = width or self.scrollable_content_region.width
        rows = [row for row in self._rows.values() if not row.beside and self._is_unfolded(row)]
        types = {row.tensor: row for row in self._rows.values() if row.beside}
        self._labels = labels_of(self._rows.values(), width)
        self._columns = columns_of([self._labels[row.key] for row in rows], width)
        before = len(self._lines)
        if most is not None:
            tall = HEAD + len(lines_of(rows, types, self._labels, self._columns, airy=True)) + FOOT
            self._airy = tall < most
        self._lines = lines_of(rows, types, self._labels, self._columns, self._airy)
        self.virtual_size = Size(width, HEAD + len(self._lines) + self._foot_lines)
        if most is None and before != len(self._lines):
            self.refresh(layout=True)
        self._place_field()

    @property
    def _foot_lines(self) -> int:
        """How many lines below the rows don't scroll: the hint, and how many rows are out of sight."""
        return self._foot_lines_at(self.size.height)

    def _foot_lines_at(self, height: int) -> int:
        return FOOT + (HEAD + len(self._lines) + FOOT > height > 0)

    @property
    def _room(self) -> int:
        """Lines of rows that are seen at once."""
        height = self.size.height  # Textual asks the screen for it, so it is asked once
        return max(1, height - HEAD - self._foot_lines_at(height))

    def _is_unfolded(self, row: FormRow) -> bool:
        """True if a row is shown: it never folds, or its tensor is the unfolded one."""
        return not row.folds or row.tensor == self._unfolded

    def _array_tensor(self, key: str) -> str:
        """The tensor that a row of an array belongs to; "" for any other row."""
        row = self._rows.get(key)
        return row.tensor if row is not None and row.is_array else ""

    def _line_number_of(self, key: str) -> int:
        """The number of the line in which a row's field stands; -1 where it is folded."""
        for i, line in enumerate(self._lines):
            if not line.is_label and key in (line.row and line.row.key, line.beside and line.beside.key):
                return i
        return -1

    def _drawing(self, line: Line) -> Drawing:
        """How a line is drawn now."""
        row, beside, key = line.row, line.beside, self.focused_key
        assert row is not None
        severity = self._severity_of(row.key) or (self._severity_of(beside.key) if beside is not None else "")
        return Drawing(
            line,
            self._columns,
            self._labels[row.key],
            row.text,
            type=beside.text if beside is not None else "",
            here=row.key == key,
            near=key == row.key or self._hover == row.key,
            type_here=beside is not None and beside.key == key,
            severity=severity if severity in ("error", "warning") else "",
            type_broken=beside is not None and self._severity_of(beside.key) == "error",
        )

    def _place_field(self) -> None:
        """Lays the field over its row, and hides it where that is out of sight or nothing is typed."""
        field, row = self._field, self._rows.get(self._key)
        if field is None:
            return
        line = self._line_number_of(self._key)
        seen = 0 <= line - self.scroll_offset.y < self._room
        inside = row is not None and row.is_typed and self.has_keys and seen
        if inside and row is not None:
            offset, width = (self._columns.field, HEAD + line), self._drawing(self._lines[line]).width
            if (field.styles.offset.x.value, field.styles.offset.y.value) != offset:
                field.styles.offset = offset
            if field.styles.width is None or field.styles.width.value != width:
                field.styles.width = width
        if field.display != inside:
            field.display = inside

    # ---- focus

    async def on_focus(self) -> None:
        await self._make_field()
        if self.screen.focused is self and self._away:
            self._away = False
            wanted, self._wanted = self._wanted, ""
            self._go_to(wanted or next(iter(self._rows)))
        self.redraw()

    async def _make_field(self) -> None:
        """Makes the field to type in, unless there is one: nobody needs it before the form is used."""
        if self._field is None:
            from .number_input import NumberInput

            self._field = NumberInput(self._typed_in_field, self.take, lambda: self.leaves_letters, id="field")
            self._field.display = False
            await self.mount(self._field)

    def enter_last(self) -> None:
        """Puts the focus on the last row, as it comes back from the next pane."""
        self._wanted = list(self._rows)[-1]
        self.screen.set_focus(self)

    def on_blur(self) -> None:
        self._settle()

    def on_descendant_blur(self) -> None:
        self._settle()

    def on_descendant_focus(self) -> None:
        self._away = False
        self._place_field()
        self.redraw()

    def _settle(self) -> None:
        """Closes what is open once the focus is elsewhere."""
        if self._open and self.screen.focused is not self._choices:
            self._close_choices(refocus=False)
        if not self.has_keys:
            self._away = True
            self._place_field()
        self.redraw()

    def allow_focus_children(self) -> bool:
        """Tab goes from row to row by the form's own binding."""
        return False

    @property
    def is_container(self) -> bool:
        """The field and the choices are laid out over the lines."""
        return True

    def place_cursor(self, at: int | None = None) -> None:
        self._away = False
        tensor = self._array_tensor(self._key)
        if tensor and tensor != self._unfolded:
            self._unfolded = tensor
            self._fit_lines()
        row, field = self._rows.get(self._key), self._field
        line = self._line_number_of(self._key)
        if line >= 0:
            self._scroll_to_line(line)
        if field is not None:
            if row is not None and row.is_typed:
                field.fill(self._text_for_field(row), row.inferred)
                field.cursor_position = len(field.value) if at is None else at
                if at is None:
                    field.select_all()
                self.screen.set_focus(field, scroll_visible=False)
            else:
                self.screen.set_focus(self, scroll_visible=False)
            self._place_field()
        self.redraw()

    def _scroll_to_line(self, line: int) -> None:
        room = self._room
        top = round(self.scroll_target_y)
        after = self._lines[line + 1].row if line + 1 < len(self._lines) else None
        both = after is not None and after.tensor == self._array_tensor(self._key)  # its values are seen with a tensor
        to = min(max(top, line + both - room + 1), line)
        if to != top:
            self.scroll_to(y=to, animate=False, force=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._place_field()

    # ---- keys

    async def take(self, event: events.Key) -> bool:
        """All keys pass here, whichever part of the form they were sent to: the focus may have moved since."""
        if not self.has_keys:
            return False
        if self._field is None or self._away:
            await self.on_focus()
        if self._open and self._choices is not None:
            if event.key not in ("tab", "shift+tab"):
                return await self._choices.take(event)
            self._close_choices()
        return await super().take(event)

    async def type_key(self, event: events.Key) -> bool:
        row = self._rows.get(self._key)
        if self._field is not None and (row is None or row.is_typed):
            if not self._field.display:
                self._scroll_to_line(self._line_number_of(self._key))
            return await self._field.take(event)
        if row is not None and row.choices and event.is_printable and event.character:
            await self.action_open()
            if self._choices is not None:
                self._choices.search(event.character)
            return True
        return False

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        row = self._edited_row
        if action in ("open", "pick"):
            return row is not None and not row.is_typed
        if action == "step":
            return row is not None and row.is_typed
        if action == "grow" and row is not None and row.key.endswith(".values"):
            # A sign belongs to the number that is typed there; nothing is typed yet where all of it is selected.
            field = self._field
            return parameters == (1,) and field is not None and field.selected_text == field.value and row.is_array
        return self.can(action, parameters)

    def can(self, action: str, parameters: tuple[object, ...] = ()) -> bool:
        """True if an action would find a row to work on, whatever it was asked for by."""
        row = self._edited_row
        if action in ("open", "pick"):
            return row is not None and bool(row.choices)
        if action == "grow":
            return row is not None and (row.adds or row.is_array)
        if action == "shift":
            return row is not None and row.is_array
        return self.has_keys or self.is_on_screen

    async def action_accept(self) -> None:
        row = self._edited_row
        if row is None or row.is_typed:
            self.action_walk(1)
        else:
            await self.action_open()

    async def action_open(self) -> None:
        """Opens the choices of the row, or adds a tensor where the row is for that."""
        row = self._edited_row
        if row is None or not row.choices:
            self.action_grow(1)
            return
        if self._choices is None:
            from .choice_list import ChoiceList

            self._choices = ChoiceList(self._take_choice, self.take, id="choices")
            self._choices.display = False
            await self.mount(self._choices)
        self._choices.offer(row.choices, row.text, row.needs, row.headings)
        number = self._line_number_of(row.key)
        drawing = self._drawing(self._lines[number])
        x = drawing.marks_begin if row.beside else self._columns.field
        needed = max((len(need) + 2 for need in row.needs.values()), default=0)
        width = max(max(map(len, row.choices)) + needed + 4, 0 if row.beside else drawing.width)
        self._choices.styles.offset = (max(0, min(x, self._width - width)), HEAD + number + 1)
        self._choices.styles.width = width
        self._choices.display = True
        self._open = True
        self.screen.set_focus(self._choices, scroll_visible=False)

    def _close_choices(self, refocus: bool = True) -> None:
        if self._open and self._choices is not None:
            self._open = False
            if refocus:
                self.screen.set_focus(self, scroll_visible=False)
            self._choices.display = False

    def _take_choice(self, text: str | None) -> None:
        self._close_choices()
        row = self._rows.get(self._key)
        if text is not None and row is not None and text != row.text:
            self._typed(row.key, text)

    def on_paste(self, event: events.Paste) -> None:
        """Takes a pasted name where there are choices; the field where one types has its own pastes."""
        row = self._edited_row
        choice = named_choice(row.choices, event.text) if row is not None else None
        if choice is not None:
            event.stop()
            self.put_text(choice)

    def action_pick(self, by: int) -> None:
        """Takes the choice before or after the present one; a row without choices goes to the next row instead."""
        row = self._edited_row
        if row is None or row.is_typed:
            return
        if not row.choices:
            self.action_walk(by)
            return
        self.pick(by)

    def _text_for_field(self, row: FormRow) -> str:
        """The text for a row's field: a list that is wider than the field has no spaces."""
        line = self._line_number_of(row.key)
        return self._drawing(self._lines[line]).field_text if line >= 0 else row.text

    def _typed_in_field(self, text: str) -> None:
        """Hands what the field has now to the document, where the row is typed."""
        row = self._rows.get(self._key)
        if row is None or row.is_typed:
            self._typed(self._key, text)

    def action_grow(self, more: int) -> None:
        """Adds a tensor behind the one that has the focus, or removes it."""
        row = self._edited_row
        if row is None or not (row.adds or row.is_array):
            return
        if row.adds:
            name = row.key.removesuffix(".add")
            count = sum(
                r.is_sizes and r.tensor.startswith(f"{name}[") and r.inferred != "none" for r in self._array_rows()
            )
            if more > 0 or count:
                self._grown(f"{name}[{max(0, count - 1)}]", more)
            return
        name, number = _array_and_number(row.tensor)
        self._grown(row.tensor, more)
        key = f"{name}[{number + 1}]" if more > 0 and row.inferred != "none" else row.tensor
        if key in self._rows:
            self._go_to(key)

    def _array_rows(self) -> list[FormRow]:
        return [row for row in self._rows.values() if row.is_array]

    def action_shift(self, by: int) -> None:
        """Moves the tensor that has the focus up or down; the focus goes with it."""
        row = self._edited_row
        if row is None or not row.is_array:
            return
        name, n = _array_and_number(row.tensor)
        to = f"{name}[{n + by}]"
        if to in self._rows:
            self._moved(row.tensor, by)
            same = to + row.key.removeprefix(row.tensor)
            self._go_to(same if same in self._rows else to)

    # ---- the mouse

    def _offset_of(self, event: events.MouseEvent) -> Offset | None:
        """Where in the content the mouse is; None beside the content, or over the field or the open choices."""
        place = event.screen_offset  # an event that bubbled up has the child's own coordinates
        if not self.content_region.contains_point(place) or self.screen.get_widget_at(*place)[0] is not self:
            return None
        return place - self.content_region.offset

    async def on_mouse_down(self, event: events.MouseDown) -> None:
        offset = self._offset_of(event)
        if offset is not None and offset.y == self.size.height - FOOT and self._width - len(HELP) <= offset.x:
            if self.focused_key:
                self.screen.post_message(self.HelpWanted())
            return
        sign = self._task_sign
        if offset is not None and sign and offset.y == 0 and offset.x >= self._width - len(sign):
            self.screen.post_message(self.TaskWanted())
            return
        line = self._line_at(offset.y) if offset is not None else None
        if offset is not None and self._foot_lines > FOOT and offset.y == self.size.height - self._foot_lines:
            self.scroll_to(y=after_click(self.scroll_offset.y, len(self._lines), self._room), animate=False, force=True)
        if offset is None or line is None or line.row is None:
            return
        await self._make_field()
        was_open = self._open
        self._close_choices()
        row = line.row
        drawing = self._drawing(line)
        mark = None if line.is_label else drawing.mark_at(offset.x)
        if mark is not None and mark.action:
            await self._press_mark_of(line, mark)
            return
        x = offset.x - drawing.field
        at = max(0, x - 1) if row.is_typed and x >= 0 and not line.is_label else None
        self._go_to(row.key, at if row.text else None)
        if not row.is_typed and not was_open and (row.adds or x >= 0):
            await self.action_open()

    def _line_at(self, y: int) -> Line | None:
        """The line under a line of the widget; None for title, hint and what lies below."""
        if not HEAD <= y < HEAD + self._room:
            return None
        n = y - HEAD + self.scroll_offset.y
        return self._lines[n] if n < len(self._lines) else None

    async def _press_mark_of(self, line: Line, mark: Mark) -> None:
        """Does what a click on a line's mark does."""
        row = line.row
        assert row is not None
        if mark.action == "type" and line.beside is not None:
            self._go_to(line.beside.key)
            await self.action_open()
            return
        if row.key != self.focused_key or mark.action not in ("less", "more"):  # they step the number at the cursor
            self._go_to(row.key)
        if mark.action in ("up", "down"):
            self.action_shift(-1 if mark.action == "up" else 1)
        elif mark.action == "remove":
            self.action_grow(-1)
        else:
            self.press(mark.action)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        offset = self._offset_of(event)
        line = self._line_at(offset.y) if offset is not None else None
        hover = line.row.key if line is not None and line.row is not None else ""
        if hover != self._hover:
            self._hover = hover
            self.redraw()

    def on_leave(self) -> None:
        self._hover = ""
        self.redraw()

    # ---- drawing

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        inks, width, (columns, height) = _form_styles(self.app.theme_variables), self._width, self.size
        top, foot = self.scroll_offset.y, self._foot_lines_at(height)
        number = y - HEAD + top
        segs: list[Segment] = []
        if y == 0:
            segs = self._title_segments(inks)
        elif y == 1:
            segs = [Segment("─" * width, inks["rule"])]
        elif y == height - FOOT:
            segs = self._hint_segments(inks)
            if self.focused_key:
                hint = Strip(segs).adjust_cell_length(width - len(HELP), inks["plain"])
                segs = [*hint, Segment(HELP, inks["mark"])]
        elif y == height - foot:
            more = more_of(top, len(self._lines), max(1, height - HEAD - foot), width)
            segs = [Segment(more, inks["dim"])]
        elif y < height and number < len(self._lines) and self._lines[number].row is not None:
            drawn = self._drawing(self._lines[number]).pieces()
            segs = [Segment(piece.text, inks[piece.style]) for piece in drawn]
        return Strip(segs).crop(0, width).extend_cell_length(columns, inks["plain"])

    def _title_segments(self, inks: Mapping[str, Style]) -> list[Segment]:
        """The form's name, and the full name of a row whose label is shortened."""
        title = [Segment("Desc", inks["title"])]
        row = self._rows.get(self.focused_key or self._hover)
        if row is not None and self._labels.get(row.tensor, row.tensor) != row.tensor:
            title.append(Segment(f"  {row.tensor}"[: max(0, self._width - len("Desc"))], inks["dim"]))
        sign = self._task_sign
        if sign:
            line = Strip(title).adjust_cell_length(max(0, self._width - len(sign)), inks["plain"])
            title = [*line, Segment(sign, inks["mark"])]
        return title

    @property
    def _task_sign(self) -> str:
        """What stands at the title's right where the experiment asks something; a click there edits that."""
        return " ? task " if self._form is not None and self._form.asks else ""

    def _hint_segments(self, inks: Mapping[str, Style]) -> list[Segment]:
        """One line that helps with the row that has the focus."""
        key, field, width = self.focused_key, self._field, self._width
        row = self._rows.get(key)
        if row is None:
            return []
        if self._is_unread(row.key):
            return [Segment("not read: esc restores it", inks["warning"])]
        if row.is_sizes and field is not None:
            text, at = (field.value, field.cursor_position) if field.value else (row.inferred, len(row.inferred))
            axis = number_at(text, at)
            segs = []
            if axis is not None:
                role = row.roles.get(axis)
                segs = [Segment(f"axis {axis}", inks["accent" if role else "plain"])]
                place = ordinal(axis, len(text.replace(",", " ").split()))
                segs.append(Segment(f" = {role}" if role else f", {place}", inks["accent" if role else "dim"]))
            if row.is_array:
                segs.append(Segment("  "[: 2 * bool(segs)], inks["dim"]))
                room = width - len(HELP) - sum(len(s.text) for s in segs)
                segs.append(Segment(cut(ADD_HINT, room), inks["dim"]))
            return segs
        if row.choices:
            return [Segment("enter opens, ↑ ↓ choose", inks["dim"])]
        return [Segment(cut(row.hint or "↑ ↓ step the number", width), inks["dim"])]


def _array_and_number(tensor: str) -> tuple[str, int]:
    """`("InputTensors", 1)` for `InputTensors[1]`."""
    name, _, n = tensor.partition("[")
    return name, int(n.rstrip("]"))


@lru_cache(maxsize=8)
def _styles_for(items: tuple[tuple[str, str], ...]) -> dict[str, Style]:
    colours = {name: Color.parse(value) for name, value in items}
    paper, text, panel = colours["surface"], colours["foreground"], colours["panel"]
    primary, error = colours["primary"], colours["error"]

    def style(colour: Color, ground: Color = paper, bold: bool = False) -> Style:
        return Style(color=colour.rich_color, bgcolor=ground.rich_color, bold=bold or None)

    return {
        "plain": style(text),
        "strong": style(text, bold=True),
        "title": style(text, bold=True),
        "rule": style(paper.blend(text, 0.28)),
        "dim": style(colours["hint"]),
        "mark": style(colours["accent"], bold=True),
        "accent": style(colours["accent"], bold=True),
        "error": style(error, bold=True),
        "warning": style(colours["warning"], bold=True),
        "field": style(text, panel),
        "field error": style(error, panel, bold=True),
        "inferred": style(colours["ruler"], panel),
        "focused": style(text, primary, bold=True),
        "plain mark": style(text, panel),
        "dim mark": style(panel.blend(text, 0.75), panel),
        "mark mark": style(colours["accent"], panel, bold=True),
        "focused mark": style(text, primary, bold=True),
        "error mark": style(error, panel, bold=True),
        "warning mark": style(colours["warning"], panel, bold=True),
        "button": style(colours["accent"]),
        "button focused": style(text, primary, bold=True),
    }


def _form_styles(variables: Mapping[str, str]) -> dict[str, Style]:
    """The form's styles by name, on a theme; cached."""
    names = ("surface", "panel", "foreground", "primary", "accent", "error", "warning", "ruler", "hint")
    return _styles_for(tuple((name, variables[name]) for name in names))
