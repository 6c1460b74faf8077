"""The route of a value on both sides of the lane: from its source past the index that sends it, and to its place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from ...operators.maps import Place
from ..elements.cursor import Cursor
from ..layout.arrange import Scene
from ..layout.stack import GAP, Stack
from ..spans import PLAIN, Line, Span, Style

WIRE = Style("dim")
EMPTY = ("plain", "edge", "dim", "warn", "axis", "letter")
"""Kinds of text whose blanks are empty; those of cells are filled."""
BRACKETS = "▌▐"
BLANKS = f" {BRACKETS}▘▝▀▔─│╰╯╭╮┴▲"
"""What a line may touch: the lower edges of cells, brackets, and the pieces of its own route."""


class Wire(NamedTuple):
    """A piece of the route, drawn where nothing else is."""

    x: int
    y: int
    text: str
    """Empty for a line as far as the window goes."""


class Route(NamedTuple):
    """The route of a value outside of the lane."""

    inputs: tuple[Wire, ...] = ()
    outputs: tuple[Wire, ...] = ()
    enters: int | None = None
    """The line on which the route goes into the lane, if not on the source's: it has gone below other tensors."""
    ends: int | None = None
    """The line on which it comes out of the lane, if not on its destination's."""


def route(scene: Scene, source: Cursor, target: Cursor) -> Route:
    """The route from a source to an output element, below tensors that stand between; nothing while scrolled."""
    if not scene.layout.fits:
        return Route()
    stack, (ends, comes_out) = scene.inputs, _end_of_route(scene.outputs, target)
    number = _figure_number(stack, source)
    begins, start, y = _leaving(stack, source)
    after = range(number + 1, len(stack.figures))
    if not stack.beside or not after:
        enters = None if y == stack.locate(source)[1] else y
        return Route(inputs=(*begins, Wire(start, y, "")), outputs=ends, enters=enters, ends=comes_out)
    line, end = _free_line(stack, after), stack.lefts[number + 1] - 1
    via = scene.trace.source(target.place.number, target.index).via
    tick = _tick(stack, Cursor(Place(False, via.tensor), via.index), line) if via is not None else []
    wires = (*begins, *_bent(start, y, end, line, at=end + 1 - GAP), *tick, Wire(end, line, ""))
    return Route(inputs=wires, outputs=ends, enters=line, ends=comes_out)


def _leaving(stack: Stack, source: Cursor) -> tuple[list[Wire], int, int]:
    """How a route leaves a cell, and its next column and line: through the air at its row, or else behind its row."""
    figure, (x, y) = stack.figure(source.place), stack.locate(source)
    row, left, top = figure.row_of(source.index), x + figure.margin, y - figure.middle
    under, end = left + figure.cell // 2, left + figure.cell
    if figure.column_of(source.index) < figure.columns.count - 1:
        if not figure.apart:
            return [], end, top + figure.lines - 1
        if row < figure.rows.count - 1 or not figure.closed:
            return [Wire(under, top + figure.lines, "╰")], under + 1, top + figure.lines
        if row:
            return [Wire(under, top - 1, "╭")], under + 1, top - 1
    return [], end, y


def _tick(stack: Stack, via: Cursor, line: int) -> list[Wire]:
    """What leads from a line below a tensor up to an index in its last row; nothing to one in another row."""
    figure = stack.figure(via.place)
    x, y = stack.locate(via)
    below = y - figure.middle + figure.lines
    if figure.row_of(via.index) < figure.rows.count - 1 or line <= below:
        return []
    words = stack.lefts[_figure_number(stack, via)] + figure.worded[1]
    under, is_beside = x + figure.margin + figure.cell // 2, True
    if under <= words:
        is_beside = words + 1 < x + figure.margin + figure.cell
        under = words + 1 if is_beside else under
    if not is_beside and below == line - 1:
        return [Wire(under, line, "▲")]
    between = range(below + 1, line) if is_beside else ()
    return [Wire(under, line, "┴"), *(Wire(under, y, "│") for y in between), Wire(under, below, "▲")]


def _figure_number(stack: Stack, cursor: Cursor) -> int:
    return next(n for n, figure in enumerate(stack.figures) if figure.place == cursor.place)


def _free_line(stack: Stack, numbers: range) -> int:
    """A line below tensors that stand side by side; where the window has none, that of the names of their axes."""
    behind = max(stack.tops[n] + stack.figures[n].height for n in numbers)
    return behind if behind < stack.height + stack.below else behind - 1


def _bent(x: int, y: int, end: int, to: int, *, at: int) -> list[Wire]:
    """A line from column `x` to `end`, bent in column `at` from line `y` to another."""
    if y == to:
        return [Wire(x, y, "─" * (end - x))] if end > x else []
    down = y < to
    return [
        Wire(x, y, "─" * (at - x) + ("╮" if down else "╯")),
        *(Wire(at, between, "│") for between in range(min(y, to) + 1, max(y, to))),
        Wire(at, to, ("╰" if down else "╭") + "─" * (end - at - 1)),
    ]


def _end_of_route(stack: Stack, target: Cursor) -> tuple[tuple[Wire, ...], int | None]:
    """The end of the route, before the rows of the output; and its line at the lane, if not the destination's."""
    n, y = _figure_number(stack, target), stack.locate(target)[1]
    if stack.beside and n:
        line, end = _free_line(stack, range(n)), stack.lefts[n] - 1
        return (*_bent(0, line, end, y, at=end - 1), Wire(end, y, "▶")), line
    if stack.before < 2:
        return (), None
    return (Wire(0, y, "─" * (stack.before - 2) + "▶"),), None


def wired(lines: Sequence[Line], wires: Iterable[Wire], width: int) -> list[Line]:
    """Lines with what of the wires lies in columns 0 to `width`; what is drawn there already stays."""
    wired = [*lines]
    for x, y, text in wires:
        if 0 <= y < len(wired) and x < width:  # x < 0: the window is scrolled, and not yet as wide as it will be
            seen = (text or "─" * (width - x))[max(0, -x) : width - x]
            wired[y] = _laid_below(wired[y], max(0, x), seen)
    return wired


def _laid_below(line: Line, x: int, text: str) -> Line:
    chars = [(char, span.style, span.action) for span in line for char in span.text]
    chars += [(" ", PLAIN, "")] * (x + len(text) + 1 - len(chars))
    before = "".join(char for char, *_ in chars)
    for at, char in enumerate(text, x):
        beside = before[max(0, at - 1)] + before[at + 1] if char == "─" else ""
        kind = chars[at][1].kind
        # Half a line of a cell, and half of air: the line runs through the air, as if it were whole.
        is_air = char == "─" and kind.endswith(" edge")
        if (is_air or (before[at] == " " and kind in EMPTY)) and not beside.strip(BLANKS):
            chars[at] = char, WIRE, ""
    end = len(chars)
    while end and chars[end - 1] == (" ", PLAIN, ""):
        end -= 1
    runs = groupby(chars[:end], itemgetter(1, 2))
    return [Span("".join(char for char, *_ in run), style, action) for (style, action), run in runs]
