"""The public functions against NumPy, and the sentences with which they refuse."""

from __future__ import annotations

import gc
import pickle
import subprocess
import sys
import weakref
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.commands import one_line
from support.effort import tried
from support.reports import f32, u32
from support.strategies import TYPES, generators, random_bits, shapes

import dmlviz as dml
from dmlviz import api
from dmlviz.errors import ValuesError
from dmlviz.operators.general_rules import evaluate
from dmlviz.running import engine

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def same(ours: NDArray[Any], theirs: NDArray[Any]) -> bool:
    return ours.shape == theirs.shape and ours.dtype == theirs.dtype and ours.tobytes() == theirs.tobytes()


@given(shapes(60), st.data())
@tried(60)
def test_join_and_split_against_numpy(sizes: tuple[int, ...], data: st.DataObject) -> None:
    axis, generator = data.draw(st.integers(-len(sizes), len(sizes) - 1)), data.draw(generators())
    x = random_bits(generator, data.draw(st.sampled_from(TYPES)), sizes)
    whole = dml.join([x, x, x], axis)
    assert same(whole, np.concatenate([x, x, x], axis))
    n = sizes[axis]
    parts = dml.split(whole, [n, 2 * n], axis)
    assert all(same(a, b) for a, b in zip(parts, np.split(whole, [n], axis), strict=True))
    assert not np.shares_memory(parts[0], whole)


@given(shapes(30, highest=4), st.lists(st.integers(1, 3), max_size=5), st.data())
@tried(60)
def test_tile_against_numpy(sizes: tuple[int, ...], repeats: list[int], data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from([t for t in TYPES if t.name != "FLOAT64"]))
    x = random_bits(data.draw(generators()), kind, sizes)
    assert same(dml.tile(x, repeats), np.tile(x, repeats))


@given(shapes(40, highest=5), st.data())
@tried(80)
def test_gather_against_numpy(sizes: tuple[int, ...], data: st.DataObject) -> None:
    axis = data.draw(st.integers(-len(sizes), len(sizes) - 1))
    picks = data.draw(st.one_of(st.just(()), shapes(12, highest=9 - len(sizes))))
    generator, n = data.draw(generators()), sizes[axis]
    x = random_bits(generator, data.draw(st.sampled_from(TYPES)), sizes)
    inside = np.asarray(generator.integers(-n, n, picks), np.int64)
    assert same(dml.gather(x, inside, axis), np.take(x, inside, axis))
    beyond = np.asarray(generator.integers(0, 2 * n, picks), np.uint64)
    assert same(dml.gather(x, beyond, axis), np.take(x, beyond.astype(np.int64), axis, mode="clip"))


@given(shapes(100), st.data())
@tried(60)
def test_reverse_subsequences_against_numpy(sizes: tuple[int, ...], data: st.DataObject) -> None:
    axis, generator = data.draw(st.integers(-len(sizes), len(sizes) - 1)), data.draw(generators())
    x = random_bits(generator, data.draw(st.sampled_from(TYPES)), sizes)
    cells, along = list(sizes), [1] * len(sizes)
    cells[axis], along[axis] = 1, sizes[axis]
    lengths = generator.integers(0, sizes[axis] + 2, cells).astype(np.uint32)
    k, held = np.arange(sizes[axis]).reshape(along), np.minimum(lengths.astype(np.int64), sizes[axis])
    want = np.take_along_axis(x, np.where(k < held, held - 1 - k, k), axis)
    assert same(dml.reverse_subsequences(x, lengths, axis), want)


def test_array_likes_and_scalars() -> None:
    assert dml.join([[1, 2], [3]], 0).tolist() == [1, 2, 3]
    assert dml.tile(np.float32(7), [2, 3]).tolist() == [[7] * 3] * 2
    assert dml.tile(np.array([1, 2], np.int8), 2).tolist() == [1, 2, 1, 2]
    assert [part.tolist() for part in dml.split([1, 2, 3], np.array([1, 2]), -1)] == [[1], [2, 3]]
    assert dml.gather([1, 2, 3], 2, 0).shape == ()
    assert dml.gather([[1, 2], [3, 4]], -1, 1).tolist() == [2, 4]
    assert dml.gather([1.5, 2.5], [[1, 0]], 0).tolist() == [[2.5, 1.5]]
    assert dml.tile(X.astype(">f4").astype("f4"), 1).dtype == np.float32
    assert dml.TensorDesc("FLOAT32", (n for n in (2, 3))).sizes == (2, 3)


