"""What a source's experiments read of each other, as wires."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ...desc.value_sources import Wired
from ...errors import plain
from ...session.experiments import Experiment
from ...session.wiring import resolved, wires

Links = Mapping[int, Mapping[str, tuple[int, str]]]
"""By an experiment's number and a path: the number of the one that it reads, and which output of that; "" for one."""


def wired(experiments: Sequence[Experiment], links: Links) -> tuple[Experiment, ...]:
    """The experiments with wires, each to a name that stands once; the very same without links.

    What would read more experiments than one may, keeps its values instead.
    """
    linked = {reader: own for reader, own in links.items() if own}
    if not linked:
        return tuple(experiments)
    named = _named_once(experiments, {source for own in linked.values() for source, _ in own.values()})
    led = list(named)
    for reader, own in linked.items():
        entries = {path: Wired(led[source].name, output) for path, (source, output) in own.items()}
        led[reader] = replace(led[reader], values={**led[reader].values, **entries})
    while True:
        found = resolved(tuple(led))
        deep = [i for i in linked if led[i] is not named[i] and any(_is_deep(wire) for _, wire in wires(found[i]))]
        if not deep:
            return found
        for i in deep:
            led[i] = named[i]


def with_roots(experiments: Sequence[Experiment], names: Mapping[int, Mapping[str, str]]) -> tuple[Experiment, ...]:
    """The experiments; those of chains know what their source calls the inputs that no wire fills, of `names`."""
    read = {wire.name for one in experiments for _, wire in wires(one)}
    found = list(experiments)
    for i, own in names.items():
        one = found[i]
        roots = {path: plain(name, 80) for path, name in own.items() if not isinstance(one.values.get(path), Wired)}
        if roots and (one.is_wired or one.name in read):
            found[i] = replace(one, extra={**one.extra, "roots": roots})
    return resolved(tuple(found))


def _is_deep(wire: Wired) -> bool:
    return wire.loose is not None and wire.loose.id == "chain.source"


def _named_once(experiments: Sequence[Experiment], sources: Collection[int]) -> list[Experiment]:
    """The experiments; of several that have the name of one in `sources`, all but the first have a number behind it."""
    read, taken = {experiments[i].name for i in sources}, {one.name for one in experiments}
    seen, now = {""}, []
    for one in experiments:
        if one.name in read and one.name in seen:
            one = replace(one, name=_free(one.name, taken))
            taken.add(one.name)
        seen.add(one.name)
        now.append(one)
    return now


def _free(name: str, taken: Collection[str]) -> str:
    """The name with the first number that makes it one of its own."""
    base, _, number = name.rpartition(" ")
    base = base if base and number.isdecimal() else name
    return next(free for n in itertools.count(2) if (free := f"{base} {n}".lstrip()) not in taken)
