"""`dead`: which elements of an input never arrive at the end of a chain?"""

from __future__ import annotations

import random

from ..questions.question import ANYTHING, Question, Wish
from ..questions.subject import Subject
from .lib.chain_kind import (
    MOST_PLACES,
    ChainKind,
    arriving,
    chain_of,
    data_roots,
    ends_by,
    many,
    root_element,
    root_name,
    the_chain,
)


class DeadKind(ChainKind):
    """Asks which elements of one of the chain's inputs never arrive; `cells` has that input's number."""

    name = "dead"

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        chain = chain_of(subject)
        if chain is None:
            return None
        dice = self.dice(subject, seed)
        roots = data_roots(chain) if wish.at is None else [wish.at.place.number]
        asked = [root for root in roots if root in data_roots(chain) and _dead(subject, root)]
        asked = [root for root in asked if chain.dead(root) == len(_dead(subject, root))]  # none steers others
        told = [root for root in asked if _named(subject, root, _dead(subject, root)) is not None]
        if not told:
            return None
        root = dice.choice(told)
        truth = _named(subject, root, _dead(subject, root))
        assert truth is not None
        rules = sorted((rule.id for rule in self.rules_about(subject)), key=lambda rule: rule not in wish.rules)
        others = [_named(subject, root, _dead(subject, root, rule)) for rule in rules]
        prompt = subject.sentence("dead.prompt", name=root_name(chain, root), count=len(chain.stages))
        return self.posed(subject, seed, prompt, truth, [*others, *_others(subject, root, dice)], cells=((root,),))

    def answer_text(self, question: Question, rule: str) -> str | None:
        ((root,),) = question.cells
        return _named(question.subject, root, _dead(question.subject, root, rule))

    def says(self, question: Question) -> str:
        ((root,),) = question.cells
        subject, chain = question.subject, the_chain(question.subject)
        count, names = len(_dead(subject, root)), self.answer_text(question, "")
        whole = chain.inputs[root].part.tensor.element_count
        return subject.sentence("dead.says_one" if count == 1 else "dead.says", names=names, count=count, whole=whole)


def _dead(subject: Subject, root: int, rule: str = "") -> list[int]:
    """The flat elements of an input that never arrive."""
    chain = the_chain(subject)
    found = arriving(ends_by(subject, rule), root)
    return [flat for flat in range(chain.inputs[root].part.tensor.element_count) if flat not in found]


def _named(subject: Subject, root: int, flats: list[int]) -> str | None:
    """Elements as a choice names them; None for more than one that a line holds."""
    chain = the_chain(subject)
    if len(flats) > MOST_PLACES:
        return None
    return many(subject, [root_element(chain, root, flat, bare=True) for flat in flats]) or subject.sentence(
        "dead.none"
    )


def _others(subject: Subject, root: int, dice: random.Random) -> list[str | None]:
    """As many other elements, those beside, and none."""
    chain, right = the_chain(subject), _dead(subject, root)
    count = chain.inputs[root].part.tensor.element_count
    wrong = [[(flat + by) % count for flat in right] for by in dice.sample(range(1, count), min(count - 1, 4))]
    return [_named(subject, root, sorted(flats)) for flats in [*wrong[:1], [], *wrong[1:]]]


KIND = DeadKind()
