"""What index and length values break."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.reports import errors, evaluated, f32, tensor, u32, warnings

import dmlviz as dml
from dmlviz import DataType


def gathered(kind: str, picks: list[int]) -> dml.Report:
    """A check of indices into an axis of 3."""
    data = np.arange(6, dtype=np.float32).reshape(3, 2)
    indices: NDArray[Any] = np.array([picks], DataType[kind].dtype)
    return dml.check(dml.Gather(f32(3, 2), tensor(kind, 1, len(picks)), 0, 1), [data, indices])


def least(kind: str) -> list[int]:
    return [*DataType[kind].integer_range]


@pytest.mark.parametrize(
    ("kind", "picks", "outside", "negative"),
    [
        *(
            (kind, [0, 2, 3, 1, 0xFFFFFFFF], (2, 3, "2 of 5 indices are outside [0, 3)"), None)
            for kind in ("UINT32", "UINT64")
        ),
        ("UINT32", [1, 0xFFFFFFFF], (1, 0xFFFFFFFF, "1 of 2 "), None),
        *((kind, [0, -1, -3, 2], None, (1, -1, "2 of 4 indices are negative")) for kind in ("INT32", "INT64")),
        *(
            (kind, [0, -4, -3, 3, *least(kind)], (1, -4, "4 of 6 indices are outside [-3, 3)"), (2, -3, "1 of 6 "))
            for kind in ("INT32", "INT64")
        ),
        ("INT64", [0, 1, 2], None, None),
    ],
)
def test_indices_lie_on_the_axis_and_negative_ones_count_from_its_end(
    kind: str, picks: list[int], outside: tuple[int, int, str] | None, negative: tuple[int, int, str] | None
) -> None:
    report = gathered(kind, picks)
    assert report.ok
    assert "values.index_range" in evaluated(report)
    found = {check.id: check for check in report.failures}
    assert [*found] == ["values.index_range"] * bool(outside) + ["note.negative_index"] * bool(negative)
    for id_, want in (("values.index_range", outside), ("note.negative_index", negative)):
        if want is not None:
            at, value, words = want
            assert (found[id_].field, found[id_].found) == (f"IndicesTensor[0,{at}]", value)
            assert found[id_].message.startswith(words)


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


def test_values_are_looked_at_where_they_are_given_and_have_a_meaning_beside_what_else_is_broken() -> None:
    desc, x = dml.Gather(f32(3, 2), u32(1, 4), 0, 1), np.zeros((3, 2), np.float32)
    for report in (dml.check(desc), dml.check(desc, [None, None])):
        assert "values.index_range" not in evaluated(report)
    picks = np.array([[-1, 2, 3]])
    wrong_output = dml.Gather(f32(3, 2), tensor("INT64", 1, 3), 0, 1, f32(2, 2))
    found = dml.check(wrong_output, [x, picks])
    assert {c.id for c in found.failures} == {"gather.sizes", "values.index_range", "note.negative_index"}
    mixed = dml.ReverseSubsequences(f32(3, 2), u32(3, 1), 1, tensor("FLOAT16", 3, 2))
    lengths = np.array([[9], [1], [1]], np.uint32)
    assert {c.id for c in dml.check(mixed, [x, lengths]).failures} == {"dtype.equal", "values.length_clamped"}
    no_axis = dml.check(dml.Gather(f32(3, 2), tensor("INT64", 1, 3), 7, 1), [x, picks])
    assert {c.id for c in no_axis.failures} == {"axis.range"}
    assert ("values.index_range", "axis.range") in {(w.id, w.on) for w in no_axis.waiting}
    nowhere = dml.check(dml.Gather(f32(3, -1), u32(1, 4), 0, 1), [x, np.zeros((1, 4), np.uint32)])
    assert [c.id for c in nowhere.errors] == ["sizes.positive"]


def test_values_of_a_type_that_indices_and_lengths_cannot_have_do_no_harm() -> None:
    odd = np.array([np.nan, np.inf], np.float32)
    gather = dml.check(dml.Gather(f32(3), f32(2), 0, 1), [None, odd])
    assert errors(gather) == {("dtype.supported", "IndicesTensor.DataType")}
    reverse = dml.check(dml.ReverseSubsequences(f32(2, 3), f32(2, 1), 1), [None, odd.reshape(2, 1)])
    assert errors(reverse) == {("dtype.supported", "SequenceLengthsTensor.DataType")}
    small = np.full(2, 255, np.uint8)
    assert warnings(dml.check(dml.Gather(f32(3), tensor("UINT8", 2), 0, 1), [None, small]))
    assert not warnings(dml.check(dml.Gather(f32(300), tensor("UINT8", 2), 0, 1), [None, small]))
