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

WIRE = Style("dim")
EMPTY = ("plain", "edge", "dim", "warn", "axis", "letter")
"""Kinds of text whose blanks are empty; those of cells are filled."""
BRACKETS = "▌▐"
BLANKS = f" {BRACKETS}─│╰╯╭╮┴▲"
"""What a line may touch: brackets, and the pieces of its own route."""


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
    enters: int | None = None
    """The line on which the route goes into the lane, if not on that element's: it has gone around or below cells."""
    ends: int | None = None
    """The line on which it comes out of the lane, if not on its destination's."""


def route(scene: Scene, source: Cursor, target: Cursor) -> Route:
    """The route from a source to an output element, around tensors without a part in it; nothing while scrolled."""
    if not scene.layout.fits or scene.inputs.asides:
        return Route()
    via = scene.trace.source(target.place.number, target.index).via
    stack, (ends, comes_out) = scene.inputs, _end_of_route(scene.outputs, target)
    wires: list[Wire] = []
    behind, leaves = _behind(stack, source), None
    start, y = behind, stack.locate(source)[1]
    for number, figure in enumerate(stack.figures) if stack.beside else ():
        if number <= _figure_number(stack, source):
            continue
        if via is None or figure.place.number != via.tensor:
            below = _free_line(stack, range(number, len(stack.figures)))
            wires += [*_bent(start, y, stack.lefts[number] - 1, below, at=stack.lefts[number] - GAP)]
            return Route(
                inputs=(*wires, Wire(stack.lefts[number] - 1, below, "")),
                outputs=ends,
                leaves=leaves,
                enters=below,
                ends=comes_out,
            )
        leaves = Cursor(figure.place, via.index)
        end, turn = stack.lefts[number] - 1, _below(stack, leaves)
        if turn is None:
            wires += _bent(start, y, end, stack.locate(leaves)[1], at=_middle(behind, end))
            start, y = _behind(stack, leaves), stack.locate(leaves)[1]
        else:
            under, line = turn
            is_last = figure.column_of(via.index) == figure.columns.count - 1
            wires += [
                *_bent(start, y, end, line, under, at=_middle(behind, end)),
                Wire(under, line, "╯" if is_last else "┴"),
            ]
            wires.append(Wire(under, line - 1, "▲"))
            # Behind the last cell the line goes on beside it, behind others below those that follow.
            start, y = (_behind(stack, leaves), stack.locate(leaves)[1]) if is_last else (under + 1, line)
        behind = _behind(stack, leaves)
    enters = y if y != stack.locate(leaves or source)[1] else None
    return Route(inputs=(*wires, Wire(start, y, "")), outputs=ends, leaves=leaves, enters=enters, ends=comes_out)


def _figure_number(stack: Stack, cursor: Cursor) -> int:
    return next(n for n, figure in enumerate(stack.figures) if figure.place == cursor.place)


def _behind(stack: Stack, cursor: Cursor) -> int:
    """The first column behind the cells of the tensor that holds an element."""
    n = _figure_number(stack, cursor)
    figure = stack.figures[n]
    return stack.lefts[n] + figure.margin + figure.columns.length


def _below(stack: Stack, via: Cursor) -> tuple[int, int] | None:
    """Where a line turns up to an index from below: (column, line); None where it comes from the side."""
    figure = stack.figures[_figure_number(stack, via)]
    column, row = figure.column_of(via.index), figure.row_of(via.index)
    x, y = stack.locate(via)
    line = y - figure.middle + figure.lines + 1
    if not column or row < figure.rows.count - 1 or line >= stack.height:
        return None
    under = x + figure.margin + figure.cell // 2
    n = _figure_number(stack, via)
    left, right = stack.lefts[n : n + 2]
    words = "".join(span.text for span in figure.foot(Look(), right - left - GAP)).rstrip()
    return (under, line) if under > left + len(words) else None


def _free_line(stack: Stack, numbers: range) -> int:
    """A line below tensors that stand side by side; where the window has none, that of the names of their axes."""
    behind = max(stack.tops[n] + stack.figures[n].height for n in numbers)
    return behind if behind < stack.height + stack.below else behind - 1


def _middle(x: int, end: int) -> int:
    return x + max(0, end - 1 - x) // 2


def _bent(x: int, y: int, end: int, to: int, until: int = 0, *, at: int) -> list[Wire]:
    """A line from column `x` to `end`, bent in column `at` from line `y` to another, at least to `until`."""
    stop = max(end, until)
    if y == to:
        return [Wire(x, y, "─" * (stop - x))] if stop > x else []
    bend, down = at, y < to
    return [
        Wire(x, y, "─" * (bend - x) + ("╮" if down else "╯")),
        *(Wire(bend, between, "│") for between in range(min(y, to) + 1, max(y, to))),
        Wire(bend, to, ("╰" if down else "╭") + "─" * (stop - bend - 1)),
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
    """A line with a text from column `x` on, where it is empty; a blank stays beside words."""
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
