"""Practice: one question after the other, chosen for whoever answers; what was missed comes back."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from msgspec import Struct

from ...session.experiments import Experiment
from ..kinds.fill import FILL
from ..kinds.lib.asking import kinds_named
from ..progress.progress import Answered, seconds_of
from ..questions.question import Question
from ..questions.subject import Subject
from ..questions.telling import told_by_reveal
from ..varying import broken, varied
from .diagnosis import TOLD_BY, Diagnosis

OTHERS = ("valid", "insizes", "count", "dest", "source", "via", "unread", "order", "runs", "blank")
"""Kinds for variety, with a diagnosis of their own: some rules are about what is valid, and show in no output."""
EACH_OTHER = 4
"""Every so many questions one of the others is asked."""
INVALID_SHARE = 0.5
"""How many of the descs for those are broken."""
PER_RULE, LIKELY, PER_LIKELY = 2, 4, 8
"""Questions about each rule that are looked at for the next one; more about so many likely rules."""
FIRST, MORE = 120, 24
"""Questions that are made at the start, and before each further one."""
TASKS = (2, 5)
"""How many tasks after it was missed a rule comes back."""
DAYS = (1, 7)
"""How many days after that it comes back again."""
DAY = 24 * 3600.0
NEARLY = 0.75
"""What share of those days is enough: whoever practises a little earlier the next day still gets it."""


class Bank:
    """Questions about ever new descs like some experiments, from a seed."""

    def __init__(self, bases: Sequence[Experiment], seed: int = 0, kinds: Iterable[str] = TOLD_BY) -> None:
        """`bases` are valid experiments, one or more of each operator to be asked about.

        Descs are broken only where `kinds` ask what is valid.
        """
        self._bases = tuple(bases)
        self._dice = random.Random(f"bank {seed}")
        self._kinds = kinds_named(kinds)
        self._invalid = INVALID_SHARE if "valid" in {kind.name for kind in self._kinds} else 0.0
        self._descs = 0

    def questions(self) -> Iterator[Question]:
        """Questions without end, about one desc after the other; a whole output to fill in is among them."""
        while True:
            base = self._dice.choice(self._bases)
            make = broken if self._dice.random() < self._invalid else varied
            experiment = make(base, self._dice)
            if experiment is None:
                continue
            subject = Subject(experiment)
            self._descs += 1
            for kind in self._kinds:
                question = kind.make(subject, self._descs)
                if question is not None:
                    yield question
            whole = FILL.whole(subject, self._descs) if subject.valid else None
            if whole is not None:
                yield whole


class Pool:
    """Questions to choose among, so that each rule is told by some of them."""

    def __init__(self, bank: Iterator[Question], dice: random.Random) -> None:
        self._bank, self._dice = bank, dice
        self.questions: list[Question] = []
        self._by_rule: dict[str, list[Question]] = {}

    def grow(self, count: int) -> None:
        """Adds `count` questions."""
        for question in islice(self._bank, count):
            self.questions.append(question)
            for rule in question.answers:
                self._by_rule.setdefault(rule, []).append(question)

    def take(self, question: Question) -> None:
        """Takes a question that was asked out of the pool; one that the pool hasn't changes nothing."""
        if any(other is question for other in self.questions):
            self.questions = [other for other in self.questions if other is not question]
            for rule in question.answers:
                self._by_rule[rule] = [other for other in self._by_rule[rule] if other is not question]

    def any_question(self, which: Callable[[Iterable[Question]], list[Question]] = list) -> Question | None:
        """A question by chance, one that tells a wrong rule from the truth if there is one; None where there is none.

        `which` says which of the pool's may be asked.
        """
        left = which(self.questions)
        some = [question for question in left if question.answers] or left
        return self._dice.choice(some) if some else None

    @property
    def rules(self) -> Sequence[str]:
        """Ids of the rules that some question tells, or told, from the truth."""
        return sorted(self._by_rule)

    def about(self, rule: str) -> list[Question]:
        """The questions that a rule's holder answers wrongly."""
        return self._by_rule.get(rule, [])

    def candidates(self, diagnosis: Diagnosis) -> list[Question]:
        """Questions to choose the next among: a few about each rule, more about likely ones, or all about a suspect."""
        if diagnosis.suspected is not None:
            return list(self.about(diagnosis.suspected))
        likely = [belief.rule for belief in diagnosis.beliefs[:LIKELY]]
        chosen: dict[int, Question] = {}
        for rule, questions in self._by_rule.items():
            most = PER_LIKELY if rule in likely else PER_RULE
            some = self._dice.sample(questions, min(len(questions), most))
            chosen |= {id(question): question for question in some}
        return list(chosen.values())


class Due(Struct, frozen=True):
    """A missed rule that comes back now."""

    rule: str
    stage: int
    """0 and 1: so many tasks after it; 2 and 3: so many days after it."""


