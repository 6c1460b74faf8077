"""`reach`: at which places of the end does an input's element arrive, through all stages of a chain?"""

from __future__ import annotations

import random

from ...desc.indexing import flat_in, index_in
from ..questions.elements import Candidate, best_candidate
from ..questions.question import ANYTHING, At, Question, Wish
from ..questions.subject import Subject
from .lib.chain_kind import (
    MOST_PLACES,
    ChainKind,
    arrivals,
    chain_of,
    data_roots,
    end_element,
    ended_path,
    ends_by,
    many,
    root_element,
    the_chain,
    told_rules,
)


class ReachKind(ChainKind):
    """Asks for all places of the end at which an element of the chain's inputs arrives; `cells` has that element."""

    name = "reach"

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        chain = chain_of(subject)
        if chain is None:
            return None
        dice = self.dice(subject, seed)
        at = wish.at if wish.at is not None else _best(subject, dice)
        if at is None or at.place.is_output or at.place.number not in data_roots(chain):
            return None
        sizes = chain.inputs[at.place.number].part.tensor.sizes
        if len(at.index) != len(sizes) or not all(i < n for i, n in zip(at.index, sizes, strict=True)):
            return None
        root, flat = at.place.number, flat_in(at.index, sizes)
        truth = _places(subject, root, flat, "")
        own = len(arrivals(ends_by(subject), root, flat))
        if truth is None or chain.counts is None or chain.counts[root][flat] != own:  # it may steer others
            return None
        prompt = subject.sentence("reach.prompt", element=root_element(chain, root, flat), count=len(chain.stages))
        rules = sorted((rule.id for rule in self.rules_about(subject)), key=lambda rule: rule not in wish.rules)
        others = [*(_places(subject, root, flat, rule) for rule in rules), *_others(subject, root, flat, dice)]
        return self.posed(subject, seed, prompt, truth, others, cells=((root, flat),))

    def answer_text(self, question: Question, rule: str) -> str | None:
        ((root, flat),) = question.cells
        return _places(question.subject, root, flat, rule)

    def says(self, question: Question) -> str:
        ((root, flat),) = question.cells
        subject, found = question.subject, arrivals(ends_by(question.subject), root, flat)
        chain = the_chain(subject)
        if not found:
            return subject.sentence("reach.says_none", element=root_element(chain, root, flat))
        output, end = found[0]
        index = index_in(end, chain.outputs[output].tensor.sizes)
        places, path = _places(subject, root, flat, ""), ended_path(subject, output, index)
        return subject.sentence("reach.says", element=root_element(chain, root, flat), places=places, path=path)


def _named(subject: Subject, places: list[tuple[int, int]]) -> str | None:
    """Places as a choice names them; None for more than one that a line holds."""
    chain = the_chain(subject)
    if len(places) > MOST_PLACES:
        return None
    return many(subject, [end_element(chain, *place) for place in places]) or subject.sentence("reach.none")


def _places(subject: Subject, root: int, flat: int, rule: str) -> str | None:
    return _named(subject, arrivals(ends_by(subject, rule), root, flat))


def _best(subject: Subject, dice: random.Random) -> At | None:
    """The element that tells most wrong rules from the truth, one that arrives."""
    chain = the_chain(subject)
    found, rules = [], told_rules(subject)
    for root in data_roots(chain):
        sizes = chain.inputs[root].part.tensor.sizes
        for flat in range(chain.inputs[root].part.tensor.element_count):
            right = arrivals(ends_by(subject), root, flat)
            if 0 < len(right) <= MOST_PLACES:
                said = [arrivals(ends_by(subject, rule), root, flat) for rule in rules]
                wrong = [tuple(each) for each in said if each != right]
                found.append(Candidate(At.input(root, index_in(flat, sizes)), len(wrong), len(set(wrong)), right))
    chosen = best_candidate(found, dice)
    return None if chosen is None else chosen.at


def _others(subject: Subject, root: int, flat: int, dice: random.Random) -> list[str | None]:
    """A part of the places, where other elements arrive, and nowhere."""
    chain, right = the_chain(subject), arrivals(ends_by(subject), root, flat)
    count = chain.inputs[root].part.tensor.element_count
    others = [other for other in dice.sample(range(count), min(count, 8)) if other != flat]
    return [_named(subject, right[:1]), *(_places(subject, root, other, "") for other in others)]


KIND = ReachKind()
