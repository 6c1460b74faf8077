"""Diagnosis: which wrong rule, if any, somebody's answers follow.

Beliefs are kept over *right*, *unknown* (a wrong rule that nobody has written down), *chance* and every wrong rule.
Whoever holds a rule answers by it most of the time, else rightly, and sometimes slips: students' rules come and go
(VanLehn 1982). A rule is named only when whole outputs that were filled in follow it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from ..questions.answers import Answer
from ..questions.question import Question, Verdict

RIGHT, UNKNOWN, CHANCE = "right", "unknown", "chance"
NO_RULES = (RIGHT, UNKNOWN, CHANCE)
PRIOR_RIGHT, PRIOR_UNKNOWN, PRIOR_CHANCE = 0.35, 0.10, 0.12
STEADY = 0.75
"""How often whoever holds a rule answers by it; 1 would call a student who wavers right, or name another rule."""
SLIP = 0.1
"""How often an answer is any other one."""
UNKNOWN_WRONG = 0.6
"""How often an unknown rule's answer is wrong."""
_PRIORS = {RIGHT: PRIOR_RIGHT, UNKNOWN: PRIOR_UNKNOWN, CHANCE: PRIOR_CHANCE}
SURE = 0.95
LEAST, MOST = 3, 12
"""Answers before anything is said; answers after which it is given up."""
TOLD_BY = ("cell", "sizes", "pictures")
"""Kinds that a diagnosis of maps asks: quick to answer, and together they show every rule about outputs."""
FOLLOWED = 0.5
"""What share of the answers that could follow a rule has to: a few slips are no rule."""
FILLS = 3
"""Whole outputs that are asked for to confirm a rule."""


class Belief(Struct, frozen=True):
    """How likely it is that the answers follow a rule."""

    rule: str
    """Its id; `right`, `unknown`, or `chance`."""
    probability: float


