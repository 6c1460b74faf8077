"""A list in which a click chooses and a double click takes; a mark stands before what is chosen."""

from __future__ import annotations

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Size
from textual.strip import Strip

from ...scene.spans import AXIS
from .inks import inks_of
from .textual_private import GutterList

MARK = "▸"
"""What stands before the chosen option, which is told so without colours too."""


class BrowseList(GutterList):
    """An `OptionList` whose options can be looked at with the mouse before they are taken."""

    GUTTER = len(MARK)
    TAKES = False
    """A click takes what it chooses."""

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return super().get_content_height(container, viewport, width - len(MARK))

    def render_line(self, y: int) -> Strip:
        strip, at = super().render_line(y), self.scroll_offset.y + y
        is_first = self.highlighted is not None and self.option_at(at) == (self.highlighted, 0)
        ground = next((segment.style for segment in strip if segment.style is not None), None)
        look = inks_of(self.app.theme_variables, "surface").style(AXIS)
        if ground is not None:
            look = ground + Style(color=look.color, bold=True, underline=False)
        return Strip([Segment(MARK if is_first else " ", look), *strip])

    async def on_click(self, event: events.Click) -> None:
        event.prevent_default()
        clicked = event.style.meta.get("option")
        if clicked is None or clicked >= self.option_count:
            return  # a line of a list that has become shorter since it was drawn
        if not self.get_option_at_index(clicked).disabled:
            self.highlighted = clicked
            if event.chain >= 2 or self.TAKES:
                self.action_select()
