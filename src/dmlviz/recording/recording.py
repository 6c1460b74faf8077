"""Records a session: what the formats are, which steps of which experiments, and the files that come of it."""

from __future__ import annotations

import io
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from ..errors import DmlvizError, quote
from ..exporters.lib.exporting import only
from ..exporters.lib.writing import Export, require_place, stem_of, write_several
from ..scene.steps.order import UNITS
from ..session.experiments import Session
from ..stopping import checkpoint
from ..teaching.lessons.lessons import lesson_of
from .page import html_page, page_of
from .stills import Size, Stills
from .tasks import Exercise, exercises_of

FORMATS = ("html", "svg", "png", "gif")
"""One page; a still a step, as a drawing or as pixels; an animation of all that are recorded."""
SCALE = 2
"""Pixels of an image for one of the drawing, so that it is sharp on a wall."""
MOST_PIXELS, MOST_MOVING, MOST_SIDE = 1 << 24, 1 << 21, 1 << 14
"""Pixels of an image, of a GIF's frame, and of the longer side; a larger drawing gets fewer for each of its own."""
MOST_TOGETHER = 1 << 27
"""Pixels of all frames of a GIF, which are in memory together."""
WHOLE, SHORTEST, LONGEST, LAST = 7.0, 0.25, 1.5, 3.0
"""Seconds of all frames of a GIF but the last, of the shortest and of the longest of them, and of the last."""
EMPTY = '<svg xmlns="http://www.w3.org/2000/svg" width="32" height="32">{}</svg>'


class Recording(Struct, frozen=True):
    """One file that was recorded."""

    name: str
    """What stands behind the output's own name: `-2-step-003`; "" where there is one file alone."""
    content: str | bytes


class Recorder(Struct):
    """A format as the export dialog lists it; nobody reads the text of what it makes."""

    ABOUT: str
    SUFFIX: str
    IS: str
    """What the file is."""
    RUNS: bool = False

    def export(self, session: Session, stem: str) -> Export:
        """The session's page, or one experiment's picture. Raises DmlvizError for a picture of several."""
        if self.SUFFIX == ".html":
            return Export(html_page(session).encode())
        if (count := len(session.experiments)) != 1:
            raise DmlvizError(f"the session has {count} experiments, expected one for svg: w chooses it alone.")
        # An example's own task may ask about a changed desc, and nobody has asked for that picture.
        (one,) = exercises_of(session, bare=lesson_of(session) is None)
        return Export(Stills.of(one).svg(one.count).encode())


RECORDINGS: Mapping[str, Recorder] = {
    "html": Recorder(
        ABOUT="one page with every step and task, which opens anywhere and loads nothing",
        SUFFIX=".html",
        IS="a page for a browser",
    ),
    "svg": Recorder(
        ABOUT="the picture with everything written, for slides; dmlviz record makes one of each step",
        SUFFIX=".svg",
        IS="a picture",
    ),
}
"""What each is called in the export dialog, and what makes it."""


def steps_of(text: str | None) -> tuple[int, int | None]:
    """`A:B`, `A:`, `:B` or one step as (first, last), both included; None for no last one. Raises DmlvizError."""
    if text is None:
        return 0, None
    bounds = re.fullmatch(r"(\d{0,9}):(\d{0,9})|\d{1,9}", text, re.ASCII)
    if bounds is None:
        raise DmlvizError(f"steps is {quote(text)}, expected A:B, the first step and the last, such as 0:6.")
    first, last = bounds.groups() if ":" in text else (text, text)
    if last and int(first or 0) > int(last):
        raise DmlvizError(f"steps is {quote(text)}, expected the first step not behind the last.")
    return int(first or 0), int(last) if last else None


def format_of(to: str | None, output: str | os.PathLike[str] | None, name: str = "output") -> str:
    """The format that is asked for: `to`, else what `output` ends with, else `html`; `name` is what output is called.

    Raises DmlvizError for a name that ends like no format, or like another one than `to`, or like a folder's.
    """
    if output is None:
        return to or "html"
    stem_of(output)  # raises for what is no path
    path = os.fsdecode(output)
    if path.endswith(("/", os.sep)):
        raise DmlvizError(f"{name} is {quote(path)}, expected a file to write.")
    wanted = Path(path).suffix.removeprefix(".").lower()
    fitting = [to] if to in FORMATS else FORMATS
    if wanted not in ("", *fitting):
        ends = " or ".join(f".{suffix}" for suffix in fitting)
        raise DmlvizError(f"{name} is {quote(path)}, expected a name that ends with {ends}.")
    return to or wanted or "html"


