"""Students who hold a wrong rule or none, asked until a diagnosis names it.

A student applies the rule to a share κ of the questions, answers the others rightly, and slips with probability 0.1.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from dmlviz.operators.registry import operators
from dmlviz.session.new_experiments import fresh
from dmlviz.teaching.diagnosis.diagnosis import Diagnosis
from dmlviz.teaching.diagnosis.practice import bank, candidates
from dmlviz.teaching.questions.question import Question
from dmlviz.teaching.questions.subject import Answer

SLIP = 0.1
BANK = 700
"""Questions that a group of students chooses among."""
LONGEST = 18
"""Questions after which it is given up, fills among them."""


@dataclass(frozen=True)
class Student:
    """Answers by a rule's id; "" for the truth, "?" by chance."""

    rule: str
    steady: float
    dice: random.Random

    def answer(self, question: Question) -> Answer:
        dice = self.dice
        if self.rule == "?" or dice.random() < SLIP:
            return _any_answer(question, dice)
        follows = dice.random() < self.steady
        return question.answers.get(self.rule, question.truth) if follows else question.truth


def _any_answer(question: Question, dice: random.Random) -> Answer:
    """An answer by chance: a choice, another rule's answer, the truth, or one that no rule gives."""
    if question.choices and question.kind.name == "pictures":
        return dice.choice(question.choices).id
    if question.choices:
        return tuple(sorted(each.id for each in question.choices if dice.random() < 1 / len(question.choices)))
    known = [question.truth, *dict.fromkeys(question.answers.values())]
    none = _changed(question.truth, dice)
    return dice.choice([*known, none, none])


def _changed(answer: Answer, dice: random.Random) -> Answer:
    if isinstance(answer, bool):
        return not answer
    if isinstance(answer, int | float):
        return answer + dice.choice((-2, -1, 1, 2))
    if isinstance(answer, tuple) and answer:
        at = dice.randrange(len(answer))
        return (*answer[:at], _changed(answer[at], dice), *answer[at + 1 :])
    return answer


@dataclass(frozen=True)
class Found:
    """What became of one student."""

    rule: str
    named: str | None
    fits: bool
    """The rule that is held is among those that the answers fit."""
    questions: int


def asking(diagnosis: Diagnosis, bank: Sequence[Question], dice: random.Random) -> Iterator[Question]:
    """What is asked of a bank until a rule is named, or it is given up."""
    left = [*bank]
    while not diagnosis.done and (question := diagnosis.next(candidates(left, diagnosis, dice))) is not None:
        left = [other for other in left if other is not question]
        yield question


def diagnose(student: Student, bank: Sequence[Question], dice: random.Random) -> Found:
    """Asks one student until a rule is named, or it is given up."""
    diagnosis, count = Diagnosis(), 0
    for question in islice(asking(diagnosis, bank, dice), LONGEST):
        diagnosis.take(question, student.answer(question))
        count += 1
    named = diagnosis.rule
    fits = named is not None and student.rule in (named, *diagnosis.twins(named))
    return Found(student.rule, named, fits, count)


def bank_of(operator: str, seed: int, count: int = BANK) -> list[Question]:
    kind = next(kind for kind, each in operators().items() if each.name == operator)
    return list(islice(bank([fresh(kind)], seed), count))


def shown_rules(bank: Sequence[Question]) -> list[str]:
    """The rules that some question tells from the truth."""
    return sorted({rule for question in bank for rule in question.answers})


def group(rules: Sequence[str], each: int, steady: float, bank: Sequence[Question], seed: int) -> Iterator[Found]:
    for number, rule in enumerate(rules):
        for k in range(each):
            dice = random.Random(f"{seed} {rule} {number} {k} {steady}")
            yield diagnose(Student(rule, steady, dice), bank, dice)
