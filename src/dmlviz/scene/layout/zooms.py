"""Cells that are no single line of text: large ones, blocks of colour, and halves of a character."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...operators.maps import CLAMPED
from ..colour.palette import letter
from ..spans import DIM, EDGE, EMPTY, MARK, NEUTRAL, PAPER, Line, Span, Style, labels
from .zoom import LARGE_LINES, Zoom

if TYPE_CHECKING:
    from ..look import Look
    from .figure import Figure, Grid, Seen


def shift(figure: Figure, columns: int) -> int:
    """Where a label of so many columns begins, from the beginning of its cell: over the cell's own text."""
    if figure.zoom is Zoom.LARGE:
        return (figure.cell - columns) // 2
    return figure.cell - 1 - columns if figure.zoom is Zoom.VALUES else 0


def stride(columns: int, pitch: int) -> int:
    """Every how many cells a label of so many columns stands, with cells `pitch` columns apart: 1, 2, 5, 10, ..."""
    step = 1
    while step * pitch < columns:
        step = step * 2 if str(step)[0] != "2" else step * 5 // 2
    return step


def ruler(figure: Figure, grid: Grid, depth: int, left: int, width: int, style: Style) -> Line:
    """The indices along one of the axes that go across; every so many only where all would run into each other."""
    track = figure.columns
    inner = depth == len(track.sizes) - 1
    digits = len(str(track.sizes[depth] - 1))
    every = stride(digits + 1, track.pitches[depth] if not inner else track.unit)
    line = [" "] * (figure.margin + width)
    free = figure.margin
    for j, (number, position) in enumerate(grid.columns):
        at = track.split(number)
        if not inner and any(at[depth + 1 :]) and j > 0:
            continue
        if at[depth] % every and (inner or j > 0):
            continue
        text = str(at[depth])
        # An index longer than its cell leans to the left, but never over the ruler.
        start = max(figure.margin + position - left + shift(figure, len(text)), figure.margin)
        if start < free or start + len(text) > len(line):
            continue
        line[start : start + len(text)] = text
        free = start + len(text) + 1
    return labels("".join(line), style)


def block_cell(figure: Figure, at: int, grid: Grid, mark: bool, look: Look) -> tuple[str, Style]:
    """A written cell of two columns: its letter, or a sign."""
    identity = int(grid.identity[at])
    unread = grid.counts is not None and grid.counts[at] == 0
    name = letter(identity) if identity >= 0 and figure.letters == "cell" else ""
    clamped = grid.flags is not None and bool(grid.flags[at] & CLAMPED)
    text = f"{name}!" if clamped and len(name) < 2 else name if 0 < len(name) <= 2 else "▪"
    if unread:
        text = "×0"
    if mark:
        text = "▌▐"  # brackets, in the colour of text
    kind = "unread" if unread else "cell"
    return f"{text:<2}", Style(kind, -1 if look.stale or unread else identity, mark)


def large_edge(figure: Figure, grid: Grid, i: int, left: int, width: int, seen: Seen, look: Look, *, top: bool) -> Line:
    """The first or the last line of a row of large cells; half of it is air where rows touch each other."""
    line: Line = [Span(" " * max(0, figure.margin - 1), DIM)]
    whole, before_side, after_side = ("▄", "▖", "▗") if top else ("▀", "▘", "▝")
    apart = figure.step > LARGE_LINES
    if apart:
        whole, before_side, after_side = "█", "▌", "▐"
    start, columns = i * len(grid.columns), grid.columns
    x, before = left - 1, False
    if columns and columns[0][1] < left:
        line.append(Span(" ", EDGE))
    for j, (_, position) in enumerate(columns):
        mark = bool(seen.marked[start + j])
        if position > x:
            room = position - x
            sides = (before_side if before else " ", after_side if mark else " ")
            text = (whole if before and mark else "".join(sides).strip() or " ") if room == 1 else ""
            line.append(Span(text or sides[0] + " " * (room - 2) + sides[1], EDGE))
        _, style = figure.drawn(start + j, grid, seen, look)
        text = ((" " if apart else whole) * figure.cell)[max(0, left - position) : max(0, left + width - position)]
        if text:
            line.append(Span(text, style if apart else style._replace(kind=f"{style.kind} edge")))
        x, before = position + figure.cell, mark
    if before and x < left + width:
        line.append(Span(before_side, EDGE))
    return line


def overview_row(
    figure: Figure,
    grid: Grid,
    upper: int | None,
    lower: int | None,
    left: int,
    width: int,
    seen: Seen,
    look: Look,
) -> Line:
    """Two rows in one line of half blocks."""
    first = upper if upper is not None else lower
    assert first is not None
    line = figure.row_ruler(first, grid.rows[first][0], grid, look)
    across = len(grid.columns)
    halves = []
    for i in (upper, lower):
        if i is None:
            halves.append([PAPER] * across)
            continue
        cells = slice(i * across, (i + 1) * across)
        fills = np.full(across, NEUTRAL, np.int64) if look.stale else grid.identity[cells].copy()
        if grid.counts is not None:
            fills[grid.counts[cells] == 0] = EMPTY
        if seen.written is not None:
            fills[~seen.written[cells]] = EMPTY
        fills[seen.marked[cells]] = MARK
        if seen.signs is not None:
            fills[[bool(sign) for sign in seen.signs[cells]]] = MARK
        halves.append(fills.tolist())
    x, text, style = left - 1, "", DIM
    for j, (_, position) in enumerate(grid.columns):
        if position > x:
            line += [Span(text, style)] if text else []
            line.append(Span(" " * (position - x), EDGE))
            text = ""
        char, found = _half(halves[0][j], halves[1][j])
        if found != style and text:
            line.append(Span(text, style))
            text = ""
        text, style = text + char, found
        x = position + 1
    return [*line, Span(text, style)] if text else line


def _half(upper: int, lower: int) -> tuple[str, Style]:
    """A character that shows two elements, so that a mark and what is missing are seen without colour too."""
    if upper == MARK or lower == MARK:
        char = "●" if upper == lower else "◓" if upper == MARK else "◒"
        return char, Style("halves mark", NEUTRAL, True)
    if upper == EMPTY and lower in (EMPTY, PAPER):
        return "·", Style("empty")
    if upper == PAPER:
        return "▄", Style("halves", lower, False, upper)
    return "▀", Style("halves", upper, False, lower)
