"""Exported ONNX models compute what the kernels do, bit for bit, whatever the session's texts are."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from support.effort import tried
from support.idioms import has_idiom
from support.strategies import Case, cases

import dmlviz as dml
from dmlviz.desc.value_sources import Listed, Npy
from dmlviz.desc.values import Random
from dmlviz.errors import DmlvizError
from dmlviz.exporters.lib.chained import groups
from dmlviz.exporters.lib.exporting import export
from dmlviz.exporters.lib.writing import Export
from dmlviz.exporters.onnx_model import MOST_TEXT
from dmlviz.running.engine import inputs_of
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session

onnx = pytest.importorskip("onnx", reason="the package onnx isn't installed")
from support import onnx_models as models  # noqa: E402

runtime = pytest.mark.skipif(not models.HAS_RUNTIME, reason="the package onnxruntime isn't installed")
F32 = "FLOAT32"


def valid_examples() -> list[Any]:
    found = []
    for example in examples.all_examples():
        good = tuple(e for e in example.session().experiments if e.check().ok and has_idiom(e.desc, "onnx"))
        if good:
            found.append(pytest.param(Session(good), id=example.name))
    return found


def expected(session: Session) -> models.Arrays:
    """What the kernels make of a session's values, but for what others read."""
    ends = [each for group in groups(session) for _, each in group.ends]
    return [out for each in ends for out in dml.run(each.desc, inputs_of(each.desc, each.sources()))]


def session_of(given: Sequence[Case], folder: Path) -> Session:
    """Experiments whose arrays lie in files, so that every bit of a NaN arrives."""
    made = []
    for number, case in enumerate(given):
        values = {}
        for k, (part, array) in enumerate(zip(case.desc.inputs, case.arrays, strict=True)):
            np.save(folder / f"{number}-{k}.npy", array)
            values[part.path] = Npy(f"{number}-{k}.npy")
        made.append(Experiment(f"case {number}", case.desc, values=values, folder=folder))
    return Session(tuple(made))


def nodes(made: Export) -> list[str]:
    return [node.op_type for node in models.parsed(made).graph.node]


def holds(session: Session) -> None:
    """Held against both: where the runtime lacks a kernel for a type, the evaluator still judges the model."""
    made, want = export(session, "onnx"), expected(session)
    assert models.same(models.evaluated(made), want)
    if models.HAS_RUNTIME:
        found = models.run(made)
        assert found is None or models.same(models.quiet(found), models.quiet(want))


# ---- the same bits ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("session", valid_examples())
def test_examples(session: Session) -> None:
    holds(session)


