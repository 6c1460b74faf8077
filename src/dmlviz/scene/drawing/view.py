"""The part of a figure that is drawn, and what is drawn on it."""

from __future__ import annotations

from msgspec import Struct

from ..layout.figure import Figure
from ..look import Look
from .grid import Grid
from .marks import Marks


class View(Struct, frozen=True):
    """A window on the body of a figure, with everything that its lines follow from."""

    figure: Figure
    grid: Grid
    marks: Marks
    look: Look
    left: int
    """The first column of the body that is seen."""
    width: int
    """Columns of the body that are seen."""
