"""`through`, `reach`, `dead`: where elements come from and go to through all stages of a chain.

They ask about an experiment with all that it reads by wires; about one without wires they ask nothing.
"""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ...desc.fields import Role
from ...desc.indexing import flat_in, index_in
from ...desc.tensors import braces, brackets
from ...errors import DmlvizError, plain
from ...operators.maps import CLAMPED
from ...operators.registry import operator_of
from ...operators.wrong_rules import Misreading
from ...session.chains import Chain
from ...session.experiments import Experiment
from ...session.wiring import wire_name, wires
from ..questions.answers import Answer, Cell, Value, shown, values_of
from ..questions.elements import most_telling
from ..questions.question import ANYTHING, At, Choice, Kind, Question, Wish
from ..questions.subject import SMALL, Subject, every_cell
from ..questions.wording import blanked, listed, what_tells_elements
from ..words.catalogue import sentence
from ..words.chain_rules import CHAIN_RULES
from .lib.chain_maps import origin

IDS = ("a", "b", "c", "d")
SHOWN = 48
"""Elements of an input of the chain whose values are shown."""
MOST_PLACES = 6
"""Elements that a choice names, at most."""
SOME = 8
"""Elements that other choices are made of."""

End = tuple[int, int]
"""An element of an input of the chain, by that's number, row-major."""
Place = tuple[Any, ...]
"""What is asked about: a cell of the end, an element of an input, or (an input,)."""
Said = tuple[Any, ...]
"""Elements that are an answer: of the inputs, cells of the end, or numbers of elements."""


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
        """The numbers of its inputs that hold data."""
        return [number for number, root in enumerate(self.inputs) if root.part.field.role is Role.DATA]

    def count(self, number: int) -> int:
        """How many elements an input has."""
        return self.inputs[number].part.tensor.element_count

    def input_text(self, number: int, flat: int | None = None, *, bare: bool = False) -> str:
        """An input with its stage, or an element of it: `InputTensor[0,5]`.

        Of an element the stage is named only where other inputs hold data too, unless it is to be `bare`.
        """
        root = self.inputs[number]
        at = "" if flat is None else brackets(index_in(flat, root.part.tensor.sizes))
        alone = bare or (flat is not None and len(self.data_inputs()) == 1)
        return f"{root.part.path}{at}{'' if alone else f' ({plain(self.stages[root.stage].name, 40)})'}"

    def cell_text(self, cell: Cell) -> str:
        """An element of the last stage: `twice[0,9]`."""
        return self.element_text(len(self.stages) - 1, *cell)

    def way_text(self, cell: Cell) -> str:
        """The way back of one element that comes from an input, stage by stage."""
        path = self.source(*cell)
        places = [self.element_text(hop.stage, hop.output, hop.index) for hop in path.hops]
        flat = flat_in(path.index, self.inputs[path.root].part.tensor.sizes)
        return " ⇠ ".join([*places, self.input_text(path.root, flat)])


