"""Integers that a model computes from shapes are those of ONNX's reference evaluator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.effort import tried

from dmlviz.importers.onnx.values import all_known, computed, known

onnx = pytest.importorskip("onnx", reason="the package onnx isn't installed")
from onnx import helper, numpy_helper  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402

SMALL = st.integers(-6, 6)
LISTS = st.lists(SMALL, min_size=1, max_size=5)
AXES = st.integers(-2, 2)
PAIRS = ["Add", "Sub", "Mul", "Div", "Mod", "Min", "Max", "Sum"]
LOGIC = ["Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "And", "Or"]


def evaluated(node: Any, given: Sequence[NDArray[Any]]) -> NDArray[Any] | None:
    """The first output by ONNX's reference evaluator; None where it refuses."""
    feeds = {name: array for name, array in zip(node.input, given, strict=True) if name}
    try:
        with np.errstate(all="raise"):
            return np.asarray(ReferenceEvaluator(node, opsets={"": 18}).run(None, feeds)[0])
    except Exception:  # it has no error of its own
        return None


def same(node: Any, *given: Any) -> None:
    """What is computed of whole inputs is what ONNX computes; of inputs in part, what is known is right."""
    arrays = [np.asarray(each) for each in given]
    want = evaluated(node, arrays)
    found = computed(node, [known(each.astype(np.int64)) for each in arrays], 18)
    if found is None:
        return
    assert all_known(found)
    assert want is not None
    assert found.tolist() == want.astype(np.int64).tolist()
    for at in range(arrays[0].size):
        part = known(arrays[0].astype(np.int64))
        part.reshape(-1)[at] = None
        some = computed(node, [part, *(known(each.astype(np.int64)) for each in arrays[1:])], 18)
        if some is not None:
            assert some.shape == want.shape
            assert all(a is None or a == b for a, b in zip(some.flat, want.astype(np.int64).flat, strict=True))


def is_computed(node: Any, *given: Any) -> bool:
    return computed(node, [known(np.asarray(each)) for each in given], 18) is not None


@given(st.sampled_from(PAIRS), LISTS, LISTS | SMALL)
@tried(300)
def test_arithmetic(kind: str, a: list[int], b: list[int] | int) -> None:
    if kind == "Div":  # the evaluator rounds down, ONNX says towards zero
        assume(all(each > 0 for each in np.atleast_1d(b)) and min(a) >= 0)
    same(helper.make_node(kind, ["a", "b"], ["c"]), a, b)


def test_division_goes_towards_zero() -> None:
    node = helper.make_node("Div", ["a", "b"], ["c"])
    found = computed(node, [known([7, -7, 7, -7]), known([2, 2, -2, -2])], 18)
    assert found is not None
    assert found.tolist() == [3, -3, -3, 3]
    assert computed(node, [known([1]), known([0])], 18) is None
    modulo = helper.make_node("Mod", ["a", "b"], ["c"], fmod=1)
    found = computed(modulo, [known([7, -7]), known([3, 3])], 18)
    assert found is not None
    assert found.tolist() == [1, -1]


@given(st.sampled_from(LOGIC), st.data())
@tried(150)
def test_comparisons(kind: str, data: st.DataObject) -> None:
    dtype = np.bool_ if kind in ("And", "Or") else np.int64
    a: NDArray[Any] = np.array(data.draw(LISTS)).astype(dtype)
    b: NDArray[Any] = np.array(data.draw(LISTS)).astype(dtype)
    same(helper.make_node(kind, ["a", "b"], ["c"]), a, b[: len(a)] if len(b) > len(a) else b[:1])


@given(LISTS, st.lists(st.booleans(), min_size=1, max_size=5))
@tried(80)
def test_where(a: list[int], picks: list[bool]) -> None:
    same(helper.make_node("Where", ["c", "a", "b"], ["d"]), np.array(picks), a, np.array(9))


@given(st.lists(SMALL, min_size=6, max_size=6), st.lists(st.integers(-1, 6), max_size=3), st.booleans())
@tried(200)
def test_reshapes(values: list[int], sizes: list[int], allows_zero: bool) -> None:
    whole = np.array(values).reshape(2, 3)
    shape = np.array(sizes, np.int64)
    same(helper.make_node("Reshape", ["a", "s"], ["b"], allowzero=int(allows_zero)), whole, shape)