TENSOR, PICKS = dml.TensorDesc("FLOAT32", (2, 3)), dml.TensorDesc("UINT32", (1, 3))
ZEROS = np.zeros((2, 3), np.float32)
PICK, ROWS = dml.Gather(f32(3, 2), u32(1, 4), 0, 1), np.arange(6, dtype=np.float32).reshape(3, 2)
any_dml: Any = dml
"""The package, to which any kind of thing may be given."""
shaped: Any = partial(dml.TensorDesc, "FLOAT32", (2, 3))
REFUSED: list[tuple[Any, str]] = [
    (lambda: dml.tile(X.astype("f8"), 2), "DataType is FLOAT64 in 2 tensors"),
    (
        lambda: dml.reverse_subsequences(X, np.ones((2, 1, 4), np.int64), 1),
        "SequenceLengthsTensor.DataType is INT64, expected UINT64 or UINT32",
    ),
    (lambda: dml.reverse_subsequences(X, np.ones((2, 4), np.uint32), 1), "SequenceLengthsTensor.DimensionCount is 2"),
    (lambda: dml.join([X, X[:, :2]], 0), "InputTensors[1].Sizes[1] is 2, expected 3"),
    (lambda: dml.join([], 0), "arrays is empty"),
    (lambda: dml.join([X], 3), "axis is 3, expected -3 to 2 because arrays[0] has 3 dimensions"),
    (lambda: dml.split(X, [1, 1], 1), "InputTensor.Sizes[1] is 3, expected 1 + 1 = 2"),
    (lambda: dml.split(X, [], 1), "OutputCount is 0, expected more than 0"),
    (lambda: dml.split(X, [1.5, 1.5], 1), "sizes[0] is 1.5, expected an integer"),  # type: ignore[list-item]
    (lambda: dml.tile(X, [0, 1, 1]), "Repeats[0] is 0, expected more than 0"),
    (lambda: dml.gather(1, [0], 0), "x has no dimensions"),
    (lambda: dml.gather(np.ones((1,) * 5), np.zeros((1,) * 5, int), 0), "DimensionCount is 9"),
    (lambda: dml.tile([[1], [2, 3]], 2), "x is list, expected an array of numbers"),
    (lambda: dml.tile(X.astype(">f4"), 2), "x has dtype >f4, expected one of FLOAT32"),
    (lambda: any_dml.TensorDesc("FLOAT31", (1,)), 'DataType is "FLOAT31", expected one of FLOAT32,'),
    (lambda: any_dml.TensorDesc("FLOAT32", 5), "Sizes is 5, expected a list of integers such as [3, 2]."),
    (lambda: any_dml.TensorDesc("FLOAT32", [1, 2.0]), "Sizes[1] is 2.0, expected an integer."),
    (lambda: shaped(strides=[1, None]), "Strides[1] is null, expected an integer."),
    (lambda: shaped(total_tensor_size_in_bytes=True), "TotalTensorSizeInBytes is true, expected an integer."),
    (lambda: shaped(flags=1), "Flags is 1, expected names such as DML_TENSOR_FLAG_OWNED_BY_DML."),
    (lambda: any_dml.Join([TENSOR, 5], 0), "InputTensors[1] is 5, expected a TensorDesc."),
    (lambda: any_dml.Join([TENSOR], 0, 5), "OutputTensor is 5, expected a TensorDesc."),
    (lambda: any_dml.Join([TENSOR], 0, input_count=1.0), "InputCount is 1.0, expected an integer."),
    (lambda: any_dml.ReverseSubsequences(TENSOR, (2, 1), 0), "SequenceLengthsTensor is [2, 1], expected a TensorDesc."),
    (lambda: any_dml.Gather(ZEROS, PICKS, 0, 1), "InputTensor is "),
    (
        lambda: any_dml.Tile(TENSOR, [1, 1]).replace({"Axis": 1}),
        '"Axis" is no field of DML_OPERATOR_TILE, expected one of',
    ),
    (lambda: any_dml.check("DML_OPERATOR_TILE"), 'desc is "DML_OPERATOR_TILE", expected a desc such as'),
    (lambda: any_dml.check(any_dml.Tile(TENSOR, [1, 1]), feature_level=5), "feature level is 5, expected one of 1_0,"),
    (lambda: any_dml.join(5, 0), "arrays is 5, expected a list of arrays."),
    # A set drops repeats and order, and so do keys.
    (lambda: any_dml.TensorDesc("FLOAT32", {2}), 'Sizes is "{2}", expected a list of integers'),
    (lambda: any_dml.join({(1.0, 2.0): 0}.keys(), 0), 'arrays is "dict_keys([(1.0, 2.0)])", expected a list of arrays'),
    (lambda: any_dml.trace(PICK).source(0, {1}), 'OutputTensor index is "{1}", expected a list of'),
    (lambda: any_dml.gather(ZEROS, "abc", 0), "indices has dtype <U3, expected one of FLOAT32,"),
    (
        lambda: any_dml.run(PICK, [ROWS, [[0, 1, 1, -2]]]),
        "IndicesTensor holds -2, expected UINT32 values, 0 to 4294967295.",
    ),
    (lambda: dml.reverse_subsequences(ROWS, [[1], [2], [-1]], 1), "lengths holds -1, expected numbers from 0 on."),
    (lambda: any_dml.load(None), "path is null, expected the name of a session file."),
    (lambda: any_dml.save(None, "x.json"), "session is null, expected a Session."),
]


