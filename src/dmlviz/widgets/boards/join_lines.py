"""The join screen: a QR code, the address and the code in words, and what is kept of the answers."""

from __future__ import annotations

from itertools import groupby

from ...formats.qr_code import QUIET, Rows, qr_rows
from ...scene.spans import PLAIN, RULER, TITLE, WARN, Line, Span, Style, length
from ...session.class_status import ClassStatus
from ...teaching.words.catalogue import sentence
from ...workspace.wall.wall_desk import WallState
from .answer_board import with_right
from .presented_lines import wrapped_lines

STRONG = Style("letter")
ACCENT = Style("axis", strong=True)
DARK = Style("qr")
LIGHT = Style("qr light")
WIDE_QUIET = 4
"""The border that the norm asks for."""
WORDS = 25
"""Columns of the words beside the code, at least."""
MARGIN = 3
"""Columns between code and words."""
FORMS = (("m", WIDE_QUIET, True), ("m", WIDE_QUIET, False), ("l", QUIET, False))
"""(level, border, a module is two columns wide) of codes, the best first."""


def code_lines(text: str, width: int, height: int) -> list[Line] | None:
    """The QR code of a text as large as fits, beside its words; None where it doesn't, or nobody can make it."""
    for level, border, double in FORMS:
        rows = qr_rows(text, level, border)
        if rows is None:
            return None
        lines = _blocks(rows, double=double)
        if length(lines[0]) + MARGIN + WORDS <= width and len(lines) <= height:
            return lines
    return None


def _blocks(rows: Rows, *, double: bool) -> list[Line]:
    if double:
        lines = [["  " if dark else "██" for dark in row] for row in rows]
    else:
        below = [*rows[1::2], (False,) * len(rows[0])]
        pairs = [zip(*two, strict=True) for two in zip(rows[::2], below, strict=False)]
        lines = [[" ▀▄█"[(not upper) + 2 * (not lower)] for upper, lower in pair] for pair in pairs]
    light = [groupby(line, lambda text: text[0] == "█") for line in lines]
    return [[Span("".join(texts), LIGHT if is_light else DARK) for is_light, texts in line] for line in light]


def join_head(state: WallState, width: int) -> list[Line]:
    room = state.room
    if room is None:
        return [[]]
    questions = sentence("present.room_questions", count=room.tasks)
    left: Line = [Span(f"{room.title} · " if room.title else "", TITLE), Span(questions, PLAIN)]
    return [with_right(left, sentence("present.room_joined", count=room.joined), STRONG, width)]


def join_lines(state: WallState, width: int, height: int) -> list[Line]:
    """The code beside what is to be typed, as one block in the middle of `width` columns and `height` lines."""
    if state.room is None:
        return []
    code = code_lines(f"{state.room.address}/{state.room.code}".upper(), width, height) or []  # upper case is small
    beside = length(code[0]) + MARGIN if code else 0
    words = _words(state.room, width - beside)
    words = [[]] * ((len(code) - len(words)) // 2) + words
    high = max(len(code), len(words))
    across = beside + max(map(length, words))
    margin = Span(" " * max(0, (width - across) // 2), PLAIN)
    lines: list[Line] = [[]] * max(0, (height - high) // 2)
    for k in range(high):
        left = code[k] if k < len(code) else []
        right = words[k] if k < len(words) else []
        lines.append([margin, *left, Span(" " * (beside - length(left)), PLAIN), *right])
    return lines[:height]


def _words(room: ClassStatus, width: int) -> list[Line]:
    kept = sentence("present.room_kept" if room.keeps else "present.room_forgotten", file=room.keeps)
    lines = wrapped_lines(sentence("present.room_open"), PLAIN, width)
    lines += wrapped_lines(room.spoken, STRONG, width)
    lines += [[], [Span(f"{sentence('present.room_code')}  ", PLAIN), Span(room.spelled, ACCENT)], []]
    return [*lines, *wrapped_lines(room.trouble, WARN, width), *wrapped_lines(kept, RULER, width)]
