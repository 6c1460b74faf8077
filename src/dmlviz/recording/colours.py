"""The colours of recordings: those of the picture on the screen, on paper and on a dark page."""

from __future__ import annotations

from ..scene.colour.palette import MUTED, RGB, fill, ink, shaded, toned

MUTED_LIGHTNESS = 88
"""CIELAB's L* of the tint of what stays where it is."""


def cell_colours(identity: int, shade: int = -1) -> tuple[str, str]:
    """(fill, ink) of a cell with an identity, as #rrggbb; they are the same on light and on dark ground."""
    if shade == MUTED:
        colour = toned(fill(identity), MUTED_LIGHTNESS)
    elif shade >= 0:
        colour = shaded(identity, shade)
    else:
        colour = fill(identity)
    return hex_of(colour), hex_of(ink(colour))


def hex_of(colour: RGB) -> str:
    """#rrggbb."""
    return "#{:02x}{:02x}{:02x}".format(*colour)