@given(st.lists(SMALL, min_size=4, max_size=4), st.lists(AXES, min_size=1, max_size=2))
@tried(150)
def test_axes_come_and_go(values: list[int], axes: list[int]) -> None:
    for kind, shape in (("Unsqueeze", (2, 2)), ("Squeeze", (1, 4, 1)), ("Squeeze", (2, 1, 2))):
        same(helper.make_node(kind, ["a", "x"], ["b"]), np.array(values).reshape(shape), np.array(axes))


@given(LISTS, LISTS, AXES)
@tried(120)
def test_concat_and_gather(a: list[int], b: list[int], axis: int) -> None:
    same(helper.make_node("Concat", ["a", "b"], ["c"], axis=axis), a, b)
    whole = np.arange(12).reshape(3, 4)
    same(helper.make_node("Gather", ["a", "b"], ["c"], axis=axis), whole, np.array(b))
    same(helper.make_node("Gather", ["a", "b"], ["c"], axis=axis), whole, np.array(b[0]))


@given(
    st.integers(-7, 7),
    st.integers(-9, 9) | st.just(-(2**63)) | st.just(2**63 - 1),
    AXES,
    st.sampled_from([1, 2, -1, -2]),
)
@tried(300)
def test_slices(start: int, end: int, axis: int, step: int) -> None:
    whole = np.arange(20).reshape(4, 5)
    node = helper.make_node("Slice", ["a", "s", "e", "x", "t"], ["b"])
    same(node, whole, *(np.array([each], np.int64) for each in (start, end, axis, step)))


@given(LISTS, st.sampled_from(["ReduceProd", "ReduceSum", "ReduceMin", "ReduceMax"]), st.booleans())
@tried(100)
def test_reductions(values: list[int], kind: str, keeps: bool) -> None:
    same(helper.make_node(kind, ["a", "x"], ["b"], keepdims=int(keeps)), values, np.array([0]))
    same(helper.make_node(kind, ["a"], ["b"], keepdims=int(keeps)), values)


@given(SMALL, SMALL, SMALL)
@tried(150)
def test_ranges(start: int, limit: int, step: int) -> None:
    assume(step != 0)
    same(helper.make_node("Range", ["a", "b", "c"], ["d"]), np.array(start), np.array(limit), np.array(step))


@given(st.lists(st.integers(0, 4), max_size=3), SMALL)
@tried(80)
def test_filled_and_expanded(sizes: list[int], value: int) -> None:
    shape = np.array(sizes, np.int64)
    held = numpy_helper.from_array(np.array([value]))
    same(helper.make_node("ConstantOfShape", ["s"], ["b"], value=held), shape)
    same(helper.make_node("Expand", ["a", "s"], ["b"]), np.arange(3), shape)


def test_what_is_common_is_computed() -> None:
    assert is_computed(helper.make_node("Slice", ["a", "s", "e"], ["b"]), [1, 2, 3], [0], [2])
    assert is_computed(helper.make_node("Cast", ["a"], ["b"], to=7), [1, 2])
    assert is_computed(
        helper.make_node("ConstantOfShape", ["s"], ["b"], value=numpy_helper.from_array(np.array([1]))), [3]
    )
    assert is_computed(helper.make_node("Where", ["c", "a", "b"], ["d"]), [1, 0], [1, 2], [3, 4])


@pytest.mark.parametrize(
    ("node", "given"),
    [
        (helper.make_node("ConstantOfShape", ["s"], ["b"], value=numpy_helper.from_array(np.array([1]))), [[2**40]]),
        (helper.make_node("Expand", ["a", "s"], ["b"]), [[1], [2**20, 2**20]]),
        (helper.make_node("Range", ["a", "b", "c"], ["d"]), [0, 2**62, 1]),
        (helper.make_node("Add", ["a", "b"], ["c"]), [np.zeros((1024, 1), int), np.zeros((1, 1024), int)]),
        (helper.make_node("Mul", ["a", "b"], ["c"]), [[2**62], [4]]),
        (helper.make_node("Cast", ["a"], ["b"], to=6), [[2**40]]),
        (helper.make_node("Cast", ["a"], ["b"], to=1), [[1]]),
        (helper.make_node("Unsqueeze", ["a", "x"], ["b"]), [[1], [0, 0]]),
        (helper.make_node("Relu", ["a"], ["b"]), [[1]]),
    ],
)
def test_what_is_too_large_or_no_integer_is_not(node: Any, given: list[Any]) -> None:
    assert not is_computed(node, *given)


def test_an_empty_array_of_a_large_size_takes_no_memory() -> None:
    assert known(np.zeros((2**40, 0), np.int64)).shape == (2**40, 0)
    assert known(np.array(3)).tolist() == 3
    assert known([[1, None]]).tolist() == [[1, None]]
