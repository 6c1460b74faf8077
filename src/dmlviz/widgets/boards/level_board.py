"""What the screen of a level shows beside the picture: the goal, what comes of the desc, and what doesn't change."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from textual import events
from textual.binding import Binding
from textual.message import Message

from ...scene.drawing.small_table import CELL_SIZES, CellSize, SmallTable, placed
from ...scene.spans import DIM, PLAIN, RULER, TAB, TITLE, WARN, Line, Span, Style, fitting, length
from ...teaching.words.catalogue import sentence
from ...workspace.levels.level_state import GoalTable, LevelState, names_in_words
from ..bars.footer_line import Entry, StateFooter
from ..lib.state_panel import Hit, StatePanel
from .answer_board import tables_at

CELL, WRONG = Style("cell"), Style("wrong")
GOOD, BAD = Style("axis", strong=True), Style("warn", strong=True)
STRONG = Style("letter")
DIFFERS = "✗"
"""What marks a cell of the goal that the student's output hasn't, without colours too."""
GAP = 3
"""Columns between two tables."""
LARGE, ROOMY_CELL, SMALL = CellSize(5, 3, 1), CellSize(3, 1, 1), CellSize(2, 1)
MOST = 200
"""Columns and lines that no goal has more of."""
Titled = tuple[Line, SmallTable]
"""A table, and the line above it."""


def tables_in(tables: Sequence[Titled], sizes: Sequence[CellSize], width: int, height: int) -> list[Line] | None:
    """Tables with the first size of cells in which all of them stand in a room; None where there is none."""
    for size in sizes:
        heads = [length(head) for head, _ in tables]
        places = placed([table for _, table in tables], size, width, GAP, heads=heads)
        if places is not None and max((place.y + place.height for place in places), default=0) <= height:
            both = zip(places, tables, strict=True)
            return tables_at([(place.x, place.y, head, table) for place, (head, table) in both], size)
    return None


def goal_lines(tables: Sequence[GoalTable], width: int, height: int, *, large: bool = False) -> list[Line]:
    """The lines of the goal in `width` columns: cells that the student's output hasn't are marked.

    Cells are as small as they can be; where `large`, as large as there is room for. Lines may be more than `height`.
    """
    titled, paged = list[Titled](), list[Titled]()
    for table in tables:
        head: Line = [Span(table.title, TITLE), *[Span(f" {DIFFERS}", BAD)] * table.other_sizes]
        signed = [f"{text}{DIFFERS if k in table.differing else ' '}" for k, text in enumerate(table.texts)]
        page = math.prod(table.sizes[-2:])
        pages = [(table.sizes[-2:], signed[first : first + page]) for first in range(0, len(signed), page)]
        titled.append((head, SmallTable(tuple(pages))))
        paged += [(head if not k else [], SmallTable((each,))) for k, each in enumerate(pages)]
    sizes = (LARGE, ROOMY_CELL, SMALL) if large else (SMALL,)
    lines = tables_in(titled, sizes, width, height) or tables_in(paged, (SMALL,), width, height)
    lines = lines or tables_in(titled, (SMALL,), MOST, MOST) or []
    for line in lines:
        line[:] = [span._replace(style=WRONG) if span.style == CELL and DIFFERS in span.text else span for span in line]
    return lines


class GoalPanel(StatePanel[LevelState]):
    """Draws the goal."""

    def __init__(self, *, id: str, large: bool) -> None:  # noqa: A002
        """Cells are `large` where there is room for that."""
        super().__init__(id=id)
        self._large = large

    def lines_of(self, state: LevelState, width: int, height: int) -> Sequence[Line]:
        lines = goal_lines(state.goal, width, height, large=self._large)
        lines = [fitting(line, width) for line in lines]
        if self._large:  # the picture beside it stands in the middle, too
            lines = [*([] for _ in range((height - len(lines)) // 2)), *lines]
        return lines if len(lines) <= height else [*lines[: max(0, height - 1)], [Span("…", DIM)]]


def goal_width(state: LevelState, height: int, most: int, *, large: bool = False) -> int:
    """Columns that the goal takes in `height` lines; at most `most`."""
    lines = goal_lines(state.goal, most, height, large=large)
    titles = (len(table.title) + len(f" {DIFFERS}") for table in state.goal)  # so that nothing moves with the sign
    return min(most, max(max(map(length, lines)), *titles))


class GivenTables(StatePanel[LevelState]):
    """Draws the inputs as plain tables, while there is no picture of them."""

    def lines_of(self, state: LevelState, width: int, height: int) -> Sequence[Line]:
        heads = [[Span(table.title, TITLE)] for table in state.tables]
        both = zip(heads, state.tables, strict=True)
        tables = [(head, SmallTable(((table.sizes, table.values),))) for head, table in both if table.values]
        return tables_in(tables, CELL_SIZES[1:], width, height) or [fitting(head, width) for head in heads][:height]


class LevelHead(StatePanel[LevelState]):
    """The level's name, its operator, and the numbers changed against par; a click on the operator chooses another."""

    PANEL = "panel"

    class Chosen(Message):
        """Another operator is to be chosen."""

    def lines_of(self, state: LevelState, width: int, height: int) -> Sequence[Line]:
        say = partial(sentence, count=state.changed, par=state.level.par)
        end = say("level.changed") if state.best is None else say("level.changed_best", best=state.best)
        name = f" {state.operator} ▾ " if state.any_operator else state.operator
        line: Line = [Span(state.level.id, DIM), Span("  ", PLAIN)]
        room = width - length(line) - len(name) - len(end) - 6
        line += [*fitting([Span(state.level.title(), TITLE)], max(1, room)), Span("   ", PLAIN)]
        self._hits = [Hit(0, length(line), length(line) + len(name), name="operator", value="")] * state.any_operator
        line.append(Span(name, TAB if state.any_operator else PLAIN))
        line.append(Span(" " * max(1, width - length(line) - len(end)), PLAIN))
        line.append(Span(end, GOOD if state.won and state.changed <= state.level.par else STRONG))
        return [fitting(line, width)]

    def on_click(self, event: events.Click) -> None:
        if self.hit_at(event) is not None:
            self.post_message(self.Chosen())


