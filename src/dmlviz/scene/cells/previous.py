"""What the visible cells of an output were before an edit: `1→3` where a cell has the room, `12→` where it hasn't."""

from __future__ import annotations

import re

import numpy as np
from msgspec import Struct

from ...desc.values import Indices
from ...formats.page_text import shorts
from ..changes import Fate, Window
from ..colour.palette import letter
from ..layout.figure import Figure
from ..layout.zoom import lettered
from ..look import Look
from ..spans import DIM, PAPER, Line, Span, Style
from .contents import NOWHERE_SIGN, SMALL_DIGITS

SAME, NEW = int(Fate.SAME), int(Fate.NEW)
PREVIOUS = 1 << 50
"""From here on what fills half a character is the identity, plus 1, that an element had before an edit."""
ARROW = "→"
"""Stands between what a cell was and what it is: it tells them apart without colour too."""


class PreviousCells(Struct, frozen=True):
    """What the N cells of a window were."""

    window: Window
    fates: list[int]
    """Of the window, see `Fate`: a list's numbers are compared faster than an array's."""
    names: list[str]
    """Letters, where cells have some; signs, where cells are too small for values and have none."""
    values: list[str]
    """Empty where cells are too small for them."""

    def key(self, some: slice) -> object:
        """A hashable that differs where some cells have changed otherwise."""
        window = self.window
        at = window.fate[some].tobytes(), window.identity[some].tobytes()
        return *at, tuple(self.names[some]), tuple(self.values[some])

    def is_changed(self, at: int) -> bool:
        return self.fates[at] != SAME

    def fills(self, some: slice, fills: Indices) -> Indices:
        """`fills` of some cells, with codes from `PREVIOUS` on for those that changed."""
        return np.where(self.window.fate[some] != SAME, PREVIOUS + 1 + self.window.identity[some], fills)

    def spans(self, at: int, text: str, style: Style) -> Line:
        """A changed cell as wide as `text`, which is what it shows now: what it was, an arrow, what it is."""
        name, value, width = self.names[at], self.values[at], len(text)
        before = Style("previous", int(self.window.identity[at]), style.marked, strong=style.strong)
        now, is_new = " ".join(text.split()), self.fates[at] == NEW
        now = re.sub(rf" ([{SMALL_DIGITS}]+)$", r"\1", now)  # the place in a sequence stands apart in a cell of its own
        # A letter that stays stands before both values; else both have their own. Without room there are none, and no
        # places in sequences.
        letter_now, _, value_now = now.rpartition(" ")
        short = ("" if is_new else value) + ARROW
        mark = short if value and not letter_now else ("" if is_new else f"{name} {value}".strip()) + ARROW
        ways = [("", mark, now)]
        if letter_now and (is_new or letter_now == name):
            ways = [(f"{letter_now} ", short, value_now)]
        ways += [("", short, value_now), ("", short, value_now.rstrip(SMALL_DIGITS))] if value else []
        lead, tail = text[: width - len(text.lstrip(" "))], text[len(text.rstrip(" ")) :]
        for same, was, rest in ways:
            for first, last in ((lead if same else "", tail), ("", tail), ("", "")):
                room = width - len(first + same + rest + last)
                if len(was) <= room:
                    spans = [Span(first + same, style), Span(was.rjust(room), before), Span(rest + last, style)]
                    return [span for span in spans if span.text]
        if mark == ARROW:
            return [Span((ARROW + now)[:width].rjust(width), before)]
        if len(mark) > width:
            mark = (f"{mark[: width - 2]}…" if width > 2 else mark[: width - 1]) + ARROW
        return [Span(mark.center(width), before)]


def ring(upper: int, lower: int) -> tuple[str, Style]:
    """(character, style) of two elements of which one changed: a ring or half of one, in the colour that was."""
    char = "◠" if lower < PREVIOUS else "○" if upper >= PREVIOUS else "◡"
    was = (upper if upper >= PREVIOUS else lower) - PREVIOUS - 1
    return char, Style("halves", was, False, PAPER) if was >= 0 else DIM


def previous_of(figure: Figure, flat: Indices, look: Look) -> PreviousCells | None:
    """What the elements of a figure at `flat` were; None where that isn't shown, and while anything is hidden."""
    if look.previous is None or look.stale or not figure.place.is_output or not look.written.whole:
        return None
    window = look.previous.window(figure.place.number, flat)
    with_values, none = lettered(figure.zoom), [""] * len(flat)
    names = none if with_values else ["▪"] * len(flat)
    if figure.letters == "cell":
        names = [letter(identity) for identity in window.identity.tolist()]
    values = shorts(window.values) if with_values else none
    if window.nowhere is not None:
        named = values if with_values else names
        for at in np.flatnonzero(window.nowhere).tolist():
            named[at] = f"{NOWHERE_SIGN}{named[at]}" if with_values else NOWHERE_SIGN
    return PreviousCells(window, window.fate.tolist(), names, values)
