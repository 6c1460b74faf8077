"""`through`, `reach`, `dead`: where elements come from and go to through all stages of a chain.

They ask about an experiment with all that it reads by wires; about one without wires they ask nothing.
"""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...desc.fields import Role
from ...desc.indexing import flat_in, index_in
from ...desc.tensors import braces, brackets
from ...errors import DmlvizError, plain
from ...operators.maps import CLAMPED
from ...operators.registry import operator_of
from ...operators.wrong_rules import Misreading
from ..questions.answers import Answer, Cell, Value, shown, values_of
from ..questions.elements import most_telling
from ..questions.question import ANYTHING, At, Choice, Kind, Question, Wish
from ..questions.subject import SMALL, Subject, every_cell
from ..questions.wording import blanked, listed, what_tells_elements
from ..words.chain_rules import CHAIN_RULES

if TYPE_CHECKING:
    from ...session.chains import Chain
    from ...session.experiments import Experiment

IDS = ("a", "b", "c", "d")
SHOWN = 48
"""Elements of an input of the chain whose values are shown."""
MOST_PLACES = 6
"""Elements that a choice names, at most."""

End = tuple[int, int]
"""An element of an input of the chain, by that's number, row-major."""
Place = tuple[Any, ...]
"""What is asked about: a cell of the end, an element of an input, or (an input,)."""
Said = tuple[Any, ...]
"""Elements that are an answer: of the inputs, cells of the end, or numbers of elements."""


class ChainKind(Kind):
    """A kind that asks about all stages at once; the answer is one of up to four choices."""

    stage = 3
    alternatives = 4
    of_chains = True

    @abstractmethod
    def every(self, subject: Subject) -> Iterator[Place]:
        """What may be asked about."""

    @abstractmethod
    def said(self, subject: Subject, place: Place, rule: str = "") -> Said | None:
        """What the holder of a rule answers, "" being the truth's; None where the rule says nothing of it."""

    @abstractmethod
    def named(self, subject: Subject, place: Place, said: Said | None) -> str | None:
        """An answer as a choice has it; None for none, and for more than a choice holds."""

    @abstractmethod
    def others(self, subject: Subject, place: Place, dice: random.Random) -> Iterator[Said | None]:
        """Other wrong answers."""

    @abstractmethod
    def prompt(self, subject: Subject, place: Place) -> str:
        """The question, as text."""

    def wished(self, chain: Chain, at: At) -> Place | None:
        """The place of an input's element that an author names; None where it isn't there."""
        sizes = chain.inputs[at.place.number].part.tensor.sizes if at.place.number < len(chain.inputs) else ()
        is_there = not at.place.is_output and len(at.index) == len(sizes) and all(np.less(at.index, sizes))
        return (at.place.number, flat_in(at.index, sizes)) if is_there else None

    def about(self, place: Place) -> dict[str, Any]:
        """The fields of a question that say what it is about."""
        return {"cells": (place,)}

    def place(self, question: Question) -> Place:
        """What a question is about."""
        return question.cells[0]

    def rules_about(self, subject: Subject) -> Sequence[Misreading[Any]]:
        return CHAIN_RULES if subject.experiment.is_wired else ()

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        chain = chain_of(subject)
        if chain is None:
            return None
        dice, every = self.dice(subject, seed), [*self.every(subject)]
        place = self.wished(chain, wish.at) if wish.at is not None else self._best(subject, every, dice)
        if place is None or place not in every:
            return None
        rules = sorted((rule.id for rule in CHAIN_RULES), key=lambda rule: rule not in wish.rules)
        said = [*(self.said(subject, place, rule) for rule in rules), *self.others(subject, place, dice)]
        truth, others = self._text(subject, place), (self.named(subject, place, one) for one in said)
        texts = list(dict.fromkeys(text for text in (truth, *others) if text is not None))[: len(IDS)]
        if len(texts) < 2:
            return None
        self.dice(subject, seed).shuffle(texts)
        choices = tuple(Choice(id_, text) for id_, text in zip(IDS, texts, strict=False))
        hidden = {*what_tells_elements(subject), *(part.path for part in subject.desc.inputs), "rules", "fixes"}
        return self.pose(subject, seed, self.prompt(subject, place), hidden, choices=choices, **self.about(place))

    def _best(self, subject: Subject, every: list[Place], dice: random.Random) -> Place | None:
        """What tells most wrong rules from the truth, of what isn't answered by nothing."""
        rules, right = told_rules(subject), {place: self.said(subject, place) for place in every}
        asked = ((p, said, [self.said(subject, p, rule) for rule in rules]) for p, said in right.items() if said)
        return most_telling(asked, dice)

    def _text(self, subject: Subject, place: Place, rule: str = "") -> str | None:
        return self.named(subject, place, self.said(subject, place, rule))

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        text = self._text(question.subject, self.place(question), rule.id if rule is not None else "")
        return next((choice.id for choice in question.choices if choice.text == text), None)

    def lines(self, question: Question) -> list[tuple[str, tuple[int, ...], tuple[Value, ...]]]:
        """The inputs with their values, then each stage in a line, nothing in between."""
        chain, lines = the_chain(question.subject), []
        for number, root in enumerate(chain.inputs):
            if root.part.field.role is Role.DATA:
                tensor, flat = root.part.tensor, np.arange(root.part.tensor.element_count, dtype=np.int64)
                few = values_of(chain.traces[root.stage].read(root.tensor, flat)) if len(flat) <= SHOWN else []
                title = f"{_root_name(chain, number)} {tensor.data_type} {braces(tensor.sizes)}"
                lines.append((title, tensor.sizes, tuple(few)))
        stages = enumerate(chain.stages, 1)
        return [*lines, *((f"{k} {plain(stage.name, 40)} = {_stage_text(stage)}", (), ()) for k, stage in stages)]

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        say, says = question.subject.sentence, self.says(question)
        return say("chain.look"), say("chain.rule"), blanked(says), says


