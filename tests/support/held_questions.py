"""What holds of every question about any desc: right by the solver, wrong by each rule, the same for the same seed."""

from __future__ import annotations

import json

from dmlviz.teaching.asked import question_json, verdict_json
from dmlviz.teaching.kinds.lib.asking import kinds_named
from dmlviz.teaching.questions.question import Question, Wish
from support import quiz_solver
from support.strategies import Case
from support.teaching import answered, subject_of


def hold_of_elements(case: Case, seed: int) -> None:
    """Everything that holds of the questions about elements and sizes of a valid desc."""
    subject, again = (subject_of(case.desc, case.arrays) for _ in range(2))
    for kind in kinds_named(quiz_solver.OF_ELEMENTS):
        question, other = (kind.make(each, seed) for each in (subject, again))
        assert (question is None) == (other is None)
        if question is None or other is None:
            continue
        line = question_json(question)
        assert line == question_json(other)
        assert (question.truth, question.answers) == (other.truth, other.answers)
        if question.subject is not subject:
            continue  # it is about a small one like it
        assert quiz_solver.answer(line) == answered(question, question.truth)
        hold_answers(question)
        hold_places(question)
        if question.at is not None and kind.name != "pictures":
            wanted = kind.make(again, seed, Wish(at=question.at, first=question.first))
            assert wanted is not None
            assert question_json(wanted) == line


def hold_places(question: Question) -> None:
    """Nothing is asked about an element that isn't promised, but whether it is."""
    if question.at is None or not question.at.place.is_output or question.kind.name in ("promised", "fill", "order"):
        return
    assert question.subject.truth.promised[question.cell]


def hold_answers(question: Question) -> None:
    """The truth grades right; what a rule's holder answers grades wrong, with the rule among those named."""
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
