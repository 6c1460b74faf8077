"""Practice: one question after the other, chosen for whoever answers; what was missed comes back."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterable, Iterator, Sequence

from ...session.experiments import Experiment
from ..kinds.fill import FILL
from ..kinds.lib.asking import kinds_named
from ..progress.progress import Answered, seconds_of
from ..questions.question import Question
from ..questions.subject import Subject
from ..questions.telling import told_by_reveal
from ..varying import broken, varied
from ..words.catalogue import sentence
from .diagnosis import TOLD_BY, Diagnosis

OTHERS = ("valid", "insizes", "count", "dest", "source", "via", "unread", "order", "runs", "blank")
"""Kinds for variety, with a diagnosis of their own: some rules are about what is valid, and show in no output."""
EACH_OTHER = 4
"""Every so many questions one of the others is asked."""
INVALID_SHARE = 0.5
"""How many of the descs for those are broken."""
FIRST, MORE = 120, 24
"""Questions that are made at the start, and looked at for each; and those that are made before each further one."""
TASKS, DAYS = (2, 5), (1, 7)
"""How many tasks, and how many days, after it was missed a rule comes back."""
DAY, NEARLY = 24 * 3600.0, 0.75
"""What share of those days is enough: whoever practises a little earlier the next day still gets it."""


def bank(bases: Sequence[Experiment], seed: int = 0, kinds: Sequence[str] = TOLD_BY) -> Iterator[Question]:
    """Questions without end about ever new descs like some valid experiments, one or more of each operator.

    Whole outputs to fill in are among them. Descs are broken only where `kinds` ask what is valid.
    """
    dice, asking = random.Random(f"bank {seed}"), kinds_named(kinds)
    for number in itertools.count(1):
        base, breaks = dice.choice(bases), "valid" in kinds and dice.random() < INVALID_SHARE
        experiment = (broken if breaks else varied)(base, dice)
        subject = Subject(experiment) if experiment is not None else None
        if subject is None or not subject.moves:
            continue
        yield from (question for kind in asking if (question := kind.make(subject, number)) is not None)
        if (whole := FILL.whole(subject, number)) is not None:
            yield whole


class Pool:
    """Questions to choose among, so that each rule is told by some of them."""

    def __init__(self, made: Iterator[Question], dice: random.Random) -> None:
        self._made, self.dice = made, dice
        self.questions: list[Question] = []

    def grow(self, count: int) -> None:
        """Adds `count` questions."""
        self.questions += itertools.islice(self._made, count)

    def take(self, question: Question) -> None:
        """Takes a question that was asked out of the pool."""
        self.questions = [other for other in self.questions if other is not question]

    def about(self, rule: str) -> list[Question]:
        """The questions that a rule's holder answers wrongly."""
        return [question for question in self.questions if rule in question.answers]

    def candidates(self, diagnosis: Diagnosis) -> list[Question]:
        """Questions to choose the next among: some of all, or those about a suspect."""
        if diagnosis.suspected is not None:
            return [question for question in self.questions if diagnosis.suspected in question.ways]
        return self.dice.sample(self.questions, min(FIRST, len(self.questions)))


def due(answers: Sequence[Answered], now: float) -> list[str]:
    """Missed rules that are to be asked about again, the one that has waited longest first.

    A rule comes back after 2 and after 5 tasks, the next day and the next week; missed again, it begins anew. `now` is
    in seconds since 1970.
    """
    missed = {answered.rules[0]: k for k, answered in enumerate(answers) if answered.rules}

    def is_due(rule: str) -> bool:
        k = missed[rule]
        stage = sum(later.on == rule and later.right and not later.looked_up for later in answers[k + 1 :])
        if stage < len(TASKS):
            return len(answers) - 1 - k >= TASKS[stage]
        days = [*DAYS, math.inf][min(stage - len(TASKS), len(DAYS))]
        return now - seconds_of(answers[k].time) >= days * DAY * NEARLY

    return sorted(filter(is_due, missed), key=missed.__getitem__)


