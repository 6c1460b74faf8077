"""Fixes: the likeliest first, each verified."""

from __future__ import annotations

import random
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from support.effort import part
from support.random_sessions import valid_desc
from support.reports import complete, f32, tensor, u32

import dmlviz as dml
from dmlviz.desc.indexing import put
from dmlviz.desc.levels import FeatureLevel
from dmlviz.operators.desc_edits import with_tensor
from dmlviz.operators.fixes import fixing
from dmlviz.operators.fixes.differences import edits_between
from dmlviz.operators.general_rules import evaluate
from dmlviz.operators.registry import operator_of
from dmlviz.recording.tasks import summary
from dmlviz.session import examples

EXPERIMENTS = [
    pytest.param(each, id=f"{example.name}-{i}")
    for example in examples.all_examples()
    for i, each in enumerate(example.session().experiments)
]


def test_the_first_fix_is_the_likely_one() -> None:
    def first(desc: Any, level: str = "6_4") -> str:
        (broken, *_) = dml.check(desc, feature_level=level).errors
        assert broken.fixes[0].mends_all
        return broken.fixes[0].label

    assert first(dml.Gather(f32(3, 2), u32(1, 2), 1, 2, f32(3, 2))) == "IndexDimensions 2 → 1"
    assert first(dml.Join((f32(1, 1, 2, 3), f32(1, 1, 2, 4)), -1)) == "Axis -1 → 3"
    assert first(dml.Gather(f32(3, 2), u32(4), 0, 1, f32(4, 2))) == "IndicesTensor {4} → {1, 4}"
    lengths = first(dml.ReverseSubsequences(f32(2, 4), u32(2), 1, f32(2, 4)))
    assert lengths == "SequenceLengthsTensor {2} → {2, 1}"
    assert first(dml.ReverseSubsequences(f32(1, 1, 2, 4), u32(1, 1, 2, 1), 3), "2_0") == "feature level 2_0 → 2_1"
    assert first(dml.Tile(f32(2, 3), (2, 2), f32(4, 5))) == "OutputTensor {4, 5} → {4, 6}"
    # The fewest numbers.
    heights = dml.Join([f32(1, 2, 63, 64), f32(1, 2, 64, 64)], 1, f32(1, 4, 64, 64))
    assert first(heights) == "InputTensors[0] {1, 2, 63, 64} → {1, 2, 64, 64}"
    assert first(dml.Split(f32(2, 6), [f32(9, 1), f32(9, 2), f32(9, 3)], 1)) == "InputTensor {2, 6} → {9, 6}"
    sequences = dml.ReverseSubsequences(f32(4, 3), dml.TensorDesc("UINT32", (2, 1)), 1)
    assert first(sequences) == "SequenceLengthsTensor {2, 1} → {4, 1}"


def test_bytes_that_were_given_are_told_where_a_fix_needs_more() -> None:
    given = dml.TensorDesc("FLOAT16", (2, 4), total_tensor_size_in_bytes=16)
    first, second = fixes_of(dml.Join([f32(2, 3), given], 1, f32(2, 7)))
    assert first == "InputTensors[1] FLOAT16 → FLOAT32, InputTensors[1].TotalTensorSizeInBytes 16 → 32"
    assert "Bytes" not in second, "16 are enough"


def test_a_window_is_widened_for_an_output_that_it_does_not_reach() -> None:
    labels = fixes_of(dml.Slice1(f32(9), (1,), (4,), (-2,), f32(3)))
    assert labels[:2] == ["OutputTensor {3} → {2}", "InputWindowSizes {4} → {5}"]
    assert fixes_of(dml.Slice1(f32(5), (1,), (4,), (2,), f32(3))) == ["OutputTensor {3} → {2}"]


