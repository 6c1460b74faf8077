"""The course map as lines: lessons, and levels in as many columns as there is need of and room for."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from textual import events
from textual.binding import Binding
from textual.message import Message

from ...scene.spans import DIM, PLAIN, RULER, TITLE, Line, Span, Style, cut, length
from ...teaching.words.catalogue import sentence
from ...workspace.lessons.course_map import AT_PAR, OPEN, SOLVED, CourseState, Item, LessonItem
from ..bars.footer_line import Entry, StateFooter
from ..lib.state_panel import Hit, StatePanel
from .answer_board import Board, marks_of

SIGNS = {OPEN: "□", SOLVED: "✓", AT_PAR: "★"}
CURSOR, ACCENT, STRONG = Style("tab"), Style("axis", strong=True), Style("letter")
BESIDE = 112
"""Columns from which on levels stand beside the lessons."""
WIDEST, LEAST_COLUMN, GAP = 132, 34, 3
"""Columns that the map takes at most, of a level at least, and between two."""
ABOUT = 2
"""Lines for what the cursor is on, and one before them, where there are `ROOMY` lines; else it has one."""
ROOMY = 25


class CourseBoard(StatePanel[CourseState]):
    """Draws a course map; a click on an item opens it."""

    @dataclass
    class Pressed(Message):
        """An item was clicked."""

        at: int

    @dataclass
    class Wheeled(Message):
        """The wheel was turned."""

        by: int

    def lines_of(self, state: CourseState, width: int, height: int) -> list[Line]:
        drawn = map_board(state, width, height)
        self._hits = drawn.hits
        return drawn.lines

    def beside(self, by: int) -> int | None:
        """The number of the nearest item in the column left (-1) or right (1) of the cursor's; None without one."""
        assert self._state is not None
        here = next((hit for hit in self._hits if hit.value == str(self._state.at)), None)
        if here is None:
            return None
        hits = [hit for hit in self._hits if (hit.first - here.first) * by > 0]
        if not hits:
            return None
        edge = min(hits, key=lambda hit: abs(hit.first - here.first)).first
        column = [hit for hit in hits if hit.first == edge]
        return int(min(column, key=lambda hit: abs(hit.y - here.y)).value)

    def on_click(self, event: events.Click) -> None:
        hit = self.hit_at(event)
        if hit is not None:
            self.post_message(self.Pressed(int(hit.value)))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.post_message(self.Wheeled(1))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.post_message(self.Wheeled(-1))


