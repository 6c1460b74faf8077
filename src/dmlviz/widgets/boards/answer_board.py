"""Below the picture that is asked about: the question, options, keys for numbers, and what came of the answer."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from msgspec.structs import replace
from textual import events
from textual.binding import Binding
from textual.geometry import Size
from textual.message import Message

from ...scene.drawing.small_table import CELL_SIZES, CellSize, SmallTable, placed
from ...scene.spans import DIM, PLAIN, RULER, TAB, TITLE, WARN, Line, Span, Style, fitting, length
from ...teaching.questions.subject import shown
from ...teaching.words.catalogue import sentence
from ...workspace.asking.ask_state import AskState, Option
from ...workspace.lessons.lesson import LessonState
from ...workspace.shown.picture import LEAST_PICTURE
from ..bars.footer_line import StateFooter
from ..lib.state_panel import Hit, StatePanel
from ..lib.text_view import after_click

KEYPAD = (*"0123456789", "−", ",", "⌫", "↵")
"""The keys for numbers, for who has only a mouse."""
STRONG, ACCENT = Style("letter"), Style("axis", strong=True)
GOOD, BAD = Style("axis", strong=True), Style("warn", strong=True)
CHOSEN = Style("tab")
MUCH, WIDE = 18, 4
"""Lines of a question on a wall that are room for rows of tables; the air in cells for which one row will do."""
LOW = 20
"""Lines for picture and question below which neither has one to spare."""
GAP = 3
"""Columns between two tables."""
ROOMY = 4
"""Lines that are left over where one of them parts the desc from the screen's head."""
SIGNS = {"right": "✓", "wrong": "✗", "missed": "○", "": " "}


class Board(Struct, frozen=True):
    """The lines of a question in a room, and what a click on them does."""

    lines: list[Line]
    hits: list[Hit]
    whole: bool = False
    """All of it is there: answers aren't shown one at a time, and nothing is cut."""
    parts: Mapping[str, tuple[int, int]] = MappingProxyType({})
    """The lines of what there is to see, the first and the one behind the last: `asked`, `at`, `hint`, `sentence`."""
    top: int = 0
    """How many lines stand above the first that is seen."""


