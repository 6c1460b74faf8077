"""QR codes as rows of dark and light modules, by the segno package, which not everybody has: its one import."""

from __future__ import annotations

from functools import lru_cache

QUIET = 2
"""Light modules around a code, at least: the norm has 4, and readers on phones were measured to do with 2."""
Rows = tuple[tuple[bool, ...], ...]


@lru_cache(maxsize=16)
def qr_rows(text: str, level: str = "m") -> Rows | None:
    """The modules of a QR code, True for dark, without a border; None where segno isn't installed.

    `level` is how much of it may be covered: "l" for 7 %, "m" for 15 %. A better one is taken where it needs no room.
    """
    try:
        import segno
    except ImportError:
        return None
    return tuple(tuple(map(bool, row)) for row in segno.make(text, error=level, micro=False).matrix)


def bordered(rows: Rows, border: int = QUIET) -> Rows:
    """A code with light modules around it."""
    width = len(rows[0]) + 2 * border
    edge = ((False,) * width,) * border
    side = (False,) * border
    return (*edge, *((*side, *row, *side) for row in rows), *edge)
