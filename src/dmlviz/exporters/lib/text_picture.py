"""The picture as text on a page of bounded size, drawn without any screen."""

from __future__ import annotations

from ...scene.drawing.side_by_side import GAP, as_text, page, widths
from ...scene.layout.arrange import arrange
from ...scene.layout.figure import Figure
from ...scene.layout.stack import Stack
from ...scene.layout.zoom import Zoom
from ...tracing import Trace

COLUMNS, LINES = 100, 60
"""What is drawn of each side at most."""
_NARROWER = 40
"""Columns that are given up at most so that no cell is cut."""


def picture(trace: Trace) -> tuple[str, bool]:
    """The inputs, beside them the outputs, from their upper left corners; and whether that is less than all of them.

    Asks only for the elements that are drawn.
    """
    scene = arrange(trace, 2 * COLUMNS + GAP, LINES, Zoom.VALUES)
    wanted, height = widths(scene), max(scene.inputs.height, scene.outputs.height)
    left, right = (
        _whole(stack, min(w, COLUMNS)) for stack, w in zip((scene.inputs, scene.outputs), wanted, strict=True)
    )
    text = as_text(page(scene, left, right, min(height, LINES)))
    return text, max(wanted) > COLUMNS or height > LINES


def _whole(stack: Stack, columns: int) -> int:
    """The most columns, up to `columns`, that cut no cell in the middle: half a number is another number."""
    drawn = stack.figures[:LINES]
    narrower = range(columns, max(0, columns - _NARROWER), -1)
    return next((width for width in narrower if not any(_cuts(figure, width) for figure in drawn)), columns)


def _cuts(figure: Figure, width: int) -> bool:
    body = width - figure.margin
    number = figure.columns.first_at_or_after(max(0, body))
    if number >= figure.columns.count:
        return False
    start = figure.columns.position(number)
    return start < body < start + figure.cell