@pytest.mark.parametrize(("call", "said"), REFUSED, ids=[said[:40] for _, said in REFUSED])
def test_what_is_refused_is_refused_in_a_sentence(call: Any, said: str) -> None:
    with pytest.raises(dml.DmlvizError) as caught:
        call()
    message = str(caught.value)
    assert message.startswith(said)
    assert one_line(message)
    assert isinstance(caught.value, ValueError)  # as NumPy says it
    assert isinstance(caught.value, ValuesError) or " holds " not in message


def calls(x: NDArray[Any], picks: NDArray[Any], lengths: NDArray[Any]) -> list[Any]:
    """The five functions on one tensor of shape (2, 3, 4)."""
    return [
        lambda: [dml.join([x, x], 1)],
        lambda: dml.split(x, [1, 2], 1),
        lambda: [dml.tile(x, (2, 1, 3))],
        lambda: [dml.gather(x, picks, 1)],
        lambda: [dml.reverse_subsequences(x, lengths, 1)],
    ]


def test_rules_are_held_once_for_types_and_sizes_and_level(monkeypatch: pytest.MonkeyPatch) -> None:
    levels: list[str] = []

    def counted(operator: Any, desc: Any, level: Any) -> Any:
        levels.append(level)
        return evaluate(operator, desc, level)

    monkeypatch.setattr(engine, "evaluate", counted)
    api._plan.cache_clear()
    values = enumerate((X, np.asfortranarray(X + 1), X + 2))
    given = [(x, np.array([k, -1]), np.full((2, 1, 4), k, np.uint32)) for k, x in values]
    made = [[call() for call in calls(*arrays)] for arrays in given]
    assert levels == ["6_4"] * 5
    for arrays, kept in zip(given, made, strict=True):
        for call, outputs in zip(calls(*arrays), kept, strict=True):
            api._plan.cache_clear()
            assert all(same(a, b) for a, b in zip(call(), outputs, strict=True))
    levels.clear()
    desc = dml.Tile(f32(2, 3, 4), (1, 1, 2))
    for level in ("5_0", "6_4", "5_0", "6_4"):
        dml.run(desc, [X], feature_level=level)
    assert levels == ["5_0", "6_4"]


