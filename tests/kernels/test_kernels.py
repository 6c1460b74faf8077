"""The kernels move exactly the right bits to exactly the right places."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray
from support.effort import tried
from support.strategies import Case, cases, outputs

import dmlviz as dml
from dmlviz import kernels
from dmlviz.desc.values import Filled, Iota
from dmlviz.errors import DmlvizError, InvalidDescError, ResourceError, ValuesError
from dmlviz.kernels.lib import loading
from dmlviz.kernels.lib.kernel import Kernel
from dmlviz.running import engine, memory

GUARD = 64
FILLER = 0xA5


def as_bytes(arrays: list[NDArray[Any]]) -> list[bytes]:
    return [array.tobytes() for array in arrays]


def displaced(array: NDArray[Any], by: int = 1) -> NDArray[Any]:
    """A copy at an address that is `by` bytes off any alignment, with guard bands around it."""
    held = np.full(array.nbytes + 2 * GUARD + by, FILLER, np.uint8)
    inside = held[GUARD + by : GUARD + by + array.nbytes]
    inside[:] = np.frombuffer(array.tobytes(), np.uint8)
    return inside.view(array.dtype).reshape(array.shape)


def guards_intact(array: NDArray[Any]) -> bool:
    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    start = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    around = np.concatenate([base[:start], base[start + array.nbytes :]])
    return len(around) >= 2 * GUARD and bool((around == FILLER).all())


def blank(desc: Any) -> list[NDArray[Any]]:
    """Arrays for the outputs of a desc."""
    return [np.zeros(part.tensor.sizes, part.tensor.data_type.dtype) for part in desc.outputs]


@given(cases())
@tried(150)
def test_unaligned_arrays_and_nothing_around_them_is_touched(case: Case) -> None:
    arrays = [displaced(array, 1 + k % 3) for k, array in enumerate(case.arrays)]
    out = [displaced(array, 3) for array in blank(case.desc)]
    made = dml.run(case.desc, arrays, out=out)
    assert all(a is b for a, b in zip(made, out, strict=True))
    assert as_bytes(out) == outputs(case.desc, case.arrays)
    assert all(guards_intact(array) for array in (*arrays, *out))
    assert as_bytes(arrays) == as_bytes(case.arrays)


@given(cases())
@tried(250)
def test_read_only_and_strided_inputs(case: Case) -> None:
    want = outputs(case.desc, case.arrays)
    strided = [np.stack([array, array], -1)[..., 0] for array in case.arrays]
    assert as_bytes(dml.run(case.desc, strided)) == want
    fortran = [np.asfortranarray(array) for array in case.arrays]
    assert as_bytes(dml.run(case.desc, fortran)) == want
    for array in case.arrays:
        array.flags.writeable = False
    assert as_bytes(dml.run(case.desc, case.arrays)) == want


# ---- arrays that don't fit --------------------------------------------------------------------------------------

F32, F64 = dml.TensorDesc("FLOAT32", (2, 3)), dml.TensorDesc("FLOAT32", (4, 3))
PAIR = dml.Join((F32, F32), 0)
X = np.zeros((2, 3), np.float32)


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ([X], "1 array is given, expected 2: InputTensors[0], InputTensors[1]."),
        (X, "arrays is of type ndarray, expected a list of arrays for InputTensors[0], InputTensors[1]."),
        ([X, X.astype("f8")], "InputTensors[1] has dtype float64, expected float32 for FLOAT32 {2, 3}."),
        ([X, X.T], "InputTensors[1] has shape {3, 2}, expected {2, 3}."),
        ([X.ravel(), X], "InputTensors[0] has shape {6}, expected {2, 3}."),
        ([X, np.float32(1)], "InputTensors[1] is "),
        (
            [X, X.tolist()],
            "InputTensors[1] is [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], expected a NumPy array of FLOAT32 {2, 3}.",
        ),
        ([X, X.astype(">f4")], "InputTensors[1] is big-endian (>f4), expected <f4 for FLOAT32 {2, 3}."),
    ],
)
def test_inputs_that_do_not_fit(arrays: Any, said: str) -> None:
    with pytest.raises(ValuesError) as caught:
        dml.run(PAIR, arrays)
    assert str(caught.value).startswith(said)
    assert str(caught.value).endswith(".")


def test_outputs_that_do_not_fit() -> None:
    x, y, room = X.copy(), np.zeros(6, np.float32), np.zeros((6, 3), np.float32)
    frozen, row = np.zeros((4, 3), np.float32), dml.TensorDesc("FLOAT32", (1, 3))
    frozen.flags.writeable = False
    halves, rows = dml.Split(F64, (F32, F32), 0), dml.Split(F32, (row, row), 0)
    for desc, inputs, out, said in (
        (PAIR, [X, X], [np.zeros((3, 4), np.float32)], "OutputTensor has shape {3, 4}, expected {4, 3}."),
        (PAIR, [X, X], [np.zeros((4, 3))], "OutputTensor has dtype float64"),
        (PAIR, [X, X], [np.zeros((3, 4), np.float32).T], "OutputTensor is not C-contiguous"),
        (PAIR, [X, X], [frozen], "OutputTensor is read-only"),
        (PAIR, [X, X], [], "0 arrays are given, expected 1: OutputTensor."),
        (PAIR, [X, room[3:5]], [room[:4]], "OutputTensor overlaps InputTensors[1] in memory"),
        (PAIR, [room[4:], room[::3]], [room[:4]], "OutputTensor overlaps InputTensors[1] in memory"),
        (halves, [np.zeros((4, 3), np.float32)], [room[:2], room[1:3]], "OutputTensors[1] overlaps OutputTensors[0]"),
        (rows, [X], [x[:1], x[:1]], "OutputTensors[1] overlaps OutputTensors[0] in memory, expected an array of its"),
        (rows, [x], [x[:1], x[1:]], "OutputTensors[0] overlaps InputTensor in memory, expected an array of its own."),
        (rows, [y.reshape(2, 3)], [X[:1].copy(), y[:3].reshape(1, 3)], "OutputTensors[1] overlaps InputTensor"),
        (rows, [np.frombuffer(y, np.float32).reshape(2, 3)], [X[:1].copy(), y[3:].reshape(1, 3)], "OutputTensors[1] o"),
    ):
        with pytest.raises(ValuesError, match=f"^{re.escape(said)}"):
            dml.run(desc, inputs, out=out)
    dml.run(PAIR, [room[4:], room[4:]], out=[room[:4]])  # neighbours that don't overlap


def test_an_invalid_desc_is_not_run() -> None:
    with pytest.raises(InvalidDescError, match=r"^Axis is 7, expected 0 to 1 because DimensionCount is 2\.$"):
        dml.run(dml.Split(F64, (F32, F32), 7), [X])
    with pytest.raises(InvalidDescError, match=r" \(and 2 more\)\.$"):
        dml.bind(dml.Join((F32, dml.TensorDesc("FLOAT16", (2, 4))), 0, output_tensor=F32), [X, X])
    doubles = dml.Join([dml.TensorDesc("FLOAT64", (1, 1, 2, 2))] * 64, 3)
    with pytest.raises(InvalidDescError, match=r"^DataType is FLOAT64 in 65 tensors, [^(]* and OutputTensor\.$"):
        dml.run(doubles, [np.zeros((1, 1, 2, 2))] * 64, feature_level="4_0")
    with pytest.raises(InvalidDescError, match="at feature level 1_0"):
        dml.run(PAIR, [X, X], feature_level="1_0")


# ---- binding, memory, timing ------------------------------------------------------------------------------------


def test_a_bound_call_sees_new_inputs_and_returns_the_same_arrays() -> None:
    x = X.copy()
    call = dml.bind(PAIR, [x, X])
    first = call()
    x += 1
    assert call() is first is call.outputs
    assert first[0][:2].tolist() == x.tolist()


def test_what_does_not_fit_in_memory_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "SMALL", 1 << 20)
    monkeypatch.setattr(memory, "available_memory", lambda: 1000)
    desc = dml.Tile(dml.TensorDesc("INT8", (2, 3)), (2**10, 2**10))
    x = np.zeros((2, 3), np.int8)
    with pytest.raises(ResourceError, match=r"needs 6\.0 MiB of memory, but only 1000 bytes is available\.$"):
        dml.run(desc, [x])
    assert engine.memory_needed(desc) == 6 * 2**20
    dml.run(desc, [x], out=[np.zeros((2**11, 3 * 2**10), np.int8)])
    wide = dml.Split(dml.TensorDesc("INT64", (100,)), (dml.TensorDesc("INT64", (100,)),), 0)
    with pytest.raises(ResourceError, match=r"needs 1\.6 KiB"):
        engine.inputs_of(wide, [Filled(wide.input_tensor, Iota())])


# ---- getting kernels ready --------------------------------------------------------------------------------------

TOY = """
from dmlviz.kernels.lib.blocks import copy
from dmlviz.kernels.lib.compiled import compiled
from dmlviz.kernels.lib.primitives import address, number

@compiled
def run(arrays, numbers, turn):
    copy(address(arrays, 0), 0, address(arrays, 1), 0, number(numbers, 0))
"""


def test_a_folder_brings_further_kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "toy_echo.py").write_text(TOY)
    monkeypatch.setattr(kernels, "__path__", [*kernels.__path__, str(tmp_path)])
    found: list[Kernel] = []
    threads = [threading.Thread(target=lambda: found.append(loading.load("TOY_ECHO"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert all(each is found[0] for each in found)
    out, data = np.zeros(5, np.uint8), np.arange(5, dtype=np.uint8)
    found[0].run((out, data), np.array([5]), 0)
    assert out.tolist() == data.tolist()


def test_an_operator_without_a_kernel() -> None:
    with pytest.raises(DmlvizError, match=r"^NOTHING has no kernel"):
        loading.load("NOTHING")
