"""Below the picture that is asked about: the question, options, keys for numbers, and what came of the answer."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.geometry import Region, Size

from ...scene.drawing.small_table import CELL_SIZES, CellSize, SmallTable, placed
from ...scene.spans import DIM, PLAIN, RULER, TAB, TITLE, WARN, Line, Span, Style, fitting, length
from ...teaching.questions.subject import shown
from ...teaching.words.catalogue import sentence
from ...workspace.asking.ask_state import AskState, Option
from ..bars.footer_line import StateFooter
from ..lib.state_panel import StatePanel

KEYPAD = (*"0123456789", "−", ",", "⌫", "↵")
"""The keys for numbers, for who has only a mouse."""
STRONG, ACCENT = Style("letter"), Style("axis", strong=True)
GOOD, BAD = Style("axis", strong=True), Style("warn", strong=True)
CHOSEN = Style("tab")
GAP = 3
"""Columns between two tables."""
ANSWER = "screen.do('answer')"
SIGNS = {"right": "✓", "wrong": "✗", "missed": "○", "": " "}


class Board(Struct, frozen=True):
    """The lines of a question; a click on a span does what a method of `AskDesk` does."""

    lines: list[Line]
    whole: bool = True
    """All of it fits into the height that was asked for, and no table is cut."""
    at: int = 0
    """The line of the option at the cursor."""


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
        elif (state.hints, state.sentence) != (before.hints, before.sentence):
            self.call_after_refresh(self.scroll_end, animate=False)
        elif state.options != before.options:
            at = self._drawn.board(self._drawn.size.width).at
            self.call_after_refresh(self.scroll_to_region, Region(0, at, 1, 1), animate=False)

    def give_room(self, height: int) -> None:
        """Takes so many lines at most; of more it scrolls."""
        self.styles.max_height = self._drawn.room = height
        self._drawn.redraw()


class _BoardLines(StatePanel[AskState]):
    """The lines of a board, all of them."""

    room = 24
    """Lines that there are for them: tables have cells as large as have room."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._boards: dict[tuple[int, int], Board] = {}

    def present(self, state: AskState) -> None:
        self._boards.clear()
        super().present(state)

    def board(self, width: int) -> Board:
        """All lines in that width, made once for each state."""
        if self._state is None:
            return Board([])
        if (width, self.room) not in self._boards:
            self._boards[width, self.room] = board_of(self._state, width, self.room)
        return self._boards[width, self.room]

    def redraw(self) -> None:
        super().redraw()
        if len(self.board(self.size.width).lines) != self.size.height:
            self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self.board(width).lines)

    def lines_of(self, state: AskState, width: int, height: int) -> Sequence[Line]:
        return self.board(width).lines


def board_of(state: AskState, width: int, height: int) -> Board:
    """A question's lines, with cells as large as there is room for in `height` lines; more of them where none fit."""
    sizes = CELL_SIZES if _shows_tables(state) else CELL_SIZES[-1:]
    for in_row, size in product((True, False), sizes):
        board = _BoardMaker(state, width, size, roomy=True, in_row=in_row).board()
        if board.whole and len(board.lines) <= height:
            return board
    board = _BoardMaker(state, width, CELL_SIZES[-1]).board()
    return replace(board, whole=board.whole and len(board.lines) <= height)


def _shows_tables(state: AskState) -> bool:
    """True if options are pictures, or tensors of the desc are shown with their values."""
    return any(option.picture for option in state.options) or any(table.values for table in state.tables)


def tables_at(tables: Sequence[tuple[int, int, Line, SmallTable]], size: CellSize) -> list[Line]:
    """The lines of tables that stand at (x, y), each below a line of its own."""
    pieces: dict[int, list[tuple[int, Line]]] = {}
    for x, y, head, table in tables:
        for k, line in enumerate([head, *table.lines(size)]):
            pieces.setdefault(y + k, []).append((x, line))
    lines: list[Line] = []
    for y in range(max(pieces, default=-1) + 1):
        whole: Line = []
        for x, line in pieces.get(y, ()):
            whole += [Span(" " * (x - length(whole)), PLAIN), *line] if x > length(whole) else line
        lines.append(whole)
    return lines


