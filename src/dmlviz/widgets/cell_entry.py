"""A field laid over a cell of the picture, to type its value into."""

from __future__ import annotations

from collections.abc import Callable

from textual import events
from textual.binding import Binding, NoBinding
from textual.geometry import Region
from textual.widgets import Input, Static

from ..scene.elements.cursor import Cursor

NARROWEST = 8
"""Columns of the field, however narrow the cell."""
LONGEST = 400
"""Characters that can be typed."""


class CellEntry(Input):
    """A one-line field over the cell of one element. It knows no values: `done` takes what was typed.

    `done(by)` is called with 1 or -1 where the text is meant and another cell is next, with 0 where it is given up.
    """

    BINDINGS = [
        Binding("enter,tab", "done(1)", "set, next cell", key_display="enter", id="entry.next"),
        Binding("shift+tab", "done(-1)", "set, cell before", show=False, id="entry.previous"),
        Binding("escape", "done(0)", "leave", key_display="esc", id="entry.leave"),
    ]

    def __init__(self, done: Callable[[int], None], *, id: str) -> None:  # noqa: A002
        super().__init__(compact=True, select_on_focus=False, max_length=LONGEST, id=id)
        self._done = done
        self.cursor: Cursor | None = None
        self.held = ""
        """What the cell holds."""

    def fill(self, cursor: Cursor, text: str) -> None:
        """Stands for another element, or for the same one with another value; what is typed replaces `text`."""
        self.cursor, self.held = cursor, text
        with self.prevent(Input.Changed):
            self.value = text
        self.action_select_all()

    @property
    def changed(self) -> bool:
        return self.value.strip() != self.held

    def lie_over(self, cell: Region, room: Region) -> None:
        """Lies over `cell`, as far as `room` allows; both in the screen's coordinates."""
        width = min(max(cell.width, NARROWEST, len(self.held) + 3), room.width)
        x = max(room.x, min(cell.x, room.right - width))
        self.styles.width, self.styles.offset = width, (x, cell.y)

    async def _on_key(self, event: events.Key) -> None:
        """Runs the field's own bindings in the order in which keys were pressed.

        A binding is otherwise looked up after the key has travelled to the app and back, when the next cell's digits
        are in this one already.
        """
        try:
            bindings = self._bindings.get_bindings_for_key(event.key)
        except NoBinding:
            return
        event.stop()
        event.prevent_default()
        for binding in bindings:
            await self.run_action(binding.action)

    def action_done(self, by: int) -> None:
        self._done(by)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()  # no field of the form

    def on_blur(self) -> None:
        if self.app.app_focus:  # else the whole terminal lost the focus, and will have it again
            self._done(0)


class CellSaid(Static):
    """A sentence below the cell that is typed in."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id, markup=False)
        self._sentence = ""

    def say(self, sentence: str) -> None:
        """Shows a sentence; nothing where it is empty."""
        self._sentence = sentence
        self.display = bool(sentence)
        self.update(sentence)

    def lie_below(self, cell: Region, room: Region) -> None:
        """Lies below `cell`, or above it where there is no room below; both in the screen's coordinates."""
        width = min(len(self._sentence) + 2, room.width)
        lines = 1 if width < room.width else -(-len(self._sentence) // max(1, width - 10)) or 1
        below = cell.y + 1 + lines <= room.bottom
        x = max(room.x, min(cell.x, room.right - width))
        self.styles.width, self.styles.height = width, lines
        self.styles.offset = (x, cell.y + 1 if below else max(room.y, cell.y - lines))
