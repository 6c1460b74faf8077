"""Rules that hold for every operator at every feature level."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import tried
from support.reports import assert_sound, complete, errors, f32, tensor
from support.strategies import Case, cases

import dmlviz as dml


@tried(100)
@given(cases(), st.data())
def test_a_size_below_1_is_found_in_any_tensor(case: Case, data: st.DataObject) -> None:
    desc = complete(case.desc)
    part = data.draw(st.sampled_from(desc.parts))
    d = data.draw(st.integers(0, part.tensor.dimension_count - 1))
    few = data.draw(st.sampled_from([0, -1, -(2**31)]))
    made = part.tensor.resized(few if i == d else n for i, n in enumerate(part.tensor.sizes))
    held = desc.get(part.field.name)
    changed = [made if p.path == part.path else p.tensor for p in desc.parts if p.field.name == part.field.name]
    report = dml.check(desc.replace({part.field.name: changed if isinstance(held, tuple) else made}))
    assert ("sizes.positive", f"{part.path}.Sizes[{d}]") in errors(report)
    assert ("sizes.element_count", part.path) in {(w.id, w.field) for w in report.waiting}
    assert_sound(report)


@pytest.mark.parametrize(
    ("repeats", "ok"), [((65535, 65537), True), ((65536, 65536), False), ((2**32 - 1, 1), True), ((2**32, 1), False)]
)
def test_a_tensor_has_at_most_2_32_minus_1_elements(repeats: tuple[int, int], ok: bool) -> None:
    report = dml.check(dml.Tile(f32(1, 1), repeats))
    assert errors(report) == (set() if ok else {("sizes.element_count", "OutputTensor.Sizes")})
    assert_sound(report)


def test_more_elements_than_any_machine_number_are_held_and_refused() -> None:
    report = dml.check(dml.Tile(f32(2**60, 2**60), (8, 1)))
    assert errors(report) == {
        ("sizes.element_count", "InputTensor.Sizes"),
        ("sizes.element_count", "OutputTensor.Sizes"),
    }
    assert_sound(report)


def test_indices_and_lengths_never_share_the_data_type() -> None:
    gather = dml.check(dml.Gather(tensor("INT8", 3, 2), tensor("INT64", 1, 4), 0, 1, tensor("INT8", 4, 2)))
    reverse = dml.check(dml.ReverseSubsequences(tensor("INT8", 3, 2), tensor("UINT64", 3, 1), 1))
    for report in (gather, reverse):
        assert report.ok
        assert [c.field for c in report.checks if c.id == "dtype.equal"] == ["OutputTensor.DataType"]
        assert len([c for c in report.checks if c.id == "dimension_count.equal"]) == 2


def test_the_odd_one_out_is_named() -> None:
    f32, f16 = dml.TensorDesc("FLOAT32", (2, 2)), dml.TensorDesc("FLOAT16", (2, 2))
    odd_output = dml.check(dml.Join([f32, f32, f32], 0, dml.TensorDesc("FLOAT16", (6, 2))))
    assert [c.field for c in odd_output.errors] == ["OutputTensor.DataType"]
    odd_input = dml.check(dml.Join([f32, f16, f32], 0))
    assert [(c.field, c.message) for c in odd_input.errors] == [
        ("InputTensors[1].DataType", "InputTensors[1].DataType is FLOAT16, expected FLOAT32 as InputTensors[0] has.")
    ]
