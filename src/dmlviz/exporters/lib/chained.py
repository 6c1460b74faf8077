"""What of a session is one chain, which becomes one function or graph, and what stays an experiment by itself."""

from __future__ import annotations

from functools import cached_property

from ...desc.base import Desc, Part
from ...desc.value_sources import Wired
from ...session.experiments import Experiment, Session
from ...session.wiring import stages_of, wires


def operator_name(desc: Desc, number: int) -> str:
    """What an operator is called in a file, never as in a session: `gather_1`, after its place there."""
    return f"{desc.TYPE.removeprefix('DML_OPERATOR_').lower()}_{number}"


def tensor_name(part: Part, op: str) -> str:
    """What a tensor is called in a file: `gather_1_InputTensor`, `join_2_InputTensors_0`."""
    return f"{op}_{part.path.replace('[', '_').removesuffix(']')}"


class Group(list[tuple[int, Experiment]]):
    """Experiments that wires join, each behind what it reads, with its place from 1 on; others are alone."""

    @property
    def is_chain(self) -> bool:
        return len(self) > 1

    @property
    def number(self) -> int:
        return min(number for number, _ in self)

    @cached_property
    def names(self) -> dict[int, str]:
        """By the experiments' ids, what the stages are called, never as in a session: `split_1`."""
        return {id(one): operator_name(one.desc, number) for number, one in self}

    @cached_property
    def ends(self) -> list[tuple[int, Experiment]]:
        read = {id(wire.source) for _, one in self for _, wire in wires(one)}
        return [(number, one) for number, one in self if id(one) not in read]

    def source(self, experiment: Experiment, part: Part) -> tuple[Experiment, int] | None:
        """The stage, and the number of its output, that fills an input; None where no wire does that leads anywhere."""
        entry = experiment.values.get(part.path)
        if not isinstance(entry, Wired) or entry.source is None or entry.number >= len(entry.source.desc.outputs):
            return None
        return entry.source, entry.number


def groups(session: Session) -> list[Group]:
    """The experiments, and what they read, in groups, in the order of the first of each."""
    every = session.whole
    if not any(one.is_wired for one in every):
        return [Group([(number, one)]) for number, one in enumerate(every, 1)]
    numbers = {id(one): number for number, one in enumerate(every, 1)}
    lead = {number: number for number in numbers.values()}
    for one in every:
        joined = {lead[numbers[id(each)]] for each in stages_of(one)}
        lead = {number: min(joined) if at in joined else at for number, at in lead.items()}
    found: dict[int, Group] = {}
    for one in every:
        group = found.setdefault(lead[numbers[id(one)]], Group())
        known = {number for number, _ in group}
        group += [(numbers[id(each)], each) for each in stages_of(one) if numbers[id(each)] not in known]
    return list(found.values())
