"""A list in which a click chooses and a double click takes."""

from __future__ import annotations

from textual import events
from textual.widgets import OptionList


class BrowseList(OptionList):
    """An `OptionList` whose options can be looked at with the mouse before they are taken."""

    async def on_click(self, event: events.Click) -> None:
        event.prevent_default()
        clicked = event.style.meta.get("option")
        if clicked is None or clicked >= self.option_count:
            return  # a line of a list that has become shorter since it was drawn
        if not self.get_option_at_index(clicked).disabled:
            self.highlighted = clicked
            if event.chain >= 2:
                self.action_select()
