"""Capitals, digits and what parts them, three lines high: a code that a room reads and types, and where to do so."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .digits import HIGH

PIXELS: Mapping[str, str] = MappingProxyType(
    {
        "0": ".##. #..# #..# #..# #..# .##.",
        "1": ".#. ##. .#. .#. .#. ###",
        "2": ".##. #..# ...# ..#. .#.. ####",
        "3": "###. ...# .##. ...# ...# ###.",
        "4": "#..# #..# #### ...# ...# ...#",
        "5": "#### #... ###. ...# ...# ###.",
        "6": ".##. #... ###. #..# #..# .##.",
        "7": "#### ...# ..#. ..#. .#.. .#..",
        "8": ".##. #..# .##. #..# #..# .##.",
        "9": ".##. #..# #..# .### ...# .##.",
        "A": ".##. #..# #..# #### #..# #..#",
        "B": "###. #..# ###. #..# #..# ###.",
        "C": ".### #... #... #... #... .###",
        "D": "###. #..# #..# #..# #..# ###.",
        "E": "#### #... ###. #... #... ####",
        "F": "#### #... ###. #... #... #...",
        "G": ".### #... #... #.## #..# .###",
        "H": "#..# #..# #### #..# #..# #..#",
        "J": "..## ...# ...# ...# #..# .##.",
        "K": "#..# #.#. ##.. ##.. #.#. #..#",
        "M": "#...# ##.## #.#.# #.#.# #...# #...#",
        "N": "#...# ##..# #.#.# #.#.# #..## #...#",
        "P": "###. #..# #..# ###. #... #...",
        "Q": ".##. #..# #..# #..# #.#. .#.#",
        "R": "###. #..# #..# ###. #.#. #..#",
        "S": ".### #... .##. ...# ...# ###.",
        "T": "##### ..#.. ..#.. ..#.. ..#.. ..#..",
        "V": "#...# #...# #...# .#.#. .#.#. ..#..",
        "W": "#...# #...# #.#.# #.#.# ##.## #...#",
        "X": "#...# .#.#. ..#.. ..#.. .#.#. #...#",
        "Y": "#...# .#.#. ..#.. ..#.. ..#.. ..#..",
        "Z": "#### ...# ..#. .#.. #... ####",
        ".": ". . . . . #",
        ":": ". # . . # .",
        " ": ".. .. .. .. .. ..",
    }
)
"""Six rows of each: half blocks are squares."""
BLOCKS = {("#", "#"): "█", ("#", "."): "▀", (".", "#"): "▄", (".", "."): " "}


def large_lines(text: str) -> tuple[str, ...] | None:
    """The lines of a text, all alike wide; None for one with a character that isn't drawn so."""
    if not text or any(char not in PIXELS for char in text):
        return None
    glyphs = [PIXELS[char].split(" ") for char in text]
    pairs = [(2 * line, 2 * line + 1) for line in range(HIGH)]
    return tuple(
        " ".join("".join(BLOCKS[each] for each in zip(glyph[up], glyph[down], strict=True)) for glyph in glyphs)
        for up, down in pairs
    )
