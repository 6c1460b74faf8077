"""Questions: what is right, whose wrong answers are whose, what is never asked, large tensors, and what JSON tells."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from support.answering import answered, subject_of
from support.quiz_solver import OF_ELEMENTS

import dmlviz as dml
from dmlviz.desc.base import Desc
from dmlviz.desc.value_sources import Listed
from dmlviz.desc.values import Constant
from dmlviz.errors import DmlvizError
from dmlviz.session.experiments import Experiment
from dmlviz.teaching.asked import question_json
from dmlviz.teaching.kinds.elements import CellKind
from dmlviz.teaching.kinds.lib.asking import kinds, questions
from dmlviz.teaching.kinds.whole_descs import LEVEL, MISPRINT, DescAnswer
from dmlviz.teaching.kinds.whole_outputs import FILL
from dmlviz.teaching.questions.goals import picture_of
from dmlviz.teaching.questions.question import At, Picture, Question, Wish
from dmlviz.teaching.questions.subject import Subject


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


GATHER = dml.Gather(tensor(3), tensor(2, kind="UINT32"), axis=0, index_dimensions=1)


# What the lessons ask, by the answers that they give.


@pytest.mark.parametrize(
    ("name", "kind", "wanted", "truth", "by_rules"),
    [
        ("join-1", "sizes", {}, [[1, 1, 2, 7]], {"J4": [[1, 1, 2, 6]], "J3": [[1, 1, 4, 7]]}),
        ("join-2-axis-3", "cell", {"at": at(0, 0, 0, 2)}, 5, {"J2": 9, "J5": 3}),
        (
            "join-2-axis-3", "order", {"first": 6}, [1, 2, 5, 6, 9, 10],
            {"C4": [1, 3, 2, 4, 5, 7], "J5": [1, 2, 3, 4, 5, 6]},
        ),
        ("split-1", "cell", {"at": at(0, 0, 0, 1, output=2)}, 8, {"S1": 4}),
        ("reverse-1", "fill", {"at": at(0, 0, 0)}, [2, 1, 3, 4], {"R1": [4, 3, 2, 1], "R8": [2, 1, 0, 0]}),
        ("erratum-reverse-labels", "insizes", {}, [1, 1, 1, 4], {}),
        ("gather-2", "sizes", {}, [[4, 2]], {"G10": [[3, 2]]}),
        ("tile-1", "sizes", {}, [[1, 1, 6, 9]], {"T2": [[1, 1, 8, 12]], "T4": [[1, 1, 3, 3]]}),
        ("tile-1", "count", {"at": read(0, 0, 1, 1)}, 9, {"T7": 6}),
    ],
)  # fmt: skip
def test_what_lessons_ask(name: str, kind: str, wanted: dict[str, Any], truth: Any, by_rules: dict[str, Any]) -> None:
    number = 1 if name == "erratum-reverse-labels" else 0
    question = asked(example(name, number), kind, **wanted)
    assert question.kind.form.json(question.truth) == truth
    assert question.grade(truth).right
    for id_, answer in by_rules.items():
        assert id_ in question.grade(answer).rules


def test_an_element_that_is_not_there_or_not_promised_is_not_asked_about() -> None:
    subject = example("warning-index-range")
    for kind, element in (("cell", at(1, 0)), ("source", at(99, 0)), ("cell", at(0))):
        assert kinds()[kind].make(subject, 0, Wish(at=element)) is None
    assert kinds()["dest"].make(subject, 0, Wish(at=at(0, 0))) is None  # no input's element


@pytest.mark.parametrize("name", ["gather-2", "join-1", "rule-sizes-sum"])
def test_the_lowest_level_is_told_or_that_there_is_none(name: str) -> None:
    question = asked(example(name), "lowest")
    lowest = dml.check(example(name).desc).lowest_level
    assert question.kind.form.json(question.truth) == (lowest.value if lowest is not None else None)
    assert re.findall(r"\d_\d", question.kind.says(question)) == ([] if lowest is None else [lowest.value])


# What is worth asking.


@pytest.mark.parametrize("name", ["join-2-axis-3", "split-1", "reverse-1", "gather-2", "tile-1"])
def test_the_cell_tells_most_rules_from_the_truth(name: str) -> None:
    subject = example(name)
    for seed in range(5):
        question = asked(subject, "cell", seed)
        others = [CellKind().make(subject, seed, Wish(at=at)) for at in CellKind().certain(subject)]
        assert len(question.answers) == max(len(other.answers) for other in others if other is not None)
    assert name != "tile-1" or len({asked(subject, "cell", seed).at for seed in range(20)}) > 2


@pytest.mark.parametrize("name", ["join-1", "split-1", "reverse-1", "tile-1"])
def test_neither_the_odd_picture_nor_the_middle_one_is_the_true_one_as_a_rule(name: str) -> None:
    """Blind tries: the picture least or most like the others, by elements that differ; and no letter is likelier.

    Chi-square of 3 degrees of freedom: 16.27 is exceeded by chance once in a thousand times.
    """
    subject, odd, middle, letters = example(name), 0, 0, Counter[str]()
    for seed in range(100):
        question = asked(subject, "pictures", seed)
        letters[question.truth] += 1
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
    assert sum((letters[each] - 25) ** 2 / 25 for each in "abcd") < 16.27


def test_a_whole_output_is_filled_in_to_confirm() -> None:
    question = FILL.whole(example("join-1"), 0)
    assert question is not None
    assert question.confirms
    assert len(question.truth) == 14
    assert FILL.whole(example("tile-1"), 0) is None  # 54 numbers


# What is right.


def test_marks_are_right_in_any_order() -> None:
    question = asked(example("tile-1"), "dest", at=read(0, 0, 0, 0))
    right = answered(question, question.truth)
    wrong = {"output": 0, "index": [0, 0, 0, 1]}
    assert not question.grade(right[:3]).right
    assert not question.grade([*right, wrong]).right
    assert question.grade([*right[::-1], right[0]]).right  # in any order, twice is once


def test_a_fill_is_told_its_first_wrong_number() -> None:
    question = asked(example("reverse-1"), "fill", at=at(0, 0, 0))
    verdict = question.grade([2, 1, 9, 4])
    assert (verdict.right, verdict.rules) == (False, ())
    assert verdict.says.startswith("Number 3 is the first that is wrong: OutputTensor[0,0,0,2]")


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


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        ("cell", "one", 'answer is "one", expected a number'),
        ("cell", 1e39, "answer is 1e+39, expected a number from"),
        ("sizes", [[4, 2], [1]], "expected a list with the sizes of 1 output"),
        ("sizes", [[4, 2.5]], "answer is [[4, 2.5]], expected a list with the sizes of 1 output"),
        ("fill", [1, 2], "expected"),
        ("pictures", "e", 'answer is "e", expected one of a, b, c, d.'),
        ("dest", {"output": 0}, "expected a list of"),
        (
            "dest",
            [{"output": 1, "index": [0, 0]}],
            '"index": [0, 0]}, expected an element of OutputTensor {1, 1, 3, 4}',
        ),
        ("source", {"tensor": 0, "index": [0]}, "expected an element of InputTensor {1, 1, 3, 4}, SequenceL"),
        ("count", 1.5, "answer is 1.5, expected an integer."),
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

ONE = tensor(1)


@pytest.mark.parametrize(
    ("desc", "values", "at_least", "at_most"),
    [
        (dml.Tile(ONE, (1,)), {}, "", "sizes"),
        (dml.Join([tensor(1, 1)], axis=0), {}, "", "sizes"),
        (dml.Join([tensor(1, 2), tensor(2, 3)], axis=0, output_tensor=tensor(3, 3)), {}, "", ""),
        (dml.Split(ONE, [ONE], 0), {}, "", "sizes"),
        (dml.Tile(tensor(2, 2), (2, 2)), {"InputTensor": Constant(3)}, "source", "sizes dest source count"),
        (GATHER, {"IndicesTensor": Listed((7, 9), (2,))}, "sizes promised", "sizes promised"),
    ],
)
def test_what_has_one_answer_whatever_is_thought_is_not_asked(
    desc: Any, values: dict[str, Any], at_least: str, at_most: str
) -> None:
    """One element, an invalid desc, equal elements, and what isn't promised."""
    names = {each.kind.name for each in questions(Subject(Experiment("it", desc, values=values)), OF_ELEMENTS)}
    assert {*at_least.split()} <= names <= {*at_most.split()}


