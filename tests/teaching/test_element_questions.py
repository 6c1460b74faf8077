"""Questions about elements and sizes: examples, what is never asked, large tensors, and what JSON tells."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from operator_kit.finding import cases_of
from support.effort import tried
from support.held_questions import hold_of_elements
from support.strategies import Case
from support.teaching import answered, subject_of

import dmlviz as dml
from dmlviz.desc.value_sources import Listed
from dmlviz.desc.values import Constant
from dmlviz.errors import DmlvizError
from dmlviz.operators.registry import operators
from dmlviz.session.experiments import Experiment
from dmlviz.teaching.kinds.elements import CellKind
from dmlviz.teaching.kinds.fill import FillKind
from dmlviz.teaching.kinds.lib.asking import kinds, questions
from dmlviz.teaching.questions.elements import candidates
from dmlviz.teaching.questions.question import At, Question, Wish
from dmlviz.teaching.questions.question_json import question_json
from dmlviz.teaching.questions.subject import Subject

NAMES = (
    "sizes", "cell", "pictures", "dest", "source", "via", "count", "unread", "fill", "order", "insizes", "promised",
)  # fmt: skip
FIVE = ("GATHER", "JOIN", "REVERSE_SUBSEQUENCES", "SPLIT", "TILE")


def example(name: str, number: int = 0) -> Subject:
    return Subject(dml.examples()[name].experiments[number])


def asked(subject: Subject, kind: str, seed: int = 0, **wanted: Any) -> Question:
    made = kinds()[kind].make(subject, seed, Wish(**wanted))
    assert made is not None
    return made


def at(*index: int, output: int = 0) -> At:
    return At.output(output, index)


def read(*index: int, tensor: int = 0) -> At:
    return At.input(tensor, index)


def tensor(*sizes: int, kind: str = "FLOAT32") -> dml.TensorDesc:
    return dml.TensorDesc(kind, sizes)


# What the lessons ask, by the answers that they give.


@pytest.mark.parametrize(
    ("name", "kind", "wanted", "truth", "by_rules"),
    [
        ("join-1", "sizes", {}, [[1, 1, 2, 7]], {"J4": [[1, 1, 2, 6]], "J3": [[1, 1, 4, 7]]}),
        ("join-1", "source", {"at": at(0, 0, 1, 3)}, {"tensor": 1, "index": [0, 0, 1, 0]}, {}),
        ("join-2-axis-3", "cell", {"at": at(0, 0, 0, 2)}, 5, {"J2": 9, "J5": 3}),
        (
            "join-2-axis-3", "order", {"first": 6}, [1, 2, 5, 6, 9, 10],
            {"C4": [1, 3, 2, 4, 5, 7], "J5": [1, 2, 3, 4, 5, 6]},
        ),
        ("split-1", "cell", {"at": at(0, 0, 0, 1, output=2)}, 8, {"S1": 4}),
        ("split-1", "dest", {"at": read(0, 0, 4, 0)}, [{"output": 2, "index": [0, 0, 1, 0]}], {}),
        ("split-2", "order", {"first": 6}, [1, 3, 5, 7, 9, 11], {}),
        ("reverse-1", "source", {"at": at(0, 0, 2, 0)}, {"tensor": 0, "index": [0, 0, 2, 2]}, {}),
        ("reverse-1", "via", {"at": at(0, 0, 1, 2)}, {"tensor": 1, "index": [0, 0, 1, 0]}, {}),
        ("reverse-1", "fill", {"at": at(0, 0, 0)}, [2, 1, 3, 4], {"R1": [4, 3, 2, 1], "R8": [2, 1, 0, 0]}),
        ("erratum-reverse-labels", "insizes", {}, [1, 1, 1, 4], {}),
        ("gather-2", "sizes", {}, [[4, 2]], {"G10": [[3, 2]]}),
        ("gather-4", "sizes", {}, [[3, 1, 2]], {}),
        ("note-negative-index", "cell", {"at": at(0, 0)}, 5, {}),
        ("warning-index-range", "promised", {"at": at(1, 0)}, False, {}),
        ("tile-1", "sizes", {}, [[1, 1, 6, 9]], {"T2": [[1, 1, 8, 12]], "T4": [[1, 1, 3, 3]]}),
        ("tile-1", "source", {"at": at(0, 0, 4, 7)}, {"tensor": 0, "index": [0, 0, 0, 1]}, {}),
        ("tile-1", "count", {"at": read(0, 0, 1, 1)}, 9, {"T7": 6}),
    ],
)  # fmt: skip
def test_what_lessons_ask(name: str, kind: str, wanted: dict[str, Any], truth: Any, by_rules: dict[str, Any]) -> None:
    number = 1 if name == "erratum-reverse-labels" else 0
    question = asked(example(name, number), kind, **wanted)
    assert question.kind.json(question.truth) == truth
    assert question.grade(truth).right
    for id_, answer in by_rules.items():
        assert id_ in question.grade(answer).rules


@pytest.mark.parametrize(
    ("name", "rules"),
    [("join-1", "J5 J6 C4"), ("split-1", "S1 S3 C4"), ("reverse-1", "R1 R2 R3"), ("tile-1", "T1 T5 T6")],
)
def test_pictures_by_the_rules_that_are_wanted(name: str, rules: str) -> None:
    question = asked(example(name), "pictures", rules=rules.split())
    assert set(rules.split()) <= set(question.answers)
    assert sorted([question.truth, *(question.answers[each] for each in rules.split())]) == ["a", "b", "c", "d"]


def test_an_element_that_is_not_there_or_not_promised_is_not_asked_about() -> None:
    subject = example("warning-index-range")
    for kind, element in (("cell", at(1, 0)), ("source", at(99, 0)), ("cell", at(0))):
        assert kinds()[kind].make(subject, 0, Wish(at=element)) is None
    assert kinds()["dest"].make(subject, 0, Wish(at=at(0, 0))) is None  # no input's element


# What is worth asking.


@pytest.mark.parametrize("name", ["join-2-axis-3", "split-1", "reverse-1", "gather-2", "tile-1"])
def test_the_cell_tells_most_rules_from_the_truth(name: str) -> None:
    subject = example(name)
    for seed in range(5):
        question = asked(subject, "cell", seed)
        found = candidates(subject, CellKind().certain(subject), CellKind().ask)
        assert len(question.answers) == max(each.told for each in found)


def test_another_seed_asks_about_another_cell() -> None:
    subject = example("tile-1")
    assert len({asked(subject, "cell", seed).at for seed in range(20)}) > 2


@pytest.mark.slow
def test_right_pictures_are_spread_evenly() -> None:
    """Chi-square over 1,000 seeds: 16.27 is exceeded by chance once in a thousand times, with 3 degrees of freedom."""
    subject = example("reverse-1")
    found = Counter(asked(subject, "pictures", seed).truth for seed in range(1000))
    assert sum((found[each] - 250) ** 2 / 250 for each in "abcd") < 16.27


@pytest.mark.parametrize("name", ["join-1", "split-1", "reverse-1", "tile-1"])
def test_neither_the_odd_picture_nor_the_middle_one_is_the_true_one_as_a_rule(name: str) -> None:
    """Blind tries: the picture least or most like the others, by elements that differ."""
    subject, odd, middle = example(name), 0, 0
    for seed in range(100):
        question = asked(subject, "pictures", seed)
        pictures = {each.id: each.picture for each in question.choices}
        flat = {a: [v for _, values in each.outputs for v in values] for a, each in pictures.items() if each}
        apart = {
            a: sum(x != y for other in flat.values() for x, y in zip(mine, other, strict=True))
            for a, mine in flat.items()
        }
        odd += max(apart, key=lambda each: apart[each]) == question.truth
        middle += min(apart, key=lambda each: apart[each]) == question.truth
    assert odd <= 30
    assert middle <= 75 or len(question.answers) == 3


def test_a_whole_output_is_filled_in_to_confirm() -> None:
    kind = kinds()["fill"]
    assert isinstance(kind, FillKind)
    question = kind.whole(example("join-1"), 0)
    assert question is not None
    assert question.confirms
    assert len(question.truth) == 14
    assert kind.whole(example("tile-1"), 0) is None  # 54 numbers


def test_columns_first_is_an_order_of_the_true_picture() -> None:
    """Who reads pictures down the columns writes the true numbers in another order."""
    question = asked(example("join-2-axis-3"), "order")
    answers = {id_: question.kind.answer(question, question.rule(id_)) for id_ in ("C4", "J5")}
    wanted = {"C4": (1, 3, 2, 4, 5, 7, 6, 8), "J5": (1, 2, 3, 4, 5, 6, 7, 8)}
    assert answers == {id_: numbers[: question.first] for id_, numbers in wanted.items()}
    assert question.truth == (1, 2, 5, 6, 9, 10, 3, 4)[: question.first]


@pytest.mark.drawn(2)
@pytest.mark.parametrize("name", FIVE)
def test_questions_about_random_descs_hold(name: str) -> None:
    (kind,) = [type_ for type_, operator in operators().items() if operator.name == name]

    @tried(120, suppress_health_check=list(HealthCheck))
    @given(cases_of(kind).cases(), st.integers(0, 1000))
    def run(case: Case, seed: int) -> None:
        hold_of_elements(case, seed)

    run()


# Scores.


def test_score_of_marks_takes_wrong_ones_off() -> None:
    question = asked(example("tile-1"), "dest", at=read(0, 0, 0, 0))
    right = answered(question, question.truth)
    wrong = {"output": 0, "index": [0, 0, 0, 1]}
    assert question.grade(right[:3]).score == pytest.approx(3 / 9)
    assert question.grade([*right, wrong]).score == pytest.approx(8 / 9)
    assert not question.grade([*right, wrong]).right
    assert question.grade([wrong]).score == 0
    assert question.grade([*right[::-1], right[0]]).right  # in any order, twice is once


def test_score_of_a_fill_ends_with_the_first_wrong_number() -> None:
    question = asked(example("reverse-1"), "fill", at=at(0, 0, 0))
    verdict = question.grade([2, 1, 9, 4])
    assert (verdict.right, verdict.score, verdict.rules) == (False, 0.5, ())
    assert verdict.feedback.startswith("Number 3 is the first that is wrong: OutputTensor[0,0,0,2]")


def test_never_read_is_marked_by_marking_nothing() -> None:
    subject = subject_of(dml.Gather(tensor(4), tensor(2, kind="UINT32"), axis=0, index_dimensions=1))
    question = asked(subject, "dest", at=read(3))
    assert question.grade([]).right
    assert asked(subject, "count", at=read(3)).grade(0).right
    unread = asked(subject, "unread")
    assert answered(unread, unread.truth) == [{"tensor": 0, "index": [2]}, {"tensor": 0, "index": [3]}]


# Values.


def test_not_a_number_and_infinities_are_answers() -> None:
    desc = dml.Tile(tensor(2, 2), (1, 2))
    listed = Listed(("nan", "inf", "-inf", 0.1), (4,))
    subject = Subject(Experiment("special", desc, values={"InputTensor": listed}))
    question = asked(subject, "fill", at=at(0))
    assert question.truth == ("nan", "inf", "nan", "inf")
    assert question.grade(["nan", "inf", "nan", "inf"]).right
    assert not question.grade([0, "inf", "nan", "inf"]).right
    assert asked(subject, "cell", at=at(1, 3)).grade(0.1).right
    json.dumps(question_json(question), allow_nan=False)


def test_integers_of_64_bits_are_exact() -> None:
    desc = dml.Tile(tensor(2, kind="UINT64"), (2,))
    subject = subject_of(desc, [np.array([2**64 - 1, 2**63 + 1], np.uint64)])
    question = asked(subject, "order", first=2)
    assert answered(question, question.truth) == [2**64 - 1, 2**63 + 1]
    assert not question.grade([2**64 - 2, 2**63 + 1]).right


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        ("cell", "one", 'answer is "one", expected a number'),
        ("cell", 1e39, "answer is 1e+39, expected a number from"),
        ("sizes", [[4, 2], [1]], "expected a list with the sizes of 1 output"),
        ("sizes", [[4, 2.5]], "answer[0] is [4, 2.5], expected a list of integers."),
        ("fill", [1, 2], "expected"),
        ("pictures", "e", 'answer is "e", expected one of a, b, c, d.'),
        ("dest", {"output": 0}, "expected a list of"),
        ("dest", [{"output": 1, "index": [0, 0]}], "answer[0].output is 1, expected 0 to 0."),
        ("source", {"tensor": 0, "index": [0]}, "expected an index into Sizes {1, 1, 3, 4}."),
        ("count", -1, "answer is -1, expected an integer of 0 or more."),
        ("insizes", "1,1", "expected a list of integers."),
    ],
)
def test_other_shapes_are_refused_in_a_sentence(kind: str, given: Any, said: str) -> None:
    question = asked(example("reverse-1"), kind)
    with pytest.raises(DmlvizError) as found:
        question.grade(given)
    assert said in str(found.value)
    assert str(found.value).endswith(".")


# What nobody can ask.


def clamped() -> Subject:
    desc = dml.Gather(tensor(3), tensor(2, kind="UINT32"), axis=0, index_dimensions=1)
    return Subject(Experiment("clamped", desc, values={"IndicesTensor": Listed((7, 9), (2,))}))


def test_one_element_leaves_nothing_to_ask() -> None:
    for desc in (dml.Tile(tensor(1), (1,)), dml.Join([tensor(1, 1)], axis=0), dml.Split(tensor(1), [tensor(1)], 0)):
        names = {each.kind.name for each in questions(subject_of(desc), NAMES)}
        assert names <= {"sizes"}


def test_equal_elements_leave_no_numbers_to_ask_for() -> None:
    desc = dml.Tile(tensor(2, 2), (2, 2))
    subject = Subject(Experiment("equal", desc, values={"InputTensor": Constant(3)}))
    names = {each.kind.name for each in questions(subject, NAMES)}
    assert not names & {"cell", "pictures", "fill", "order"}
    assert "source" in names


def test_where_nothing_is_promised_only_that_is_asked() -> None:
    names = {each.kind.name for each in questions(clamped(), NAMES)}
    assert names == {"sizes", "promised"}
    question = asked(clamped(), "promised")
    assert question.truth is False
    assert question.grade(False).right
    assert not question.grade(True).right


@pytest.mark.parametrize("name", [name for name in dml.examples() if name.startswith("rule-")])
def test_nothing_is_asked_about_an_invalid_desc(name: str) -> None:
    for experiment in dml.examples()[name].experiments:
        subject = Subject(experiment)
        if not subject.valid:
            assert questions(subject, NAMES) == []


def test_an_operator_without_wrong_rules_is_asked_about_all_the_same() -> None:
    subject = example("tile-1")
    subject.__dict__["rules"] = ()
    assert {each.kind.name for each in questions(subject, NAMES)} >= {"sizes", "cell", "source", "order"}


# Large tensors.


def test_a_large_desc_is_asked_about_through_a_small_one_like_it() -> None:
    desc = dml.Gather(tensor(2, 5000), tensor(1, 4, kind="UINT32"), axis=1, index_dimensions=1)
    subject = Subject(Experiment("few of many", desc, values={"IndicesTensor": Listed((4321, 4325, 4320, 4322), (4,))}))
    found = questions(subject, NAMES)
    assert {"cell", "pictures", "fill", "source", "dest", "sizes"} <= {each.kind.name for each in found}
    for each in found:
        if each.kind.name not in ("sizes", "runs"):
            parts = each.subject.desc.parts
            assert each.subject.desc.TYPE == desc.TYPE
            assert max(part.tensor.element_count for part in parts) <= 64
            assert question_json(each)["experiment"]["values"]["InputTensor"] is not None
    assert kinds()["cell"].make(subject, 0, Wish(at=at(0, 0))) is None  # what an author names is asked about or not


# JSON.


KEYS = ("id", "kind", "prompt", "experiment", "at", "field", "first", "goal", "windows", "choices", "hints")


def test_json_has_what_the_design_says() -> None:
    question = asked(example("gather-2"), "cell", 7)
    found = question_json(question)
    assert tuple(found) == KEYS
    assert found["id"] == "cell.7"
    assert list(found["experiment"]) == ["name", "feature_level", "type", "desc", "values"]
    assert found["experiment"]["values"] == {"InputTensor": [[1, 2], [3, 4], [5, 6]], "IndicesTensor": [[0, 1, 1, 2]]}
    assert question.at is not None
    assert found["at"] == {"output": 0, "index": list(question.at.index)}
    assert [key for key in KEYS if found[key] is None] == ["field", "first", "goal", "windows", "choices"]
    pictured = question_json(asked(example("reverse-1"), "pictures"))
    assert [each["id"] for each in pictured["choices"]] == ["a", "b", "c", "d"]
    assert [list(each) for each in pictured["choices"][0]["outputs"]] == [["sizes", "values"]]


def test_json_of_sizes_does_not_tell_them() -> None:
    given = dml.TensorDesc("FLOAT32", (6, 4), strides=(8, 1), total_tensor_size_in_bytes=192, dimension_count=2)
    for output in (None, tensor(6, 4), given):
        subject = subject_of(dml.Tile(tensor(2, 4), (3, 1), output_tensor=output))
        found = question_json(asked(subject, "sizes"))
        assert found["experiment"]["desc"]["OutputTensor"] == {"DataType": "FLOAT32", "Sizes": None}
        assert "notes" not in found["experiment"]


def test_json_of_insizes_tells_neither_sizes_nor_nesting() -> None:
    found = question_json(asked(example("reverse-1"), "insizes"))
    assert found["field"] == "SequenceLengthsTensor.Sizes"
    assert found["experiment"]["desc"]["SequenceLengthsTensor"]["Sizes"] is None
    assert found["experiment"]["values"]["SequenceLengthsTensor"] is None
    assert found["experiment"]["values"]["InputTensor"] is not None


def test_json_of_a_blank_field_is_null() -> None:
    subject = example("tile-1")
    question = Question(
        kind=kinds()["cell"], subject=subject, seed=0, prompt="?", truth=None, hidden=frozenset({"Repeats"})
    )
    assert question_json(question)["experiment"]["desc"]["Repeats"] is None
    size = Question(
        kind=kinds()["cell"],
        subject=example("split-1"),
        seed=0,
        prompt="?",
        truth=None,
        blank="OutputTensors[1].Sizes[2]",
    )
    parts = question_json(size)["experiment"]["desc"]["OutputTensors"]
    assert [each["Sizes"] for each in parts] == [[1, 1, 2, 2], None, [1, 1, 3, 2]]
    level = Question(kind=kinds()["cell"], subject=subject, seed=0, prompt="?", truth=None, blank="feature_level")
    assert question_json(level)["experiment"]["feature_level"] is None


@pytest.mark.parametrize("name", ["join-1", "split-1", "reverse-1", "gather-2", "tile-1"])
def test_what_is_asked_for_is_hidden(name: str) -> None:
    subject = example(name)
    outputs = {part.path for part in subject.desc.outputs}
    for question in questions(subject, NAMES):
        if question.kind.name == "insizes":
            assert {question.blank, "values"} <= question.hidden
        else:
            assert outputs | {"values", "links", "memory"} <= question.hidden
        if question.kind.name == "sizes":
            assert {"OutputTensor.Sizes", "rules"} <= question.hidden


@pytest.mark.parametrize("name", ["join-1", "split-1", "reverse-1", "gather-2", "tile-1"])
def test_the_third_hint_has_no_numbers_of_the_answer(name: str) -> None:
    for question in questions(example(name), ("cell", "source", "sizes", "via")):
        blank = question.hint(3)
        said = "".join(blank.partition(" = ")[2] or blank)
        assert "?" in said or question.kind.name == "sizes"
        assert not any(each.isdigit() for each in said)