class ThroughKind(ChainKind):
    """Asks from which element of the chain's inputs one of its outputs' elements comes."""

    name = "through"

    def every(self, subject: Subject) -> Iterator[Place]:
        return (cell for cell, end in ends_by(subject).items() if end is not None)

    def said(self, subject: Subject, place: Place, rule: str = "") -> Said | None:
        end = ends_by(subject, rule)[place]
        return None if end is None else (end,)

    def named(self, subject: Subject, place: Place, said: Said | None) -> str | None:
        return None if said is None else root_element(the_chain(subject), *said[0])

    def others(self, subject: Subject, place: Place, dice: random.Random) -> Iterator[Said | None]:
        yield from self._early(subject, place)
        root, _ = (self.said(subject, place) or ((0, 0),))[0]
        count = the_chain(subject).inputs[root].part.tensor.element_count
        yield from (((root, flat),) for flat in dice.sample(range(count), min(count, 8)))

    def _early(self, subject: Subject, place: Place) -> list[Said]:
        """What is answered by who stops before the last stage back: its index, taken for the input's."""
        chain, truth = the_chain(subject), self.said(subject, place)
        path = chain.source(*place)
        sizes = chain.inputs[path.root].part.tensor.sizes
        fitting = [hop.index for hop in reversed(path.hops) if len(hop.index) == len(sizes)]
        said = [((path.root, flat_in(index, sizes)),) for index in fitting if all(np.less(index, sizes))]
        return [one for one in said if one != truth]

    def wished(self, chain: Chain, at: At) -> Place | None:
        return (at.place.number, at.index) if at.place.is_output else None

    def about(self, place: Place) -> dict[str, Any]:
        return {"at": At.output(*place)}

    def place(self, question: Question) -> Place:
        return question.cell

    def prompt(self, subject: Subject, place: Place) -> str:
        chain = the_chain(subject)
        return subject.sentence("through.prompt", element=_end_element(chain, place), count=len(chain.stages))

    def says(self, question: Question) -> str:
        return f"{_ended_path(question.subject, question.cell)}."

    def remarks(self, question: Question, answer: Answer) -> str:
        says, text = self.says(question), next(c.text for c in question.choices if c.id == answer)
        subject, place = question.subject, self.place(question)
        early = [self.named(subject, place, said) for said in self._early(subject, place)]
        return says if text not in early else " ".join((subject.sentence("through.early"), says))


