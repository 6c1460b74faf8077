"""What a reader finds in its source, item by item, and the one function that makes experiments of it.

A reader gives a list of `Found` and `Note`, in the order of the source. It builds no experiment, wires nothing, numbers
nothing, and its sentences stay as it has written them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from ...desc import base
from ...desc.levels import NEWEST, FeatureLevel
from ...desc.value_sources import ValueSource, Wired
from ...errors import plain
from ...formats.json_places import NO_LINE, Place, Places
from ...operators.registry import operator_of
from ...session.experiments import Experiment
from ...session.wiring import resolved, wires
from .imported import Imported, Note, Remark

Fields = Mapping[str, Place]


class Found(Struct):
    """A desc in a source, and all that is known beside it."""

    desc: base.Desc
    called: str
    """What the source calls it, as a remark begins: `DML_GATHER_OPERATOR_DESC gather`, `dml::Join`, `np.take`."""
    line: int = 0
    at: str = ""
    name: str | None = None
    """Of the experiment; None for its operator's in small letters."""
    level: FeatureLevel | None = None
    """None where none is said."""
    values: dict[str, ValueSource] = field(default_factory=dict)
    """By path."""
    reads: dict[str, tuple[Found, str]] = field(default_factory=dict)
    """By path, another desc of this source whose output is read there, and which: its path, "" for an only one."""
    roots: dict[str, str] = field(default_factory=dict)
    """By path, what the source calls the tensor there, where nothing else in it is read."""
    notes: list[Note] = field(default_factory=list)
    """What is not checked of it, and what else is to be said."""
    text: str = ""
    """The sentence's end behind number and level, if there is one: `the tensor w of the model`."""
    written: str = ""
    """Notes of the experiment, as its source has them."""
    folder: Path | None = None
    """Where files that `values` name lie."""
    experiment: Experiment | None = None
    """What a source of dmlviz's own holds as it is; its notes and its wires to others of the source apart."""
    locate: Callable[[], Fields] = dict
    """Where its fields stand, by path; `""` is the whole of it, and its line where that is missing."""


Item = Found | Note


def imported(items: Sequence[Item], text: str = "") -> Imported:
    """Experiments, wires, places and remarks of what was found; `text` is the source where that has lines."""
    found = [item for item in items if isinstance(item, Found)]
    experiments = _wired([_experiment(item) for item in found], found)
    remarks: list[Remark] = []
    number = -1
    for item in items:
        if isinstance(item, Note):
            remarks.append(Remark(**asdict(item)))
            continue
        number += 1
        said = _taken(item, number, experiments[number])
        remarks.append(Remark(said, item.line, item.at, taken=True, experiment=number))
        remarks += [Remark(**asdict(note), experiment=number) for note in item.notes]
    return Imported(experiments, tuple(remarks), lambda: _places(found, text.split("\n")))


def _experiment(item: Found) -> Experiment:
    left = tuple(f"{note.where}: {note.text}" for note in item.notes if note.unchecked)
    if item.experiment is not None:
        return dataclasses.replace(item.experiment, not_checked=(*item.experiment.not_checked, *left))
    return Experiment(
        name=_name(item),
        desc=item.desc,
        feature_level=item.level or NEWEST,
        values=item.values,
        notes=item.written,
        folder=item.folder,
        not_checked=left,
    )


def _name(item: Found) -> str:
    if item.name is None:
        return operator_of(item.desc).name.lower()
    return item.name.encode(errors="replace").decode()


def _wired(experiments: Sequence[Experiment], found: Sequence[Found]) -> tuple[Experiment, ...]:
    """The experiments with what they read of each other as wires, each to a name that stands once.

    What would read more experiments than one may, keeps its values instead. Those of chains know what their source
    calls the inputs that no wire fills.
    """
    if not any(item.reads for item in found):
        return tuple(experiments)
    taken: dict[str, int] = {}
    named: list[Experiment] = []
    for one in experiments:
        name = one.name
        while name in taken:
            taken[one.name] += 1
            name = f"{one.name} {taken[one.name]}"
        taken[name] = 1
        named.append(one if name == one.name else dataclasses.replace(one, name=name))
    names = {id(item): one.name for item, one in zip(found, named, strict=True)}
    led = list(named)
    for i, item in enumerate(found):
        wires_to = {path: Wired(names[id(source)], output) for path, (source, output) in item.reads.items()}
        if wires_to:
            led[i] = dataclasses.replace(named[i], values={**named[i].values, **wires_to})
    while True:
        made = list(resolved(tuple(led)))
        deep = [i for i, one in enumerate(made) if led[i] is not named[i] and any(map(_is_deep, wires(one)))]
        if not deep:
            break
        for i in deep:
            led[i] = named[i]
    read = {wire.name for one in made for _, wire in wires(one)}
    for i, (item, one) in enumerate(zip(found, made, strict=True)):
        roots = {
            path: plain(name, 80) for path, name in item.roots.items() if not isinstance(one.values.get(path), Wired)
        }
        if roots and (one.is_wired or one.name in read):
            made[i] = dataclasses.replace(one, extra={**one.extra, "roots": roots})
    return resolved(tuple(made))


def _is_deep(wire: tuple[base.Part, Wired]) -> bool:
    return wire[1].loose is not None and wire[1].loose.id == "chain.source"


def _taken(item: Found, number: int, made: Experiment) -> str:
    """The sentence by which a desc is taken."""
    newest = "" if item.level or item.experiment else ", the newest, as none is said"
    read = dict.fromkeys(plain(wire.name, 60) for _, wire in wires(made))
    led = f"; it reads {', '.join(read)}" if read else ""
    end = f"; {item.text}" if item.text else ""
    return f"{item.called} is experiment {number + 1}, at feature level {made.feature_level}{newest}{led}{end}."


def own_items(experiments: Sequence[Experiment], locate: Callable[[], Places] = dict) -> list[Found]:
    """What a source of dmlviz's own holds: experiments as they are; `locate` finds the places of all."""
    places = cache(locate)

    def of(number: int) -> Fields:
        return places().get(number, {})

    found = [
        Found(one.desc, one.desc.TYPE, at=f"experiment {i + 1}", experiment=one, locate=partial(of, i))
        for i, one in enumerate(experiments)
    ]
    by_name = {one.name: item for one, item in zip(experiments, found, strict=True)}
    for item, one in zip(found, experiments, strict=True):
        item.reads = {part.path: (by_name[wire.name], wire.output) for part, wire in wires(one) if wire.source}
    return found


def _places(found: Sequence[Found], lines: Sequence[str]) -> Places:
    """Where the experiments' fields stand."""
    return {number: {"": _of_line(item, lines), **item.locate()} for number, item in enumerate(found)}


def _of_line(item: Found, lines: Sequence[str]) -> Place:
    """The line of a desc without the blanks around it, or what its place is called."""
    if not item.line:
        return replace(NO_LINE, name=item.at)
    text = lines[item.line - 1] if item.line <= len(lines) else ""
    start = len(text) - len(text.lstrip()) + 1
    return Place(item.line, start, item.line, max(start, len(text.rstrip()) + 1))
