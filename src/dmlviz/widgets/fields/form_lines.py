"""The form's lines: what stands in each of them and where, from rows and a width alone."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from ...scene.names import short_name
from ...workspace.shown.state import FormRow
from .number_text import short_type

LABEL = 14
"""Columns of labels at least."""
BOX = 44
"""Columns of a field and its marks at most."""
FIELD = 8
"""Columns that marks leave to a field at least, where they can be left out."""


class Line(Struct, frozen=True):
    """One line of the form: a row's field, a long label above it, or nothing."""

    row: FormRow | None = None
    beside: FormRow | None = None
    """The type that is chosen at the right of the row's sizes."""
    is_label: bool = False


class Columns(Struct, frozen=True):
    """Where things stand in a line, in columns of the content."""

    field: int
    """Where fields begin."""
    right: int
    """Where a field and its marks end."""


class Mark(Struct, frozen=True):
    """A word at the right of a field, and what a click on it does."""

    text: str
    action: str = ""
    style: str = "dim"


class Piece(NamedTuple):
    """Text in one style."""

    text: str
    style: str


def labels_of(rows: Collection[FormRow], width: int) -> dict[str, str]:
    """Each row's label by key; where one tensor's is too long beside a field, all go without their shared word."""
    labels = {row.key: row.label for row in rows}
    tensors = [row for row in rows if row.is_sizes and row.label == row.key]
    if all(len(row.label) < _most_label_columns(width) for row in tensors):
        return labels
    named = {row.key: _name_parts(row.label) for row in tensors}
    words = {word for _, word, _ in named.values()}
    if len(words) == 1:
        short = {key: short_name(labels[key]) for key in named}
        plain = {key: f"{name}{n}" for key, (name, _, n) in named.items() if name}
        labels |= short if len({*short.values()}) == len(short) else plain
    return labels