def test_at_most_256_calls_are_kept_and_no_array() -> None:
    api._plan.cache_clear()
    told = np.ones(2)
    arrays = [
        X.copy(),
        np.array([2, 0]),
        np.ones((2, 1, 4), np.uint64),
        np.ones(1, np.dtype("f4", metadata={"told": told})),
    ]
    made = [each for call in calls(*arrays[:3]) for each in call()] + [dml.tile(arrays[3], 2)]
    gone = [weakref.ref(each) for each in (*arrays, *made, told)]
    assert api._plan.cache_info().currsize == 6
    del arrays, made, told
    gc.collect()
    assert not any(each() is not None for each in gone)
    for n in range(300):
        assert dml.tile(np.zeros(n + 1, np.int8), 2).size == 2 * n + 2
    assert api._plan.cache_info().currsize == 256


def test_the_names_that_stay() -> None:
    assert set(dml.__all__) >= {
        *("TensorDesc", "DataType", "FeatureLevel", "Report", "Check", "Session", "Experiment", "DmlvizError"),
        *("Join", "Split", "Tile", "ReverseSubsequences", "Gather", "check", "run", "bind", "trace", "load", "save"),
        *("join", "split", "tile", "gather", "reverse_subsequences", "examples", "__version__"),
    }
    assert all(hasattr(dml, name) for name in dml.__all__)


def test_importing_loads_neither_screens_nor_numba() -> None:
    code = "import dmlviz.api, sys; print([m for m in ('textual', 'rich', 'numba', 'llvmlite') if m in sys.modules])"
    made = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert made.stdout.strip() == "[]"


def test_a_report_is_true_where_the_desc_is_valid_and_prints_in_a_line() -> None:
    good = dml.check(PICK)
    bad = dml.check(PICK.replace({"Axis": 7}))
    assert good
    assert not bad
    assert repr(good) == f"<Report at 6_4: {len(good.checks)} checks ok; lowest level 3_0>"
    assert "1 of" in repr(bad)
    assert "axis.range" in repr(bad)
    assert repr(bad.errors[0]) == f"<Check axis.range error: {bad.errors[0].message}>"


def test_what_is_refused_tells_every_rule() -> None:
    with pytest.raises(dml.InvalidDescError) as caught:
        dml.run(PICK.replace({"Axis": 7}), [])
    assert [check.id for check in caught.value.report.errors] == ["axis.range"]
    assert caught.value.report.errors[0].fixes
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert again.report == caught.value.report


def test_lists_are_taken_for_indices_and_lengths_whose_values_fit() -> None:
    (found,) = dml.run(PICK, [ROWS, [[0, 1, 1, 2]]])
    assert found.tolist() == ROWS[[0, 1, 1, 2]].tolist()
    assert dml.trace(PICK, [ROWS, [[2, 0, 0, 0]]]).source(0, (0, 1)).index == (2, 1)
    assert dml.check(PICK, [None, [[0, 1, 1, 9]]]).failures
    assert dml.reverse_subsequences(ROWS, [[1], [2], [2**40]], 1).tolist() == [[0, 1], [3, 2], [5, 4]]


def test_a_desc_an_experiment_and_a_chain_are_one_subject_and_nothing_else_is() -> None:
    desc = dml.Gather(f32(3, 2), u32(1, 4), 0, 1)
    one = dml.Experiment("a", desc)
    subjects = (desc, one, dml.Chain(one))
    assert all(dml.same(left, right) for left in subjects for right in subjects)
    assert [dml.questions(each, "sizes")[0].kind.name for each in (desc, one)] == ["sizes"] * 2
    wrong: tuple[Any, ...] = (5, None, "gather-2", dml.Session((one,)))
    for each in wrong:
        with pytest.raises(dml.DmlvizError, match=r"^experiment is .*, expected an Experiment or a desc\.$"):
            dml.questions(each)
        with pytest.raises(dml.DmlvizError, match=r"^right is .*, expected a Chain, an Experiment or a desc\.$"):
            dml.same(desc, each)
