"""`through`: which input element does an element come from, through all stages of a chain?"""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

from ...desc.indexing import flat_in, index_in
from ..questions.elements import Candidate, best_candidate, may_ask_output
from ..questions.question import ANYTHING, At, Question, Wish
from ..questions.subject import Subject
from .lib.chain_kind import (
    ChainKind,
    chain_of,
    end_element,
    ended_path,
    ends_by,
    root_element,
    the_chain,
    told_rules,
)


class ThroughKind(ChainKind):
    """Asks from which element of the chain's inputs one of its outputs' elements comes."""

    name = "through"

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        chain = chain_of(subject)
        if chain is None:
            return None
        dice = self.dice(subject, seed)
        at = wish.at if wish.at is not None else _best(subject, dice)
        if at is None or not may_ask_output(subject, at):
            return None
        truth = _origin(subject, at, "")
        if truth is None:
            return None
        rules = sorted((r.id for r in self.rules_about(subject)), key=lambda rule: rule not in wish.rules)
        others = [*(_origin(subject, at, rule) for rule in rules), *_early(subject, at), *_near(subject, at, dice)]
        name = end_element(chain, at.place.number, _flat(subject, at))
        prompt = subject.sentence("through.prompt", element=name, count=len(chain.stages))
        return self.posed(subject, seed, prompt, truth, others, at=at)

    def answer_text(self, question: Question, rule: str) -> str | None:
        return _origin(question.subject, question.element, rule)

    def says(self, question: Question) -> str:
        at = question.element
        return f"{ended_path(question.subject, at.place.number, at.index)}."

    def remarks(self, question: Question, answer: str) -> str:
        says, text = self.says(question), next(c.text for c in question.choices if c.id == answer)
        if answer == question.truth or text not in _early(question.subject, question.element):
            return says
        return " ".join((question.subject.sentence("through.early"), says))


def _flat(subject: Subject, at: At) -> int:
    return flat_in(at.index, subject.desc.outputs[at.place.number].tensor.sizes)


def _origin(subject: Subject, at: At, rule: str) -> str | None:
    """The input's element that one comes from by a rule; None for a constant, and where the rule can't say."""
    chain, (roots, flats) = the_chain(subject), ends_by(subject, rule)[at.place.number]
    flat = _flat(subject, at)
    return None if roots[flat] < 0 else root_element(chain, int(roots[flat]), int(flats[flat]))


def _best(subject: Subject, dice: random.Random) -> At | None:
    """The element that tells most wrong rules from the truth, of those that move."""
    truth, rules = ends_by(subject), told_rules(subject)
    found = []
    for output, (roots, flats) in enumerate(truth):
        sizes = subject.desc.outputs[output].tensor.sizes
        by_rules = [ends_by(subject, rule)[output] for rule in rules]
        for flat in np.flatnonzero(roots >= 0).tolist():
            right = roots[flat], flats[flat]
            said = [(int(r[flat]), int(f[flat])) for r, f in by_rules if r[flat] >= 0]
            wrong = [each for each in said if each != right]
            found.append(Candidate(At.output(output, index_in(flat, sizes)), len(wrong), len(set(wrong)), right))
    chosen = best_candidate(found, dice)
    return None if chosen is None else chosen.at


def _early(subject: Subject, at: At) -> list[str]:
    """What is answered by who stops before the last stage back: its index, taken for the input's."""
    chain = the_chain(subject)
    path = chain.path(len(chain.stages) - 1, at.place.number, at.index)
    if path.root < 0:
        return []
    sizes = chain.inputs[path.root].part.tensor.sizes
    fitting = [
        hop.index
        for hop in reversed(path.hops)
        if len(hop.index) == len(sizes) and all(i < n for i, n in zip(hop.index, sizes, strict=True))
    ]
    texts = [root_element(chain, path.root, flat_in(index, sizes)) for index in fitting]
    return [text for text in texts if text != _origin(subject, at, "")]


def _near(subject: Subject, at: At, dice: random.Random) -> Iterator[str]:
    """Other elements of the same input, by chance."""
    chain, (roots, _) = the_chain(subject), ends_by(subject)[at.place.number]
    root = int(roots[_flat(subject, at)])
    count = chain.inputs[root].part.tensor.element_count
    for flat in dice.sample(range(count), min(count, 8)):
        yield root_element(chain, root, flat)


KIND = ThroughKind()
