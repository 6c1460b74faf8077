"""What kinds have in common that ask about a chain: an experiment with all that it reads by wires."""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct

from ....desc.fields import Role
from ....desc.indexing import flat_in, index_in
from ....desc.tensors import braces, brackets
from ....desc.values import Indices
from ....errors import DmlvizError, plain
from ....operators.maps import CLAMPED
from ....operators.registry import operator_of
from ....operators.wrong_rules import Misreading
from ...questions.answers import Value, shown, values_of
from ...questions.question import Answer, Choice, Kind, Question
from ...questions.subject import READ_AT_ONCE, Subject
from ...questions.wording import blanked, listed, what_tells_elements
from ...words.chain_rules import CHAIN_RULES
from .choices import read_choice

if TYPE_CHECKING:
    from ....session.chains import Chain
    from ....session.experiments import Experiment

IDS = ("a", "b", "c", "d")
SHOWN = 48
"""Elements of an input of the chain whose values are shown."""
MOST_PLACES = 6
"""Elements that a choice names, at most."""

Ends = tuple[tuple[Indices, Indices], ...]
"""For each output of the last stage, (inputs' numbers, flat elements) that its elements come from; all (N,)."""


class ChainKind(Kind):
    """A kind that asks about all stages at once; the answer is one of up to four choices."""

    stage = 3
    alternatives = 4

    def rules_about(self, subject: Subject) -> Sequence[Misreading[Any]]:
        return CHAIN_RULES if subject.experiment.is_wired else ()

    @abstractmethod
    def answer_text(self, question: Question, rule: str) -> str | None:
        """What the holder of a rule would choose, "" being the truth's; None where the rule says nothing of it."""

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        text = self.answer_text(question, rule.id if rule is not None else "")
        return next((choice.id for choice in question.choices if choice.text == text), None)

    def read(self, question: Question, given: object) -> str:
        return read_choice(question, given)

    def posed(
        self, subject: Subject, seed: int, prompt: str, truth: str, others: Iterable[str | None], **more: Any
    ) -> Question | None:
        """A question with `truth` among up to three others, the first ones that differ; None for none that does.

        None among `others` is of a rule that says nothing of it, or of more than a choice holds.
        """
        wrong = (text for text in dict.fromkeys(others) if text is not None and text != truth)
        texts = [truth, *itertools.islice(wrong, len(IDS) - 1)]
        if len(texts) < 2:
            return None
        self.dice(subject, seed).shuffle(texts)
        choices = tuple(Choice(id_, text) for id_, text in zip(IDS, texts, strict=False))
        hidden = {*what_tells_elements(subject), *(part.path for part in subject.desc.inputs), "rules", "fixes"}
        return self.pose(subject, seed, prompt, hidden, choices=choices, **more)

    def lines(self, question: Question) -> list[tuple[str, tuple[Value, ...]]]:
        return [(one.title, one.values) for one in shown_chain(question)]

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        sentence, says = question.subject.sentence, self.says(question)
        return sentence("chain.look"), sentence("chain.rule"), blanked(says), says


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
    from ....session.chains import Chain  # most experiments have no wires

    try:
        chain = Chain(experiment)
    except DmlvizError:
        return None
    return chain if len(chain.stages) > 1 and chain.elements <= READ_AT_ONCE and _is_promised(chain) else None


def _is_promised(chain: Chain) -> bool:
    last = len(chain.stages) - 1
    flats = (np.arange(part.tensor.element_count, dtype=np.int64) for part in chain.outputs)
    return not any((chain.addresses(last, k, flat)[2] & CLAMPED).any() for k, flat in enumerate(flats))


def ends_by(subject: Subject, rule: str = "") -> Ends:
    """Where all elements of the last stage come from, by a wrong rule or in truth; worked out once."""
    return subject.keep(("ends", rule), lambda: ends_of(the_chain(subject), rule))


def ends_of(chain: Chain, rule: str = "") -> Ends:
    """`ends_by` of a chain that no subject keeps."""
    from .chain_maps import origins

    return tuple(origins(chain, rule, output) for output in range(len(chain.outputs)))


def told_rules(subject: Subject) -> list[str]:
    """Ids of the wrong rules that say something else of some element than the truth."""
    truth = ends_by(subject)
    return [rule.id for rule in CHAIN_RULES if not same_ends(ends_by(subject, rule.id), truth)]


def same_ends(one: Ends, other: Ends) -> bool:
    """True if two chains of the same inputs have every element come from the same one."""
    return len(one) == len(other) and all(
        np.array_equal(a, b) for pair, pair2 in zip(one, other, strict=True) for a, b in zip(pair, pair2, strict=True)
    )


