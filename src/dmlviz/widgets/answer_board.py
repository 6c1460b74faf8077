"""Below the picture that is asked about: the question, options, keys for numbers, and what came of the answer."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, NamedTuple

from msgspec import Struct
from msgspec.structs import replace
from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message

from ..scene.drawing.small_table import CELL_SIZES, CellSize, SmallTable, placed
from ..scene.spans import DIM, PLAIN, RULER, TAB, TITLE, WARN, Line, Span, Style, fitting, length
from ..teaching.answers import shown
from ..workspace.ask_state import AskState, Form, Option
from ..workspace.lesson import LessonState
from .footer_line import Entry, FooterLine
from .painted import LinePanel
from .tensor_stack import TensorStack

KEYPAD = (*"0123456789", "−", ",", "⌫", "↵")
"""The keys for numbers, for who has only a mouse."""
ELEMENTS = frozenset({"cell", "fill", "order"})
"""Kinds whose numbers are elements: of floats they have a point for a key, and no comma."""
STRONG, ACCENT = Style("letter"), Style("axis", strong=True)
GOOD, BAD = Style("axis", strong=True), Style("warn", strong=True)
CHOSEN = Style("tab")
TERM = Style("cell")
HELD, PLACE = Style("asked"), Style("waits")
"""A term that is dragged; a place in a formula that has none."""
MUCH, WIDE = 18, 4
"""Lines of a question on a wall that are room for several rows of tables; the air in cells for which one row will do.
"""
GAP = 3
"""Columns between two tables."""
ROOMY = 4
"""Lines that are left over where one of them parts the desc from the screen's head."""
SIGNS = {"right": "✓", "wrong": "✗", "missed": "○", "": " "}


class Hit(NamedTuple):
    """What a click on some columns of a line does."""

    y: int
    first: int
    last: int
    name: str
    value: str


class Board(Struct, frozen=True):
    """The lines of a question in a room, and what a click on them does."""

    lines: list[Line]
    hits: list[Hit]
    whole: bool = False
    """All of it is there: answers aren't shown one at a time, and nothing is cut."""


class Drag(Struct, frozen=True):
    """A term that is dragged, and the place that the mouse is over; -1 for none."""

    term: str
    place: int = -1


