"""What stands over and under the columns of cells: indices, letters, and how often each is read."""

from __future__ import annotations

from collections.abc import Callable

from ..colour.palette import letter
from ..elements.lookup import reads_text
from ..spans import LETTER, RULER, Line, Style, labels
from .rows import Rows


def stride(columns: int, pitch: int) -> int:
    """Every how many cells a label of so many columns stands, with cells `pitch` columns apart: 1, 2, 5, 10, ..."""
    step = 1
    while step * pitch < columns:
        step = step * 2 if str(step)[0] != "2" else step * 5 // 2
    return step


def axis_ruler(rows: Rows, depth: int) -> Line:
    """The indices along axis `depth` of those that go across; every so many only where all would touch."""
    figure, track = rows.figure, rows.figure.columns
    inner = depth == len(track.sizes) - 1
    digits = len(str(track.sizes[depth] - 1))
    every = stride(digits + 1, track.pitches[depth] if not inner else track.unit)
    line = [" "] * (figure.margin + rows.width)
    free = figure.margin
    for j, (number, position) in enumerate(rows.grid.columns):
        at = track.split(number)
        if not inner and any(at[depth + 1 :]) and j > 0:
            continue
        if at[depth] % every and (inner or j > 0):
            continue
        text = str(at[depth])
        # An index longer than its cell leans to the left, but never over the ruler.
        start = max(figure.margin + position - rows.left + rows.label_start(len(text), number), figure.margin)
        if start < free or start + len(text) > len(line):
            continue
        line[start : start + len(text)] = text
        free = start + len(text) + 1
    return labels("".join(line), figure.axis_style(figure.across[depth], rows.look))


def letters_above(rows: Rows) -> Line:
    """The letter of each column."""
    columns = len(rows.grid.columns)
    return _over_columns(rows, lambda j: letter(rows.identity_of(slice(j, None, columns))), LETTER)


def counts_below(rows: Rows) -> Line:
    """How often each column is read; empty where that isn't to be told."""
    counts = rows.cells.contents.counts
    if counts is None:
        return []
    return _over_columns(rows, lambda j: reads_text(int(counts[j])) if j < len(counts) else "", RULER)


def _over_columns(rows: Rows, label: Callable[[int], str], style: Style) -> Line:
    """A text for each column of cells, aligned as the cells' values are; "…" for one that is too long."""
    figure = rows.figure
    line = [" "] * (figure.margin + rows.width)
    for j, (column, position) in enumerate(rows.grid.columns):
        text = label(j)
        text = text if len(text) <= figure.cell else "…"
        start = figure.margin + position - rows.left + rows.label_start(len(text), column)
        for i, char in enumerate(text):
            if figure.margin <= start + i < len(line):
                line[start + i] = char
    return labels("".join(line), style)
