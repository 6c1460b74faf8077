"""`through`, `reach`, `dead`: where elements come from and go to through all stages of a chain.

They ask about an experiment with all that it reads by wires; about one without wires they ask nothing.
"""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...desc.indexing import flat_in, index_in
from ...desc.tensors import braces, brackets
from ...errors import DmlvizError, plain
from ...operators.maps import CLAMPED
from ...operators.registry import operator_of
from ...session.chains import Chain
from ...session.experiments import Experiment
from ...session.wiring import wire_name, wires
from ..questions.question import ANYTHING, SHOWN, At, Choice, Hints, Kind, Question, Wish, most_telling
from ..questions.subject import SMALL, Answer, Cell, Rule, Subject, Value, every_cell, shown, values_of
from ..questions.wording import blanked, covers, is_index, listed
from ..words.catalogue import sentence
from .lib.chain_rules import CHAIN_RULES, origin

IDS = ("a", "b", "c", "d")
MOST_PLACES = 6
SOME = 8

End = tuple[int, int]
"""An element of an input of the chain, by that's number, row-major."""
Place = tuple[Any, ...]
"""A cell of the end, an element of an input, or (an input,): what is asked about, and what an answer is made of."""
Table = dict[Place, tuple[Place, ...]]


class AskedChain(Chain):
    """A chain with where all elements of its last stage come from, and what questions call its elements."""

    def __init__(self, end: Experiment) -> None:
        super().__init__(end)
        self._ends: dict[str, dict[Cell, End | None]] = {}

    def ends(self, rule: str = "") -> dict[Cell, End | None]:
        """Where all elements of the last stage come from, by a wrong rule or in truth; worked out once."""
        if rule not in self._ends:
            cells = (cell for k, part in enumerate(self.outputs) for cell in every_cell(k, part.tensor.sizes))
            self._ends[rule] = {cell: origin(self, rule, *cell) for cell in cells}
        return self._ends[rule]

    def data_inputs(self) -> list[int]:
        return [number for number, root in enumerate(self.inputs) if root.part.is_data]

    def elements_of(self, number: int) -> list[Place]:
        return [(number, flat) for flat in range(self.inputs[number].part.tensor.element_count)]

    def text(self, place: Place) -> str:
        """The name of a place: `twice[0,9]` of the end, `InputTensor[0,5]` where no other input holds data."""
        if isinstance(place[-1], tuple):
            return self.element_text(len(self.stages) - 1, *place)
        root = self.inputs[place[0]]
        at = brackets(index_in(place[1], root.part.tensor.sizes)) if place[1:] else ""
        name = f"{root.part.path}{at}"
        if at and len(self.data_inputs()) == 1:
            return name
        return f"{name} ({plain(self.stages[root.stage].name, 40)})"

    def way_text(self, cell: Place) -> str:
        path = self.source(*cell)
        places = [self.element_text(hop.stage, hop.output, hop.index) for hop in path.hops]
        flat = flat_in(path.index, self._sizes_of(path.root))
        return " ⇠ ".join([*places, self.text((path.root, flat))])

    def wished(self, at: At) -> Place:
        """The place that an author names; one that isn't asked about where there is no such element."""
        number = at.place.number
        if at.place.is_output:
            return number, at.index
        if not at.index or number >= len(self.inputs):
            return (number,)
        sizes = self._sizes_of(number)
        return (number, flat_in(at.index, sizes)) if is_index(at.index, sizes) else ()

    def _sizes_of(self, number: int) -> tuple[int, ...]:
        return self.inputs[number].part.tensor.sizes


