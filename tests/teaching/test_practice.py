"""Practice: what was missed comes back after 2 and 5 tasks, the next day and the next week; the clock is passed in."""

from __future__ import annotations

from itertools import islice

import pytest
from msgspec.structs import replace
from support.answering import past_answer

from dmlviz.operators.registry import operators
from dmlviz.session.new_experiments import fresh
from dmlviz.teaching.diagnosis import practice
from dmlviz.teaching.diagnosis.practice import DAY, Practice, bank
from dmlviz.teaching.progress import progress
from dmlviz.teaching.progress.progress import Answered

START = 1_800_000_000.0
BASES = [*map(fresh, operators())]


def answered(seconds: float = 0, *, rules: tuple[str, ...] = (), on: str = "") -> Answered:
    return past_answer(time=progress.now_text(START + seconds), right=not rules, answer=1, rules=rules, on=on)


MISSED, OTHER, AGAIN = answered(rules=("G4",)), answered(), answered(on="G4")


WEEK = [MISSED, OTHER, OTHER, AGAIN, OTHER, OTHER, AGAIN]
"""It was missed, and came back after two and after five tasks."""
MISSED_AGAIN = [*WEEK[:6], answered(60, rules=("G4",), on="G4")]


@pytest.mark.parametrize(
    ("answers", "seconds", "due"),
    [
        ([MISSED, OTHER], 0, []),
        ([MISSED, OTHER, OTHER], 0, ["G4"]),
        ([MISSED, OTHER, OTHER, AGAIN], 0, []),
        (WEEK[:6], 0, ["G4"]),
        (WEEK, 3600, []),
        (WEEK, DAY, ["G4"]),
        ([*WEEK, AGAIN], 2 * DAY, []),
        ([*WEEK, AGAIN], 7 * DAY, ["G4"]),
        ([*WEEK, AGAIN, AGAIN], 700 * DAY, []),
        (MISSED_AGAIN, 60, []),
        ([*MISSED_AGAIN, OTHER, OTHER], 60, ["G4"]),
        ([MISSED, answered(1, rules=("C1",)), OTHER, OTHER], 0, ["G4", "C1"]),
        ([answered(rules=("C1", "C2")), OTHER, OTHER], 0, ["C1"]),
    ],
)
def test_what_was_missed_comes_back_and_what_waited_longest_first(
    answers: list[Answered], seconds: float, due: list[str]
) -> None:
    assert practice.due(answers, START + seconds) == due


def test_a_missed_rule_is_asked_about_again() -> None:
    gather = [base for base in BASES if base.desc.TYPE == "DML_OPERATOR_GATHER"]
    found = Practice(gather, 3, [MISSED, OTHER, OTHER])
    question = found.next(START)
    assert found.on == "G4"
    assert "G4" in question.answers
    found.heard(question, question.kind.form.json(question.truth), replace(AGAIN, right=True))
    found.next(START)
    assert found.on == ""


@pytest.mark.slow
def test_practice_has_no_end_and_follows_from_its_seed() -> None:
    asked = []
    for seed in (5, 5):
        practising = Practice(BASES, seed)
        for _ in range(6):
            asked.append(practising.next(START))
            practising.diagnosis.take(asked[-1], asked[-1].truth)
    assert [(q.id, q.prompt, q.truth) for q in asked[:6]] == [(q.id, q.prompt, q.truth) for q in asked[6:]]


def test_a_bank_asks_about_all_operators_and_promises_what_it_asks() -> None:
    questions = list(islice(bank(BASES, 1), 300))
    assert {each.subject.operator.name for each in questions} == {base.trace().operator.name for base in BASES}
    assert all(each.subject.valid for each in questions)
    assert all(each.truth not in each.answers.values() for each in questions)