class AnswerBoard(LinePanel):
    """Draws what a question shows besides its picture; a click on an option or a key, or a term that is dragged to a
    place, is told to the screen."""

    @dataclass
    class Pressed(Message):
        """Something was clicked: `key`, `choose`, `slot`, or an action's name."""

        name: str
        value: str

    @dataclass
    class Dropped(Message):
        """A term was dragged to one of the places."""

        term: str
        place: int

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._state: AskState | None = None
        self._hits: list[Hit] = []
        self._pressed: Hit | None = None
        """What the last press was on."""
        self._clicked: Hit | None = None
        """The same once the button is released there."""
        self._held: str | None = None
        """The term that is dragged, from the press on."""
        self._drag: Drag | None = None

    def present(self, state: AskState) -> None:
        """Shows another state."""
        self._state = state
        if self._held is not None and not (state.open and self._held in {each.id for each in state.entry.options}):
            self._held = self._drag = None
        self.redraw()

    def made(self, width: int, height: int) -> Sequence[Line]:
        if self._state is None:
            return []
        board = board_of(self._state, width, height, self._drag)
        top = int(not self._state.view.in_picture and len(board.lines) + ROOMY <= height)  # air below the head
        self._hits = [hit._replace(y=hit.y + top) for hit in board.hits]
        return [*([] for _ in range(top)), *board.lines]

    @property
    def text(self) -> str:
        """What it says, line by line."""
        return "\n".join("".join(span.text for span in line) for line in self.made(*self.size))

    def place_of(self, name: str, value: str) -> tuple[int, int]:
        """(x, y) of what can be clicked, from the widget's corner. Raises LookupError where it isn't there."""
        left, top = self.content_offset
        for hit in self._hits:
            if (hit.name, hit.value) == (name, value):
                return hit.first + left, hit.y + top
        raise LookupError(f"{name} {value}")

    # ---- the mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._pressed, self._clicked = self._hit(event), None
        self._held = self._term_of(self._pressed)
        self._show_drag(None)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._held is None:
            return
        if not event.button:  # it was released where nobody told
            self._held = None
            self._show_drag(None)
            return
        hit = self._hit(event)
        if self._drag is not None or not self._is_pressed(hit):
            self._show_drag(Drag(self._held, self._number_of(hit)))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        hit, held = self._hit(event), self._held
        self._clicked = hit if self._is_pressed(hit) else None
        self._held = None
        self._show_drag(None)
        place = self._number_of(hit)
        if held is not None and place >= 0 and self._clicked is None:
            self.post_message(self.Dropped(held, place))

    def on_leave(self) -> None:
        self._show_drag(None)

    def on_click(self) -> None:
        """A click is a press and a release on the same thing: what is dragged from one to another clicks neither."""
        hit, self._clicked = self._clicked, None
        if hit is None:
            return
        if hit.name != "place":
            self.post_message(self.Pressed(hit.name, hit.value))
        elif (term := self._term_of(hit)) is not None:
            self.post_message(self.Pressed("choose", term))  # and so it is taken back

    def _hit(self, event: events.MouseEvent) -> Hit | None:
        offset = event.get_content_offset(self)
        if offset is None:
            return None
        return next((h for h in reversed(self._hits) if h.y == offset.y and h.first <= offset.x < h.last), None)

    def _is_pressed(self, hit: Hit | None) -> bool:
        """True for what the last press was on, wherever it stands by now."""
        held = self._pressed
        return hit is not None and held is not None and (hit.name, hit.value) == (held.name, held.value)

    def _term_of(self, hit: Hit | None) -> str | None:
        """The term that stands there; None where there is none that can be dragged."""
        state = self._state
        if hit is None or state is None or not state.open or state.form is not Form.TERMS:
            return None
        if hit.name == "choose":
            return hit.value
        number = self._number_of(hit)
        return state.entry.taken[number] or None if 0 <= number < len(state.entry.taken) else None

    def _number_of(self, hit: Hit | None) -> int:
        """The number of a place in the formula; -1 for anything else."""
        return int(hit.value) if hit is not None and hit.name == "place" else -1

    def _show_drag(self, drag: Drag | None) -> None:
        if drag != self._drag:
            self._drag = drag
            self.redraw()


def lines_wanted(state: AskState, width: int, most: int, *, tight: bool = False) -> int:
    """Lines that a question would like to have, of at most so many; as few as say all, where it is `tight`."""
    if tight and not state.open:
        board = _Maker(state, width, CELL_SIZES[-1], roomy=False, less=1).board()
        if board is not None:
            return min(most, len(board.lines))
    return min(most, len(board_of(state, width, most).lines))


def board_of(state: AskState, width: int, height: int, drag: Drag | None = None, *, on_wall: bool = False) -> Board:
    """A question's lines, at most `height` of them, with cells as large as there is room for.

    Tables stand in one row, if they can. On a wall they stand in several where one would have narrow cells and there is
    much room, and close together before they are shown one at a time.
    """
    sizes: list[CellSize | None] = [*CELL_SIZES] if _has_tables(state) else [CELL_SIZES[-1]]
    makers = [*((size, True, True) for size in sizes), *((size, False, True) for size in sizes)]
    if on_wall and height >= MUCH:
        large = [size for size in sizes if size is not None and size.pad >= WIDE]
        makers = [*((size, True, True) for size in large), *((size, False, True) for size in sizes), *makers]
    if on_wall:
        makers += [(size, in_row, False) for in_row in (True, False) for size in sizes]
    for size, in_row, roomy in makers:
        board = _Maker(state, width, size, roomy=roomy, in_row=in_row, drag=drag).board()
        if board is not None and len(board.lines) <= height:
            return replace(board, whole=True)
    most = 0 if on_wall else height  # nobody has a cursor on a wall, so all that is to be chosen is seen
    last = None if _has_tables(state) else CELL_SIZES[-1]
    board = _Maker(state, width, last, roomy=False, drag=drag).board()
    assert board is not None
    if len(board.lines) > height:
        board = _Maker(state, width, last, roomy=False, most=most, drag=drag).board()
        assert board is not None
    more = len(board.lines) - height
    if more > 0:  # the desc gives way to what is asked
        board = _Maker(state, width, last, roomy=False, most=most, less=more, drag=drag).board()
        assert board is not None
    if not state.open and len(board.lines) > height > 0:
        return Board([*board.lines[: height - 1], board.lines[-1]], [])  # what comes next stays in sight
    return Board(board.lines[:height], [hit for hit in board.hits if hit.y < height])


