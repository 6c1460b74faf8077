"""What is written around a tensor, in full and in short; an ellipsis ends what fits neither way, not in a number."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache

from ...desc.tensors import braces
from ..names import short_name
from ..spans import AXIS, DIM, PLAIN, RULER, Line, Span, Style, fitting, length

TURNED = "turned"
"""What a ruler says where rows and columns have changed places."""
Seen = tuple[int, int, int]
"""The first and the last that is seen, and how many there are."""


class Words(IntEnum):
    """How many words a title has, most first."""

    ALL = 0
    """Names of axes are in full too."""
    TYPED = 1
    NAMED = 2
    """Without DataType, which is in the desc too."""
    LEAST = 3
    """Of one of a list of tensors the number alone."""


WORDINGS = tuple((words, folded) for pair in ((0, 1), (2,), (3,)) for folded in (False, True) for words in pair)
"""(words, folded), the most wanted first; a folded title has a second line, for DataType and sizes."""


@lru_cache(maxsize=1024)
def titles(path: str, kind: str, sizes: Sequence[int]) -> list[tuple[str, str]]:
    """(name, what stands behind it, or below it) of a title in each of `Words`, and without sizes."""
    name, tight = short_name(path), braces(sizes).replace(" ", "")
    number = name[max(0, name.find("[")) :]
    return [(path, f"{kind} {braces(sizes)}"), (name, f"{kind} {tight}"), (name, tight), (number, tight), (number, "")]


def title_columns(name: str, rest: str, *, folded: bool) -> int:
    """Columns of a title."""
    return max(len(name), len(rest)) if folded else len(name) + (len(rest) + 1 if rest else 0)


def ranges(rows: Seen, columns: Seen, room: int) -> str:
    """Which rows and columns are seen, in at most `room` columns; "" where all are, and where there is no room."""
    pairs = [
        pair for pair in (("rows", "↓", rows), ("columns", "→", columns)) if pair[2][1] - pair[2][0] + 1 < pair[2][2]
    ]
    full = " · ".join(f"{name} {a:,}–{b:,} of {n:,}" for name, _, (a, b, n) in pairs)
    short = " ".join(f"{arrow}{a}–{b}" for _, arrow, (a, b, _) in pairs)
    return next((text for text in (full, short) if len(text) <= room), "")


def slices(axes: Sequence[tuple[int, int, int]], rank: int, room: int, number: int = 0) -> Line:
    """Which slice is seen, for each (axis, position, size), with marks to turn to its neighbours.

    In short as NumPy writes a slice of `rank` dimensions, `[0,1,:,:]`. `number` is the tensor's on its side.
    """
    spans = [Span("slice ", RULER)]
    for i, (d, at, size) in enumerate(axes):
        spans += [Span(" · ", RULER)] if i else []
        spans.append(Span("‹ ", AXIS if at else DIM, f"turn({number}, {d}, -1)"))
        spans.append(Span(f"axis {d} = {at} of {size}", PLAIN))
        spans.append(Span(" ›", AXIS if at < size - 1 else DIM, f"turn({number}, {d}, 1)"))
    if length(spans) <= room:
        return spans
    return fitting(_indexed(axes, rank, number), room)


def tight_slices(axes: Sequence[tuple[int, int, int]], rank: int) -> int:
    """Columns of the slice in short, wherever it is turned to."""
    return sum(len(span.text) for span in _indexed([(d, size - 1, size) for d, _, size in axes], rank))


def _indexed(axes: Sequence[tuple[int, int, int]], rank: int, number: int = 0) -> Line:
    """The slice as NumPy writes it: a click on a number turns to the next one, behind the last to the first."""
    sliced = {d: (at, size) for d, at, size in axes}
    inner, at, size = axes[-1]
    spans = [Span("‹", AXIS if at else DIM, f"turn({number}, {inner}, -1)"), Span("[", RULER)]
    for d in range(rank):
        spans += [Span(",", RULER)] if d else []
        if d in sliced:
            here, count = sliced[d]
            spans.append(Span(str(here), PLAIN, f"turn({number}, {d}, {1 if here < count - 1 else -here})"))
        else:
            spans.append(Span(":", RULER))
    further = Span("›", AXIS if at < size - 1 else DIM, f"turn({number}, {inner}, 1)")
    return [*spans, Span("]", RULER), further]


def captions(
    axes: Sequence[tuple[str, int, str, Style]],
    hidden: Sequence[tuple[int, str]],
    reads: str,
    *,
    turned: bool = False,
) -> tuple[Line, Line]:
    """Names of axes in full and in short: (arrow, axis, role or "", style) of seen ones, (axis, role) of size 1.

    The short one has an arrow for all axes that it is for, apart from their numbers: it would be read as a sign.
    `reads` says how often everything is read, `turned` that rows and columns have changed places.
    """
    full: Line = [Span(TURNED, AXIS), Span("  ", PLAIN)] if turned and axes else []
    short = [*full]
    for i, (arrow, d, role, style) in enumerate(axes):
        full += [Span(f"{arrow} axis {d}" + (f" = {role}" if role else ""), style), Span("  ", PLAIN)]
        same = i and axes[i - 1][0] == arrow
        text = ("" if same else f"{arrow} ") + (f"{role} " if role else "") + f"{d}"
        short.append(Span((" " if i else "") + text, style))
    for d, role in hidden:
        full += [Span(f"axis {d} = {role}, size 1", AXIS), Span("  ", PLAIN)]
        short.append(Span(f" {role} {d}", AXIS))
    if reads:
        full.append(Span(f"each read {reads}", RULER))
        short.append(Span(f" read {reads}", RULER))
    return full, short
