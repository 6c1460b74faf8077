"""The colours of recordings: those of the picture on the screen, on paper and on a dark page."""

from __future__ import annotations

from ..scene.cells.cells import Cell
from ..scene.colour.palette import CONSTANT, MUTED, RGB, fill, ink, rgb, shaded, toned

MUTED_LIGHTNESS = 88
"""CIELAB's L* of the tint of what stays where it is."""


FROM_NOWHERE = 1 << 40
"""Stands among identities for what comes from nowhere: no identity is as large."""


def identity_of(cell: Cell) -> int:
    """What a cell's colour stands for: its identity, `FROM_NOWHERE`, or -1 for no colour."""
    return FROM_NOWHERE if cell.is_nowhere else cell.identity


def cell_colours(id_: int, shade: int = -1) -> tuple[str, str]:
    """(fill, ink) of a cell with an identity, or from nowhere, as #rrggbb; the same on light and on dark ground."""
    if id_ == FROM_NOWHERE:
        colour = rgb(CONSTANT)
    elif shade == MUTED:
        colour = toned(fill(id_), MUTED_LIGHTNESS)
    elif shade >= 0:
        colour = shaded(id_, shade)
    else:
        colour = fill(id_)
    return hex_of(colour), hex_of(ink(colour))


def hex_of(colour: RGB) -> str:
    """#rrggbb."""
    return "#{:02x}{:02x}{:02x}".format(*colour)
