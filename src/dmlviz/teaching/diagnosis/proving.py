"""The diagnosis of a quiz: it has many answers, and names a rule only when they tell it from every other.

Practice speaks after a few answers, and the next ones may tell better; a quiz's name is its outcome.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from ...desc.indexing import ravel
from ..questions.answers import Answer
from ..questions.question import Question
from .diagnosis import FOLLOWED, LEAST, NO_RULES, Diagnosis, followed

OUTWEIGHED = 1.5
"""How often the answers that follow a rule have to outweigh those that are wrong otherwise."""
SLIPS = 2
"""Wrong answers where a rule is right that are no sign of another one; as many as right ones are, of more."""
APART = 2
"""Wrong answers that a rule alone has to give, of it and any other: right ones tell little, since its holder wavers."""
LONG_ODDS = 1000
"""How much likelier a rule is than another that needs no telling apart."""


class Proving(Diagnosis):
    """Names a rule that wrong answers tell from every likely other one; later answers may take the name back."""

    def _confirm(self, given: set[str]) -> None:
        self._confirmed |= given

    @property
    def _is_settled(self) -> bool:
        return False

    def _follows(self, rule: str) -> bool:
        """True if the answers are a holder's, but for a few slips.

        Most of those that could follow the rule do, few are wrong in another way, and where the rule is right they are.
        """
        shown = [(question, answer) for question, answer in self._answers if rule in question.answers]
        told = [question for question, answer in shown if rule in followed(question, answer)]
        other = [q for q, answer in shown if answer != q.truth and rule not in followed(q, answer)]
        # The picture that a holder sees may be missing among choices.
        slips = [a != q.truth for q, a in self._answers if rule not in q.answers and not q.choices]
        return (
            len(told) >= max(LEAST, FOLLOWED * len(shown))
            and _weight(told) > OUTWEIGHED * _weight(other)
            and sum(slips) <= max(SLIPS, FOLLOWED * len(slips))
        )

    @property
    def rivals(self) -> tuple[str, ...]:
        """Wrong rules that the answers don't tell from the one that is suspected and confirmed; its twins aside.

        Wrong answers tell two rules apart; right ones do if there are many, since who holds a rule wavers.
        """
        rule = self._suspect
        if rule is None or rule not in self._confirmed:
            return ()
        shares = self._shares
        likely = [other for other in self._rules if shares[other] * LONG_ODDS > shares[rule]]
        more = dict.fromkeys({*likely} - {rule, *self.twins(rule)}, 0)
        for given in (followed(question, answer) for question, answer in self._answers):
            for other in more:
                more[other] += (rule in given) - (other in given)
        return tuple(other for other in likely if more.get(other, APART) < APART) or self._rivals_in_writing(rule)

    def _rivals_in_writing(self, rule: str) -> tuple[str, ...]:
        """Wrong rules about memory whose holder may have written all whole outputs that follow `rule`.

        On a square output the true numbers written down the columns are the transposed ones.
        """
        more: dict[str, int] = {}
        for question, answer in self._answers:
            follows = rule in followed(question, answer)
            for other, written in _as_written(question).items():
                more[other] = more.get(other, 0) + (follows and written != answer) - (not follows and written == answer)
        return tuple(other for other, apart in more.items() if other != rule and apart < 1 and self._may_write(other))

    def _may_write(self, rule: str) -> bool:
        """True if a wrong whole output is the true numbers, written in the order of a rule about memory."""
        return any(_as_written(q).get(rule) == answer != q.truth for q, answer in self._answers)

    def _tells_apart(self, question: Question, rule: str, rival: str) -> bool:
        if rival in self._rivals_in_writing(rule):
            own = question.answers.get(rule)
            return _as_written(question).get(rival, own) != own
        return super()._tells_apart(question, rule, rival)

    @property
    def rule(self) -> str | None:
        """The wrong rule that the answers follow, confirmed, without rivals, and most believed; else None."""
        named = super().rule
        if named is None or self.rivals:
            return None
        return named if self.beliefs[0].rule in (named, *self.twins(named)) else None

    def _weights(self) -> Mapping[str, float]:
        """How likely each wrong rule is: what is likely is told apart first."""
        return {rule: share for rule, share in self._shares.items() if rule not in NO_RULES}


def _as_written(question: Question) -> dict[str, Answer]:
    """What somebody fills in who knows the true numbers, and writes them in the order of a wrong rule about memory."""
    if not question.confirms:
        return {}
    subject, output = question.subject, question.element.place.number
    sizes, written = subject.truth.sizes[output], {}
    for rule in subject.rules:
        if rule.order is not None:
            places = ravel(rule.order(subject.desc, output, np.arange(len(question.truth), dtype=np.int64)), sizes)
            numbers = dict(zip(places.tolist(), question.truth, strict=True))
            written[rule.id] = tuple(numbers[place] for place in range(len(numbers)))
    return written


def _weight(questions: Iterable[Question]) -> int:
    """What answers to questions weigh: a whole output counts twice."""
    return sum(1 + question.confirms for question in questions)
