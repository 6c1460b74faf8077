"""Lines of text and rectangles of an SVG, whose fonts are named, and none is loaded."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct, field

from ..formats.text_columns import width as columns_of
from ..formats.text_columns import wrapped
from ..session.notes import printable

FONTS = "DejaVu Sans Mono, Cascadia Mono, Consolas, Menlo, monospace"
VALUE, SIZE, SMALL = 20, 16, 12
"""Pixels of the font's height: of values, of sentences, and of headings and letters."""
CHARACTER = 0.62
"""The width of a character as a share of the font's height, with a little to spare: the named fonts have 0.60."""
ROW, LINE, MARGIN, COLUMNS = 42, 24, 24, 90
"""Pixels of the height of a cell and of a line, and around the whole; columns of a line."""
INK, DIM, LINE_INK, PAPER = "#14181d", "#4f575f", "#79828b", "#ffffff"


class Box(NamedTuple):
    """A rectangle in pixels."""

    x: float
    y: float
    width: float
    height: float = ROW

    @property
    def right(self) -> float:
        return self.x + self.width


class Shown(NamedTuple):
    """What a cell shows at a step."""

    text: str
    colours: Sequence[str]
    """Fill, ink and letter, where they are told; else empty."""
    sign: str


class Drawing(Struct):
    """Pieces of an image, and how far they reach."""

    pieces: list[str] = field(default_factory=list)
    right: float = 0
    bottom: float = 0

    def text(self, x: float, y: float, text: str, how: str = "start", *, font_size: int = SIZE, **more: str) -> None:
        """A line whose baseline is at `y`; `how` is where `x` is in it: start, middle or end."""
        looks = {"text-anchor": how, "font-size": font_size, **more}
        attributes = " ".join(f'{name.replace("_", "-")}="{value}"' for name, value in looks.items())
        self.pieces.append(f'<text x="{x:g}" y="{y:g}" {attributes}>{escaped(text)}</text>')
        if how == "start":
            self.reach(x + columns_of(text) * font_size * CHARACTER, y)

    def lines(self, y: float, text: str, x: float = MARGIN, *, fill: str = INK, font_weight: str = "normal") -> float:
        """Lines of words from `y` on; returns where they end."""
        for line in text.splitlines():
            for piece in wrapped(line, COLUMNS) or [""]:
                y += LINE
                self.text(x, y - LINE / 3, piece, fill=fill, font_weight=font_weight)
        return y

    def rectangle(self, box: Box, fill: str, stroke: str, dashes: str = "") -> None:
        """A rectangle; where `dashes` are told, which may be `none`, its line is thick."""
        thick = f' stroke-width="3" stroke-dasharray="{dashes}"' if dashes else ""
        place = f'x="{box.x:g}" y="{box.y:g}" width="{box.width:g}" height="{box.height:g}"'
        self.pieces.append(f'<rect {place} fill="{fill}" stroke="{stroke}"{thick}/>')
        self.reach(box.right, box.y + box.height)

    def cell(self, box: Box, shown: Shown, *, is_now: bool) -> None:
        """A cell; what the step writes has a dashed frame, which is seen in grey too."""
        fill, ink, letter = shown.colours or (PAPER, INK, "")
        self.rectangle(box, fill, INK if is_now else LINE_INK, "5 3" if is_now else "")
        if letter:
            self.text(box.x + 4, box.y + SMALL + 1, letter, font_size=SMALL, fill=ink)
        middle, text = box.x + box.width / 2 + 4 * bool(letter), shown.text + shown.sign.replace("-", "−")
        self.text(middle, box.y + ROW / 2 + 7, text, "middle", font_size=VALUE, fill=ink, font_weight="bold")

    def reach(self, x: float, y: float) -> None:
        """Makes the drawing at least so large that (x, y) lies in it."""
        self.right, self.bottom = max(self.right, x), max(self.bottom, y)

    def svg(self, title: str, size: tuple[float, float]) -> str:
        """The image, with its title."""
        width, height = (f"{length + MARGIN:g}" for length in size)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}"><title>{escaped(title)}</title>'
            f'<rect width="100%" height="100%" fill="{PAPER}"/><g font-family="{FONTS}" font-size="{SIZE}" '
            f'fill="{INK}" style="white-space:pre">{"".join(self.pieces)}</g></svg>'
        )


def escaped(text: str) -> str:
    """Text as HTML and XML, without what neither may hold."""
    return html.escape(printable(text))