def test_a_large_desc_is_asked_about_through_a_small_one_like_it() -> None:
    desc = dml.Gather(tensor(2, 5000), tensor(1, 4, kind="UINT32"), axis=1, index_dimensions=1)
    subject = Subject(Experiment("few of many", desc, values={"IndicesTensor": Listed((4321, 4325, 4320, 4322), (4,))}))
    found = questions(subject, OF_ELEMENTS)
    assert {"cell", "pictures", "fill", "source", "dest", "sizes"} <= {each.kind.name for each in found}
    for each in found:
        if each.kind.name not in ("sizes", "runs"):
            parts = each.subject.desc.parts
            assert each.subject.desc.TYPE == desc.TYPE
            assert max(part.tensor.element_count for part in parts) <= 64
            assert question_json(each)["experiment"]["values"]["InputTensor"] is not None
    assert kinds()["cell"].make(subject, 0, Wish(at=at(0, 0))) is None  # what an author names is asked about or not


KEYS = ("id", "kind", "prompt", "experiment", "at", "field", "first", "goal", "windows", "choices", "hints")


def test_json_has_what_the_design_says() -> None:
    question = asked(example("gather-2"), "cell", 7, at=at(1, 0))
    found = question_json(question)
    assert tuple(found) == KEYS
    assert [key for key in KEYS if found[key] is None] == ["field", "first", "goal", "windows", "choices"]
    assert (found["id"], found["at"]) == ("cell.7", {"output": 0, "index": [1, 0]})
    assert list(found["experiment"]) == ["name", "feature_level", "type", "desc", "values"]
    assert found["experiment"]["values"] == {"InputTensor": [[1, 2], [3, 4], [5, 6]], "IndicesTensor": [[0, 1, 1, 2]]}
    pictured = question_json(asked(example("reverse-1"), "pictures"))
    assert [list(each["outputs"][0]) for each in pictured["choices"]] == [["sizes", "values"]] * 4