class ReachKind(ChainKind):
    """Asks for all places of the end at which an element of the chain's inputs arrives; `cells` has that element."""

    name = "reach"
    of_inputs = True

    def every(self, subject: Subject) -> Iterator[Place]:
        chain = the_chain(subject)
        for root in _data_roots(chain):
            for flat, count in enumerate(chain.counts[root] if chain.counts is not None else ()):
                own = self.said(subject, (root, flat)) or ()
                if len(own) == count and len(own) <= MOST_PLACES:  # with more ways it steers others
                    yield root, flat

    def said(self, subject: Subject, place: Place, rule: str = "") -> Said | None:
        return tuple(cell for cell, end in ends_by(subject, rule).items() if end == place)

    def named(self, subject: Subject, place: Place, said: Said | None) -> str | None:
        if said is None or len(said) > MOST_PLACES:
            return None
        return listed([_end_element(the_chain(subject), cell) for cell in said]) or subject.sentence("reach.none")

    def others(self, subject: Subject, place: Place, dice: random.Random) -> Iterator[Said | None]:
        root, flat = place
        count = the_chain(subject).inputs[root].part.tensor.element_count
        yield (self.said(subject, place) or ())[:1]
        yield from (
            self.said(subject, (root, other)) for other in dice.sample(range(count), min(count, 8)) if other != flat
        )

    def prompt(self, subject: Subject, place: Place) -> str:
        chain = the_chain(subject)
        return subject.sentence("reach.prompt", element=root_element(chain, *place), count=len(chain.stages))

    def says(self, question: Question) -> str:
        subject, place = question.subject, self.place(question)
        chain, found = the_chain(subject), self.said(subject, place)
        name = root_element(chain, *place)
        if not found:
            return subject.sentence("reach.says_none", element=name)
        path = _ended_path(subject, found[0])
        return subject.sentence("reach.says", element=name, places=self.named(subject, place, found), path=path)


class DeadKind(ChainKind):
    """Asks which elements of one of the chain's inputs never arrive; `cells` has that input's number."""

    name = "dead"

    def every(self, subject: Subject) -> Iterator[Place]:
        chain = the_chain(subject)
        for root in _data_roots(chain):
            dead = self.said(subject, (root,)) or ()
            if chain.dead(root) == len(dead) and 0 < len(dead) <= MOST_PLACES:  # none steers others
                yield (root,)

    def said(self, subject: Subject, place: Place, rule: str = "") -> Said | None:
        (root,) = place
        found, count = {*ends_by(subject, rule).values()}, the_chain(subject).inputs[root].part.tensor.element_count
        return tuple(flat for flat in range(count) if (root, flat) not in found)

    def named(self, subject: Subject, place: Place, said: Said | None) -> str | None:
        if said is None or len(said) > MOST_PLACES:
            return None
        names = [root_element(the_chain(subject), place[0], flat, bare=True) for flat in said]
        return listed(names) or subject.sentence("dead.none")

    def others(self, subject: Subject, place: Place, dice: random.Random) -> Iterator[Said | None]:
        right, count = self.said(subject, place) or (), the_chain(subject).inputs[place[0]].part.tensor.element_count
        wrong = [tuple((x + by) % count for x in right) for by in dice.sample(range(1, count), min(count - 1, 4))]
        yield from (tuple(sorted(said)) for said in [*wrong[:1], (), *wrong[1:]])

    def wished(self, chain: Chain, at: At) -> Place | None:
        return (at.place.number,)

    def prompt(self, subject: Subject, place: Place) -> str:
        chain = the_chain(subject)
        return subject.sentence("dead.prompt", name=_root_name(chain, place[0]), count=len(chain.stages))

    def says(self, question: Question) -> str:
        subject, place = question.subject, self.place(question)
        dead, whole = self.said(subject, place) or (), the_chain(subject).inputs[place[0]].part.tensor.element_count
        return subject.sentence("dead.says", names=self.named(subject, place, dead), count=len(dead), whole=whole)


