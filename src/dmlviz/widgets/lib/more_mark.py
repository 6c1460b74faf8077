"""The mark of a text that has more lines than its panel: how many stand above and below what is seen."""

from __future__ import annotations


def more_of(top: int, count: int, room: int, width: int) -> str:
    """`▾ 12 more lines`, in `width` columns, where `room` of `count` lines are seen from line `top` on; else ""."""
    above, below = max(0, top), max(0, count - top - room)
    texts = []
    if above and below:
        texts = [f"▴ {above:,} above  ▾ {below:,} more {_line_or_lines(below)}", f"▴ {above:,}  ▾ {below:,} more"]
    elif below:
        texts = [f"▾ {below:,} more {_line_or_lines(below)}", f"▾ {below:,} more"]
    elif above:
        texts = [f"▴ {above:,} {_line_or_lines(above)} above", f"▴ {above:,} above"]
    return next((text for text in texts if len(text) <= width), texts[-1][:width] if texts else "")


def after_click(top: int, count: int, room: int) -> int:
    """The first line to show after a click on the mark: a page further, and from the end the first."""
    return min(top + room, count - room) if top + room < count else 0


def _line_or_lines(count: int) -> str:
    return "line" if count == 1 else "lines"
