"""Below the picture that is asked about: the question, options, keys for numbers, and what came of the answer."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from types import MappingProxyType

from textual.containers import VerticalScroll
from textual.geometry import Region, Size

from ...desc.tensors import brackets
from ...scene.drawing.small_table import CELL_SIZES, CellSize, SmallTable, placed
from ...scene.elements.cursor import part_of
from ...scene.elements.lookup import value_of
from ...scene.spans import DIM, PLAIN, RULER, TAB, TITLE, WARN, Line, Span, Style, fitting, length
from ...teaching.questions.question import Choice, Picture
from ...teaching.questions.subject import shown
from ...teaching.words.catalogue import sentence
from ...workspace.asking.asked_desc import TableState
from ...workspace.asking.asking import AskState
from ..bars.footer_line import StateFooter
from ..lib.painted import StatePanel

KEYPAD = (*"0123456789", "−", ",", "⌫", "↵")
"""The keys for numbers, for who has only a mouse."""
STRONG, ACCENT = Style("letter"), Style("axis", strong=True)
GOOD, BAD = Style("axis", strong=True), Style("warn", strong=True)
CHOSEN = Style("tab")
GAP = 3
ANSWER = "screen.do('answer')"
SIGNS = {"right": "✓", "wrong": "✗", "missed": "○", "": " "}


class AnswerBoard(VerticalScroll, can_focus=False):
    """Draws what a question shows besides its picture, and scrolls where that has no room."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        self._drawn = _BoardLines(id=f"{id}-lines")
        super().__init__(self._drawn, id=id)
        self._state: AskState | None = None

    def present(self, state: AskState) -> None:
        before, self._state = self._state, state
        self._drawn.present(state)
        if before is None or before.question is not state.question or before.open != state.open:
            self.scroll_home(animate=False)
        elif (state.hints, state.answer.sentence) != (before.hints, before.answer.sentence):
            self.call_after_refresh(self.scroll_end, animate=False)
        elif state.answer.at != before.answer.at:
            at = self._drawn.board(self._drawn.size.width).at
            self.call_after_refresh(self.scroll_to_region, Region(0, at, 1, 1), animate=False)

    def give_room(self, height: int) -> None:
        """Takes so many lines at most; of more it scrolls."""
        self.styles.max_height = self._drawn.room = height
        self._drawn.redraw()


class _BoardLines(StatePanel[AskState]):
    room = 24
    """Lines that there are for them: tables have cells as large as have room."""
    _boards: dict[tuple[int, int], Board]

    def present(self, state: AskState) -> None:
        self._boards = {}
        super().present(state)

    def board(self, width: int) -> Board:
        """All lines in that width, made once for each state."""
        assert self._state is not None
        if (width, self.room) not in self._boards:
            self._boards[width, self.room] = board_of(self._state, width, self.room)
        return self._boards[width, self.room]

    def redraw(self) -> None:
        super().redraw()
        if self._state is not None and len(self.board(self.size.width).lines) != self.size.height:
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self.lines(width, 0))

    def lines_of(self, state: AskState, width: int, height: int) -> Sequence[Line]:
        return self.board(width).lines


def board_of(state: AskState, width: int, height: int) -> Board:
    """A question's lines, with cells as large as there is room for in `height` lines; more of them where none fit."""
    has_tables = any(option.picture for option in state.answer.options) or any(table.values for table in state.tables)
    sizes = CELL_SIZES if has_tables else CELL_SIZES[-1:]
    ways = [*product((True,), (True, False), sizes), *product((False,), (True, False), sizes[-1:])]
    for roomy, in_row, size in ways:
        board = Board(state, width, size, roomy=roomy, in_row=in_row)
        board.whole &= len(board.lines) <= height
        if board.whole:
            break
    return board


def titled(tables: Iterable[TableState], width: int) -> tuple[list[Line], list[tuple[Span, SmallTable]]]:
    """The titles of tables without values, and the others' with what stands below."""
    bare, valued = [], []
    for table in tables:
        title = Span(table.title, TITLE)
        if table.values:
            valued.append((title, SmallTable(((table.sizes, table.values),))))
        else:
            bare.append(fitting([title], width))
    return bare, valued


