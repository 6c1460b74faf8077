"""The whole screen as it looks with another colour vision."""

from __future__ import annotations

from functools import lru_cache

from rich.color import Color as RichColor
from rich.segment import Segment
from rich.style import Style as RichStyle
from textual.color import Color
from textual.filter import LineFilter

from ...scene.colour.vision import Vision, seen


class SeenAs(LineFilter):
    """Replaces every colour by what `vision` makes of it."""

    def __init__(self, vision: Vision) -> None:
        super().__init__(enabled=vision is not Vision.NORMAL)
        self.vision = vision

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        vision = self.vision
        return [
            Segment(text, _seen_style(style, vision) if style is not None else None, control)
            for text, style, control in segments
        ]


@lru_cache(maxsize=2048)
def _seen_style(style: RichStyle, vision: Vision) -> RichStyle:
    return style + RichStyle(color=_seen_colour(style.color, vision), bgcolor=_seen_colour(style.bgcolor, vision))


def _seen_colour(colour: RichColor | None, vision: Vision) -> RichColor | None:
    if colour is None or colour.is_default:
        return None
    return RichColor.from_rgb(*seen(tuple(colour.get_truecolor()), vision))
