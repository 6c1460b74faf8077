"""What a reader gives: `Found` and `Note`, in the source's order; and the one function that makes experiments of it."""

from __future__ import annotations

import dataclasses
from collections import Counter
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
    """A desc in a source, `called` as a remark begins: `dml::Join`; files that `values` name lie in `folder`."""

    desc: base.Desc
    called: str
    line: int = 0
    at: str = ""
    name: str | None = None
    """Of the experiment; None for its operator's in small letters."""
    level: FeatureLevel | None = None
    values: dict[str, ValueSource] = field(default_factory=dict)
    reads: dict[str, tuple[Found, str]] = field(default_factory=dict)
    """By path, another desc of this source whose output is read there, and which: its path, "" for an only one."""
    roots: dict[str, str] = field(default_factory=dict)
    """By path, what the source calls the tensor there, where nothing else in it is read."""
    notes: list[Note] = field(default_factory=list)
    text: str = ""
    """The sentence's end behind number and level, if there is one: `the tensor w of the model`."""
    written: str = ""
    folder: Path | None = None
    experiment: Experiment | None = None
    """What a source of dmlviz's own holds as it is; its notes and its wires to others of the source apart."""
    lines: dict[str, int] = field(default_factory=dict)
    """By the path of a field, its line where the source has lines and no more is known."""
    locate: Callable[[], Fields] = dict
    """Where its fields stand, by path; `""` is the whole of it, and its line where that is missing."""


Item = Found | Note


def imported(items: Sequence[Item], text: str = "") -> Imported:
    """Experiments, wires, places and remarks of what was found; `text` is the source where that has lines."""
    found = [item for item in items if isinstance(item, Found)]
    every = _wired(found)
    numbers = {id(item): number for number, item in enumerate(found)}
    remarks: list[Remark] = []
    for item in items:
        number = numbers.get(id(item))
        if isinstance(item, Found) and number is not None:
            said = _taken(item, number, every[number])
            remarks.append(Remark(said, item.line, item.at, taken=True, experiment=number))
        notes = item.notes if isinstance(item, Found) else [item]
        remarks += [Remark(**asdict(note), experiment=number) for note in notes]
    return Imported(every, tuple(remarks), lambda: _places(found, text.split("\n")))


def _experiment(item: Found) -> Experiment:
    left = tuple(f"{note.where}: {note.text}" for note in item.notes if note.unchecked)
    if item.experiment is not None:
        return dataclasses.replace(item.experiment, not_checked=(*item.experiment.not_checked, *left))
    name = operator_of(item.desc).name.lower() if item.name is None else item.name
    return Experiment(
        name=name.encode(errors="replace").decode(),
        desc=item.desc,
        feature_level=item.level or NEWEST,
        values=item.values,
        notes=item.written,
        folder=item.folder,
        not_checked=left,
    )


def _wired(found: Sequence[Found]) -> tuple[Experiment, ...]:
    made = [_experiment(item) for item in found]
    if not any(item.reads for item in found):
        return tuple(made)
    times = Counter[str]()
    names = dict[str, int]()
    for i, one in enumerate(made):
        name = one.name
        while name in names:
            times[one.name] += 1
            name = f"{one.name} {times[one.name] + 1}"
        names[name] = id(found[i])
        made[i] = dataclasses.replace(one, name=name)
    by_item = {item: name for name, item in names.items()}
    led = list(made)
    for i, item in enumerate(found):
        if item.reads:
            entries = {path: Wired(by_item[id(source)], output) for path, (source, output) in item.reads.items()}
            led[i] = dataclasses.replace(made[i], values={**made[i].values, **entries})
    for i, one in enumerate(resolved(tuple(led))):
        if any(wire.loose is not None and wire.loose[0] == "chain.source" for _, wire in wires(one)):
            led[i] = made[i]
    done = list(resolved(tuple(led)))
    read = {wire.name for one in done for _, wire in wires(one)}
    for i, item in enumerate(found):
        free = [path for path in item.roots if not isinstance(done[i].values.get(path), Wired)]
        if free and (done[i].is_wired or done[i].name in read):
            roots = {path: plain(item.roots[path], 80) for path in free}
            done[i] = dataclasses.replace(done[i], extra={**done[i].extra, "roots": roots})
    return resolved(tuple(done))


def _taken(item: Found, number: int, made: Experiment) -> str:
    newest = "" if item.level or item.experiment else ", the newest, as none is given"
    read = dict.fromkeys(plain(wire.name, 60) for _, wire in wires(made))
    led = f"; it reads {', '.join(read)}" if read else ""
    end = f"; {item.text}" if item.text else ""
    return f"{item.called} is experiment {number + 1}, at feature level {made.feature_level}{newest}{led}{end}."


def own_items(every: Sequence[Experiment], locate: Callable[[], Places] = dict) -> list[Found]:
    places = cache(locate)
    found = [Found(one.desc, one.desc.TYPE, at=f"experiment {i}", experiment=one) for i, one in enumerate(every, 1)]
    for i, item in enumerate(found):
        item.locate = partial(lambda number: places().get(number, {}), i)
    by_name = {one.name: item for one, item in zip(every, found, strict=True)}
    for item, one in zip(found, every, strict=True):
        item.reads = {part.path: (by_name[wire.name], wire.output) for part, wire in wires(one) if wire.source}
    return found


def _places(found: Sequence[Found], lines: Sequence[str]) -> Places:
    def spot(line: int) -> Place:
        return Place(line, 1, line, len(lines[line - 1]) + 1 if line <= len(lines) else 1)

    places: dict[int, Fields] = {}
    for number, item in enumerate(found):
        whole = spot(item.line) if item.line else replace(NO_LINE, name=item.at)
        places[number] = {"": whole, **{path: spot(line) for path, line in item.lines.items()}, **item.locate()}
    return places
