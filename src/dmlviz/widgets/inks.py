"""How the scene's styles look on a theme: a table made once a theme, so that no style is made per cell."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from rich.color import Color as RichColor
from rich.style import Style as RichStyle
from textual.color import Color

from ..scene.figure import Style
from ..scene.palette import XTERM, ink, rgb
from ..scene.zooms import EMPTY, NEUTRAL, PAPER


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
        bold = style.marked or style.strong
        if style.kind == "cell" and style.identity >= 0:
            return self._filled(style.identity % len(XTERM), bold)
        if style.kind in ("halves", "halves mark"):
            return self._halves(style)
        if style.kind.endswith(" edge"):  # half of a line is the cell's fill, and the other half air
            fill = self.style(style._replace(kind=style.kind.removesuffix(" edge"), marked=False)).bgcolor
            return RichStyle(color=fill, bgcolor=self.paper.rich_color)
        ground = {"cell": self.neutral, "empty": self.empty, "unread": self.empty}.get(style.kind, self.paper)
        colours = {
            "dim": self.muted,
            "axis": self.accent,
            "focused title": self.accent,
            "warn": self.warning,
            "broken": self.error,
            "rule": self.line,
            "empty": self.muted,
            "unread": self.muted,
        }
        bold = bold or style.kind in ("title", "focused title", "letter", "edge", "broken")
        colour = colours.get(style.kind, self.text)
        return RichStyle(
            color=colour.rich_color,
            bgcolor=ground.rich_color,
            bold=bold or None,
            underline=style.kind == "broken" or None,
        )

    def _halves(self, style: Style) -> RichStyle:
        """Two elements in one character: the upper in its colour, the lower in its ground."""
        if style.kind == "halves mark":
            return RichStyle(color=self.text.rich_color, bgcolor=self.paper.rich_color, bold=True)
        plain = {NEUTRAL: self.line, PAPER: self.paper, EMPTY: self.empty}
        upper, lower = (
            RichColor.from_rgb(*rgb(XTERM[code % len(XTERM)])) if code >= 0 else plain[code].rich_color
            for code in (style.identity, style.below)
        )
        return RichStyle(color=upper, bgcolor=lower)

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