class Diagnosis:
    """What somebody's answers tell about the rules that they hold.

    It is about the rules that questions tell, those that were answered or offered. The same answers give the same
    beliefs, in any order.
    """

    def __init__(self, rules: Iterable[str] = (), *, most: int = MOST) -> None:
        """`rules` are ids of wrong rules to begin with; questions bring more. After `most` answers it gives up."""
        self._most = most
        self._rules: dict[str, None] = dict.fromkeys(rules)
        self._answers: list[tuple[Question, Answer]] = []
        self._logs: dict[str, float] = {}
        self._confirmed: set[str] = set()
        self._refuted = 0  # fills in a row that don't follow what is suspected
        self._waits = False  # until an answer follows it again
        self._confirming: Question | None = None
        self._suspect: str | None = None  # suspected, and being confirmed

    @property
    def count(self) -> int:
        """How many answers were added."""
        return len(self._answers)

    def add(self, question: Question, answer: object) -> Verdict:
        """Takes an answer in its JSON form into account. Raises DmlvizError for one of the wrong shape."""
        return self.take(question, question.kind.read(question, answer))

    def take(self, question: Question, answer: Answer) -> Verdict:
        """Takes an answer into account that `Kind.read` has read."""
        self._believe_about(question.answers)
        self._answers.append((question, answer))
        suspected = self._suspect
        self._weigh(question, answer)
        verdict = question.verdict_on(answer)
        if suspected is not None and (question.confirms or question is self._confirming):
            given = followed(question, answer)
            self._refuted = 0 if suspected in given else self._refuted + 1
            self._confirm(given)
        if not self._is_settled:
            self._suspect = self._next_suspect(verdict)
        return verdict

    def _confirm(self, given: set[str]) -> None:
        """Takes into account that rules give what was asked to confirm the suspected one."""
        self._confirmed |= given & {self._suspect}

    @property
    def _is_settled(self) -> bool:
        """True if no answer changes any more what is suspected."""
        return self._suspect in self._confirmed

    def _believe_about(self, rules: Iterable[str]) -> None:
        """Adds rules to believe about, and weighs all earlier answers anew."""
        if self._logs and self._rules.keys() >= set(rules):
            return
        self._rules |= dict.fromkeys(rules)
        self._logs = dict.fromkeys((*NO_RULES, *self._rules), 0.0)
        for question, answer in self._answers:
            self._weigh(question, answer)

    def _weigh(self, question: Question, answer: Answer) -> None:
        """Adds to every rule how likely it makes an answer."""
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

    @property
    def _shares(self) -> dict[str, float]:
        """How likely each rule is."""
        return {belief.rule: belief.probability for belief in self.beliefs}

    def _prior(self, rule: str) -> float:
        """How likely a rule is before any answer."""
        return _PRIORS.get(rule, (1 - sum(_PRIORS.values())) / max(1, len(self._rules)))

    @property
    def suspected(self) -> str | None:
        """The wrong rule that is all but sure after at least `LEAST` answers, with its twins; None for none.

        It is not to be told before a whole output was filled in by it: see `rule`.
        """
        return self._suspect

    def _next_suspect(self, verdict: Verdict) -> str | None:
        """The rule to suspect after a verdict; it stays while it is likely and not refuted, since its holder may waver.

        What was refuted is suspected again only by another answer that follows it. None for none.
        """
        if self.count < LEAST:
            return None
        beliefs = self.beliefs
        first = next((belief.rule for belief in beliefs if belief.rule not in NO_RULES), None)
        if first is None:
            return None
        if first == self._suspect:
            if first in self._confirmed or self._refuted < FILLS:
                return first
            self._waits = True
        self._refuted = 0
        if self._waits and first not in verdict.rules:
            return None
        together = sum(
            belief.probability for belief in beliefs if belief.rule == first or belief.rule in self.twins(first)
        )
        return first if together >= SURE else None

    def _follows(self, rule: str) -> bool:
        """True if most of the answers that could follow a rule do: a few slips are no rule."""
        told = [rule in followed(question, answer) for question, answer in self._answers if rule in question.answers]
        return sum(told) >= max(LEAST, FOLLOWED * len(told))

    @property
    def rivals(self) -> tuple[str, ...]:
        """Wrong rules that have to be told from the suspected one before that is named: here none."""
        return ()

    def twins(self, rule: str) -> tuple[str, ...]:
        """Other wrong rules that would have given the same answers to all that was asked."""
        given = [question.answers.get(rule) for question, _ in self._answers]
        return tuple(
            other
            for other in self._rules
            if other != rule and [question.answers.get(other) for question, _ in self._answers] == given
        )

    @property
    def rule(self) -> str | None:
        """The wrong rule that the answers follow, once a filled output has confirmed it; None before."""
        suspected = self.suspected
        return suspected if suspected in self._confirmed and self._follows(suspected) else None

    @property
    def done(self) -> bool:
        """True if no more has to be asked: a rule is named, nothing is wrong, or it is given up."""
        if self.rule is not None:
            return True
        beliefs = self.beliefs
        settled = bool(beliefs) and beliefs[0].rule in NO_RULES and beliefs[0].probability >= SURE
        given_up = self.count >= self._most + (FILLS if self._suspect is not None else 0)
        return self.count >= LEAST and (given_up or (settled and self._suspect is None))

    @property
    def wants_fill(self) -> bool:
        """True if a whole output is to be filled in next, to confirm what is suspected."""
        return self.suspected is not None and not self.done

    def information(self, question: Question) -> float:
        """Bits that the answer to a question is expected to tell."""
        self._believe_about(question.answers)
        shares = self._shares
        answers = dict.fromkeys((question.truth, *question.answers.values()))  # in one order: sums depend on it
        expected = 0.0
        left = dict.fromkeys(shares, 1.0)
        before = _entropy_bits(shares.values())
        for answer in answers:
            likely = likelihoods(question, answer, shares)
            joint = {rule: shares[rule] * likely[rule] for rule in shares}
            for rule in shares:
                left[rule] -= likely[rule]
            expected += _weighted_entropy_bits(joint.values())
        expected += _weighted_entropy_bits(shares[rule] * max(0.0, left[rule]) for rule in shares)  # any other answer
        return max(0.0, before - expected)

    def next(self, candidates: Sequence[Question]) -> Question | None:
        """The candidate that tells most; while a rule is suspected, one that confirms it and tells it from most others.

        None where no candidate tells anything: others are wanted.
        """
        suspected = self.suspected
        self._confirming = None
        self._believe_about(dict.fromkeys(rule for question in candidates for rule in question.answers))
        if suspected is None:
            return self.most_telling(candidates)
        told = [question for question in candidates if suspected in question.answers]
        # A rule that is about sizes, or about what is valid, shows in no filled output.
        fills = [question for question in told if question.confirms] or [
            question for question in told if question.kind.confirms_elsewise
        ]
        rivals, weights = self.rivals, self._weights()
        apart = [q for q in candidates if any(self._tells_apart(q, suspected, rival) for rival in rivals)]
        self._confirming = max(apart or fills, key=lambda q: _told_from(q, suspected, weights), default=None)
        return self._confirming

    def _tells_apart(self, question: Question, rule: str, rival: str) -> bool:
        """True if the holders of two wrong rules answer a question differently."""
        return question.answers.get(rival) != question.answers.get(rule)

    def most_telling(self, candidates: Sequence[Question]) -> Question | None:
        """The candidate whose answer is expected to tell most; None for no candidate but whole outputs."""
        return max((question for question in candidates if not question.confirms), key=self.information, default=None)

    def _weights(self) -> Mapping[str, float]:
        """What it counts that a question tells a wrong rule from the suspected one."""
        return dict.fromkeys(self._rules, 1.0)


