"""A desc's time beside others: NumPy's way, a copy, and the textbook loop."""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from support.effort import tried
from support.one_session import experiment_of
from support.strategies import Case, cases
from support.toy import Toy

import dmlviz as dml
from dmlviz.errors import DmlvizError, ResourceError
from dmlviz.kernels.lib import loading
from dmlviz.kernels.lib.kernel import KernelState
from dmlviz.running import memory
from dmlviz.session.experiments import Experiment
from dmlviz.timing import comparison
from dmlviz.timing.comparison import against_textbook, compare
from dmlviz.timing.numpy_calls import NumpyCall, numpy_call

EXAMPLES = {
    "gather-2": "take",
    "join-1": "concatenate",
    "split-1": "split",
    "reverse-1": "slices",
    "tile-1": "tile",
}
"""The call of NumPy that each one is timed beside."""
F32 = dml.TensorDesc("FLOAT32", (4, 8))


# ---- NumPy's way


@tried(150)
@given(cases("numpy"))
def test_numpys_way_makes_the_same_bytes(case: Case) -> None:
    trace = dml.trace(case.desc, case.arrays)
    want = [trace.reference(k).tobytes() for k in range(len(case.desc.outputs))]
    outs = [np.zeros(part.tensor.sizes, part.tensor.data_type.dtype) for part in case.desc.outputs]
    named = numpy_call(case.desc, case.arrays, outs)
    assert named is not None
    for _ in range(2):
        assert [np.ascontiguousarray(array).tobytes() for array in named.call()] == want, named.name


def test_many_sequences_are_turned_by_one_index() -> None:
    desc = dml.ReverseSubsequences(dml.TensorDesc("INT32", (40, 9, 8)), dml.TensorDesc("UINT32", (40, 1, 8)), 1)
    data = np.arange(40 * 9 * 8, dtype=np.int32).reshape(40, 9, 8)
    lengths = np.random.default_rng(3).integers(0, 12, (40, 1, 8)).astype(np.uint32)
    named = numpy_call(desc, [data, lengths], [np.zeros_like(data)])
    assert named is not None
    assert named.name == "take_along_axis"
    assert named.call()[0].tobytes() == dml.run(desc, [data, lengths])[0].tobytes()


# ---- comparing


def test_a_sixth_operator_has_no_peer(toy: Toy) -> None:
    desc = toy.desc(dml.TensorDesc("FLOAT32", (2, 3)), 1)
    found = compare(desc, Experiment("n", desc).sources(), budget=0.002)
    assert found.peer is None
    assert found.copy is not None


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_desc_is_held_against_a_copy_and_numpy(name: str) -> None:
    each = experiment_of(name)
    stages: list[str] = []
    seen: list[Any] = []
    found = compare(
        each.desc,
        each.sources(),
        each.feature_level,
        budget=0.01,
        tell=lambda stage, share: stages.append(stage),
        verify=lambda outputs: seen.extend(array.copy() for array in outputs),
    )
    assert list(dict.fromkeys(stages)) == ["compiling", "allocating", "running", "timing"]
    assert [array.tolist() for array in seen] == [
        each.trace().reference(k).tolist() for k in range(len(each.desc.outputs))
    ]
    assert found.peer_name == EXAMPLES[name]
    assert found.peer is not None
    assert found.copy is not None
    assert found.ours.warm.n == found.copy.n == found.peer.n
    assert found.elements == sum(array.size for array in seen)
    assert found.ours.bytes_written == sum(array.nbytes for array in seen)
    assert found.ours.opening >= found.ours.kernel_seconds
    assert pickle.loads(pickle.dumps(found)) == found  # as the worker sends it
    assert json.loads(json.dumps(found.to_json()))["ours"]["gb_per_second"] > 0


def test_the_first_call_counts_getting_the_kernel_ready_once(monkeypatch: pytest.MonkeyPatch) -> None:
    each = experiment_of("join-1")
    monkeypatch.setattr(loading, "_loaded", {})
    # The module stays imported, so this is quick; that it was got ready now is told all the same.
    first = compare(each.desc, each.sources(), budget=0.001)
    second = compare(each.desc, each.sources(), budget=0.001)
    assert first.ours.kernel is not KernelState.READY
    assert first.ours.opening > first.ours.kernel_seconds > 0
    assert second.ours.kernel is KernelState.READY
    assert second.ours.kernel_seconds == 0


def test_numpy_is_timed_only_where_it_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    each = experiment_of()
    wrong = [np.zeros((4, 2), np.float32)]
    monkeypatch.setattr(comparison, "numpy_call", lambda *_: NumpyCall("wrong", lambda: wrong))
    assert compare(each.desc, each.sources(), budget=0.001).peer is None


def test_without_room_there_is_no_copy_and_without_more_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    each = experiment_of("join-1")  # 56 bytes in, 56 out
    monkeypatch.setattr(memory, "available_memory", lambda: 120)
    found = compare(each.desc, each.sources(), budget=0.001)
    assert found.copy is None
    assert found.peer is None
    monkeypatch.setattr(memory, "available_memory", lambda: 50)
    with pytest.raises(ResourceError, match="needs 56 bytes of memory"):
        compare(each.desc, each.sources())


def test_what_verify_refuses_is_not_timed() -> None:
    each = experiment_of()

    def refuse(outputs: Sequence[Any]) -> None:
        raise DmlvizError("no.")

    with pytest.raises(DmlvizError, match=r"^no\.$"):
        compare(each.desc, each.sources(), verify=refuse)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_textbook_loop_is_timed_beside_the_kernel(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "TEXTBOOK_BUDGET", 0.002)
    each = experiment_of(name)
    found = against_textbook(each.desc, each.sources(), each.feature_level)
    assert found is not None
    assert found.ratio == found.loop / found.ours > 0
    monkeypatch.setattr(comparison, "LARGEST", 1)
    assert against_textbook(each.desc, each.sources(), each.feature_level) is None


def test_a_loop_that_is_wrong_or_not_there_is_not_timed(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    desc = toy.desc(F32, 1)
    assert against_textbook(desc, Experiment("flip", desc).sources()) is None
    each = experiment_of()
    monkeypatch.setattr(comparison, "_same", lambda found, want: False)
    assert against_textbook(each.desc, each.sources()) is None
