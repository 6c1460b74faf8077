"""What the picture is of, where it is not of the desc as it stands."""

from __future__ import annotations

import re

from rich.console import Console
from rich.text import Text
from textual.widget import Widget
from textual.widgets import Static

from ...errors import plain
from ...workspace.shown.state import State

MOST = 2
"""Lines of a caption at most, where the terminal is high enough."""
LOW = 32
"""Lines of the terminal below which a caption has one."""


def caption_lines(caption: str, width: int, most: int) -> list[str]:
    """A caption in at most `most` lines of `width` columns.

    Lists go without spaces where it fits one line then. What is longer still is wrapped, and ends in an ellipsis where
    not even that is enough.
    """
    tight = re.sub(r"\{[^}]*\}", lambda sizes: sizes[0].replace(", ", ","), caption)
    for text in (caption, tight):
        if len(text) <= width:
            return [text]
    lines = [line.plain.rstrip() for line in Text(tight).wrap(Console(), max(1, width))]
    if len(lines) <= most:
        return lines
    if most == 1:
        lines = [tight]
    rest = " ".join(lines[most - 1 :])[: max(0, width - 2)]
    return [*lines[: most - 1], f"{rest.rpartition(' ')[0] or rest} …"]


class CaptionLine(Static):
    """Some lines over the picture: what that is of, else nothing."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._presented: tuple[str, str] | None = None
        self._lines: list[str] = []

    def present(self, state: State) -> None:
        """Shows another state."""
        caption, mark = state.view.caption.removeprefix(f"{state.view.mark}: ") or state.cover, state.view.mark
        if state.chain is not None and (name := state.view.report.waits_for) and not state.view.is_preview:
            until = "" if state.view.trace is None else f" until {plain(name, 40)} is valid"
            caption += f"{until}: {{ leads there"
        if (caption, mark) != self._presented:
            self._presented = caption, mark
            self.display = bool(caption)
            self.set_class(state.view.is_preview, "preview")
            self.fit()

    @property
    def rows(self) -> int:
        """How many lines the caption takes from the picture."""
        return len(self._lines)

    def on_resize(self) -> None:
        self.fit()

    def fit(self) -> None:
        """Wraps the caption for the width that the picture has now."""
        caption, mark = self._presented or ("", "")
        within = self.parent
        width = within.size.width if isinstance(within, Widget) else self.size.width
        head = len(mark) + 4 if mark else 0
        before = len(self._lines)
        most = 1 if self.app.size.height < LOW else MOST
        self._lines = caption_lines(caption, width - head, most) if caption else []
        # Where there is little colour, what is reversed is an error.
        style = "underline" if self.app.theme_variables["focus"] == "marks" else "reverse"
        text = Text.assemble((f" {mark} ", style), "  ") if mark else Text()
        text.append(f"\n{' ' * head}".join(self._lines))
        self.update(text, layout=before != len(self._lines))
