"""QR codes as rows of dark and light modules, by the segno package, which not everybody has: its one import."""

from __future__ import annotations

from functools import lru_cache

QUIET = 2
"""Light modules around a code, at least: the norm has 4, and readers on phones were measured to do with 2."""
Rows = tuple[tuple[bool, ...], ...]


@lru_cache(maxsize=64)
def qr_rows(text: str, level: str = "m", border: int = 0) -> Rows | None:
    """The modules of a QR code, True for dark, with a border of light ones; None where segno isn't installed.

    `level` is how much of it may be covered: "l" for 7 %, "m" for 15 %. A better one is taken where it needs no room.
    """
    try:
        import segno
    except ImportError:
        return None
    code = segno.make(text, error=level, micro=False)
    return tuple(tuple(map(bool, row)) for row in code.matrix_iter(border=border))
