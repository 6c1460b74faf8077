"""A quiz names a rule that somebody else's student holds, and blames nobody who holds none."""

from __future__ import annotations

import random
from functools import cache

import pytest
import quizzes
from quizzes import BELIEFS, File, Student, quizzed

from dmlviz.teaching.diagnosis.diagnosis import Diagnosis
from dmlviz.teaching.diagnosis.order import MOST_TELLING, Order
from dmlviz.teaching.kinds.fill import KIND as FILL
from dmlviz.teaching.kinds.lib.asking import kinds_named
from dmlviz.teaching.questions.question import Question


@cache
def file_of(operator: str) -> File:
    return File(operator, "3")


@pytest.mark.parametrize(("operator", "rule"), [("JOIN", "J4"), ("TILE", "T2"), ("TILE", "T4"), ("GATHER", "G10")])
def test_a_rule_about_sizes_is_named_though_it_shows_in_no_filled_output(operator: str, rule: str) -> None:
    student = Student(rule, BELIEFS[operator][rule][0], 1.0, random.Random(1))
    assert quizzed(student, file_of(operator), 1).fits[-1]


@pytest.mark.parametrize("operator", BELIEFS)
def test_nobody_is_blamed_who_is_right_or_guesses(operator: str) -> None:
    for guesses in (False, True):
        for k in range(3):
            asked = quizzed(Student("", None, 1.0, random.Random(k), guesses), file_of(operator), k)
            assert set(asked.named) == {None}


@pytest.mark.slow
@pytest.mark.parametrize(("steady", "share"), [(1.0, 0.8), (0.7, 0.6)])
def test_most_are_named_within_18_questions(steady: float, share: float) -> None:
    """A small draw of what the program beside it measures, which wants 0.85 and 0.7."""
    asked = [
        quizzed(each, file_of(name), 0)
        for name in BELIEFS
        for each in quizzes.students_of(file_of(name), 1, "3", steady)
    ]
    assert len(asked) > 40
    assert sum(each.fits[-1] for each in asked) >= share * len(asked)
    assert sum(each.named[-1] is not None and not each.fits[-1] for each in asked) <= 1


def whole_question(rule: str) -> Question:
    """A whole output of REVERSE_SUBSEQUENCES in which a rule gives four wrong numbers or more."""
    made = (FILL.whole(subject, 1) for subject in file_of("REVERSE_SUBSEQUENCES").subjects)
    return next(
        question
        for question in made
        if question is not None
        and rule in question.answers
        and sum(a != b for a, b in zip(question.answers[rule], question.truth, strict=True)) > 3
    )


def suspicious(rule: str) -> Diagnosis:
    """A diagnosis that suspects a rule after a few answers by it."""
    diagnosis = Diagnosis(most=MOST_TELLING)
    order = Order(file_of("REVERSE_SUBSEQUENCES").subjects, kinds_named(["cell", "pictures"]), 1)
    while diagnosis.suspected != rule:
        question = order.next_question(diagnosis)
        assert question is not None
        diagnosis.take(question, question.answers.get(rule, question.truth))
    return diagnosis


@pytest.mark.parametrize(("slips", "named"), [(0, "R1"), (1, "R1"), (2, None)])
def test_a_filled_output_with_one_slip_confirms_and_with_two_does_not(slips: int, named: str | None) -> None:
    diagnosis, question = suspicious("R1"), whole_question("R1")
    assert diagnosis.rule is None
    by_rule = list(question.answers["R1"])
    for k in range(slips):
        by_rule[k] = 999.0
    diagnosis.take(question, tuple(by_rule))
    assert diagnosis.rule == named


def test_a_right_output_confirms_nothing() -> None:
    diagnosis, question = suspicious("R1"), whole_question("R1")
    diagnosis.take(question, question.truth)
    assert diagnosis.rule is None


def test_what_confirms_is_asked_of_a_suspected_rule_alone() -> None:
    order = Order(file_of("REVERSE_SUBSEQUENCES").subjects, kinds_named(["cell", "fill"]), 1)
    assert order.confirming_question(Diagnosis()) is None
    question = order.confirming_question(suspicious("R1"))
    assert question is not None
    assert question.confirms
    assert "R1" in question.answers
