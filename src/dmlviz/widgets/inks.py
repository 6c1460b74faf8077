"""How the scene's styles look on a theme: a table made once a theme, so that no style is made per cell."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from rich.color import Color as RichColor
from rich.style import Style as RichStyle
from textual.color import Color

from ..scene.figure import Style
from ..scene.palette import XTERM, ink, rgb


class Inks:
    """Rich styles for scene styles, on a panel of one theme."""

    def __init__(self, variables: Mapping[str, str], panel: str = "background") -> None:
        self.paper = Color.parse(variables[panel])
        self.text = Color.parse(variables["foreground"])
        self.accent = Color.parse(variables["accent"])
        self.error = Color.parse(variables["error"])
        self.warning = Color.parse(variables["warning"])
        self.muted = self.paper.blend(self.text, 0.66)
        self.line = self.paper.blend(self.text, 0.28)
        self.empty = self.paper.blend(self.text, 0.10)
        self.neutral = self.paper.blend(self.text, 0.16)
        self._table: dict[Style, RichStyle] = {}

    def style(self, style: Style) -> RichStyle:
        """The look of a scene style."""
        found = self._table.get(style)
        if found is None:
            found = self._table[style] = self._make(style)
        return found

    def _make(self, style: Style) -> RichStyle:
        bold = style.marked
        if style.kind == "cell" and style.identity >= 0:
            return self._filled(style.identity % len(XTERM), bold)
        if style.kind == "broken cell":
            return RichStyle(color=self.paper.rich_color, bgcolor=self.error.rich_color, bold=True, underline=True)
        grounds = {"cell": self.neutral, "empty": self.empty, "unread": self.empty, "stale": self.empty}
        ground = grounds.get(style.kind, self.paper)
        colours = {
            "dim": self.muted,
            "axis": self.accent,
            "focused title": self.accent,
            "warn": self.warning,
            "broken": self.error,
            "rule": self.line,
            "empty": self.muted,
            "unread": self.muted,
            "stale": self.muted,
        }
        bold = bold or style.kind in ("title", "focused title", "letter", "edge", "broken")
        colour = colours.get(style.kind, self.text)
        return RichStyle(
            color=colour.rich_color,
            bgcolor=ground.rich_color,
            bold=bold or None,
            underline=style.kind == "broken" or None,
            italic=style.kind == "stale" or None,
        )

    def _filled(self, number: int, bold: bool) -> RichStyle:
        ground = rgb(XTERM[number])
        return RichStyle(color=RichColor.from_rgb(*ink(ground)), bgcolor=RichColor.from_rgb(*ground), bold=bold or None)


@lru_cache(maxsize=8)
def _inks(items: tuple[tuple[str, str], ...], panel: str) -> Inks:
    return Inks(dict(items), panel)


def inks_of(variables: Mapping[str, str], panel: str = "background") -> Inks:
    """The inks of a theme's variables; made once for each theme and panel."""
    names = ("background", "surface", "panel", "foreground", "accent", "error", "warning")
    return _inks(tuple((name, variables[name]) for name in names), panel)
