"""The tensors of one side line by line, as a window shows them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ..elements.cursor import Cursor
from ..elements.partners import Partners
from ..layout.stack import GAP, Stack
from ..look import Look
from ..spans import DIM, PLAIN, Line, Span, marked_window_of
from .figure_lines import figure_lines


def stack_lines(
    stack: Stack, top: int, count: int, left: int, width: int, look: Look, partners: Partners
) -> list[Line]:
    """What a window of `count` lines and `width` columns shows from line `top`, bodies scrolled by `left`."""
    if stack.beside:
        return _beside(stack, top, count, left, width, look, partners)
    lines: list[Line] = []
    for aside in stack.asides:
        figure = stack.figures[aside.number]
        lines += [*figure_lines(figure, aside.top, aside.height, aside.left, width, look, partners), []]
    lines = lines[:count] + [[]] * min(count, max(0, stack.above - top))
    indent = [Span(" " * stack.before, PLAIN)] if stack.before else []
    while len(lines) < count and stack.figures:
        y = top + len(lines)
        if y >= stack.height:
            break
        number = stack.figure_at(y)
        figure, start = stack.figures[number], y - stack.tops[number]
        if start >= figure.height:
            lines.append([])
            continue
        share = min(count - len(lines), figure.height - start)
        drawn = figure_lines(figure, start, share, left, width - stack.before, look, partners)
        lines += [[*indent, *line] for line in drawn] if indent else drawn
    return lines + [[]] * (count - len(lines))


def _beside(stack: Stack, top: int, count: int, left: int, width: int, look: Look, partners: Partners) -> list[Line]:
    """What a window shows of tensors that stand side by side."""
    window: list[Line] = [[] for _ in range(count)]
    ends = [0] * count
    for figure, x, end in zip(stack.figures, stack.lefts, stack.lefts[1:], strict=False):
        if x - left >= width:
            break
        # What stands to its left is whole lines, so that only what scrolls out of the window is cut.
        first, start = max(0, stack.above - top), max(0, top - stack.above)
        lines = min(count - first, max(0, figure.height - start))
        drawn = figure_lines(figure, start, lines, 0, end - GAP - x, look, partners)
        for y, line in enumerate(drawn, first):
            if line:
                window[y] += [Span(" " * (x - ends[y]), PLAIN), *line] if x > ends[y] else line
                ends[y] = x + sum(len(span.text) for span in line)
    return [
        line if end <= width and not left else marked_window_of(line, left, width)
        for line, end in zip(window, ends, strict=True)
    ]


FILLS = dict.fromkeys(range(9600, 9632), " ")
"""Blocks that draw the half of a cell beyond its lines, or bracket it: they are fill, which is out where it is dim."""


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
            if not shines and span.style.kind.endswith("edge"):
                text = text.translate(FILLS)
            spans.append(span._replace(text=text, style=span.style if shines else DIM))
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
            stretches.append((x - 1, x + figure.cell + 1))
        else:
            begins = x - figure.columns.position(column)
            stretches.append((begins, begins + figure.extent))
    return stretches
