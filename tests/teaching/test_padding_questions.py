"""What PADDING alone asks: choices and FLOATs, and elements that come from no input."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from support.answering import asking, give, subject_of

import dmlviz as dml
from dmlviz.cli.quiz_text import form_line
from dmlviz.desc.levels import NEWEST
from dmlviz.errors import DmlvizError
from dmlviz.session.experiments import Experiment
from dmlviz.teaching.asked import json_of, question_json, verdict_json
from dmlviz.teaching.kinds.lib.asking import kinds
from dmlviz.teaching.questions.question import At, Question, Wish
from dmlviz.teaching.questions.subject import FROM_NOWHERE, Subject
from dmlviz.teaching.questions.wording import element_text
from dmlviz.teaching.varying import edits
from dmlviz.workspace.asking.asked_desc import NONE
from dmlviz.workspace.wall.presented_item import in_few_words

MODES = ("CONSTANT", "EDGE", "REFLECTION", "SYMMETRIC")
DATA = dml.TensorDesc("FLOAT32", (2, 3))
TILE = dml.Tile(DATA, (1, 2))
FRAME = dml.Padding(DATA, "CONSTANT", 7, (1, 2), (1, 2))
"""7 around all elements: one row above and below, two columns on either side."""
BORDER, INSIDE = At.output(0, (0, 3)), At.output(0, (2, 4))


def asked(kind: str, at: At | None = None, desc: Any = FRAME) -> Question:
    question = kinds()[kind].make(subject_of(desc), 0, Wish(at=at))
    assert question is not None
    return question


def padding(mode: str, value: float = 9.5) -> Experiment:
    return Experiment("padding", dml.Padding(DATA, mode, value, (0, 2), (1, 0)), NEWEST)


def test_a_choice_or_a_float_is_no_blank() -> None:
    for field in ("PaddingMode", "PaddingValue", "EndPadding"):
        question = kinds()["blank"].make(Subject(padding("REFLECTION")), 1, Wish(field=field))
        assert (question is None) == (field != "EndPadding")


def test_follow_ups_and_faults_change_a_choice_for_another_and_leave_a_float_alone() -> None:
    desc = padding("REFLECTION").desc
    changes = [each for k in range(2) for each in edits(desc, random.Random(1), breaks=bool(k))]
    assert {change["PaddingMode"] for change in changes if "PaddingMode" in change} <= {*MODES} - {"REFLECTION"}
    assert not any("PaddingValue" in change for change in changes)


def test_the_lowest_level_is_that_of_the_choice() -> None:
    data = dml.TensorDesc("FLOAT32", (1, 1, 2, 3))  # taken from 1_0 on
    desc = dml.Padding(data, "SYMMETRIC", 0, (0, 0, 0, 2), (0, 0, 1, 0))
    question = kinds()["lowest"].make(Subject(Experiment("padding", desc, NEWEST)), 1)
    assert question is not None
    assert question.truth == dml.check(desc).lowest_level == "3_0"
    assert question.hint(4) == "Feature level 3_0 is the lowest that accepts this PADDING."
    assert "choice" in question.hint(2)


# ---- what comes from nowhere


def test_what_comes_from_nowhere_is_answered_by_a_word() -> None:
    question = asked("source", BORDER)
    assert question.truth == FROM_NOWHERE
    right = question.grade("nowhere")
    assert right.right
    assert right.says == "OutputTensor[0,3] = PaddingValue = 7, where InputTensor[-1,1] is outside {2, 3} (constant)."
    assert verdict_json(question, right)["answer"] == "nowhere"
    json.dumps(question_json(question))
    assert not question.grade({"tensor": 0, "index": [0, 0]}).right
    assert question.hint(4) == "nowhere: it is PaddingValue"
    inside = asked("source", INSIDE)
    assert [inside.grade(given).right for given in ("nowhere", {"tensor": 0, "index": [1, 2]})] == [False, True]


@pytest.mark.parametrize("kind", ["source", "cell"])
def test_hints_before_the_last_tell_of_no_element_whether_it_has_a_source(kind: str) -> None:
    told = {}
    for at in (BORDER, INSIDE):
        question = asked(kind, at)
        hints = " ".join(question.hint(number) for number in (1, 2, 3))
        told[at] = hints.replace(element_text(question.subject, at), "")
    assert told[BORDER] == told[INSIDE]


def test_who_said_nowhere_is_told_by_which_rules_it_would_have_none() -> None:
    boards = (asking(Experiment("it", FRAME), "source", seed=seed) for seed in range(20))
    board = next(each for each in boards if each.question.truth != FROM_NOWHERE)
    state = give(board, FROM_NOWHERE)
    assert state.verdict is not None
    assert all(board.question.answers[rule] == FROM_NOWHERE for rule in state.verdict.rules)
    assert state.sentences[0].startswith("This is what “") == bool(state.verdict.rules)


def test_an_operator_without_constants_takes_no_such_word() -> None:
    question = asked("source", desc=TILE)
    with pytest.raises(DmlvizError, match="expected an element of InputTensor"):
        question.grade("nowhere")
    assert "nowhere" not in form_line(question) + question.prompt


def test_quiz_takes_it_in_words() -> None:
    question = asked("source", BORDER)
    assert "nowhere" in form_line(question)
    for text in ("nowhere", "Nowhere", "none"):
        assert question.grade(json_of(question, text)).right
    assert json_of(question, "1 2") == {"tensor": 0, "index": [1, 2]}
    assert in_few_words(question, question.truth) == "nowhere"


def test_its_value_is_the_constant_and_no_copy_of_memory() -> None:
    verdict = asked("cell", BORDER).grade(7)
    assert verdict.right
    assert verdict.says.endswith("PaddingValue = 7, where InputTensor[-1,1] is outside {2, 3} (constant).")
    runs = asked("runs")
    assert runs.truth == 2, "each row of the input is one"
    assert runs.prompt.endswith("Elements that hold PaddingValue are not copied.")


def test_a_key_of_the_screen_answers_it() -> None:
    board = asking(Experiment("it", FRAME), "source")
    assert board.state.answer.none == "nowhere"
    for pointed in ("nowhere", "?"):
        board.answering.choose(NONE)
        assert board.state.answer.pointed == pointed
    verdict = give(board, board.question.truth).verdict
    assert verdict is not None
    assert verdict.right
    plain = asking(Experiment("it", TILE), "source")
    assert not plain.state.answer.none
