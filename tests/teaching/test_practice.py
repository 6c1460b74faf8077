"""Practice: what was missed comes back after 2 and 5 tasks, the next day and the next week; the clock is passed in."""

from __future__ import annotations

from itertools import islice

import pytest
from msgspec.structs import replace
from support.teaching import past_answer

from dmlviz.operators.registry import operators
from dmlviz.session.new_experiments import fresh
from dmlviz.teaching.diagnosis import practice
from dmlviz.teaching.diagnosis.practice import DAY, Bank, Due, Practice
from dmlviz.teaching.progress import progress
from dmlviz.teaching.progress.progress import Answered

START = 1_800_000_000.0
BASES = [*map(fresh, operators())]


def answered(seconds: float = 0, *, rules: tuple[str, ...] = (), on: str = "") -> Answered:
    return past_answer(time=progress.now_text(START + seconds), right=not rules, answer=1, rules=rules, on=on)


MISSED, OTHER, AGAIN = answered(rules=("G4",)), answered(), answered(on="G4")


def test_a_missed_rule_comes_back_after_two_tasks_and_after_five() -> None:
    assert practice.due([MISSED], START) == []
    assert practice.due([MISSED, OTHER], START) == []
    assert practice.due([MISSED, OTHER, OTHER], START) == [Due("G4", 0)]
    assert practice.due([MISSED, OTHER, OTHER, AGAIN], START) == []
    assert practice.due([MISSED, OTHER, OTHER, AGAIN, OTHER, OTHER], START) == [Due("G4", 1)]


def test_it_comes_back_the_next_day_and_the_next_week() -> None:
    known = [MISSED, OTHER, OTHER, AGAIN, OTHER, OTHER, AGAIN]
    assert practice.due(known, START + 3600) == []
    assert practice.due(known, START + DAY) == [Due("G4", 2)]
    known.append(AGAIN)
    assert practice.due(known, START + 2 * DAY) == []
    assert practice.due(known, START + 7 * DAY) == [Due("G4", 3)]
    assert practice.due([*known, AGAIN], START + 700 * DAY) == []


def test_missed_again_it_begins_anew() -> None:
    known = [MISSED, OTHER, OTHER, AGAIN, OTHER, OTHER, answered(60, rules=("G4",), on="G4")]
    assert practice.due(known, START + 60) == []
    assert practice.due([*known, OTHER, OTHER], START + 60) == [Due("G4", 0)]


def test_the_one_that_waited_longest_comes_first() -> None:
    known = [MISSED, answered(1, rules=("C1",)), OTHER, OTHER]
    assert [each.rule for each in practice.due(known, START)] == ["G4", "C1"]


def test_an_answer_that_fits_several_rules_is_about_the_likeliest() -> None:
    assert [each.rule for each in practice.due([answered(rules=("C1", "C2")), OTHER, OTHER], START)] == ["C1"]


def test_a_missed_rule_is_asked_about_again() -> None:
    gather = [base for base in BASES if base.desc.TYPE == "DML_OPERATOR_GATHER"]
    found = Practice(gather, 3, [MISSED, OTHER, OTHER])
    question = found.next(START)
    assert found.on == "G4"
    assert "G4" in question.answers
    found.heard(question, question.kind.json(question.truth), replace(AGAIN, right=True))
    found.next(START)
    assert found.on == ""


@pytest.mark.slow
def test_practice_has_no_end_and_follows_from_its_seed() -> None:
    one, two = Practice(BASES, 5), Practice(BASES, 5)
    for _ in range(6):
        first, second = one.next(START), two.next(START)
        assert (first.id, first.prompt, first.truth) == (second.id, second.prompt, second.truth)
        one.diagnosis.take(first, first.truth)
        two.diagnosis.take(second, second.truth)


def test_a_bank_asks_about_all_operators_and_promises_what_it_asks() -> None:
    questions = list(islice(Bank(BASES, 1).questions(), 300))
    assert {each.subject.operator.name for each in questions} == {base.trace().operator.name for base in BASES}
    assert all(each.subject.valid for each in questions)
    assert all(each.truth not in each.answers.values() for each in questions)
