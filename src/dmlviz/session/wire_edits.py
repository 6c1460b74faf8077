"""Edits of a session that concern wires: pure functions, each one undo step of a document."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import count

from ..desc.tensors import TensorDesc
from ..desc.value_sources import Wired
from ..errors import DmlvizError, SessionError, quote
from .experiments import Experiment, Session
from .wiring import resolved, rings, source_tensor, wires, with_part


def edited(session: Session, number: int, each: Experiment) -> Session:
    """The session with one experiment edited; its name in wires follows, and so does what reads it."""
    before = session.experiments
    after = [*before[:number], each, *before[number + 1 :]]
    if not any(one.is_wired for one in (*before, each)):
        return replace(session, experiments=tuple(after))
    name = before[number].name
    if sum(one.name == name for one in before) == 1:  # broken wires name it too
        after = renamed(after, {name: each.name})
    now = list(resolved(tuple(after)))
    places = {id(one): i for i, one in enumerate(now)}
    stages = [id(stage) for one in now for stage in one.stages]
    for i in dict.fromkeys(places[stage] for stage in stages if stage in places):
        old = {part.path: (part.tensor, source_tensor(wire), wire.output) for part, wire in wires(before[i])}
        for part, wire in wires(now[i]):
            own, was, output = old.get(part.path, (part.tensor, part.tensor, wire.output))
            source = now[places[id(wire.source)]] if id(wire.source) in places else None
            new = source_tensor(Wired(wire.name, wire.output, source, wire.number))
            if was is None or new is None or not new.can_exist or (own, output) != (part.tensor, wire.output):
                continue
            with contextlib.suppress(DmlvizError):  # where what follows is too large, a check tells
                kind = new.data_type if own.data_type is was.data_type else own.data_type
                sizes = new.sizes if own.sizes == was.sizes else own.sizes
                desc = with_part(now[i].desc, part.path, TensorDesc(kind, sizes))
                now[i] = replace(now[i], desc=desc) if desc != now[i].desc else now[i]
    return replace(session, experiments=tuple(now))


def renamed(stages: Sequence[Experiment], names: Mapping[str, str]) -> list[Experiment]:
    """The experiments with wires to other names."""
    changed = []
    for stage in stages:
        led = {path: entry for path, entry in stage.values.items() if isinstance(entry, Wired)}
        moved = {p: Wired(names[e.name], e.output) for p, e in led.items() if names.get(e.name, e.name) != e.name}
        changed.append(replace(stage, values={**stage.values, **moved}) if moved else stage)
    return changed


def free_name(name: str, taken: Collection[str]) -> str:
    """`name`, with a number behind it where another has it."""
    if name not in taken:
        return name
    base, _, number = name.rpartition(" ")
    base = base if base and number.isdecimal() else name
    return next(numbered for n in count(2) if (numbered := f"{base} {n}") not in taken)


def wire(session: Session, number: int, path: str, name: str, output: str = "") -> Session:
    """With an input wired to an output, whose type and sizes it takes over. Raises SessionError."""
    reader = session.experiments[number]
    wired = replace(reader, values={**reader.values, path: Wired(name, output)})
    after = resolved((*session.experiments[:number], wired, *session.experiments[number + 1 :]))
    ring = next((ring for ring in rings(after) if ring not in rings(session.experiments)), None)
    if ring is not None:
        raise SessionError(f"{path} of {quote(reader.name)} would read itself, {ring}, expected another source.")
    entry = next(wire for part, wire in wires(after[number]) if part.path == path)
    if entry.loose is not None:
        raise SessionError(f"{path} {entry.loose[-1]}")
    return edited(unwire(session, number, path), number, wired)


def unwire(session: Session, number: int, path: str) -> Session:
    """The session with an input filled by default that was wired."""
    reader = session.experiments[number]
    left = {p: e for p, e in reader.values.items() if p != path}
    return edited(session, number, replace(reader, values=left))


def without(session: Session, number: int) -> Session:
    """The session without an experiment; what was wired to it is filled by default."""
    gone, now = session.experiments[number], []
    for reader in session.experiments:
        left = {p: e for p, e in reader.values.items() if not (isinstance(e, Wired) and e.source is gone)}
        now.append(replace(reader, values=left) if len(left) < len(reader.values) else reader)
    return replace(session, experiments=(*now[:number], *now[number + 1 :]))