class ChainKind(Kind):
    """A kind that asks about all stages at once; the answer is one of up to four choices."""

    stage = 3
    alternatives = 4
    of_chains = True

    @abstractmethod
    def table(self, chain: AskedChain, rule: str = "") -> dict[Place, Said]:
        """What the holder of a rule answers about each place, "" being the truth's; what none answers isn't in it."""

    def is_told(self, chain: AskedChain, place: Place, said: Said) -> bool:
        """True if what is right about a place is all that there is to it."""
        return True

    @abstractmethod
    def others(self, chain: AskedChain, place: Place, dice: random.Random) -> Iterator[Said]:
        """Wrong answers besides those of rules."""

    @abstractmethod
    def names(self, chain: AskedChain, place: Place, said: Said) -> list[str]:
        """The elements that are an answer."""

    def asked(self, chain: AskedChain, place: Place) -> str:
        """What is asked about, as the question names it; by default an input, or an element of it."""
        return chain.input_text(*place)

    def text(self, chain: AskedChain, place: Place, said: Said | None) -> str | None:
        """An answer as a choice has it; None for none, and for more than a choice holds."""
        if said is None or len(said) > MOST_PLACES:
            return None
        return listed(self.names(chain, place, said))

    def rules_about(self, subject: Subject) -> Sequence[Misreading[Any]]:
        return CHAIN_RULES if subject.experiment.is_wired else ()

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        if not subject.experiment.is_wired or (chain := subject.keep("chain", lambda: _chain_of(subject))) is None:
            return None
        truth, dice = self.table(chain), self.dice(subject, seed)
        few = {place: said for place, said in truth.items() if len(said) <= MOST_PLACES}
        every = {place: said for place, said in few.items() if self.is_told(chain, place, said)}
        rules = sorted((rule.id for rule in CHAIN_RULES), key=lambda rule: rule not in wish.rules)
        wrong = [self.table(chain, rule) for rule in rules]
        asked = ((place, said, [table.get(place) for table in wrong]) for place, said in every.items() if said)
        place = _wished(chain, wish.at) if wish.at is not None else most_telling(asked, dice)
        if place not in every:
            return None
        said = [truth[place], *(table.get(place) for table in wrong), *self.others(chain, place, dice)]
        texts = list(dict.fromkeys(text for one in said if (text := self.text(chain, place, one)) is not None))
        if len(texts) < 2:
            return None
        texts = texts[: len(IDS)]
        self.dice(subject, seed).shuffle(texts)
        hidden = {*what_tells_elements(subject), *(part.path for part in subject.desc.inputs), "rules", "fixes"}
        prompt = sentence(f"{self.name}.prompt", element=self.asked(chain, place), count=len(chain.stages))
        is_cell = isinstance(place[-1], tuple)
        about: dict[str, Any] = {"at": At.output(*place)} if is_cell else {"cells": (place,)}
        return self.pose(subject, seed, prompt, hidden, choices=tuple(map(Choice, IDS, texts)), **about)

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        chain, place = the_chain(question.subject), _place_of(question)
        text = self.text(chain, place, self.table(chain, rule.id if rule is not None else "").get(place))
        return next((choice.id for choice in question.choices if choice.text == text), None)

    def lines(self, question: Question) -> list[tuple[str, tuple[int, ...], tuple[Value, ...]]]:
        """The inputs with their values, then each stage in a line, nothing in between."""
        chain, lines = the_chain(question.subject), []
        for number in chain.data_inputs():
            root, count = chain.inputs[number], chain.count(number)
            few = values_of(chain.traces[root.stage].read(root.tensor, np.arange(count))) if count <= SHOWN else []
            tensor = root.part.tensor
            title = f"{chain.input_text(number)} {tensor.data_type} {braces(tensor.sizes)}"
            lines.append((title, tensor.sizes, tuple(few)))
        stages = enumerate(chain.stages, 1)
        return [*lines, *((f"{k} {plain(stage.name, 40)} = {_stage_text(stage)}", (), ()) for k, stage in stages)]

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        says = self.says(question)
        return sentence("chain.look"), sentence("chain.rule"), blanked(says), says


class ThroughKind(ChainKind):
    """Asks from which element of the chain's inputs one of its outputs' elements comes."""

    name = "through"

    def table(self, chain: AskedChain, rule: str = "") -> dict[Place, Said]:
        return {cell: (end,) for cell, end in chain.ends(rule).items() if end is not None}

    def others(self, chain: AskedChain, place: Place, dice: random.Random) -> Iterator[Said]:
        yield from _early(chain, place)
        root = chain.source(*place).root
        count = chain.count(root)
        yield from (((root, flat),) for flat in dice.sample(range(count), min(count, SOME)))

    def names(self, chain: AskedChain, place: Place, said: Said) -> list[str]:
        return [chain.input_text(*end) for end in said]

    def asked(self, chain: AskedChain, place: Place) -> str:
        return chain.cell_text((place[0], place[1]))

    def says(self, question: Question) -> str:
        return f"{the_chain(question.subject).way_text(question.cell)}."

    def remarks(self, question: Question, answer: Answer) -> str:
        chain, says = the_chain(question.subject), self.says(question)
        text = next(choice.text for choice in question.choices if choice.id == answer)
        early = [self.text(chain, question.cell, said) for said in _early(chain, question.cell)]
        return f"{sentence('through.early')} {says}" if answer != question.truth and text in early else says


class ReachKind(ChainKind):
    """Asks for all places of the end at which an element of the chain's inputs arrives; `cells` has that element."""

    name = "reach"
    of_inputs = True

    def table(self, chain: AskedChain, rule: str = "") -> dict[Place, Said]:
        found: dict[Place, Said] = {
            (root, flat): () for root in chain.data_inputs() for flat in range(chain.count(root))
        }
        for cell, end in chain.ends(rule).items():
            if end is not None:
                found[end] = (*found.get(end, ()), cell)
        return found

    def is_told(self, chain: AskedChain, place: Place, said: Said) -> bool:
        return chain.counts is not None and chain.counts[place[0]][place[1]] == len(said)  # more ways steer others

    def others(self, chain: AskedChain, place: Place, dice: random.Random) -> Iterator[Said]:
        (root, flat), table = place, self.table(chain)
        yield table[place][:1]
        some = dice.sample(range(chain.count(root)), min(chain.count(root), SOME))
        yield from (table[root, other] for other in some if other != flat)

    def names(self, chain: AskedChain, place: Place, said: Said) -> list[str]:
        return [*map(chain.cell_text, said)] or [sentence("reach.none")]

    def says(self, question: Question) -> str:
        chain, place = the_chain(question.subject), _place_of(question)
        said, name = self.table(chain)[place], self.asked(chain, place)
        if not said:
            return sentence("reach.says_none", element=name)
        places = self.text(chain, place, said)
        return sentence("reach.says", element=name, places=places, path=chain.way_text(said[0]))


