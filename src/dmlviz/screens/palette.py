"""The command palette, which neither a window of any size nor a hasty end can bring down."""

from __future__ import annotations

from functools import partial

from rich.text import Text
from textual.command import CommandList, CommandPalette
from textual.widgets.option_list import Option


class Palette(CommandPalette):
    """Textual's command palette. Where the window leaves its list no line, a page of it is nothing to move by.

    It has no id, as the next may be there before this one is gone.
    """

    def _action_command_list(self, action: str) -> None:
        lists = self.query(CommandList)
        if action.startswith("page_") and not (lists and lists.first().scrollable_content_region.area):
            return
        super()._action_command_list(action)

    def _start_no_matches_countdown(self, search_value: str) -> None:
        self._stop_no_matches_countdown()
        self._no_matches_timer = self.set_timer(
            self._NO_MATCHES_COUNTDOWN, partial(self.say_no_matches, bool(search_value))
        )

    def say_no_matches(self, searched: bool) -> None:
        """Says that nothing was found; while the palette goes its list may be gone, which Textual doesn't expect."""
        lists = self.query(CommandList)
        if lists and searched:
            words = Text("No matches found", style="not bold", justify="center")
            lists.first().add_option(Option(words, disabled=True, id=self._NO_MATCHES))
        if lists:
            self._list_visible = searched
