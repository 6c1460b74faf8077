"""Identity: which colour and which letter stand for the same thing from source to destination."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

XTERM = (30, 180, 141, 130, 123, 226, 57, 53)
"""Indices of the xterm-256 palette: CIEDE2000 of at least 20 between any two under normal, protan, deutan and tritan
vision, so truecolor and 256-colour terminals look alike. None is red or pink, which means an error, or grey.

Found by a search over all 256: of the 36 eights that keep these distances it is the one with the least chroma in all.
Every one of them has a yellow or a lime, a blue or an indigo, and one that is nearly as dark as the dark theme's
ground; these are the last three here. The five before them are muted, and the first four of like lightness, so that few
identities please side by side.
"""
OTHER_TONE = (30, 48, 52, 30, 66, 64, 78, 38)
"""CIELAB's L* of each of `XTERM` when it comes around again: all sixteen keep 10 under those visions."""
LIGHTNESS = ((60, 42), (73, 55), (78, 60), (54, 36), (94, 76), (96, 78), (46, 28), (30, 12))
"""CIELAB's L* of the lightest and of the darkest shade of each of `XTERM`, chosen so that shades of two identities keep
a CIEDE2000 distance of at least 10 under those visions too."""
SHADES = 8
"""Steps from light to dark within one identity."""
NO_SHADE, MUTED = -1, -2
"""What stands for a shade where there is none: the identity's own colour, and a tint of it for what stays as it is."""

CONSTANT = 194
"""The xterm-256 index of what comes from nowhere and holds a constant: a pale green, CIEDE2000 of at least 12 from
every identity in each of its tones and shades under those visions, 16 from accents, errors and warnings. Of what is no
grey, red or pink, nothing keeps further away. On light ground it has a hairline, as light identities have.
"""

RGB = tuple[int, int, int]


def rgb(index: int) -> RGB:
    """The colour of an xterm-256 index from 16 on, as (red, green, blue) from 0 to 255."""
    if index >= 232:
        grey = 8 + 10 * (index - 232)
        return grey, grey, grey
    cube = index - 16
    levels = (0, 95, 135, 175, 215, 255)
    return levels[cube // 36], levels[cube // 6 % 6], levels[cube % 6]


def luminance(colour: RGB) -> float:
    """Relative luminance, WCAG 2."""

    def linear(channel: int) -> float:
        c = channel / 255
        return c / 12.92 if c <= 0.03928 else float(((c + 0.055) / 1.055) ** 2.4)

    red, green, blue = (linear(c) for c in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: RGB, other: RGB) -> float:
    """Contrast ratio from 1 to 21, WCAG 2."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


PALETTES: Mapping[str, tuple[RGB, ...]] = {
    "xterm": tuple(rgb(index) for index in XTERM),
    # For terminals of 16 colours: all of IBM's CGA that are no red, pink or grey, and keep away from each theme's
    # accent and status colours; seven are left.
    "ansi-dark": (
        *((85, 85, 255), (170, 85, 0), (0, 170, 170), (85, 255, 85)),
        *((170, 0, 170), (0, 170, 0), (0, 0, 170)),
    ),
    "ansi-light": (
        *((85, 85, 255), (170, 85, 0), (0, 170, 170), (85, 255, 85)),
        *((255, 255, 85), (0, 170, 0), (85, 255, 255)),
    ),
}
GREYS = tuple((grey, grey, grey) for grey in (140, 190, 92, 165, 115, 178, 104, 152))
"""What stands for identities where there is no colour at all: neighbours differ most, and none is as dark or as light
as a cell that isn't written yet, on either ground."""
FINE = ("xterm", "greys")
"""Palettes of terminals that have more than 16 tones."""


def rounds(identity: int, palette: str = "xterm") -> int:
    """How often the colours have come to an end before this identity; from 1 on its cells are underlined too."""
    return identity // len(tones(palette))


def tones(palette: str) -> tuple[RGB, ...]:
    """The colours of a palette: one for each of the first identities."""
    return GREYS if palette == "greys" else PALETTES[palette]


@lru_cache(maxsize=512)
def fill(identity: int, palette: str = "xterm") -> RGB:
    """The colour of an identity; after eight they come again in another tone, as far as there are tones."""
    colours = tones(palette)
    again, n = divmod(identity, len(colours))
    if palette != "xterm" or again % 2 == 0:
        return colours[n]
    return toned(colours[n], OTHER_TONE[n])


@lru_cache(maxsize=512)
def shaded(identity: int, shade: int, palette: str = "xterm") -> RGB:
    """A shade of an identity's colour, from 0, the lightest, to SHADES - 1; 16 colours have no shades."""
    if palette != "xterm" or not 0 <= shade < SHADES:
        return fill(identity, palette)
    n = identity % len(XTERM)
    light, dark = LIGHTNESS[n]
    return toned(PALETTES[palette][n], light + (dark - light) * shade / (SHADES - 1))


def toned(colour: RGB, wanted: float) -> RGB:
    """A colour mixed with white or black until its L* is `wanted`."""
    lighter = wanted > lightness(colour)
    least, most = 0.0, 1.0
    for _ in range(12):
        share = (least + most) / 2
        red, green, blue = (round(c + ((255 if lighter else 0) - c) * share) for c in colour)
        if (lightness((red, green, blue)) < wanted) == lighter:
            least = share
        else:
            most = share
    return red, green, blue


def shades_of(place: NDArray[np.int64], length: NDArray[np.int64]) -> list[int]:
    """Shades for (N,) places in sequences of (N,) lengths, the first the lightest; MUTED for places below 0."""
    last = np.maximum(length - 1, 1)
    shades: list[int] = np.where(place < 0, MUTED, (place * (SHADES - 1) + last // 2) // last).tolist()
    return shades


def lightness(colour: RGB) -> float:
    """CIELAB's L*, from 0 to 100."""
    y = luminance(colour)
    return float(116 * y ** (1 / 3) - 16) if y > 216 / 24389 else y * 24389 / 27


def ink(colour: RGB) -> RGB:
    """Black or white, whichever is read better on `colour`."""
    black, white = (0, 0, 0), (255, 255, 255)
    return black if contrast(black, colour) >= contrast(white, colour) else white


@lru_cache(maxsize=512)
def letter(identity: int) -> str:
    """The letters of an identity, as spreadsheets count: A to Z, then AA, AB, ...; "" for -1."""
    text = ""
    n = identity + 1
    while n > 0:
        n, digit = divmod(n - 1, 26)
        text = chr(65 + digit) + text
    return text
