"""Diagnosis: which wrong rule, if any, somebody's answers follow.

Beliefs are kept over *right*, *unknown* (a wrong rule that nobody has written down) and every wrong rule. Whoever holds
a rule answers by it most of the time, else rightly, and sometimes slips: students' rules come and go (VanLehn 1982). A
rule is named only when whole outputs that were filled in follow it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .question import Answer, Question, Verdict

RIGHT, UNKNOWN = "right", "unknown"
PRIOR_RIGHT, PRIOR_UNKNOWN = 0.35, 0.10
STEADY = 0.75
"""How often whoever holds a rule answers by it; 1 would call a student who wavers right, or name another rule."""
SLIP = 0.1
"""How often an answer is any other one."""
UNKNOWN_WRONG = 0.6
"""How often an unknown rule's answer is wrong."""
SURE = 0.95
LEAST, MOST = 3, 12
"""Answers before anything is said; answers after which it is given up."""
FILLS = 3
"""Whole outputs that are asked for to confirm a rule."""


@dataclass(frozen=True, slots=True)
class Belief:
    """How likely it is that the answers follow a rule."""

    rule: str
    """Its id, `right` or `unknown`."""
    probability: float


class Diagnosis:
    """What somebody's answers tell about the rules that they hold.

    It is about the operators whose questions were answered. The same answers give the same beliefs, in any order.
    """

    def __init__(self, rules: Iterable[str] = ()) -> None:
        """`rules` are ids of wrong rules to begin with; those of each question's operator come with it."""
        self._rules: dict[str, None] = dict.fromkeys(rules)
        self._answers: list[tuple[Question, Answer]] = []
        self._logs: dict[str, float] = {}
        self._confirmed: set[str] = set()
        self._refuted: dict[str, int] = {}

    @property
    def count(self) -> int:
        """How many answers were added."""
        return len(self._answers)

    def add(self, question: Question, answer: object) -> Verdict:
        """Takes an answer, as JSON has it, into account. Raises DmlvizError for one of the wrong shape."""
        return self.take(question, question.kind.read(question, answer))

    def take(self, question: Question, answer: Answer) -> Verdict:
        """The same with an answer that was read."""
        if any(rule.id not in self._rules for rule in question.subject.rules):
            self._rules |= dict.fromkeys(rule.id for rule in question.subject.rules)
            self._logs = dict.fromkeys((RIGHT, UNKNOWN, *self._rules), 0.0)
            for each, given in self._answers:
                self._weigh(each, given)
        if not self._logs:
            self._logs = dict.fromkeys((RIGHT, UNKNOWN, *self._rules), 0.0)
        self._answers.append((question, answer))
        suspected = self.suspected
        self._weigh(question, answer)
        verdict = question.kind.grade(question, answer)
        if question.confirms and suspected is not None:
            if suspected in verdict.rules:
                self._confirmed.add(suspected)
            else:
                self._refuted[suspected] = self._refuted.get(suspected, 0) + 1
        return verdict

    def skip(self) -> None:
        """A skipped question tells nothing."""

    def _weigh(self, question: Question, answer: Answer) -> None:
        for rule, likely in likelihoods(question, answer, self._logs).items():
            self._logs[rule] += math.log(likely)

    @property
    def beliefs(self) -> tuple[Belief, ...]:
        """The likeliest first; () before there is anything to believe about."""
        if not self._logs:
            return ()
        logs = {rule: math.log(self._prior(rule)) + log for rule, log in self._logs.items()}
        most = max(logs.values())
        weights = {rule: math.exp(log - most) for rule, log in logs.items()}
        total = sum(weights.values())
        ordered = sorted(weights.items(), key=lambda item: -item[1])
        return tuple(Belief(rule, weight / total) for rule, weight in ordered)

    def _prior(self, rule: str) -> float:
        if rule == RIGHT:
            return PRIOR_RIGHT
        if rule == UNKNOWN:
            return PRIOR_UNKNOWN
        return (1 - PRIOR_RIGHT - PRIOR_UNKNOWN) / max(1, len(self._rules))

    @property
    def suspected(self) -> str | None:
        """A wrong rule that is all but sure after at least `LEAST` answers; twins that answered alike count together.

        It is not to be told before a whole output was filled in by it: see `rule`.
        """
        if self.count < LEAST or not self._logs:
            return None
        found = self.beliefs
        first = next((each.rule for each in found if each.rule not in (RIGHT, UNKNOWN)), None)
        if first is None or found[0].rule != first:
            return None
        together = sum(each.probability for each in found if each.rule == first or each.rule in self.twins(first))
        return first if together >= SURE else None

    def twins(self, rule: str) -> tuple[str, ...]:
        """Other wrong rules that would have given the same answers to all that was asked."""
        given = [each.answers.get(rule) for each, _ in self._answers]
        return tuple(
            other
            for other in self._rules
            if other != rule and [each.answers.get(other) for each, _ in self._answers] == given
        )

    @property
    def rule(self) -> str | None:
        """The wrong rule that the answers follow, once a filled output has confirmed it; None while nothing is said."""
        suspected = self.suspected
        return suspected if suspected in self._confirmed else None

    @property
    def done(self) -> bool:
        """True if no more has to be asked: a rule is named, nothing is wrong, or it is given up."""
        if self.rule is not None:
            return True
        suspected = self.suspected
        if suspected is not None:
            return self._refuted.get(suspected, 0) >= FILLS
        found = self.beliefs
        settled = bool(found) and found[0].rule in (RIGHT, UNKNOWN) and found[0].probability >= SURE
        return self.count >= LEAST and (settled or self.count >= MOST)

    @property
    def wants_fill(self) -> bool:
        """True if a whole output is to be filled in next, to confirm what is suspected."""
        return self.suspected is not None and not self.done

    def information(self, question: Question) -> float:
        """Bits that the answer to a question is expected to tell."""
        beliefs = self.beliefs or _prior_of(question)
        held = {each.rule: each.probability for each in beliefs}
        answers = {question.truth, *question.answers.values()}
        expected = 0.0
        left = dict.fromkeys(held, 1.0)
        before = _entropy(held.values())
        for answer in answers:
            likely = likelihoods(question, answer, held)
            joint = {rule: held[rule] * likely[rule] for rule in held}
            for rule in held:
                left[rule] -= likely[rule]
            expected += _weighted_entropy(joint.values())
        expected += _weighted_entropy(held[rule] * max(0.0, left[rule]) for rule in held)  # any other answer
        return max(0.0, before - expected)

    def next(self, candidates: Sequence[Question]) -> Question | None:
        """The candidate that tells most; while a rule is suspected, the fill that tells it from most others."""
        suspected = self.suspected
        if suspected is not None:
            fills = [each for each in candidates if each.confirms and suspected in each.answers]
            return max(fills, key=lambda each: self._parts(each, suspected), default=None)
        others = [each for each in candidates if not each.confirms]
        return max(others, key=self.information, default=None)

    def _parts(self, question: Question, rule: str) -> int:
        """How many other rules answer otherwise."""
        return sum(question.answers.get(other) != question.answers[rule] for other in self._rules if other != rule)


