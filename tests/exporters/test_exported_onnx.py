"""Exported ONNX models compute what the kernels do, bit for bit, whatever the session's texts are."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from support.effort import tried
from support.scripts import sessions

import dmlviz as dml
from dmlviz.errors import DmlvizError
from dmlviz.exporters.lib.chained import groups
from dmlviz.exporters.lib.exporting import export
from dmlviz.running.engine import inputs_of
from dmlviz.session.experiments import Experiment, Session

onnx = pytest.importorskip("onnx", reason="the package onnx isn't installed")
from support import onnx_models as models  # noqa: E402


def holds(session: Session) -> None:
    made, ends = export(session, "onnx"), [each for group in groups(session) for _, each in group.ends]
    want = [out for each in ends for out in dml.run(each.desc, inputs_of(each.desc, each.sources()))]
    assert models.same(models.evaluated(made), want)


@given(st.data())
@tried(200, suppress_health_check=list(HealthCheck))
def test_random_sessions(data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        holds(data.draw(sessions(Path(folder), "onnx")))


def named(desc: Any, **values: Any) -> Experiment:
    return Experiment("x", desc, values=values)


def gather(indices: str, values: Sequence[int], sizes: Sequence[int] = (3, 2)) -> Experiment:
    cells = dml.TensorDesc(indices, (1,) * (len(sizes) - 1) + (len(values),))
    return named(dml.Gather(dml.TensorDesc("FLOAT32", sizes), cells, 0, 1), IndicesTensor=values)


def reverse(sizes: Sequence[int], axis: int, lengths: Sequence[int], kind: str = "UINT32") -> Experiment:
    cells = [*sizes[:axis], 1, *sizes[axis + 1 :]]
    desc = dml.ReverseSubsequences(dml.TensorDesc("FLOAT32", sizes), dml.TensorDesc(kind, cells), axis)
    return named(desc, SequenceLengthsTensor=lengths)


ACROSS = ["Transpose", "Reshape", "Reshape", "Cast", "ReverseSequence", "Reshape", "Transpose"]
SHAPES: list[tuple[Experiment, list[str]]] = [
    (gather("INT64", [0, -4]), ["Clip", "Gather"]),
    (gather("UINT32", [2]), ["Cast", "Gather"]),
    (named(dml.Tile(dml.TensorDesc("UINT8", (5000,)), (2,))), ["Tile"]),  # its input lies in a file beside the model
    (gather("UINT64", [2**64 - 1]), ["Clip", "Cast", "Gather"]),
    (reverse((3, 4), 1, [4, 0, 2]), ["Cast", "ReverseSequence"]),
    (reverse((3, 4), 1, [5, 0, 2**64 - 1], "UINT64"), ["Clip", "Cast", "ReverseSequence"]),
    (reverse((2, 3, 2), 1, [3, 3, 2, 2]), ["Cast", "ReverseSequence"]),
    (reverse((3, 2, 2), 0, [3, 3, 2, 2]), ["Cast", "ReverseSequence"]),
    (reverse((2, 3, 2), 1, [3, 1, 2, 2]), ACROSS),
    (reverse((2, 3, 2), 2, [1, 2, 0, 0, 2, 2]), ["Reshape", "Reshape", "Cast", "ReverseSequence", "Reshape"]),
]


@pytest.mark.parametrize(("each", "kinds"), SHAPES)
def test_nodes(each: Experiment, kinds: list[str]) -> None:
    session = Session((each,))
    assert [node.op_type for node in models.parsed(export(session, "onnx")).graph.node] == kinds
    holds(session)


def test_without_onnx_a_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(DmlvizError, match=r"pip install '\.\[onnx\]'"):
        export(Session((gather("INT64", [1]),)), "onnx")
