"""An editor of a desc's fields: all of it but where its rows are laid, and how one is typed in there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from textual import events

from ...workspace.shown.state import FormRow, FormState
from ..lib.commands import LENT
from ..lib.painted import Painted
from ..lib.textual_private import actions_of
from .number_text import stepped


class Formed(Protocol):
    """A state that has a form."""

    @property
    def form(self) -> FormState: ...


class FieldEditor(Painted):
    """Shows `FormRow`s, one of which is edited; it holds no desc of its own.

    Nothing is posted: `typed` and `left` are called at once, so that the next key finds what the one before has made. A
    layout says which rows it shows, draws them, and keeps the text of the row that is edited.
    """

    def __init__(
        self,
        typed: Callable[[str, str], None],
        left: Callable[[str], None],
        *,
        id: str,  # noqa: A002
    ) -> None:
        """`typed(key, text)` takes what a row holds now; `left(key)` hears that a row is edited no more."""
        super().__init__(id=id)
        self._typed, self._left = typed, left
        self._form: FormState | None = None
        self._rows: dict[str, FormRow] = {}
        self._key = ""  # the row that is edited, or was last

    # ---- what a layout says

    @property
    def has_keys(self) -> bool:
        """True while the focus is in this editor."""
        return self.screen.focused is self

    @property
    def typed_text(self) -> str | None:
        """The text that the user has typed into the row that is edited; None where it is as the document has it."""
        raise NotImplementedError

    @property
    def text_and_position(self) -> tuple[str, int]:
        """(text of the row that is edited, position of the cursor in it), for a step up or down."""
        raise NotImplementedError

    def shown_rows(self, form: FormState) -> Iterable[FormRow]:
        """The rows that are shown."""
        raise NotImplementedError

    def reread_document(self) -> None:
        """Takes the text of the row that is edited from the document, and drops what was typed."""
        raise NotImplementedError

    def place_cursor(self, at: int | None = None) -> None:
        """Places the cursor at a character or a number of the row that is edited; None is for all of it."""
        raise NotImplementedError

    def put_text(self, text: str, at: int | None = None) -> None:
        """Puts a text into the row that is edited, as if it had been typed; `at` is the position in it."""
        raise NotImplementedError

    async def type_key(self, event: events.Key) -> bool:
        """Does what a key that stands for no action does to the row that is edited; True if anything."""
        raise NotImplementedError

    def focus_row(self, key: str) -> bool:
        """Puts the focus on a row; False where there is none."""
        raise NotImplementedError

    # ---- what is shown

    def present(self, state: Formed) -> None:
        """Shows another state; the row that is typed in keeps its text."""
        form, before = state.form, self._form
        if form is before:
            return
        keys, self._form = list(self._rows), form
        self._rows = {row.key: row for row in self.shown_rows(form)}
        is_lost = self._key not in self._rows
        if is_lost:
            self._key = self._nearest(self._key, keys)
        self.lay_out()
        if is_lost or self.typed_text is None or (before is not None and form.refill != before.refill):
            self.reread_document()
        if is_lost and self.focused_key:
            self.place_cursor()
        self.redraw()

    def lay_out(self) -> None:
        """Gives rows their places; does nothing in an editor that does so while it draws."""

    def _nearest(self, key: str, keys: Sequence[str]) -> str:
        """The row that stands where `key` stood: the last tensor of its array, or the row of the same number."""
        name = key.split("[", 1)[0]
        same = [row.key for row in self._rows.values() if row.is_sizes and row.key.startswith(f"{name}[")]
        if "[" in key and same:
            return same[-1]
        n = keys.index(key) if key in keys else 0
        return list(self._rows)[min(n, len(self._rows) - 1)] if self._rows else ""

    @property
    def focused_key(self) -> str:
        """The key of the row that is edited; "" while the focus is elsewhere."""
        return self._key if self.has_keys else ""

    @property
    def _edited_row(self) -> FormRow | None:
        """The row that is edited; None while the focus is elsewhere."""
        return self._rows.get(self.focused_key)

    def _severity_of(self, key: str) -> str:
        """The severity of the worst rule that names a row: error, warning, ...; "" where none does."""
        return self._form.broken.get(key, "") if self._form is not None else ""

    def _is_unread(self, key: str) -> bool:
        """True where a row's text can't be read."""
        return self._form is not None and key in self._form.errors

    # ---- keys

    async def on_key(self, event: events.Key) -> None:
        if await self.take(event):
            event.stop()
            event.prevent_default()

    async def take(self, event: events.Key) -> bool:
        """Does what a key stands for in the row that is edited, at once; True if anything."""
        if not self.has_keys:
            return False  # the key before has led out
        for action in actions_of(self, event.key):
            if await self.app.run_action(action, self):
                return True
        if self.leaves_letters and len(event.key) == 1 and event.key.isalpha():
            for action in actions_of(self.screen, event.key):
                if await self.app.run_action(action, self.screen) or action in LENT:
                    return True  # where there is nothing to undo or to fix, the letter is no text either
        return await self.type_key(event)

    @property
    def leaves_letters(self) -> bool:
        """True while a whole number is edited: a letter never belongs to it, and may do what the screen has on it."""
        row = self._edited_row
        return row is not None and row.is_typed and not row.takes_letters

    def _go_to(self, key: str, at: int | None = None) -> None:
        """Goes to a row, at a character or a number of it, or to all of it; the row before is left."""
        if key != self._key:
            if self._key:
                self._left(self._key)
            self._key = key
            self.reread_document()
            self.screen.refresh_bindings()  # another row may leave other keys to the screen
        self.place_cursor(at)

    def action_walk(self, by: int) -> None:
        """Goes to a row after or before; behind the last to the next pane, from elsewhere to the row edited last."""
        if not self.has_keys:
            self.focus_row(self._key if self._key in self._rows else next(iter(self._rows)))
            return
        keys = list(self._rows)
        to = keys.index(self._key) + by if self._key in keys else 0
        if 0 <= to < len(keys):
            self._go_to(keys[to])
            return
        self._left(self._key)
        self.screen.set_focus(self, scroll_visible=False)
        if by > 0:
            self.screen.focus_next()
        else:
            self.screen.focus_previous()

    def action_step(self, by: int) -> None:
        """Steps the number that is edited; a text that is no number stays. Up is the choice before."""
        row = self._edited_row
        if row is not None and row.choices:
            self.pick(-by)
            return
        text, at = self.text_and_position
        changed, at = stepped(text, at, by)
        if changed != text:
            self.put_text(changed, at)

    def pick(self, by: int) -> None:
        """Takes the choice before or after the present one of the row that is edited."""
        row = self._edited_row
        if row is not None:
            at = row.choices.index(row.text) + by if row.text in row.choices else 0
            if 0 <= at < len(row.choices):
                self.put_text(row.choices[at])

    def press(self, mark: str) -> None:
        """Does what a click on a mark of the row that is edited does: more, less, auto."""
        row = self._edited_row
        if mark in ("more", "less"):
            by = 1 if mark == "more" else -1
            if row is not None and row.choices:
                self.pick(by)
            else:
                self.action_step(by)
        elif mark == "auto" and row is not None:
            # A click takes the text away, so that it is inferred; another one writes down what was inferred.
            self.put_text("" if row.text else row.inferred)
