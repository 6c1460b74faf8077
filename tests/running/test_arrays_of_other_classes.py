"""Arrays whose class says what isn't so: a kernel sees memory as it is, or nothing."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import dmlviz as dml
from dmlviz.errors import ResourceError, ValuesError
from dmlviz.kernels.lib import thread_pool
from dmlviz.running import engine, memory


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
    small = dml.Tile(dml.TensorDesc("FLOAT32", (2, 3)), (1, 2))
    out = np.zeros((2, 6), np.float32).view(Liar)
    (made,) = dml.run(small, [liar], out=[out])
    assert type(made) is np.ndarray
    assert np.array_equal(np.asarray(out), np.ones((2, 6), np.float32))


def test_a_mask_is_never_lost() -> None:
    desc = dml.Tile(dml.TensorDesc("FLOAT32", (3,)), (1,))
    row = np.ma.masked_array(np.ones(3, np.float32), [False, True, True])
    picks = np.ma.masked_array([1, 0], [False, True])
    picked = dml.Gather.of_ranks(dml.TensorDesc("FLOAT32", (2, 3)), dml.TensorDesc("INT64", (2,)), 0)
    refused: list[tuple[Any, Any, str]] = [
        *((call, (desc, [row]), "InputTensor has 2") for call in (dml.run, dml.bind, dml.check, dml.trace)),
        (dml.tile, ([row, row], 2), "x has 4"),
        (dml.gather, ([row], [picks], 0), "x has 2"),
        (dml.gather, ([[1.0, 2.0]], picks, 0), "indices has 1"),
        (dml.run, (picked, [np.ones((2, 3), np.float32), [picks]]), "IndicesTensor has 1"),
    ]
    for call, given, said in refused:
        with pytest.raises(ValuesError, match=rf"^{said} masked elements?, expected .* such as its filled\(0\)\.$"):
            call(*given)
    assert dml.run(desc, [np.ma.masked_array(np.ones(3, np.float32))])[0].tolist() == [1, 1, 1]  # nothing is masked


def test_what_was_made_read_only_since_it_was_bound_is_not_written() -> None:
    desc = dml.Tile(dml.TensorDesc("FLOAT32", (3,)), (1,))
    data, given = np.ones(3, np.float32), np.zeros(3, np.float32)
    for bound in (dml.bind(desc, [data], out=[given]), dml.bind(desc, [data])):
        bound()
        bound.outputs[0].flags.writeable = False
        data[:] += 1
        with pytest.raises(ValuesError, match=r"^OutputTensor is read-only, expected an array that can be written\.$"):
            bound()
        assert bound.outputs[0][0] == data[0] - 1


def test_where_no_thread_can_start_a_large_call_runs_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(**_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(thread_pool, "_pool", thread_pool._Pool())
    monkeypatch.setattr(thread_pool, "threading", SimpleNamespace(Lock=threading.Lock, Thread=fails))
    monkeypatch.setenv("DMLVIZ_THREADS", "4")
    data = np.arange(1 << 20, dtype=np.float32).reshape(1024, 1024)
    (made,) = dml.run(dml.Tile(dml.TensorDesc("FLOAT32", data.shape), (2, 2)), [data])
    assert np.array_equal(made, np.tile(data, (2, 2)))


def test_a_list_of_indices_holds_what_their_type_does() -> None:
    desc = dml.Gather(dml.TensorDesc("INT8", (3,)), dml.TensorDesc("UINT32", (2,)), 0, 1)
    assert dml.run(desc, [np.array([5, 6, 7], np.int8), [0, 2**32 - 1]])[0].tolist() == [5, 7]
    for outside in (-1, 2**32):
        with pytest.raises(ValuesError, match=rf"^IndicesTensor holds {outside}, expected UINT32 values, 0 to"):
            dml.run(desc, [np.zeros(3, np.int8), [0, outside]])


def test_memory_is_asked_for_before_a_large_output_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 4)
    one = np.zeros(1, np.int8)
    large, small = (dml.Tile(dml.TensorDesc("INT8", (1,)), (count,)) for count in (engine.SMALL, 8))
    assert dml.run(small, [one])[0].size == 8
    with pytest.raises(ResourceError, match=r"TILE needs 64\.0 MiB of memory"):
        dml.run(large, [one])