def map_board(state: CourseState, width: int, height: int) -> Board:
    """The map's lines and hits in a room; where the room is too small, the part around the cursor."""
    wide = min(width, WIDEST)
    roomy = height >= ROOMY
    room = max(3, height - (ABOUT + 1 if roomy else 1))
    drawn = (
        _side_by_side(state, wide, room)
        if wide >= BESIDE and (state.own or state.lessons)
        else _stacked(state, wide, room)
    )
    lines, hits = drawn.lines, drawn.hits
    if len(lines) > room:
        at = next(hit.y for hit in hits if hit.value == str(state.at))
        over = len(lines) - room
        top = 1 if over == 1 else max(0, min(at - room // 2, over))  # one line less is the first heading
        if at and top >= at:
            top = at
        lines = lines[top : top + room]
        hits = [hit._replace(y=hit.y - top) for hit in hits if top <= hit.y < top + room]
    if not roomy:
        return Board([*lines, [Span(cut(state.item.about, wide), STRONG)]], hits)
    about = textwrap.wrap(state.item.about, max(20, wide))[:ABOUT]
    return Board([*lines, [], *([Span(text, STRONG)] for text in about)], hits)


def _lesson_groups(state: CourseState) -> list[tuple[str, Sequence[LessonItem]]]:
    """(title, lessons): the session's own lesson, if there is one, and the shipped ones."""
    own = [(_say("map.own"), state.own)] if state.own else []
    return [*own, *([(_say("map.lessons"), state.lessons)] if state.lessons else [])]


def _stacked(state: CourseState, width: int, room: int) -> Board:
    """The map with lessons above levels; it may need more lines than `room`."""
    lines: list[Line] = []
    hits: list[Hit] = []
    at = 0
    for title, items in _lesson_groups(state):
        lines.append([Span(title, TITLE)])
        for item in items:
            hits.append(Hit(y=len(lines), first=0, last=width, name="open", value=str(at)))
            lines.append(_lesson_on_one_line(item, width, here=at == state.at))
            at += 1
    most = max(1, (width + GAP) // (LEAST_COLUMN + GAP))
    count = len(state.levels)
    columns = next((n for n in range(1, most) if len(lines) + 1 + -(-count // n) <= room), most)
    rows = -(-count // columns)
    if len(lines) + rows + 2 <= room:
        lines.append([])
    if len(lines) + rows != room + 1:  # else all are in sight without both headings, and ? tells the signs
        lines.append(_levels_head(state, width))
    top, wide = len(lines), (width + GAP) // columns - GAP
    for row in range(rows):
        line: Line = []
        for column in range(columns):
            k = column * rows + row
            if k >= count:
                continue
            x = column * (wide + GAP)
            line += [Span(" " * (x - length(line)), PLAIN)] if x > length(line) else []
            line += _level_line(state.levels[k], wide, here=at + k == state.at)
            hits.append(Hit(y=top + row, first=x, last=x + wide, name="open", value=str(at + k)))
        lines.append(line)
    return Board(lines, hits)


def _side_by_side(state: CourseState, width: int, room: int) -> Board:
    """The map with lessons at the left, levels at the right; it may need more lines than `room`."""
    left = (width - GAP) // 2
    one, hits = [], []
    at = 0
    count = sum(len(items) for _, items in _lesson_groups(state))
    lines_each = 3 if room >= 3 * count + 2 * len(_lesson_groups(state)) else 2
    for title, items in _lesson_groups(state):
        one += [[Span(title, TITLE)], []] if lines_each == 3 else [[Span(title, TITLE)]]
        for item in items:
            head, bar = _lesson_on_two_lines(item, left, here=at == state.at)
            hits += [Hit(y=len(one) + k, first=0, last=left, name="open", value=str(at)) for k in range(2)]
            one += [head, bar] if lines_each == 2 else [head, bar, []]
            at += 1
    right = width - left - GAP
    other: list[Line] = [_levels_head(state, right), *([[]] if room >= len(state.levels) + 2 else [])]
    for k, level in enumerate(state.levels):
        hits.append(Hit(y=len(other), first=left + GAP, last=width, name="open", value=str(at + k)))
        other.append(_level_line(level, right, here=at + k == state.at))
    lines = []
    for y in range(max(len(one), len(other))):
        line = one[y] if y < len(one) else []
        if y < len(other) and other[y]:
            line = [*line, Span(" " * (left + GAP - length(line)), PLAIN), *other[y]]
        lines.append(line)
    return Board(lines, hits)


def _levels_head(state: CourseState, width: int) -> Line:
    title = _say("map.levels")
    return [Span(title, TITLE), Span(_say("map.legend").rjust(max(0, width - len(title))), DIM)]


def _say(key: str) -> str:
    """The sentence of that key."""
    return sentence(key)


def _two_ended_row(left: str, right: str, width: int, *, here: bool, done: bool = False) -> Line:
    """A text at the left and one at the right; under the cursor all is lit, and only the left one need be whole."""
    left = f"{'▸' if here else ' '}{left}"
    if here and len(left) + len(right) + 2 > width:
        return [Span(cut(left, width).ljust(width), CURSOR)]
    left = cut(left, max(1, width - len(right) - 2))
    gap = " " * max(1, width - len(left) - len(right) - 1)
    if here:
        return [Span(f"{left}{gap}{right} ", CURSOR)]
    return [Span(left, PLAIN), Span(gap, PLAIN), Span(f"{right} ", ACCENT if done else RULER)]


def _lesson_number(item: LessonItem) -> str:
    return str(item.number) if item.number else "·"


def _lesson_on_one_line(item: LessonItem, width: int, *, here: bool) -> Line:
    standing = f"{marks_of(item.marks)}  {item.status_text:>7}" if width >= 70 else item.status_text
    return _two_ended_row(f"{_lesson_number(item)}  {item.title}", standing, width, here=here, done=item.is_done)


def _lesson_on_two_lines(item: LessonItem, width: int, *, here: bool) -> tuple[Line, Line]:
    head = _two_ended_row(
        f"{_lesson_number(item)}  {item.title}", item.status_text, width, here=here, done=item.is_done
    )
    return head, [Span(f"    {marks_of(item.marks)}", ACCENT)]


def _level_line(item: Item, width: int, *, here: bool) -> Line:
    assert not isinstance(item, LessonItem)
    left = f"{SIGNS[item.status]} {item.id} {item.title}"
    return _two_ended_row(left, item.status_text, width, here=here, done=item.status == AT_PAR)


ORDER = ("course.open", "course.move", "course.leave", "course.group", "course.test", "course.hand-in", "app.keys")
"""Ids of the keys, the likeliest to be wanted first."""


class CourseFooter(StateFooter[CourseState]):
    """The map's own keys."""

    ORDER = ORDER

    def _active_entries(self) -> Iterator[Entry]:
        return (entry for entry in super()._active_entries() if entry.id in ORDER)

    def _word_for(self, binding: Binding) -> str:
        keys = {"course.test": "key.test", "course.hand-in": "key.hand_in"}
        return sentence(keys[binding.id]) if binding.id in keys else binding.description
