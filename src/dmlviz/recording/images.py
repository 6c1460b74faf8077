"""`png` and `gif`: stills as pixels, by libraries that not everybody has."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from types import ModuleType

from ..errors import DmlvizError

SCALE = 2
"""Pixels of an image for one of the drawing, so that it is sharp on a wall."""
WHOLE, SHORTEST, LONGEST, LAST = 7000, 250, 1500, 3000
"""Milliseconds of all frames of a GIF but the last, of the shortest and of the longest of them, and of the last."""


def _resvg() -> ModuleType:
    """The resvg_py package, imported now. Raises DmlvizError where it isn't installed."""
    try:
        import resvg_py
    except ImportError:
        raise DmlvizError(
            'resvg-py is missing, expected it for png and gif: pip install "dmlviz[png]"; svg and html need nothing.'
        ) from None
    return resvg_py


def _pillow() -> ModuleType:
    """Pillow's Image module, imported now. Raises DmlvizError where it isn't installed."""
    try:
        from PIL import Image
    except ImportError:
        raise DmlvizError(
            'Pillow is missing, expected it for gif: pip install "dmlviz[gif]"; svg and html need nothing.'
        ) from None
    return Image  # type: ignore[no-any-return]  # so is this


def png_of(svg: str) -> bytes:
    """A still as PNG, the same bytes on one machine, whose fonts it has. Raises DmlvizError without resvg-py."""
    library = _resvg()
    try:
        made = library.svg_to_bytes(svg_string=svg, zoom=SCALE, monospace_family="DejaVu Sans Mono")
    except ValueError as error:
        raise DmlvizError(f"the picture can't be drawn as png: {error}.") from None
    return bytes(made)


def gif_of(stills: Sequence[str]) -> bytes:
    """Stills as an animation that is played once and holds its last frame. Raises DmlvizError without its libraries."""
    image = _pillow()
    frames = [image.open(io.BytesIO(png_of(each))).convert("RGB") for each in stills]
    width, height = (max(frame.size[d] for frame in frames) for d in (0, 1))
    padded = []
    for frame in frames:
        whole = image.new("RGB", (width, height), "#ffffff")
        whole.paste(frame, (0, 0))
        padded.append(whole.quantize(colors=128, dither=image.Dither.NONE))
    out = io.BytesIO()
    others = len(padded) - 1
    durations = [min(LONGEST, max(SHORTEST, WHOLE // max(others, 1)))] * others + [LAST]
    # Without `loop` a viewer plays it once and holds the last frame.
    padded[0].save(out, "GIF", save_all=True, append_images=padded[1:], duration=durations, disposal=1, optimize=False)
    return out.getvalue()


def has_fonts(svg: str) -> bool:
    """False where no text is drawn because this machine lacks the fonts: the image is that of no text at all."""
    return png_of(svg) != png_of(re.sub(r"(?s)<text\b.*?</text>", "", svg))
