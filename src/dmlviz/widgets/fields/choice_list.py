"""What can be chosen in a row of the form: one list, laid over the screen below the row."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence

from textual import events
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from ..lib.commands import bindings
from ..lib.textual_private import actions_of
from .number_text import first_fitting

PAUSE = 1.0
"""Seconds after which typed letters begin a new search."""


class ChoiceList(OptionList):
    """An `OptionList` that is searched by typing; it tells the form what was chosen."""

    BINDINGS = bindings("choices")

    def __init__(
        self,
        chosen: Callable[[str | None], None],
        take: Callable[[events.Key], Awaitable[bool]],
        *,
        id: str,  # noqa: A002
    ) -> None:
        """`chosen` hears of a choice, or of None where the list was left; `take` does what a key stands for."""
        super().__init__(markup=False, compact=True, id=id)
        self._chosen, self._take = chosen, take
        self._choices: tuple[str, ...] = ()
        self._query, self._typed_at = "", 0.0

    def offer(
        self, choices: Sequence[str], present: str, needs: Mapping[str, str], headings: Mapping[str, str]
    ) -> None:
        """Shows `choices`, with `present` highlighted; behind a choice stands what it needs, above it its heading."""
        self._choices, self._query = tuple(choices), ""
        self.clear_options()
        for choice in choices:
            if choice in headings:
                self.add_option(Option(f" {headings[choice]}", disabled=True))
            self.add_option(Option(f" {choice}{f'  {needs[choice]}' if choice in needs else ''}", id=choice))
        self._highlight(present if present in self._choices else self._choices[0])

    async def on_key(self, event: events.Key) -> None:
        if await self._take(event):
            event.stop()
            event.prevent_default()

    async def take(self, event: events.Key) -> bool:
        """Does what a key stands for in the list, at once; True if anything."""
        actions = actions_of(self, event.key)
        for action in actions:
            await self.run_action(action)
        if not actions and event.is_printable and event.character:
            self.search(event.character)
        return bool(actions) or event.is_printable

    def search(self, char: str) -> None:
        """Highlights the first choice that begins with, or else holds, what was typed in one go."""
        now = time.monotonic()
        self._query = (self._query if now - self._typed_at < PAUSE else "") + char.upper()
        self._typed_at = now
        fitting = first_fitting(self._choices, self._query)
        if fitting is not None:
            self._highlight(fitting)

    def _highlight(self, choice: str) -> None:
        self.highlighted = self.get_option_index(choice)

    def action_page_up(self) -> None:
        if self.size:  # a page has no lines before it is drawn
            super().action_page_up()  # type: ignore[no-untyped-call]

    def action_page_down(self) -> None:
        if self.size:
            super().action_page_down()  # type: ignore[no-untyped-call]

    def action_select(self) -> None:
        if self.highlighted_option is not None:
            self._chosen(self.highlighted_option.id)

    def action_leave(self) -> None:
        self._chosen(None)
