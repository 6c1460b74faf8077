"""The last page of a lesson as lines: what was mended, first tries beside later ones, and what comes next."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from textual import events
from textual.binding import Binding
from textual.message import Message

from ...scene.drawing.small_table import CELL_SIZES, CellSize
from ...scene.spans import PLAIN, RULER, TITLE, WARN, Line, Span, Style, cut
from ...teaching.words.catalogue import sentence
from ...workspace.lessons.lesson import RIGHT
from ...workspace.lessons.lesson_end import Belief, LessonEnd, Pictured
from ..bars.footer_line import Entry, StateFooter
from ..lib.state_panel import Hit, StatePanel
from .answer_board import Board, marks_of, tables_at

STRONG, ACCENT, CHOICE = Style("letter"), Style("axis", strong=True), Style("tab")
WIDEST = 88
"""Columns of text at most: longer lines are hard to read."""
LARGE, SMALL, TIGHT = CELL_SIZES[3], CELL_SIZES[5], CELL_SIZES[6]
GAP = 8
"""Columns between two pictures."""


class EndBoard(StatePanel[LessonEnd]):
    """Draws a lesson's end; a click on what can be done next does it."""

    @dataclass
    class Pressed(Message):
        """One of `next`, `again`, `anew`, `hand-in` and `map` was clicked."""

        name: str

    def lines_of(self, state: LessonEnd, width: int, height: int) -> list[Line]:
        drawn = end_board(state, width, height)
        self._hits = drawn.hits
        return drawn.lines

    def on_click(self, event: events.Click) -> None:
        hit = self.hit_at(event)
        if hit is not None:
            self.post_message(self.Pressed(hit.name))


def end_board(state: LessonEnd, width: int, height: int) -> Board:
    """The page's lines and hits in a room: with the largest pictures that fit, and as many rules as fit."""
    wide = min(width, WIDEST)
    standing, choices = _standing_lines(state, wide), _choices(state)
    foot = [
        *standing,
        [],
        *([Span(f" {key:<5} ", CHOICE), Span(f"  {what}", STRONG)] for _, key, what in choices),
    ]
    room = height - len(foot) - 3
    drawn: list[Line] = []
    ways = [(len(state.beliefs), size) for size in (LARGE, SMALL, TIGHT)]
    ways += [(count, TIGHT) for count in range(len(state.beliefs) - 1, -1, -1)]
    for pictured, size in ways:
        drawn = _belief_lines(state, wide, pictured, size)
        whole = size is TIGHT or all(_across(each.picture, size) <= wide for each in state.beliefs if each.picture)
        if whole and len(drawn) <= room:
            break
    if len(drawn) > room:
        drawn = drawn[: max(0, room)]
    lines = [[Span(cut(state.title, wide), TITLE)], [], *drawn, [], *foot]
    top = max(0, (height - len(lines)) // 3)
    lines = [*([] for _ in range(top)), *lines]
    first = len(lines) - len(choices)
    hits = [
        Hit(y=first + k, first=0, last=len(what) + 9, name=name, value="")
        for k, (name, key, what) in enumerate(choices)
    ]
    return Board(lines, hits)


def _choices(state: LessonEnd) -> list[tuple[str, str, str]]:
    """(name, key, words) of what can be done next."""

    def say(key: str, **values: Any) -> str:
        return sentence(key, **values)

    return [
        *([("next", "enter", say("end.next", title=state.following))] if state.following else []),
        *([("again", "m", say("end.again", count=state.missed))] if state.missed else []),
        ("anew", "a", say("end.anew")),
        ("hand-in", "h", say("end.hand_in")),
        ("map", "esc", say("end.map")),
    ]


def _standing_lines(state: LessonEnd, width: int) -> list[Line]:
    """First tries, how it stands by now, and the questions at the end."""

    def say(key: str, **values: Any) -> str:
        return sentence(key, **values)

    def row(title: str, marks: Sequence[str], said: str) -> Line:
        return [Span(f"{title:<{lead}}  ", PLAIN), Span(f"{marks_of(marks)}  ", ACCENT), Span(said, RULER)]

    lines: list[Line] = []
    count = len(state.firsts)
    titles = say("end.firsts"), say("end.later")
    lead = max(map(len, titles))
    if any(state.firsts):
        for title, marks in zip(titles, (state.firsts, state.later), strict=True):
            lines.append(row(title, marks, say("end.right", right=sum(mark == RIGHT for mark in marks), count=count)))
    right, asked = state.exits
    if asked and not state.tested_out:
        lines.append([Span(say("end.exits", right=right, count=asked), PLAIN)])
    return lines


def _belief_lines(state: LessonEnd, width: int, pictured: int, size: CellSize) -> list[Line]:
    """The wrong rules, the first `pictured` of them with their pictures in cells of `size`."""
    if state.tested_out or not state.beliefs:
        text = sentence("end.tested_out" if state.tested_out else "end.nothing_wrong")
        return [[Span(line, STRONG)] for line in textwrap.wrap(text, width)]
    lines: list[Line] = []
    for k, belief in enumerate(state.beliefs):
        lines += [[]] if lines else []
        lines += _one_belief(belief, width, size if k < pictured else None)
    return lines


def _one_belief(belief: Belief, width: int, size: CellSize | None) -> list[Line]:
    said = sentence("end.mended" if belief.mended else "end.open", name=belief.name)
    sign = Span("✓ ", ACCENT) if belief.mended else Span("✗ ", WARN)
    lines: list[Line] = [[sign, Span(cut(said, width - 2), STRONG)]]
    lines += [[Span(f"  {line}", PLAIN)] for line in textwrap.wrap(belief.feedback, width - 2)]
    if belief.picture is not None and size is not None and _across(belief.picture, size) <= width:
        (wrong_title, wrong), (true_title, true) = belief.picture.wrong, belief.picture.true
        x = _beside(belief.picture, size)
        tables = [(2, 0, [Span(f"✗ {wrong_title}", WARN)], wrong), (x, 0, [Span(f"✓ {true_title}", ACCENT)], true)]
        lines += [[], *tables_at(tables, size)]
    return lines


def _beside(picture: Pictured, size: CellSize) -> int:
    """The column in which the true output begins."""
    title, table = picture.wrong
    return 2 + max(table.width(size), len(title) + 2) + GAP


def _across(picture: Pictured, size: CellSize) -> int:
    """Columns that both outputs take."""
    title, table = picture.true
    return _beside(picture, size) + max(table.width(size), len(title) + 2)


ORDER = ("ending.next", "ending.again", "ending.leave", "ending.anew", "ending.hand-in", "app.keys")
"""Ids of the keys, the likeliest to be wanted first."""


class EndFooter(StateFooter[LessonEnd]):
    """The keys of a lesson's end."""

    ORDER = ORDER

    def _active_entries(self) -> Iterator[Entry]:
        return (entry for entry in super()._active_entries() if entry.id in ORDER)

    def _word_for(self, binding: Binding) -> str:
        keys = {"ending.next": "key.next_lesson", "ending.again": "key.the_missed_again", "ending.leave": "key.map"}
        keys |= {"ending.anew": "key.anew", "ending.hand-in": "key.hand_in"}
        if self._state is not None and binding.id in keys:
            return sentence(keys[binding.id])
        return super()._word_for(binding)
