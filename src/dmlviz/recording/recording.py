"""Records a session: what the formats are, which steps of which experiments, and the files that come of it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct

from ..errors import DmlvizError, quote
from ..exporters.lib.exporting import only
from ..exporters.lib.writing import Export, require_place, stem_of, write_several
from ..scene.steps.order import UNITS
from ..session.experiments import Session
from ..stopping import checkpoint
from ..teaching.lessons.lessons import lesson_of
from .images import MOST_MOVING, Size, gif_of, has_fonts, png_of
from .page import html_page, page_of
from .pictures import MOST_STEPS
from .stills import Stills
from .tasks import WITH_FORM, Exercise, exercises_of

FORMATS = ("html", "svg", "png", "gif")
"""One page; a still a step, as a drawing or as pixels; an animation of all that are recorded."""


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


PAGE = "one page with every step and task, which opens anywhere and loads nothing"
PICTURE = "the picture with everything written, for slides; dmlviz record makes one of each step"
RECORDINGS: Mapping[str, Recorder] = MappingProxyType(
    {"html": Recorder(PAGE, ".html", "a page for a browser"), "svg": Recorder(PICTURE, ".svg", "a picture")}
)
"""What each is called in the export dialog, and what makes it."""


def steps_of(text: str | None) -> tuple[int, int | None]:
    """`A:B`, `A:`, `:B` or one step as (first, last), both included; None for no last one. Raises DmlvizError."""
    if text is None:
        return 0, None
    one, bounds = (re.fullmatch(how, text, re.ASCII) for how in (r"\d{1,9}", r"(\d{0,9}):(\d{0,9})"))
    if one is None and (bounds is None or text == ":"):
        raise DmlvizError(f"steps is {quote(text)}, expected A:B, the first step and the last, such as 0:6.")
    first, last = bounds.groups() if bounds is not None else (text, text)
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
    if wanted not in ("", *FORMATS):
        ends = ", ".join(f".{suffix}" for suffix in FORMATS)
        raise DmlvizError(f"{name} is {quote(path)}, expected a name that ends with one of {ends}.")
    if to in FORMATS and wanted not in ("", to):
        raise DmlvizError(
            f"{name} is {quote(path)}, expected a name that ends with .{to}, the format that is asked for."
        )
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

    `say` is told, in a sentence each, which tasks nobody can answer on it and why, but for those that need the form,
    where steps are by another unit than `unit`, and where this machine has no font for pixels. `unit` is one of
    `UNITS`, `size` is as `Size.of` reads it. Raises DmlvizError, for a missing library too.
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
    for one in every:
        for said in _remarks(one, unit):
            say(f"experiment {quote(one.home.name, 40)}: {said}")
    if to == "html":
        return [Recording("", page_of(chosen, every, bare=bare))]
    files: list[Recording] = []
    for number, one in enumerate(every, 1):
        named = f"-{number}" if len(every) > 1 else ""
        files += _files(Stills.of(one, bare=bare), to, _range(one, *bounds), named, frame)
    if to != "svg" and not has_fonts():
        say("this machine has none of the fonts DejaVu Sans Mono, Consolas or Menlo: no text is in the pictures.")
    return [Recording("", files[0].content)] if len(files) == 1 else files


def _remarks(one: Exercise, unit: str | None) -> Iterator[str]:
    """What its author is told: that its task is left out, or that its steps by a unit would be too many."""
    task, picture = one.task, one.picture
    kind = task.question.kind if task is not None and task.question is not None else None
    if task is not None and task.reason and not (kind and (kind.of_chains or kind.form.name in WITH_FORM)):
        yield task.reason
    if unit is not None and picture is not None and picture.steps.unit != unit:
        yield f"by {unit} there are more than {MOST_STEPS} steps, so its steps are by {picture.steps.unit}."


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