def _prior_of(question: Question) -> tuple[Belief, ...]:
    rules = [rule.id for rule in question.subject.rules]
    share = (1 - PRIOR_RIGHT - PRIOR_UNKNOWN) / max(1, len(rules))
    return (Belief(RIGHT, PRIOR_RIGHT), Belief(UNKNOWN, PRIOR_UNKNOWN), *(Belief(rule, share) for rule in rules))


def likelihoods(question: Question, answer: Answer, rules: Iterable[str]) -> dict[str, float]:
    """How likely an answer is by each of `rules`, `right` and `unknown` among them."""
    alternatives = question.alternatives
    others = SLIP / alternatives
    is_right = answer == question.truth
    by_right = (1 - SLIP) * is_right + others
    wrong = {*question.answers.values()} - {question.truth}
    found = {}
    for rule in rules:
        if rule == RIGHT:
            found[rule] = by_right
        elif rule == UNKNOWN:
            # Its wrong answers are any of the others: those of known rules are no likelier than the rest.
            found[rule] = 1 - UNKNOWN_WRONG if is_right else UNKNOWN_WRONG / max(alternatives - 1, len(wrong), 1)
        elif rule in question.answers:
            follows = STEADY * (answer == question.answers[rule]) + (1 - STEADY) * is_right
            found[rule] = (1 - SLIP) * follows + others
        else:
            found[rule] = by_right
    return found


def _entropy(shares: Iterable[float]) -> float:
    return -sum(share * math.log2(share) for share in shares if share > 0)


def _weighted_entropy(joint: Iterable[float]) -> float:
    """The entropy of shares that add up to less than 1, times their sum."""
    held = [each for each in joint if each > 0]
    total = sum(held)
    return -sum(each * math.log2(each / total) for each in held) if total else 0.0
