"""What the picture is of, where it is not of the desc as it stands."""

from __future__ import annotations

from rich.text import Text
from textual.widgets import Static

from ...errors import plain
from ...workspace.shown.state import State


class CaptionLine(Static):
    """A line over the picture: what that is of, else nothing."""

    DEFAULT_CSS = "CaptionLine { text-wrap: nowrap; text-overflow: ellipsis; }"

    def present(self, state: State) -> None:
        mark = state.view.mark
        caption = "" if state.view.is_preview else state.view.caption or state.cover  # the first fix says what it does
        if state.chain is not None and (name := state.view.report.waits_for) and not state.view.is_preview:
            until = "" if state.view.trace is None else f" until {plain(name, 40)} is valid"
            caption += f"{until}: {{ leads there"
        self.display = bool(mark or caption)
        self.set_class(state.view.is_preview, "preview")
        # Where there is little colour, what is reversed is an error.
        style = "underline" if self.app.theme_variables["focus"] == "marks" else "reverse"
        shown = Text.assemble((f" {mark} ", style), f"  {caption}".rstrip()) if mark else Text(caption)
        if shown != self.content:
            self.update(shown, layout=False)