class DeadKind(ChainKind):
    """Asks which elements of one of the chain's inputs never arrive; `cells` has that input's number."""

    name = "dead"

    def table(self, chain: AskedChain, rule: str = "") -> dict[Place, Said]:
        found = {*chain.ends(rule).values()}
        every = {root: range(chain.count(root)) for root in chain.data_inputs()}
        return {(root,): tuple(flat for flat in flats if (root, flat) not in found) for root, flats in every.items()}

    def is_told(self, chain: AskedChain, place: Place, said: Said) -> bool:
        return 0 < len(said) == chain.dead(place[0])  # none steers others

    def others(self, chain: AskedChain, place: Place, dice: random.Random) -> Iterator[Said]:
        right, count = self.table(chain)[place], chain.count(place[0])
        wrong = [tuple((x + by) % count for x in right) for by in dice.sample(range(1, count), min(count - 1, 4))]
        yield from (tuple(sorted(said)) for said in [*wrong[:1], (), *wrong[1:]])

    def names(self, chain: AskedChain, place: Place, said: Said) -> list[str]:
        return [chain.input_text(place[0], flat, bare=True) for flat in said] or [sentence("dead.none")]

    def says(self, question: Question) -> str:
        chain, place = the_chain(question.subject), _place_of(question)
        said = self.table(chain)[place]
        names = self.text(chain, place, said)
        return sentence("dead.says", names=names, count=len(said), whole=chain.count(place[0]))


def _wished(chain: AskedChain, at: At) -> Place:
    """The place that an author names; one that isn't asked about where there is no such element."""
    number = at.place.number
    if at.place.is_output or not at.index or number >= len(chain.inputs):
        return (number, at.index) if at.place.is_output else (number,)
    sizes = chain.inputs[number].part.tensor.sizes
    is_there = len(at.index) == len(sizes) and all(np.less(at.index, sizes))
    return (number, flat_in(at.index, sizes)) if is_there else ()


def _place_of(question: Question) -> Place:
    """What a question is about."""
    return question.cell if question.at is not None else question.cells[0]


def _early(chain: AskedChain, place: Place) -> list[Said]:
    """What is answered by who stops before the last stage back: its index, taken for the input's."""
    path = chain.source(*place)
    sizes = chain.inputs[path.root].part.tensor.sizes
    fitting = [hop.index for hop in reversed(path.hops) if len(hop.index) == len(sizes)]
    return [((path.root, flat_in(index, sizes)),) for index in fitting if all(np.less(index, sizes))]


def the_chain(subject: Subject) -> AskedChain:
    """The chain of a subject that a question about it was made of."""
    return subject.keep("chain", lambda: AskedChain(subject.experiment))


def _chain_of(subject: Subject) -> AskedChain | None:
    """The chain that ends with a subject's experiment; None where nothing is asked about one.

    That is so where it can't run or is too large, and where an element of the last stage comes by an index or length
    outside its range.
    """
    try:
        chain = AskedChain(subject.experiment)
    except DmlvizError:
        return None
    last, flats = len(chain.stages) - 1, [np.arange(part.tensor.element_count) for part in chain.outputs]
    if not last or chain.elements > SMALL:
        return None
    is_clamped = any((chain.addresses(last, k, flat)[2] & CLAMPED).any() for k, flat in enumerate(flats))
    return None if is_clamped else chain


def _stage_text(stage: Experiment) -> str:
    """A stage in one line, of what steers it its few values: `JOIN Axis 1: halves[1], halves[0] → {1, 8}`."""
    desc, reads = stage.desc, {part.path: wire_name(wire) for part, wire in wires(stage)}
    fields = sorted(desc.ATTRIBUTES, key=lambda field: field.is_list)
    numbers = ", ".join(f"{field.name} {field.shown(desc.get(field.name))}" for field in fields)
    for k, part in enumerate(desc.inputs):
        if part.path not in reads and part.field.role is not Role.DATA and part.tensor.element_count <= SHOWN:
            cells = stage.links.read(k, np.arange(part.tensor.element_count, dtype=np.int64))
            reads[part.path] = braces(shown(value) for value in values_of(cells))
    read = ", ".join(reads.get(part.path, part.path) for part in desc.inputs)
    written = ", ".join(braces(part.tensor.sizes) for part in desc.outputs)
    return f"{operator_of(desc).name}{' ' * bool(numbers)}{numbers}: {read} → {written}"


KINDS = ThroughKind(), ReachKind(), DeadKind()
