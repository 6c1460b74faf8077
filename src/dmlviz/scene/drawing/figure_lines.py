"""One tensor line by line: title and rulers, rows of cells in their zoom, and the names of the axes."""

from __future__ import annotations

from collections.abc import Callable

from ..colour.palette import letter
from ..elements.lookup import reads_text
from ..elements.partners import Partners
from ..layout.figure import Figure
from ..layout.headings import TURNED, ranges
from ..look import Look
from ..spans import AXIS, DIM, LETTER, PLAIN, RULER, Line, Span, Style, fitting, labels, length
from .grid import Grid, grid_of
from .rows import Rows


def figure_lines(
    figure: Figure, top: int, count: int, left: int, width: int, look: Look, partners: Partners
) -> list[Line]:
    """Lines top to top + count of a figure, `width` columns wide; the body is scrolled by `left`.

    Rulers stay: the row ruler at the left, and title and column ruler above while rows are left to see.
    """
    body_width = max(0, width - figure.margin)
    pinned = figure.pinned(top)
    first = max(top + pinned, figure.head) - figure.head
    last = max(first, min(top + count, figure.head + figure.body) - figure.head)
    rows = Rows(figure, grid_of(figure, (first, last), (left, left + body_width)), look, partners, left, body_width)
    lines = []
    for i in range(count):
        y = i if i < pinned else top + i
        if y < figure.head:
            lines.append(_head_line(rows, y))
        elif y - figure.head < figure.body:
            lines.append(rows.line(y - figure.head))
        elif y == figure.height - 1:
            lines.append(figure.foot(look, width))
        elif figure.counts_below and y == figure.height - 2:
            lines.append(_counts_below(rows))
        else:
            lines.append([])
    return lines


def _head_line(rows: Rows, y: int) -> Line:
    """Line `y` above the first row: title, slice, what is seen, rule or column ruler."""
    figure = rows.figure
    room, depth = figure.margin + rows.width, y - figure.titled - figure.notes
    if y < figure.titled:
        title = figure.title(rows.look, room)[y]
        if y < figure.titled - 1:
            return fitting(title, room)
        cut = "" if figure.noted else _seen_ranges(figure, rows.grid, room - length(title) - 2)
        return fitting([*title, *([Span(f"  {cut}", DIM)] if cut else [])], room)
    if depth < 0:
        if y == figure.titled and figure.sliced:
            return figure.slice_line(room)
        lead = [Span(TURNED, AXIS), Span("  ", PLAIN)] if figure.is_turned else []
        return fitting([*lead, Span(_seen_ranges(figure, rows.grid, room - length(lead)), DIM)], room)
    if figure.ruled and depth == 0:
        return [Span("─" * min(room, figure.width - 1), Style("rule"))]
    named = figure.letters == "column"
    depth -= figure.ruled + figure.lowered + named
    if depth < 0:
        return _letters_above(rows) if named and depth == -1 else []
    return _axis_ruler(rows, depth) if figure.across else []


def _seen_ranges(figure: Figure, grid: Grid, room: int) -> str:
    """Which rows and columns are seen, rows by the lines of their values, columns whole; "" where all are."""
    first, stop = grid.lines_seen
    rows = [n for n, at in grid.rows if first <= at + figure.middle < stop] or [grid.rows[0][0]]
    left, right = grid.columns_seen
    columns = [n for n, at in grid.columns if left <= at and at + figure.cell <= right]
    columns = columns or [n for n, _ in grid.columns]
    if not columns or (len(rows) == figure.rows.count and len(columns) == figure.columns.count):
        return ""
    seen = (rows[0], rows[-1], figure.rows.count), (columns[0], columns[-1], figure.columns.count)
    return ranges(*seen, room)


def _stride(columns: int, pitch: int) -> int:
    """Spacing, in cells of `pitch` columns, at which labels of so many columns fit: 1, 2, 5, 10, ..."""
    step = 1
    while step * pitch < columns:
        step = step * 2 if str(step)[0] != "2" else step * 5 // 2
    return step


def _axis_ruler(rows: Rows, depth: int) -> Line:
    """The indices along axis `depth` of those that go across; every so many only where all would touch."""
    figure, track = rows.figure, rows.figure.columns
    inner = depth == len(track.sizes) - 1
    digits = len(str(track.sizes[depth] - 1))
    every = _stride(digits + 1, track.pitches[depth])
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
        start = max(figure.margin + position - rows.left + rows.label_start(len(text)), figure.margin)
        if start < free or start + len(text) > len(line):
            continue
        line[start : start + len(text)] = text
        free = start + len(text) + 1
    return labels("".join(line), figure.axis_style(figure.across[depth], rows.look))


def _letters_above(rows: Rows) -> Line:
    columns = len(rows.grid.columns)
    return _over_columns(rows, lambda j: letter(rows.identity_of(slice(j, None, columns))), LETTER)


def _counts_below(rows: Rows) -> Line:
    counts = rows.cells.contents.counts
    if counts is None:
        return []
    return _over_columns(rows, lambda j: reads_text(int(counts[j])) if j < len(counts) else "", RULER)


def _over_columns(rows: Rows, label: Callable[[int], str], style: Style) -> Line:
    """A text for each column of cells, aligned as the cells' values are; "…" for one that is too long."""
    figure = rows.figure
    line = [" "] * (figure.margin + rows.width)
    for j, (_, position) in enumerate(rows.grid.columns):
        text = label(j)
        text = text if len(text) <= figure.cell else "…"
        start = figure.margin + position - rows.left + rows.label_start(len(text))
        for i, char in enumerate(text):
            if figure.margin <= start + i < len(line):
                line[start + i] = char
    return labels("".join(line), style)
