"""Diagnosis: which wrong rule, if any, somebody's answers follow.

Beliefs are kept over *right*, *unknown* (a wrong rule that nobody has written down), *chance* and every wrong rule.
Whoever holds a rule answers by it most of the time, else rightly, and sometimes slips: students' rules come and go
(VanLehn 1982). A rule is named only when whole outputs that were filled in follow it, and wrong answers tell it from
every other likely one; later answers may take the name back.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from ..questions.question import Question, Reply
from ..questions.subject import Answer

RIGHT, UNKNOWN, CHANCE = "right", "unknown", "chance"
PRIORS = {RIGHT: 0.35, UNKNOWN: 0.10, CHANCE: 0.12}
"""How likely each is before any answer that is no wrong rule; those share the rest."""
STEADY = 0.75
"""Probability that a student with a misconception answers by it. Below 1, because students waver."""
SLIP = 0.1
"""How often an answer is any other one."""
UNKNOWN_WRONG = 0.6
"""How often an unknown rule's answer is wrong."""
SURE = 0.95
LEAST, MOST = 3, 18
"""Answers before anything is said; answers after which it is given up."""
TOLD_BY = ("cell", "sizes", "pictures")
"""Kinds that a diagnosis of maps asks: quick to answer, and together they show every rule about outputs."""
OUTWEIGHED = 1.5
"""How often the answers that follow a rule have to outweigh those that are wrong otherwise; whole outputs double."""
FILLS = 3
"""Questions that confirm a rule, asked at most after it would be given up."""


