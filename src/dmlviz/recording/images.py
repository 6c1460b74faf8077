"""`png` and `gif`: stills as pixels, by libraries that not everybody has."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from msgspec import Struct

from ..errors import DmlvizError, quote

SCALE = 2
"""Pixels of an image for one of the drawing, so that it is sharp on a wall."""
MOST_PIXELS, MOST_MOVING, MOST_SIDE = 1 << 24, 1 << 21, 1 << 14
"""Pixels of an image, of a GIF's frame, and of the longer side; a larger drawing gets fewer for each of its own."""
WHOLE, SHORTEST, LONGEST, LAST = 7.0, 0.25, 1.5, 3.0
"""Seconds of all frames of a GIF but the last, of the shortest and of the longest of them, and of the last."""
MOST_TOGETHER = 1 << 27
"""Pixels of all frames of a GIF, which are in memory together."""
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

    def fitted(self, svg: str) -> str:
        """A still of this size: with more ground around it, all of it is in the middle."""
        width, height = size_of(svg)
        wide = max(width, height * self.across / self.down)
        high = wide * self.down / self.across
        shown = (self.across, self.down) if self.in_pixels else (wide, high)
        left, top, *sizes = (f"{round(n, 2):g}" for n in ((width - wide) / 2, (height - high) / 2, wide, high, *shown))
        root = f'width="{sizes[2]}" height="{sizes[3]}" viewBox="{left} {top} {sizes[0]} {sizes[1]}"'
        svg = re.sub(r'width="[\d.]+" height="[\d.]+" viewBox="[^"]*"', root, svg, count=1)
        return svg.replace('<rect width="100%"', f'<rect x="{left}" y="{top}" width="100%"', 1)

    @property
    def zoom(self) -> float | None:
        """Pixels of an image for one of a still of this size; None for as many as there may be."""
        return 1 if self.in_pixels else None


def _resvg() -> Any:
    """The resvg_py package, imported now. Raises DmlvizError where it isn't installed."""
    try:
        import resvg_py
    except ImportError:
        raise DmlvizError(
            'resvg-py is missing, expected it for png and gif: pip install "dmlviz[png]"; svg and html need nothing.'
        ) from None
    return resvg_py


def _pillow() -> Any:
    """Pillow's Image, imported now. Raises DmlvizError where it isn't installed."""
    try:
        from PIL import Image
    except ImportError:
        raise DmlvizError(
            'Pillow is missing, expected it for gif: pip install "dmlviz[gif]"; svg and html need nothing.'
        ) from None
    return Image


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


def gif_of(still: Callable[[int], str], steps: Sequence[int], *, zoom: float | None = None) -> bytes:
    """Stills as an animation that begins again after its last frame. Raises DmlvizError without its libraries.

    How many there are sets the pace, and the last frame stays for `LAST`. A frame has at most `MOST_MOVING` pixels, and
    of sizes that aren't asked for all together at most `MOST_TOGETHER`; a still is made once for its size, and once
    more for its pixels.
    """
    image = _pillow()
    _resvg()  # before any work
    sizes = [size_of(still(step)) for step in steps]
    width, height = (max(size[d] for size in sizes) for d in (0, 1))
    most = MOST_MOVING if zoom else min(MOST_MOVING, MOST_TOGETHER // len(steps))
    zoom = min(zoom or SCALE, zoom_of(width, height, most))
    canvas = math.ceil(width * zoom), math.ceil(height * zoom)

    def frames() -> Iterator[Any]:
        for step in steps:
            frame = image.new("RGB", canvas, "#ffffff")
            frame.paste(image.open(io.BytesIO(png_of(still(step), zoom))).convert("RGB"), (0, 0))
            yield frame.quantize(colors=128, dither=image.Dither.NONE)

    out, every, ends = io.BytesIO(), frames(), [0, *_ends(len(steps))]
    lasts = [10 * (end - start) for start, end in pairwise(ends)]
    next(every).save(out, "GIF", save_all=True, append_images=every, duration=lasts, loop=0)
    return out.getvalue()


def _ends(frames: int) -> list[int]:
    """When each frame of a GIF ends, in hundredths of a second."""
    others = frames - 1
    each = min(LONGEST, max(SHORTEST, WHOLE / max(others, 1)))
    return [*(round(100 * each * (n + 1)) for n in range(others)), round(100 * (each * others + LAST))]


def has_fonts() -> bool:
    """False where this machine lacks the fonts: the image of a letter is that of none."""
    drawn = '<text x="4" y="24" font-family="DejaVu Sans Mono, Consolas, Menlo, monospace">M</text>'
    return len({png_of(EMPTY.format(text), 1) for text in (drawn, "")}) == 2
