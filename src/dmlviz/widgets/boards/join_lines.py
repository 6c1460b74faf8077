"""The join screen: a QR code, the address and the code in words, and what is kept of the answers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ...formats.qr_code import QUIET, Rows, qr_rows
from ...scene.large_letters import large_lines
from ...scene.spans import PLAIN, RULER, TITLE, WARN, Line, Span, Style, fitting, length
from ...session.class_status import ClassStatus
from ...teaching.words.catalogue import sentence
from ...workspace.wall.wall_state import WallState
from .presented_lines import wrapped_lines

STRONG, ACCENT, DARK, LIGHT = Style("letter"), Style("axis", strong=True), Style("qr"), Style("qr light")
WIDE_QUIET = 4
"""The border that the norm asks for."""
LEAST_WORDS, COMFORTABLE_WORDS = 25, 46
"""Columns of the words beside the code: at least, and for a code of which a module is two columns wide."""
MARGIN = 3
"""Columns between code and words."""


def code_lines(text: str, width: int, height: int) -> list[Line] | None:
    """The QR code of a text as large as fits, beside its words; None where it doesn't, or nobody can make it."""
    for level in "ml":
        rows = qr_rows(text, level)
        if rows is None:
            return None
        for double, border in ((True, WIDE_QUIET), (True, QUIET), (False, WIDE_QUIET), (False, QUIET)):
            if level == "l" and (double or border > QUIET):
                continue  # rather small and strong than large and weak
            side = len(rows) + 2 * border
            wide, high = (2 * side, side) if double else (side, -(-side // 2))
            beside = MARGIN + (COMFORTABLE_WORDS if double else LEAST_WORDS)
            if wide + beside <= width and high <= height:
                return _blocks(qr_rows(text, level, border) or (), double=double)
    return None


def _blocks(rows: Rows, *, double: bool) -> list[Line]:
    """Modules as characters: two of each, or two rows in one line. Neighbours of one style are one span."""
    if double:
        lines = [["  " if dark else "██" for dark in row] for row in rows]
    else:
        below = [*rows[1::2], (False,) * len(rows[0])]
        pairs = [zip(*two, strict=True) for two in zip(rows[::2], below, strict=False)]
        lines = [[" ▀▄█"[(not upper) + 2 * (not lower)] for upper, lower in pair] for pair in pairs]
    light = [groupby(line, lambda text: text[0] == "█") for line in lines]
    return [[Span("".join(texts), LIGHT if is_light else DARK) for is_light, texts in line] for line in light]


def join_head(state: WallState, width: int) -> list[Line]:
    """The lesson's title and how many questions it has; at the right, how many have joined."""
    room = state.room
    if room is None:
        return [[]]
    questions = sentence("present.room_questions", count=room.tasks)
    left: Line = [Span(f"{room.title} · " if room.title else "", TITLE), Span(questions, PLAIN)]
    right = sentence("present.room_joined", count=room.joined)
    left = fitting(left, max(1, width - len(right) - 2))
    return [[*left, Span(right.rjust(width - length(left)), STRONG)]]


def join_lines(state: WallState, width: int, height: int) -> list[Line]:
    """The code beside what is to be typed, in the middle of `width` columns and `height` lines."""
    if state.room is None:
        return []
    code = code_lines(f"{state.room.address}/{state.room.code}".upper(), width, height)  # upper case makes it small
    words = _words(state.room, width - (length(code[0]) + MARGIN if code else 0), height)
    return _side_by_side(code, words, width, height)


def _words(room: ClassStatus, width: int, height: int) -> list[Line]:
    """Where to go, the code, and what is kept."""
    kept = sentence("present.room_kept" if room.keeps else "present.room_forgotten", file=room.keeps)
    tail = [*wrapped_lines(room.trouble, WARN, width), *wrapped_lines(kept, RULER, width)]
    lines = [*wrapped_lines(sentence("present.room_open"), PLAIN, width), *wrapped_lines(room.spoken, STRONG, width)]
    drawn, head = large_lines(room.spelled) or (), Span(sentence("present.room_code"), PLAIN)
    if len(drawn[0]) <= width and len(lines) + len(drawn) + len(tail) + 3 <= height:
        lines += [[], [head], *([Span(line, ACCENT)] for line in drawn)]
    else:
        lines += [[], [head, Span(f"  {room.spelled}", ACCENT)]]
    return [*lines, [], *tail]


def _side_by_side(code: list[Line] | None, words: list[Line], width: int, height: int) -> list[Line]:
    """The code and, at its right, its words, as one block in the middle."""
    blank = [Span(" " * (length(code[0]) + MARGIN if code else 0), PLAIN)]
    side = [[*line, Span(" " * MARGIN, PLAIN)] for line in code or ()]
    high = max(len(side), min(len(words), height))
    across = length(blank) + max(map(length, words), default=-MARGIN)
    margin = Span(" " * max(0, (width - across) // 2), PLAIN)
    rows = zip(_in_the_middle(side, high, blank), _in_the_middle(words, high, []), strict=True)
    return _in_the_middle([[margin, *left, *right] for left, right in rows], height, [])


def _in_the_middle(lines: Sequence[Line], height: int, blank: Line) -> list[Line]:
    """Lines with blank ones above and below them; cut where there is no room for all."""
    above = max(0, (height - len(lines)) // 2)
    return [*[blank] * above, *lines, *[blank] * max(0, height - above - len(lines))][:height]