class Practice:
    """An endless row of questions for one person."""

    def __init__(
        self,
        bases: Sequence[Experiment],
        seed: int = 0,
        answers: Sequence[Answered] = (),
        *,
        others: Sequence[str] = OTHERS,
        each_other: int = EACH_OTHER,
    ) -> None:
        """`answers` are those so far, from earlier days too. Every `each_other` questions one of `others` is asked."""
        self._pool = Pool(bank(bases, seed), random.Random(f"practice {seed}"))
        self._others = Pool(bank(bases, seed, others), random.Random(f"others {seed}"))
        self._each_other, self._asked = each_other, 0
        self._before: Question | None = None  # what it asked shows on the screen once it is answered
        self.answers = list(answers)
        self.diagnosis = Diagnosis()
        self.on = ""
        """The missed rule that the present question is about; empty for none."""
        self.news = ""
        """A sentence on what the answers follow, once it is confirmed; told with the answer that confirmed it."""

    def next(self, now: float, before: Question | None = None, missed: Sequence[str] = ()) -> Question:
        """The question to ask now: about a rule that is due, else the one that tells most, or one for variety.

        `now` is in seconds since 1970. Nothing is asked that the answer to `before` showed, by default the last one.
        Rules in `missed` are asked about first.
        """
        self._asked += 1
        self._before = before or self._before
        for pool in (self._pool, *([self._others] if missed else [])):
            pool.grow(MORE if pool.questions else FIRST)
        question = self._returning_question(now, missed) or self._other_question() or self._telling_question()
        for pool in (self._pool, self._others):
            pool.take(question)
        self._before = question
        return question

    def _untold(self, questions: Iterable[Question]) -> list[Question]:
        """The questions that ask nothing that the screen has just shown."""
        before = self._before
        return [question for question in questions if before is None or not told_by_reveal(before, question)]

    def _returning_question(self, now: float, missed: Sequence[str]) -> Question | None:
        """A question about a missed rule that is due, or about one that was named just now; None for none."""
        named = [self.diagnosis.rule] if self.diagnosis.rule is not None else []
        if self.diagnosis.done:
            self.diagnosis = Diagnosis()
        for rule in (*named, *missed, *due(self.answers, now)):
            if questions := self._untold([*self._pool.about(rule), *self._others.about(rule)]):
                self.on = rule
                return min(questions, key=lambda question: question.kind.stage)
        self.on = ""
        return None

    def _other_question(self) -> Question | None:
        """Every `each_other` questions one of the other kinds; None in between, and while a rule is to be confirmed."""
        if self._asked % self._each_other or self.diagnosis.suspected is not None:
            return None
        self._others.grow(MORE)
        left = self._untold(self._others.questions)
        return self._others.dice.choice([question for question in left if question.answers] or left or [None])

    def _telling_question(self) -> Question:
        """The question that tells the diagnosis most; more are made until there is one."""
        while True:
            question = self.diagnosis.next(self._untold(self._pool.candidates(self.diagnosis)))
            if question is not None:
                return question
            self._pool.grow(FIRST)
            if self.diagnosis.suspected is not None and not self._pool.candidates(self.diagnosis):
                self.diagnosis = Diagnosis()

    def heard(self, question: Question, answer: object, answered: Answered) -> None:
        """Takes an answer in its JSON form, None where it was skipped, and its record into account."""
        self.answers.append(answered)
        self.news = ""
        is_told = question.kind.name in TOLD_BY or question.confirms
        if answered.skipped or answered.looked_up or not is_told:
            return
        self.diagnosis.add(question, answer)
        rules = [question.rule(id_) for id_ in self.diagnosis.named if question.knows(id_)]
        if rules:
            names = sentence("practice.or").join(rule.name for rule in rules)
            self.news = sentence("practice.as_if", names=names, look=rules[0].look)
