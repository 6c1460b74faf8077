"""A copy of a session in which every input is wired, to try edits on: what stands for an input is the same object
before and after an edit, so that `deciding.same` knows which inputs are the same tensors, and a rule sees wires alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import NamedTuple

from msgspec import Struct

from ..desc.fields import Role
from ..desc.levels import NEWEST
from ..desc.tensors import TensorDesc
from ..desc.value_sources import Listed, ValueSource, Wired
from ..desc.values import Iota, Random
from ..errors import SessionError, plain, quote
from ..operators.join import Join
from ..operators.registry import operator_of
from ..session.chains import Chain
from ..session.experiments import Experiment, Session
from ..session.wiring import fault, wires
from .deciding import Answer, same

MOST_LISTED = 4096
"""Indices that an edit lists, and values of an input that are looked at for one."""
Output = tuple[int, int]
"""A stage's number, and the number of its output."""


class Edit(Struct, frozen=True, kw_only=True):
    """What a rule would do to the copy."""

    text: str
    stages: Mapping[int, Experiment] = {}
    """By number, what takes a stage's place."""
    added: tuple[Experiment, ...] = ()
    led: Mapping[Output, Wired] = {}
    """What is read in the place of an output."""
    uses_values: bool = False


class Edited(NamedTuple):
    """What an edit makes of the session that was copied."""

    session: Session
    number: int
    """Where the chain ends."""
    for_all: bool
    """It is the same map for all index values, and not for these alone."""


class _Given(NamedTuple):
    """An input for which a stage stands: whose it is, its path, and what fills it."""

    number: int
    path: str
    entry: ValueSource


