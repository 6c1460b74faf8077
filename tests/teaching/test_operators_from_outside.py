"""Other operators are asked about as the five are: with wrong rules of their own, as SLICE1, or with none at all."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from operator_kit.finding import cases_of
from support import quiz_solver, students
from support.answering import answered, asking, give, subject_of
from support.effort import tried
from support.kinds import ASKED, OF_CHAINS
from support.outside import installed
from support.quiz_solver import OF_DESCS, OF_ELEMENTS
from support.strategies import Case

from dmlviz.operators.registry import operator_of
from dmlviz.session import examples
from dmlviz.session.new_experiments import fresh
from dmlviz.teaching.asked import question_json, verdict_json
from dmlviz.teaching.diagnosis.diagnosis import TOLD_BY
from dmlviz.teaching.diagnosis.practice import bank as bank_of
from dmlviz.teaching.diagnosis.practice import follow_up
from dmlviz.teaching.kinds.lib.asking import kinds, questions
from dmlviz.teaching.questions.question import Question, Wish
from dmlviz.teaching.varying import broken, varied

KIT = Path(__file__).parent.parent / "operator_kit"
SLICE1 = "DML_OPERATOR_SLICE1"
TOYS = [f"DML_OPERATOR_{name}" for name in ("FLIP", "TURN")]
ALL = [SLICE1, *TOYS]
OWN = tuple(f"W{k}" for k in range(2, 5))
"""The wrong rules about SLICE1 alone."""
EVERY = [*ALL, *(f"DML_OPERATOR_{name}" for name in ("GATHER", "JOIN", "REVERSE_SUBSEQUENCES", "SPLIT", "TILE"))]
AUTHORED = ("level", "misprint")
"""Kinds that no desc makes by itself."""
NO_STEERING = {"via", "promised", "insizes"}
"""Kinds about index and length tensors."""


@pytest.fixture(scope="module", autouse=True)
def outside() -> Iterator[None]:
    with installed(KIT / "toys"):
        yield


def descs(kind: str) -> list[Any]:
    """All that the operator's cases and examples have, valid or broken, and some that vary."""
    own = [x.desc for e in examples.all_examples() for x in e.session().experiments if kind == x.desc.TYPE]
    return [*cases_of(kind).VALID, *cases_of(kind).BROKEN.values(), *own]


@cache
def bank(kind: str) -> list[Question]:
    """Questions of all kinds about ever new descs, many of them broken."""
    return list(islice(bank_of([fresh(kind)], 3, [*OF_ELEMENTS, *OF_DESCS]), 120))


@cache
def asked(kind: str) -> list[Question]:
    """Every kind of question about every desc, from a few seeds, and the bank's."""
    subjects = [subject_of(desc) for desc in descs(kind)]
    return [q for seed in range(3) for subject in subjects for q in questions(subject, seed=seed)] + bank(kind)


def hold(question: Question) -> None:
    """The truth grades right; what a rule's holder answers grades wrong, with the rule among those named.

    Nothing is asked about an element that isn't promised, but whether it is.
    """
    verdict = question.grade(answered(question, question.truth))
    assert (verdict.right, verdict.rules) == (True, ())
    said = {verdict.says, question.prompt, *(question.hint(n) for n in (1, 2, 3, 4))}
    assert all(text and "\n" not in text for text in said)
    for rule, answer in question.answers.items():
        verdict = question.grade(answered(question, answer))
        assert not verdict.right
        assert rule in verdict.rules, (question.id, rule, answer)
        assert verdict.says
        assert json.loads(json.dumps(verdict_json(question, verdict)))["rules"] == [*verdict.rules]
    if question.at is not None and question.at.place.is_output:
        promised = question.kind.name in ("promised", "fill", "order") or question.subject.truth.promised[question.cell]
        assert promised, question.id


@pytest.mark.drawn(1)
@pytest.mark.parametrize("kind", EVERY)
def test_questions_about_any_desc_are_graded_by_what_is_true_and_by_rules(kind: str) -> None:
    """Right by the solver, wrong by each rule, and the same for the same seed, or where the same element is named."""

    @tried(120, suppress_health_check=list(HealthCheck))
    @given(cases_of(kind).cases(), st.integers(0, 1000))
    def run(case: Case, seed: int) -> None:
        subject, again = (subject_of(case.desc, case.arrays) for _ in range(2))
        for name in (*OF_ELEMENTS, *OF_DESCS):
            question, other = (kinds()[name].make(each, seed) for each in (subject, again))
            assert (question is None) == (other is None)
            if question is None or other is None:
                continue
            line = question_json(question)
            assert line == question_json(other)
            assert (question.truth, question.answers) == (other.truth, other.answers)
            hold(question)
            if name in OF_ELEMENTS and question.subject is subject:  # else it is about a small one like it
                assert quiz_solver.answer(line) == answered(question, question.truth)
                if question.at is not None and name != "pictures":
                    wanted = kinds()[name].make(again, seed, Wish(at=question.at, first=question.first))
                    assert wanted is not None
                    assert question_json(wanted) == line

    run()