def due(answers: Sequence[Answered], now: float) -> list[Due]:
    """Missed rules that are to be asked about again, the one that has waited longest first.

    A rule comes back after 2 and after 5 tasks, the next day and the next week; missed again, it begins anew. `now` is
    in seconds since 1970.
    """
    missed: dict[str, int] = {}
    for k, answered in enumerate(answers):
        for rule in answered.rules[:1]:
            missed[rule] = k
    due_rules = []
    for rule, k in sorted(missed.items(), key=lambda item: item[1]):
        stage = sum(later.on == rule and later.right and not later.looked_up for later in answers[k + 1 :])
        if stage < len(TASKS):
            is_due = len(answers) - 1 - k >= TASKS[stage]
        elif stage < len(TASKS) + len(DAYS):
            is_due = now - seconds_of(answers[k].time) >= DAYS[stage - len(TASKS)] * DAY * NEARLY
        else:
            is_due = False
        if is_due:
            due_rules.append(Due(rule, stage))
    return due_rules


class Practice:
    """An endless row of questions for one person."""

    def __init__(
        self,
        bases: Sequence[Experiment],
        seed: int = 0,
        answers: Sequence[Answered] = (),
        *,
        missed: Sequence[str] = (),
        others: Sequence[str] = OTHERS,
        each_other: int = EACH_OTHER,
    ) -> None:
        """`answers` are those so far, from earlier days too.

        `missed` are ids of rules that are asked about first, each once. Every `each_other` questions one of the kinds
        `others` is asked.
        """
        self._pool = Pool(Bank(bases, seed).questions(), random.Random(f"practice {seed}"))
        self._others = Pool(Bank(bases, seed, others).questions(), random.Random(f"others {seed}"))
        self._missed, self._each_other = list(missed), each_other
        if missed:
            self._others.grow(FIRST)
        self._asked = 0
        self._before: Question | None = None  # what it asked shows on the screen once it is answered
        self.answers = list(answers)
        self.diagnosis = Diagnosis()
        self.on = ""
        """The missed rule that the present question is about; empty for none."""
        self.news = ""
        """A sentence on what the answers follow, once it is confirmed; told with the answer that confirmed it."""

    def next(self, now: float, before: Question | None = None) -> Question:
        """The question to ask now: about a rule that is due, else the one that tells most, or one for variety.

        `now` is in seconds since 1970. Nothing is asked that the answer to `before` showed, by default the last one.
        """
        self._asked += 1
        self._before = before or self._before
        self._pool.grow(MORE if self._pool.questions else FIRST)
        question = self._returning_question(now) or self._other_question() or self._telling_question()
        for pool in (self._pool, self._others):
            pool.take(question)
        self._before = question
        return question

    def _untold(self, questions: Iterable[Question]) -> list[Question]:
        """The questions that ask nothing that the screen has just shown."""
        before = self._before
        return [question for question in questions if before is None or not told_by_reveal(before, question)]

    def _returning_question(self, now: float) -> Question | None:
        """A question about a missed rule that is due, or about one that was named just now; None for none."""
        named = [self.diagnosis.rule] if self.diagnosis.rule is not None else []
        if self.diagnosis.done:
            self.diagnosis = Diagnosis()
        missed, self._missed = self._missed, self._missed[1:]
        for rule in [*named, *missed, *(due_rule.rule for due_rule in due(self.answers, now))]:
            questions = self._untold([*self._pool.about(rule), *self._others.about(rule)])
            if questions:
                self.on = rule
                return min(questions, key=lambda question: question.kind.stage)
        self.on = ""
        return None

    def _other_question(self) -> Question | None:
        """Every `each_other` questions one of the other kinds; None in between, and while a rule is to be confirmed."""
        if self._asked % self._each_other or self.diagnosis.wants_fill:
            return None
        self._others.grow(MORE)
        return self._others.any_question(self._untold)

    def _telling_question(self) -> Question:
        """The question that tells the diagnosis most; more are made until there is one."""
        while True:
            question = self.diagnosis.next(self._untold(self._pool.candidates(self.diagnosis)))
            if question is not None:
                return question
            self._pool.grow(FIRST)
            if self.diagnosis.suspected is not None and not self._pool.about(self.diagnosis.suspected):
                self.diagnosis = Diagnosis()

    def heard(self, question: Question, answer: object, answered: Answered) -> None:
        """Takes an answer in its JSON form, None where it was skipped, and its record into account."""
        self.answers.append(answered)
        self.news = ""
        if answered.skipped or answered.looked_up or not self._is_for_diagnosis(question):
            return
        self.diagnosis.add(question, answer)
        if self.diagnosis.rule is not None:
            subject, ids = question.subject, (self.diagnosis.rule, *self.diagnosis.twins(self.diagnosis.rule))
            rules = [question.rule(id_) for id_ in ids if question.knows(id_)]
            names = (rule.name for rule in rules[:2])
            joined, look = subject.sentence("practice.or").join(names), rules[0].look
            self.news = subject.sentence("practice.as_if", names=joined, look=look)

    def _is_for_diagnosis(self, question: Question) -> bool:
        """True for a question of the kinds that a diagnosis asks."""
        return question.kind.name in TOLD_BY or question.confirms