def _has_tables(state: AskState) -> bool:
    return any(option.picture is not None for option in state.entry.options) or any(
        table.values for table in state.view.tables
    )


def _table_of(option: Option) -> SmallTable:
    assert option.picture is not None
    return SmallTable(tuple((sizes, [shown(each) for each in values]) for sizes, values in option.picture.outputs))


class _Maker:
    """Makes the lines of one state with cells of one size; None for one table at a time."""

    def __init__(
        self,
        state: AskState,
        width: int,
        size: CellSize | None,
        *,
        roomy: bool,
        in_row: bool = False,
        most: int = 0,
        less: int = 0,
        drag: Drag | None = None,
    ) -> None:
        self.state, self.width, self.size, self.roomy, self.most = state, max(20, width), size, roomy, most
        self.in_row, self.less, self.drag = in_row, less, drag
        self.lines: list[Line] = []
        self.hits: list[Hit] = []

    def board(self) -> Board | None:
        """The lines; None where tables don't fit in this size."""
        state = self.state
        if not state.view.in_picture and not self._desc():
            return None
        if self.less and self.lines:
            self.lines = [*self.lines[: max(1, len(self.lines) - self.less - 1)], [Span("…", DIM)]]
        if state.open and state.form is Form.TERMS:
            said, _, formula = state.question.prompt.partition("? ")
            self._asked(f"{said}?")
            self._gap()
            self._places(formula)
        elif state.open or not self.less:
            self._prompt()
        if state.open:
            if not self._options():
                return None
            self._typed()
            if state.feedback.hint:
                self._say(f"Hint {state.feedback.hints} of 4: {state.feedback.hint}", Style("axis"))
            if state.entry.sentence:
                self._say(state.entry.sentence, WARN)
            self._keypad()
        else:
            self._verdict()
            if not state.view.in_picture or (state.form is Form.CHOICE and state.entry.options[0].picture is None):
                self._options()
            self._next()
        return Board(self.lines, self.hits)

    # ---- pieces

    def _prompt(self) -> None:
        """What is asked; a formula with places in it stands on lines of its own."""
        asked, mark, formula = self.state.question.prompt.partition("? ")
        if self.state.form is not Form.TERMS:
            asked, mark, formula = self.state.question.prompt, "", ""
        self._asked(asked + mark.strip())
        if formula:
            self._say(formula, ACCENT)

    def _gap(self) -> None:
        if self.roomy and self.lines and self.lines[-1]:
            self.lines.append([])

    def _say(self, text: str, style: Style, indent: int = 0) -> None:
        for line in textwrap.wrap(text, self.width - indent) or [""]:
            self.lines.append([Span(" " * indent, PLAIN), Span(line, style)] if indent else [Span(line, style)])

    def _asked(self, text: str) -> None:
        """A sentence that asks, behind what the lesson wants to be done."""
        state = self.state
        phase = f"{state.lesson.phase.capitalize()}  " if state.lesson is not None and state.lesson.phase else ""
        lines = textwrap.wrap(text, self.width, initial_indent=" " * len(phase)) or [phase]
        self.lines.append(
            [Span(phase, ACCENT), Span(lines[0][len(phase) :], STRONG)] if phase else [Span(lines[0], STRONG)]
        )
        self.lines += [[Span(each, STRONG)] for each in lines[1:]]

    def _hit(self, first: int, last: int, name: str, value: str, y: int | None = None) -> None:
        self.hits.append(Hit(y=len(self.lines) if y is None else y, first=first, last=last, name=name, value=value))

    def _desc(self) -> bool:
        """The desc in plain lines and tables."""
        state = self.state
        tables = [(each, SmallTable(((each.sizes, each.values),))) for each in state.view.tables if each.values]
        plain = [each for each in state.view.tables if not each.values]
        for each in plain[:6]:
            self.lines.append(fitting([Span(each.title, TITLE)], self.width))
        if len(plain) > 6:
            self.lines.append([Span(f"… and {len(plain) - 6} more tensors", DIM)])
        if tables:
            size = self.size or CELL_SIZES[-1]
            top = len(self.lines)
            heads = [len(each.title) for each, _ in tables]
            found = placed([table for _, table in tables], size, self.width, GAP, heads=heads)
            if found is not None:
                every = zip(found, tables, strict=True)
                self._draw([(p.x, top + p.y, [Span(t.title, TITLE)], table) for p, (t, table) in every], size)
            elif self.size is not None:
                return False
            else:
                for each, table in tables:
                    self.lines.append(fitting([Span(each.title, TITLE)], self.width))
                    self.lines += [fitting(line, self.width) for line in table.lines(size)]
        self._gap()
        return True

    def _draw(self, tables: list[tuple[int, int, Line, SmallTable]], size: CellSize) -> None:
        """Tables at (x, y), each with a line above it."""
        found: dict[int, list[tuple[int, Line]]] = {}
        for x, y, head, table in tables:
            for k, line in enumerate([head, *table.lines(size)]):
                found.setdefault(y + k, []).append((x, line))
        for y in range(len(self.lines), max(found) + 1):
            made: Line = []
            for x, line in found.get(y, ()):
                made += [Span(" " * (x - length(made)), PLAIN), *line] if x > length(made) else line
            self.lines.append(made)

    def _options(self) -> bool:
        state = self.state
        if not state.entry.options:
            return True
        makers: dict[Form, Callable[[], bool]] = {
            Form.LIST: self._list,
            Form.TERMS: self._terms,
            Form.LEVEL: self._levels,
            Form.CHOICE: self._list,
        }
        if state.entry.options[0].picture is not None:
            return self._pictures()
        return makers[state.form]()

    def _label(self, option: Option) -> Line:
        """An option's letter, with what is so about it."""
        sign = SIGNS[option.verdict]
        if option.chosen:
            return [Span(f"[{option.id}]{sign}", CHOSEN)]
        return [Span(f" {option.id} {sign}", ACCENT)]

    def _pictures(self) -> bool:
        options, width = self.state.entry.options, self.width
        tables = [_table_of(option) for option in options]
        self._gap()
        if self.size is None:
            return self._flipped(tables)
        found = placed(tables, self.size, width, GAP + self.size.pad // 2, in_row=self.in_row)
        if found is None:
            return False
        if self.size.pad == 1 and len({each.y for each in found}) > 2:
            return False
        top = len(self.lines)
        for place, option in zip(found, options, strict=True):
            for y in range(top + place.y, top + place.y + place.height):
                self._hit(place.x, place.x + max(4, place.width), "choose", option.id, y)
        heads = [
            (p.x, top + p.y, self._label(option), table)
            for p, option, table in zip(found, options, tables, strict=True)
        ]
        self._draw(heads, self.size)
        self._gap()
        return True

    def _flipped(self, tables: list[SmallTable]) -> bool:
        """One picture, held where the others come when it is flipped."""
        state, line, x = self.state, [], 0
        at = next((k for k, each in enumerate(state.entry.options) if each.at), 0)
        for k, option in enumerate(state.entry.options):
            head = self._label(option)
            if k == at:
                head = [Span(f"▸{head[0].text.strip()}", head[0].style)]
            self._hit(x, x + length(head), "choose", option.id)
            line += [*head, Span(" ", PLAIN)]
            x += length(head) + 1
        if len(state.entry.options) > 1:
            line.append(Span(f" {state.view.turns} flips", DIM))
        self.lines.append(line)
        top, apart = len(self.lines), [SmallTable((each,)) for each in tables[at].tensors]
        for size in CELL_SIZES[-2:]:
            found = placed(apart, size, self.width, GAP)
            if found is not None:
                self._draw([(p.x, top + p.y, [], table) for p, table in zip(found, apart, strict=True)], size)
                break
        else:
            self.lines += [fitting(each, self.width) for each in tables[at].lines(CELL_SIZES[-1])]
        for y in range(top, len(self.lines)):
            self._hit(0, self.width, "choose", state.entry.options[at].id, y)
        return True

    def _list(self) -> bool:
        """Options one below the other, with a mark before each."""
        state = self.state
        many = state.form is Form.LIST
        options, at = list(state.entry.options), next((k for k, each in enumerate(state.entry.options) if each.at), 0)
        if many and not state.open:
            options = [each for each in options if each.verdict]
        keeps = max(3, self.most - len(self.lines) - 5) if self.most else len(options)
        first = 0
        if len(options) > keeps > 0:
            first = min(max(0, at - keeps // 2), len(options) - keeps)
            options = options[first : first + keeps]
        for option in options:
            here = "▸" if option.at else " "
            mark = SIGNS[option.verdict] if option.verdict else "▣" if option.chosen else "·" if many else " "
            name = "" if option.text == option.id or option.id == "valid" else f"{option.id}  "
            style = CHOSEN if option.at else STRONG if option.chosen else PLAIN
            lead, rest = f"{here}{mark} {name}", option.text
            if many and state.open:
                self._hit(0, self.width, "choose", option.id)
                self.lines.append(fitting([Span(lead, style), Span(rest, style if option.at else PLAIN)], self.width))
                continue
            for text in textwrap.wrap(rest, self.width - len(lead)):
                self._hit(0, self.width, "choose", option.id)
                chip = lead.rstrip()
                self.lines.append([Span(chip, style), Span(" " * (len(lead) - len(chip)), PLAIN), Span(text, PLAIN)])
                lead = " " * len(lead)
        if many and state.open:
            option = state.entry.options[at]
            lines = textwrap.wrap(f"{option.id}: {option.text}", self.width)
            if len(lines) > 1 or len(option.id) + len(option.text) + 5 > self.width:
                self.lines += [[Span(each, RULER)] for each in lines]
        return True

    def _levels(self) -> bool:
        """The levels in a row, in two where one is too long."""
        line: Line = []
        for option in self.state.entry.options:
            sign = SIGNS[option.verdict].strip()
            text = f"[{option.text}]{sign}" if option.at or option.chosen else f" {option.text} {sign}"
            if length(line) + len(text) > self.width:
                self.lines.append(line)
                line = []
            self._hit(length(line), length(line) + len(text), "choose", option.id)
            line = [*line, Span(text, CHOSEN if option.at or option.chosen else PLAIN)]
        self.lines.append(line)
        return True

    def _places(self, formula: str) -> None:
        """The formula with its places, each wide enough for any term, so that nothing moves when one is filled."""
        state, drag = self.state, self.drag
        wide = 2 + max(len(option.text) for option in state.entry.options)
        words: list[list[tuple[str, int]]] = [[]]
        for k, piece in enumerate(formula.split("_", len(state.entry.taken))):
            if k:
                term = state.entry.taken[k - 1]
                if drag is not None and drag.place == k - 1:
                    term = drag.term
                words[-1].append(((term or "_").center(wide), k - 1))
            first, *more = piece.split(" ")
            words[-1].append((first, -1))
            words += [[(each, -1)] for each in more]
        line: Line = []
        for word in words:
            x = length(line)
            if line and x + 1 + sum(len(text) for text, _ in word) > self.width:
                self.lines.append(line)
                line = []
            elif line:
                line.append(Span(" ", STRONG))
            for text, place in word:
                x = length(line)
                if line and x + len(text) > self.width:  # a word that is longer than a line
                    self.lines.append(line)
                    line, x = [], 0
                if place < 0:
                    line.append(Span(text, STRONG))
                    continue
                self._hit(x, x + len(text), "place", str(place))
                over = drag is not None and drag.place == place
                line.append(Span(text, HELD if over else CHOSEN if state.entry.taken[place] else PLACE))
        self.lines.append(line)

    def _terms(self) -> bool:
        """Terms in a row: the number of its place stands before one that has a place."""
        state = self.state
        self._gap()
        line: Line = []
        for option in state.entry.options:
            order = f"{state.entry.taken.index(option.id) + 1}:" if option.id in state.entry.taken else ""
            text = f"▸{order}{option.text} " if option.at else f" {order}{option.text} "
            if length(line) + len(text) + 2 > self.width:
                self.lines.append(line)
                line = []
            self._hit(length(line), length(line) + len(text), "choose", option.id)
            held = self.drag is not None and self.drag.term == option.id
            style = HELD if held else CHOSEN if option.at else TERM._replace(strong=bool(order))
            line = [*line, Span(text, style), Span("  ", PLAIN)]
        said = "drag one, or space takes it"
        if state.open and not any(state.entry.taken) and length(line) + len(said) < self.width:
            line = [*line, Span(said, DIM)]
        self.lines.append(line)
        return True

    def _typed(self) -> None:
        """What is typed so far, where no cell in the picture shows it; and all of it where cells follow one another."""
        state = self.state
        if state.form is Form.DOOR:
            text = "  ↵  open the level  "
            self.lines.append([])
            self._hit(0, len(text), "key", "answer")
            self.lines.append([Span(text, TAB)])
        if state.form is Form.CELLS:
            line: Line = []
            for k, text in enumerate(state.entry.slots):
                said = f"[{text or '?'}]" if k == state.entry.slot else f" {text or '·'} "
                if length(line) + len(said) > self.width:
                    self.lines.append(line)
                    line = []
                self._hit(length(line), length(line) + len(said), "slot", str(k))
                line = [*line, Span(said, CHOSEN if k == state.entry.slot else PLAIN)]
            self.lines.append(line)
        elif state.form in (Form.NUMBER, Form.NUMBERS):
            text = state.entry.slots[0] or "?"
            said = "{" + text + "}" if state.form is Form.NUMBERS and state.question.kind.name != "blank" else text
            self.lines.append([Span("Answer ", RULER), Span(f" {said} ", CHOSEN)])
        elif state.entry.pointed:
            how = "arrows and space mark, or clicks" if state.form.is_marked else "arrows point, or a click"
            line = [Span("Answer ", RULER), Span(f" {state.entry.pointed} ", CHOSEN), Span(f"   {how}", DIM)]
            self.lines.append(fitting(line, self.width))
        begins = state.question.kind.name == "order" and state.form.is_typed and not any(state.entry.slots)
        beside = "type, or click inputs in order" if begins else state.view.looked_at
        if beside and len(beside) <= self.width - length(self.lines[-1]) - 3:
            self.lines[-1] = [*self.lines[-1], Span("   ", PLAIN), Span(beside, DIM)]

    def _keypad(self) -> None:
        if not self.state.form.is_typed:
            return
        wide = 5 if self.width >= 14 * 6 else 3
        self._gap()
        line: Line = []
        question = self.state.question
        floats = question.kind.name in ELEMENTS and question.subject.trace.outputs[0].tensor.data_type.is_float
        for key in KEYPAD:
            key = "." if key == "," and floats else key
            value = {"−": "-", "⌫": "erase", "↵": "answer"}.get(key, key)
            self._hit(length(line), length(line) + wide, "key", value)
            line += [Span(key.center(wide), TAB), Span(" ", PLAIN)]
        self.lines.append(line[:-1])

    def _verdict(self) -> None:
        state = self.state
        verdict = state.feedback.verdict
        if verdict is not None and verdict.right:
            head = Span("✓ Right. ", GOOD)
        elif verdict is not None:
            head = Span("✗ Not yet. ", BAD)
        else:
            head = Span("", PLAIN)
        said = list(state.feedback.sentences)
        if head.text:
            first = textwrap.wrap(said[0], self.width, initial_indent=" " * len(head.text))
            self.lines.append([head, Span(first[0][len(head.text) :], PLAIN)])
            self.lines += [[Span(each, PLAIN)] for each in first[1:]]
            said = said[1:]
        for each in said:
            self._say(each, STRONG if verdict is not None and each == verdict.feedback else PLAIN)

    def _next(self) -> None:
        """What comes next, and how many answers were right."""
        state = self.state
        right, count = state.feedback.answered
        self._gap()
        self._say(f"enter: {state.feedback.next} · {right} of {count} right", DIM)


class AnswerStack(TensorStack, can_focus=False, inherit_bindings=False):
    """A side of the picture that is asked about: the screen has the keys."""

    BINDINGS: ClassVar[list[BindingType]] = []


class AnswerHead(LinePanel):
    """The operator, the kind of question, and the desc's numbers."""

    PANEL = "panel"

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._state: AskState | None = None

    def present(self, state: AskState) -> None:
        """Shows another state."""
        self._state = state
        self.redraw()

    def made(self, width: int, height: int) -> Sequence[Line]:
        if self._state is None:
            return []
        state = self._state
        question = state.question
        line: Line = [Span(question.subject.operator.name, TITLE)]
        for each in state.view.fields:
            style = CHOSEN if each.blank else BAD if each.lit else PLAIN
            text = f"▶{each.path} {each.text}◀" if each.lit else f"{each.path} {each.text}"
            line += [Span("   ", PLAIN), Span(text, style)]
        if state.lesson is not None:
            return [_lesson_head(state.lesson, line, width)]
        end = f"question: {question.kind.name}"
        room = width - length(line)
        if room >= len(end) + 2:
            line = [*line, Span(end.rjust(room), DIM)]
        return [fitting(line, width)]


def _lesson_head(lesson: LessonState, about: Line, width: int) -> Line:
    """The lesson, what is asked about, and how far one is: as much of it as there is room for."""
    name = f"lesson {lesson.number} · " if lesson.number else "lesson · "
    at = f"{lesson.part} {lesson.at} of {lesson.count}"
    bar = marks_of(lesson.marks)
    for before, after in ((name, f"{at}  {bar}" if bar else at), (name, at), ("", at), ("", bar)):
        room = width - len(before) - length(about)
        if room >= len(after) + 2:
            return [Span(before, DIM), *about, Span(" " * (room - len(after)), PLAIN), Span(after, ACCENT)]
    return fitting(about, width)


MARKS: Mapping[str, str] = MappingProxyType(
    {"right": "■", "missed": "▣", "begun": "▣", "skipped": "–", "left out": "·", "": "□"}
)
"""What stands for a step."""
MOST_MARKS = 20
"""Steps of a lesson whose marks are drawn; of more the count alone is told."""


def marks_of(marks: Sequence[str]) -> str:
    """A sign for each step; "" for too many."""
    return "".join(MARKS[mark] for mark in marks) if len(marks) <= MOST_MARKS else ""


ORDER = (
    "ask.answer",
    "ask.choose",
    "ask.step",
    "ask.mark",
    "ask.hint",
    "ask.skip",
    "ask.leave",
    "ask.move",
    "ask.explore",
    "ask.another",
    "ask.next",
)
"""Ids of the keys, the likeliest to be wanted first."""
FLIPPING = ("ask.answer", "ask.step", "ask.next", "ask.leave", "ask.explore")
"""Those that come first while what the user said can be held in place of the truth."""


class AnswerFooter(FooterLine):
    """The keys that work now; what enter does depends on whether the question is open."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._asked: AskState | None = None

    def present(self, state: AskState) -> None:  # type: ignore[override]
        """Shows another state."""
        self._asked = state
        self._read()

    def _active(self) -> Iterable[Entry]:
        """The screen's own keys, the likeliest first: the palette's commands are the explorer's."""
        palette = self.app.COMMAND_PALETTE_BINDING
        found = [each for each in super()._active() if palette not in each.keys and each.id != "app.palette"]
        flips = self._asked is not None and self._asked.view.flips
        order = [*dict.fromkeys((*FLIPPING, *ORDER))] if flips else ORDER
        return sorted(found, key=lambda each: order.index(each.id) if each.id in order else len(order))

    def _words(self, binding: Binding) -> str:
        state = self._asked
        if state is not None and binding.id == "ask.answer":
            if state.form is Form.DOOR and state.open:
                return "open the level"
            return "answer" if state.open else "go on"
        if state is not None and binding.id == "ask.mark":
            return "take" if state.form is Form.TERMS else "mark"
        if state is not None and binding.id == "ask.next":
            if state.view.flips:
                return "true outputs" if state.view.yours else "your answer"
            if state.open and state.form.is_listed:
                return "next"
            if state.open and state.form.is_pointed:
                return "next tensor"
            return "next cell" if state.form is Form.CELLS and state.open else "other side"
        return super()._words(binding)
