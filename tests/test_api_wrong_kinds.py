"""The wrong kind of thing, given to the Python API, is refused in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.bad_experiments import one_line

import dmlviz as dml

T = dml.TensorDesc("FLOAT32", (2, 3))
INDICES = dml.TensorDesc("UINT32", (1, 3))
X = np.zeros((2, 3), np.float32)
any_dml: Any = dml

PYTHON: list[tuple[Callable[[], Any], str]] = [
    (lambda: any_dml.TensorDesc("FLOAT31", (1,)), 'DataType is "FLOAT31", expected one of FLOAT32,'),
    (lambda: any_dml.TensorDesc(np.complex64, (1,)), "DataType is"),
    (lambda: any_dml.TensorDesc(5, (1,)), "DataType is 5, expected one of FLOAT32,"),
    (lambda: any_dml.TensorDesc("FLOAT32", 5), "Sizes is 5, expected a list of integers."),
    (lambda: any_dml.TensorDesc("FLOAT32", None), "Sizes is null, expected a list of integers."),
    (lambda: any_dml.TensorDesc("FLOAT32", "12"), 'Sizes is "12", expected a list of integers.'),
    (lambda: any_dml.TensorDesc("FLOAT32", [1, 2.0]), "Sizes[1] is 2.0, expected an integer."),
    (lambda: any_dml.TensorDesc("FLOAT32", [True]), "Sizes[0] is true, expected an integer."),
    (lambda: any_dml.TensorDesc("FLOAT32", [np.True_]), "Sizes[0] is "),
    (lambda: any_dml.TensorDesc("FLOAT32", [None]), "Sizes[0] is null, expected an integer."),
    (lambda: any_dml.Join(5, 0), "InputTensors is 5, expected a list of tensor descs."),
    (lambda: any_dml.Join(T, 0), "InputTensors is "),
    (lambda: any_dml.Join("ab", 0), 'InputTensors is "ab", expected a list of tensor descs.'),
    (lambda: any_dml.Join([T, 5], 0), "InputTensors[1] is 5, expected a TensorDesc."),
    (lambda: any_dml.Join([T], "0"), 'Axis is "0", expected an integer.'),
    (lambda: any_dml.Join([T], None), "Axis is null, expected an integer."),
    (lambda: any_dml.Join([T], 0, 5), "OutputTensor is 5, expected a TensorDesc."),
    (lambda: any_dml.Join([T], 0, input_count=1.0), "InputCount is 1.0, expected an integer."),
    (lambda: any_dml.Split(T, None, 0), "OutputTensors is null, expected a list of tensor descs."),
    (lambda: any_dml.Split(None, [T], 0), "InputTensor is null, expected a TensorDesc."),
    (lambda: any_dml.Tile(T, 5), "Repeats is 5, expected a list of integers."),
    (lambda: any_dml.Tile(T, "22"), 'Repeats is "22", expected a list of integers.'),
    (lambda: any_dml.Tile(T, [2, 0.5]), "Repeats[1] is 0.5, expected an integer."),
    (lambda: any_dml.ReverseSubsequences(T, (2, 1), 0), "SequenceLengthsTensor is [2, 1], expected a TensorDesc."),
    (lambda: any_dml.Gather(X, INDICES, 0, 1), "InputTensor is "),
    (lambda: any_dml.Gather(T, INDICES, 0, 1.0), "IndexDimensions is 1.0, expected an integer."),
    (lambda: any_dml.Tile(T, [1, 1]).replace({"Axis": 1}), '"Axis" is no field of DML_OPERATOR_TILE, expected one of'),
    (lambda: any_dml.check("DML_OPERATOR_TILE"), 'desc is "DML_OPERATOR_TILE", expected a desc such as'),
    (lambda: any_dml.check(None), "desc is null, expected a desc such as dmlviz.Tile(...)."),
    (lambda: any_dml.run({}, [X]), "desc is {}, expected a desc such as dmlviz.Tile(...)."),
    (lambda: any_dml.bind([], [X]), "desc is [], expected a desc such as dmlviz.Tile(...)."),
    (lambda: any_dml.trace(5), "desc is 5, expected a desc such as dmlviz.Tile(...)."),
    (lambda: any_dml.check(any_dml.Tile(T, [1, 1]), feature_level="5.0"), 'feature level is "5.0", expected one of'),
    (lambda: any_dml.check(any_dml.Tile(T, [1, 1]), feature_level=5), "feature level is 5, expected one of 1_0,"),
    (lambda: any_dml.run(any_dml.Tile(T, [1, 1]), X), "arrays is of type ndarray, expected a list of arrays for"),
    (
        lambda: any_dml.run(any_dml.Tile(T, [1, 1]), [[1, 2]]),
        "InputTensor is [1, 2], expected a NumPy array of FLOAT32",
    ),
    (lambda: any_dml.run(any_dml.Tile(T, [0, 1]), [X]), "Repeats[0] is 0, expected more than 0."),
    (lambda: any_dml.join(5, 0), "arrays is 5, expected a list of arrays."),
    (lambda: any_dml.join(np.float32(5), 0), "arrays is "),
    (lambda: any_dml.join("ab", 0), 'arrays is "ab", expected a list of arrays.'),
    (lambda: any_dml.join(None, 0), "arrays is null, expected a list of arrays."),
    (lambda: any_dml.split(X, None, 0), "sizes is null, expected a list of the parts' sizes along axis 0"),
    (lambda: any_dml.split(X, np.array(2.5), 0), 'sizes is "array(2.5)", expected a list of the parts'),
    (
        lambda: any_dml.split(X, np.array("a"), 0),
        "sizes is \"array('a', dtype='<U1')\", expected a list of the parts' sizes along axis 0",
    ),
    (lambda: any_dml.tile(X, {"a": 1}), 'repeats[0] is "a", expected an integer.'),
    (lambda: any_dml.gather(X, "abc", 0), "indices has dtype <U3, expected one of FLOAT32,"),
    (lambda: any_dml.gather(X, [0], None), "axis is null, expected an integer."),
    (lambda: any_dml.load(None), "path is null, expected the name of a session file."),
    (lambda: any_dml.save(None, "x.json"), "session is null, expected a Session."),
]


@pytest.mark.parametrize(("wrong", "sentence"), PYTHON, ids=[sentence[:50] for _, sentence in PYTHON])
def test_the_wrong_kind_of_thing_in_python(wrong: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(dml.DmlvizError) as caught:
        wrong()
    assert str(caught.value).startswith(sentence)
    assert one_line(str(caught.value))
