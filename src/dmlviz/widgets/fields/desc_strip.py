"""One line of the desc above the picture, edited in place: where there is no room for the form, and in levels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from textual import events

from ...scene.names import short_name
from ...scene.spans import PLAIN, Line, Span, Style
from ...workspace.shown.state import FormRow, FormState
from ..lib.commands import bindings
from ..lib.painted import BAR, LinePanel
from .field_editor import FieldEditor
from .number_text import begins_float, first_fitting, named_choice

LONGEST = 24
"""Characters of one number as it is typed."""
GAP = 2
"""Columns between two fields."""
NOT_READ = "not read: esc leaves it as it was"
FOCUS = Span(BAR, Style("axis", strong=True))
"""The bar at the left of the pane that has the focus."""
POINTERS = {"error": "◀", "warning": "◁"}
"""What points at a field that a broken rule names, as in the form."""
LABEL, NUMBER, ARROW, DIM, HERE = Style("plain"), Style("title"), Style("axis", strong=True), Style("dim"), Style("tab")
BROKEN = {"error": Style("broken"), "warning": Style("warn", strong=True)}


LEVEL_TYPES = frozenset("0123456789-, ")
"""What is typed into whole numbers in a level."""


class Piece(NamedTuple):
    """A part of the line, and what a click on it does."""

    text: str
    style: Style
    key: str = ""
    number: int = 0
    """Which of the field's numbers it belongs to."""
    act: str = ""
    """more, less: a step; auto: infer, or write down; add, remove: a number of a list; "": takes the focus."""


