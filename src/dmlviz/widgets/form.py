"""The form: one row for each field of the operator, made from its declaration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.message import Message
from textual.widgets import Button, Input, Label, Select

from .form_rows import FormRow
from .number_input import NumberInput


class Form(VerticalScroll, can_focus=False):
    """Shows `FormRow`s and posts what is typed or chosen; it holds no desc of its own."""

    @dataclass
    class Edited(Message):
        """Something was typed or chosen in the row `key`."""

        key: str
        text: str

    @dataclass
    class Grown(Message):
        """A tensor is to be added behind an array (`more` is 1), or the last removed (-1)."""

        key: str
        more: int

    def __init__(self, rows: Sequence[FormRow], *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._rows = list(rows)
        self._broken: dict[str, str] = {}

    def compose(self) -> ComposeResult:
        yield Label("Desc", classes="title")
        for row in self._rows:
            with Horizontal(classes="row" if row.key != "Operator" else "row first", id=_id("row", row.key)):
                yield Label(row.label, classes="name")
                if row.choices:
                    yield self._select(row.choices, row.text, _id("choice", row.key))
                else:
                    yield NumberInput(row.text, placeholder=_hint(row), compact=True, id=_id("field", row.key))
            if row.can_grow:
                with Horizontal(classes="row grow"):
                    yield Label("", classes="name")
                    yield Button("+ add", compact=True, id=_id("more", row.key))
                    yield Button("− remove", compact=True, id=_id("less", row.key))

    def _select(self, choices: Sequence[str], held: str, id: str) -> Select[str]:  # noqa: A002
        return Select([(c, c) for c in choices], value=held, allow_blank=False, compact=True, id=id)

    async def show(self, rows: Sequence[FormRow]) -> None:
        """Shows other rows; the field that is being typed in keeps its text."""
        before, self._rows = self._rows, list(rows)
        if [_shape(r) for r in before] != [_shape(r) for r in rows]:
            focused = self.screen.focused
            key = focused.id if focused is not None and self in focused.ancestors else None
            await self.recompose()
            if key is not None:
                # The buttons of an array stand behind its last tensor, so their names move when it grows.
                kind, _, rest = key.partition("-")
                found = [*self.query(f"#{key}")]
                if not found and kind in ("more", "less"):
                    array = rest.rsplit("-", 1)[0]
                    found = [b for b in self.query(Button) if (b.id or "").startswith(f"{kind}-{array}-")]
                if found:
                    self.screen.set_focus(found[0])
            return
        with self.prevent(Input.Changed, Select.Changed):
            for row in rows:
                if row.choices:
                    self.query_one(f"#{_id('choice', row.key)}", Select).value = row.text
                    continue
                field = self.query_one(f"#{_id('field', row.key)}", NumberInput)
                if not field.has_focus and field.value != row.text:
                    field.value = row.text
                field.placeholder = _hint(row)

    def mark(self, broken: dict[str, str]) -> None:
        """Lights the rows that broken rules name: {row key: severity}."""
        if broken == self._broken:
            return
        self._broken = broken
        for row in self._rows:
            for widget in self.query(f"#{_id('row', row.key)}"):
                widget.set_class(broken.get(row.key) == "error", "broken")
                widget.set_class(broken.get(row.key) == "warning", "warned")

    def refill(self, focused: bool = True) -> None:
        """Puts the document's text into every field again; into one that has the focus only if `focused`."""
        with self.prevent(Input.Changed):
            for row in self._rows:
                for field in self.query(f"#{_id('field', row.key)}").results(NumberInput):
                    if field.value != row.text and (focused or not field.has_focus):
                        field.value = row.text

    def focused_key(self) -> str:
        """The row that has the focus; empty where none has."""
        focused = self.screen.focused
        return self._key(focused.id) if focused is not None and self in focused.ancestors else ""

    def focus_row(self, key: str) -> bool:
        """Puts the focus on a row's field; False where there is none."""
        for kind in ("field", "choice"):
            for widget in self.query(f"#{_id(kind, key)}"):
                widget.focus()
                return True
        return False

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        key = self._key(event.input.id)
        row = next((r for r in self._rows if r.key == key), None)
        if row is not None and event.value != row.text:
            self.post_message(self.Edited(key, event.value))

    @on(Select.Changed)
    def _chosen(self, event: Select.Changed) -> None:
        event.stop()
        key, text = self._key(event.select.id), str(event.value)
        row = next((r for r in self._rows if r.key == key), None)
        if row is not None and text != row.text:
            self.post_message(self.Edited(key, text))

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        more = 1 if (event.button.id or "").startswith("more-") else -1
        self.post_message(self.Grown(self._key(event.button.id), more))

    def _key(self, id: str | None) -> str:  # noqa: A002
        return next((r.key for r in self._rows if (id or "").split("-", 1)[-1] == _id("", r.key)[1:]), "")


def _id(kind: str, key: str) -> str:
    """A widget id; brackets are not allowed in one."""
    return f"{kind}-{key.replace('[', '-').replace(']', '').replace('.', '-')}"


def _shape(row: FormRow) -> tuple[object, ...]:
    return row.key, row.choices, row.can_grow


def _hint(row: FormRow) -> str:
    """What an empty field shows: what it stands for, and that it is inferred."""
    return f"{row.inferred}  auto" if row.inferred else ""
