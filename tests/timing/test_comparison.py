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
from support.outside import Toy
from support.strategies import Case, cases

import dmlviz as dml
from dmlviz.errors import DmlvizError, ResourceError
from dmlviz.kernels.lib import loading
from dmlviz.kernels.lib.kernel import KernelState
from dmlviz.running import memory
from dmlviz.session.experiments import Experiment
from dmlviz.timing import comparison
from dmlviz.timing.comparison import Comparison, comparisons
from dmlviz.timing.numpy_calls import NumpyCall, numpy_call

EXAMPLES = {
    "gather-2": "take",
    "join-1": "concatenate",
    "split-1": "split",
    "reverse-1": "slices",
    "tile-1": "tile",
}
"""The call of NumPy that each one is timed beside."""


def compared(each: Experiment, **how: Any) -> Comparison:
    """What is known of an experiment before its textbook loop is timed."""
    return next(comparisons(each.desc, each.sources(), each.feature_level, 0.001, **how))


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


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_desc_is_held_against_a_copy_numpy_and_the_loop(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "TEXTBOOK_BUDGET", 0.002)
    each, stages, seen = experiment_of(name), list[str](), list[Any]()
    held = each.desc, each.sources(), each.feature_level
    found, whole = comparisons(*held, 0.01, stages.append, lambda outputs: seen.extend(map(np.copy, outputs)))
    assert stages == ["compiling", "allocating", "running", "timing", "textbook"]
    outputs = [each.trace().reference(k).tolist() for k in range(len(each.desc.outputs))]
    assert [array.tolist() for array in seen] == outputs
    assert found.peer_name == EXAMPLES[name]
    assert found.peer is not None
    assert found.copy is not None
    assert found.ours.warm.n == found.copy.n == found.peer.n
    assert found.elements == sum(array.size for array in seen)
    assert found.ours.bytes_written == sum(array.nbytes for array in seen)
    assert found.ours.opening >= found.ours.kernel_seconds
    assert found.textbook is None
    assert whole.textbook is not None
    assert min(whole.textbook) > 0
    assert pickle.loads(pickle.dumps(whole)) == whole  # as the worker sends it
    assert json.loads(json.dumps(whole.to_json()))["ours"]["gb_per_second"] > 0
    monkeypatch.setattr(comparison, "LARGEST", 1)
    assert len([*comparisons(*held, 0.001)]) == 1


def test_the_first_call_counts_getting_the_kernel_ready_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "_loaded", {})
    # The module stays imported, so this is quick; that it was got ready now is told all the same.
    first, second = (compared(experiment_of("join-1")).ours for _ in range(2))
    assert first.kernel is not KernelState.READY
    assert first.opening > first.kernel_seconds > 0
    assert (second.kernel, second.kernel_seconds) == (KernelState.READY, 0)


def test_what_is_not_there_or_disagrees_is_not_timed(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    flip = Experiment("flip", toy.desc(dml.TensorDesc("FLOAT32", (2, 3)), 1))
    for found in comparisons(flip.desc, flip.sources(), budget=0.001):
        assert (found.peer_name, found.peer, found.textbook) == ("", None, None)
    wrong = NumpyCall("wrong", lambda: [np.zeros((4, 2), np.float32)])
    monkeypatch.setattr(comparison, "numpy_call", lambda *_: wrong)
    assert (compared(experiment_of()).peer, compared(experiment_of()).peer_name) == (None, "")
    monkeypatch.setattr(comparison, "_same", lambda found, want: False)
    each = experiment_of()
    assert [found.textbook for found in comparisons(each.desc, each.sources(), budget=0.001)] == [None, None]


def test_without_room_there_is_no_copy_and_without_more_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    each = experiment_of("join-1")  # 56 bytes in, 56 out
    monkeypatch.setattr(memory, "available_memory", lambda: 120)
    assert (compared(each).copy, compared(each).peer) == (None, None)
    for free, has_peer in ((615, False), (616, True)):  # three times what is written, and 32 bytes an element
        monkeypatch.setattr(memory, "available_memory", lambda free=free: free)
        assert (compared(each).copy is not None, compared(each).peer is not None) == (True, has_peer)
    monkeypatch.setattr(memory, "available_memory", lambda: 50)
    with pytest.raises(ResourceError, match="needs 56 bytes of memory"):
        compared(each)


def test_what_verify_refuses_is_not_timed() -> None:
    def refuse(outputs: Sequence[Any]) -> None:
        raise DmlvizError("no.")

    with pytest.raises(DmlvizError, match=r"^no\.$"):
        compared(experiment_of(), verify=refuse)