class ChainKind(Kind):
    """A kind that asks about all stages at once; the answer is one of up to four choices."""

    stage = 3
    alternatives = 4
    of_chains = True
    none = ""
    """What the answer is called that names no element; "" where there is always one."""

    @abstractmethod
    def table(self, chain: AskedChain, rule: str = "") -> Table:
        """What the holder of a rule answers about each place, "" being the truth's; what none answers isn't in it."""

    @abstractmethod
    def every(self, chain: AskedChain, place: Place) -> list[Place]:
        """All elements of which an answer about a place may be made, in order."""

    def is_told(self, chain: AskedChain, place: Place, count: int) -> bool:
        """True if what is right about a place, so many elements, is all that there is to it."""
        return True

    def text(self, chain: AskedChain, said: Sequence[Place] | None) -> str:
        """An answer as a choice has it; "" for none, and for more than a choice holds."""
        if said is None or len(said) > MOST_PLACES:
            return ""
        return listed([*map(chain.text, said)]) or (sentence(self.none) if self.none else "")

    def rules_about(self, subject: Subject) -> Sequence[Rule]:
        return CHAIN_RULES if subject.experiment.is_wired else ()

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        if not subject.experiment.is_wired:
            return None
        chain = subject.keep("chain", lambda: _chain_of(subject))
        if chain is None:
            return None
        truth = self.table(chain)
        dice = self.dice(subject, seed)
        few = {place: said for place, said in truth.items() if len(said) <= MOST_PLACES}
        told = {place: said for place, said in few.items() if self.is_told(chain, place, len(said))}
        rules = sorted((rule.id for rule in CHAIN_RULES), key=lambda rule: rule not in wish.rules)
        wrong = [self.table(chain, rule) for rule in rules]
        asked = ((place, said, [table.get(place) for table in wrong]) for place, said in told.items() if said)
        place = chain.wished(wish.at) if wish.at is not None else most_telling(asked, dice)
        if place not in told:
            return None
        answers = [truth[place], *(table.get(place) for table in wrong), *self._others(chain, place, dice)]
        said = dict.fromkeys(self.text(chain, answer) for answer in answers)
        texts = [*filter(None, said)][: len(IDS)]
        if len(texts) < 2:
            return None
        self.dice(subject, seed).shuffle(texts)
        hidden = {*covers(subject), *(part.path for part in subject.desc.inputs), "rules", "fixes"}
        prompt = sentence(f"{self.name}.prompt", element=chain.text(place), count=len(chain.stages))
        is_cell = isinstance(place[-1], tuple)
        about: dict[str, Any] = {"at": At.output(*place)} if is_cell else {"cells": (place,)}
        return self.pose(subject, seed, prompt, hidden, choices=tuple(map(Choice, IDS, texts)), **about)

    def _others(self, chain: AskedChain, place: Place, dice: random.Random) -> Iterator[Sequence[Place]]:
        said = self.table(chain)[place]
        every = self.every(chain, place)
        yield said[:1]
        for by in dice.sample(range(1, len(every)), min(len(every) - 1, SOME)):
            yield sorted(every[(every.index(one) + by) % len(every)] for one in said)
            yield ()

    def answer(self, question: Question, rule: Rule | None) -> Answer | None:
        chain = the_chain(question.subject)
        place = _place_of(question)
        text = self.text(chain, self.table(chain, rule.id if rule is not None else "").get(place))
        return next((choice.id for choice in question.choices if choice.text == text), None)

    def lines(self, question: Question) -> list[tuple[str, tuple[int, ...], tuple[Value, ...]]]:
        """The inputs with their values, then each stage in a line, nothing in between."""
        chain, lines = the_chain(question.subject), []
        for number in chain.data_inputs():
            root = chain.inputs[number]
            count = len(chain.elements_of(number))
            few: tuple[Value, ...] = ()
            if count <= SHOWN:
                few = tuple(values_of(chain.traces[root.stage].read(root.tensor, np.arange(count))))
            tensor = root.part.tensor
            title = f"{chain.text((number,))} {tensor.data_type} {braces(tensor.sizes)}"
            lines.append((title, tensor.sizes, few))
        for k, stage in enumerate(chain.stages, 1):
            lines.append((f"{k} {plain(stage.name, 40)} = {_stage_text(stage)}", (), ()))
        return lines

    def hints(self, question: Question) -> Hints:
        says = self.says(question)
        return sentence("chain.look"), sentence("chain.rule"), blanked(says), says