def record(
    session: Session,
    to: str,
    *,
    experiment: str | None = None,
    steps: str | None = None,
    bare: bool = False,
    size: str | None = None,
    unit: str | None = None,
    say: Callable[[str], object] = str,
) -> list[Recording]:
    """The files that a recording consists of, from the session alone: the same session gives the same.

    `say` is told where this machine has no font for pixels. `unit` is one of `UNITS`, and a larger one is taken where
    steps would be too many; `size` is as `Size.of` reads it. Raises DmlvizError, for a missing library too.
    """
    if to not in FORMATS:
        raise DmlvizError(f"to is {quote(to)}, expected one of {', '.join(FORMATS)}.")
    if unit not in (None, *UNITS):
        raise DmlvizError(f"unit is {quote(unit)}, expected one of {', '.join(UNITS)}.")
    bounds, chosen = steps_of(steps), only(session, experiment)
    for given, value, instead in (("steps", steps, "has all of them"), ("size", size, "takes the size of its window")):
        if to == "html" and value is not None:
            raise DmlvizError(f"{given} is given, expected none for html, which {instead}.")
    frame = Size.of(size) if size is not None else None
    if to == "gif" and frame is not None and frame.in_pixels and frame.across * frame.down > MOST_MOVING:
        raise DmlvizError(f"size is {quote(size)}, expected at most {MOST_MOVING:,} pixels for gif, such as 1920x1080.")
    every = exercises_of(chosen, bare=bare, unit=unit or "")
    if to == "html":
        return [Recording("", page_of(chosen, every, bare=bare))]
    files: list[Recording] = []
    for number, one in enumerate(every, 1):
        named = f"-{number}" if len(every) > 1 else ""
        files += _files(Stills.of(one, bare=bare), to, _range(one, *bounds), named, frame)
    if to != "svg" and not has_fonts():
        say("this machine has none of the fonts DejaVu Sans Mono, Consolas or Menlo: no text is in the pictures.")
    return [Recording("", files[0].content)] if len(files) == 1 else files


def _files(stills: Stills, to: str, steps: range, named: str, size: Size | None) -> Iterator[Recording]:
    """An experiment's stills, or its animation."""

    zoom = 1 if size is not None and size.in_pixels else None
    svgs = []
    for step in steps:
        checkpoint()
        svgs.append(stills.svg(step, size))
    if to == "gif":
        yield Recording(named, gif_of(svgs, zoom))
        return
    for step, svg in zip(steps, svgs, strict=True):
        yield Recording(f"{named}-step-{step:03}", svg if to == "svg" else png_of(svg, zoom))


def _range(one: Exercise, first: int, last: int | None) -> range:
    """The steps that are recorded. Raises DmlvizError for one that there isn't."""
    for step in (first, last or 0):
        if step > one.count:
            raise DmlvizError(f"steps has {step}, expected 0 to {one.count}, the steps of {quote(one.name, 40)}.")
    return range(first, (one.count if last is None else last) + 1)


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


def save_recording(files: Sequence[Recording], output: str | os.PathLike[str], *, unless: str = "") -> list[Path]:
    """Writes a recording's files, all or none: `output` itself if it is one, and names that begin like it if more.

    Nothing is replaced where `unless` names what would allow that. Raises SessionError where it can't be done.
    """
    stem_of(output)  # raises for what is no path
    path = Path(output)
    require_place(path)  # names that begin like a folder's would lie beside it
    targets = [path if not file.name else path.parent / f"{path.stem}{file.name}{path.suffix}" for file in files]
    contents = (file.content.encode() if isinstance(file.content, str) else file.content for file in files)
    write_several([*zip(targets, contents, strict=True)], unless=unless)
    return targets
