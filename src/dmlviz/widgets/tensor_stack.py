"""The tensors of one side, drawn line by line; scrolls over any size because only the window is asked for."""

from __future__ import annotations

from dataclasses import dataclass

from rich.segment import Segment
from textual import events
from textual.binding import Binding
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ..scene.figure import TITLE, Cursor, Look, Partners, Style
from ..scene.stack import Stack
from .inks import inks_of

FOCUSED_TITLE = Style("focused title")


class TensorStack(ScrollView, can_focus=True, inherit_bindings=False):
    """Shows a `Stack`; arrow keys, hjkl and clicks move the cell cursor."""

    BINDINGS = [
        Binding("up,k", "move(-1, 0)", "Up", show=False, id="cell.up"),
        Binding("down,j", "move(1, 0)", "Down", show=False, id="cell.down"),
        Binding("left,h", "move(0, -1)", "Left", show=False, id="cell.left"),
        Binding("right,l", "move(0, 1)", "Right", show=False, id="cell.right"),
        Binding("enter", "pin", "pin", key_display="enter", id="cell.pin"),
        Binding("escape", "unpin", "Unpin the last, then all", show=False, id="cell.unpin"),
        Binding("pageup", "page(-1)", "Page up", show=False, id="cell.page-up"),
        Binding("pagedown", "page(1)", "Page down", show=False, id="cell.page-down"),
    ]

    @dataclass
    class Pointed(Message):
        """The user looks at an element."""

        cursor: Cursor

    @dataclass
    class Pinned(Message):
        """An element is to be pinned, or its pin taken off; None: the last pin is to go."""

        cursor: Cursor | None

    class Resized(Message):
        """There is other room for the picture."""

    def __init__(self, *, is_output: bool, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.is_output = is_output
        self.stack: Stack | None = None
        self.look = Look()
        self.partners = Partners()
        self._window: tuple[object, list[Strip]] | None = None

    def show(self, stack: Stack | None, look: Look, partners: Partners) -> None:
        """Draws another picture, or the same with another cursor or step."""
        if stack is not self.stack:
            self.stack = stack
            self.virtual_size = Size(stack.extent, stack.height) if stack else Size(0, 0)
        self.look, self.partners = look, partners
        self._window = None
        self.refresh()

    def reveal(self, cursor: Cursor) -> None:
        """Scrolls so that an element is seen, with the rulers around it."""
        if self.stack is None:
            return
        figure = self.stack.figure(cursor.place)
        x, y = self.stack.place(cursor)
        # The pinned ruler hides as many lines as it has, so room is kept above the cell too.
        region = Region(x, max(0, y - figure.head), figure.cell + figure.margin + 1, figure.head + 1)
        self.scroll_to_region(region, animate=False, force=True)

    def line_of(self, cursor: Cursor) -> int | None:
        """The screen line on which an element is drawn; None where it is out of sight."""
        if self.stack is None:
            return None
        _, y = self.stack.place(cursor)
        line = y - self.scroll_offset.y
        return line if 0 <= line < self.size.height else None

    def on_resize(self) -> None:
        self.post_message(self.Resized())

    def notify_style_update(self) -> None:
        self._window = None
        super().notify_style_update()

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        left, top = self.scroll_offset
        key = (left, top, self.size, id(self.stack), self.look)
        if self._window is None or self._window[0] != key:
            self._window = key, self._strips(top, left, width, self.size.height)
        strips = self._window[1]
        return strips[y] if y < len(strips) else Strip.blank(width, self.rich_style)

    def _strips(self, top: int, left: int, width: int, height: int) -> list[Strip]:
        if self.stack is None:
            return []
        inks = inks_of(self.app.theme_variables)
        lines = self.stack.lines(top, height, left, width, self.look, self.partners)
        made = []
        for line in lines:
            segments = [Segment(span.text, inks.style(self._focused(span.style))) for span in line]
            made.append(Strip(segments).adjust_cell_length(width, self.rich_style))
        return made

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

    def action_pin(self) -> None:
        if self.look.cursor is not None:
            self.post_message(self.Pinned(self.look.cursor))

    def action_unpin(self) -> None:
        self.post_message(self.Pinned(None))

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
            if event.ctrl or event.chain == 2:
                self.post_message(self.Pinned(cursor))
