"""The command palette, which a window of any size can't bring down."""

from __future__ import annotations

from textual.command import CommandList, CommandPalette

PALETTE = "--command-palette"
"""The id by which Textual knows it."""


class Palette(CommandPalette):
    """Textual's command palette. Where the window leaves its list no line, a page of it is nothing to move by."""

    def _action_command_list(self, action: str) -> None:
        found = self.query(CommandList)
        if action.startswith("page_") and not (found and found.first().scrollable_content_region.area):
            return
        super()._action_command_list(action)