@pytest.mark.parametrize("kind", ALL)
def test_questions_are_graded_and_their_pictures_differ(kind: str) -> None:
    for question in asked(kind)[::5]:
        hold(question)
        assert question.truth not in question.answers.values()
        pictures = [each.picture for each in question.choices if each.picture is not None]
        assert len(set(pictures)) == len(pictures)


# ---- which kinds there are


def test_every_kind_that_applies_is_asked_about_slice1_and_tells_its_rules() -> None:
    found = asked(SLICE1)
    assert {each.kind.name for each in found} == set(kinds()) - {*AUTHORED, *OF_CHAINS, "pictures"} - NO_STEERING
    assert {rule for each in found for rule in each.answers} >= set(OWN)
    telling = {each.kind.name for each in found if {*each.answers} & {*OWN}}
    assert telling == {each.kind.name for each in found} - {"lowest", "valid", "fixes"}  # rules here are about outputs


@pytest.mark.parametrize("kind", TOYS)
def test_an_operator_without_wrong_rules_is_asked_about_with_no_distractors(kind: str) -> None:
    """Pictures, of which three would be by wrong rules, aren't offered."""
    found = {each.kind.name for each in asked(kind)}
    assert not operator_of(kind).misreadings()
    assert found >= {"cell", "dest", "source", "fill", "order", "runs", "valid", "lowest", "fixes"}
    assert ("count" in found) is (kind != "DML_OPERATOR_FLIP")  # which reads everything once
    assert "pictures" not in found
    assert not [each for each in asked(kind) if each.answers]
    assert "via" not in found


def test_descs_vary_in_all_that_the_fields_of_slice1_take() -> None:
    """Strides that are negative, offsets from 0 on; a window that ends outside is among the faults."""
    dice, base = random.Random(1), fresh(SLICE1)
    valid = [x.desc for _ in range(60) if (x := varied(base, dice)) is not None]
    assert {stride > 0 for desc in valid for stride in desc.get("InputWindowStrides")} == {True, False}
    assert {offset > 0 for desc in valid for offset in desc.get("InputWindowOffsets")} == {True, False}
    faults = [broken(base, dice) for _ in range(60)]
    ids = [tuple(c.id for c in x.check().errors) for x in faults if x is not None]
    assert ids.count(("slice.inside",)) >= 3


@pytest.mark.parametrize("kind", ALL)
def test_what_follows_a_wrong_answer_tells_its_rule_from_the_truth(kind: str) -> None:
    followed: list[bool] = []
    for number, question in enumerate(asked(kind)[::11]):
        if question.kind.name in (*AUTHORED, "fixes") or not question.subject.moves:
            continue
        for rule in question.answers or ("",):
            follow = follow_up(question, rule, seed=number)
            followed.append(follow is not None)
            if follow is not None:
                assert follow.kind is question.kind
                assert follow.subject.desc != question.subject.desc
                assert not rule or rule in follow.answers
                hold(follow)
    assert sum(followed) >= 0.8 * len(followed)


# ---- what a student believes


def diagnosed(rule: str, bank: list[Question]) -> students.Found:
    """What becomes of a student who always answers by a rule."""

    class Sure(students.Student):
        def answer(self, question: Question) -> Any:
            return question.answers.get(self.rule, question.truth)

    return students.diagnose(Sure(rule, 1.0, random.Random(1)), bank, random.Random(2))


@pytest.mark.slow
@pytest.mark.parametrize("rule", OWN)
def test_whoever_follows_a_rule_of_slice1_is_named_by_it(rule: str) -> None:
    found = diagnosed(rule, list(islice(bank_of([fresh(SLICE1)], 5, TOLD_BY), 300)))
    assert found.fits, found
    assert found.questions <= 12


@pytest.mark.parametrize("kind", ALL)
def test_whoever_is_right_about_it_is_not_blamed(kind: str) -> None:
    assert diagnosed("", bank(kind)).named is None


# ---- where it is asked


@pytest.mark.parametrize("kind", ALL)
def test_the_explorer_asks_every_kind_and_takes_its_answer(kind: str) -> None:
    for name in ASKED:
        found = next((each for each in asked(kind) if each.kind.name == name), None)
        if found is not None:
            asked_here = asking(found.subject.experiment, name, seed=found.seed)
            give(asked_here, asked_here.question.truth)
            assert asked_here.verdict is not None, name
            assert asked_here.verdict.right, name
