"""The join screen: a QR code, the address and the code in words, and what is kept of the answers."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import NamedTuple

from ...formats.qr_code import QUIET, Rows, bordered, qr_rows
from ...scene.large_letters import large_lines
from ...scene.spans import PLAIN, RULER, TITLE, WARN, Line, Span, Style, fitting, length
from ...workspace.wall.presented_item import Item
from ...workspace.wall.wall_state import WallState
from .class_lines import progress_lines

STRONG, ACCENT, DARK, LIGHT = Style("letter"), Style("axis", strong=True), Style("qr"), Style("qr light")
WIDE_QUIET = 4
"""The border that the norm asks for."""
LEAST_WORDS, COMFORTABLE_WORDS = 25, 46
"""Columns of the words beside the code: at least, and for a code of which a module is two columns wide."""
FAR = 30
"""Lines from which on the address is as large as the code."""
MARGIN = 3
"""Columns between code and words."""


class Code(NamedTuple):
    """A QR code as lines, all alike wide."""

    lines: list[Line]
    width: int


def code_lines(text: str, width: int, height: int, *, words: bool = True) -> Code | None:
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
            beside = MARGIN + (COMFORTABLE_WORDS if double else LEAST_WORDS) if words else 0
            if wide + beside <= width and high <= height:
                return Code(_blocks(bordered(rows, border), double=double), wide)
    return None


def _blocks(rows: Rows, *, double: bool) -> list[Line]:
    """Modules as characters: two of each, or two rows in one line."""
    lines: list[Line] = []
    if double:
        return [_runs([("  ", DARK) if dark else ("██", LIGHT) for dark in row]) for row in rows]
    padded = [*rows, *([(False,) * len(rows[0])] if len(rows) % 2 else [])]
    looks = {
        (True, True): (" ", DARK),
        (False, False): ("█", LIGHT),
        (False, True): ("▀", DARK),
        (True, False): ("▄", DARK),
    }
    for upper, lower in zip(padded[::2], padded[1::2], strict=True):
        lines.append(_runs([looks[pair] for pair in zip(upper, lower, strict=True)]))
    return lines


def _runs(cells: Sequence[tuple[str, Style]]) -> Line:
    """Neighbours of one style as one span."""
    line: Line = []
    for text, style in cells:
        if line and line[-1].style == style:
            line[-1] = Span(line[-1].text + text, style)
        else:
            line.append(Span(text, style))
    return line


def join_head(state: WallState, width: int) -> list[Line]:
    """The lesson's title and how many questions it has; at the right, how many have joined."""
    room, say = state.room, state.item.say
    if room is None:
        return [fitting([Span(say("present.room_away") if state.away else "", RULER)], width)]
    questions = say("present.room_question") if room.tasks == 1 else say("present.room_questions", count=room.tasks)
    left: Line = [Span(f"{room.title} · " if room.title else "", TITLE), Span(questions, PLAIN)]
    right = say("present.room_joined", count=room.joined)
    left = fitting(left, max(1, width - len(right) - 2))
    return [[*left, Span(right.rjust(width - length(left)), STRONG)]]


def join_lines(state: WallState, width: int, height: int) -> list[Line]:
    """The code beside what is to be typed, in the middle of `width` columns and `height` lines."""
    room = state.room
    if room is None:
        return []
    code = code_lines(room.link, width, height)
    columns = width - (code.width + MARGIN if code else 0)
    words = _words(state, columns, height)
    return _side_by_side(code, words, width, height)


def _words(state: WallState, width: int, height: int) -> list[Line]:
    """Where to go, the code, what is kept, and at their own pace how far the room is."""
    room = state.room
    assert room is not None
    say = state.item.say
    kept = say("present.room_kept", file=room.keeps) if room.keeps else say("present.room_forgotten")
    lines: list[Line] = [*_wrapped(say("present.room_open"), PLAIN, width)]
    far = large_lines(room.address)
    if far is not None and len(far[0]) <= width and height >= FAR:
        lines += [[Span(line, STRONG)] for line in far]
    else:
        lines += _wrapped(room.address, STRONG, width)
    lines.append([])
    large = large_lines(room.code)
    tail = _wrapped(kept, RULER, width)
    if large is not None and len(large[0]) <= width and len(lines) + len(large) + len(tail) + 2 <= height:
        lines += [[Span(say("present.room_code"), PLAIN)], *([Span(line, ACCENT)] for line in large)]
    else:
        lines.append([Span(f"{say('present.room_code')}  ", PLAIN), Span(room.code, ACCENT)])
    lines += [[], *(_wrapped(room.trouble, WARN, width) if room.trouble else tail)]
    left = height - len(lines) - 1
    if room.progress and left > 0:
        lines += [[], *progress_lines(room.progress, state.item, width, left)]
    return lines


def host_lines(link: str, item: Item, width: int, height: int) -> list[Line]:
    """The QR code of the instructor's own phone, with a warning: whoever has it moves the class on."""
    code = code_lines(link, width, height)
    alone = code is None
    if alone:  # the warning above or below it is in short
        code = code_lines(link, width, height, words=False)
    columns = width - (code.width + MARGIN if code and not alone else 0)
    words = [
        *_wrapped(item.say("present.room_host_hide"), WARN, columns),
        [],
        *_wrapped(item.say("present.room_host_use"), PLAIN, columns),
        [],
        *_wrapped(link, STRONG, columns),
    ]
    if alone and code is not None:
        return _side_by_side(code, [], width, height)
    return _side_by_side(code, words, width, height)


def _side_by_side(code: Code | None, words: list[Line], width: int, height: int) -> list[Line]:
    """The code and, at its right, its words, as one block in the middle."""
    high = max(len(code.lines) if code else 0, min(len(words), height))
    across = (code.width if code else 0) + (MARGIN if code and words else 0) + max(map(length, words), default=0)
    margin = Span(" " * max(0, (width - across) // 2), PLAIN)
    above = (high - len(words)) // 2 if len(words) < high else 0
    code_above = (high - len(code.lines)) // 2 if code else 0
    lines: list[Line] = [[] for _ in range(max(0, (height - high) // 2))]
    for y in range(high):
        line: Line = [margin]
        if code is not None:
            at = y - code_above
            line += code.lines[at] if 0 <= at < len(code.lines) else [Span(" " * code.width, PLAIN)]
            line.append(Span(" " * MARGIN, PLAIN))
        at = y - above
        lines.append([*line, *(words[at] if 0 <= at < len(words) else [])])
    return lines[:height]


def _wrapped(text: str, style: Style, width: int) -> list[Line]:
    return [[Span(part, style)] for part in textwrap.wrap(text, max(8, width))]
