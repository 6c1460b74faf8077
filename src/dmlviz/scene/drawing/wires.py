"""The route of a value on both sides of the lane: from its source past the index that sends it, and to its place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from ..elements.cursor import Cursor
from ..layout.arrange import Scene
from ..layout.stack import GAP, Stack
from ..look import Look
from ..spans import PLAIN, Line, Span, Style
from .figure_lines import foot

WIRE = Style("dim")
EMPTY = ("plain", "edge", "dim", "warn", "axis", "letter")
"""Kinds of text whose blanks are empty; those of cells are filled."""
BRACKETS = "▌▐"


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
    leaves: Cursor | None = None
    """The element from which the route goes into the lane, if not from the source."""


def route(scene: Scene, source: Cursor, target: Cursor) -> Route:
    """The route from a source to an output element; nothing where the picture is scrolled."""
    if not scene.layout.fits or scene.inputs.asides:
        return Route()
    via = scene.trace.source(target.place.number, target.index).via
    stack, ends = scene.inputs, _ends(scene.outputs, target)
    start, y = _behind(stack, source), stack.place(source)[1]
    made: list[Wire] = []
    leaves = None
    for number, figure in enumerate(stack.figures) if stack.beside else ():
        if number <= _number(stack, source):
            continue
        if via is None or figure.place.number != via.tensor:
            return Route((), ends)  # past a tensor that has no part in it, a line would seem to come from there
        leaves = Cursor(figure.place, via.index)
        end, below = stack.lefts[number] - 1, _below(stack, leaves)
        if below is None:
            made += _bent(start, y, end, stack.place(leaves)[1])
        else:
            under, line = below
            made += [*_bent(start, y, end, line, under), Wire(under, line, "╯"), Wire(under, line - 1, "▲")]
        start, y = _behind(stack, leaves), stack.place(leaves)[1]
    return Route((*made, Wire(start, y, "")), ends, leaves)


def _number(stack: Stack, cursor: Cursor) -> int:
    return next(n for n, figure in enumerate(stack.figures) if figure.place == cursor.place)


def _behind(stack: Stack, cursor: Cursor) -> int:
    """The first column behind a tensor's cells."""
    number = _number(stack, cursor)
    figure = stack.figures[number]
    return stack.lefts[number] + figure.margin + figure.columns.length


def _below(stack: Stack, via: Cursor) -> tuple[int, int] | None:
    """Where a line turns up to an index from below: (column, line); None where that is as near from the side.

    Cells to its left would lie between, and below its row there have to be lines for it.
    """
    figure = stack.figures[_number(stack, via)]
    column, row = figure.column_of(via.index), figure.row_of(via.index)
    x, y = stack.place(via)
    line = y - figure.middle + figure.lines + 1
    if not column or row < figure.rows.count - 1 or line >= stack.height:
        return None
    under = x + figure.margin + figure.cell_at(column) // 2
    number = _number(stack, via)
    left, right = stack.lefts[number : number + 2]
    words = "".join(span.text for span in foot(figure, Look(), right - left - GAP)).rstrip()
    return (under, line) if under > left + len(words) else None


def _bent(x: int, y: int, end: int, to: int, until: int = 0) -> list[Wire]:
    """A line from column `x` to `end`, and from line `y` to another; on that to column `until` if that is further."""
    stop = max(end, until)
    if y == to:
        return [Wire(x, y, "─" * (stop - x))] if stop > x else []
    bend, down = x + max(0, end - 1 - x) // 2, y < to
    return [
        Wire(x, y, "─" * (bend - x) + ("╮" if down else "╯")),
        *(Wire(bend, between, "│") for between in range(min(y, to) + 1, max(y, to))),
        Wire(bend, to, ("╰" if down else "╭") + "─" * (stop - bend - 1)),
    ]


def _ends(stack: Stack, target: Cursor) -> tuple[Wire, ...]:
    """The end of the route, before the rows of the output."""
    if stack.before < 2 or (stack.beside and _number(stack, target)):
        return ()
    return (Wire(0, stack.place(target)[1], "─" * (stack.before - 2) + "▶"),)


def wired(lines: Sequence[Line], wires: Iterable[Wire], width: int) -> list[Line]:
    """Lines with what of the wires lies in `width` columns; what is drawn there already stays."""
    made = [*lines]
    for x, y, text in wires:
        if 0 <= y < len(made) and x < width:
            made[y] = _laid_below(made[y], x, (text or "─" * (width - x))[: width - x])
    return made


def _laid_below(line: Line, x: int, text: str) -> Line:
    """A line with a text where it is empty; a blank stays beside words."""
    chars = [(char, span.style, span.button) for span in line for char in span.text]
    chars += [(" ", PLAIN, None)] * (x + len(text) + 1 - len(chars))
    before = "".join(char for char, *_ in chars)
    for at, char in enumerate(text, x):
        beside = before[max(0, at - 1)] + before[at + 1] if char == "─" else ""
        if before[at] == " " and chars[at][1].kind in EMPTY and (not beside.strip() or beside.strip() in BRACKETS):
            chars[at] = char, WIRE, None
    end = len(chars)
    while end and chars[end - 1] == (" ", PLAIN, None):
        end -= 1
    runs = groupby(chars[:end], itemgetter(1, 2))
    return [Span("".join(char for char, *_ in run), style, button) for (style, button), run in runs]
