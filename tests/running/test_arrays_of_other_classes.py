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


@pytest.mark.parametrize("told", ["9" * 5000, "0", "-1", "two", "00002", ""])
def test_dmlviz_threads_says_how_many_threads(told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`DMLVIZ_THREADS` says how many threads a large call of a kernel may use."""
    monkeypatch.setenv("DMLVIZ_THREADS", told)
    assert 1 <= thread_pool.threads() <= thread_pool.MOST_TOLD
    assert thread_pool.threads() == 2 or told != "00002"


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