class AnswerBoard(StatePanel[AskState]):
    """Draws what a question shows besides its picture, and tells of clicked options and keys."""

    @dataclass
    class Pressed(Message):
        """Something was clicked that a method of `AskDesk` does."""

        name: str
        given: tuple[Any, ...]

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._pressed: Hit | None = None
        """What the last press was on."""
        self._top: int | None = None
        """The line that was gone to, of more than have room; None to begin with the question."""
        self._seek = ""
        """The part of the board that has changed last, and has to be seen from there, in whatever room."""
        self._seen = 0
        """The first line that is seen."""
        self._body = 0
        """Lines for picture and question together."""

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        self._body = container.height
        return self._wanted(width)

    def _wanted(self, width: int) -> int:
        """How many lines the question wants below a picture that keeps its own."""
        lines, state = self._body, self._state
        if state is None:
            return 0
        most = max(lines * 6 // 10, lines - 24) if lines > LOW else lines - LEAST_PICTURE
        if state.formula:
            most = min(most, lines - LEAST_PICTURE - 2)
        elif not state.open:
            most = lines - LEAST_PICTURE + 1
        return lines_wanted(state, max(20, width), most, tight=lines < LOW)

    def present(self, state: AskState) -> None:
        before = self._state
        if before is None or before.question is not state.question or before.open != state.open:
            self._top, self._seek = None, "" if state.open else "verdict"
        elif changed := _changed_part(before, state):
            self._top, self._seek = self._seen if changed == "at" else self._top, changed
        super().present(state)
        if state.in_picture and self._wanted(self.content_size.width) != self.content_size.height:
            self.refresh(layout=True)

    def lines_of(self, state: AskState, width: int, height: int) -> Sequence[Line]:
        board = board_of(state, width, height, top=self._top, seek=self._seek)
        self._seen = board.top
        top = int(not state.in_picture and len(board.lines) + ROOMY <= height)  # air below the head
        self._hits = [hit._replace(y=hit.y + top) for hit in board.hits]
        return [*([] for _ in range(top)), *board.lines]

    def scroll_on(self, by: int) -> bool:
        """Shows what stands `by` lines further down; False where all is seen."""
        more = next((hit for hit in self._hits if hit.name == "scroll"), None)
        if more is not None:
            self._go_to(max(0, self._seen + by))
        return more is not None

    def _go_to(self, line: int) -> None:
        """Shows what stands from a line on, until something changes that has to be seen."""
        self._top, self._seek = line, ""
        self.redraw()

    # ---- the mouse

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        if self.scroll_on(round(self.app.scroll_sensitivity_y)):
            event.stop()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        if self.scroll_on(-round(self.app.scroll_sensitivity_y)):
            event.stop()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._pressed = self.hit_at(event)

    def on_click(self, event: events.Click) -> None:
        """Posts `Pressed` where press and release were on the same thing; a drag from one to another is no click."""
        hit, pressed = self.hit_at(event), self._pressed
        if hit is None or pressed is None or (hit.name, hit.value) != (pressed.name, pressed.value):
            return
        if hit.name == "scroll":
            self._go_to(int(hit.value))
        elif hit.name == "slot":
            self.post_message(self.Pressed("go_to_slot", (int(hit.value),)))
        elif hit.name == "choose":
            self.post_message(self.Pressed("choose", (hit.value,)))
        else:
            acts = hit.value in ("answer", "erase")
            self.post_message(self.Pressed(hit.value, ()) if acts else self.Pressed("press", (hit.value,)))


LEAST_LINES = 3
"""Lines of a board that is scrolled: one of what came of an answer, how to see the rest, and what enter does."""


def lines_wanted(state: AskState, width: int, most: int, *, tight: bool = False) -> int:
    """How many lines a question wants, at most `most`; where `tight`, as few as show all of it."""
    if tight and not state.open:
        board = _BoardMaker(state, width, CELL_SIZES[-1], roomy=False, less=1).board()
        if board is not None:
            return min(most, max(LEAST_LINES, len(board.lines)))
    return min(most, len(board_of(state, width, most).lines))


def board_of(
    state: AskState,
    width: int,
    height: int,
    *,
    on_wall: bool = False,
    top: int | None = None,
    seek: str = "",
) -> Board:
    """A question's lines, at most `height` of them, with cells as large as there is room for.

    Of more lines those from `top` on are seen, or those that ask and answer, and a line says how many stand above and
    below; `seek` is the part that has to be among them.

    Tables stand in one row, if they can. On a wall they stand in several where one would have narrow cells and there is
    much room, and close together before they are shown one at a time.
    """
    sizes: list[CellSize | None] = [*CELL_SIZES] if _shows_tables(state) else [CELL_SIZES[-1]]
    makers = [*((size, True, True) for size in sizes), *((size, False, True) for size in sizes)]
    if on_wall and height >= MUCH:
        large = [size for size in sizes if size is not None and size.pad >= WIDE]
        makers = [*((size, True, True) for size in large), *((size, False, True) for size in sizes), *makers]
    if on_wall:
        makers += [(size, in_row, False) for in_row in (True, False) for size in sizes]
    for size, in_row, roomy in makers:
        board = _BoardMaker(state, width, size, roomy=roomy, in_row=in_row).board()
        if board is not None and len(board.lines) <= height:
            return replace(board, whole=True)
    for terse in _terse_tables(state, on_wall=on_wall):
        for size in sizes:
            board = _BoardMaker(terse, width, size, roomy=False).board()
            if board is not None and len(board.lines) <= height:
                return replace(board, whole=True)
    last = None if _shows_tables(state) else CELL_SIZES[-1]
    board = _BoardMaker(state, width, last, roomy=False, cuts=True).board()
    assert board is not None
    more = len(board.lines) - height
    if more <= 0 or not on_wall:
        pages = state.question.subject.sentence("answer.pages")
        return _seen(board, height, top, seek, pages, foot=int(not state.open))
    # The desc gives way to what is asked: nobody scrolls on a wall.
    board = _BoardMaker(state, width, last, roomy=False, cuts=True, less=more).board()
    assert board is not None
    return Board(board.lines[:height], [hit for hit in board.hits if hit.y < height])


def _seen(board: Board, height: int, top: int | None, seek: str, pages: str, foot: int) -> Board:
    """What of a board has room, with its last `foot` lines, and how many stand above and below; `pages` show more."""
    room, count = height - 1 - foot, len(board.lines) - foot
    if len(board.lines) <= height or room < 1:
        return replace(board, lines=board.lines[:height], hits=[hit for hit in board.hits if hit.y < height])
    end = count - room
    top = min(board.parts["asked"][0], end) if top is None else top
    if seek in board.parts:
        first, last = board.parts[seek]
        top = min(first, max(top, last - room))
    top = max(0, min(top, end))
    above, below = top, count - top - room
    signs = (f"▴ {above}" if above else "", f"▾ {below}" if below else "", pages)
    hits = [hit._replace(y=hit.y - top) for hit in board.hits if top <= hit.y < top + room]
    hits.append(Hit(y=room, first=0, last=40, name="scroll", value=str(after_click(top, count, room))))
    lines = [*board.lines[top : top + room], [Span("  ".join(filter(None, signs)), RULER)], *board.lines[count:]]
    return Board(lines, hits, parts=board.parts, top=top)


def _changed_part(before: AskState, state: AskState) -> str:
    """The part of a board that has to be seen, as that is what has changed; "" for none."""
    if state.hints != before.hints:
        return "hint"
    if state.sentence and state.sentence != before.sentence:
        return "sentence"
    at = [[option.at for option in each.options] for each in (before, state)]
    return "at" if at[0] != at[1] else ""


def _shows_tables(state: AskState) -> bool:
    """True if options are pictures, or tensors of the desc are shown with their values."""
    return any(option.picture is not None for option in state.options) or any(table.values for table in state.tables)


def _terse_tables(state: AskState, *, on_wall: bool) -> Iterator[AskState]:
    """The state with shorter titles of its tables; on a wall then without values, of the first tables first.

    Outputs come last: of them it is asked. Who has no wall before them can scroll instead.
    """
    tables = tuple(replace(table, title=table.short) for table in state.tables)
    for bare in range(sum(not table.is_output for table in tables) + 1 if on_wall and tables else bool(tables)):
        shown = (replace(table, values=()) if k < bare else table for k, table in enumerate(tables))
        yield replace(state, tables=tuple(shown))


def _option_table(option: Option) -> SmallTable:
    """The picture of an option, as a table of its outputs' values."""
    assert option.picture is not None
    tensors = tuple((sizes, [shown(n) for n in values]) for sizes, values in option.picture.outputs)
    return SmallTable(tensors)


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
    """Makes the lines of one state, with cells of `size`; with None, pictures are shown one at a time."""

    def __init__(
        self,
        state: AskState,
        width: int,
        size: CellSize | None,
        *,
        roomy: bool,
        in_row: bool = False,
        less: int = 0,
        cuts: bool = False,
    ) -> None:
        """With `cuts`, of the texts of a list the one under the cursor alone is told whole."""
        self.state, self.width, self.size, self.roomy = state, max(20, width), size, roomy
        self.in_row, self.less, self.cuts = in_row, less, cuts
        self.lines: list[Line] = []
        self.hits: list[Hit] = []
        self.parts: dict[str, tuple[int, int]] = {}

    def board(self) -> Board | None:
        """The lines and hits; None where tables don't fit in cells of this size."""
        state = self.state
        if not state.in_picture and not self._add_desc():
            return None
        if self.less and self.lines:
            self.lines = [*self.lines[: max(1, len(self.lines) - self.less - 1)], [Span("…", DIM)]]
        asks_from = len(self.lines)
        if state.open or not self.less:
            self._add_asking_sentence(state.question.prompt)
        if state.open:
            self._add_terms_told()
            if not self._add_options():
                return None
            self._add_typed()
            if state.hint:
                with self._part("hint"):
                    self._add_text(
                        self._say("level.hint", number=state.hints, count=4, hint=state.hint),
                        Style("axis"),
                    )
            if state.sentence:
                with self._part("sentence"):
                    self._add_text(state.sentence, WARN)
            self._add_keypad()
        else:
            with self._part("verdict"):
                self._add_verdict()
            options = state.options
            if not state.in_picture or (options and not state.form.in_row and options[0].picture is None):
                self._add_options()
            self._add_terms_told()
            self._add_next()
        self.parts["asked"] = asks_from, len(self.lines)
        return Board(self.lines, self.hits, parts=self.parts)

    @contextmanager
    def _part(self, name: str) -> Iterator[None]:
        """Notes which lines are added inside, as a part of the board."""
        first = len(self.lines)
        yield
        self.parts[name] = first, len(self.lines)

    # ---- pieces

    def _say(self, key: str, **values: Any) -> str:
        """The sentence of that key."""
        return self.state.question.subject.sentence(key, **values)

    def _add_terms_told(self) -> None:
        """Adds a sentence on each term that is here for the first time."""
        for term in self.state.introduced:
            self._add_text(term, RULER)

    def _add_gap(self) -> None:
        """Adds an empty line, if the board is roomy and the last line is not empty."""
        if self.roomy and self.lines and self.lines[-1]:
            self.lines.append([])

    def _add_text(self, text: str, style: Style) -> None:
        self.lines += [[Span(line, style)] for line in textwrap.wrap(text, self.width) or [""]]

    def _add_asking_sentence(self, text: str) -> None:
        """Adds a sentence that asks, behind the name of the lesson's phase."""
        state = self.state
        phase = f"{state.lesson.phase.capitalize()}  " if state.lesson is not None and state.lesson.phase else ""
        lines = textwrap.wrap(text, self.width, initial_indent=" " * len(phase)) or [phase]
        self.lines.append(
            [Span(phase, ACCENT), Span(lines[0][len(phase) :], STRONG)] if phase else [Span(lines[0], STRONG)]
        )
        self.lines += [[Span(text, STRONG)] for text in lines[1:]]

    def _add_hit(self, first: int, last: int, name: str, value: str, y: int | None = None) -> None:
        """Notes what a click on columns of line `y` does; without `y`, of the line that is added next."""
        self.hits.append(Hit(y=len(self.lines) if y is None else y, first=first, last=last, name=name, value=value))

    def _add_desc(self) -> bool:
        """Adds the desc in plain lines and tables; False where the tables don't fit."""
        state = self.state
        tables = [(tensor, SmallTable(((tensor.sizes, tensor.values),))) for tensor in state.tables if tensor.values]
        plain = [table for table in state.tables if not table.values]
        for plain_table in plain[:6]:
            self.lines.append(fitting([Span(plain_table.title, TITLE)], self.width))
        if len(plain) > 6:
            self.lines.append([Span(self._say("page.more_tensors", count=len(plain) - 6), DIM)])
        if tables:
            size = self.size or CELL_SIZES[-1]
            heads = [len(table.title) for table, _ in tables]
            places = placed([table for _, table in tables], size, self.width, GAP, heads=heads)
            if places is not None:
                every = zip(places, tables, strict=True)
                self.lines += tables_at([(p.x, p.y, [Span(t.title, TITLE)], table) for p, (t, table) in every], size)
            elif self.size is not None:
                return False
            else:
                for plain_table, table in tables:
                    self.lines.append(fitting([Span(plain_table.title, TITLE)], self.width))
                    self.lines += [fitting(line, self.width) for line in table.lines(size)]
        self._add_gap()
        return True

    def _add_options(self) -> bool:
        """Adds the options by the form of the question; False where their pictures don't fit."""
        state = self.state
        if not state.options:
            return True
        if state.options[0].picture is not None:
            return self._add_pictures()
        return self._add_levels() if state.form.in_row else self._add_list()

    def _option_label(self, option: Option) -> Line:
        """An option's letter, marked if it is chosen, and with its verdict."""
        sign = SIGNS[option.verdict]
        if option.chosen:
            return [Span(f"[{option.id}]{sign}", CHOSEN)]
        return [Span(f" {option.id} {sign}", ACCENT)]

    def _add_pictures(self) -> bool:
        """Adds options as tables beside one another; False where they don't fit. Without a size, as flipped."""
        options, width = self.state.options, self.width
        tables = [_option_table(option) for option in options]
        self._add_gap()
        if self.size is None:
            return self._add_flipped(tables)
        places = placed(tables, self.size, width, GAP + self.size.pad // 2, in_row=self.in_row)
        if places is None:
            return False
        if self.size.pad <= 1 and len({place.y for place in places}) > 2:
            return False
        top = len(self.lines)
        for place, option in zip(places, options, strict=True):
            for y in range(top + place.y, top + place.y + place.height):
                self._add_hit(place.x, place.x + max(4, place.width), "choose", option.id, y)
        heads = [
            (p.x, p.y, self._option_label(option), table)
            for p, option, table in zip(places, options, tables, strict=True)
        ]
        self.lines += tables_at(heads, self.size)
        self._add_gap()
        return True

    def _add_flipped(self, tables: list[SmallTable]) -> bool:
        """Adds the picture of the option at the cursor; flipping shows another in its place. Always True."""
        options, line, x = self.state.options, [], 0
        at, seen = next(((k, "▸") for k, option in enumerate(options) if option.at), (0, "▹"))
        for k, option in enumerate(options):
            head = self._option_label(option)
            if k == at:  # without a cursor it is seen, and nothing is chosen
                head = [Span(f"{seen}{head[0].text.strip()}".ljust(4), head[0].style)]
            self._add_hit(x, x + length(head), "choose", option.id)
            line += [*head, Span(" ", PLAIN)]
            x += length(head) + 1
        if len(options) > 1:
            line.append(Span(f" {self._say('answer.flips', keys=self.state.turns)}", DIM))
        self.lines.append(line)
        top, apart = len(self.lines), [replace(tables[at], tensors=(tensor,)) for tensor in tables[at].tensors]
        for size in CELL_SIZES[-3:]:
            places = placed(apart, size, self.width, GAP)
            if places is not None:
                self.lines += tables_at([(p.x, p.y, [], table) for p, table in zip(places, apart, strict=True)], size)
                break
        else:
            self.lines += [fitting(line, self.width) for line in tables[at].lines(CELL_SIZES[-1])]
        for y in range(top, len(self.lines)):
            self._add_hit(0, self.width, "choose", options[at].id, y)
        return True

    def _add_list(self) -> bool:
        """Adds options one below the other, with a mark before each. Always True."""
        state = self.state
        many = state.form.takes_several
        options = [option for option in state.options if not many or state.open or option.verdict]
        for option in options:
            first = len(self.lines)
            here = "▸" if option.at else " "
            mark = SIGNS[option.verdict] if option.verdict else "▣" if option.chosen else "·" if many else " "
            name = "" if option.text == option.id or option.id == "valid" else f"{option.id}  "
            style = CHOSEN if option.at else STRONG if option.chosen else PLAIN
            lead, rest = f"{here}{mark} {name}", option.text
            if many and state.open and self.cuts and not option.at:
                self._add_hit(0, self.width, "choose", option.id)
                self.lines.append(fitting([Span(lead, style), Span(rest, PLAIN)], self.width))
                continue
            for text in textwrap.wrap(rest, self.width - len(lead)):
                self._add_hit(0, self.width, "choose", option.id)
                chip = lead.rstrip()
                self.lines.append([Span(chip, style), Span(" " * (len(lead) - len(chip)), PLAIN), Span(text, PLAIN)])
                lead = " " * len(lead)
            if option.at:
                self.parts["at"] = first, len(self.lines)
        return True

    def _add_levels(self) -> bool:
        """Adds the feature levels in a row, in two where one is too long. Always True."""
        line: Line = []
        for option in self.state.options:
            sign = SIGNS[option.verdict].strip()
            text = f"[{option.text}]{sign}" if option.at or option.chosen else f" {option.text} {sign}"
            if length(line) + len(text) > self.width:
                self.lines.append(line)
                line = []
            self._add_hit(length(line), length(line) + len(text), "choose", option.id)
            line = [*line, Span(text, CHOSEN if option.at or option.chosen else PLAIN)]
        self.lines.append(line)
        return True

    def _add_typed(self) -> None:
        """Adds what is typed so far where the picture doesn't show it, or the button that opens a level."""
        entry, form = self.state, self.state.form
        if form.how == "edit":
            text = f"  ↵  {self._say('answer.door')}  "
            self.lines.append([])
            self._add_hit(0, len(text), "key", "answer")
            self.lines.append([Span(text, TAB)])
        if form.fills:
            line: Line = []
            for k, text in enumerate(entry.slots):
                typed = f"[{text or '?'}]" if k == entry.slot else f" {text or '·'} "
                if length(line) + len(typed) > self.width:
                    self.lines.append(line)
                    line = []
                self._add_hit(length(line), length(line) + len(typed), "slot", str(k))
                line = [*line, Span(typed, CHOSEN if k == entry.slot else PLAIN)]
            self.lines.append(line)
        elif form.is_typed:
            text = entry.slots[0] or "?"
            typed = "{" + text + "}" if form.name == "sizes" else text
            self.lines.append([Span(f"{self._say('page.answer')} ", RULER), Span(f" {typed} ", CHOSEN)])
        elif entry.pointed:
            how = self._say("answer.mark") if form.is_marked else self._say("answer.point")
            line = [
                Span(f"{self._say('page.answer')} ", RULER),
                Span(f" {entry.pointed} ", CHOSEN),
                Span("   ", PLAIN),
            ]
            if (none := entry.none) is not None:
                text = f" n {none.text} "
                self._add_hit(length(line), length(line) + len(text), "choose", none.id)
                line += [Span(text, CHOSEN if none.chosen else TAB), Span("   ", PLAIN)]
            self.lines.append(fitting([*line, Span(how, DIM)], self.width))
        beside = self.state.looked_at
        if beside and len(beside) <= self.width - length(self.lines[-1]) - 3:
            self.lines[-1] = [*self.lines[-1], Span("   ", PLAIN), Span(beside, DIM)]

    def _add_keypad(self) -> None:
        if not self.state.form.is_typed:
            return
        wide = 5 if self.width >= 14 * 6 else 3
        self._add_gap()
        line: Line = []
        question = self.state.question
        floats = self.state.form.name == "values" and question.subject.trace.outputs[0].tensor.data_type.is_float
        for key in KEYPAD:  # elements that are floats have a point for a key, and no comma
            key = "." if key == "," and floats else key
            value = {"−": "-", "⌫": "erase", "↵": "answer"}.get(key, key)
            self._add_hit(length(line), length(line) + wide, "key", value)
            line += [Span(key.center(wide), TAB), Span(" ", PLAIN)]
        self.lines.append(line[:-1])

    def _add_verdict(self) -> None:
        """Adds whether the answer was right, and the sentences on it."""
        feedback = self.state
        verdict = feedback.verdict
        if verdict is not None and verdict.right:
            head = Span(f"✓ {self._say('answer.right')} ", GOOD)
        elif verdict is not None:
            head = Span(f"✗ {self._say('answer.wrong')} ", BAD)
        else:
            head = Span("", PLAIN)
        sentences = list(feedback.sentences)
        if head.text:
            first = textwrap.wrap(sentences[0], self.width, initial_indent=" " * len(head.text))
            self.lines.append([head, Span(first[0][len(head.text) :], PLAIN)])
            self.lines += [[Span(text, PLAIN)] for text in first[1:]]
            sentences = sentences[1:]
        for said in sentences:
            self._add_text(said, STRONG if verdict is not None and said == verdict.says else PLAIN)

    def _add_next(self) -> None:
        """Adds what enter does next, and how many answers were right."""
        state = self.state
        right, count = state.answered
        self._add_gap()
        self._add_text(self._say("answer.next", next=state.next, right=right, count=count), DIM)


class AnswerHead(StatePanel[AskState]):
    """The operator, the kind of question, and the desc's numbers."""

    PANEL = "panel"

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return max(1, len(self.lines_of(self._state, width, 1))) if self._state is not None else 1

    def lines_of(self, state: AskState, width: int, height: int) -> Sequence[Line]:
        question = state.question
        line: Line = [Span(question.subject.operator.name, TITLE)]
        for field in state.fields:
            style = CHOSEN if field.blank else BAD if field.lit else PLAIN
            text = f"▶{field.path} {field.text}◀" if field.lit else f"{field.path} {field.text}"
            line += [Span("   ", PLAIN), Span(text, style)]
        if state.lesson is not None:
            return _lesson_head(state.lesson, line, width)
        return head_lines(line, Span("", PLAIN), width)


def head_lines(about: Line, end: Span, width: int) -> list[Line]:
    """A head in as many lines as its fields need, since none can be answered without; `end` ends the first."""
    lines: list[Line] = [[]]
    room = first = width - len(end.text) - 2 * bool(end.text)
    for span in about:
        if lines[-1] and length(lines[-1]) + len(span.text) > room:
            lines.append([])
            room = width
        if lines[-1] or span.text.strip():  # no line begins with a gap
            lines[-1] += fitting([span], room)
    if end.text:
        lines[0] += [Span(" " * (first - length(lines[0]) + 2), PLAIN), end]
    return lines


def _lesson_head(lesson: LessonState, about: Line, width: int) -> list[Line]:
    """The lesson, what is asked about, and how far one is; where there is no room, the last has its place first."""
    name = f"{sentence('lesson.number', number=lesson.number or '').strip()} · "
    at = sentence(f"lesson.{lesson.part}", at=lesson.at, count=lesson.count)
    bar = marks_of(lesson.marks)
    whole = f"{at}  {bar}" if bar else at
    level = sentence("words.feature_level")
    is_spare = any(span.text.startswith(level) and span.style is PLAIN for span in about)
    short = [*about[:1], *about[3:]] if is_spare else about
    ways = [(name, about, whole), ("", about, whole), ("", about, bar or at), ("", short, bar or at)]
    for before, line, after in ways:
        room = width - len(before) - len(after) - 2
        if room >= length(line):
            return [[Span(before, DIM), *line, Span(" " * (room + 2 - length(line)), PLAIN), Span(after, ACCENT)]]
    return head_lines(short, Span(after, ACCENT), width)


MARKS: Mapping[str, str] = MappingProxyType(
    {"right": "■", "looked up": "◧", "missed": "▣", "begun": "▣", "skipped": "–", "left out": "·", "": "□"}
)
"""What stands for a step."""
MOST_MARKS = 20
"""Steps of a lesson whose marks are drawn; of more the count alone is told."""


def marks_of(marks: Sequence[str]) -> str:
    """A sign for each step of a lesson; "" for more than `MOST_MARKS`."""
    return "".join(MARKS[mark] for mark in marks) if len(marks) <= MOST_MARKS else ""


ORDER = (
    "ask.answer",
    "ask.choose",
    "ask.step",
    "ask.play",
    "ask.mark",
    "ask.none",
    "ask.hint",
    "ask.skip",
    "ask.memory",
    "ask.leave",
    "ask.test",
    "ask.move",
    "ask.explore",
    "ask.another",
    "ask.next",
)
"""Ids of the keys, the likeliest to be wanted first."""


class AnswerFooter(StateFooter[AskState]):
    """The keys that work now; what enter does depends on whether the question is open."""

    ORDER = ORDER

    def _word_for(self, binding: Binding) -> str:
        state = self._state
        if state is not None and binding.id == "ask.answer":
            if state.form.how == "edit" and state.open:
                return "open the level"
            return "answer" if state.open else "go on"
        if state is not None and binding.id == "ask.mark":
            return "mark"
        if state is not None and binding.id == "ask.step" and state.picture.step is not None:
            return state.picture.step_in_words(state.question.subject.sentence) or "step"
        if state is not None and binding.id == "ask.play" and state.picture.player.playing:
            return "stop"
        if state is not None and binding.id == "ask.next":
            if state.open and state.form.is_listed:
                return "next"
            if state.open and state.form.is_pointed:
                return "next tensor"
            return "next cell" if state.form.fills and state.open else "other side"
        if state is not None and binding.id == "ask.test":
            return state.question.subject.sentence("key.test")
        if state is not None and binding.id == "ask.none" and state.none is not None:
            return state.none.text
        return super()._word_for(binding)
