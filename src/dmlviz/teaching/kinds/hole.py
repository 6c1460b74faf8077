"""`hole`: which operator, with which numbers, stands in a chain where one stage is blank?"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...desc.base import Desc
from ...desc.fields import Role
from ...desc.indexing import put
from ...desc.tensors import DataType, TensorDesc
from ...desc.value_sources import Listed, Wired
from ...errors import DmlvizError
from ...operators.gather import Gather
from ...operators.reverse_subsequences import ReverseSubsequences
from ...session.experiments import Experiment, Session
from ..questions.answers import shown, values_of
from ..questions.elements import SMALL
from ..questions.question import ANYTHING, Picture, Question, Wish
from ..questions.subject import Subject
from ..words.chain_rules import CHAIN_RULES
from .lib.chain_kind import ChainKind, chain_of, ends_by, ends_of, operator_text, same_ends, the_chain

if TYPE_CHECKING:
    from ...session.chains import Chain

MOST_TRIED = 24
"""Stages that are tried in the place of the blank one."""
MOST_TOLD = 8
"""Elements that are told of what a wrong stage gives."""


class HoleKind(ChainKind):
    """Asks which of several stages gives the end that is shown; `first` is the number of the blank stage."""

    name = "hole"

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        chain = chain_of(subject)
        if chain is None or len(chain.stages) < 3:
            return None
        if sum(part.tensor.element_count for part in chain.outputs) > SMALL:
            return None
        dice = self.dice(subject, seed)
        stages = [wish.first] if wish.first is not None else dice.sample(range(len(chain.stages)), len(chain.stages))
        stages.sort(key=lambda stage: stage in (0, len(chain.stages) - 1))  # one in the middle if there is any
        for stage in stages:
            if not 0 <= stage < len(chain.stages):
                return None
            others = _others(subject, stage)
            if len(others) < 2:
                continue
            truth = operator_text(chain.stages[stage])
            texts, chosen = list(others), _by_rules(subject, stage)
            dice.shuffle(texts)
            texts = [*(text for text in texts if text in chosen), *(text for text in texts if text not in chosen)]
            prompt = subject.sentence("hole.prompt", number=stage + 1, count=len(chain.stages))
            ends = zip(chain.outputs, _end_values(chain), strict=True)
            goal = Picture(tuple((part.tensor.sizes, tuple(values_of(values))) for part, values in ends))
            return self.posed(subject, seed, prompt, truth, texts, first=stage, goal=goal)
        return None

    def answer_text(self, question: Question, rule: str) -> str | None:
        chain, subject, stage = the_chain(question.subject), question.subject, question.first
        assert stage is not None
        if not rule:
            return operator_text(chain.stages[stage])
        return _chosen_by(subject, stage, rule, [choice.text for choice in question.choices])

    def remarks(self, question: Question, answer: str) -> str:
        chosen = next(choice.text for choice in question.choices if choice.id == answer)
        assert question.first is not None
        other = _others(question.subject, question.first).get(chosen)
        if other is None:
            return self.says(question)
        goal = _end_values(the_chain(question.subject))
        ends = _end_values(other)
        number = next(k for k, end in enumerate(ends) if not np.array_equal(end, goal[k]))
        values = ", ".join(
            [*map(shown, values_of(ends[number][:MOST_TOLD])), *["..."] * (len(ends[number]) > MOST_TOLD)]
        )
        path = other.outputs[number].path
        return question.subject.sentence("hole.gives", stage=chosen, path=path, values=values)

    def says(self, question: Question) -> str:
        assert question.first is not None
        return question.subject.sentence("hole.says", number=question.first + 1, stage=self.answer_text(question, ""))


def _end_values(chain: Chain) -> list[np.ndarray[Any, Any]]:
    return [chain.traces[-1].reference(k).reshape(-1) for k in range(len(chain.outputs))]


def _by_rules(subject: Subject, stage: int) -> frozenset[str]:
    """The stages that holders of wrong rules would choose."""
    every = list(_others(subject, stage))
    chosen = (_chosen_by(subject, stage, rule.id, every) for rule in CHAIN_RULES)
    return frozenset(text for text in chosen if text is not None)


def _chosen_by(subject: Subject, stage: int, rule: str, texts: list[str]) -> str | None:
    """Of some stages the one with which the end would come out by a wrong rule, if by that the true one doesn't."""
    truth = ends_by(subject)
    if same_ends(ends_by(subject, rule), truth):
        return None
    others = _others(subject, stage)
    return next((text for text in texts if text in others and same_ends(ends_of(others[text], rule), truth)), None)


