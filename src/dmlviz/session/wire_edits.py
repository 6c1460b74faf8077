"""Edits of a session that concern wires: pure functions, each one undo step of a document."""

from __future__ import annotations

import contextlib
from dataclasses import replace

from ..desc.value_sources import Wired
from ..errors import DmlvizError, SessionError, quote
from .experiments import Experiment, Session
from .wiring import followed, renamed, resolved, rings, source_tensor, wires, with_part


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


def without(session: Session, number: int) -> Session:
    """The session without an experiment; what was wired to it is filled by default."""
    gone = session.experiments[number]
    now = []
    for reader in session.experiments:
        cut = {path for path, entry in reader.values.items() if isinstance(entry, Wired) and entry.source is gone}
        left = {path: entry for path, entry in reader.values.items() if path not in cut}
        now.append(replace(reader, values=left) if cut else reader)
    return replace(session, experiments=(*now[:number], *now[number + 1 :]))