class Rooted:
    """The copy of all that belongs to a chain: what it reads, what reads that, and what these read."""

    def __init__(self, session: Session, number: int) -> None:
        """Raises DmlvizError for a chain that can't run, and for one of too many stages."""
        own = session.experiments
        chained = {id(stage) for stage in Chain(own[number]).stages}
        met = [one for one in own if any(id(stage) in chained for stage in one.stages)]
        here = {id(stage) for one in met for stage in one.stages}
        self.session = session
        self.names = {one.name for one in own}
        self._given: dict[str, _Given] = {}
        """By the name of the stage that stands for an input."""
        roots: list[Experiment] = []
        copied: dict[int, Experiment] = {}
        for i, one in enumerate(own):
            if id(one) in here:
                wired, values = {part.path for part, _ in wires(one)}, dict(one.values)
                for k, part in enumerate(one.desc.inputs):
                    if part.path not in wired and (entry := _entry(one, k)) is not None:
                        name = self.free(f"{part.path} of {one.name}")
                        desc = Join([TensorDesc(part.tensor.data_type, part.tensor.sizes)], 0)
                        roots.append(Experiment(name, desc, NEWEST, {"InputTensors[0]": entry}, folder=one.folder))
                        self._given[name] = _Given(i, part.path, entry)
                        values[part.path] = Wired(name)
                copied[i] = replace(one, values=values)
        self.stages = Session((*roots, *copied.values())).experiments
        self.numbers = {id(stage): n for n, stage in enumerate(self.stages)}
        self.places = dict(enumerate(copied, len(roots)))
        """By number of a stage that stands for no input, its number in the session."""
        for one in self.stages:  # what stands for inputs may be too many
            for part, wire in wires(one):
                if wire.loose is not None:
                    raise SessionError(f"{part.path} of {quote(one.name, 40)} {wire.loose.message}")
        self._end = next(place for place, i in self.places.items() if i == number)
        read = {id(wire.source) for one in self.stages for _, wire in wires(one)}
        self.ends = [p for p in self.places if p == self._end or id(self.stages[p]) not in read]
        """What has to stay the same map: the end of the chain, and whatever nobody reads."""
        self.chain = [self.numbers[id(one)] for one in self.stages[self._end].stages if one.name not in self._given]

    def free(self, name: str) -> str:
        """A name like that which nothing has, taken now."""
        numbered = (name if n == 1 else f"{name} {n}" for n in count(1))
        found = next(name for name in numbered if name not in self.names)
        self.names.add(found)
        return found

    def source(self, place: int, path: str = "InputTensor") -> Output | None:
        """What fills an input of a stage."""
        entry = self.stages[place].values.get(path)
        return (self.numbers[id(entry.source)], entry.number) if isinstance(entry, Wired) and entry.source else None

    def wire(self, output: Output) -> Wired:
        stage = self.stages[output[0]]
        return Wired(stage.name, stage.desc.outputs[output[1]].path)

    def tensor(self, output: Output) -> TensorDesc:
        return self.stages[output[0]].desc.outputs[output[1]].tensor

    def readers(self, output: Output) -> int:
        """How many inputs read an output."""
        stage = self.stages[output[0]]
        return sum(w.source is stage and w.number == output[1] for one in self.stages for _, w in wires(one))

    def text(self, output: Output) -> str:
        """An output as sentences name it: `halves[1]`; `InputTensor of halves` where it stands for that."""
        stage = self.stages[output[0]]
        if (given := self._given.get(stage.name)) is not None:
            return f"{given.path} of {plain(self.session.experiments[given.number].name, 40)}"
        return f"{plain(stage.name, 40)}{f'[{output[1]}]' * (len(stage.desc.outputs) > 1)}"

    # ---- an edit, verified, and brought back

    def edited(self, edit: Edit) -> Edited | None:
        """The session after an edit, None where it isn't the same map. Raises DmlvizError where it can't be made."""
        now: dict[int, Experiment] = dict(enumerate(self.stages)) | dict(edit.stages)
        now |= enumerate(edit.added, len(self.stages))
        led = {(self.stages[place].name, k): wire for (place, k), wire in edit.led.items()}
        for place, stage in edit.stages.items():
            paths = [[part.path for part in one.desc.outputs] for one in (self.stages[place], stage)]
            if len(paths[0]) == 1 and paths[0] != paths[1][:1]:
                led.setdefault((stage.name, 0), Wired(stage.name, paths[1][0]))
        for place, stage in enumerate(self.stages):
            moved = {part.path: led[w.name, w.number] for part, w in wires(stage) if (w.name, w.number) in led}
            if moved and place not in edit.stages:
                now[place] = replace(stage, values={**stage.values, **moved})
        heirs = {end: edit.led[end, 0].name for end in self.ends if (end, 0) in edit.led}
        now = {place: one for place, one in now.items() if place not in heirs}
        was_read = set(_read(self.stages))
        while gone := was_read & {one.name for one in now.values()} - {*_read(now.values()), *heirs.values()}:
            now = {place: one for place, one in now.items() if one.name not in gone}
        after = dict(zip(now, Session(tuple(now.values())).experiments, strict=True))
        by_name = {one.name: place for place, one in after.items()}
        become = {end: by_name[heirs[end]] if end in heirs else end for end in self.ends}
        verdicts = [
            same(Chain(self.stages[end]), Chain(after[to]), k, k)
            for end, to in become.items()
            if after[to] is not self.stages[end]
            for k in range(len(self.stages[end].desc.outputs))
        ]
        if not verdicts or not all(verdict.same for verdict in verdicts):
            return None
        session, places = self._brought_back(after, {end: to for end, to in become.items() if end in heirs})
        for_all = all(verdict.answer is Answer.FOR_ALL and not verdict.reason for verdict in verdicts)
        return Edited(session, places[become[self._end]], for_all)

    def _brought_back(
        self, after: Mapping[int, Experiment], heirs: Mapping[int, int]
    ) -> tuple[Session, dict[int, int]]:
        """The session with an edited copy in it, its inputs filled by values again, and where each stage is in it."""
        made: list[tuple[int, Experiment]] = []
        places = {i: place for place, i in self.places.items()}
        for i, one in enumerate(self.session.experiments):
            place = places.get(i)
            if place is None:
                made.append((-1, one))
            elif place in after:
                stage, reads = after[place], {*_read([after[place]])}
                made += [
                    (p, self._filled(p, added))
                    for p, added in after.items()
                    if p >= len(self.stages) and added.name in reads
                ]
                made.append((place, one if stage is self.stages[place] else self._filled(place, stage)))
            elif (root := heirs.get(place)) is not None and root not in self.places:  # nothing but a copy is left
                made.append((root, replace(self._filled(root, after[root]), name=one.name)))
        session = replace(self.session, experiments=tuple(one for _, one in made))
        for (at, _), one in zip(made, session.experiments, strict=True):
            if at >= 0:
                one.sources()
                if broken := fault(one):
                    raise SessionError(f"{quote(broken)} is not valid.")
        return session, {at: n for n, (at, _) in enumerate(made)}

    def _filled(self, place: int, stage: Experiment) -> Experiment:
        """A stage whose inputs are filled by their values again."""
        values = dict(stage.values)
        for part, wire in wires(stage):
            if (given := self._given.get(wire.name)) is None:
                continue
            own = self.session.experiments[given.number]
            del values[part.path]
            if (given.number, given.path) == (self.places.get(place), part.path):
                values |= {path: entry for path, entry in own.values.items() if path == part.path}
            elif own.folder != stage.folder:
                raise SessionError(f"{part.path} of {quote(stage.name)} would be filled from another folder.")
            elif isinstance(given.entry, Listed) and given.entry.shape != part.tensor.sizes:
                values[part.path] = Listed(given.entry.items, (len(given.entry.items),))
            else:
                values[part.path] = given.entry
        return replace(stage, values=values)


def _read(stages: Iterable[Experiment]) -> Iterator[str]:
    """The names of what stages read, also of wires that no session has led anywhere."""
    for stage in stages:
        yield from (entry.name for entry in stage.values.values() if isinstance(entry, Wired))


def _entry(one: Experiment, k: int) -> ValueSource | None:
    """What fills an input, wherever it stands; None for many values of which only their operator knows the range."""
    part = one.desc.inputs[k]
    entry = one.values.get(part.path) or operator_of(one.desc).default_fill(one.desc, k) or Iota(1, 1)
    is_bound = isinstance(entry, Random) and part.field.role is not Role.DATA
    if isinstance(entry, ValueSource) and not is_bound:
        return entry
    if part.tensor.element_count > MOST_LISTED:
        return None
    array = one.source(k, part).array()
    return Listed(tuple(array.reshape(-1).tolist()), array.shape)