class GivenLine(StatePanel[LevelState]):
    """What doesn't change in a level; a click on it says why."""

    @dataclass
    class Pressed(Message):
        """Somebody wants to change what row `key` holds."""

        key: str

    def lines_of(self, state: LevelState, width: int, height: int) -> Sequence[Line]:
        line: Line = [Span(f" {sentence('level.given')} ", DIM)]
        self._hits = []
        for k, (key, text) in enumerate(state.given):
            if k:
                line.append(Span(" · ", DIM))
            self._hits.append(Hit(0, length(line), length(line) + len(text), name="given", value=key))
            line.append(Span(text, RULER))
        return [fitting(line, width)]

    def on_click(self, event: events.Click) -> None:
        hit = self.hit_at(event)
        if hit is not None:
            self.post_message(self.Pressed(hit.value))


def board_lines(state: LevelState, width: int, height: int | None = None) -> list[Line]:
    """What comes of the desc, what the student asked for, and why an edit wasn't taken.

    Where there is no room for all of it, what comes of the desc gives way: its cells are marked.
    """
    lines: list[Line] = []
    level, say = state.level, sentence

    def add_text(text: str, style: Style, sign: str = "", look: Style = PLAIN) -> None:
        lead = f"{sign} " if sign else ""
        for line in textwrap.wrap(_with_whole_sizes(text), max(10, width - len(lead))) or [""]:
            lines.append([*([Span(lead, look)] if lead else []), Span(line.replace(JOINT, " "), style)])
            lead = " " * len(lead)

    if state.won:
        add_text(f"{say('level.news_shown' if state.shown else 'level.won')} {_changed(state)}", STRONG, "✓", GOOD)
        add_text(level.task.learn, PLAIN)
    elif state.summary:
        add_text(state.summary, STRONG, DIFFERS, BAD)
    if state.view.caption and state.picture.scene is not None:
        add_text(say("level.grey"), DIM)
    first = len(lines)
    for trouble in filter(None, (state.unread, state.refused)):
        add_text(trouble, WARN, "!", BAD)
    if state.explained and state.explained != state.summary:
        add_text(state.explained, PLAIN)
    if state.hint and not state.won:
        told = say("level.hint", number=state.hints, count=state.most_hints, hint=state.hint)
        add_text(told, Style("axis"))
        if state.hints >= state.most_hints:
            add_text(say("level.shows"), DIM)
    if len(lines) == first and not state.won and not state.changed:
        make = say("level.make", names=names_in_words(level.may_change))
        add_text(f"{level.task.say} {make}".lstrip(), PLAIN)
        add_text(say("level.keys"), DIM)
    if height is not None and len(lines) > height and first > 1:
        keeps = max(1, first - (len(lines) - height))
        lines = [*lines[: keeps - 1], fitting([*lines[keeps - 1], Span(" …", DIM)], width), *lines[first:]]
    over = len(lines) - height if height is not None else 0
    if over == 1:
        lines = lines[1:]  # cells are marked
    elif over > 1 and height is not None:
        lines = [[Span("…", DIM)], *lines[over + 1 :]]  # the hint is said last
    return lines


JOINT = "\0"
"""Stands for a space at which no line ends."""


def _with_whole_sizes(text: str) -> str:
    """A text with `JOINT` for each space between braces, so that no line ends within sizes."""
    return re.sub(r"\{[^{}]*\}", lambda sizes: sizes[0].replace(" ", JOINT), text)


def _changed(state: LevelState) -> str:
    """The sentence on how many numbers were changed, against par and the student's best."""
    count, best = state.changed, state.best
    if state.shown:
        return sentence("level.it_changes", count=count)
    told = sentence("level.you_over", count=count, par=state.level.par)
    return told if best is None or best >= count else f"{told} {sentence('level.your_best', best=best)}"


class LevelBoard(StatePanel[LevelState]):
    """Draws what comes of the desc."""

    def lines_of(self, state: LevelState, width: int, height: int) -> Sequence[Line]:
        return board_lines(state, width, height)


ROOMY = 150
"""Columns of the terminal from which the footer has the keys of numbers, too."""
ORDER = (
    "level.try",
    "level.hint",
    "level.solution",
    "level.leave",
    "level.undo",
    "level.redo",
    "level.again",
    "level.memory",
    "level.levels",
    "level.help",
    "level.pane",
    "level.operator",
    "level.move",
    "level.next",
    "field.strip-up",
    "field.strip-left",
)
"""Ids of the keys, the likeliest to be wanted first."""


class LevelFooter(StateFooter[LevelState]):
    """The keys that work now; what enter does depends on whether the level is won."""

    ORDER = ORDER

    def _active_entries(self) -> Iterator[Entry]:
        wide = self.app.size.width >= ROOMY  # else the numbers have marks of their own
        return (entry for entry in super()._active_entries() if wide or not entry.id.startswith("field."))

    def _word_for(self, binding: Binding) -> str:
        if self._state is not None and binding.id == "level.try":
            leads_on = self._state.won and getattr(self.screen, "leads_on", False)
            return sentence("key.next_level") if leads_on else "go on" if self._state.won else "why?"
        return super()._word_for(binding)
