"""Pieces of text, and what they are."""

from __future__ import annotations

import re
from typing import NamedTuple


class Style(NamedTuple):
    """What a piece of text is; a screen decides how that looks."""

    kind: str
    identity: int = -1
    marked: bool = False
    strong: bool = False
    shade: int = -1
    """Of the identity's colour: see `colour.palette`; -1 for the colour itself."""


class Span(NamedTuple):
    text: str
    style: Style
    action: str = ""
    """What a click on it does, as an action of what draws it."""


TITLE, DIM, RULER, AXIS, PLAIN, EDGE, WARN, LETTER, TAB = (
    Style(kind) for kind in ("title", "dim", "ruler", "axis", "plain", "edge", "warn", "letter", "tab")
)
UNDERLINED = frozenset({"broken", "named"})
"""Kinds of words that a rule or a sentence names."""
ABSENT = ("empty", "stale", "unread")
"""Cells that are there, and have no colour: what isn't written, previews, and what is never read."""
Line = list[Span]


def length(line: Line) -> int:
    """Columns of a line."""
    return sum([len(span.text) for span in line])


def labels(text: str, style: Style) -> Line:
    """Labels with spaces between them; what is underlined is the labels alone."""
    if style.kind not in UNDERLINED:
        return [Span(text, style)]
    return [Span(word, style if word.strip() else PLAIN) for word in re.split(r"(\s+)", text) if word]


def fitting(line: Line, room: int) -> Line:
    """The line, cut with an ellipsis, and before a number, where it is longer than `room` columns."""
    if length(line) <= room:
        return line
    spans: Line = []
    room -= 1
    for span in line:
        if len(span.text) > room:
            text = span.text[: max(0, room)]
            # What is left of a number would be read as a whole one.
            if span.text[room : room + 1].isdigit():
                text = text.rstrip("0123456789,")
            return [*spans, span._replace(text=text + "…")]
        spans.append(span)
        room -= len(span.text)
    return spans


def window_of(line: Line, left: int, width: int) -> Line:
    """Columns `left` to `left + width` of a line."""
    spans: Line = []
    for span in line:
        text = span.text[left if left > 0 else 0 :][: max(0, width)]
        left -= len(span.text)
        width -= len(text)
        if text:
            spans.append(span._replace(text=text))
    return spans


def marked_window_of(line: Line, left: int, width: int) -> Line:
    """As `window_of`, with an ellipsis where an edge goes through a number: what is left would be read as a whole."""
    spans, right = window_of(line, left, width), left + width
    if spans and left > 0 and _is_through_number(line, left):
        spans[0] = spans[0]._replace(text="…" + spans[0].text[1:])
    if spans and right < length(line) and _is_through_number(line, right):
        spans[-1] = spans[-1]._replace(text=spans[-1].text[:-1] + "…")
    return spans


def _is_through_number(line: Line, edge: int) -> bool:
    """True if the same number is before column `edge` and from it on; a letter before one is a name."""
    text = "".join(span.text for span in line)
    return all(char.isdigit() or char.islower() or char in ".+-−…" for char in text[edge - 1 : edge + 1])


def cut(text: str, width: int) -> str:
    """A text of at most `width` columns, with an ellipsis where it was longer."""
    return text if len(text) <= width else text[: width - 1] + "…"