class ThroughKind(ChainKind):
    name = "through"

    def table(self, chain: AskedChain, rule: str = "") -> Table:
        return {cell: (end,) for cell, end in chain.ends(rule).items() if end is not None}

    def every(self, chain: AskedChain, place: Place) -> list[Place]:
        return chain.elements_of(self.table(chain)[place][0][0])

    def says(self, question: Question) -> str:
        return f"{the_chain(question.subject).way_text(question.cell)}."


class ReachKind(ChainKind):
    name = "reach"
    none = "reach.none"
    of_inputs = True

    def table(self, chain: AskedChain, rule: str = "") -> Table:
        found: Table = {end: () for root in chain.data_inputs() for end in chain.elements_of(root)}
        for cell, end in chain.ends(rule).items():
            if end is not None:
                found[end] = (*found.get(end, ()), cell)
        return found

    def every(self, chain: AskedChain, place: Place) -> list[Place]:
        return [*chain.ends()]

    def is_told(self, chain: AskedChain, place: Place, count: int) -> bool:
        return chain.counts is not None and chain.counts[place[0]][place[1]] == count  # more ways steer others

    def says(self, question: Question) -> str:
        chain = the_chain(question.subject)
        place = _place_of(question)
        said = self.table(chain)[place]
        name = chain.text(place)
        if not said:
            return sentence("reach.says_none", element=name)
        way = chain.way_text(said[0])
        return sentence("reach.says", element=name, places=self.text(chain, said), path=way)


class DeadKind(ChainKind):
    name = "dead"
    none = "dead.none"
    needs = "few elements that never arrive at the end of what it reads"

    def table(self, chain: AskedChain, rule: str = "") -> Table:
        found: set[Place | None] = {*chain.ends(rule).values()}
        every = {root: chain.elements_of(root) for root in chain.data_inputs()}
        return {(root,): tuple(end for end in ends if end not in found) for root, ends in every.items()}

    def every(self, chain: AskedChain, place: Place) -> list[Place]:
        return chain.elements_of(*place)

    def is_told(self, chain: AskedChain, place: Place, count: int) -> bool:
        return 0 < count == chain.dead(place[0])  # none steers others

    def says(self, question: Question) -> str:
        chain = the_chain(question.subject)
        place = _place_of(question)
        said = self.table(chain)[place]
        whole = len(self.every(chain, place))
        return sentence("dead.says", names=self.text(chain, said), count=len(said), whole=whole)


def _place_of(question: Question) -> Place:
    return question.cell if question.at is not None else question.cells[0]


def the_chain(subject: Subject) -> AskedChain:
    return subject.keep("chain", lambda: AskedChain(subject.experiment))


def _chain_of(subject: Subject) -> AskedChain | None:
    """The chain that ends with a subject's experiment; None where it can't run, is large, or an index is clamped."""
    try:
        chain = AskedChain(subject.experiment)
    except DmlvizError:
        return None
    last = len(chain.stages) - 1
    flats = [part.tensor.flat for part in chain.outputs]
    if not last or chain.elements > SMALL:
        return None
    is_clamped = any((chain.addresses(last, k, flat)[2] & CLAMPED).any() for k, flat in enumerate(flats))
    return None if is_clamped else chain


def _stage_text(stage: Experiment) -> str:
    """A stage in one line, of what steers it its few values: `JOIN Axis 1: halves[1], halves[0] → {1, 8}`."""
    desc = stage.desc
    reads = {part.path: wire_name(wire) for part, wire in wires(stage)}
    fields = sorted(desc.ATTRIBUTES, key=lambda field: field.is_list)
    numbers = ", ".join(f"{field.name} {field.shown(desc.get(field.name))}" for field in fields)
    for k, part in enumerate(desc.inputs):
        if part.path not in reads and not part.is_data and part.tensor.element_count <= SHOWN:
            cells = stage.links.read(k, part.tensor.flat)
            reads[part.path] = braces(shown(value) for value in values_of(cells))
    read = ", ".join(reads.get(part.path, part.path) for part in desc.inputs)
    written = ", ".join(braces(part.tensor.sizes) for part in desc.outputs)
    return f"{operator_of(desc).name}{' ' * bool(numbers)}{numbers}: {read} → {written}"


KINDS = ThroughKind(), ReachKind(), DeadKind()