def _most_label_columns(width: int) -> int:
    """How many columns labels have at most."""
    return max(LABEL, (width + 2) // 2)


def _name_parts(label: str) -> tuple[str, str, str]:
    """`InputTensors[1]` as ("Input", "Tensor", "[1]"); (label, "", "") for another kind of label."""
    match = re.fullmatch(r"(.*?)([A-Z][a-z]*?)s?(\[\d+\])?", label)
    return (match[1], match[2], match[3] or "") if match is not None else (label, "", "")


def columns_of(labels: Collection[str], width: int) -> Columns:
    """Where things stand in a line: labels get the columns that they need, at most about half of `width`."""
    beside = [len(label) + 1 for label in labels if len(label) < _most_label_columns(width)]
    field = max(LABEL, *beside) if beside else LABEL
    return Columns(field, min(width, field + BOX))


def lines_of(
    rows: Sequence[FormRow], types: Mapping[str, FormRow], labels: Mapping[str, str], columns: Columns, airy: bool
) -> list[Line]:
    """The lines of rows; `types` has the row of a type by its sizes' key. Groups stand apart if `airy`."""
    lines = []
    for i, row in enumerate(rows):
        if airy and i and row.group != rows[i - 1].group:
            lines.append(Line())
        if is_long(labels[row.key], columns):
            lines.append(Line(row, is_label=True))
        lines.append(Line(row, types.get(row.key) if row.is_sizes else None))
    return lines


def is_long(label: str, columns: Columns) -> bool:
    """True for a label that has a line of its own."""
    return len(label) >= columns.field


class Drawing(Struct, frozen=True, dict=True):
    """How one line is drawn: its row's label and text, and what is so of it."""

    line: Line
    columns: Columns
    label: str
    text: str
    """What the row holds; empty where it is inferred."""
    type: str = ""
    """What the row beside it holds."""
    here: bool = False
    """The row has the focus."""
    near: bool = False
    """The row has the focus, or the mouse is over it."""
    type_here: bool = False
    severity: str = ""
    """Of the worst rule that is broken here: error, warning, or nothing."""
    type_broken: bool = False

    @property
    def row(self) -> FormRow:
        assert self.line.row is not None
        return self.line.row

    @property
    def field(self) -> int:
        """The column where the field begins: a choice that needs more room begins right behind its label."""
        if not self.row.choices:
            return self.columns.field
        wanted = self.marks_begin - len(self.text) - 2  # a blank stands before it, and one behind it
        return min(self.columns.field, max(wanted, len(self.label) + 1))

    @property
    def width(self) -> int:
        """Columns of the field: what its marks leave, and a blank before them, but for a choice without room for it."""
        room = self.marks_begin - self.field
        return room - (self.field == self.columns.field or room > len(self.text) + 1)

    @cached_property
    def field_text(self) -> str:
        """The text that the field shows: a list that has no room goes without spaces while it is typed in.

        The text is the same without the focus, so that a click finds the character that it was meant for.
        """
        if not self.row.is_typed:
            return self.text
        typed = self if self.here and self.near else replace(self, here=True, near=True)
        return self.text if len(self.text) + 2 <= typed.width else self.text.replace(", ", ",")

    @property
    def marks_begin(self) -> int:
        """The column of the first mark."""
        return self.columns.right - sum(len(mark.text) for mark in self.marks)

    @cached_property
    def marks(self) -> list[Mark]:
        """The words at the right of the line."""
        row, beside = self.row, self.line.beside
        if row.choices:
            arrow = Mark("▾", style="focused" if self.here else "plain")
            return [Mark(f"{' ' if self.severity else ''}{row.remark} "), arrow] if row.remark else [arrow]
        room = self.columns.right - self.columns.field - 1
        if row.remark and row.is_sizes and _columns_needed(self.text or row.inferred) > room - len(row.remark):
            return []  # sizes that need all of the room come before a word about them
        if row.remark in ("auto", "given"):
            # What is inferred for values is a rule and no list, so only a click that takes values away has a meaning.
            toggles = row.is_sizes or row.group == 3
            mark = Mark(row.remark, "auto" if toggles else "", "mark" if self.near and toggles else "dim")
            parted = self.severity and _columns_needed(self.text or row.inferred) < room - len(row.remark)
            return [Mark(" "), mark] if parted else [mark]
        if row.remark:  # the end of a wire's text, which is whole while it is typed
            return [] if self.here and row.key.endswith(".values") else [Mark(row.remark, "", "dim")]
        marks = []
        if beside is not None:
            style = "focused" if self.type_here else "error" if self.type_broken else "plain"
            marks = [Mark(f"{short_type(self.type)} ▾", "type", style)]
        if row.is_array and row.is_sizes and row.inferred != "none" and self.near:
            order = [Mark("↑ ", "up", "mark"), Mark("↓ ", "down", "mark"), Mark("×", "remove", "mark")]
            both = [*order, *([Mark(" "), *marks] if marks else [])]
            marks = both if room - sum(len(mark.text) for mark in both) >= FIELD else order
        if not marks and self.here and row.is_typed and row.group > 0 and not row.key.endswith(".values"):
            step = [Mark(" ◂", "less", "mark"), Mark(" ▸", "more", "mark")]
            if room - 4 >= max(FIELD, len(self.text) + 2):
                marks = step
        return marks

    def mark_at(self, x: int) -> Mark | None:
        """The mark at a column."""
        at = self.marks_begin
        for mark in self.marks:
            if at <= x < at + len(mark.text):
                return mark
            at += len(mark.text)
        return None

    def pieces(self) -> list[Piece]:
        """The pieces of the whole line, from its first column on."""
        row, kind = self.row, self.severity or "plain"
        bold = "strong" if self.here and kind == "plain" else kind
        if self.line.is_label:
            return [Piece(self.label, bold)]
        label = "" if is_long(self.label, self.columns) else self.label
        if row.adds:
            return [Piece(label, "button focused" if self.here else "button")]
        style = "focused" if self.here else ("field error" if self.severity == "error" else "field")
        text, width = self.field_text, self.width
        if not text:
            text, style = row.inferred, style if self.here else "inferred"
        pieces = [Piece(f"{label:<{self.field}}", bold), Piece(f" {fitted(text, width - 1):<{width - 1}}", style)]
        if self.field + width < self.marks_begin:
            pointer = {"error": "◀", "warning": "◁"}.get(self.severity, " ")
            pieces.append(Piece(pointer, "focused mark" if self.here and row.choices else f"{kind} mark"))
        return pieces + [Piece(mark.text, f"{mark.style} mark") for mark in self.marks]


def _columns_needed(text: str) -> int:
    """How many columns a field needs to show all of a list."""
    return len(text.replace(", ", ",")) + 1


def fitted(text: str, room: int) -> str:
    """A text in `room` columns: a list that is longer loses its spaces first, then its end."""
    if len(text) > room:
        text = text.replace(", ", ",")
    return text if len(text) <= room else f"{text[: max(0, room - 1)]}…"


def cut(text: str, room: int) -> str:
    """A text cut to `room` columns, at a comma where possible, else between words."""
    if len(text) <= room:
        return text
    parts = text.split(", ")
    for count in range(len(parts) - 1, 0, -1):
        head = ", ".join(parts[:count])
        if len(head) < room:
            return f"{head} …" if len(head) + 2 <= room else f"{head}…"
    head = text[: max(0, room - 1)].rpartition(" ")[0].rstrip(" ,")
    return f"{head} …" if head and len(head) + 2 <= room else f"{head}…" if head else ""
