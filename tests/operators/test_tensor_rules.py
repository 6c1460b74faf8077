"""The rules of what a tensor desc holds besides DataType and Sizes, and what is held against no rule."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.strategies import Case, cases

import dmlviz as dml
from dmlviz.desc.tensors import TensorDesc, snake
from dmlviz.operators.desc_edits import with_tensor
from dmlviz.operators.report import Verdict


@st.composite
def told(draw: st.DrawFn) -> tuple[Any, str, dict[str, Any]]:
    """A valid desc, one of its tensors' paths, and what is said of that tensor."""
    case: Case = draw(cases())
    desc = case.desc
    part = draw(st.sampled_from([p for p in desc.parts if p.field.name not in desc.inferred]))
    count = part.tensor.dimension_count
    members = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "DimensionCount": st.integers(count, count + 2),
                "Strides": st.lists(st.integers(0, 9), min_size=count, max_size=count + 1),
                "TotalTensorSizeInBytes": st.integers(0, 4 * part.tensor.byte_count + 8),
                "Flags": st.just(["DML_TENSOR_FLAG_OWNED_BY_DML"]),
                "GuaranteedBaseOffsetAlignment": st.sampled_from([1, 2, 8, 16, 24, 48, 2**31, 2**32]),
            },
        )
    )
    # At once, as files say them: what is implied depends on the others.
    said: dict[str, Any] = {snake(name): value for name, value in members.items()}
    tensor = TensorDesc(part.tensor.data_type, part.tensor.sizes, **said)
    return desc.replace(with_tensor(desc, part, tensor)), part.path, members


