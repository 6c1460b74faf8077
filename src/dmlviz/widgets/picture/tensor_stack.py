"""The tensors of one side, drawn line by line; scrolls over any size because only the window is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import BindingType
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ...scene.drawing.stack_lines import stack_lines
from ...scene.drawing.wires import Wire, wired
from ...scene.elements.cursor import Cursor
from ...scene.elements.partners import Partners
from ...scene.layout.stack import Stack
from ...scene.layout.zoom import Zoom
from ...scene.look import Look
from ...scene.spans import TITLE, Line, Style
from ..lib.commands import bindings
from ..lib.painted import Painted, strip_of

FOCUSED_TITLE = Style("focused title")


class TensorStack(ScrollView, Painted, can_focus=True, inherit_bindings=False):
    """Shows a `Stack`; arrow keys, hjkl and clicks move the cell cursor."""

    BINDINGS = bindings("picture")

    @dataclass(repr=False, eq=False)
    class Pointed(Message):
        """The user looks at an element."""

        cursor: Cursor
        clicked: bool = False
        """Its own cell was clicked, and no mark that turns to it."""

    class Resized(Message):
        """There is other room for the picture."""

    def __init__(self, *, is_output: bool, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.is_output = is_output
        self.stack: Stack | None = None
        self.look = Look()
        self.partners = Partners()
        self.wires: tuple[Wire, ...] = ()
        self._lines: list[Line] = []
        self._drawn: tuple[Offset, Size] | None = None  # the window that the lines are of

    def take(self, stack: Stack | None, look: Look, partners: Partners, wires: tuple[Wire, ...] = ()) -> None:
        """Takes a picture, cursor or step; `wires` are a value's route."""
        before, self.stack = self.stack, stack
        self.look, self.partners, self.wires = look, partners, wires
        if stack is None or before is None or stack.family is not before.family:
            self.virtual_size = self._extent()

    def _extent(self) -> Size:
        """What there is to scroll to: nothing where all fits, so that another picture that fits needs no layout."""
        stack, (width, height) = self.stack, self.size
        if stack is None:
            return Size(0, 0)
        wide, tall = stack.extent > width, stack.height > height
        # A bar that one direction needs takes room from the other.
        wide, tall = wide or (tall and stack.extent >= width), tall or (wide and stack.height >= height)
        return Size(stack.extent if wide else 0, stack.height if tall else 0)

    def reveal(self, *cursors: Cursor, anew: bool = False) -> None:
        """Scrolls as little as will do, or `anew` from the beginning, to show elements in turn with their rulers."""
        if self.stack is None:
            return
        room = self.scrollable_content_region
        left, top = start = Offset(0, 0) if anew else self.scroll_offset
        for cursor in cursors:
            figure = self.stack.figure(cursor.place)
            x, y = self.stack.locate(cursor)
            # The pinned ruler hides as many lines as it has, so room is kept above the cell too.
            above = min(y, figure.head)
            region = Region(x, y - above, figure.cell + figure.margin + 1, above + 1)
            if figure.zoom is Zoom.LARGE:
                region = region.grow((0, 0, 1, 0))
            window = room.at_offset(Offset(left, top))
            if not region.contains_region(window):
                across, down = Region.get_scroll_to_visible(window, region)
                left, top = _clamped(left + across, self.max_scroll_x), _clamped(top + down, self.max_scroll_y)
                if across > 0 and not self.stack.beside:  # half a cell at the left would have lost its value
                    whole = figure.columns.whole_from(left)
                    left = whole if whole <= min(x, self.max_scroll_x) else left
        if anew or (left, top) != start:
            self.scroll_to(left, top, animate=False, force=True, immediate=True)

    def line_of(self, cursor: Cursor) -> int | None:
        """The line of an element; out of sight, the line above or below what is seen. None without a picture."""
        if self.stack is None:
            return None
        height, top = self._room.height, self.scroll_offset.y
        line = self.stack.locate(cursor)[1] - top
        is_above = line < 0 or (line < height and self.stack.covers(line, top))
        return -1 if is_above else min(line, height)

    def on_resize(self) -> None:
        self.virtual_size = self._extent()
        self.post_message(self.Resized())

    def redraw(self) -> None:
        """Draws the lines that are others than those drawn last."""
        before, drawn = self._lines, self._drawn
        if drawn is not None:  # else no frame was drawn yet, and the room may be another in the first
            self._make_lines()
        if drawn is not None and drawn == self._drawn:
            self.refresh_changed(before, self._lines)
        else:
            self.refresh()

    def _make_lines(self) -> None:
        self._drawn = (left, top), (width, height) = self.scroll_offset, self._room
        lines = stack_lines(self.stack, top, height, left, width, self.look, self.partners) if self.stack else []
        self._lines = wired(lines, self.wires, width) if self.wires else lines

    def render_lines(self, crop: Region) -> list[Strip]:
        if self._drawn != (self.scroll_offset, self._room):
            before = self._lines
            self._make_lines()
            if self._lines != before and crop.size != self.size:
                self.refresh()  # what lies outside is drawn still as it was
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        return strip_of(self._with_focus(self._lines[y], y) if y < len(self._lines) else [], self.inks, self.size.width)

    @property
    def _room(self) -> Size:
        return self.scrollable_content_region.size

    def _with_focus(self, line: Line, y: int) -> Line:
        """A line `y` of the window; if the side has the focus, its titles stand out."""
        if not self.has_focus:
            return line
        return [span._replace(style=FOCUSED_TITLE) if span.style == TITLE else span for span in line]

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def action_move(self, rows: int, columns: int) -> None:
        if self.stack is None or not self.stack.figures:
            return
        cursor = self.look.cursor
        if cursor is None or cursor.place.is_output != self.is_output:
            target = self.stack.upper_left()
        else:
            target = self.stack.moved(cursor, rows, columns)
        self.screen.post_message(self.Pointed(target))

    def action_page(self, direction: int, outer: int = 0) -> None:
        """Goes to the next slice, along the innermost sliced axis or `outer` further out; else a page further."""
        cursor = self.look.cursor
        if self.stack is not None and cursor is not None and cursor.place.is_output == self.is_output:
            target = self.stack.turned(cursor, direction, outer)
            if target is not None:
                self.screen.post_message(self.Pointed(target))
                return
        self.action_move(direction * max(1, self.size.height - 4), 0)

    def on_click(self, event: events.Click) -> None:
        if self.stack is None or not self.stack.figures:
            return
        offset = event.get_content_offset(self)
        if offset is None:
            return
        left, top = self.scroll_offset
        cursor = self.stack.hit(offset.x, offset.y, top, left)
        if cursor is not None:
            self.screen.post_message(self.Pointed(cursor, clicked=True))

    def action_turn(self, number: int, axis: int, by: int) -> None:
        if self.stack is not None and number < len(self.stack.figures):
            figure = self.stack.figures[number]
            self.screen.post_message(self.Pointed(Cursor(figure.place, figure.turned(axis, by))))


class ShownStack(TensorStack, can_focus=False, inherit_bindings=False):
    """A side of a picture that is shown: its screen has the keys."""

    BINDINGS: ClassVar[list[BindingType]] = []


def _clamped(at: int, most: int) -> int:
    return min(max(0, at), most)