@given(st.lists(cases("onnx"), min_size=1, max_size=3))
@tried(200, suppress_health_check=list(HealthCheck))
def test_random_sessions(given: list[Case]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        holds(session_of(given, Path(folder)))


# ---- what nodes it takes ----------------------------------------------------------------------------------------


def flat(values: Sequence[int]) -> Listed:
    return Listed(tuple(values), (len(values),))


def gather(indices: str, values: Sequence[int], sizes: Sequence[int] = (3, 2)) -> Experiment:
    cells = dml.TensorDesc(indices, (1,) * (len(sizes) - 1) + (len(values),))
    return Experiment("g", dml.Gather(dml.TensorDesc(F32, sizes), cells, 0, 1), values={"IndicesTensor": flat(values)})


def reverse(sizes: Sequence[int], axis: int, lengths: Sequence[int], kind: str = "UINT32") -> Experiment:
    cells = [*sizes[:axis], 1, *sizes[axis + 1 :]]
    desc = dml.ReverseSubsequences(dml.TensorDesc(F32, sizes), dml.TensorDesc(kind, cells), axis)
    return Experiment("r", desc, values={"SequenceLengthsTensor": flat(lengths)})


ACROSS = ["Transpose", "Reshape", "Reshape", "Cast", "ReverseSequence", "Reshape", "Transpose"]
SHAPES: list[tuple[Experiment, list[str]]] = [
    (Experiment("j", dml.Join((dml.TensorDesc(F32, (2, 1)),) * 3, 1)), ["Concat"]),
    (Experiment("s", dml.Split(dml.TensorDesc(F32, (2, 1)), (dml.TensorDesc(F32, (1, 1)),) * 2, 0)), ["Split"]),
    (Experiment("t", dml.Tile(dml.TensorDesc(F32, (2, 1)), (1, 3))), ["Tile"]),
    (gather("INT64", [0, -3, 2]), ["Gather"]),
    (gather("INT32", [0, -3, 2]), ["Gather"]),
    (gather("INT64", [0, -4]), ["Clip", "Gather"]),
    (gather("INT32", [3]), ["Clip", "Gather"]),
    (gather("UINT32", [2]), ["Cast", "Gather"]),
    (gather("UINT64", [2**64 - 1]), ["Clip", "Cast", "Gather"]),
    (reverse((3, 4), 1, [4, 0, 2]), ["Cast", "ReverseSequence"]),
    (reverse((3, 4), 0, [3, 0, 2, 1]), ["Cast", "ReverseSequence"]),
    (reverse((4,), 0, [3]), ["Cast", "ReverseSequence"]),
    (reverse((1, 1, 3, 4), 2, [3, 0, 2, 1]), ["Cast", "ReverseSequence"]),
    (reverse((3, 4), 1, [5, 0, 2**64 - 1], "UINT64"), ["Clip", "Cast", "ReverseSequence"]),
    # One length for all that lies behind the batch is ONNX's own; lengths of their own need rows of their own.
    (reverse((2, 3, 2), 1, [3, 3, 2, 2]), ["Cast", "ReverseSequence"]),
    (reverse((3, 2, 2), 0, [3, 3, 2, 2]), ["Cast", "ReverseSequence"]),
    (reverse((2, 3, 2), 1, [3, 1, 2, 2]), ACROSS),
    (reverse((2, 3, 2), 2, [1, 2, 0, 0, 2, 2]), ["Reshape", "Reshape", "Cast", "ReverseSequence", "Reshape"]),
]


@pytest.mark.parametrize(("each", "kinds"), SHAPES)
def test_nodes(each: Experiment, kinds: list[str]) -> None:
    session = Session((each,))
    assert nodes(export(session, "onnx")) == kinds
    holds(session)


# ---- large values -----------------------------------------------------------------------------------------------


def test_large_values_lie_beside_the_model() -> None:
    desc = dml.Gather(dml.TensorDesc(F32, (1, 5000)), dml.TensorDesc("UINT32", (1, 4097)), 1, 1)
    session = Session((Experiment("x", desc, values={"InputTensor": Random(3), "IndicesTensor": Random(4)}),))
    made = export(session, "onnx", stem="lesson")
    assert sorted(made.files) == ["lesson_gather_1_IndicesTensor.npy", "lesson_gather_1_InputTensor.npy"]
    assert not {each.name for each in models.parsed(made).graph.initializer} & {"gather_1_InputTensor"}
    assert len(made.data) < 2000
    holds(session)


# ---- texts, and what is refused ---------------------------------------------------------------------------------

HOSTILE = [
    'a"b\n"""\r*/ // \\',
    "\u2028\u2029\u202e\x00\x07\x1b[31m",
    "??/ --> ``` \ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"),
    "n" * 100_000,
]


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_are_data(text: str) -> None:
    def made(name: str) -> Any:
        each = gather("INT64", [1])
        named = Experiment(name, each.desc, values=each.values, notes=name)
        model = models.parsed(export(Session((named,), title=name), "onnx"))
        texts = [model.doc_string, *(node.doc_string for node in model.graph.node)]
        model.ClearField("doc_string")
        for node in model.graph.node:
            node.ClearField("doc_string")
        return model.SerializeToString(deterministic=True), texts

    bare, texts = made(text)
    assert bare == made("plain")[0]
    assert all(each.isprintable() and len(each) <= MOST_TEXT for each in texts)


def test_without_onnx_a_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(DmlvizError, match=r"pip install 'dmlviz\[onnx\]'"):
        export(Session((gather("INT64", [1]),)), "onnx")