class _BoardMaker:
    """Makes the lines of one state, with cells of `size`."""

    def __init__(
        self, state: AskState, width: int, size: CellSize, *, roomy: bool = False, in_row: bool = False
    ) -> None:
        self.state, self.width, self.size = state, max(40, width), size
        self.roomy, self.in_row, self.whole = roomy, in_row, True
        self.lines: list[Line] = []
        self.at = 0
        self.say = state.question.subject.sentence

    def board(self) -> Board:
        state = self.state
        told_last = not self.roomy  # a long desc would have the question or the verdict out of sight
        if not told_last:
            self._add_desc()
        phase = f"{state.lesson.phase.capitalize()}  " if state.lesson is not None and state.lesson.phase else ""
        self._add_text(state.question.prompt, STRONG, Span(phase, ACCENT))
        if state.open:
            if told_last:
                self._add_desc()
            self._add_terms_told()
            self._add_options()
            self._add_typed()
            if state.hint:
                hint = self.say("level.hint", number=state.hints, count=4, hint=state.hint)
                self._add_text(hint, Style("axis"))
            self._add_text(state.sentence, WARN)
            self._add_keypad()
        else:
            self._add_verdict()
            if told_last:
                self._add_desc()
            if not state.in_picture or not (state.form.in_row or any(option.picture for option in state.options)):
                self._add_options()
            self._add_terms_told()
            right, count = state.answered
            self._add_gap()
            self._add_text(self.say("answer.next", next=state.next, right=right, count=count), DIM)
        return Board(self.lines, self.whole, self.at)

    # ---- pieces

    def _add_gap(self) -> None:
        """Adds an empty line, if the board is roomy and the last line is not empty."""
        if self.roomy and self.lines and self.lines[-1]:
            self.lines.append([])

    def _add_text(self, text: str, style: Style, lead: Span | None = None) -> None:
        """Adds a text in as many lines as it needs, behind a `lead` of another style; nothing for none."""
        columns = length([lead]) if lead is not None else 0
        for k, line in enumerate(textwrap.wrap(text, self.width, initial_indent=" " * columns)):
            self.lines.append(
                [Span(line, style)] if k or lead is None or not columns else [lead, Span(line[columns:], style)]
            )

    def _add_terms_told(self) -> None:
        """Adds a sentence on each term that is here for the first time."""
        for term in self.state.introduced:
            self._add_text(term, RULER)

    def _add_chips(self, chips: Iterable[Span], gap: int = 0) -> None:
        """Adds texts beside one another, in as many lines as they need."""
        line: Line = []
        for chip in chips:
            if line and length(line) + len(chip.text) > self.width:
                self.lines.append(line)
                line = []
            line = [*line, chip, *([Span(" " * gap, PLAIN)] if gap else [])]
        self.lines.append(line)

    def _add_tables(self, tables: Sequence[tuple[Span, SmallTable]], *, in_row: bool = False, gap: int = GAP) -> None:
        """Adds tables beside one another, each below a title; one below the other where they have no room."""
        every, heads = [table for _, table in tables], [len(title.text) for title, _ in tables]
        places = placed(every, self.size, self.width, gap, in_row=in_row, heads=heads)
        self.whole = places is not None
        if places is not None:
            each = zip(places, tables, strict=True)
            self.lines += tables_at([(place.x, place.y, [title], table) for place, (title, table) in each], self.size)
        else:
            for title, table in tables:
                lines = ([title], *table.lines(self.size))
                self.lines += [fitting(line, self.width) for line in lines]
        self._add_gap()

    def _add_desc(self) -> None:
        """Adds the desc in plain lines and tables, unless the picture is it."""
        state = self.state
        if state.in_picture:
            return
        plain = [table for table in state.tables if not table.values]
        self.lines += [fitting([Span(table.title, TITLE)], self.width) for table in plain]
        drawn = [table for table in state.tables if table.values]
        if drawn:
            self._add_tables([(Span(t.title, TITLE), SmallTable(((t.sizes, t.values),))) for t in drawn])
        self._add_gap()

    # ---- what is chosen

    def _add_options(self) -> None:
        """Adds the options by the form of the question."""
        options = self.state.options
        if any(option.picture for option in options):
            self._add_gap()
            tables = [(_chip(option), _option_table(option)) for option in options]
            self._add_tables(tables, in_row=self.in_row, gap=GAP + self.size.pad // 2)
        elif self.state.form.in_row:
            self._add_chips(_chip(option) for option in options)
        else:
            for option in options:
                self._add_listed(option)

    def _add_listed(self, option: Option) -> None:
        """Adds an option of a list, with a mark before it; what was rightly not chosen of several isn't told."""
        many, is_open = self.state.form.takes_several, self.state.open
        if many and not is_open and not option.verdict:
            return
        mark = SIGNS[option.verdict] if option.verdict else "▣" if option.chosen else "·" if many else " "
        name = "" if option.text == option.id or option.id == "valid" else f"{option.id}  "
        style = CHOSEN if option.at else STRONG if option.chosen else PLAIN
        lead = f"{'▸' if option.at else ' '}{mark} {name}"
        self.at = len(self.lines) if option.at else self.at
        for text in textwrap.wrap(option.text, self.width - len(lead)):
            chip, does = lead.rstrip(), doing("choose", option.id)
            gap = Span(" " * (len(lead) - len(chip)), PLAIN, does)
            self.lines.append([Span(chip, style, does), gap, Span(text.ljust(self.width - len(lead)), PLAIN, does)])
            lead = " " * len(lead)

    # ---- what is typed and marked

    def _add_typed(self) -> None:
        """Adds what is typed or marked so far, or the button that opens a level."""
        state, form = self.state, self.state.form
        answer = Span(f"{self.say('page.answer')} ", RULER)
        if form.how == "edit":
            self.lines.append([])
            self.lines.append([Span(f"  ↵  {self.say('answer.door')}  ", TAB, ANSWER)])
        elif form.fills:
            chips = [Span(f" {text or '·'} ", PLAIN, doing("go_to_slot", k)) for k, text in enumerate(state.slots)]
            chips[state.slot] = Span(f"[{state.slots[state.slot] or '?'}]", CHOSEN)
            self._add_chips(chips)
        elif form.is_typed:
            text = state.slots[0] or "?"
            self.lines.append([answer, Span(f" {{{text}}} " if form.name == "sizes" else f" {text} ", CHOSEN)])
        elif state.pointed:
            line: Line = [answer, Span(f" {state.pointed} ", CHOSEN), Span("   ", PLAIN)]
            if (none := state.none) is not None:
                chip = Span(f" n {none.text} ", CHOSEN if none.chosen else TAB, doing("choose", none.id))
                line = [*line, chip, Span("   ", PLAIN)]
            how = self.say("answer.mark" if form.is_marked else "answer.point")
            self.lines.append(fitting([*line, Span(how, DIM)], self.width))

    def _add_keypad(self) -> None:
        """Adds keys for numbers; elements that are floats have a point for a key, and no comma."""
        if not self.state.form.is_typed:
            return
        wide = 5 if self.width >= 6 * len(KEYPAD) else 3
        question = self.state.question
        floats = self.state.form.name == "values" and question.subject.trace.outputs[0].tensor.data_type.is_float
        acts = {"⌫": doing("erase"), "↵": ANSWER, "−": doing("press", "-")}
        keys = ["." if key == "," and floats else key for key in KEYPAD]
        self._add_gap()
        self._add_chips((Span(key.center(wide), TAB, acts.get(key, doing("press", key))) for key in keys), gap=1)

    def _add_verdict(self) -> None:
        """Adds whether the answer was right, and the sentences on it."""
        verdict, heads = self.state.verdict, dict[int, Span]()
        if verdict is not None:
            said = self.say("answer.right") if verdict.right else self.say("answer.wrong")
            sign, style = (SIGNS["right"], GOOD) if verdict.right else (SIGNS["wrong"], BAD)
            heads[0] = Span(f"{sign} {said} ", style)
        for k, said in enumerate(self.state.sentences):
            is_main = k and verdict is not None and said == verdict.says
            self._add_text(said, STRONG if is_main else PLAIN, heads.get(k))


def doing(name: str, *given: object) -> str:
    """The action of a click that a method of `Answering` does."""
    return f"screen.do('answering.{name}', {given!r})"


def _chip(option: Option) -> Span:
    """An option's letter or name, marked if it is chosen, and with its verdict."""
    is_mine = option.at or option.chosen
    text = f"[{option.id}]" if is_mine else f" {option.id} "
    return Span(text + SIGNS[option.verdict].strip(), CHOSEN if is_mine else ACCENT, doing("choose", option.id))


def _option_table(option: Option) -> SmallTable:
    """The picture of an option, as a table of its outputs' values, which chooses it."""
    assert option.picture is not None
    tensors = tuple((sizes, [shown(n) for n in values]) for sizes, values in option.picture.outputs)
    return SmallTable(tensors, doing("choose", option.id))


class AnswerHead(StatePanel[AskState]):
    """The operator, the desc's numbers, and how far one is in a lesson."""

    PANEL = "panel"

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return max(1, len(self.lines_of(self._state, width, 1))) if self._state is not None else 1

    def lines_of(self, state: AskState, width: int, height: int) -> Sequence[Line]:
        line: Line = [Span(state.question.subject.operator.name, TITLE)]
        for field in state.fields:
            style = CHOSEN if field.blank else BAD if field.lit else PLAIN
            text = f"▶{field.path} {field.text}◀" if field.lit else f"{field.path} {field.text}"
            line += [Span("   ", PLAIN), Span(text, style)]
        end, lesson = "", state.lesson
        if lesson is not None:
            at = sentence(f"lesson.{lesson.part}", at=lesson.at, count=lesson.count)
            bar = marks_of(lesson.marks)
            whole = f"{at}  {bar}".rstrip()
            end = whole if length(line) + len(whole) + 2 <= width else bar or at
        return _head_lines(line, end, width)


def _head_lines(about: Line, end: str, width: int) -> list[Line]:
    """A head in as many lines as its fields need, since none can be answered without; `end` ends the first."""
    lines: list[Line] = [[]]
    room = first = width - len(end) - 2
    for span in about:
        if lines[-1] and length(lines[-1]) + len(span.text) > room:
            lines.append([])
            room = width
        if lines[-1] or span.text.strip():  # no line begins with a gap
            lines[-1] += fitting([span], room)
    lines[0] += [Span(" " * (first - length(lines[0]) + 2), PLAIN), Span(end, ACCENT)]
    return lines


MARKS: Mapping[str, str] = MappingProxyType(
    {"right": "■", "looked up": "◧", "missed": "▣", "begun": "▣", "skipped": "–", "left out": "·", "": "□"}
)
"""What stands for a step."""
MOST_MARKS = 20
"""Steps of a lesson whose marks are drawn; of more the count alone is told."""


def marks_of(marks: Sequence[str]) -> str:
    """A sign for each step of a lesson; "" for more than `MOST_MARKS`."""
    return "".join(MARKS[mark] for mark in marks) if len(marks) <= MOST_MARKS else ""


ORDER = [
    "answer",
    "choose",
    "step",
    "play",
    "mark",
    "none",
    "hint",
    "skip",
    "memory",
    "leave",
    "test",
    "move",
    "explore",
    "another",
    "next",
]
"""Ids of the keys without `ask.`, the likeliest to be wanted first."""


class AnswerFooter(StateFooter[AskState]):
    """The keys that work now; what enter does depends on whether the question is open."""

    ORDER = tuple(f"ask.{key}" for key in ORDER)

    def _word_for(self, binding: Binding) -> str:
        state = self._state
        if state is None:
            return super()._word_for(binding)
        form, picture = state.form, state.picture
        words = {
            "ask.answer": "answer" if state.open else "go on",
            "ask.step": picture.step_in_words(state.question.subject.sentence) if picture.step is not None else "",
            "ask.play": "stop" if picture.player.playing else "",
            "ask.next": "other side",
            "ask.none": state.none.text if state.none is not None else "",
        }
        if state.open:
            words["ask.answer"] = "open the level" if form.how == "edit" else "answer"
            words["ask.next"] = "next" if form.is_listed else "next tensor" if form.is_pointed else "next cell"
        return words.get(binding.id or "", "") or super()._word_for(binding)