def tables_at(
    tables: Sequence[tuple[Span, SmallTable]], size: CellSize, width: int, gap: int, *, in_row: bool = False
) -> list[Line] | None:
    """Tables below their heads, beside one another; None where they have no room."""
    heads = [len(head.text) for head, _ in tables]
    drawn = [table for _, table in tables]
    places = placed(drawn, size, width, gap, heads, in_row=in_row)
    if places is None:
        return None
    pieces: dict[int, list[tuple[int, Line]]] = {}
    for (x, y), (head, table) in zip(places, tables, strict=True):
        for k, line in enumerate([[head], *table.lines(size)]):
            pieces.setdefault(y + k, []).append((x, line))
    lines: list[Line] = []
    for y in range(max(pieces, default=-1) + 1):
        whole: Line = []
        for x, line in pieces.get(y, ()):
            whole += [Span(" " * (x - length(whole)), PLAIN), *line] if x > length(whole) else line
        lines.append(whole)
    return lines


def rows_of(chips: Iterable[Span], width: int, gap: int = 0) -> list[Line]:
    rows: list[Line] = [[]]
    for chip in chips:
        if rows[-1] and length(rows[-1]) + gap + len(chip.text) > width:
            rows.append([])
        rows[-1] += [*([Span(" " * gap, PLAIN)] if gap and rows[-1] else []), *fitting([chip], width)]
    return rows


def with_right(left: Line, right: str, style: Style, width: int) -> Line:
    """A line with a text at its right end."""
    left = fitting(left, max(1, width - len(right) - 2))
    return [*left, Span(right.rjust(max(0, width - length(left))), style)]


