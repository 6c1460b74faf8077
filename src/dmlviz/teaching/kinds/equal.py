"""`equal`: is a chain the same map with another stage in the place of one, and if not, which element differs?"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ...desc.indexing import flat_in
from ...operators.maps import NOWHERE
from ..questions.question import ANYTHING, Question, Wish
from ..questions.subject import Subject
from .hole import with_another
from .lib.chain_kind import ChainKind, chain_of, end_element, ends_of, operator_text, root_element, the_chain

if TYPE_CHECKING:
    from ...equality.deciding import Verdict
    from ...session.chains import Chain, Path

Element = tuple[int, int]
"""(output, flat element) of a chain's end."""
Others = list[tuple[str, "Chain", "Verdict", int]]
"""(the stage that is another, the chain with it, the verdict, the output that it is about)."""


class EqualKind(ChainKind):
    """Asks whether a chain and one with another stage are the same map; `cells` has the stage and which other."""

    name = "equal"

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        chain = chain_of(subject)
        if chain is None:
            return None
        dice = self.dice(subject, seed)
        stages = [wish.first] if wish.first is not None else dice.sample(range(len(chain.stages)), len(chain.stages))
        wants_same = dice.random() < 0.5
        for stage in stages:
            if not 0 <= stage < len(chain.stages):
                return None
            others = _others(subject, stage)
            numbers = dice.sample(range(len(others)), len(others))
            numbers.sort(key=lambda k: bool(others[k][2].same) is not wants_same)
            for number in numbers:
                text = others[number][0]
                prompt = subject.sentence("equal.prompt", number=stage + 1, stage=text)
                cells = ((stage, number),)
                truth = _told(subject, stage, number)
                other = [subject.sentence("equal.same"), *_elements(subject, stage, number, dice)]
                question = self.posed(subject, seed, prompt, truth, other, cells=cells)
                if question is not None:
                    return question
        return None

    def answer_text(self, question: Question, rule: str) -> str | None:
        subject, ((stage, number),) = question.subject, question.cells
        if not rule:
            return _told(subject, stage, number)
        chain = the_chain(subject)
        differing = _differing(chain, _others(subject, stage)[number][1], rule)
        if not differing:
            return subject.sentence("equal.same")
        named = {subject.sentence("equal.differs", element=end_element(chain, *each)) for each in differing}
        return next((choice.text for choice in question.choices if choice.text in named), None)

    def says(self, question: Question) -> str:
        subject, ((stage, number),) = question.subject, question.cells
        _, other, verdict, output = _others(subject, stage)[number]
        if verdict.first is None or verdict.left is None or verdict.right is None:
            return subject.sentence("equal.says_same")
        chain = the_chain(subject)
        here, there = path_end(chain, verdict.left), path_end(other, verdict.right)
        element = end_element(chain, output, verdict.first)
        return subject.sentence("equal.says", element=element, here=here, there=there)


def path_end(chain: Chain, path: Path) -> str:
    """The input's element that a path ends at; a constant is `0`."""
    if path.root == NOWHERE:
        return "0"
    return root_element(chain, path.root, flat_in(path.index, chain.inputs[path.root].part.tensor.sizes))


def _others(subject: Subject, stage: int) -> Others:
    """Chains with another stage in the place of one, of which it is decided whether they are the same map."""
    return subject.keep(("equal", stage), lambda: list(_decided(the_chain(subject), stage)))


def _decided(chain: Chain, stage: int) -> Iterator[tuple[str, Chain, Verdict, int]]:
    own = operator_text(chain.stages[stage])
    for text, other in dict(with_another(chain, stage)).items():
        if text != own and (found := verdict_on(chain, other)) is not None:
            yield text, other, *found


def verdict_on(chain: Chain, other: Chain) -> tuple[Verdict, int] | None:
    """Whether two chains are the same map, and the first output that isn't; None where that isn't decided."""
    from ...equality.deciding import same

    found = None
    for output in range(len(chain.outputs)):
        verdict = same(chain, other, output, output)
        if verdict.same is None:
            return None
        if not verdict.same:
            return verdict, output
        found = found or (verdict, output)
    return found


def _told(subject: Subject, stage: int, number: int) -> str:
    """The right choice."""
    _, _, verdict, output = _others(subject, stage)[number]
    if verdict.first is None:
        return subject.sentence("equal.same")
    return subject.sentence("equal.differs", element=end_element(the_chain(subject), output, verdict.first))


def _elements(subject: Subject, stage: int, number: int, dice: random.Random) -> list[str]:
    """Choices of elements that don't differ."""
    chain = the_chain(subject)
    differing = {*_differing(chain, _others(subject, stage)[number][1], "")}
    every = [(k, flat) for k, part in enumerate(chain.outputs) for flat in range(part.tensor.element_count)]
    alike = [each for each in every if each not in differing]
    chosen = dice.sample(alike, min(3, len(alike)))
    return [subject.sentence("equal.differs", element=end_element(chain, *each)) for each in chosen]


def _differing(chain: Chain, other: Chain, rule: str) -> list[Element]:
    """The elements of the end that come from elsewhere in another chain, by a wrong rule or in truth."""
    from ...equality.deciding import Inputs
    from .lib.chain_maps import UNKNOWN

    found: list[Element] = []
    numbers = [np.array([*each.values(), UNKNOWN, NOWHERE]) for each in Inputs(chain, other).numbers]
    for output, pairs in enumerate(zip(ends_of(chain, rule), ends_of(other, rule), strict=True)):
        (roots, flats), (its, others) = pairs
        differs = (numbers[0][roots] != numbers[1][its]) | (flats != others)
        found += [(output, int(flat)) for flat in np.flatnonzero(differs)]
    return found


KIND = EqualKind()