# ---- the chain of a subject


def chain_of(subject: Subject) -> Chain | None:
    """The chain that ends with a subject's experiment; None where nothing is asked about one.

    That is so without wires, where it can't run or is too large, and where an element of the last stage comes by an
    index or length outside its range.
    """
    return subject.keep("chain", lambda: _chain_of(subject.experiment)) if subject.experiment.is_wired else None


def the_chain(subject: Subject) -> Chain:
    """`chain_of` a subject that a question about it was made of."""
    chain = chain_of(subject)
    assert chain is not None
    return chain


def _chain_of(experiment: Experiment) -> Chain | None:
    from ...session.chains import Chain  # most experiments have no wires

    try:
        chain = Chain(experiment)
    except DmlvizError:
        return None
    last, flats = len(chain.stages) - 1, [np.arange(part.tensor.element_count) for part in chain.outputs]
    if not last or chain.elements > SMALL:
        return None
    is_clamped = any((chain.addresses(last, k, flat)[2] & CLAMPED).any() for k, flat in enumerate(flats))
    return None if is_clamped else chain


def ends_by(subject: Subject, rule: str = "") -> dict[Cell, End | None]:
    """Where all elements of the last stage come from, by a wrong rule or in truth; worked out once."""
    from .lib.chain_maps import origin

    chain = the_chain(subject)
    cells = (cell for k, part in enumerate(chain.outputs) for cell in every_cell(k, part.tensor.sizes))
    return subject.keep(("ends", rule), lambda: {cell: origin(chain, rule, *cell) for cell in cells})


def told_rules(subject: Subject) -> list[str]:
    """Ids of the wrong rules that say something else of some element than the truth."""
    return [rule.id for rule in CHAIN_RULES if ends_by(subject, rule.id) != ends_by(subject)]


def _data_roots(chain: Chain) -> list[int]:
    """The numbers of the chain's inputs that hold data."""
    return [number for number, root in enumerate(chain.inputs) if root.part.field.role is Role.DATA]


# ---- words


def _root_name(chain: Chain, number: int) -> str:
    """An input of a chain, with its stage."""
    root = chain.inputs[number]
    return f"{root.part.path} ({plain(chain.stages[root.stage].name, 40)})"


def root_element(chain: Chain, number: int, flat: int, *, bare: bool = False) -> str:
    """An element of an input, by its flat number: `InputTensor[0,5]`.

    Where others hold data too, its stage is named behind it, unless it is to be `bare`.
    """
    root, alone = chain.inputs[number], bare or len(_data_roots(chain)) == 1
    stage = "" if alone else f" ({plain(chain.stages[root.stage].name, 40)})"
    return f"{root.part.path}{brackets(index_in(flat, root.part.tensor.sizes))}{stage}"


def _end_element(chain: Chain, cell: Cell) -> str:
    """An element of the last stage: `twice[0,9]`."""
    return chain.element_text(len(chain.stages) - 1, *cell)


def _ended_path(subject: Subject, cell: Cell) -> str:
    """The way back of one element that comes from an input, stage by stage."""
    chain = the_chain(subject)
    path = chain.source(*cell)
    places = [chain.element_text(hop.stage, hop.output, hop.index) for hop in path.hops]
    root = flat_in(path.index, chain.inputs[path.root].part.tensor.sizes)
    return " ⇠ ".join([*places, root_element(chain, path.root, root)])


def _stage_text(stage: Experiment) -> str:
    """A stage in one line, of what steers it its few values: `JOIN Axis 1: halves[1], halves[0] → {1, 8}`."""
    from ...session.wiring import wire_name, wires

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