class DescStrip(FieldEditor, LinePanel, can_focus=True, inherit_bindings=False):
    """Lays the rows that decide what the operator does in a line, `Axis ‹0›  OutputTensor {4,2}`.

    One number has the focus, and is replaced by what is typed. In a level numbers are also added and removed by the
    mouse; enter is a key of the screen, and so are letters but capitals of a choice's name and those of a float.
    """

    PANEL = "surface"
    FOCUS_ON_CLICK = False  # a click goes to the number under it
    BINDINGS = bindings("fields", "strip")

    def __init__(
        self,
        typed: Callable[[str, str], None],
        left: Callable[[str], None],
        *,
        id: str,  # noqa: A002
        in_level: bool = False,
    ) -> None:
        super().__init__(typed, left, id=id)
        self._in_level = in_level
        self._at = 0  # the number in it
        self._numbers = [""]  # the row's numbers as they are typed
        self._fresh = True  # what is typed next replaces the number
        self._query = ""  # what was typed of a choice's name
        self._touched = False  # the numbers may be other than the document's
        self._start = 0  # the first row in sight
        self._places: list[tuple[int, int, Piece]] = []

    # ---- what is shown

    def shown_rows(self, form: FormState) -> Iterable[FormRow]:
        rows = {row.key: row for row in form.rows}
        return [rows[key] for key in form.strip]

    def reread_document(self) -> None:
        row = self._rows.get(self._key)
        self._numbers = _numbers_of(row) if row is not None else [""]
        self._at = min(self._at, len(self._numbers) - 1)
        self._fresh, self._touched = True, False

    @property
    def here(self) -> str:
        """The key of the row that is edited, or was last."""
        return self._key

    @property
    def typed_text(self) -> str | None:
        return ",".join(self._numbers) if self._touched else None

    @property
    def text_and_position(self) -> tuple[str, int]:
        numbers = [*self._numbers]
        numbers[self._at] = numbers[self._at] or "0"
        return ",".join(numbers), len(",".join(numbers[: self._at + 1]))

    def put_text(self, text: str, at: int | None = None) -> None:
        self._numbers = text.replace(", ", ",").split(",")
        self._at, self._fresh = text.count(",", 0, at or 0), True
        self._send_row()

    def focus_row(self, key: str, number: int = 0) -> bool:
        if key not in self._rows:
            return False
        self._go_to(key, number)
        self.screen.set_focus(self, scroll_visible=False)
        self.redraw()
        return True

    def on_focus(self) -> None:
        self.redraw()

    def on_blur(self) -> None:
        self.reread_document()
        self._start = 0
        self.redraw()

    def renew(self) -> None:
        """What is typed next replaces the number, which was checked."""
        self._fresh = True

    def place_cursor(self, at: int | None = None) -> None:
        self._at = min(max(at or 0, 0), len(self._numbers) - 1)
        self._fresh = True
        self.redraw()

    # ---- keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return not (action == "accept" and self._in_level)

    async def type_key(self, event: events.Key) -> bool:
        if event.key in ("backspace", "delete"):
            self._erase(whole=self._fresh or event.key == "delete")
            return True
        if not event.is_printable or not event.character or not self._takes(event.character):
            return False
        self._type_char(event.character)
        return True

    def _takes(self, char: str) -> bool:
        """True for a character that is typed into the row that is edited; in a level others are keys of its screen."""
        row = self._rows.get(self._key)
        if not self._in_level or char in LEVEL_TYPES:
            return True
        if row is None or not row.takes_letters:
            return False
        if row.choices:
            return char.isupper() or char == "_"
        return begins_float(("" if self._fresh else self._numbers[self._at]) + char)

    def on_paste(self, event: events.Paste) -> None:
        """Takes pasted numbers: several replace the whole list, one the number with the focus."""
        event.stop()
        row = self._rows.get(self._key)
        words = event.text.translate({ord(char): " " for char in "{}[](),;"}).split()
        if row is None or not words:
            return
        if row.choices:
            choice = named_choice(row.choices, event.text)
            if choice is not None:
                self.put_text(choice)
            return
        if row.is_list and len(words) > 1:
            self._numbers, self._at = [_number_text(word) for word in words], 0
        else:
            self._numbers[self._at] = _number_text("".join(words))
        self._fresh = False
        self._send_row()

    def _type_char(self, char: str) -> None:
        """Types into the focused number: first key replaces, comma and space begin another; finds a choice by name."""
        row, number = self._rows.get(self._key), self._numbers[self._at]
        if row is None or not _number_text(char):
            return
        if row.choices:
            self._query = ("" if self._fresh else self._query) + char.upper()
            choice = first_fitting(row.choices, self._query)
            if choice is not None:
                self.put_text(choice)
            self._fresh = choice is None
            return
        if char in ", ":
            if not row.is_list:
                return
            self._at += 1
            self._numbers.insert(self._at, "")
        elif self._fresh:
            self._numbers[self._at] = char
        else:
            self._numbers[self._at] = _number_text(number + char)
        self._fresh = False
        self._send_row()

    def _erase(self, whole: bool) -> None:
        """Takes a character, or the `whole` number, away, and an empty number's place; a choice stays."""
        row = self._rows.get(self._key)
        if row is not None and row.choices:
            self._fresh = True
            return
        number = self._numbers[self._at]
        if number:
            self._numbers[self._at] = "" if whole else number[:-1]
            self._fresh = False
        elif len(self._numbers) > 1:
            del self._numbers[self._at]
            self._at, self._fresh = max(0, self._at - 1), True
        self._send_row()

    def _send_row(self) -> None:
        """Hands the text of the row that is edited to the document."""
        key, text = self._key, ",".join(self._numbers)
        self._touched = True
        self._typed(key, text)
        row = self._rows.get(key)
        if not text and row is not None and not row.text and self._form is not None and key not in self._form.errors:
            self.reread_document()  # it is inferred again
        self.redraw()

    def action_go(self, by: int) -> None:
        """Goes to the number before or after, and at the end of the row to the row beside it."""
        if 0 <= self._at + by < len(self._numbers):
            self._go_to(self._key, self._at + by)
            return
        keys = list(self._rows)
        to = keys.index(self._key) + by if self._key in keys else 0
        if 0 <= to < len(keys):
            self._go_to(keys[to], 0 if by > 0 else LONGEST)

    def action_end(self, by: int) -> None:
        """Goes to the first number of the first row, or the last one of the last row."""
        if self._rows:
            keys = list(self._rows)
            self._go_to(keys[0] if by < 0 else keys[-1], 0 if by < 0 else LONGEST)

    def action_accept(self) -> None:
        """Goes to the next row; behind the last to the picture."""
        self.action_walk(1)

    # ---- the mouse

    def _piece_at(self, event: events.MouseEvent) -> Piece | None:
        """What the mouse is over in the line; None for gaps between fields."""
        offset = event.get_content_offset(self)
        if offset is None:
            return None
        return next((piece for x, end, piece in self._places if x <= offset.x < end and piece.key), None)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        event.stop()
        piece = self._piece_at(event)
        if piece is None:
            if self._rows:
                self.focus_row(self._key, self._at)
            return
        self.focus_row(piece.key, piece.number)
        if piece.act not in ("add", "remove"):
            self.press(piece.act)
            return
        if piece.act == "add":
            self._at += 1
            self._numbers.insert(self._at, self._numbers[self._at - 1] or "1")
        elif len(self._numbers) > 1:
            del self._numbers[self._at]
            self._at = min(self._at, len(self._numbers) - 1)
        self._fresh = True
        self._send_row()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._step_under_mouse(event, 1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._step_under_mouse(event, -1)

    def _step_under_mouse(self, event: events.MouseEvent, by: int) -> None:
        """Puts the focus on the number under the mouse, and steps it."""
        event.stop()
        piece = self._piece_at(event)
        if piece is not None and piece.act != "auto":
            self.focus_row(piece.key, piece.number)
            self.action_step(by)

    # ---- drawing

    def lines(self, width: int, height: int) -> list[Line]:
        focused = self.focused_key
        pieces = self._pieces_in_sight(list(self._rows), focused, width - 1)
        line, x = [FOCUS if focused else Span(" ", PLAIN)], 1
        self._places = []
        for piece in pieces:
            line.append(Span(piece.text, piece.style))
            self._places.append((x, x + cell_len(piece.text), piece))
            x += cell_len(piece.text)
        return [line]

    def _pieces_in_sight(self, keys: Sequence[str], focused: str, room: int) -> list[Piece]:
        """The fields that fit `room` columns, the focused one among them, and how many are left out at both sides."""
        count, here = len(keys), keys.index(focused) if focused else 0
        more = len(f"+{count}◀") + GAP  # columns of how many are left out
        fields = [self._field_pieces(key, key == focused) for key in keys]
        if sum(map(_columns_of, fields)) + GAP * (count - 1) > room:
            fields = [[self._with_short_name(label), *numbers] for label, *numbers in fields]

        def pieces_between(start: int, stop: int) -> list[Piece]:
            """Fields with gaps between them; of an array's tensors the first has the name, the others their number."""
            pieces: list[Piece] = []
            for i in range(start, stop):
                label, *rest = fields[i]
                if i > start and _array_name(keys[i]) == _array_name(keys[i - 1]) != "":
                    label = label._replace(text=f"[{label.text.partition('[')[2]}")
                pieces += [Piece(" " * GAP, PLAIN)] * bool(pieces) + [label, *rest]
            return pieces

        def fits(start: int, stop: int, hint: int = 0) -> bool:
            return _columns_of(pieces_between(start, stop)) + hint + more * ((start > 0) + (stop < count)) <= room

        if not count:
            return []

        def first(least: int, hint: int = 0) -> int:
            """The first field from `least` on with which that with the focus still fits."""
            start = here
            while start > least and fits(start - 1, here + 1, hint):
                start -= 1
            return start

        self._start = 0 if fits(0, count) else first(min(self._start, here))
        hint = self._unread_hint(focused)
        start = first(self._start, _columns_of(hint)) if hint else self._start  # only for as long as it is said
        stop = here + 1
        while stop < count and fits(start, stop + 1, _columns_of(hint)):
            stop += 1
        seen = pieces_between(start, stop)
        if not fits(start, stop):  # even by itself it is too long
            seen = _clipped(seen, room - more * ((start > 0) + (stop < count)))
        if start:
            seen = [*self._hidden_count(fields[:start][::-1]), Piece(" " * GAP, PLAIN), *seen]
        if hint:
            at = max(i for i, piece in enumerate(seen) if piece.key == focused) + 1
            seen[at:at] = hint
        if stop < count:
            named = room - _columns_of(seen) - GAP
            seen += [Piece(" " * GAP, PLAIN), *self._hidden_count(fields[stop:], named)]
        return seen if _columns_of(seen) <= room else _clipped(seen, room)

    def _with_short_name(self, label: Piece) -> Piece:
        """A field's label; of a tensor with the shorter name."""
        return label._replace(text=short_name(label.text)) if self._rows[label.key].is_sizes else label

    def _unread_hint(self, focused: str) -> list[Piece]:
        """The words behind the field that is typed in where it can't be read; else nothing."""
        return [Piece(f" {NOT_READ}", Style("warn", strong=True), focused)] if self._is_unread(focused) else []

    def _hidden_count(self, fields: Sequence[list[Piece]], room: int = 0) -> list[Piece]:
        """How many fields are out of sight, the nearest first; a click leads to that, or to one that a rule names.

        Their names are added where `room` columns are enough for them.
        """
        bad = {field[0].key: self._severity_of(field[0].key) for field in fields}
        severity = next((word for word in POINTERS if word in bad.values()), "")
        key = next(key for key, word in bad.items() if not severity or word == severity)
        pointer = POINTERS.get(severity, "")
        text = f"+{len(fields)}{pointer}"
        names, more = ", ".join(field[0].text for field in fields), f"{len(fields)} more"
        what = "field" if len(fields) == 1 else "fields"
        ways = f"{text} {names}", f"{more} {what}{pointer}", f"{more}{pointer}"
        return [Piece(next((way for way in ways if len(way) <= room), text), BROKEN.get(severity, DIM), key)]

    def _field_pieces(self, key: str, here: bool) -> list[Piece]:
        """The pieces of the field of row `key`, its label first; `here` if it has the focus, which moves nothing.

        Marks of a list's number stand where its bracket and comma are, and + and × in columns that are blank without.
        """
        row, severity = self._rows[key], self._severity_of(key)
        touched = here and self._touched
        inferred = not row.text and not touched
        numbers = self._numbers if here else _numbers_of(row)
        style = BROKEN.get(severity, DIM if inferred else NUMBER)
        pieces = [Piece(row.label, BROKEN.get(severity, DIM if inferred else LABEL), key), Piece(" ", PLAIN, key)]
        for number, text in enumerate(numbers):
            chosen = here and number == self._at
            has_marks = chosen or not row.is_list
            shown = text or ("" if row.text or touched else row.inferred) or " "
            if has_marks:
                pieces.append(Piece(text="‹", style=ARROW, key=key, number=number, act="less"))
            elif not (here and number == self._at + 1):
                pieces.append(Piece("," if number else "{", style))
            pieces.append(Piece(shown, HERE if chosen else style, key, number))
            if has_marks:
                pieces.append(Piece(text="›", style=ARROW, key=key, number=number, act="more"))
        if row.is_list and not chosen:
            pieces.append(Piece("}", style))
        if severity in POINTERS:
            pieces.append(Piece(POINTERS[severity], BROKEN[severity], key))
        if row.is_sizes and row.remark and not self._is_unread(key):
            pieces += [
                Piece(" ", PLAIN),
                Piece(text=row.remark, style=ARROW if here else DIM, key=key, number=0, act="auto" if here else ""),
            ]
        if row.is_list and self._in_level:
            pieces.append(Piece(" ", PLAIN))
            for sign, act in (("+", "add"), ("×", "remove")):
                pieces.append(Piece(sign, ARROW, key, number=self._at, act=act) if here else Piece(" ", PLAIN))
        return pieces


def _numbers_of(row: FormRow) -> list[str]:
    """The numbers that a row has, or that are inferred for it; one empty text where there are none."""
    words = (row.text or row.inferred).replace(",", " ").split()
    return words if row.text or all(word.lstrip("-").isdigit() for word in words) else [""]


def _number_text(text: str) -> str:
    """A text as far as it can stand for a number: printable characters of one column, LONGEST of them."""
    return "".join(char for char in text if char.isprintable() and cell_len(char) == 1)[:LONGEST]


def _columns_of(pieces: Sequence[Piece]) -> int:
    return sum(cell_len(piece.text) for piece in pieces)


def _array_name(key: str) -> str:
    """`InputTensors` for `InputTensors[1]`; "" for a key of no array."""
    name, bracket, _ = key.partition("[")
    return name if bracket else ""


def _clipped(pieces: Sequence[Piece], room: int) -> list[Piece]:
    """The pieces of a field in `room` columns: numbers before the chosen one give way, then what comes last."""
    at = next((i for i, piece in enumerate(pieces) if piece.text in ("{", "‹")), 1) + 1
    head, rest = [*pieces[:at]], [*pieces[at:]]
    dots = Piece("…", DIM, pieces[0].key)
    chosen = next((i for i, piece in enumerate(rest) if piece.style == HERE), 0)
    cut = 0
    while cut < chosen - 1 and _columns_of([*head, dots, *rest[cut : chosen + 2], dots]) > room:
        cut += 1
    clipped = [*head, *([dots] if cut else []), *rest[cut:]]
    if _columns_of(clipped) > room:
        while len(clipped) > 1 and _columns_of(clipped) >= room:
            clipped.pop()
        clipped.append(dots)
    return clipped
