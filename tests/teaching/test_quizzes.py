"""A quiz names a rule that somebody else's student holds, and blames nobody who holds none."""

from __future__ import annotations

import random
from functools import cache

import pytest
import quizzes
from quizzes import BELIEFS, File, Student, quizzed

from dmlviz.teaching.diagnosis.diagnosis import Diagnosis
from dmlviz.teaching.diagnosis.practice import Order
from dmlviz.teaching.kinds.lib.asking import kinds_named
from dmlviz.teaching.kinds.whole_outputs import FILL
from dmlviz.teaching.questions.question import Question


@cache
def file_of(operator: str) -> File:
    return File(operator, "3")


@pytest.mark.drawn(1)
@pytest.mark.parametrize("operator", BELIEFS)
def test_nobody_is_blamed_who_is_right_or_guesses(operator: str) -> None:
    for guesses in (False, True):
        for k in range(3):
            asked = quizzed(Student("", None, 1.0, random.Random(k), guesses), file_of(operator), k)
            assert set(asked.named) == {None}


@pytest.mark.slow
@pytest.mark.parametrize(("steady", "share"), [(1.0, 0.95), (0.7, 0.8)])
def test_most_are_named_within_18_questions(monkeypatch: pytest.MonkeyPatch, steady: float, share: float) -> None:
    """A small draw of what the program beside it measures, of students who don't slip."""
    monkeypatch.setattr(quizzes, "SLIP", 0.0)
    asked = [
        quizzed(each, file_of(name), 0)
        for name in BELIEFS
        for each in quizzes.students_of(file_of(name), 1, "3", steady)
    ]
    assert len(asked) > 40
    assert sum(each.fits[-1] for each in asked) >= share * len(asked)
    assert not [each for each in asked if each.named[-1] is not None and not each.fits[-1]]


@pytest.mark.slow
def test_a_rule_that_is_missing_from_the_catalogue_is_seldom_called_by_another() -> None:
    students = ((name, each) for name in BELIEFS for each in quizzes.students_of(file_of(name), 1, "3", 1.0))
    asked = [quizzed(each, File(name, "3", each.rule), 0) for name, each in students]
    assert sum(each.named[-1] is not None and not each.fits[-1] for each in asked) <= 0.2 * len(asked)


def whole_questions(rule: str) -> list[Question]:
    """Whole outputs of REVERSE_SUBSEQUENCES in which a rule gives four wrong numbers or more."""
    made = (FILL.whole(subject, 1) for subject in file_of("REVERSE_SUBSEQUENCES").subjects)
    told = [question for question in made if question is not None and rule in question.answers]
    return [q for q in told if sum(a != b for a, b in zip(q.answers[rule], q.truth, strict=True)) > 3]


def suspicious(rule: str) -> Diagnosis:
    """A diagnosis that suspects a rule after a few answers by it."""
    diagnosis = Diagnosis()
    order = Order(file_of("REVERSE_SUBSEQUENCES").subjects, kinds_named(["cell", "pictures"]), 1)
    while diagnosis.suspected != rule:
        question = order.next_question(diagnosis)
        assert question is not None
        diagnosis.take(question, question.answers.get(rule, question.truth))
    return diagnosis


def test_a_filled_output_by_the_rule_confirms_it_and_another_one_does_not() -> None:
    question = whole_questions("R1")[0]
    by_rule = question.answers["R1"]
    for given, named in ((by_rule, "R1"), ((999.0, *by_rule[1:]), None), (question.truth, None)):
        diagnosis = suspicious("R1")
        assert diagnosis.rule is None
        diagnosis.take(question, given)
        assert diagnosis.rule == named


def test_outputs_that_are_wrong_otherwise_have_to_be_outweighed_and_take_a_name_back() -> None:
    diagnosis, wholes = suspicious("R1"), whole_questions("R1")
    named = []
    for k, whole in enumerate(wholes[:12]):
        diagnosis.take(whole, whole.answers["R1"] if 2 <= k < 6 else tuple(999.0 for _ in whole.truth))
        named.append(diagnosis.rule)
    assert (named[2], named[5], named[11]) == (None, "R1", None)


def test_what_confirms_is_asked_of_a_suspected_rule_alone() -> None:
    order = Order(file_of("REVERSE_SUBSEQUENCES").subjects, kinds_named(["cell", "fill"]), 1)
    assert order.confirming_question(Diagnosis()) is None
    question = order.confirming_question(suspicious("R1"))
    assert question is not None
    assert question.confirms
    assert "R1" in question.answers