def _others(subject: Subject, stage: int) -> dict[str, Chain]:
    """By their text, chains with another stage in the place of one, which give other values at the end."""
    return subject.keep(("hole", stage), lambda: dict(_tried(subject, stage)))


def _tried(subject: Subject, stage: int) -> Iterator[tuple[str, Chain]]:
    chain = the_chain(subject)
    goal = _end_values(chain)
    for text, other in with_another(chain, stage):
        if not all(np.array_equal(a, b) for a, b in zip(_end_values(other), goal, strict=True)):
            yield text, other


def with_another(chain: Chain, stage: int) -> Iterator[tuple[str, Chain]]:
    """By their text, chains with another stage in the place of one that makes as much."""
    from ...session.chains import Chain

    own = chain.stages[stage]
    dice = random.Random(f"hole {stage} {own.name}")
    sizes = [part.tensor for part in own.desc.outputs]
    for candidate in itertools.islice(_candidates(own, dice), MOST_TRIED):
        if [part.tensor for part in candidate.desc.outputs] != sizes:
            continue
        try:
            stages = Session((*chain.stages[:stage], candidate, *chain.stages[stage + 1 :])).experiments
            other = Chain(stages[-1])
        except DmlvizError:
            continue
        if len(other.inputs) >= 1:
            yield operator_text(next(one for one in other.stages if one.name == own.name)), other


def _candidates(own: Experiment, dice: random.Random) -> Iterator[Experiment]:
    """Stages that might stand in the place of one: with its wires otherwise, its numbers, and of other operators."""
    data = [part for part in own.desc.inputs if part.field.role is Role.DATA]
    wires = [own.values.get(part.path) for part in data]
    if len(data) > 1 and all(isinstance(wire, Wired) for wire in wires):
        for order in itertools.product(range(len(data)), repeat=len(data)):
            moved = {p.path: own.values[data[k].path] for p, k in zip(data, order, strict=True)}
            if all(data[k].tensor == part.tensor for part, k in zip(data, order, strict=True)):
                yield replace(own, values={**own.values, **moved})
    if len(data) == 1 and len(own.desc.outputs) == 1:
        made = list(_moves(own, data[0].tensor, wires[0], dice))
        dice.shuffle(made)
        yield from made


def _moves(own: Experiment, tensor: TensorDesc, wire: Any, dice: random.Random) -> Iterator[Experiment]:
    """GATHERs and reversals that give as many elements along each axis as a stage does."""
    output = own.desc.outputs[0].tensor
    if len(output.sizes) != len(tensor.sizes):
        return
    values = {"InputTensor": wire} if wire is not None else {}
    for axis, n in enumerate(tensor.sizes):
        wanted = output.sizes[axis]
        if n < 2 or put(tensor.sizes, axis, wanted) != output.sizes:
            continue
        if wanted == n:
            for length in (n, n - 1, 2):
                lengths = TensorDesc(DataType.UINT32, put(tensor.sizes, axis, 1))
                given = Listed((length,) * lengths.element_count, lengths.sizes)
                yield _made(
                    own, ReverseSubsequences(tensor, lengths, axis=axis), {**values, "SequenceLengthsTensor": given}
                )
        repeated = [k * n // wanted for k in range(wanted)]
        turned = [(k + 1) % n for k in range(wanted)]
        mirrored = [k % n if k // n % 2 == 0 else n - 1 - k % n for k in range(wanted)]
        drawn = [dice.randrange(n) for _ in range(wanted)]
        for indices in (repeated, turned, mirrored, [n - 1 - k % n for k in range(wanted)], drawn):
            places = TensorDesc(DataType.UINT32, (*(1,) * (len(tensor.sizes) - 1), wanted))
            given = Listed((*indices,), places.sizes)
            desc = Gather(tensor, places, axis=axis, index_dimensions=1)
            yield _made(own, desc, {**values, "IndicesTensor": given})


def _made(own: Experiment, desc: Desc, values: dict[str, Any]) -> Experiment:
    return replace(own, desc=desc, values=values, extra={}, notes="")


KIND = HoleKind()
