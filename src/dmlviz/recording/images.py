"""`png` and `gif`: stills as pixels, by libraries that not everybody has."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Sequence

from msgspec import Struct

from ..errors import DmlvizError, quote

SCALE = 2
"""Pixels of an image for one of the drawing, so that it is sharp on a wall."""
MOST_PIXELS, MOST_MOVING, MOST_SIDE = 1 << 24, 1 << 21, 1 << 14
"""Pixels of an image, of a GIF's frame, and of the longer side; a larger drawing gets fewer for each of its own."""
MOST_TOGETHER = 1 << 27
"""Pixels of all frames of a GIF, which are in memory together."""
WHOLE, SHORTEST, LONGEST, LAST = 7.0, 0.25, 1.5, 3.0
"""Seconds of all frames of a GIF but the last, of the shortest and of the longest of them, and of the last."""
MOST_RATIO, LEAST_PIXELS, MOST_SIDE_ASKED = 8, 64, 4096
"""How many times as wide as high, or as high as wide, a still may be; pixels of a side that may be asked for."""
EMPTY = '<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32">{}</svg>'


class Size(Struct, frozen=True):
    """The size that stills are asked for in: a ratio, or pixels."""

    across: int
    down: int
    in_pixels: bool

    @staticmethod
    def of(text: str) -> Size:
        """`16:9` or `1920x1080`. Raises DmlvizError for what is neither."""
        parts = re.fullmatch(r"(\d{1,5})([:x])(\d{1,5})", text, re.ASCII) if isinstance(text, str) else None
        if parts is not None:
            size = Size(int(parts[1]), int(parts[3]), parts[2] == "x")
            low, high = sorted((size.across, size.down))
            is_shown = not size.in_pixels or (low >= LEAST_PIXELS and high <= MOST_SIDE_ASKED)
            if low and high <= MOST_RATIO * low and is_shown:
                return size
        raise DmlvizError(
            f"size is {quote(text)}, expected a ratio from 1:{MOST_RATIO} to {MOST_RATIO}:1, such as 16:9, or pixels "
            f"from {LEAST_PIXELS} to {MOST_SIDE_ASKED} a side in such a ratio, such as 1920x1080."
        )


def _missing(name: str, target: str) -> DmlvizError:
    how = f'pip install "dmlviz[{target}]"; svg and html need nothing.'
    return DmlvizError(f"{name} is missing, expected it for {target}: {how}")


def png_of(svg: str, zoom: float | None = None) -> bytes:
    """A still as PNG, the same bytes on one machine, whose fonts it has. Raises DmlvizError without resvg-py.

    `zoom` is pixels for one of the drawing; `SCALE` for None, and less for one that would have too many.
    """
    try:
        import resvg_py
    except ImportError:
        raise _missing("resvg-py", "png") from None
    zoom = zoom_of(*size_of(svg)) if zoom is None else zoom
    try:
        return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=zoom, monospace_family="DejaVu Sans Mono"))
    except ValueError as error:
        raise DmlvizError(f"the picture can't be drawn as png: {error}.") from None


def size_of(svg: str) -> tuple[float, float]:
    """Width and height of a still."""
    sizes = re.search(r'<svg\b[^>]*? width="([\d.]+)" height="([\d.]+)"', svg)
    assert sizes is not None
    return float(sizes[1]), float(sizes[2])


def zoom_of(width: float, height: float, most: int = MOST_PIXELS) -> float:
    """Pixels for one of a drawing of that size, of which there are to be `most` at most."""
    return min(SCALE, math.sqrt(most / (width * height)), MOST_SIDE / max(width, height))


def gif_of(svgs: Sequence[str], zoom: float | None = None) -> bytes:
    """Stills of one size as an animation that begins again after its last frame; how many there are sets the pace.

    Raises DmlvizError without its libraries.
    """
    try:
        from PIL import Image
    except ImportError:
        raise _missing("Pillow", "gif") from None
    zoom = zoom or zoom_of(*size_of(svgs[0]), min(MOST_MOVING, MOST_TOGETHER // len(svgs)))
    pictures = (Image.open(io.BytesIO(png_of(svg, zoom))).convert("RGB") for svg in svgs)
    frames = [picture.quantize(colors=128, dither=Image.Dither.NONE) for picture in pictures]
    each = round(1000 * min(LONGEST, max(SHORTEST, WHOLE / max(len(svgs) - 1, 1))), -1)
    lasts, out = [each] * (len(svgs) - 1) + [1000 * LAST], io.BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:], duration=lasts, loop=0)
    return out.getvalue()


def has_fonts() -> bool:
    """False where this machine lacks the fonts: the image of a letter is that of none."""
    drawn = '<text x="4" y="24" font-family="DejaVu Sans Mono, Consolas, Menlo, monospace">M</text>'
    return len({png_of(EMPTY.format(text), 1) for text in (drawn, "")}) == 2
