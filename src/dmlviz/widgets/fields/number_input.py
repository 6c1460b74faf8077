"""The field of the form that is typed in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from textual import events
from textual.widgets import Input

from ..lib.textual_private import actions_of, type_into


class NumberInput(Input):
    """A one-line `Input` that a form lays over the row that is being edited.

    Every key goes to the form first, in the order in which keys were pressed: a binding would otherwise be looked up
    after the key has travelled to the app and back, when what was typed right behind it is in the field already.
    """

    def __init__(
        self,
        typed: Callable[[str], None],
        take: Callable[[events.Key], Awaitable[bool]],
        leaves_letters: Callable[[], bool],
        *,
        id: str,  # noqa: A002
    ) -> None:
        """`typed` hears of every change the user makes; `take` does what a key stands for, True if anything.

        `leaves_letters` tells whether the row that is edited leaves letters to the screen.
        """
        super().__init__(select_on_focus=False, compact=True, id=id)
        self._typed, self._take, self._leaves_letters = typed, take, leaves_letters
        self._filling = False
        self.touched = False
        """True once the user has changed what `fill` put here."""

    def fill(self, text: str, stands_for: str = "") -> None:
        """Puts the document's text into the field; `stands_for` is shown where it is empty."""
        self._filling = True
        self.placeholder = stands_for
        if self.value != text:
            self.value = text
        self._filling, self.touched = False, False

    def watch_value(self, value: str) -> None:
        if not self._filling:
            self.touched = True
            self._typed(value)

    def watch_selection(self) -> None:
        """The form tells which axis the cursor is at."""
        if self.parent is not None and not self._filling:
            self.parent.refresh()

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return super().check_consume_key(key, character) and not (key.isalpha() and self._leaves_letters())

    async def on_key(self, event: events.Key) -> None:
        event.prevent_default()  # the focus may have left the form; then the key is the next pane's
        if await self._take(event):
            event.stop()

    async def take(self, event: events.Key) -> bool:
        """Does what a key stands for in the field itself, at once; True if anything."""
        actions = actions_of(self, event.key)
        for action in actions:
            await self.run_action(action)
        if not actions and event.is_printable and event.character:
            await type_into(self, event)
        return bool(actions) or event.is_printable
