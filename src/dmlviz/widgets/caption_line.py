"""What the picture is of, where it is not of the desc as it stands."""

from __future__ import annotations

from rich.text import Text
from textual.widgets import Static

from ..workspace.state import State


class CaptionLine(Static):
    """One line over the picture; nothing where the picture is of the desc."""

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self._presented: tuple[str, str] | None = None

    def present(self, state: State) -> None:
        """Shows another state."""
        caption, mark = state.view.caption, state.view.mark
        if (caption, mark) != self._presented:
            self._presented = caption, mark
            self.display = bool(caption)
            self.update(Text.assemble((f" {mark} ", "reverse"), "  ", caption) if mark else Text(caption), layout=False)