def test_json_of_sizes_does_not_tell_them() -> None:
    given = dml.TensorDesc("FLOAT32", (6, 4), strides=(8, 1), total_tensor_size_in_bytes=192, dimension_count=2)
    for output in (None, tensor(6, 4), given):
        found = question_json(asked(subject_of(dml.Tile(tensor(2, 4), (3, 1), output_tensor=output)), "sizes"))
        assert found["experiment"]["desc"]["OutputTensor"] == {"DataType": "FLOAT32", "Sizes": None}


def test_json_of_what_is_blank_is_null() -> None:
    assert question_json(whole("tile-1", "blank"))["experiment"]["desc"]["Repeats"] is None
    assert question_json(whole("gather-2", "lowest"))["experiment"]["feature_level"] is None
    found = question_json(asked(example("reverse-1"), "insizes"))
    assert found["field"] == "SequenceLengthsTensor.Sizes"
    assert found["experiment"]["desc"]["SequenceLengthsTensor"]["Sizes"] is None
    assert [path for path, held in found["experiment"]["values"].items() if held] == ["InputTensor"]


@pytest.mark.parametrize("name", ["join-1", "split-1", "reverse-1", "gather-2", "tile-1"])
def test_the_third_hint_has_no_numbers_of_the_answer(name: str) -> None:
    for question in questions(example(name), ("cell", "source", "sizes", "via")):
        blank = question.hint(3)
        said = "".join(blank.partition(" = ")[2] or blank)
        assert "?" in said or question.kind.name == "sizes"
        assert not any(each.isdigit() for each in said)


# Whole descs: any solution counts.


def whole(name: str, kind: str, number: int = 0, seed: int = 0) -> Question:
    (question,) = questions(example(name, number), [kind], seed)
    return question


def test_any_value_of_a_blank_that_gives_the_outputs_is_right() -> None:
    question = next(q for seed in range(9) if (q := whole("tile-1", "blank", seed)))
    assert question.blank == "Repeats"
    assert question.grade([1, 1, 3, 3]).right
    reversed_ = question.grade([3, 3, 1, 1])
    assert (reversed_.right, reversed_.rules[0]) == (False, "C1")
    assert "T2" in question.grade([1, 1, 2, 2]).rules
    assert "T4" in question.grade([1, 1, 6, 9]).rules
    assert not question.grade([1, 1, 3]).right
    assert not question.grade([10**9] * 4).right


def test_a_blank_axis_names_who_counts_axes_otherwise() -> None:
    question = whole("join-2-axis-2", "blank")
    assert {rule: question.grade(given).rules[0] for rule, given in question.answers.items()} == {
        rule: rule for rule in ("C1", "C2", "C3")
    }
    assert question.answers == {"C1": 1, "C2": 3, "C3": 0}