def least(desc: Any, path: str, members: dict[str, Any]) -> int:
    """The page's formula, in its own words: the last element's index and one, in bytes, rounded up to four."""
    (tensor,) = [p.tensor for p in desc.parts if p.path == path]
    sizes, bytes_each = tensor.sizes, tensor.data_type.dtype.itemsize
    last = math.prod(sizes) - 1
    if "Strides" in members:
        last = sum((size - 1) * stride for size, stride in zip(sizes, members["Strides"], strict=False))
    words: int = -(-(last + 1) * bytes_each // 4)
    return 4 * words


def is_packed(desc: Any, path: str, members: dict[str, Any]) -> bool:
    (tensor,) = [p.tensor for p in desc.parts if p.path == path]
    step = 1
    for size, stride in reversed([*zip(tensor.sizes, members["Strides"], strict=False)]):
        if size > 1 and stride != step:
            return False
        step *= size
    return True


@given(told())
def test_each_member_is_held_against_its_rule_or_said_not_to_be(drawn: tuple[Any, str, dict[str, Any]]) -> None:
    desc, path, members = drawn
    (tensor,) = [p.tensor for p in desc.parts if p.path == path]
    report = dml.check(desc)
    found = {c.id: c for c in report.checks if c.field.split(".")[0] == path and c.id.startswith("tensor.")}
    waiting = {(w.id, w.on) for w in report.waiting}
    long_enough = members.get("DimensionCount", 0) <= tensor.dimension_count
    if "DimensionCount" in members:
        assert found["tensor.dimension_count"].ok == long_enough
    if "TotalTensorSizeInBytes" in members:
        if not long_enough:
            assert ("tensor.total_size", "tensor.dimension_count") in waiting
            assert "tensor.total_size" not in found
        else:
            enough = members["TotalTensorSizeInBytes"] >= least(desc, path, members)
            assert found["tensor.total_size"].ok == enough
    left = {each.field for each in report.not_checked}
    assert (f"{path}.Flags" in left) == ("Flags" in members)
    aligned = members.get("GuaranteedBaseOffsetAlignment")
    assert ("tensor.alignment" in found) == (aligned is not None)
    if aligned is not None:
        powers = [2**k for k in range(32)]
        assert found["tensor.alignment"].ok == (aligned in powers and aligned >= tensor.data_type.item_size)
    strided = "Strides" in members and not is_packed(desc, path, members)
    assert ("tensor.strides" in found) == strided
    assert (f"{path}.Strides" in left) == strided
    assert (report.verdict is Verdict.VALID) == (not report.errors and not left)
    assert report.ok is {Verdict.VALID: True, Verdict.NOT_CHECKED: None, Verdict.INVALID: False}[report.verdict]
    assert bool(report) is (report.ok is True)
    for check in report.errors:
        if check.id.startswith("tensor."):
            assert check.fixes, check.id
            # What one tensor says is mended without a word about another.
            assert any(c.what.split(".")[0] == path for c in check.fixes[0].changes)


def test_a_count_that_the_array_does_not_have() -> None:
    short = dml.TensorDesc("FLOAT32", (1, 2, 3, 4), dimension_count=5)
    report = dml.check(dml.Tile(short, (1, 1, 1, 2, 2)))
    assert [c.id for c in report.errors] == ["tensor.dimension_count", "repeats.count"]
    root, count = report.errors
    assert root.message.startswith("InputTensor.DimensionCount is 5, expected at most 4: Sizes {1, 2, 3, 4} has 4 ")
    assert root.fixes[0].label == "InputTensor {1, 2, 3, 4} → {1, 1, 2, 3, 4}"
    assert root.fixes[0].mends_all
    # InputTensor's DimensionCount is what it says: 5.
    assert "InputTensor's DimensionCount" not in count.message
    longer = dml.Gather(dml.TensorDesc("FLOAT32", (3, 2, 7), dimension_count=2), dml.TensorDesc("UINT32", (1, 4)), 0, 1)
    assert dml.check(longer)
    assert dml.trace(longer).outputs[0].tensor.sizes == (4, 2)


def test_a_tensor_without_dimensions_has_no_axis() -> None:
    broken = dml.check(dml.Join([dml.TensorDesc("FLOAT32", ())], 1)).failures
    assert [c.message for c in broken if c.id == "axis.range"] == [
        "Axis is 1, but a tensor of DimensionCount 0 has no axis."
    ]


def test_a_total_that_is_never_set() -> None:
    nothing = dml.TensorDesc("FLOAT16", (3,), total_tensor_size_in_bytes=0)
    (check,) = dml.check(dml.Tile(nothing, (2,))).errors
    assert (check.id, check.expected, check.expected_kind, check.found) == ("tensor.total_size", ">= 8", "range", 0)
    assert check.fixes[0].label == "InputTensor.TotalTensorSizeInBytes 0 → 8"
    assert check.fixes[0].desc == dml.Tile(dml.TensorDesc("FLOAT16", (3,)), (2,))
    report = dml.check(dml.Tile(dml.TensorDesc("FLOAT32", (0, 3), total_tensor_size_in_bytes=1), (1, 1)))
    assert ("tensor.total_size", "sizes.positive") in [(w.id, w.on) for w in report.waiting]


def test_strides_are_judged_but_for_where_they_reach() -> None:
    """One line for all tensors of a desc, beside the notes; where elements share a place, and far away too."""
    data = dml.TensorDesc("UINT8", (2, 3), strides=(2**32 - 1, 1))
    report = dml.check(dml.Tile(data, (1, 2), dml.TensorDesc("UINT8", (2, 6), strides=(5, 1))))
    assert report.verdict is Verdict.NOT_CHECKED
    (left,) = report.not_checked
    assert (left.field, left.found) == ("InputTensor.Strides", [2**32 - 1, 1])
    assert left.message == "Strides of InputTensor and OutputTensor aren't packed: reach and overlap are not checked."
    assert {c.id for c in report.failures} == {"note.strides", "note.strides_padding"}


def test_a_fix_that_packs_says_that_the_layout_goes() -> None:
    desc = dml.Tile(dml.TensorDesc("UINT8", (2, 3), strides=[3]), (1, 2))
    (check,) = dml.check(desc).errors
    assert check.id == "tensor.strides"
    assert check.fixes[0].label == "remove InputTensor.Strides {3}"
    assert check.fixes[0].loses == "the layout of InputTensor in memory"
