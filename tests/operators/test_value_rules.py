"""What index and length values break."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.reports import errors, evaluated, f32, notes, tensor, u32, warnings

import dmlviz as dml
from dmlviz import DataType


def gathered(kind: str, picks: list[int]) -> dml.Report:
    """A check of indices into an axis of 3."""
    data = np.arange(6, dtype=np.float32).reshape(3, 2)
    indices: NDArray[Any] = np.array([picks], DataType[kind].dtype)
    return dml.check(dml.Gather(f32(3, 2), tensor(kind, 1, len(picks)), 0, 1), [data, indices])


@pytest.mark.parametrize("kind", ["UINT32", "UINT64"])
def test_an_unsigned_index_is_in_range_from_0_to_the_size(kind: str) -> None:
    report = gathered(kind, [0, 2, 3, 1, 0xFFFFFFFF])
    (warning,) = warnings(report)
    assert (warning.id, warning.field, warning.found) == ("values.index_range", "IndicesTensor[0,2]", 3)
    assert "2 of 5" in warning.message
    assert "IndicesTensor[0,2]" in warning.message
    assert "[0, 3)" in warning.message
    assert report.ok
    assert not notes(report)


def test_unsigned_ffffffff_is_out_of_range_and_not_minus_1() -> None:
    report = gathered("UINT32", [1, 0xFFFFFFFF])
    assert [(w.id, w.field, w.found) for w in warnings(report)] == [
        ("values.index_range", "IndicesTensor[0,1]", 0xFFFFFFFF)
    ]
    assert not notes(report)


@pytest.mark.parametrize("kind", ["INT32", "INT64"])
def test_a_negative_index_counts_from_the_end_and_is_noted(kind: str) -> None:
    report = gathered(kind, [0, -1, -3, 2])
    assert not warnings(report)
    assert notes(report) == {"note.negative_index"}
    (note,) = report.failures
    assert (note.field, note.found) == ("IndicesTensor[0,1]", -1)
    assert "2 of 4" in note.message
    assert "IndicesTensor[0,1] is 2" in note.message


@pytest.mark.parametrize("kind", ["INT32", "INT64"])
def test_a_signed_index_is_in_range_from_minus_the_size(kind: str) -> None:
    low, high = DataType[kind].integer_range
    report = gathered(kind, [0, -4, -3, 3, low, high])
    (warning,) = warnings(report)
    assert (warning.field, warning.found) == ("IndicesTensor[0,1]", -4)
    assert "4 of 6" in warning.message
    assert "[-3, 3)" in warning.message
    assert notes(report) == {"note.negative_index"}  # -3 alone is one that counts from the end


def test_indices_in_range_have_neither_warning_nor_note() -> None:
    report = gathered("INT64", [0, 1, 2])
    assert not report.failures
    assert "values.index_range" in evaluated(report)


def test_a_length_beyond_the_axis_acts_as_its_size() -> None:
    desc = dml.ReverseSubsequences(f32(2, 2, 3), u32(2, 2, 1), 2)
    lengths = np.array([[[3], [4]], [[0], [2**32 - 1]]], np.uint32)
    report = dml.check(desc, [np.zeros((2, 2, 3), np.float32), lengths])
    (warning,) = warnings(report)
    assert (warning.id, warning.field) == ("values.length_clamped", "SequenceLengthsTensor[0,1,0]")
    assert "2 of 4" in warning.message
    assert "the first is 4 " in warning.message
    assert report.ok
    fine = dml.check(desc, [np.zeros((2, 2, 3), np.float32), np.minimum(lengths, 3)])
    assert not fine.failures
    assert "values.length_clamped" in evaluated(fine)


def test_values_are_looked_at_only_where_they_are_given_and_the_desc_makes_sense() -> None:
    desc = dml.Gather(f32(3, 2), u32(1, 4), 0, 1)
    assert "values.index_range" not in evaluated(dml.check(desc))
    assert "values.index_range" not in evaluated(dml.check(desc, [None, None]))
    broken = dml.Gather(f32(3, 2), u32(1, 4), 2, 1)
    report = dml.check(broken, [None, np.full((1, 4), 9, np.uint32)])
    assert "values.index_range" not in evaluated(report)


def test_values_of_a_type_that_indices_and_lengths_cannot_have_do_no_harm() -> None:
    odd = np.array([np.nan, np.inf], np.float32)
    gather = dml.check(dml.Gather(f32(3), f32(2), 0, 1), [None, odd])
    assert errors(gather) == {("dtype.supported", "IndicesTensor.DataType")}
    reverse = dml.check(dml.ReverseSubsequences(f32(2, 3), f32(2, 1), 1), [None, odd.reshape(2, 1)])
    assert errors(reverse) == {("dtype.supported", "SequenceLengthsTensor.DataType")}
    small = np.full(2, 255, np.uint8)
    assert warnings(dml.check(dml.Gather(f32(3), tensor("UINT8", 2), 0, 1), [None, small]))
    assert not warnings(dml.check(dml.Gather(f32(300), tensor("UINT8", 2), 0, 1), [None, small]))


def test_values_are_checked_beside_what_else_is_broken() -> None:
    """SPEC section 4: all failures are reported together, and none hides another."""
    f32, i64 = dml.TensorDesc("FLOAT32", (3, 2)), dml.TensorDesc("INT64", (1, 3))
    x = np.zeros((3, 2), np.float32)
    wrong_output = dml.Gather(f32, i64, 0, 1, dml.TensorDesc("FLOAT32", (2, 2)))
    found = dml.check(wrong_output, [x, np.array([[-1, 2, 3]])])
    assert {c.id for c in found.failures} == {"gather.sizes", "values.index_range", "note.negative_index"}
    lengths = np.array([[9], [1], [1]], np.uint32)
    mixed = dml.ReverseSubsequences(f32, dml.TensorDesc("UINT32", (3, 1)), 1, dml.TensorDesc("FLOAT16", (3, 2)))
    assert {c.id for c in dml.check(mixed, [x, lengths]).failures} == {"dtype.equal", "values.length_clamped"}
    no_axis = dml.check(dml.Gather(f32, i64, 7, 1), [x, np.array([[-1, 2, 3]])])
    assert {c.id for c in no_axis.failures} == {"axis.range"}
    assert ("values.index_range", "axis.range") in {(w.id, w.on) for w in no_axis.waiting}


def test_arrays_for_a_tensor_that_cannot_exist_hide_no_rule() -> None:
    desc = dml.Gather(dml.TensorDesc("FLOAT32", (3, -1)), dml.TensorDesc("UINT32", (1, 4)), 0, 1)
    found = dml.check(desc, [np.zeros((3, 2), np.float32), np.zeros((1, 4), np.uint32)])
    assert [c.id for c in found.errors] == ["sizes.positive"]
