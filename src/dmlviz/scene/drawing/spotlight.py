"""A spotlight on some columns of a line: all else is dim."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ..elements.cursor import Cursor
from ..layout.stack import Stack
from ..spans import DIM, Line

FILLS = dict.fromkeys(range(9600, 9632), " ")
"""Blocks that draw the half of a cell beyond its lines: they are its fill, which is out where it is dim."""


def spotlit(line: Line, lit: Sequence[tuple[int, int]]) -> Line:
    """The line with all dim but columns `first` to before `last` of each stretch that is lit."""
    spans: Line = []
    x = 0
    for span in line:
        end = x + len(span.text)
        cuts = sorted({x, end, *(min(max(edge, x), end) for stretch in lit for edge in stretch)})
        for start, stop in pairwise(cuts):
            shines = any(first <= start and stop <= last for first, last in lit)
            text = span.text[start - x : stop - x]
            spans.append(span._replace(text=text) if shines else span._replace(text=text.translate(FILLS), style=DIM))
        x = end
    return spans


def lit_columns(stack: Stack, spot: Sequence[Cursor], y: int, left: int, top: int) -> list[tuple[int, int]]:
    """The columns of a window's line `y` that are lit, where the window begins at (`left`, `top`) of the stack.

    Of the first element of `spot` that is its whole row, of the others the cell and the gaps beside it.
    """
    stretches = []
    figures = {figure.place: figure for figure in stack.figures}
    for number, cursor in enumerate(spot):
        figure = figures.get(cursor.place)
        if figure is None or not figure.shows(cursor.index):
            continue
        x, line = stack.locate(cursor)
        if stack.aside(cursor.place) is None:
            x, line = x - left, line - top
        if not 0 <= y - (line - figure.middle) < figure.lines:
            continue
        column = figure.column_of(cursor.index)
        if number:
            x += figure.margin
            stretches.append((x - 1, x + figure.cell_at(column) + 1))
        else:
            begins = x - figure.columns.position(column)
            stretches.append((begins, begins + figure.extent))
    return stretches
