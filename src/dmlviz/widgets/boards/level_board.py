"""What the screen of a level shows beside the picture: the goal, what comes of the desc, and what doesn't change."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from textual import events
from textual.binding import Binding
from textual.message import Message

from ...scene.drawing.small_table import CELL_SIZES, SmallTable, placed
from ...scene.spans import DIM, PLAIN, RULER, TAB, TITLE, WARN, Line, Span, Style, fitting, length
from ...teaching.words.catalogue import sentence
from ...workspace.levels.level_state import GoalTable, LevelAttempt, LevelState, LevelTerms
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


class Cell(NamedTuple):
    """How large the goal's cells are drawn."""

    pad: int
    """Columns beside the longest value and its sign."""
    lines: int = 1
    between: int = 0
    """Empty lines between two rows."""


LARGE, ROOMY_CELL, SMALL = Cell(5, 3, 1), Cell(3, 1, 1), Cell(2)


def goal_lines(tables: Sequence[GoalTable], width: int, height: int, *, large: bool = False) -> list[Line]:
    """The lines of the goal in `width` columns: tensors one below the other, or side by side to keep to `height`.

    Cells are as small as they can be; where `large`, as large as there is room for. Lines may be more than `height`.
    """
    if not tables:
        return []
    for cell in (LARGE, ROOMY_CELL) if large else ():
        lines = _one_below_another([_table_lines(table, cell, beside=False) for table in tables])
        if len(lines) <= height and max(map(length, lines)) <= width:
            return lines
    blocks = [_table_lines(table, SMALL, beside=False) for table in tables]
    lines = _one_below_another(blocks)
    if len(lines) <= height:
        return lines
    for parted in (False, True):
        blocks = [_table_lines(table, SMALL, beside=parted) for table in tables]
        wide = [max(map(length, block)) for block in blocks]
        if len(lines) > height and sum(wide) + GAP * (len(blocks) - 1) <= width:
            lines = _side_by_side(blocks, wide)
    return lines


def _one_below_another(blocks: Sequence[Sequence[Line]]) -> list[Line]:
    """Blocks of lines one below the other, with an empty line between two."""
    lines: list[Line] = []
    for block in blocks:
        lines += [*([[]] if lines else []), *block]
    return lines


def _side_by_side(blocks: Sequence[Sequence[Line]], wide: Sequence[int]) -> list[Line]:
    """Blocks of lines side by side, in columns as `wide` says."""
    lines: list[Line] = []
    for y in range(max(map(len, blocks))):
        line: Line = []
        for k, block in enumerate(blocks):
            here = block[y] if y < len(block) else []
            line += [*here, Span(" " * (wide[k] - length(here) + GAP * (k < len(blocks) - 1)), PLAIN)]
        lines.append(line)
    return lines


