"""Records a session: the formats, which steps of which experiments, and the files that come of it."""

from __future__ import annotations

import io
import math
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from ..errors import DmlvizError, quote
from ..exporters.lib.exporting import only
from ..exporters.lib.writing import require_place, stem_of, write_several
from ..session.experiments import Session
from ..stopping import checkpoint
from .page import page_of
from .stills import Stills, ratio_of
from .tasks import exercises_of

FORMATS = ("html", "svg", "png", "gif")
"""One page; a still a step, as a drawing or as pixels; an animation of all that are recorded."""
SCALE = 2
"""Pixels of an image for one of the drawing, so that it is sharp on a wall."""
MOST_PIXELS, MOST_SIDE = 1 << 24, 1 << 14
"""Pixels of an image and of its longer side; a larger drawing gets fewer for each of its own."""
MOST_MOVING, MOST_TOGETHER = 1 << 21, 1 << 27
"""Pixels of a GIF's frame, and of all its frames, which are in memory together."""
PACE, LAST = 900, 3000
"""Milliseconds of each frame of a GIF, and of the last."""
EMPTY = '<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32">{}</svg>'


class Recording(Struct, frozen=True):
    name: str
    """What stands behind the output's own name: `-2-step-003`; "" where there is one file alone."""
    content: str | bytes


def steps_of(text: str | None, count: int) -> range:
    """`A:B`, both included, or one step, of 0 to `count`; all for None. Raises DmlvizError."""
    parts = re.fullmatch(r"(\d{1,4})(?::(\d{1,4}))?", f"0:{count}" if text is None else text, re.ASCII)
    first, last = (int(parts[1]), int(parts[2] or parts[1])) if parts is not None else (1, 0)
    if not first <= last <= count:
        raise DmlvizError(f"steps is {quote(text)}, expected A:B or one step, of 0 to {count}.")
    return range(first, last + 1)


def format_of(to: str | None, output: str | os.PathLike[str] | None, name: str = "output") -> str:
    """The format asked for: `to`, else what `output`, called `name`, ends with, else `html`. Raises DmlvizError."""
    if output is None:
        return to or "html"
    stem_of(output)  # raises for what is no path
    path = os.fsdecode(output)
    ending = Path(path).suffix.removeprefix(".").lower()
    fitting = [to] if to in FORMATS else FORMATS
    if path.endswith(("/", os.sep)) or ending not in ("", *fitting):
        ends = " or ".join(f".{suffix}" for suffix in fitting)
        raise DmlvizError(f"{name} is {quote(path)}, expected a file to write whose name ends with {ends}.")
    return to or ending or "html"


def record(
    session: Session,
    to: str,
    *,
    experiment: str | None = None,
    steps: str | None = None,
    size: str | None = None,
    say: Callable[[str], object] = str,
) -> list[Recording]:
    """The files that a recording consists of, from the session alone: the same session gives the same.

    `say` is told where this machine has no font for pixels; `size` is as `ratio_of` reads it. Raises DmlvizError.
    """
    if to not in FORMATS:
        raise DmlvizError(f"to is {quote(to)}, expected one of {', '.join(FORMATS)}.")
    ratio = ratio_of(size)
    chosen = only(session, experiment)
    every = exercises_of(chosen)
    if to == "html":
        if steps is not None or size is not None:
            raise DmlvizError("steps or size is given, expected none for html: it has all, in its window's size.")
        return [Recording("", page_of(chosen, every))]
    files: list[Recording] = []
    for number, one in enumerate(every, 1):
        named = f"-{number}" if len(every) > 1 else ""
        stills = Stills(one)
        svgs = dict[int, str]()
        for step in steps_of(steps, one.count):
            checkpoint()
            svgs[step] = stills.svg(step, ratio)
        if to == "gif":
            files.append(Recording(named, gif_of([*svgs.values()])))
            continue
        for step, svg in svgs.items():
            files.append(Recording(f"{named}-step-{step:03}", svg if to == "svg" else png_of(svg)))
    if to != "svg" and not has_fonts():
        say("this machine has none of the fonts DejaVu Sans Mono, Consolas or Menlo: no text is in the pictures.")
    return [Recording("", files[0].content)] if len(files) == 1 else files


def png_of(svg: str, most: int = MOST_PIXELS) -> bytes:
    """A still as PNG of at most so many pixels, by this machine's fonts. Raises DmlvizError without resvg-py."""
    try:
        import resvg_py
    except ImportError:
        raise DmlvizError("png needs resvg-py: `.venv/bin/pip install '.[png]'` installs it.") from None
    width, height = size_of(svg)
    zoom = min(SCALE, math.sqrt(most / (width * height)), MOST_SIDE / max(width, height))
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=zoom, monospace_family="DejaVu Sans Mono"))


def size_of(svg: str) -> tuple[float, float]:
    sizes = re.search(r' width="([\d.]+)" height="([\d.]+)"', svg)
    assert sizes is not None
    return float(sizes[1]), float(sizes[2])


def gif_of(svgs: Sequence[str]) -> bytes:
    """Stills of one size as an animation that begins again. Raises DmlvizError without its libraries."""
    try:
        from PIL import Image
    except ImportError:
        raise DmlvizError("gif needs Pillow: `.venv/bin/pip install '.[gif]'` installs it.") from None
    most = min(MOST_MOVING, MOST_TOGETHER // len(svgs))
    pictures = (Image.open(io.BytesIO(png_of(svg, most))).convert("RGB") for svg in svgs)
    frames = [picture.quantize(colors=128, dither=Image.Dither.NONE) for picture in pictures]
    lasts = [PACE] * (len(svgs) - 1) + [LAST]
    out = io.BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:], duration=lasts, loop=0)
    return out.getvalue()


def has_fonts() -> bool:
    """False where this machine lacks the fonts: the image of a letter is that of none."""
    drawn = '<text x="4" y="24" font-family="DejaVu Sans Mono, Consolas, Menlo, monospace">M</text>'
    return len({png_of(EMPTY.format(text)) for text in (drawn, "")}) == 2


def save_recording(files: Sequence[Recording], output: str | os.PathLike[str], *, unless: str = "") -> list[Path]:
    """Writes all files or none; nothing is replaced where `unless` names what would allow it. Raises SessionError."""
    path = Path(output)
    require_place(path)  # names that begin like a folder's would lie beside it
    targets = [path if not file.name else path.parent / f"{path.stem}{file.name}{path.suffix}" for file in files]
    contents = (file.content.encode() if isinstance(file.content, str) else file.content for file in files)
    write_several([*zip(targets, contents, strict=True)], unless=unless)
    return targets
