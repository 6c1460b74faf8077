"""What is written around a tensor, from whole sentences to what a narrow window has room for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...desc.tensors import braces
from ..names import short_name
from ..spans import AXIS, DIM, PLAIN, RULER, Line, Span, Style, fitting, length

WORDED = 3
"""The last of `captions` that calls axes by a word, and not by arrows and numbers alone."""
TURNED = "turned"
"""What a ruler says where rows and columns have changed places."""
Seen = tuple[int, int, int]
"""The first and the last that is seen, and how many there are."""


def names(path: str) -> list[str]:
    """A tensor's names, longest first: `SequenceLengthsTensor`, `Lengths`; `InputTensors[0]`, `Inputs[0]`, `[0]`."""
    number = re.search(r"\[\d+\]$", path)
    short = short_name(path)
    return [path, short, number.group() if number else short]


def titles(path: str, data_type: str, sizes: Sequence[int]) -> list[tuple[str, str]]:
    """(name, what follows it) of a title, longest first.

    Words of the name give way first, then DataType, which the desc tells too, and the sizes last; a number in brackets
    never does.
    """
    tight = braces(sizes).replace(" ", "")
    path, bare, last = names(path)
    typed = [bare] if last.startswith("[") else [bare, last]
    return [
        (path, f" {data_type} {braces(sizes)}"),
        (path, f" {data_type} {tight}"),
        *((name, f" {data_type} {tight}") for name in typed),
        (path, f" {tight}"),
        (bare, f" {tight}"),
        (last, f" {tight}"),
        (path, ""),
        (bare, ""),
        (last, ""),
    ]


def folded_titles(path: str, data_type: str, sizes: Sequence[int]) -> list[tuple[str, str]]:
    """(the first line, the second) of a title in two lines, longest first."""
    tight = braces(sizes).replace(" ", "")
    path, bare, last = names(path)
    typed = bare if last.startswith("[") else last
    return [
        (path, f"{data_type} {braces(sizes)}"),
        (path, f"{data_type} {tight}"),
        (bare, f"{data_type} {tight}"),
        (typed, f"{data_type} {tight}"),
        (path, tight),
        (bare, tight),
        (last, tight),
    ]


def ranges(rows: Seen, columns: Seen, room: int) -> str:
    """Which rows and columns are seen, in at most `room` columns, as much of it as fits; "" where all are."""
    pairs = [(name, seen) for name, seen in (("rows", rows), ("columns", columns)) if seen[1] - seen[0] + 1 < seen[2]]
    shorter = {"rows": "rows", "columns": "cols"}
    tightest = {"rows": "↓", "columns": "→"}
    choices = (
        " · ".join(f"{name} {a:,}–{b:,} of {n:,}" for name, (a, b, n) in pairs),
        " · ".join(f"{shorter[name]} {a}–{b} of {n}" for name, (a, b, n) in pairs),
        " ".join(f"{shorter[name]} {a}–{b}/{n}" for name, (a, b, n) in pairs),
        " ".join(f"{tightest[name]}{a}–{b}/{n}" for name, (a, b, n) in pairs),
        " ".join(f"{tightest[name]}{a}–{b}" for name, (a, b, _) in pairs),
        " ".join(f"{tightest[name]}{a}…" for name, (a, _, _) in pairs),
    )
    return next((text for text in choices if len(text) <= room), "")