class Diagnosis:
    """What somebody's answers tell about the rules that they hold.

    It is about the rules that questions tell, those that were answered or offered. The same answers give the same
    beliefs, in any order.
    """

    def __init__(self) -> None:
        self._rules: dict[str, None] = {}
        self._answers: list[tuple[Question, Answer]] = []
        self._confirmed: set[str] = set()
        self._shares: dict[tuple[int, int], dict[str, float]] = {}  # by how many rules and answers there are

    def take(self, question: Question, answer: Answer) -> Reply:
        self._rules |= dict.fromkeys(question.ways)
        if self.suspected is not None and (question.confirms or question.kind.confirms_elsewise):
            self._confirmed |= followed(question, answer)
        self._answers.append((question, answer))
        return question.verdict_on(answer)

    @property
    def beliefs(self) -> dict[str, float]:
        """How likely it is that the answers follow each rule, or one of `PRIORS`; the likeliest first."""
        state = len(self._rules), len(self._answers)
        if state not in self._shares:
            self._shares = {state: self._weighed()}
        return self._shares[state]

    def _weighed(self) -> dict[str, float]:
        each = (1 - sum(PRIORS.values())) / max(1, len(self._rules))
        logs = {rule: math.log(PRIORS.get(rule, each)) for rule in (*PRIORS, *self._rules)}
        for question, answer in self._answers:
            for rule, likely in likelihoods(question, answer, logs).items():
                logs[rule] += math.log(likely)
        most = max(logs.values())
        weights = {rule: math.exp(log - most) for rule, log in logs.items()}
        total = sum(weights.values())
        return {rule: weights[rule] / total for rule in sorted(weights, key=lambda rule: -weights[rule])}

    @property
    def suspected(self) -> str | None:
        """The wrong rule that is all but sure after at least `LEAST` answers, with its twins; None for none.

        It is not to be told before it is confirmed, see `rule`; then it stays while it is the likeliest of all.
        """
        shares = self.beliefs
        first = next((rule for rule in shares if rule not in PRIORS), None)
        if first is None or len(self._answers) < LEAST:
            return None
        same = (first, *self.twins(first))
        is_kept = first in self._confirmed and next(iter(shares)) in same
        return first if is_kept or sum(shares[rule] for rule in same) >= SURE else None

    def twins(self, rule: str) -> tuple[str, ...]:
        """Other wrong rules that would have given the same answers to all that was asked."""
        every = [question.ways for question, _ in self._answers]
        others = (other for other in self._rules if other != rule)
        return tuple(other for other in others if all(ways.get(other) == ways.get(rule) for ways in every))

    @property
    def rule(self) -> str | None:
        """The wrong rule that the answers follow, confirmed; None before."""
        rule = self.suspected
        return rule if rule in self._confirmed and self._is_held(rule) else None

    @property
    def named(self) -> tuple[str, ...]:
        """`rule` with another that would have given the same answers, if there is one: a sentence has room for two."""
        rule = self.rule
        return () if rule is None else (rule, *self.twins(rule)[:1])

    def _is_held(self, rule: str) -> bool:
        told = weight = other = 0
        for question, answer in self._answers:
            follows = rule in followed(question, answer)
            told += follows
            weight += follows * (1 + question.confirms)
            if rule in question.ways and not follows and answer != question.truth:
                other += 1 + question.confirms
        return told >= LEAST and weight > OUTWEIGHED * other

    @property
    def done(self) -> bool:
        """True if no more has to be asked: a rule is named, nothing is wrong, or it is given up."""
        first, share = next(iter(self.beliefs.items()))
        is_over = len(self._answers) >= MOST + FILLS * (self.suspected is not None)
        is_settled = len(self._answers) >= LEAST and first in PRIORS and share >= SURE
        return is_over or is_settled or self.rule is not None

    def information(self, question: Question) -> float:
        """Bits that the answer to a question is expected to tell."""
        self._rules |= dict.fromkeys(question.ways)
        shares = self.beliefs
        answers = dict.fromkeys((question.truth, *question.wrong))  # in one order: sums depend on it
        chances = [likelihoods(question, answer, shares) for answer in answers]
        chances.append({rule: max(0.0, 1 - sum(each[rule] for each in chances)) for rule in shares})  # any other answer
        bits = 0.0
        for likely in chances:
            by_all = sum(shares[rule] * likely[rule] for rule in shares)
            bits += sum(shares[rule] * p * math.log2(p / by_all) for rule, p in likely.items() if p > 0)
        return max(0.0, bits)

    def next(self, candidates: Sequence[Question]) -> Question | None:
        """The candidate that tells most; while a rule is suspected, one that confirms it and tells it from most others.

        None where no candidate does: others are wanted.
        """
        self._rules |= dict.fromkeys(rule for question in candidates for rule in question.ways)
        suspected = self.suspected
        shares = self.beliefs
        if suspected is None:
            return self.most_telling(candidates)

        def told_from(question: Question) -> float:
            """How likely the wrong rules are that answer otherwise than the suspected one does."""
            own = question.ways.get(suspected)
            return sum(shares[rule] for rule in self._rules if question.ways.get(rule) != own)

        told = [question for question in candidates if suspected in question.ways]
        # A rule that is about sizes, or about what is valid, shows in no filled output, or in none that can be written.
        wholes = [q for q in told if q.confirms]
        elsewise = [q for q in told if q.kind.confirms_elsewise]
        given = (answer == q.truth for q, answer in self._answers if q.confirms and suspected in q.ways)
        return max((elsewise if any(given) else []) or wholes or elsewise, key=told_from, default=None)

    def most_telling(self, candidates: Sequence[Question]) -> Question | None:
        """The candidate whose answer is expected to tell most; None for no candidate but whole outputs."""
        return max((question for question in candidates if not question.confirms), key=self.information, default=None)


def likelihoods(question: Question, answer: Answer, rules: Iterable[str]) -> dict[str, float]:
    """How likely an answer is by each of `rules`, those of `PRIORS` among them."""
    alternatives = question.alternatives
    others = SLIP / alternatives
    is_right = answer == question.truth
    by_right = (1 - SLIP) * is_right + others
    wrong = question.wrong
    chances = {}
    for rule in rules:
        if rule == UNKNOWN:
            # Its wrong answers are any of the others: those of known rules are no likelier than the rest.
            count = max(alternatives - 1, len(wrong), 1)
            chances[rule] = 1 - UNKNOWN_WRONG if is_right else UNKNOWN_WRONG / count
        elif rule == CHANCE:
            # Whoever guesses takes what looks likely: the truth, what wrong rules give, or something else.
            plausible = 1 / (len(wrong) + 2)
            chances[rule] = plausible if is_right or answer in wrong else plausible / alternatives
        elif rule in question.ways:
            ways = question.ways[rule]
            follows = STEADY * (answer in ways) / len(ways) + (1 - STEADY) * is_right
            chances[rule] = (1 - SLIP) * follows + others
        else:
            chances[rule] = by_right
    return chances


def followed(question: Question, answer: Answer) -> set[str]:
    return {rule for rule, ways in question.ways.items() if answer in ways and answer != question.truth}
