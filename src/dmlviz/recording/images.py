"""`png` and `gif`: stills as pixels, by libraries that not everybody has."""

from __future__ import annotations

import io
import math
import re
import struct
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import DmlvizError

SCALE = 2
"""Pixels of an image for one of the drawing, so that it is sharp on a wall."""
MOST_PIXELS, MOST_MOVING, MOST_SIDE = 1 << 24, 1 << 21, 1 << 14
"""Pixels of an image, of a GIF's frame, and of the longer side; a larger drawing gets fewer for each of its own."""
WHOLE, SHORTEST, LONGEST, LAST = 7000, 250, 1500, 3000
"""Milliseconds of all frames of a GIF but the last, of the shortest and of the longest of them, and of the last."""

NO_CHARACTER = "\U0010fffe"
"""A code point that never becomes a character, unlike U+FFFF one that XML may hold."""


def _resvg() -> Any:
    """The resvg_py package, imported now. Raises DmlvizError where it isn't installed."""
    try:
        import resvg_py
    except ImportError:
        raise DmlvizError(
            'resvg-py is missing, expected it for png and gif: pip install "dmlviz[png]"; svg and html need nothing.'
        ) from None
    return resvg_py


def _pillow() -> tuple[Any, Any, Any]:
    """Pillow's Image, ImageChops and GifImagePlugin, imported now. Raises DmlvizError where it isn't installed."""
    try:
        from PIL import GifImagePlugin, Image, ImageChops
    except ImportError:
        raise DmlvizError(
            'Pillow is missing, expected it for gif: pip install "dmlviz[gif]"; svg and html need nothing.'
        ) from None
    return Image, ImageChops, GifImagePlugin


def png_of(svg: str, zoom: float | None = None) -> bytes:
    """A still as PNG, the same bytes on one machine, whose fonts it has. Raises DmlvizError without resvg-py.

    `zoom` is pixels for one of the drawing; `SCALE` for None, and less for one that would have too many.
    """
    library = _resvg()
    zoom = zoom_of(*size_of(svg)) if zoom is None else zoom
    try:
        png = library.svg_to_bytes(svg_string=svg, zoom=zoom, monospace_family="DejaVu Sans Mono")
    except ValueError as error:
        raise DmlvizError(f"the picture can't be drawn as png: {error}.") from None
    return bytes(png)


def size_of(svg: str) -> tuple[float, float]:
    """Width and height of a still."""
    sizes = re.search(r'<svg\b[^>]*? width="([\d.]+)" height="([\d.]+)"', svg)
    assert sizes is not None
    return float(sizes[1]), float(sizes[2])


def zoom_of(width: float, height: float, most: int = MOST_PIXELS) -> float:
    """Pixels for one of a drawing of that size, of which there are to be `most` at most."""
    return min(SCALE, math.sqrt(most / (width * height)), MOST_SIDE / max(width, height))


def gif_of(still: Callable[[int], str], steps: Sequence[int]) -> bytes:
    """Stills as an animation that is played once and holds its last frame. Raises DmlvizError without its libraries.

    Two frames are in memory at a time, of at most `MOST_MOVING` pixels: a still is made once for its size, and once
    more for its pixels.
    """
    image, differing, encoder = _pillow()
    _resvg()  # before any work
    sizes = [size_of(still(step)) for step in steps]
    width, height = (max(size[d] for size in sizes) for d in (0, 1))
    zoom = zoom_of(width, height, MOST_MOVING)
    canvas = math.ceil(width * zoom), math.ceil(height * zoom)
    others = len(steps) - 1
    out = io.BytesIO()
    # Pillow's own writer keeps all frames. Without an extension that says so, a viewer plays them once.
    out.write(struct.pack("<6sHHBBB", b"GIF89a", *canvas, 0, 0, 0))
    before = None
    for number, step in enumerate(steps):
        frame = image.new("RGB", canvas, "#ffffff")
        frame.paste(image.open(io.BytesIO(png_of(still(step), zoom))).convert("RGB"), (0, 0))
        changed = (0, 0, *canvas) if before is None else differing.difference(before, frame).getbbox()
        left, top, right, bottom = changed or (0, 0, 1, 1)
        piece = frame.crop((left, top, right, bottom)).quantize(colors=128, dither=image.Dither.NONE)
        lasts = LAST if number == others else min(LONGEST, max(SHORTEST, WHOLE // others))
        for block in encoder.getdata(piece, (left, top), duration=lasts, disposal=1, include_color_table=True):
            out.write(block)
        before = frame
    out.write(b";")
    return out.getvalue()


def has_fonts(svg: str) -> bool:
    """False where no text is drawn because this machine lacks the fonts: the image is that of no text at all."""
    return png_of(svg) != png_of(re.sub(r"(?s)<text\b.*?</text>", "", svg))


def without_glyph(text: str) -> str:
    """The characters that this machine draws as if it had no glyph; each once. Raises DmlvizError without resvg-py."""
    asked = [char for char in dict.fromkeys(text) if not char.isascii() and char.isprintable()]
    if not asked:
        return ""
    none = _glyph(NO_CHARACTER)
    return "".join(char for char in asked if _glyph(char) == none)


def _glyph(char: str) -> bytes:
    """The pixels of a character alone."""
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32">'
        f'<text x="4" y="24" font-family="DejaVu Sans Mono, monospace" font-size="16">{char}</text></svg>'
    )
    return png_of(svg, 1)
