"""Questions about whole descs: what is right, whose wrong answers are whose, and that any solution counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from support.held_questions import OF_DESCS, hold_answers

import dmlviz as dml
from dmlviz.desc.value_sources import Listed
from dmlviz.errors import DmlvizError
from dmlviz.session.examples import all_examples
from dmlviz.teaching.kinds.level import LEVEL
from dmlviz.teaching.kinds.lib.asking import kinds, questions
from dmlviz.teaching.kinds.lib.desc_answers import DescAnswer
from dmlviz.teaching.kinds.misprint import MISPRINT
from dmlviz.teaching.questions.goals import picture_of
from dmlviz.teaching.questions.question import Question
from dmlviz.teaching.questions.subject import Subject


def subject(name: str, number: int = 0) -> Subject:
    return Subject(next(e for e in all_examples() if e.name == name).session().experiments[number])


def asked(name: str, kind: str, number: int = 0, seed: int = 0) -> Question:
    (question,) = questions(subject(name, number), [kind], seed)
    return question


@pytest.mark.drawn(3)
@pytest.mark.parametrize("kind", OF_DESCS)
def test_answers_of_all_examples_are_graded_by_what_is_true_and_by_rules(kind: str) -> None:
    found = [q for e in all_examples() for x in e.session().experiments for q in questions(Subject(x), [kind])]
    assert found
    for question in found:
        hold_answers(question)
        again = questions(question.subject.experiment, [kind])
        assert [(q.prompt, q.truth, q.choices) for q in again] == [(question.prompt, question.truth, question.choices)]


@pytest.mark.parametrize(
    ("kind", "name", "truth"),
    [
        ("valid", "gather-2", []),
        ("valid", "rule-axis-range", ["axis.range"]),
        ("valid", "warning-length-clamped", []),
        ("lowest", "note-tile-float64", None),
        ("lowest", "gather-2", "3_0"),
        ("runs", "split-2", 12),
        ("runs", "gather-2", 2),
    ],
)
def test_the_answer_is_that_of_the_lessons(kind: str, name: str, truth: Any) -> None:
    question = asked(name, kind)
    assert question.kind.json(question.truth) == truth


def test_any_value_of_a_blank_that_gives_the_outputs_is_right() -> None:
    question = next(q for seed in range(9) if (q := asked("tile-1", "blank", seed=seed)))
    assert question.blank == "Repeats"
    assert question.grade([1, 1, 3, 3]).right
    reversed_ = question.grade([3, 3, 1, 1])
    assert (reversed_.right, reversed_.rules[0]) == (False, "C1")
    assert "T2" in question.grade([1, 1, 2, 2]).rules
    assert "T4" in question.grade([1, 1, 6, 9]).rules
    assert not question.grade([1, 1, 3]).right
    assert not question.grade([10**9] * 4).right


def test_a_blank_axis_names_who_counts_axes_otherwise() -> None:
    question = asked("join-2-axis-2", "blank")
    assert {rule: question.grade(given).rules[0] for rule, given in question.answers.items()} == {
        rule: rule for rule in ("C1", "C2", "C3")
    }
    assert question.answers == {"C1": 1, "C2": 3, "C3": 0}


def test_any_desc_that_passes_and_is_near_mends() -> None:
    question = asked("gather-3-as-printed", "fixes")
    desc = question.kind.json(question.truth)["desc"]
    start = {**desc, "IndexDimensions": 2}
    assert question.grade(desc).right  # the desc alone is enough
    assert question.grade({"desc": {**start, "IndexDimensions": 1}}).right
    assert not question.grade(start).right
    data, indices = dml.TensorDesc("FLOAT16", (7, 5, 3)), dml.TensorDesc("INT64", (1, 1, 2))
    other = DescAnswer(dml.Gather(data, indices, 2, 1))
    assert not question.grade(question.kind.json(other)).right  # another problem altogether
    with pytest.raises(DmlvizError, match="expected a desc"):
        question.grade(3)
    with pytest.raises(DmlvizError, match='expected "DML_OPERATOR_GATHER"'):
        question.grade({"type": "DML_OPERATOR_TILE", "desc": {}})


def test_who_lets_negative_axes_pass_calls_the_desc_valid() -> None:
    held = next(e for e in all_examples() if e.name == "rule-axis-range").session().experiments
    (question,) = questions(Subject(next(each for each in held if each.desc.get("Axis") < 0)), ["valid"])
    assert question.grade([]).rules[0] == "C6"


FLOATS = dml.TensorDesc("FLOAT32", (2, 2))


def wallpaper() -> Question:
    """Level L23: two columns beside each other, from TILE of Repeats {2, 1}."""
    start = dml.Experiment("any road", dml.Tile(FLOATS, (2, 1)))
    solution = dml.Tile(FLOATS, (1, 2))
    return LEVEL.of_goal(Subject(start), picture_of(replace(start, desc=solution)), solution)


def test_a_level_is_won_by_any_operator_that_makes_the_goal_of_the_same_elements() -> None:
    question = wallpaper()
    tensor = {"DataType": "FLOAT32", "Sizes": [2, 2]}
    indices = {"DataType": "UINT32", "Sizes": [1, 4]}
    gather = {"InputTensor": tensor, "IndicesTensor": indices, "Axis": 1, "IndexDimensions": 1}
    won = [
        {"InputTensor": tensor, "Repeats": [1, 2]},
        {"type": "DML_OPERATOR_JOIN", "desc": {"InputTensors": [tensor, tensor], "Axis": 1}},
        {"type": "DML_OPERATOR_GATHER", "desc": gather, "values": {"IndicesTensor": [[0, 1, 0, 1]]}},
    ]
    for answer in (*won, question.kind.json(question.truth)):
        assert question.grade(answer).right, answer


def test_a_failed_level_is_explained_by_the_rule_that_makes_the_goal_of_it() -> None:
    verdict = wallpaper().grade({"InputTensor": {"DataType": "FLOAT32", "Sizes": [2, 2]}, "Repeats": [2, 1]})
    assert (verdict.right, verdict.rules[0]) == (False, "C1")
    assert verdict.feedback.startswith("By “axis from the other end” this would be it.")


@pytest.mark.parametrize(
    ("kind", "sizes", "repeats", "sentence"),
    [
        ("FLOAT32", [2, 4], [1, 1], "has room for 8 elements"),
        ("INT32", [2, 2], [1, 2], "DataType is INT32"),
        ("FLOAT32", [2, 2], [1, 0], "repeats.positive is broken"),
        ("FLOAT32", [4, 1], [1, 1], "has Sizes {4, 1}"),
    ],
)
def test_a_failed_level_says_what_fails(kind: str, sizes: list[int], repeats: list[int], sentence: str) -> None:
    verdict = wallpaper().grade({"InputTensor": {"DataType": kind, "Sizes": sizes}, "Repeats": repeats})
    assert not verdict.right
    assert sentence in verdict.feedback


def test_unpromised_elements_win_no_level() -> None:
    data, indices = dml.TensorDesc("UINT8", (3,)), dml.TensorDesc("UINT32", (2,))
    start = dml.Experiment("clamped", dml.Gather(data, indices, 0, 1), values={"IndicesTensor": Listed((0, 2), (2,))})
    question = LEVEL.of_goal(Subject(start), picture_of(start), start.desc)
    desc = question.kind.json(question.truth)["desc"]
    assert question.grade(desc).right
    assert not question.grade({"desc": desc, "values": {"IndicesTensor": [0, 9]}}).right


def test_a_misprint_is_asked_by_authors_and_its_texts_are_shuffled() -> None:
    texts = ["SequenceTensor", "InputTensor", "OutputTensor"]
    made = [
        MISPRINT.of_task(subject("reverse-1"), seed, "Which name is wrong?", texts, 0, {"R1": 2}) for seed in range(20)
    ]
    assert {question.truth for question in made} == {"a", "b", "c"}
    for question in made:
        assert question.grade(question.truth).right
        assert question.grade(question.answers["R1"]).rules[0] == "R1"
    with pytest.raises(DmlvizError, match="expected 2 to 8"):
        MISPRINT.of_task(subject("reverse-1"), 0, "?", ["one"], 0)


def test_questions_are_asked_from_python() -> None:
    found = dml.questions(dml.Tile(FLOATS, (1, 2)), kinds="sizes", seed=3)
    assert found[0].grade([[2, 4]]).right
    assert {question.kind.name for question in dml.questions(subject("gather-2").experiment)} <= set(kinds())
    with pytest.raises(DmlvizError, match="hint is 5, expected 1 to 4"):
        found[0].hint(5)
    with pytest.raises(DmlvizError, match='kind is "riddle"'):
        dml.questions(subject("gather-2").experiment, ["riddle"])
    with pytest.raises(DmlvizError, match="expected an Experiment or a desc"):
        dml.questions(3)  # type: ignore[arg-type]
