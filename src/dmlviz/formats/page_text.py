"""Arrays as the pages print them, for people: nested brackets, aligned columns, whole floats without a point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from .json_text import json_number


def short_number(element: Any) -> str:
    """One element as a person would write it: a float that is whole has no point."""
    return json_number(element).strip('"').removesuffix(".0")


def shorts(elements: NDArray[Any]) -> list[str]:
    """Each element as `short_number` writes it."""
    return [short_number(x) for x in elements]


def short_count(count: int) -> str:
    """A count in at most six columns, cut and never rounded up: 9,999 or 4.29G."""
    if count < 10_000:
        return f"{count:,}"
    power = min((len(str(count)) - 1) // 3, 3)
    whole, rest = divmod(count, 1000**power)
    digits = max(0, 3 - len(str(whole)))
    return f"{whole}.{rest:0{3 * power}}"[: len(str(whole)) + bool(digits) + digits] + "kMG"[power - 1]


def page_lines(array: NDArray[Any], most: int = 4096) -> list[str]:
    """An array as the pages print it, one innermost row a line; of what exceeds about `most` elements the count."""
    width = array.shape[-1]
    rows = array.reshape(-1, width)
    shown = rows[: max(1, most // width), : max(1, min(width, most))]
    texts = [shorts(row) for row in shown]
    pad = max(len(t) for row in texts for t in row)
    cut = f", … {width - shown.shape[1]:,} more" if shown.shape[1] < width else ""
    lines = []
    outer = array.shape[:-1]
    for r, row in enumerate(texts):
        opens, closes = _brackets_at(r, outer)
        body = ", ".join(t.rjust(pad) for t in row) + cut
        comma = "" if r == len(rows) - 1 else ","
        lines.append(" " * (array.ndim - opens) + "[" * opens + body + "]" * closes + comma)
        if comma and closes > 1 and array.shape[-2] > 1:
            lines.append("")
    if len(shown) < len(rows):
        lines.append(f"… {len(rows) - len(shown):,} more rows")
    return lines


def _brackets_at(row: int, outer: Sequence[int]) -> tuple[int, int]:
    """How many brackets open before, and close after, innermost row `row` of an array of shape `outer` + (width,)."""
    opens = closes = 1
    inside = 1
    for size in reversed(outer):
        inside *= size
        opens += row % inside == 0
        closes += (row + 1) % inside == 0
    return opens, closes