class Board:
    """The lines of one state, with cells of `size`, and empty lines between its parts where it is `roomy`."""

    whole = True
    """All of it fits into the height that was asked for, and no table is cut."""
    at = 0
    """The line of the option at the cursor."""

    def __init__(self, state: AskState, width: int, size: CellSize, *, roomy: bool, in_row: bool) -> None:
        self.state = state
        self.answer = state.answer
        self.width = max(40, width)
        self.wide = 5 if self.width >= 6 * len(KEYPAD) else 3
        self.size = size
        self.roomy = roomy
        self.in_row = in_row
        self.lines: list[Line] = []
        if roomy and not state.in_picture:
            self.lines.append([])
        is_drawn = roomy and any(table.values for table in state.tables)
        if is_drawn:  # the question stands beside the answer
            self._add_desc()
        phase = state.lesson.phase if state.lesson is not None else ""
        self._add_text(state.question.prompt, STRONG, Span(f"{phase.capitalize()}  " if phase else "", ACCENT))
        if not state.open:
            self._add_verdict()
        if state.tables and not is_drawn:
            self._add_desc()
        if state.open:
            self._add_terms_told()
            self._add_options()
            self._add_typed()
            hint = sentence("level.hint", number=state.hints, count=4, hint=state.hint) if state.hint else ""
            self._add_text(hint, Style("axis"))
            self._add_text(self.answer.sentence, WARN)
            self._add_keypad()
        else:
            seen_above = state.form.in_row or (state.question.choices and self._drawn)
            if not (state.in_picture and seen_above):
                self._add_options()
            self._add_terms_told()
            right, count = state.answered
            self._add_gap()
            self._add_text(sentence("answer.next", next=state.next, right=right, count=count), DIM)
        if self.wide > 3 or not (state.open and state.form.how == "type"):  # else the keypad is on the footer
            self._add_gap()

    @property
    def _drawn(self) -> bool:
        return any(option.picture for option in self.answer.options)

    def _add_gap(self) -> None:
        if self.roomy and self.lines and self.lines[-1]:
            self.lines.append([])

    def _add_text(self, text: str, style: Style, lead: Span | None = None) -> None:
        columns = len(lead.text) if lead is not None else 0
        for line in textwrap.wrap(text, self.width, initial_indent=" " * columns):
            self.lines.append([*([lead] if lead and columns else []), Span(line[columns:], style)])
            columns = 0

    def _add_terms_told(self) -> None:
        for term in self.state.introduced:
            self._add_text(term, RULER)

    def _add_tables(self, tables: Sequence[tuple[Span, SmallTable]], gap: int = GAP) -> None:
        lines = tables_at(tables, self.size, self.width, gap, in_row=self.in_row)
        if lines is not None:
            self.lines += lines
        else:
            self.whole = False
            for title, table in tables:
                self.lines += [fitting(line, self.width) for line in ([title], *table.lines(self.size))]
        self._add_gap()

    def _add_desc(self) -> None:
        tables = self.state.tables
        self._add_gap()
        sides = [[each for each in tables if each.is_output is is_output] for is_output in (False, True)]
        for side in [tables] if self.in_row else sides:
            bare, valued = titled(side, self.width)
            self.lines += bare
            if valued:
                self._add_tables(valued)
        self._add_gap()

    def _add_options(self) -> None:
        options = self.answer.options
        if options:
            self._add_gap()
        if self._drawn:
            tables = [
                (self._chip(k, option), table_of(option.picture, doing("choose", option.id)))
                for k, option in enumerate(options)
                if option.picture is not None
            ]
            self._add_tables(tables, GAP + self.size.pad // 2)
        elif self.state.form.in_row:
            self.lines += rows_of((self._chip(k, option) for k, option in enumerate(options)), self.width)
        else:
            for k, option in enumerate(options):
                self._add_listed(k, option)

    def _chip(self, number: int, option: Choice) -> Span:
        is_mine = option.id in self.answer.chosen
        text = f"[{option.id}]" if is_mine else f" {option.id} "
        sign = SIGNS[self.answer.verdict_of(number)].strip()
        return Span(text + sign, CHOSEN if is_mine else ACCENT, doing("choose", option.id))

    def _add_listed(self, number: int, option: Choice) -> None:
        """Adds an option of a list, with a mark before it; what was rightly not chosen of several isn't told."""
        many = self.state.form.takes_several
        is_open = self.state.open
        verdict = self.answer.verdict_of(number)
        if many and not is_open and not verdict:
            return
        is_mine = option.id in self.answer.chosen
        is_here = is_open and number == self.answer.at
        mark = "▣" if is_mine else "·" if many else " "
        mark = SIGNS[verdict] if verdict else mark
        name = "" if option.text == option.id or option.id == "valid" else f"{option.id}  "
        style = CHOSEN if is_here else STRONG if is_mine else PLAIN
        lead = f"{'▸' if is_here else ' '}{mark} {name}"
        does = doing("choose", option.id)
        self.at = len(self.lines) if is_here else self.at
        for text in textwrap.wrap(option.text, self.width - len(lead)):
            self.lines.append([Span(lead, style, does), Span(text.ljust(self.width - len(lead)), PLAIN, does)])
            lead, style = " " * len(lead), PLAIN

    def _add_typed(self) -> None:
        asked, form = self.answer, self.state.form
        answer, gap = Span(f"{sentence('page.answer')} ", RULER), Span("   ", PLAIN)
        if form.how == "edit":
            self._add_gap()
            self.lines.append([Span(f"  ↵  {sentence('answer.door')}  ", TAB, ANSWER)])
        elif form.fills:
            chips = [Span(f" {text or '·'} ", PLAIN, doing("go_to_slot", k)) for k, text in enumerate(asked.slots)]
            chips[asked.slot] = Span(f"[{asked.slots[asked.slot] or '?'}]", CHOSEN)
            self.lines += rows_of(chips, self.width)
        elif form.how == "type":
            text = asked.slots[0] or "?"
            line = [answer, Span(f" {{{text}}} " if form.name == "sizes" else f" {text} ", CHOSEN)]
            cursor, scene = self.state.picture.look.cursor, self.state.picture.scene
            if cursor is not None and scene is not None and not cursor.place.is_output:
                name = f"{part_of(scene.trace, cursor.place).path}{brackets(cursor.index)}"
                line += [gap, Span(f"{name} = {value_of(scene.trace, cursor)[0]}", DIM)]
            self.lines.append(fitting(line, self.width))
        elif asked.tensors:
            line = [answer, Span(f" {asked.pointed} ", CHOSEN), gap]
            if asked.none:
                style = CHOSEN if asked.chosen else TAB
                line += [Span(f" n {asked.none} ", style, doing("choose", "none")), gap]
            how = sentence("answer.mark" if form.is_marked else "answer.point")
            self.lines.append(fitting([*line, Span(how, DIM)], self.width))

    def _add_keypad(self) -> None:
        """Adds keys for numbers; elements that are floats have a point for a key, and no comma."""
        if self.state.form.how != "type":
            return
        question = self.state.question
        floats = self.state.form.name == "values" and question.subject.trace.outputs[0].tensor.data_type.is_float
        acts = {"⌫": doing("erase"), "↵": ANSWER, "−": doing("press", "-")}
        keys = ["." if key == "," and floats else key for key in KEYPAD]
        self._add_gap()
        chips = [Span(key.center(self.wide), TAB, acts.get(key, doing("press", key))) for key in keys]
        self.lines += rows_of(chips, self.width, 1)

    def _add_verdict(self) -> None:
        verdict, head = self.state.verdict, None
        if verdict is not None:
            sign, style = (SIGNS["right"], GOOD) if verdict.right else (SIGNS["wrong"], BAD)
            head = Span(f"{sign} {sentence('answer.right' if verdict.right else 'answer.wrong')} ", style)
        for k, said in enumerate(self.state.sentences):
            is_main = k and verdict is not None and said == verdict.says
            self._add_text(said, STRONG if is_main else PLAIN, head)
            head = None


def doing(name: str, *given: object) -> str:
    """The action of a click that a method of `Answering` does."""
    return f"screen.do('answering.{name}', {given!r})"


def table_of(picture: Picture, action: str = "") -> SmallTable:
    """A picture as a table of its outputs' values, which a click does something with."""
    return SmallTable(tuple((sizes, [shown(n) for n in values]) for sizes, values in picture.outputs), action)


class AnswerHead(StatePanel[AskState]):
    """The operator, the desc's numbers, and how far one is in a lesson."""

    PANEL = "panel"

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return max(1, len(self.lines(width, 1)))

    def lines_of(self, state: AskState, width: int, height: int) -> Sequence[Line]:
        chips = [Span(state.question.subject.operator.name, TITLE)]
        for field in state.fields:
            style = CHOSEN if field.blank else BAD if field.lit else PLAIN
            text = f"{field.path} {field.text}"
            chips.append(Span(f"▶{text}◀" if field.lit else text, style))
        lesson, end = state.lesson, ""
        if lesson is not None:
            end = sentence(f"lesson.{lesson.part}", at=lesson.at, count=lesson.count)
            end = f"{end}  {marks_of(lesson.marks)}".rstrip() if width > NARROW else marks_of(lesson.marks) or end
        rows = rows_of(chips, width - len(end) - 2, GAP)
        return [with_right(rows[0], end, ACCENT, width), *rows[1:]]


NARROW = 60
"""Columns up to which a lesson's marks alone say how far one is."""
MARKS: Mapping[str, str] = MappingProxyType(
    {"right": "■", "looked up": "◧", "missed": "▣", "begun": "▣", "skipped": "–", "left out": "·", "": "□"}
)
MOST_MARKS = 20
"""Steps of a lesson whose marks are drawn; of more the count alone is told."""


def marks_of(marks: Sequence[str]) -> str:
    return "".join(MARKS[mark] for mark in marks) if len(marks) <= MOST_MARKS else ""


LIKELIEST = "answer choose step play mark none hint skip leave memory move explore another"
"""Ids of the keys without `ask.`, the likeliest to be wanted first."""


class AnswerFooter(StateFooter):
    """The keys that work now; what enter does depends on whether the question is open."""

    ORDER = tuple(f"ask.{key}" for key in LIKELIEST.split())

    def words_of(self, state: AskState) -> dict[str, str]:
        form, picture = state.form, state.picture
        words = {
            "ask.answer": "go on",
            "ask.step": picture.step_in_words() if picture.step is not None else "",
            "ask.play": "stop" if picture.player.playing else "",
            "ask.next": "other side",
            "ask.none": state.answer.none,
        }
        if state.open:
            words["ask.answer"] = "open the puzzle" if form.how == "edit" else "answer"
            words["ask.next"] = "next" if form.is_listed else "next cell" if form.fills else "next tensor"
        return words
