"""The route of a value on both sides of the lane: from its source past the index that sends it, and to its place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from ...operators.maps import Place
from ..elements.cursor import Cursor
from ..layout.arrange import Scene
from ..layout.figure import Figure
from ..layout.stack import GAP, Stack
from ..spans import PLAIN, Line, Span, Style

WIRE = Style("dim")
EMPTY = ("plain", "edge", "dim", "warn", "axis", "letter")
"""Kinds of text whose blanks are empty; those of cells are filled."""
BRACKETS = "▌▐"
BLANKS = f" {BRACKETS}▘▝▀▔─│╰╯╭╮▲"
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
    via = scene.trace.source(target.place.number, target.index).via
    steers = Cursor(Place(False, via.tensor), via.index) if via is not None else None
    wanted = y if steers is None else _below(stack, steers)
    line, end = _free_line(stack, after, wanted), stack.lefts[number + 1] - 1
    tick = [Wire(_centre(stack, steers), line, "▲")] if steers is not None and line == wanted else []
    bent = _bent(start, y, end, line, at=end + 1 - GAP)
    return Route(inputs=(*begins, *bent, *tick, Wire(end, line, "")), outputs=ends, enters=line, ends=comes_out)


def _leaving(stack: Stack, source: Cursor) -> tuple[list[Wire], int, int]:
    """How a route leaves a cell, and its next column and line: below its row or above it, or else behind cells."""
    figure, (x, y) = stack.figure(source.place), stack.locate(source)
    top, centre = stack.tops[_figure_number(stack, source)], _centre(stack, source)
    if figure.column_of(source.index) < figure.columns.count - 1:
        for line, bend in ((_below(stack, source), "╰"), (y - figure.middle - 1, "╭")):
            if _is_air(figure, line - top):
                return [Wire(centre, line, bend)], centre + 1, line
    return [], x + figure.margin + figure.cell, y


def _centre(stack: Stack, cursor: Cursor) -> int:
    """The middle column of a cell."""
    figure = stack.figure(cursor.place)
    return stack.locate(cursor)[0] + figure.margin + figure.cell // 2


def _below(stack: Stack, cursor: Cursor) -> int:
    """The line below a cell."""
    figure = stack.figure(cursor.place)
    return stack.locate(cursor)[1] - figure.middle + figure.lines


def _is_air(figure: Figure, y: int) -> bool:
    """True if nothing stands in line `y` of a tensor: between its rows, below the last one, or below all of it."""
    y -= figure.head
    if y >= figure.body:
        return (y == figure.body and figure.aired) or y >= figure.height - figure.head
    row = figure.rows.at(y)
    return y >= 0 and (row is None or y - figure.rows.position(row) >= figure.lines)


def _figure_number(stack: Stack, cursor: Cursor) -> int:
    return next(n for n, figure in enumerate(stack.figures) if figure.place == cursor.place)


def _free_line(stack: Stack, numbers: range, wanted: int) -> int:
    """The wanted line if it is free in these tensors, or one below all of them, or that of the names of their axes."""
    if all(_is_air(stack.figures[n], wanted - stack.tops[n]) for n in numbers):
        return wanted
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
        line, end = _free_line(stack, range(n), _below(stack, target)), stack.lefts[n] - 1
        return (*_bent(0, line, end, y, at=end - 1), Wire(end, y, "▶")), line
    if stack.before < 2:
        return (), None
    return (Wire(0, y, "─" * (stack.before - 2) + "▶"),), None


def wired(lines: Sequence[Line], wires: Iterable[Wire], width: int) -> list[Line]:
    """Lines with what of the wires lies in columns 0 to `width`; what is drawn there already stays."""
    wired = [*lines]
    for x, y, text in wires:
        # x < 0: the window is scrolled, and not yet as wide as it will be.
        if 0 <= y < len(wired) and x < width:
            seen = (text or "─" * (width - x))[max(0, -x) : width - x]
            wired[y] = _laid_below(wired[y], max(0, x), seen)
    return wired


def _laid_below(line: Line, x: int, text: str) -> Line:
    chars = [(char, span.style, span.action) for span in line for char in span.text]
    chars += [(" ", PLAIN, "")] * (x + len(text) + 1 - len(chars))
    before = "".join(char for char, *_ in chars)
    for at, char in enumerate(text, x):
        beside = before[max(0, at - 1)] + before[at + 1] if char == "─" else ""
        if before[at] == " " and chars[at][1].kind in EMPTY and not beside.strip(BLANKS):
            chars[at] = char, WIRE, ""
    end = len(chars)
    while end and chars[end - 1] == (" ", PLAIN, ""):
        end -= 1
    runs = groupby(chars[:end], itemgetter(1, 2))
    return [Span("".join(char for char, *_ in run), style, action) for (style, action), run in runs]
