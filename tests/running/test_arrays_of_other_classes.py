"""Arrays whose class says what isn't so: a kernel sees memory as it is, or nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dmlviz as dml
from dmlviz.errors import ValuesError
from dmlviz.kernels.lib import thread_pool


class Liar(np.ndarray[Any, Any]):
    """It says that it is larger than it is."""

    def __getattribute__(self, name: str) -> Any:
        told = {"shape": (1000, 3), "size": 3000, "nbytes": 12000}
        return told[name] if name in told else super().__getattribute__(name)


def test_an_array_that_lies_about_its_shape_is_refused_or_read_as_it_is() -> None:
    liar = np.ones((2, 3), np.float32).view(Liar)
    large = dml.Tile(dml.TensorDesc("FLOAT32", (1000, 3)), (1, 1))
    with pytest.raises(ValuesError, match=r"InputTensor has shape \{2, 3\}, expected \{1000, 3\}"):
        dml.run(large, [liar])
    with pytest.raises(ValuesError, match=r"OutputTensor has shape \{2, 3\}, expected \{1000, 3\}"):
        dml.run(large, [np.ones((1000, 3), np.float32)], out=[liar])
    small = dml.Tile(dml.TensorDesc("FLOAT32", (2, 3)), (1, 2))
    (made,) = dml.run(small, [liar])
    assert np.array_equal(made, np.ones((2, 6), np.float32))
    out = np.zeros((2, 6), np.float32).view(Liar)
    (made,) = dml.run(small, [liar], out=[out])
    assert type(made) is np.ndarray
    assert np.shares_memory(made, np.asarray(out))


def test_a_mask_is_never_lost() -> None:
    desc = dml.Tile(dml.TensorDesc("FLOAT32", (3,)), (1,))
    masked = np.ma.masked_array(np.ones(3, np.float32), [False, True, True])
    said = r"^{}Tensor has 2 masked elements, expected an array without any, such as its filled\(0\)\.$"
    for call in (dml.run, dml.bind, dml.check, dml.trace):
        with pytest.raises(ValuesError, match=said.format("Input")):
            call(desc, [masked])
    with pytest.raises(ValuesError, match=said.format("Output")):
        dml.run(desc, [np.ones(3, np.float32)], out=[masked])
    assert dml.run(desc, [np.ma.masked_array(np.ones(3, np.float32))])[0].tolist() == [1, 1, 1]  # nothing is masked


def test_a_mask_in_a_list_is_never_lost() -> None:
    x = np.ones((2, 3), np.float32)
    row = np.ma.masked_array(np.ones(3, np.float32), [False, True, False])
    picks = np.ma.masked_array([1, 0], [False, True])
    desc = dml.Gather.of_ranks(dml.TensorDesc("FLOAT32", (2, 3)), dml.TensorDesc("INT64", (2,)), 0)
    itself: list[Any] = [row]
    itself += [itself, itself]
    for call, said in (
        (lambda: dml.tile([row, row], 2), "x has 2"),
        (lambda: dml.tile(itself, 2), "x has 1"),
        (lambda: dml.gather(x, [picks], 0), "indices has 1"),
        (lambda: dml.run(desc, [x, [picks]]), "IndicesTensor has 1"),
        (lambda: dml.reverse_subsequences(x, [[np.ma.masked]] * 2, 1), "lengths has 2"),
    ):
        with pytest.raises(ValuesError, match=rf"^{said} masked elements?, expected an array without any"):
            call()
    with pytest.raises(dml.DmlvizError, match=r"^x has dtype .*, expected one of "):
        dml.tile(np.ma.zeros(2, "f4,f4"), 2)


def test_what_was_made_read_only_since_it_was_bound_is_not_written() -> None:
    desc = dml.Split(
        dml.TensorDesc("FLOAT32", (3,)), (dml.TensorDesc("FLOAT32", (1,)), dml.TensorDesc("FLOAT32", (2,))), 0
    )
    data = np.ones(3, np.float32)
    for wrapped in (np.asarray, lambda array: array.view(Liar)):
        given = [wrapped(np.zeros(size, np.float32)) for size in (1, 2)]
        for bound, outputs in (
            (dml.bind(desc, [data], out=given), given),
            ((own := dml.bind(desc, [data])), own.outputs),
        ):
            bound()
            outputs[1].flags.writeable = False
            data[:] += 1
            with pytest.raises(
                ValuesError, match=r"^OutputTensors\[1\] is read-only, expected an array that can be written\.$"
            ):
                bound()
            assert outputs[0][0] == outputs[1][1] == data[0] - 1


def test_where_no_thread_can_start_a_large_call_runs_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(thread_pool, "_pool", thread_pool._ThreadPool())
    monkeypatch.setattr(thread_pool, "_Helper", fails)
    monkeypatch.setenv("DMLVIZ_THREADS", "4")
    data = np.arange(1 << 20, dtype=np.float32).reshape(1024, 1024)
    (made,) = dml.run(dml.Tile(dml.TensorDesc("FLOAT32", data.shape), (2, 2)), [data])
    assert np.array_equal(made, np.tile(data, (2, 2)))


def test_without_numbas_compiler_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from dmlviz.kernels.lib import loading

    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setattr(loading, "_loaded", {})
    with pytest.raises(dml.DmlvizError, match="NUMBA_DISABLE_JIT is set, expected Numba's compiler"):
        loading.load("TILE")
