"""Edits of a session that concern wires: pure functions, each one undo step of a document."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from ..desc.base import Part
from ..desc.npy_files import locate
from ..desc.value_sources import Listed, Npy, ValueSource, Wired
from ..desc.values import Array
from ..errors import DmlvizError, SessionError, ValuesError, plain, quote, reason_of
from .cell_edits import listed
from .experiments import Experiment, Session
from .whole_files import replace_whole
from .wiring import followed, renamed, resolved, rings, source_tensor, values_of, wires, with_part

MOST_WRITTEN = 1 << 28
"""Elements of what a reader keeps that are written at all."""
MOST_LISTED = 4096
"""Elements of what a reader keeps that become a list; more become an .npy file."""


def edited(session: Session, number: int, experiment: Experiment) -> Session:
    """The session with one experiment edited: what it is called in wires, and what reads it, follows."""
    before = session.experiments
    old = before[number]
    after = [*before[:number], experiment, *before[number + 1 :]]
    if experiment.name != old.name and sum(one.name == old.name for one in before) == 1:  # broken wires name it too
        after = renamed(after, {old.name: experiment.name})
    return replace(session, experiments=followed(before, after))


def rename(session: Session, number: int, name: str) -> Session:
    """The session with an experiment under another name, and every wire to it under that."""
    return edited(session, number, replace(session.experiments[number], name=name))


def readers(session: Session, number: int) -> list[tuple[int, str]]:
    """What reads an experiment directly: (number of the reader, path of its tensor)."""
    source = session.experiments[number]
    return [(i, part.path) for i, one in enumerate(session.experiments) for part, w in wires(one) if w.source is source]


def name_clash(session: Session, number: int, name: str) -> str:
    """Why an experiment that wires name, or another of that name that they do, can't be called so; "" where it can."""
    experiments = session.experiments
    others = [one for i, one in enumerate(experiments) if i != number and one.name == name]
    named = {entry.name for one in experiments for _, entry in wires(one)}
    if not others or not named & {name, experiments[number].name}:
        closed = rings(rename(session, number, name).experiments) if name in named else []
        if len(closed) <= len(rings(experiments)):
            return ""
        return f"{quote(name)} is what a wire to nothing names, which would read itself: {closed[-1]}."
    return f"{quote(name)} is another experiment's name already, expected one that wires can tell apart."


def wire(session: Session, number: int, path: str, name: str, output: str = "") -> Session:
    """The session with an input wired to another experiment's output, whose type and sizes it takes over.

    Raises SessionError, and changes nothing, where there is no such input or output, and for what would read itself.
    """
    reader = session.experiments[number]
    if path not in (part.path for part in reader.desc.inputs):
        known = ", ".join(part.path for part in reader.desc.inputs[:8])
        raise SessionError(f"{path} is no input of {quote(reader.name)}, expected one of {known}.")
    wired = replace(reader, values={**reader.values, path: Wired(name, output)})
    after = resolved((*session.experiments[:number], wired, *session.experiments[number + 1 :]))
    ring = next((ring for ring in rings(after) if ring not in rings(session.experiments)), None)
    if ring is not None:
        raise SessionError(f"{path} of {quote(reader.name)} would read itself, {ring}, expected another source.")
    entry = after[number].values[path]
    assert isinstance(entry, Wired)
    if entry.loose is not None:
        raise SessionError(f"{path} {entry.loose.message}")
    tensor = source_tensor(entry)
    if tensor is not None and tensor.can_exist:
        with contextlib.suppress(DmlvizError):  # where what follows is too large, a check tells
            wired = replace(wired, desc=with_part(reader.desc, path, tensor))
    return edited(session, number, wired)


def unwire(session: Session, number: int, path: str) -> Session:
    """The session with an input filled by default that was wired."""
    reader = session.experiments[number]
    return edited(session, number, replace(reader, values={p: e for p, e in reader.values.items() if p != path}))


class Kept:
    """A session in which readers keep what they read as values of their own, and the .npy files that it needs."""

    def __init__(self, session: Session, files: Mapping[Path, Array]) -> None:
        self.session, self.files = session, files

    def write(self) -> None:
        """Writes the files. Raises SessionError where one can't be written."""
        for file, array in self.files.items():
            try:
                file.parent.mkdir(parents=True, exist_ok=True)
                replace_whole(file, partial(np.lib.format.write_array, array=array, allow_pickle=False))
            except OSError as error:
                raise SessionError(f"{plain(file.name)} can't be written: {reason_of(error)}.") from None


def with_values(session: Session, source: int, folder: Path) -> Kept:
    """The session with what is read of an experiment as lists, and as .npy files where that has many elements.

    A reader's files lie in its own folder, or in `folder` where it has none. What has no values now, because it waits
    or doesn't fit, is filled by default. Raises SessionError for more elements than are written.
    """
    files: dict[Path, Array] = {}
    now = list(session.experiments)
    gone = now[source]
    for i, reader in enumerate(session.experiments):
        values: dict[str, ValueSource] = dict(reader.values)
        own = reader.folder
        for part, entry in wires(reader):
            if entry.source is not gone:
                continue
            del values[part.path]
            try:
                kept = values_of(part, entry)
            except ValuesError:
                continue
            if part.tensor.element_count > MOST_WRITTEN:
                raise SessionError(
                    f"{part.path} of {quote(reader.name)} has {part.tensor.element_count:,} elements, expected at most "
                    f"2^28 for values that are kept."
                )
            array = kept.array()
            if array.size <= MOST_LISTED:
                values[part.path] = Listed(tuple(listed(array.reshape(-1))), array.shape)
                if _same(reader, part, values[part.path], array):
                    continue
            own = own or folder
            file = _free_name(f"{gone.name}-{entry.output or 'output'}", own, files)
            values[part.path] = Npy(file.name)
            files[file] = array
        if values != reader.values:
            now[i] = replace(reader, values=values, folder=own)
    return Kept(replace(session, experiments=tuple(now)), files)


def _same(reader: Experiment, part: Part, entry: ValueSource, array: Array) -> bool:
    """True if a list stands for an array bit for bit: no list holds the bits of a NaN."""
    number = [one.path for one in reader.desc.inputs].index(part.path)
    kept = replace(reader, values={part.path: entry}).source(number, part)
    return kept.array().tobytes() == array.tobytes()


def _free_name(stem: str, folder: Path, files: Mapping[Path, Array]) -> Path:
    """The path of an .npy file that isn't there yet."""
    short = "".join(c if c.isascii() and c.isalnum() else "-" for c in plain(stem, 40)).strip("-") or "kept"
    n = 1
    while (file := locate(f"{short}{f'-{n}' if n > 1 else ''}.npy", "values", folder)) in files or file.exists():
        n += 1
    return file


def without(session: Session, number: int) -> Session:
    """The session without an experiment; what was wired to it is filled by default."""
    gone = session.experiments[number]
    now = []
    for reader in session.experiments:
        cut = {path for path, entry in reader.values.items() if isinstance(entry, Wired) and entry.source is gone}
        left = {path: entry for path, entry in reader.values.items() if path not in cut}
        now.append(replace(reader, values=left) if cut else reader)
    return replace(session, experiments=(*now[:number], *now[number + 1 :]))
