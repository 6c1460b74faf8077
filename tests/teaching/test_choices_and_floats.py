"""Choices and FLOATs in questions: blank, varied, offered, and the level that a choice came with."""

from __future__ import annotations

import json
import random

import pytest
from support.answering import Clock

import dmlviz as dml
from dmlviz.desc.levels import NEWEST
from dmlviz.errors import DmlvizError
from dmlviz.session.experiments import Experiment
from dmlviz.teaching.diagnosis.follow_ups import follow_up
from dmlviz.teaching.kinds.lib.asking import kinds
from dmlviz.teaching.progress.progress import Progress
from dmlviz.teaching.questions.question import Question, Wish
from dmlviz.teaching.questions.question_json import question_json
from dmlviz.teaching.questions.subject import Subject
from dmlviz.teaching.tasks.changed_descs import numbers_between
from dmlviz.teaching.varying import edits
from dmlviz.workspace.asking.ask_state import Form
from dmlviz.workspace.asking.asking import Asking
from dmlviz.workspace.shown.picture import Room

MODES = ("CONSTANT", "EDGE", "REFLECTION", "SYMMETRIC")
LETTER = dict(zip(MODES, "abcd", strict=True))
DATA = dml.TensorDesc("FLOAT32", (2, 3))


def padding(mode: str, value: float = 9.5) -> Experiment:
    return Experiment("padding", dml.Padding(DATA, mode, value, (0, 2), (1, 0)), NEWEST)


def blank(field: str, mode: str = "REFLECTION", value: float = 9.5) -> Question | None:
    return kinds()["blank"].make(Subject(padding(mode, value)), 1, Wish(field=field))


@pytest.mark.parametrize("mode", MODES[:1] + MODES[2:])
def test_a_blank_choice_is_asked_for_by_letter_and_taken_by_name_too(mode: str) -> None:
    question = blank("PaddingMode", mode)
    assert question is not None
    assert [(choice.id, choice.text) for choice in question.choices] == [*zip("abcd", MODES, strict=True)]
    assert question_json(question)["experiment"]["desc"]["PaddingMode"] is None
    assert [choice for choice in MODES if question.grade(choice).right] == [mode]
    assert [letter for letter in "abcd" if question.grade(letter).right] == [LETTER[mode]] == [question.truth]
    assert f"PaddingMode is {mode}" in question.hint(4)
    with pytest.raises(DmlvizError, match='answer is "MIRROR", expected one of a, b, c, d'):
        question.grade("MIRROR")
    mirrors = {"REFLECTION": "SYMMETRIC", "SYMMETRIC": "REFLECTION"}
    assert question.answers.get("P1", "") == LETTER.get(mirrors.get(mode, ""), ""), "one mirror for the other"


@pytest.mark.parametrize("value", [9.5, -3.0])
def test_a_blank_float_is_asked_for_where_the_outputs_tell_it(value: float) -> None:
    question = blank("PaddingValue", "CONSTANT", value)
    assert question is not None
    asked = json.loads(json.dumps(question_json(question)))
    assert asked["experiment"]["desc"]["PaddingValue"] is None
    assert question.grade(value).right
    assert not question.grade(-value).right
    with pytest.raises(DmlvizError, match="answer is true, expected a number such as"):
        question.grade(True)
    assert blank("PaddingValue", "EDGE", value) is None, "nothing tells it"
    assert blank("PaddingValue", "CONSTANT", float("nan")) is None, "nobody types it"


@pytest.mark.parametrize(
    ("field", "mode", "form", "keys"),
    [("PaddingMode", "REFLECTION", Form.CHOICE, ""), ("PaddingValue", "CONSTANT", Form.NUMBER, "9.5")],
)
def test_they_are_answered_on_the_screen(field: str, mode: str, form: Form, keys: str) -> None:
    question = blank(field, mode)
    assert question is not None
    asking = Asking(question.subject.experiment, Progress(), Clock(), own=question)
    asking.fit(Room(100, 24))
    assert asking.form is form
    for key in keys:
        asking.press(key)
    if not keys:
        asking.choose(LETTER[mode])
    verdict = asking.answer().feedback.verdict
    assert verdict is not None
    assert verdict.right


def test_follow_ups_and_faults_change_a_choice_for_another_and_leave_a_float_alone() -> None:
    desc = padding("REFLECTION").desc
    changes = [each for k in range(2) for each in edits(desc, random.Random(1), breaks=bool(k))]
    assert {change["PaddingMode"] for change in changes if "PaddingMode" in change} <= {*MODES} - {"REFLECTION"}
    assert not any("PaddingValue" in change for change in changes)
    question = blank("PaddingMode")
    assert question is not None
    further = follow_up(question, "P1", seed=2)
    assert further is not None
    assert further.blank == "PaddingMode"
    assert "P1" in further.answers


def test_another_choice_is_one_change() -> None:
    assert numbers_between(padding("EDGE"), padding("SYMMETRIC")) == 1
    assert numbers_between(padding("CONSTANT", 1.0), padding("EDGE", 2.0)) == 2
    nan = padding("EDGE", float("nan"))
    assert numbers_between(padding("EDGE"), nan) == 1
    assert numbers_between(nan, nan) == 0


def test_the_lowest_level_is_that_of_the_choice() -> None:
    data = dml.TensorDesc("FLOAT32", (1, 1, 2, 3))  # taken from 1_0 on
    desc = dml.Padding(data, "SYMMETRIC", 0, (0, 0, 0, 2), (0, 0, 1, 0))
    question = kinds()["lowest"].make(Subject(Experiment("padding", desc, NEWEST)), 1)
    assert question is not None
    assert question.truth == dml.check(desc).lowest_level == "3_0"
    assert question.hint(4) == "Feature level 3_0 is the lowest that takes PADDING with PaddingMode SYMMETRIC."
    assert "choice" in question.hint(2)
