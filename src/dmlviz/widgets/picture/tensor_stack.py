"""The tensors of one side, drawn line by line; scrolls over any size because only the window is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from msgspec.structs import replace
from textual import events
from textual.binding import BindingType
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ...scene.drawing.stack_lines import stack_lines
from ...scene.drawing.wires import Wire, wired
from ...scene.elements.cursor import Cursor
from ...scene.elements.partners import Partners
from ...scene.layout.stack import Aside, Stack
from ...scene.layout.zoom import Zoom
from ...scene.look import Look
from ...scene.spans import AXIS, TITLE, Line, Span, Style
from ..lib.commands import bindings
from ..lib.painted import BAR, Painted, strip_of
from ..lib.textual_private import actions_in_reach, scroll_within

FOCUSED_TITLE = Style("focused title")
AT_ONCE = ("move(", "page(", "step(", "do('go_by'")
"""How actions begin that are done where their key arrives."""


class TensorStack(ScrollView, Painted, can_focus=True, inherit_bindings=False):
    """Shows a `Stack`; arrow keys, hjkl and clicks move the cell cursor."""

    BINDINGS = bindings("picture")

    @dataclass(repr=False, eq=False)
    class Pointed(Message):
        """The user looks at an element."""

        cursor: Cursor
        clicked: bool = False
        """Its own cell was clicked, and no mark that turns to it."""

    class WholeWanted(Message):
        """The steps are to be left: all is to be shown."""

    asides_scrolled = reactive(0, repaint=False)
    """Grows whenever the place of a tensor is scrolled that doesn't scroll with the others."""

    class Resized(Message):
        """There is other room for the picture."""

    def __init__(self, *, is_output: bool, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.is_output = is_output
        self.stack: Stack | None = None
        """What is drawn: as it was given, but for what the wheel has scrolled of it since."""
        self.given: Stack | None = None
        self._scrolled: dict[int, tuple[Aside, Aside]] = {}
        """Places that the wheel has scrolled, by their figures' numbers: as they were given, and as they are."""
        self.look = Look()
        self.partners = Partners()
        self.wires: tuple[Wire, ...] = ()
        self._lines: list[Line] = []

    def take(self, stack: Stack | None, look: Look, partners: Partners, wires: tuple[Wire, ...] = ()) -> None:
        """Takes a picture, cursor or step; `wires` are a value's route. `draw` draws it, once scrolled."""
        before = self.stack
        self.given, self.stack = stack, self._as_scrolled(stack, before)
        self.look, self.partners, self.wires = look, partners, wires
        if stack is None or before is None or stack.family is not before.family:
            self._fit_extent()

    def _as_scrolled(self, stack: Stack | None, before: Stack | None) -> Stack | None:
        """The stack with places scrolled as the wheel left them, where they haven't turned to another element since."""
        if stack is None or before is None or stack.family is not before.family:
            self._scrolled = {}
        if stack is None or not self._scrolled:
            return stack
        given = {aside.number: aside for aside in stack.asides}
        self._scrolled = {n: pair for n, pair in self._scrolled.items() if given.get(n) == pair[0]}
        asides = (self._scrolled.get(aside.number, (aside, aside))[1] for aside in stack.asides)
        return replace(stack, asides=tuple(asides))

    def _scroll_aside(self, aside: Aside) -> None:
        """Draws a tensor that scrolls by itself as far scrolled as `aside` says."""
        stack, given = self.stack, self.given
        assert stack is not None
        assert given is not None
        if aside in stack.asides:
            return
        unscrolled = next(other for other in given.asides if other.number == aside.number)
        self._scrolled[aside.number] = unscrolled, aside
        asides = (aside if other.number == aside.number else other for other in stack.asides)
        self.stack = replace(stack, asides=tuple(asides))
        self.refresh()
        self.asides_scrolled += 1

    def _fit_extent(self) -> None:
        """Sets what there is to scroll to; the screen is laid out anew only where a bar comes or goes."""
        extent, before = self._extent(), self.virtual_size
        if self.size.height and (extent.width > 0, extent.height > 0) == (before.width > 0, before.height > 0):
            if extent != before:
                scroll_within(self, extent)
        else:
            self.virtual_size = extent

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
            figure, aside = self.stack.figure(cursor.place), self.stack.aside(cursor.place)
            if aside is not None:  # it turns by itself, but where the wheel has scrolled it
                if aside.number in self._scrolled:
                    self._scroll_aside(aside.following(figure, cursor.index))
                continue
            x, y = self.stack.locate(cursor)
            # The pinned ruler hides as many lines as it has, so room is kept above the cell too.
            above = min(y, figure.head + self.stack.ahead)
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
        """The screen line on which an element is drawn; None where it is out of sight."""
        if self.stack is None:
            return None
        _, y = self.stack.locate(cursor)
        aside = self.stack.aside(cursor.place)
        if aside is not None:
            first, last = self._rows_of(aside)
            return y if first <= y <= last else None
        line, top = y - self.scroll_offset.y, self.scroll_offset.y
        if self.stack.covers(line, top):
            return None
        return line if 0 <= line < self._room.height else None

    def _rows_of(self, aside: Aside) -> tuple[int, int]:
        """The first and the last line of the window in which a place shows rows, below the rulers that stay."""
        assert self.stack is not None
        figure, top = self.stack.figures[aside.number], self.stack.tops[aside.number]
        pinned = figure.head if 0 < aside.top < figure.height - figure.head - 1 else 0
        return top + pinned, top + aside.height - 1

    def title_lines(self) -> frozenset[int]:
        """The lines of the window in which titles stand; the first where all are out of sight."""
        stack, height = self.stack, self._room.height
        if stack is None or not stack.figures:
            return frozenset()
        asides, top = {aside.number for aside in stack.asides}, self.scroll_offset.y
        numbers = range(len(stack.figures))
        if not asides and not stack.beside:  # there may be thousands
            numbers = range(stack.figure_at(top), stack.figure_at(top + height) + 1)
        starts = ((stack.figures[n], stack.tops[n] - (0 if n in asides else top)) for n in numbers)
        lines = {start + line for figure, start in starts for line in range(figure.titled)}
        return frozenset({y for y in lines if 0 <= y < height} or {0})

    def nearest_line_of(self, cursor: Cursor) -> int | None:
        """The line of an element; out of sight, the line above or below what is seen. None without a picture."""
        line = self.line_of(cursor)
        if line is not None or self.stack is None:
            return line
        aside = self.stack.aside(cursor.place)
        if aside is not None:  # right above or below its rows
            first, last = self._rows_of(aside)
            return first - 1 if self.stack.locate(cursor)[1] < first else last + 1
        height = self._room.height
        return height if self.stack.locate(cursor)[1] - self.scroll_offset.y >= height else -1

    def on_resize(self) -> None:
        self.virtual_size = self._extent()
        self.post_message(self.Resized())

    def render_lines(self, crop: Region) -> list[Strip]:
        (left, top), (width, height) = self.scroll_offset, self._room
        lines = stack_lines(self.stack, top, height, left, width, self.look, self.partners) if self.stack else []
        self._lines = wired(lines, self.wires, width) if self.wires else lines
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        return strip_of(self._with_focus(self._lines[y], y) if y < len(self._lines) else [], self.inks, self.size.width)

    @property
    def _room(self) -> Size:
        """The size without the scroll bars."""
        return self.scrollable_content_region.size

    def _with_focus(self, line: Line, y: int) -> Line:
        """A line; if the side has the focus, its titles stand out, behind a bar where there is room for it."""
        if not self.has_focus:
            return line
        spans = [span._replace(style=FOCUSED_TITLE) if span.style == TITLE else span for span in line]
        before = self.stack.before if self.stack is not None else 0
        if before and spans and spans[0].text[:before] == " " * before and y in self.title_lines():
            first = spans[0]
            rest = first._replace(text=first.text[before:])
            spans[:1] = [first._replace(text=first.text[: before - 1]), Span(BAR, AXIS), rest]
        return spans

    @property
    def bar_beside(self) -> frozenset[int]:
        """The lines of the window that have the bar of the focus in the column before it."""
        inside = self.stack is None or self.stack.before > 0
        return self.title_lines() if self.has_focus and not inside else frozenset()

    def on_focus(self) -> None:
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    async def on_key(self, event: events.Key) -> None:
        """Moves and steps at once: else a key's binding is looked up once it has travelled through all panes."""
        for node, action in actions_in_reach(self.screen, event.key):
            if not action.startswith(AT_ONCE):
                return
            if await self.app.run_action(action, node):
                event.stop()
                event.prevent_default()
                return

    def action_move(self, rows: int, columns: int) -> None:
        if self.stack is None or not self.stack.figures:
            return
        cursor = self.look.cursor
        if cursor is None or cursor.place.is_output != self.is_output:
            target = self.stack.upper_left()
        else:
            target = self.stack.moved(cursor, rows, columns)
        self.screen.post_message(self.Pointed(target))

    def action_show_whole(self) -> None:
        self.post_message(self.WholeWanted())

    def action_page(self, direction: int, outer: int = 0) -> None:
        """Goes to the next slice, along the innermost sliced axis or `outer` further out; else a page further."""
        cursor = self.look.cursor
        if self.stack is not None and cursor is not None and cursor.place.is_output == self.is_output:
            target = self.stack.turned(cursor, direction, outer)
            if target is not None:
                self.screen.post_message(self.Pointed(target))
                return
        self.action_move(direction * max(1, self.size.height - 4), 0)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._scroll_under_mouse(event, 1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._scroll_under_mouse(event, -1)

    def on_mouse_scroll_right(self, event: events.MouseScrollRight) -> None:
        self._scroll_under_mouse(event, 1, across=True)

    def on_mouse_scroll_left(self, event: events.MouseScrollLeft) -> None:
        self._scroll_under_mouse(event, -1, across=True)

    def _scroll_under_mouse(self, event: events.MouseEvent, way: int, *, across: bool = False) -> None:
        """Scrolls the tensor under the mouse, if it scrolls by itself and has more than is seen."""
        stack, offset = self.stack, event.get_content_offset(self)
        if stack is None or offset is None or not 0 <= offset.y < stack.ahead:
            return
        aside = next(place for place in stack.asides if place.number == stack.figure_at(offset.y))
        figure = stack.figures[aside.number]
        if across or event.shift or event.ctrl:
            most = max(0, figure.extent - self._room.width)
            turned = replace(aside, left=_clamped(aside.left + way * round(self.app.scroll_sensitivity_x), most))
        else:
            most = max(0, figure.height - aside.height)
            turned = replace(aside, top=_clamped(aside.top + way * round(self.app.scroll_sensitivity_y), most))
        if most:
            event.stop()
            event.prevent_default()
            self._scroll_aside(turned)

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
        """Looks at another slice of a tensor by its number: marks in headings do so."""
        if self.stack is not None and number < len(self.stack.figures):
            figure = self.stack.figures[number]
            self.screen.post_message(self.Pointed(Cursor(figure.place, figure.turned(axis, by))))


class ShownStack(TensorStack, can_focus=False, inherit_bindings=False):
    """A side of a picture that is shown: its screen has the keys."""

    BINDINGS: ClassVar[list[BindingType]] = []


def _clamped(at: int, most: int) -> int:
    return min(max(0, at), most)
