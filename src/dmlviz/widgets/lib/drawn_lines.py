"""A panel that draws the lines it is given for its room."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...scene.spans import Line
from .painted import LinePanel

Lines = Callable[[int, int], Sequence[Line]]
"""The lines for so many columns and lines."""


class DrawnLines(LinePanel):
    """Draws lines that are made for its room."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._lines_for: Lines = lambda width, height: []

    def show(self, lines_for: Lines) -> None:
        """Draws the lines that `lines_for` makes for a width and height, now and after each change of size."""
        self._lines_for = lines_for
        self.redraw()

    def lines(self, width: int, height: int) -> Sequence[Line]:
        return self._lines_for(width, height)


class PanelLines(DrawnLines):
    """`DrawnLines` on the ground of heads and footers."""

    PANEL = "panel"
