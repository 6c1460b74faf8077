"""A field laid over a cell of the picture, to type its value into."""

from __future__ import annotations

from collections.abc import Callable

from textual.geometry import Region
from textual.widgets import Input

from ..lib.commands import bindings

NARROWEST = 8
"""Columns of the field, however narrow the cell."""
LONGEST = 400
"""Characters that can be typed."""


class CellEntry(Input):
    """A one-line field over the cell of one element. It knows no values: `done` takes what was typed.

    `done(text, by)` is called with 1 or -1 where the text is meant and another cell is next, with 0 where it is given
    up. It is called and no message is posted: the next key may be in the field's queue, and is the next cell's.
    """

    BINDINGS = bindings("cell")

    def __init__(self, done: Callable[[str, int], None], *, id: str) -> None:  # noqa: A002
        super().__init__(compact=True, select_on_focus=False, max_length=LONGEST, id=id)
        self._done = done
        self._cell_text = ""

    def fill(self, text: str) -> None:
        """Shows the text of a cell; what is typed replaces it."""
        self._cell_text = text
        with self.prevent(Input.Changed):
            self.value = text
        self.action_select_all()

    def lie_over(self, cell: Region, room: Region) -> None:
        """Lies over `cell`, as far as `room` allows; both in the screen's coordinates."""
        width = min(max(cell.width, NARROWEST, len(self._cell_text) + 3), room.width)
        x = max(room.x, min(cell.x, room.right - width))
        self.styles.width, self.styles.height, self.styles.offset = width, cell.height, (x, cell.y)
        self.styles.padding = (cell.height // 2, 1)  # over all of a number that is as high

    def action_done(self, by: int) -> None:
        self._done(self.value, by)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()  # no field of the form

    def on_blur(self) -> None:
        if self.app.app_focus:  # else the whole terminal lost the focus, and will have it again
            self._done(self.value, 0)
