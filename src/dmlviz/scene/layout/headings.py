"""What is written around a tensor, in full and in short; an ellipsis ends what fits neither way, not in a number."""

from __future__ import annotations

from collections.abc import Sequence

from ...desc.tensors import braces
from ..names import short_name
from ..spans import AXIS, DIM, PLAIN, RULER, Line, Span, Style, fitting

TURNED = "turned"
"""What a ruler says where rows and columns have changed places."""
Seen = tuple[int, int, int]
"""The first and the last that is seen, and how many there are."""


def full_title(path: str, kind: str, sizes: Sequence[int]) -> tuple[str, str]:
    """(name, what stands behind it, or below it) of a title in full."""
    return path, f"{kind} {braces(sizes)}"


def short_title(path: str, sizes: Sequence[int], room: int, chip: int, *, folded: bool) -> tuple[str, str]:
    """The same in short, in `room` columns with a chip before the name; DataType is in the desc too.

    The name of a list of tensors gives way first, or letters of another name, then the sizes; a number never does.
    """
    tight = _tight(sizes) if least_title(path, sizes, chip, folded=folded) <= room else ""
    letters, bracket, n = short_name(path).partition("[")
    n = bracket + n
    left = room - chip - len(n) - (len(tight) + 1 if tight and not folded else 0)
    if left >= len(letters):
        return letters + n, tight
    return n or f"{letters[: max(0, left - 1)]}…", tight


def least_title(path: str, sizes: Sequence[int], chip: int, *, folded: bool) -> int:
    """Columns of the shortest title with sizes: of one of a list of tensors the number alone, of others their name."""
    name, tight = short_name(path), len(_tight(sizes))
    least = chip + len(name[max(0, name.find("[")) :])
    return max(least, tight) if folded else least + 1 + tight


def _tight(sizes: Sequence[int]) -> str:
    return braces(sizes).replace(" ", "")


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
    return spans if sum(len(span.text) for span in spans) <= room else fitting(_indexed(axes, rank, number), room)


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
    return [*spans, Span("]", RULER), Span("›", AXIS if at < size - 1 else DIM, f"turn({number}, {inner}, 1)")]


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
        text = ("" if same else f"{arrow} ") + f"{d}" + (f"={role}" if role else "")
        short.append(Span((" " if i else "") + text, style))
    for d, role in hidden:
        full += [Span(f"axis {d} = {role}, size 1", AXIS), Span("  ", PLAIN)]
        short.append(Span(f" {d}={role}", AXIS))
    if reads:
        full.append(Span(f"each read {reads}", RULER))
        short.append(Span(f" {reads}", RULER))
    return full, short
