"""More of a tensor that is too large for cells: a square of its colour for each element, and no value."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from ..scene.drawing.grid import looked_up
from ..scene.layout.zoom import Zoom
from .colours import FROM_NOWHERE, cell_colours
from .html_text import Markup, tag
from .tables import Table
from .words import words

COLUMNS, ROWS = 96, 48
"""Elements that have a square, at most."""
SQUARE = 5
"""Pixels."""
NEUTRAL = "#9aa3ad"
"""The colour of elements that have no identity, such as those that are never read."""


def blocks(table: Table) -> Markup | None:
    """The first elements of a tensor that no table shows whole, as squares; None for any other and without colours."""
    if table.is_whole:
        return None
    figure = replace(table.figure, zoom=Zoom.BLOCKS, shaded=False)
    columns, rows = min(figure.columns.count, COLUMNS), min(figure.rows.count, ROWS)
    contents = looked_up(figure, [*range(rows)], [*range(columns)])
    colours = contents.identity
    if contents.nowhere is not None:
        colours = np.where(contents.nowhere, FROM_NOWHERE, colours)
    identity = colours.tolist()
    paths: dict[str, list[str]] = {}
    for row in range(rows):
        cells = identity[row * columns : (row + 1) * columns]
        start = 0
        for n in range(1, columns + 1):
            if n == columns or cells[n] != cells[start]:
                colour = cell_colours(cells[start])[0] if cells[start] >= 0 else NEUTRAL
                wide = (n - start) * SQUARE
                paths.setdefault(colour, []).append(f"M{start * SQUARE} {row * SQUARE}h{wide}v{SQUARE}h-{wide}z")
                start = n
    if set(paths) == {NEUTRAL}:
        return None
    drawn = (tag("path", fill=colour, d="".join(pieces)) for colour, pieces in sorted(paths.items()))
    width, height = columns * SQUARE, rows * SQUARE
    label = words("blocks", path=table.path, rows=f"{rows:,}", columns=f"{columns:,}")
    image = tag(
        "svg", *drawn, viewBox=f"0 0 {width} {height}", width=width, height=height, role="img", aria_label=label
    )
    return tag("div", image, class_="blocks")
