"""PADDING: the page's own examples, and what no page says."""

from __future__ import annotations

import numpy as np
import pytest

import dmlviz as dml
from dmlviz.operators.base import NO_VALUES
from dmlviz.operators.padding import OPERATOR
from dmlviz.operators.report import Severity

PRINTED = {
    "CONSTANT": "9999999999 9912349999 9956789999 9912349999 9956789999 9999999999 9999999999 9999999999",
    "EDGE": "1112344444 1112344444 5556788888 1112344444 5556788888 5556788888 5556788888 5556788888",
    "REFLECTION": "7656787656 3212343212 7656787656 3212343212 7656787656 3212343212 7656787656 3212343212",
    "SYMMETRIC": "2112344321 2112344321 6556788765 2112344321 6556788765 6556788765 2112344321 6556788765",
}
"""The rows of the output of each example of the page, of rows 1 2 3 4 and 5 6 7 8 twice."""


@pytest.mark.parametrize("mode", PRINTED)
def test_a_page_example_gives_what_the_page_prints(mode: str) -> None:
    data = np.tile(np.arange(1, 9, dtype=np.float32).reshape(1, 1, 2, 4), (1, 1, 2, 1))
    desc = dml.Padding(dml.TensorDesc("FLOAT32", data.shape), mode, 9, (0, 0, 1, 2), (0, 0, 3, 4))
    want = np.array([[[[*row] for row in PRINTED[mode].split()]]], np.float32)
    np.testing.assert_array_equal(dml.run(desc, [data])[0], want)
    np.testing.assert_array_equal(dml.trace(desc, [data]).reference(0), want)


def padded(kind: str, value: float, mode: str = "CONSTANT") -> dml.Padding:
    return dml.Padding(dml.TensorDesc(kind, (1, 2)), mode, value, (1, 0), (0, 1))


@pytest.mark.parametrize(
    ("desc", "stands"),
    [
        (padded("INT32", 10.6), 10),  # the page's own numbers
        (padded("UINT8", -1), 0),
        (padded("INT8", float("inf")), 127),
        (padded("FLOAT16", 0.1), np.float16(0.1)),
        (padded("FLOAT64", 0.1), float(np.float32(0.1))),
    ],
)
def test_a_constant_is_what_its_tensor_holds(desc: dml.Padding, stands: float) -> None:
    ran = dml.run(desc, [np.zeros((1, 2), desc.input_tensor.data_type.dtype)])[0]
    assert ran[0, 0] == stands
    warnings = [c for c in dml.check(desc).failures if c.severity is Severity.WARNING]
    is_float = desc.input_tensor.data_type.is_float
    assert [c.id for c in warnings] == ([] if is_float else ["padding.value"])
    assert dml.check(desc).ok


def test_what_no_page_says_is_noted() -> None:
    notes = [[c.id for c in dml.check(padded("FLOAT32", 0, mode)).failures] for mode in ("REFLECTION", "SYMMETRIC")]
    assert notes == [["note.padding_reflection"], []]


def test_a_constant_is_told_as_it_was_typed() -> None:
    """A FLOAT's 0.1 isn't 0.10000000149011612 on the screen."""
    assert OPERATOR.map_code(padded("FLOAT32", 0.1)).where == "PaddingValue 0.1 outside {1, 2}"


def test_one_padding_for_all_axes_is_given_to_each() -> None:
    broken = dml.Padding(dml.TensorDesc("FLOAT32", (2, 3)), "EDGE", 0, (1,), (2,), dml.TensorDesc("FLOAT32", (5, 6)))
    (check,) = dml.check(broken).failures
    assert check.fixes[0].label == "StartPadding {1} → {1, 1}, EndPadding {2} → {2, 2}"


@pytest.mark.parametrize(("mode", "cuts"), [("CONSTANT", 3), ("EDGE", 6), ("REFLECTION", 6), ("SYMMETRIC", 6)])
def test_runs_of_a_giant_are_few_and_take_no_memory(mode: str, cuts: int) -> None:
    giant = dml.Padding(dml.TensorDesc("UINT8", (2**32 - 6,)), mode, 0, (2,), (3,))
    assert dml.check(giant).ok
    (starts,) = OPERATOR.runs(giant, 0, NO_VALUES).values()
    assert (len(starts), starts[0], starts[-1]) == (cuts, 0, 2**32 - 4 if mode == "CONSTANT" else 2**32 - 2)
    huge = dml.Padding(dml.TensorDesc("UINT8", (3,)), mode, 0, (2**31,), (2**31 - 4,))
    assert len(next(iter(OPERATOR.runs(huge, 0, NO_VALUES).values()))) == (3 if mode == "CONSTANT" else 2**32 - 1)


def test_symmetric_needs_its_level() -> None:
    data, edges = dml.TensorDesc("FLOAT32", (1, 1, 2, 2)), (0, 0, 1, 1)
    lowest = [dml.check(dml.Padding(data, mode, 0, edges, edges)).lowest_level for mode in PRINTED]
    assert lowest == ["1_0", "1_0", "1_0", "3_0"]