def arrivals(ends: Ends, root: int, flat: int) -> list[tuple[int, int]]:
    """(output, flat element) of all that comes from one element of an input."""
    found = []
    for output, (roots, flats) in enumerate(ends):
        found += [(output, int(at)) for at in np.flatnonzero((roots == root) & (flats == flat))]
    return found


def arriving(ends: Ends, root: int) -> frozenset[int]:
    """The flat elements of an input that arrive anywhere."""
    return frozenset(int(i) for roots, flats in ends for i in np.unique(flats[roots == root]))


def data_roots(chain: Chain) -> list[int]:
    """The numbers of the chain's inputs that hold data."""
    return [number for number, root in enumerate(chain.inputs) if root.part.field.role is Role.DATA]


# ---- words


def root_name(chain: Chain, number: int) -> str:
    """An input of a chain; the stage is named where several have an input."""
    root = chain.inputs[number]
    return f"{root.part.path} ({plain(chain.stages[root.stage].name, 40)})"


def root_element(chain: Chain, number: int, flat: int, *, bare: bool = False) -> str:
    """An element of an input, by its flat number: `InputTensor[0,5]`.

    Where others hold data too, its stage is named behind it, unless it is to be `bare`.
    """
    root = chain.inputs[number]
    index = index_in(flat, root.part.tensor.sizes)
    alone = bare or len(data_roots(chain)) == 1
    stage = "" if alone else f" ({plain(chain.stages[root.stage].name, 40)})"
    return f"{root.part.path}{brackets(index)}{stage}"


def end_element(chain: Chain, output: int, flat: int) -> str:
    """An element of the last stage, by its flat number: `twice[0,9]`."""
    index = index_in(flat, chain.outputs[output].tensor.sizes)
    return chain.element_text(len(chain.stages) - 1, output, index)


def ended_path(subject: Subject, output: int, index: Sequence[int]) -> str:
    """The way back of one element that comes from an input, stage by stage."""
    chain = the_chain(subject)
    path = chain.path(len(chain.stages) - 1, output, index)
    places = [chain.element_text(hop.stage, hop.output, hop.index) for hop in path.hops]
    root = flat_in(path.index, chain.inputs[path.root].part.tensor.sizes)
    return " ⇠ ".join([*places, root_element(chain, path.root, root)])


def many(subject: Subject, names: Sequence[str]) -> str:
    """Elements as a choice names them."""
    return listed(list(names))


def stage_text(stage: Experiment) -> str:
    """A stage in one line, of what steers it its few values: `JOIN Axis 1: halves[1], halves[0] → {1, 8}`."""
    from ....session.wiring import wire_name, wires

    desc, led = stage.desc, {part.path: wire_name(wire) for part, wire in wires(stage)}
    numbers = [f"{field.name} {field.shown(desc.get(field.name))}" for field in desc.ATTRIBUTES if not field.is_list]
    numbers += [f"{field.name} {field.shown(desc.get(field.name))}" for field in desc.ATTRIBUTES if field.is_list]
    reads = []
    for k, part in enumerate(desc.inputs):
        if part.path not in led and part.field.role is not Role.DATA and part.tensor.element_count <= SHOWN:
            cells = stage.links.read(k, np.arange(part.tensor.element_count, dtype=np.int64))
            reads.append(braces(shown(value) for value in values_of(cells)))
        else:
            reads.append(led.get(part.path, part.path))
    written = ", ".join(braces(part.tensor.sizes) for part in desc.outputs)
    return f"{operator_of(desc).name}{' ' * bool(numbers)}{', '.join(numbers)}: {', '.join(reads)} → {written}"


class Shown(Struct, frozen=True):
    """A tensor or a stage of a chain, as plain text and a table."""

    title: str
    sizes: tuple[int, ...] = ()
    values: tuple[Value, ...] = ()


def shown_chain(question: Question) -> list[Shown]:
    """What a chain's question shows while it is open: its inputs' values, each stage in a line, nothing in between."""
    chain = the_chain(question.subject)
    lines = []
    for number, root in enumerate(chain.inputs):
        if root.part.field.role is Role.DATA:
            tensor, flat = root.part.tensor, np.arange(root.part.tensor.element_count, dtype=np.int64)
            few = values_of(chain.traces[root.stage].read(root.tensor, flat)) if len(flat) <= SHOWN else []
            title = f"{root_name(chain, number)} {tensor.data_type} {braces(tensor.sizes)}"
            lines.append(Shown(title, tensor.sizes, tuple(few)))
    for k, stage in enumerate(chain.stages):
        lines.append(Shown(f"{k + 1} {plain(stage.name, 40)} = {stage_text(stage)}"))
    return lines
