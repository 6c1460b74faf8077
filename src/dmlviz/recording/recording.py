"""Records a session: what the formats are, which steps of which experiments, and the files that come of it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from ..errors import DmlvizError, quote
from ..exporters.lib.exporting import only
from ..exporters.lib.writing import require_place, stem_of, write_several
from ..scene.steps.order import UNITS
from ..session.experiments import Session
from ..stopping import checkpoint
from .images import MOST_MOVING, Size, gif_of, has_fonts, png_of
from .page import page_of
from .pictures import MOST_STEPS
from .stills import Stills
from .tasks import WITH_FORM, Exercise, Unasked, exercises_of

FORMATS = ("html", "svg", "png", "gif")
"""One page; a still a step, as a drawing or as pixels; an animation of all that are recorded."""


class Recording(Struct, frozen=True):
    """One file that was recorded."""

    name: str
    """What stands behind the output's own name: `-2-step-003`; "" where there is one file alone."""
    content: str | bytes


def steps_of(text: str | None) -> tuple[int | None, int | None]:
    """`A:B`, `A:`, `:B` or one step as (first, last), both included; None for no bound. Raises DmlvizError."""
    if text is None:
        return None, None
    bounds = re.fullmatch(r"(\d{0,9})(:?)(\d{0,9})", text, re.ASCII) if isinstance(text, str) else None
    if bounds is None or not (bounds[1] or bounds[2]) or (bounds[3] and not bounds[2]):
        raise DmlvizError(f"steps is {quote(text)}, expected A:B, the first step and the last, such as 0:6.")
    first = int(bounds[1]) if bounds[1] else None
    last = int(bounds[3]) if bounds[3] else None if bounds[2] else first
    if first is not None and last is not None and first > last:
        raise DmlvizError(f"steps is {quote(text)}, expected the first step not behind the last.")
    return first, last


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
    where steps are by another unit than `unit`, and where this machine has no font for pixels.

    `unit` is one of `UNITS`, by default each experiment's own; `size` is that of stills and animations, see `Size`.

    Raises DmlvizError for a format, an experiment, a step, a unit or a size that there isn't, and where a library is
    missing.
    """
    if to not in FORMATS:
        raise DmlvizError(f"to is {quote(to)}, expected one of {', '.join(FORMATS)}.")
    if unit not in (None, *UNITS):
        raise DmlvizError(f"unit is {quote(unit)}, expected one of {', '.join(UNITS)}.")
    bounds = steps_of(steps)
    chosen = only(session, experiment)
    if to == "html" and steps is not None:
        raise DmlvizError("steps is given, expected none for html, which has all of them.")
    if to == "html" and size is not None:
        raise DmlvizError("size is given, expected none for html, which takes the size of its window.")
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
        files += _files(Stills.of(one, bare=bare), to, _range(one, bounds), named, frame)
    if to != "svg" and not has_fonts():
        say("this machine has none of the fonts DejaVu Sans Mono, Consolas or Menlo: no text is in the pictures.")
    return [Recording("", files[0].content)] if len(files) == 1 else files


def _remarks(one: Exercise, unit: str | None) -> Iterator[str]:
    """What its author is told: that its task is left out, or that its steps by a unit would be too many."""
    task, picture = one.task, one.shown.picture
    kind = task.question.kind if isinstance(task, Unasked) and task.question is not None else None
    if isinstance(task, Unasked) and not (kind is not None and (kind.of_chains or kind.form.name in WITH_FORM)):
        yield task.reason
    if unit is not None and picture is not None and picture.steps.unit != unit:
        yield f"by {unit} there are more than {MOST_STEPS} steps, so its steps are by {picture.steps.unit}."


def _files(stills: Stills, to: str, steps: range, named: str, frame: Size | None) -> Iterator[Recording]:
    """An experiment's stills, or its animation."""

    def still(step: int) -> str:
        checkpoint()
        return stills.svg(step) if frame is None else frame.fitted(stills.svg(step))

    zoom = frame.zoom if frame is not None else None
    if to == "gif":
        yield Recording(named, gif_of(still, steps, zoom=zoom))
        return
    for step in steps:
        yield Recording(f"{named}-step-{step:03}", still(step) if to == "svg" else png_of(still(step), zoom))


def _range(one: Exercise, bounds: tuple[int | None, int | None]) -> range:
    """The steps that are recorded: without bounds all. Raises DmlvizError for one that there isn't."""
    count = one.count
    first, last = bounds[0] or 0, count if bounds[1] is None else bounds[1]
    for step in (first, last):
        if step > count:
            name = quote(one.shown.name, 40)
            raise DmlvizError(f"steps has {step}, expected 0 to {count}, the steps of {name}.")
    return range(first, last + 1)


def save_recording(files: Sequence[Recording], output: str | os.PathLike[str], *, unless: str = "") -> list[Path]:
    """Writes a recording's files, all or none: `output` itself if it is one, and names that begin like it if more.

    Nothing is replaced where `unless` names what would allow that. Raises SessionError where it can't be done.
    """
    stem_of(output)  # raises for what is no path
    path = Path(output)
    require_place(path)  # names that begin like a folder's would lie beside it
    targets = [path if not file.name else path.parent / f"{path.stem}{file.name}{path.suffix}" for file in files]
    cells = (file.content.encode() if isinstance(file.content, str) else file.content for file in files)
    write_several([*zip(targets, cells, strict=True)], unless=unless)
    return targets