def test_any_desc_that_passes_and_is_near_mends() -> None:
    question = whole("gather-3-as-printed", "fixes")
    desc = question.kind.form.json(question.truth)["desc"]
    start = {**desc, "IndexDimensions": 2}
    assert question.grade(desc).right  # the desc alone is enough
    assert question.grade({"desc": {**start, "IndexDimensions": 1}}).right
    assert not question.grade(start).right
    data, indices = dml.TensorDesc("FLOAT16", (7, 5, 3)), dml.TensorDesc("INT64", (1, 1, 2))
    other = DescAnswer(dml.Gather(data, indices, 2, 1))
    assert not question.grade(question.kind.form.json(other)).right  # another problem altogether
    with pytest.raises(DmlvizError, match="expected a desc"):
        question.grade(3)
    with pytest.raises(DmlvizError, match='expected "DML_OPERATOR_GATHER"'):
        question.grade({"type": "DML_OPERATOR_TILE", "desc": {}})


FLOATS = dml.TensorDesc("FLOAT32", (2, 2))


def to_reach(start: Experiment, goal: Picture, solution: Desc) -> Question:
    question = LEVEL.make(Subject(start), 0, Wish(goal=goal, truth=DescAnswer(solution)))
    assert question is not None
    return question


def wallpaper() -> Question:
    """Level L23: two columns beside each other, from TILE of Repeats {2, 1}."""
    start = dml.Experiment("any road", dml.Tile(FLOATS, (2, 1)))
    solution = dml.Tile(FLOATS, (1, 2))
    return to_reach(start, picture_of(replace(start, desc=solution)), solution)


def test_a_failed_level_is_explained_by_the_rule_that_makes_the_goal_of_it() -> None:
    verdict = wallpaper().grade({"InputTensor": {"DataType": "FLOAT32", "Sizes": [2, 2]}, "Repeats": [2, 1]})
    assert (verdict.right, verdict.rules[0]) == (False, "C1")
    assert verdict.says.startswith("This is what “axis from the other end” gives.")


@pytest.mark.parametrize(
    ("kind", "sizes", "repeats", "sentence"),
    [
        ("FLOAT32", [2, 4], [1, 1], "has room for 8 elements"),
        ("INT32", [2, 2], [1, 2], "DataType is INT32"),
        ("FLOAT32", [2, 2], [1, 0], "repeats.positive fails"),
        ("FLOAT32", [4, 1], [1, 1], "has Sizes {4, 1}"),
    ],
)
def test_a_failed_level_says_what_fails(kind: str, sizes: list[int], repeats: list[int], sentence: str) -> None:
    verdict = wallpaper().grade({"InputTensor": {"DataType": kind, "Sizes": sizes}, "Repeats": repeats})
    assert not verdict.right
    assert sentence in verdict.says


def test_unpromised_elements_win_no_level() -> None:
    data, indices = dml.TensorDesc("UINT8", (3,)), dml.TensorDesc("UINT32", (2,))
    start = dml.Experiment("clamped", dml.Gather(data, indices, 0, 1), values={"IndicesTensor": Listed((0, 2), (2,))})
    question = to_reach(start, picture_of(start), start.desc)
    desc = question.kind.form.json(question.truth)["desc"]
    assert question.grade(desc).right
    assert not question.grade({"desc": desc, "values": {"IndicesTensor": [0, 9]}}).right


def test_a_misprint_is_asked_by_authors_and_its_texts_are_shuffled() -> None:
    texts, subject = ["SequenceTensor", "InputTensor", "OutputTensor"], example("reverse-1")
    wish = Wish(choices=texts, truth=texts[0], wrong={"R1": texts[2]})
    made = [MISPRINT.make(subject, seed, wish) for seed in range(20)]
    assert {question.truth for question in made if question is not None} == {"a", "b", "c"}
    for question in filter(None, made):
        assert question.grade(question.truth).right
        assert question.grade(question.answers["R1"]).rules[0] == "R1"
    with pytest.raises(DmlvizError, match="expected 2 to 8"):
        MISPRINT.make(subject, 0, Wish(choices=["one"], truth="one"))


def test_questions_are_asked_from_python() -> None:
    found = dml.questions(dml.Tile(FLOATS, (1, 2)), kinds="sizes", seed=3)
    assert found[0].grade([[2, 4]]).right
    assert {question.kind.name for question in dml.questions(example("gather-2").experiment)} <= set(kinds())
    with pytest.raises(DmlvizError, match="hint is 5, expected 1 to 4"):
        found[0].hint(5)
    with pytest.raises(DmlvizError, match='kind is "riddle"'):
        dml.questions(example("gather-2").experiment, ["riddle"])
    with pytest.raises(DmlvizError, match="expected an Experiment or a desc"):
        dml.questions(3)  # type: ignore[arg-type]
