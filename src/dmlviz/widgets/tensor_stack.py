"""The tensors of one side, drawn line by line; scrolls over any size because only the window is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.segment import Segment
from textual import events
from textual.binding import Binding
from textual.filter import ANSIToTruecolor, LineFilter
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ..scene.figure import TITLE, Cursor, Line, Look, Partners, Style, length
from ..scene.stack import Stack
from .inks import inks_of

Window = tuple[tuple[object, object], list[Strip]]
"""What is drawn where, and what it shows; the lines."""
FOCUSED_TITLE = Style("focused title")


class TensorStack(ScrollView, can_focus=True, inherit_bindings=False):
    """Shows a `Stack`; arrow keys, hjkl and clicks move the cell cursor."""

    BINDINGS = [
        Binding("up,k", "move(-1, 0)", "Up", show=False, id="cell.up"),
        Binding("down,j", "move(1, 0)", "Down", show=False, id="cell.down"),
        Binding("left,h", "move(0, -1)", "Left", show=False, id="cell.left"),
        Binding("right,l", "move(0, 1)", "Right", show=False, id="cell.right"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="cell.page-up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="cell.page-down"),
    ]

    @dataclass
    class Pointed(Message):
        """The user looks at an element."""

        cursor: Cursor

    class Resized(Message):
        """There is other room for the picture."""

    def __init__(self, *, is_output: bool, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.is_output = is_output
        self.stack: Stack | None = None
        self.look = Look()
        self.partners = Partners()
        self._window: Window | None = None
        self._made: tuple[object, list[tuple[Line, Strip]]] = None, []

    def show(self, stack: Stack | None, look: Look, partners: Partners) -> None:
        """Draws another picture, or the same with another cursor or step."""
        if stack is not self.stack:
            self.stack = stack
            self.virtual_size = Size(stack.extent, stack.height) if stack else Size(0, 0)
            self.look, self.partners = look, partners
            self._window = None
            self.refresh()
        elif (look, partners) != (self.look, self.partners):
            old, self.look, self.partners = self._window, look, partners
            new = self._shown()
            if old is None or old[0][0] != new[0][0]:
                self.refresh()
            else:
                # Most steps change a line or two, and a line costs what its columns do.
                changed = [y for y, pair in enumerate(zip(old[1], new[1], strict=True)) if pair[0] is not pair[1]]
                if changed:
                    self.refresh(*(Region(0, y, self.size.width, 1) for y in changed))

    def reveal(self, cursor: Cursor) -> None:
        """Scrolls so that an element is seen, with the rulers around it."""
        if self.stack is None:
            return
        figure = self.stack.figure(cursor.place)
        x, y = self.stack.place(cursor)
        # The pinned ruler hides as many lines as it has, so room is kept above the cell too.
        region = Region(x, max(0, y - figure.head), figure.cell + figure.margin + 1, figure.head + 1)
        self.scroll_to_region(region, animate=False, force=True, immediate=True)

    def line_of(self, cursor: Cursor) -> int | None:
        """The screen line on which an element is drawn; None where it is out of sight."""
        if self.stack is None:
            return None
        _, y = self.stack.place(cursor)
        line, top = y - self.scroll_offset.y, self.scroll_offset.y
        number = self.stack.figure_at(top)
        figure, start = self.stack.figures[number], top - self.stack.tops[number]
        if 0 < start < figure.height - figure.head - 1 and line < figure.head:
            return None  # the pinned ruler lies over it
        return line if 0 <= line < self.size.height else None

    def level_of(self, cursor: Cursor) -> int | None:
        """The same, and where it is out of sight a line above (-1) or below (the height): None without a picture."""
        line = self.line_of(cursor)
        if line is not None or self.stack is None:
            return line
        height = self.size.height
        return height if self.stack.place(cursor)[1] - self.scroll_offset.y >= height else -1

    def on_resize(self) -> None:
        self.post_message(self.Resized())

    def notify_style_update(self) -> None:
        self._window = None
        super().notify_style_update()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Without the one that turns ANSI colours into others: there are none here, and it would look at every cell."""
        return [each for each in super().get_line_filters() if not isinstance(each, ANSIToTruecolor)]

    def render_line(self, y: int) -> Strip:
        strips = self._shown()[1]
        return strips[y] if y < len(strips) else Strip.blank(self.size.width, self.rich_style)

    def _shown(self) -> Window:
        """The window as it is now; made once until something in it changes."""
        left, top = self.scroll_offset
        key = (left, top, self.size, id(self.stack)), (self.look, self.partners)
        if self._window is None or self._window[0] != key:
            self._window = key, self._strips(top, left, *self.size)
        return self._window

    def _strips(self, top: int, left: int, width: int, height: int) -> list[Strip]:
        if self.stack is None:
            return []
        inks = inks_of(self.app.theme_variables)
        lines = self.stack.lines(top, height, left, width, self.look, self.partners)
        paper = self.rich_style  # asked for once: it is worked out anew each time
        same = (width, self.has_focus, inks, paper)
        before = self._made[1] if self._made[0] == same else []
        made = []
        for i, line in enumerate(lines):
            if i < len(before) and before[i][0] == line:
                made.append(before[i])  # the line before the last step, as it was
                continue
            segments = [Segment(span.text, inks.style(self._focused(span.style))) for span in line]
            made.append((line, Strip(segments, length(line)).adjust_cell_length(width, paper)))
        self._made = same, made
        return [strip for _, strip in made]

    def _focused(self, style: Style) -> Style:
        """The titles of the side that has the focus stand out."""
        return FOCUSED_TITLE if style == TITLE and self.has_focus else style

    def on_focus(self) -> None:
        self._window = None
        self.refresh()

    def on_blur(self) -> None:
        self._window = None
        self.refresh()

    def action_move(self, rows: int, columns: int) -> None:
        if self.stack is None or not self.stack.figures:
            return
        cursor = self.look.cursor
        if cursor is None or cursor.place.is_output != self.is_output:
            found = self.stack.first()
        else:
            found = self.stack.moved(cursor, rows, columns)
        self.post_message(self.Pointed(found))

    def action_page(self, direction: int) -> None:
        self.action_move(direction * max(1, self.size.height - 4), 0)

    def on_click(self, event: events.Click) -> None:
        if self.stack is None:
            return
        offset = event.get_content_offset(self)
        if offset is None:
            return
        cursor = self.stack.hit(offset.x, offset.y, self.scroll_offset.y, self.scroll_offset.x)
        if cursor is not None:
            self.post_message(self.Pointed(cursor))