def _table_lines(table: GoalTable, cell: Cell, *, beside: bool) -> list[Line]:
    """A title, then rows of the last axis; blocks of rows apart from each other, or `beside` one another."""
    sizes = table.sizes
    across = sizes[-1] if sizes else 1
    down = sizes[-2] if len(sizes) > 1 else 1
    count = math.prod(sizes) // (across * down) if across * down else 0
    blocks: list[list[Line]] = []
    for block in range(count):
        rows: list[Line] = []
        for row in range(down):
            rows += [[] for _ in range(cell.between)] if row else []
            first = (block * down + row) * across
            rows += [_line_of_cells(table, first, across, cell, line == cell.lines // 2) for line in range(cell.lines)]
        blocks.append(rows)
    title: Line = [Span(table.title, TITLE)]
    if table.other_sizes:
        title.append(Span(f" {DIFFERS}", BAD))
    if beside and len(blocks) > 1:
        return [title, *_side_by_side(blocks, [max(map(length, block)) for block in blocks])]
    lines: list[Line] = [title]
    for k, rows in enumerate(blocks):
        gap = cell.between + (down > 1) if k else 0  # pages stand further apart than rows
        lines += [*([] for _ in range(gap)), *rows]
    return lines


def _line_of_cells(table: GoalTable, first: int, across: int, cell: Cell, is_middle: bool) -> Line:
    """A line of cells from element `first` on; values and signs stand in the middle line of a row."""
    width = max((len(text) for text in table.texts), default=1) + 1 + cell.pad
    line: Line = []
    for flat in range(first, first + across):
        differs = flat in table.differing
        text = f"{table.texts[flat]}{DIFFERS if differs else ' '}" if is_middle else ""
        text = f"{text}{' ' * (cell.pad // 2)}".rjust(width)
        line += [*([Span(" ", PLAIN)] if line else []), Span(text, WRONG if differs else CELL)]
    return line


class GoalPanel(StatePanel[LevelState]):
    """Draws the goal; cells that the student's output hasn't are marked."""

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
        tables = [
            (tensor.title, SmallTable(((tensor.sizes, tensor.values),))) for tensor in state.tables if tensor.values
        ]
        for size in CELL_SIZES[1:]:
            places = placed([table for _, table in tables], size, width, GAP, heads=[len(title) for title, _ in tables])
            if places is None or max((p.y + p.height for p in places), default=0) > height:
                continue
            every = zip(places, tables, strict=True)
            return tables_at([(p.x, p.y, [Span(title, TITLE)], table) for p, (title, table) in every], size)
        return [fitting([Span(table.title, TITLE)], width) for table in state.tables][:height]


class LevelHead(StatePanel[LevelState]):
    """The level's name, its operator, and the numbers changed against par; a click on the operator chooses another."""

    PANEL = "panel"

    class Chosen(Message):
        """Another operator is to be chosen."""

    def lines_of(self, state: LevelState, width: int, height: int) -> Sequence[Line]:
        terms, attempt = state.terms, state.attempt
        say = partial(sentence, count=attempt.changed, par=terms.par)
        end = say("level.changed") if attempt.best is None else say("level.changed_best", best=attempt.best)
        name = f" {attempt.operator} ▾ " if terms.any_operator else attempt.operator
        line: Line = [Span(terms.id, DIM), Span("  ", PLAIN)]
        room = width - length(line) - len(name) - len(end) - 6
        title = terms.title if len(terms.title) <= room else terms.title[: max(0, room - 1)] + "…"
        line += [Span(title, TITLE), Span("   ", PLAIN)]
        self._hits = [Hit(0, length(line), length(line) + len(name), name="operator", value="")] * terms.any_operator
        line.append(Span(name, TAB if terms.any_operator else PLAIN))
        line.append(Span(" " * max(1, width - length(line) - len(end)), PLAIN))
        line.append(Span(end, GOOD if attempt.won and attempt.changed <= terms.par else STRONG))
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
    terms, attempt, feedback = state.terms, state.attempt, state.feedback
    say = partial(sentence)

    def add_text(text: str, style: Style, sign: str = "", look: Style = PLAIN) -> None:
        lead = f"{sign} " if sign else ""
        for line in textwrap.wrap(_with_whole_sizes(text), max(10, width - len(lead))) or [""]:
            lines.append([*([Span(lead, look)] if lead else []), Span(line.replace(JOINT, " "), style)])
            lead = " " * len(lead)

    if attempt.won:
        news = say("level.news_shown") if attempt.shown else say("level.won")
        add_text(f"{news} {_changed_sentence(terms, attempt)}", STRONG, "✓", GOOD)
        add_text(feedback.learn, PLAIN)
    elif feedback.summary:
        add_text(feedback.summary, STRONG, DIFFERS, BAD)
    if state.view.caption and state.picture.scene is not None:
        add_text(say("level.grey"), DIM)
    first = len(lines)
    if state.unread:
        add_text(state.unread, WARN, "!", BAD)
    if feedback.refused:
        add_text(feedback.refused, WARN, "!", BAD)
    if feedback.explained and feedback.explained != feedback.summary:
        add_text(feedback.explained, PLAIN)
    if feedback.hint and not attempt.won:
        add_text(say("level.hint", number=attempt.hints, count=terms.most_hints, hint=feedback.hint), Style("axis"))
        if attempt.hints >= terms.most_hints:
            add_text(say("level.shows"), DIM)
    if len(lines) == first and not attempt.won and not attempt.changed:
        add_text(f"{terms.asks} {terms.make}".lstrip(), PLAIN)
        add_text(terms.keys, DIM)
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


def _changed_sentence(terms: LevelTerms, attempt: LevelAttempt) -> str:
    """The sentence on how many numbers were changed, against par and the student's best."""
    say, count = partial(sentence), attempt.changed
    if attempt.shown:
        return say("level.it_changes", count=count)
    told = say("level.you_over", count=count, par=terms.par)
    is_best = attempt.best is None or attempt.best >= count
    return told if is_best else f"{told} {say('level.your_best', best=attempt.best)}"


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
    "level.add",
    "level.stage",
    "level.take-out",
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
        state = self._state
        if state is not None and binding.id == "level.try":
            if state.attempt.won and getattr(self.screen, "leads_on", False):
                return sentence("key.next_level")
            return "go on" if state.attempt.won else "why?"
        return super()._word_for(binding)