def slices(axes: Sequence[tuple[int, int, int]], room: int, rank: int = 0) -> Line:
    """Which slice is seen, for each (axis, position, size), with marks to turn to its neighbours.

    Of a tensor of `rank` dimensions. Where there is less room it goes without sizes, which the title has; where little,
    as NumPy writes a slice, `[0,1,:,:]`.
    """

    def line(first: str, word: str, equals: str, of: str, between: str) -> Line:
        spans = [Span(first, RULER)]
        for i, (d, at, size) in enumerate(axes):
            spans += [Span(between, RULER)] if i else []
            spans.append(Span("‹ " if equals == " = " else "‹", AXIS if at else DIM, (d, -1)))
            spans.append(Span(f"{word}{d}{equals}{at}" + (f"{of}{size}" if of else ""), PLAIN))
            spans.append(Span(" ›" if equals == " = " else "›", AXIS if at < size - 1 else DIM, (d, 1)))
        return spans

    choices = (
        line("slice ", "axis ", " = ", " of ", " · "),
        line("slice ", "", " = ", " of ", " · "),
        line("fixed axes " if len(axes) > 1 else "fixed axis ", "", " at ", "", " "),
        line("axes " if len(axes) > 1 else "axis ", "", " at ", "", " "),
        line("", "", "=", "/", " "),
        line("", "", "=", "/", ""),
    )
    choice = next((choice for choice in choices if length(choice) <= room), None)
    return choice if choice is not None else fitting(_indexed(axes, rank), room)


def tight_slices(axes: Sequence[tuple[int, int, int]], rank: int) -> int:
    """Columns of the tightest line of slices, wherever they are turned to."""
    return length(_indexed([(d, size - 1, size) for d, _, size in axes], rank))


def _indexed(axes: Sequence[tuple[int, int, int]], rank: int) -> Line:
    """The slice as NumPy writes it: a click on a number turns to the next one, behind the last to the first."""
    sliced = {d: (at, size) for d, at, size in axes}
    inner, at, size = axes[-1]
    spans = [Span("‹", AXIS if at else DIM, (inner, -1)), Span("[", RULER)]
    for d in range(max(rank, inner + 1)):
        spans += [Span(",", RULER)] if d else []
        if d in sliced:
            here, count = sliced[d]
            spans.append(Span(str(here), PLAIN, (d, 1 if here < count - 1 else -here)))
        else:
            spans.append(Span(":", RULER))
    return [*spans, Span("]", RULER), Span("›", AXIS if at < size - 1 else DIM, (inner, 1))]


def captions(
    axes: Sequence[tuple[str, int, str, Style]],
    hidden: Sequence[tuple[int, str]],
    reads: str,
    *,
    turned: bool = False,
) -> list[Line]:
    """Lines that name axes, longest first: (arrow, axis, role or "", style) of seen ones, (axis, role) of size 1.

    All but the longest spell an axis `→ 3=Axis`: an arrow right before a number is read as its sign.
    `reads` says how often everything is read, `turned` that rows and columns have changed places.
    """
    lines: list[Line] = []
    first = [Span(TURNED, AXIS), Span("  ", PLAIN)] if turned and axes else []
    for before, equals, one, read, between in (
        (" axis ", " = ", ", size 1", "each read ", "  "),
        (" ", "=", ", size 1", "read ", "  "),
        (" ", "=", " (1)", "", " "),
    ):
        line: Line = [*first]
        for arrow, d, role, style in axes:
            line += [Span(f"{arrow}{before}{d}" + (equals + role if role else ""), style), Span(between, PLAIN)]
        for d, role in hidden:
            line += [Span(f"{before}{d}{equals}{role}{one}".strip(), AXIS), Span(between, PLAIN)]
        if reads:
            line += [Span(f"{read}{reads}", RULER), Span(between, PLAIN)]
        lines.append(line)
    # One arrow for all the axes that it is for.
    grouped: Line = [*first]
    for i, (arrow, d, role, style) in enumerate(axes):
        same = i and axes[i - 1][0] == arrow
        text = f"{d}" + (f"={role}" if role else "")
        grouped.append(Span((" " if i else "") + ("" if same else f"{arrow} ") + text, style))
    grouped += [Span(f" {d}={role}", AXIS) for d, role in hidden]
    lines.append(grouped + ([Span(f" {reads}", RULER)] if reads else []))
    if not axes:
        return lines
    # Numbers with arrows say little to whoever sees them first: one word for all of them is said as long as it can be.
    word = [Span("axis " if len(axes) + len(hidden) == 1 else "axes ", RULER)]
    worded = [[*first, *word, *line[len(first) :]] for line in lines[1:]]
    return [lines[0], *worded, *lines[1:]]
