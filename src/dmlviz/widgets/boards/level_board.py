"""What the screen of a level shows beside the picture: the goal, what comes of the desc, and what doesn't change."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

from rich.text import Text
from textual.content import Content

from ...scene.drawing.small_table import CellSize, SmallTable
from ...scene.spans import DIM, PLAIN, RULER, TAB, TITLE, Line, Span, Style, fitting
from ...teaching.levels.level import OPERATOR
from ...teaching.words.catalogue import sentence
from ...workspace.asking.asked_desc import TableState
from ...workspace.levels.level_desk import LevelState, names_in_words
from ..lib.inks import Inks
from ..lib.painted import StatePanel, text_of
from .answer_board import tables_at, with_right

GOOD, STRONG = Style("axis", strong=True), Style("letter")
DIFFERS = "✗"
"""What marks a cell of the goal that the student's output hasn't, without colours too."""
SIZES = ((160, 44, CellSize(5, 3, 1)), (110, 34, CellSize(3, 1, 1)), (80, 0, CellSize(2, 1)), (0, 0, CellSize(0, 1)))
"""(least columns and lines of the terminal, how large cells are)."""


def drawn_tables(tables: Sequence[TableState], inks: Inks, columns: int, lines: int) -> Text:
    """Tables and their pages beside each other, or below where they take too many columns of the terminal.

    Elements that differ from the goal are marked.
    """
    size = next(size for wide, high, size in SIZES if columns >= wide and lines >= high)
    pages = [page for table in tables for page in _pages(table)]
    drawn = tables_at(pages, size, 3 * columns // 5, 3) or tables_at(pages, SIZES[-1][-1], columns, 3) or []
    return text_of((map(_marked, line) for line in drawn), inks)


def _marked(span: Span) -> Span:
    return span._replace(style=Style("wrong")) if DIFFERS in span.text else span


def _pages(table: TableState) -> Iterator[tuple[Span, SmallTable]]:
    signed = [f"{each}{DIFFERS if k in table.differing else ' '}" for k, each in enumerate(table.values)]
    page = max(1, math.prod(table.sizes[-2:]))
    for first in range(0, max(1, len(signed)), page):
        tensors = ((table.sizes[-2:], signed[first : first + page]),) if signed else (((0,), ()),)
        yield Span("" if first else table.title, TITLE), SmallTable(tensors)


class LevelHead(StatePanel[LevelState]):
    """The level's name, its operator, and the numbers changed against par; a click on the operator chooses another."""

    PANEL = "panel"

    def lines_of(self, state: LevelState, width: int, height: int) -> Sequence[Line]:
        say = partial(sentence, count=state.changed, par=state.level.par)
        end = say("level.changed") if state.best is None else say("level.changed_best", best=state.best)
        name = Span(state.operator, PLAIN)
        if state.level.allows(OPERATOR):
            name = Span(f" {state.operator} ▾ ", TAB, "screen.operator")
        line: Line = [Span(f"{state.level.id}  ", DIM), Span(state.level.title, TITLE), Span("   ", PLAIN), name]
        style = GOOD if state.won and state.changed <= state.level.par else STRONG
        return [with_right(line, end, style, width)]


class GivenLine(StatePanel[LevelState]):
    def lines_of(self, state: LevelState, width: int, height: int) -> Sequence[Line]:
        line: Line = [Span(sentence("level.given"), DIM)]
        for k, (key, text) in enumerate(state.given):
            line += [Span(", " if k else " ", DIM), Span(text, RULER, f"screen.do('refuse', ({key!r},))")]
        return [fitting(line, width)]


def board_text(state: LevelState) -> Content:
    return Content("\n").join(_told(state))


def _told(state: LevelState) -> Iterator[Content]:
    told = Content.from_markup
    if state.won:
        news = sentence("level.news_shown" if state.shown else "level.won")
        yield told("[bold $accent]✓[/] [bold]$news[/]", news=news)
        yield Content(state.level.task.learn)
    elif state.summary:
        yield told(f"[bold $warning]{DIFFERS}[/] [bold]$summary[/]", summary=state.summary)
    if state.view.caption and state.picture.scene is not None:
        yield told(f"[$hint]{sentence('level.grey')}[/]")
    if state.unread:
        yield told("[bold $warning]![/] [$warning]$trouble[/]", trouble=state.unread)
    if state.explained and state.explained != state.summary:
        yield Content(state.explained)
    if state.hint and not state.won:
        hint = sentence("level.hint", number=state.hints, count=len(state.level.task.hints), hint=state.hint)
        yield told("[$accent]$hint[/]", hint=hint)
        if state.may_show:
            yield told(f"[$hint]{sentence('level.shows')}[/]")
    if not (state.unread or state.explained or state.hint or state.won or state.changed):
        make = sentence("level.make", names=names_in_words(state.level.may_change))
        yield Content(f"{state.level.task.say} {make}".lstrip())
        yield told("[$hint]$keys[/]", keys=sentence("level.keys"))