@pytest.mark.parametrize("count", [200, pytest.param(400, marks=pytest.mark.slow)])
def test_an_edit_is_tried_once_and_many_broken_tensors_take_no_square_of_their_number(
    count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[tuple[Any, ...]] = []

    def counted(operator: Any, desc: Any, level: FeatureLevel) -> Any:
        tried.append((desc, desc.inferred, level))
        return evaluate(operator, desc, level)

    monkeypatch.setattr(fixing, "evaluate", counted)
    doubles = [tensor("FLOAT64", 1, 1, 2, 2)] * 8
    report = dml.check(dml.Join(doubles, 3, tensor("FLOAT64", 1, 1, 2, 16)), feature_level="1_0")
    assert len(report.errors) == 9
    assert len(tried) == len(set(tried)) < 20
    tried.clear()
    report = dml.check(dml.Join([tensor("FLOAT32", 1, 0)] * count, 1, tensor("FLOAT32", 1, count)))
    assert len(report.errors) == count + 1
    assert report.errors[0].fixes
    assert sum(len(desc.parts) for desc, *_ in tried) <= fixing.MOST_WORK + 3 * count


# ---- what a fix loses


def fixes_of(desc: Any, level: str = "6_4") -> list[str]:
    return [fix.text for fix in dml.check(desc, feature_level=level).errors[0].fixes]


def test_what_keeps_every_index_comes_before_what_drops_some() -> None:
    dropping = dml.Gather(f32(10, 4), u32(2, 3), 0, 1, f32(6, 4))
    row = "IndicesTensor {2, 3} → {1, 6}"
    embedded = dml.Gather(f32(1, 10, 4), u32(1, 2, 3), 1, 2, f32(2, 3, 4))
    for broken in dml.check(dropping).errors:
        assert broken.fixes[0].label == row, broken.id
        assert broken.fixes[1].desc == embedded, broken.id
        assert not broken.fixes[0].loses + broken.fixes[1].loses
    lossy = fixes_of(dropping)[2]
    assert lossy.endswith("OutputTensor {6, 4} → {3, 4} (loses 3 of 6 elements of IndicesTensor)")
    assert fixes_of(dml.Gather(f32(10, 4), u32(2, 3), 0, 1))[0] == row
    two = dml.Gather(f32(10, 4), u32(2, 3), 0, 2)
    assert dml.check(two).errors[0].fixes[0].desc == dml.Gather(f32(1, 10, 4), u32(1, 2, 3), 1, 2)


@pytest.mark.parametrize(
    ("desc", "level", "label"),
    [
        (dml.Tile(tensor("FLOAT64", 1, 1, 2, 3), (1, 1, 2, 2)), "6_4", "DataType FLOAT64 → UINT64"),
        (
            dml.Tile(tensor("FLOAT64", 1, 1, 2, 3), (1, 1, 2, 2)),
            "4_0",
            "InputTensor FLOAT64 {1, 1, 2, 3} → UINT32 {1, 1, 2, 6}",
        ),
        (
            dml.Join([tensor("INT64", 1, 1, 2, 3)] * 3, 3),
            "4_0",
            "InputTensors[0] to [2] INT64 {1, 1, 2, 3} → UINT32 {1, 1, 2, 6}",
        ),
        (
            dml.Gather(tensor("UINT64", 1, 1, 4, 3), u32(1, 1, 1, 2), 2, 1),
            "4_0",
            "InputTensor UINT64 {1, 1, 4, 3} → UINT32 {1, 1, 4, 6}",
        ),
        (dml.Gather(tensor("INT32", 1, 1, 4, 3), u32(1, 1, 1, 2), 3, 1), "1_0", "DataType INT32 → FLOAT32"),
    ],
)
def test_the_same_bits_as_another_type_come_first(desc: Any, level: str, label: str) -> None:
    """Of a type that is refused; and what moves are the same bits indeed."""
    first, *others = dml.check(desc, feature_level=level).errors[0].fixes
    assert first.text == f"{label} (the same bits)"
    assert [bool(fix.loses) for fix in others] == sorted(bool(fix.loses) for fix in others)
    made = np.random.default_rng(1)
    data = [np.frombuffer(made.bytes(p.tensor.byte_count), p.tensor.data_type.dtype) for p in desc.inputs]
    if isinstance(desc, dml.Gather):
        data[1] = np.array([3, 1], np.uint32) % desc.input_tensor.sizes[desc.axis]
    arrays = [each.reshape(p.tensor.sizes) for each, p in zip(data, desc.inputs, strict=True)]
    views = [each.view(p.tensor.data_type.dtype) for each, p in zip(data, first.desc.inputs, strict=True)]
    views = [each.reshape(p.tensor.sizes) for each, p in zip(views, first.desc.inputs, strict=True)]
    oracle = import_module(f"operator_kit.cases.{operator_of(desc).name.lower()}").oracle
    want = [out.tobytes() for out in oracle(desc, arrays)]
    assert [out.tobytes() for out in dml.run(first.desc, views, feature_level=level)] == want


def test_bits_are_not_split_where_halves_would_part() -> None:
    """An index along the last axis picks one half, and a reversed row would have the halves of each element turned."""
    picked = dml.Gather(tensor("FLOAT64", 1, 1, 2, 3), u32(1, 1, 1, 2), 3, 1)
    turned = dml.ReverseSubsequences(tensor("FLOAT64", 1, 1, 2, 3), u32(1, 1, 2, 1), 3)
    for desc, raised in ((picked, "4_1"), (turned, "5_0")):
        first, *others = dml.check(desc, feature_level="4_0").errors[0].fixes
        assert first.label == f"feature level 4_0 → {raised}"
        assert all(fix.loses == f"values that {fix.desc.parts[0].tensor.data_type} can't hold" for fix in others)


def test_a_sum_is_tried_with_every_part() -> None:
    threes = dml.Split(f32(1, 10), [f32(1, 3)] * 3, 1)
    labels = fixes_of(threes)
    assert {f"OutputTensors[{k}] {{1, 3}} → {{1, 4}}" for k in range(3)} <= set(labels)
    assert labels[-1] == "InputTensor {1, 10} → {1, 9} (loses 1 of 10 elements of InputTensor)"
    joined = dml.Join([f32(1, n) for n in (4, 3, 3)], 1, f32(1, 9))
    assert "InputTensors[0] {1, 4} → {1, 3} (loses 1 of 4 elements of InputTensors[0])" in fixes_of(joined)


@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_no_fix_that_loses_comes_before_one_that_does_not(experiment: dml.Experiment) -> None:
    for broken in experiment.check().errors:
        mends = [(fix.mends_all, not fix.loses) for fix in broken.fixes]
        assert mends == sorted(mends, reverse=True), broken
        for fix in broken.fixes:
            assert (f"(loses {fix.loses})" in fix.text) == bool(fix.loses)


def test_an_edit_of_input_and_output_alike_leaves_the_output_to_follow_too() -> None:
    apart = dml.Join([tensor("FLOAT16", 0, 3, 2, 5)], 0, tensor("FLOAT64", 0, 3, 2, 5, 2))
    for desc in (dml.Tile(tensor("FLOAT32", 0, 1), (1, 2), f32(0, 1)), apart):
        assert any(fix.mends_all for check in dml.check(desc).errors for fix in check.fixes)


# ---- one cause


def test_one_cause_is_told_and_counted_once_however_many_tensors_have_it() -> None:
    doubles = dml.Join([tensor("FLOAT64", 1, 1, 2, 2)] * 64, 3)
    report = dml.check(doubles, feature_level="4_0")
    (cause,) = report.broken
    assert len(cause.checks) == len(report.errors) == 65
    assert cause.message.startswith("DataType is FLOAT64 in 65 tensors, expected FLOAT32, ")
    assert cause.message.endswith(" at feature level 4_0: InputTensors[0] to [63] and OutputTensor.")
    assert [bool(check.fixes) for check in report.errors] == [True] + [False] * 64
    assert "1 of " in repr(report)
    assert "1 of " in str(summary(report))
    text = str(dml.export(dml.Experiment("many", doubles, FeatureLevel.L4_0), "markdown"))
    assert "1 check failed" in text
    assert text.count("error dtype.supported") == text.count("DataType is FLOAT64 in 65 tensors") == 1
    # Two mistakes of one rule are two, and what differs is one cause only where edits show it.
    zeros = dml.check(dml.Join([f32(1, n) for n in (0, 2, 0, -1, 3)], 1, f32(1, 8)))
    said = [cause.message for cause in zeros.broken if cause.first.id == "sizes.positive"]
    assert said == [
        "Sizes[1] is 0 in 2 tensors, expected at least 1: InputTensors[0] and InputTensors[2].",
        "InputTensors[3].Sizes[1] is -1, expected at least 1.",
    ]
    apart = dml.Split(f32(6, 2), [f32(1, 2, 2), f32(2, 2), f32(3, 2)], 0)
    assert not any("by the same cause" in cause.message for cause in dml.check(apart, feature_level="2_0").broken)


# ---- which fix comes first


def test_what_loses_nothing_comes_before_one_number_that_loses_some() -> None:
    parts = dml.Split(f32(9, 6), [f32(2, 1), f32(2, 2), f32(2, 3)], 1)
    first, *others = dml.check(parts).errors[0].fixes
    assert first.label.startswith("OutputTensors[0] {2, 1} → {9, 1}, ")
    (cut,) = (fix for fix in others if fix.label == "InputTensor {9, 6} → {2, 6}")
    assert (first.loses, cut.loses) == ("", "42 of 54 elements of InputTensor")


def test_a_feature_level_is_raised_only_where_nothing_else_mends() -> None:
    desc = dml.Gather(f32(3, 2), u32(1, 4), 0, 1)
    levels = [fix.feature_level.value for fix in dml.check(desc, feature_level="2_1").errors[0].fixes]
    assert levels == sorted(levels)
    assert levels[0] == "2_1"


@pytest.mark.parametrize("most", [60, pytest.param(part(2000), marks=pytest.mark.slow)])
def test_one_wrong_number_is_mended_by_one_number(most: int) -> None:
    """Of valid descs with one number changed, the first fix changes one in 95 of 100, and gives back 60 of 100.

    It may change more where each edit of one number would lose something.
    """
    made = random.Random(0)
    single = back = count = 0
    while count < most:
        desc = complete(valid_desc(made))
        broken = misnumbered(desc, made)
        report = dml.check(broken)
        if dml.check(desc).ok is False or report.ok is not False:
            continue
        count += 1
        fixes = report.errors[0].fixes
        assert fixes, broken
        of_one = [fix for fix in fixes if edits_between(broken, fix.desc) == 1]
        single += fixes[0] in of_one or (bool(of_one) and all(fix.loses for fix in of_one))
        back += fixes[0].desc == desc
    assert single >= 0.95 * count
    assert back >= 0.6 * count


def misnumbered(desc: Any, made: random.Random) -> Any:

    def other(n: int) -> list[int]:
        return [made.choice([m for m in (n + 1, n - 1, n * 2, made.randint(0, 8)) if m != n])]

    numbers: list[Any] = []
    for each in desc.parts:
        resized = (put(each.tensor.sizes, d, other(n)[0]) for d, n in enumerate(each.tensor.sizes))
        numbers += (with_tensor(desc, each, each.tensor.resized(sizes)) for sizes in resized)
    for field in desc.ATTRIBUTES:
        numbers += ({field.name: content} for content in field.exchanged(desc.get(field.name), other))
    return desc.replace(made.choice(numbers))


def test_what_the_notes_on_a_sum_meant_is_among_the_first_fixes() -> None:
    """JOIN's output has what the parts add up to; cut points that were written as sizes become the sizes between."""
    join, split = examples.example("rule-sizes-sum").session().experiments
    first = join.check().errors[0].fixes[0]
    assert first.desc.outputs[0].tensor.sizes == (1, 1, 2, 7)
    fixes = split.check().errors[0].fixes[:3]
    assert any([part.tensor.sizes[2] for part in fix.desc.outputs] == [2, 1, 3] for fix in fixes)
