"""How the scene's styles look on a theme: a table made once a theme, so that no style is made per cell."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from rich.color import Color as RichColor
from rich.style import Style as RichStyle
from textual.color import Color

from ...scene.colour.palette import CONSTANT as FROM_NOWHERE
from ...scene.colour.palette import FINE, MUTED, RGB, contrast, fill, ink, rgb, rounds, shaded
from ...scene.spans import ABSENT, UNDERLINED, Style

DARK, LIGHT = (0, 0, 0), (255, 255, 255)
"""Of a QR code, on every theme: what reads it takes dark modules on light ground."""
SEEN = 3.0
"""The contrast from which on a fill is seen on its ground without a hairline: WCAG 2.1, 1.4.11."""

TINT_ON_DARK, TINT_ON_LIGHT = 0.18, 0.25
"""Shares of an identity's colour in the tint of what stays as it is. On both grounds every tint keeps a CIEDE2000
distance of at least 10 from the shades of its identity; with 0.3 the darkest were hardly told from it on dark ground.
"""


class Inks:
    """Rich styles for scene styles, on a panel of one theme."""

    def __init__(self, variables: Mapping[str, str], panel: str = "background") -> None:
        self.paper = Color.parse(variables[panel])
        self.text = Color.parse(variables["foreground"])
        self.field = Color.parse(variables["panel"])
        self.accent = Color.parse(variables["accent"])
        self.error = Color.parse(variables["error"])
        self.warning = Color.parse(variables["warning"])
        self._palette = variables["identity"]
        self.has_marks = variables.get("focus") == "marks"
        """Errors are reversed and the focus is marked, since there are few colours or none."""
        self.ruler = Color.parse(variables["ruler"])
        self.muted = Color.parse(variables["hint"])
        if self._palette in FINE:
            self.line, self.empty, self.neutral = (self.paper.blend(self.text, share) for share in (0.28, 0.10, 0.16))
        else:  # 16 colours: two greys are all there is between black and white
            light, dark = Color(170, 170, 170), Color(85, 85, 85)
            on_black = self.text.brightness > 0.5
            self.line, self.neutral = (light, dark) if on_black else (dark, light)
            self.empty = self.paper
        self.outline = self.paper.blend(self.text, 0.5) if self._palette in FINE else self.muted
        by_palette = {"xterm": Color(*rgb(FROM_NOWHERE)), "greys": self.neutral}
        self.constant = by_palette.get(self._palette, self.text)
        """The fill of what comes from nowhere: the text's where there are few colours, none of its own without any."""
        self._table: dict[Style, RichStyle] = {}
        self.hairlines: dict[Style, RichStyle] = {}
        """What parts cells from the ground beside them, of those styles asked for whose fill is hardly seen on it."""

    def style(self, style: Style) -> RichStyle:
        """The Rich style for a scene style."""
        known = self._table.get(style)
        if known is None:
            known = self._table[style] = self._new_style(style)
            hairline = self._hairline(style)
            if hairline is not None:
                self.hairlines[style] = hairline
        return known

    def blends(self, style: Style) -> bool:
        """True if a bar in the colour of text, beside a cell of this style, is hardly told from its fill."""
        ground = self.style(style).bgcolor
        red, green, blue = ground.get_truecolor() if ground is not None else self.paper.rgb
        return contrast((red, green, blue), self.text.rgb) < SEEN

    def _hairline(self, style: Style) -> RichStyle | None:
        """What parts a cell from the ground beside it; None where its fill is seen by itself, or where it has none."""
        if style.kind in ABSENT:
            return RichStyle(color=self.outline.rich_color, bgcolor=self.paper.rich_color)
        if style.kind != "nowhere" and (style.kind != "cell" or style.identity < 0 or style.shade == MUTED):
            return None
        ground = self._fill_of(style)
        if contrast(ground, self.paper.rgb) >= SEEN:
            return None
        line = Color(*ground).blend(self.text, 0.5) if self._palette in FINE else self.muted
        return RichStyle(color=line.rich_color, bgcolor=self.paper.rich_color)

    def _new_style(self, style: Style) -> RichStyle:
        bold = style.marked or style.strong
        if style.kind == "cell" and style.identity >= 0 and style.shade == MUTED:
            tint = self._tint(style.identity)
            return RichStyle(color=self.text.rich_color, bgcolor=tint.rich_color, bold=bold or None)
        if style.kind == "nowhere" or (style.kind == "cell" and style.identity >= 0):
            # What comes again in another tone is underlined.
            again = style.kind == "cell" and rounds(style.identity, self._palette) > 0
            return self.on(self._fill_of(style), ink(self._fill_of(style))) + RichStyle(
                bold=bold or None, underline=again or None
            )
        fills = {
            "tab": self.text,
            "asked": self.text,
            "broken cell": self.error,
            "about": self.accent,
            "wrong": self.error,
            "missed": self.warning,
        }
        if style.kind in fills:
            underline = style.kind == "broken cell" or None
            fill_colour = fills[style.kind].rich_color
            return RichStyle(color=self.paper.rich_color, bgcolor=fill_colour, bold=True, underline=underline)
        if style.kind in ("qr", "qr light"):  # light modules are drawn as blocks: without colours they are light, too
            return self.on(DARK if style.kind == "qr" else LIGHT, LIGHT)
        if style.kind.endswith(" edge"):  # half of a line is the cell's fill, and the other half air
            if style.kind.removesuffix(" edge") in ABSENT:  # a hairline, which closes those beside the cell
                return RichStyle(color=self.outline.rich_color, bgcolor=self.paper.rich_color)
            ground = self.style(style._replace(kind=style.kind.removesuffix(" edge"), marked=False)).bgcolor
            return RichStyle(color=ground, bgcolor=self.paper.rich_color)
        grounds = {
            "mark": self.neutral,
            "waits": self.neutral,
            "cell": self.neutral,
            "empty": self.empty,
            "unread": self.empty,
            "stale": self.empty,
            "field": self.field,
        }
        paper = grounds.get(style.kind, self.paper)
        colours = {
            "dim": self.muted,
            "ruler": self.ruler,
            "axis": self.accent,
            "named": self.accent,
            "focused title": self.accent,
            "warn": self.warning,
            "broken": self.error,
            "rule": self.line,
            "field": self.muted,
            "empty": self.muted,
            "unread": self.muted,
            "stale": self.ruler,
        }
        bold = bold or style.kind in ("focused title", "letter", "edge", *UNDERLINED)
        bold = bold or (style.kind == "title" and not self.has_marks)
        colour = colours.get(style.kind, self.text)
        return RichStyle(
            color=colour.rich_color,
            bgcolor=paper.rich_color,
            bold=bold or None,
            underline=style.kind in UNDERLINED or (style.kind == "focused title" and self.has_marks) or None,
            italic=style.kind == "stale" or None,
        )

    def on(self, ground: RGB, text: RGB) -> RichStyle:
        """Style of text in one colour on a ground of another."""
        return RichStyle(color=RichColor.from_rgb(*text), bgcolor=RichColor.from_rgb(*ground))

    def _tint(self, identity: int) -> Color:
        """The ground of a cell that an edit left as it was: a little of its identity's colour."""
        if self._palette not in FINE:
            return self.paper
        share = TINT_ON_LIGHT if self.paper.brightness > 0.5 else TINT_ON_DARK
        return self.paper.blend(Color(*fill(identity, self._palette)), share)

    def _fill_of(self, style: Style) -> RGB:
        return self.constant.rgb if style.kind == "nowhere" else shaded(style.identity, style.shade, self._palette)


@lru_cache(maxsize=8)
def _cached_inks(items: tuple[tuple[str, str], ...], panel: str) -> Inks:
    return Inks(dict(items), panel)


def inks_of(variables: Mapping[str, str], panel: str = "background") -> Inks:
    """The inks of a theme's variables; the same object for the same theme and panel."""
    names = ("background", "surface", "panel", "foreground", "accent", "error", "warning", "ruler", "hint")
    needed = [(name, variables[name]) for name in names]
    more = (("identity", "xterm"), ("focus", "colour"))
    return _cached_inks((*needed, *((name, variables.get(name, usual)) for name, usual in more)), panel)


def bold(colour: Color) -> str:
    return f"bold {colour.hex}"


def thin(colour: Color) -> str:
    return f"not bold {colour.hex}"