def _told_from(question: Question, rule: str, weights: Mapping[str, float]) -> float:
    """The weight of the wrong rules that answer otherwise than `rule` does."""
    own = question.answers.get(rule)
    return sum(weight for other, weight in weights.items() if question.answers.get(other) != own)


def likelihoods(question: Question, answer: Answer, rules: Iterable[str]) -> dict[str, float]:
    """How likely an answer is by each of `rules`, `NO_RULES` among them."""
    alternatives = question.alternatives
    others = SLIP / alternatives
    is_right = answer == question.truth
    by_right = (1 - SLIP) * is_right + others
    wrong = {*question.answers.values()} - {question.truth}
    chances = {}
    for rule in rules:
        if rule == RIGHT:
            chances[rule] = by_right
        elif rule == UNKNOWN:
            # Its wrong answers are any of the others: those of known rules are no likelier than the rest.
            chances[rule] = 1 - UNKNOWN_WRONG if is_right else UNKNOWN_WRONG / max(alternatives - 1, len(wrong), 1)
        elif rule == CHANCE:
            # Whoever guesses takes what looks likely: the truth, what wrong rules give, or something else.
            plausible = 1 / (len(wrong) + 2)
            chances[rule] = plausible if is_right or answer in wrong else plausible / alternatives
        elif rule in question.answers:
            follows = STEADY * (answer == question.answers[rule]) + (1 - STEADY) * is_right
            chances[rule] = (1 - SLIP) * follows + others
        else:
            chances[rule] = by_right
    return chances


def followed(question: Question, answer: Answer) -> set[str]:
    """Ids of the wrong rules that give an answer; of a whole output those that give it but for one slip."""
    return {
        rule
        for rule, own in question.answers.items()
        if own == answer or (question.confirms and _all_but_one(question, answer, own))
    }


def _all_but_one(question: Question, answer: Answer, own: Answer) -> bool:
    """True for a whole output with one slip: all other numbers follow a rule, `LEAST` of them where it is wrong."""
    if len(own) != len(answer):
        return False
    slips = sum(mine != given for mine, given in zip(own, answer, strict=True))
    wrong = sum(mine == given != true for mine, given, true in zip(own, answer, question.truth, strict=True))
    return bool(slips <= 1 and wrong >= LEAST)


def _entropy_bits(shares: Iterable[float]) -> float:
    """The entropy of shares that add up to 1, in bits."""
    return -sum(share * math.log2(share) for share in shares if share > 0)


def _weighted_entropy_bits(joint: Iterable[float]) -> float:
    """The entropy of shares that add up to less than 1, in bits, times their sum."""
    shares = [share for share in joint if share > 0]
    total = sum(shares)
    return -sum(share * math.log2(share / total) for share in shares) if total else 0.0
