"""ONNX models as exporters make them: what is read of each node is right, or it is said that it isn't checked.

PyTorch and onnxscript made them; `answers.json` has what ONNX's reference evaluator gave to and got from each
node that is read.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dmlviz as dml
from dmlviz.importers.lib import importing
from dmlviz.importers.lib.imported import Imported, ImportFailedError
from dmlviz.importers.onnx.reading import set_dims
from dmlviz.session.chains import Chain

pytest.importorskip("onnx", reason="the package onnx isn't installed")

FOLDER = Path(__file__).parent / "onnx"
ANSWERS: dict[str, Any] = json.loads((FOLDER / "answers.json").read_text(encoding="utf-8"))
Sizes = tuple[int, ...]

LEFT = {
    "grows_scripted": 5,
    "grows_scripted_free": 5,
}
"""How many nodes are said to be unchecked although every free dimension has its size; none of the other models."""


def found(name: str, dims: dict[str, int]) -> Imported | str:
    """What is read, or the sentence that nothing is."""
    try:
        return importing.read((FOLDER / f"{name}.onnx").read_bytes(), f"{name}.onnx", None, dims)
    except ImportFailedError as error:
        return str(error)


def padded(sizes: list[int], rank: int) -> Sizes:
    return (1,) * (rank - len(sizes)) + tuple(sizes)


def said(desc: Any) -> dict[str, Any]:
    """A desc's sizes and axis, in DirectML's terms."""
    return {
        "inputs": [part.tensor.sizes for part in desc.inputs],
        "outputs": [part.tensor.sizes for part in desc.outputs],
        "axis": getattr(desc, "axis", None),
        "counted": getattr(desc, "index_dimensions", None),
    }


def wanted(answer: dict[str, Any]) -> dict[str, Any]:
    """The answer in DirectML's terms: ranks padded, one length for each sequence."""
    ins, outs = answer["inputs"], answer["outputs"]
    axis: Any = answer.get("axis")
    rank = max(len(each) for each in ins + outs) or 1
    made: dict[str, Any] = {
        "inputs": [padded(each, rank) for each in ins],
        "outputs": [padded(each, rank) for each in outs],
        "axis": axis,
        "counted": None,
    }
    if answer["operator"] == "Gather":
        made["axis"], made["counted"] = axis + rank - len(ins[0]), len(ins[1])
    if answer["operator"] == "ReverseSequence":
        made["inputs"][1] = tuple(1 if d == axis else size for d, size in enumerate(ins[0]))
    return made


def judged(name: str, dims: dict[str, int]) -> Counter[str]:
    """How many nodes are right, and how many are said to be unchecked. Nothing else may be."""
    told = ANSWERS[name]["nodes"]
    there = found(name, dims)
    if isinstance(there, str):
        assert f"{len(told)} of {len(told)} node" in there
        return Counter({"said": len(told)})
    counts: Counter[str] = Counter()
    seen = {each.where: each for each in there.remarks}
    for label, answers in told.items():
        remark = seen[label]
        if remark.unchecked:
            assert not remark.taken
            counts["said"] += 1
            continue
        assert remark.taken
        assert remark.experiment is not None
        experiment = there.experiments[remark.experiment]
        assert len(answers) == 1, f"{label} has no sizes of its own"
        assert said(experiment.desc) == wanted(answers[0]), label
        assert experiment.check().ok, label
        if "cuts" in answers[0]:
            data = np.arange(math.prod(answers[0]["inputs"][0])).reshape(answers[0]["inputs"][0])
            data = data.astype(experiment.desc.inputs[0].tensor.data_type.dtype)
            taken = data[tuple(slice(*cut) for cut in answers[0]["cuts"])]
            assert np.array_equal(dml.run(experiment.desc, [data])[0], taken), label
        counts["right"] += 1
    assert counts["right"] == len(there.experiments)
    first = there.remarks[0]
    assert first.unchecked == bool(counts["said"])
    if counts["said"]:
        assert first.where == ""
        assert first.text.startswith(f"{counts['said']} of {len(told)} node")
    return counts


@pytest.mark.parametrize("name", ANSWERS)
def test_with_sizes_for_what_is_free(name: str) -> None:
    counts = judged(name, ANSWERS[name]["dims"])
    assert counts["said"] == LEFT.get(name, 0)


@pytest.mark.parametrize(
    "name", [name for name, each in ANSWERS.items() if each["dims"] and name != "attention_traced_free"]
)
def test_without_sizes_for_what_is_free(name: str) -> None:
    """Less is read, and what isn't is said first, with the words that would help. (The nodes of one model work on
    shapes alone, and have sizes all the same.)"""
    counts = judged(name, {})
    assert counts["said"]
    there = found(name, {})
    text = there if isinstance(there, str) else there.remarks[0].text
    first = next(iter(ANSWERS[name]["dims"]))
    assert f"--dim {first}=" in text


def test_a_session_of_a_model_of_free_dimensions() -> None:
    name = "tokens_traced_free"
    session = dml.load(FOLDER / f"{name}.onnx", dims=ANSWERS[name]["dims"])
    assert len(session.experiments) == len(ANSWERS[name]["nodes"])


def made(name: str) -> tuple[Any, dict[str, Any]]:
    """The model with its sizes, and every tensor of its main graph as the reference evaluator makes it."""
    import onnx
    from onnx.reference import ReferenceEvaluator

    model = onnx.load(FOLDER / f"{name}.onnx")
    set_dims(model, ANSWERS[name]["dims"], name)
    source = np.random.default_rng(1)
    feeds = {}
    for each in model.graph.input:
        sizes = [dim.dim_value for dim in each.type.tensor_type.shape.dim]
        kind = onnx.helper.tensor_dtype_to_np_dtype(each.type.tensor_type.elem_type)
        feeds[each.name] = source.integers(0, 2, sizes).astype(kind)
    held = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    names = [output for node in model.graph.node for output in node.output if output]
    del model.graph.output[:]
    model.graph.output.extend(onnx.ValueInfoProto(name=each) for each in names)
    return model, {**held, **feeds, **dict(zip(names, ReferenceEvaluator(model).run(None, feeds), strict=True))}


@pytest.mark.parametrize(
    "name",
    [
        "attention_traced_free",
        "chunks_traced_free",
        "decoder_exported_free",
        "decoder_traced_free",
        "tokens_exported_free",
        "tokens_traced_free",
    ],
)
def test_chains_make_of_their_roots_what_the_model_makes_of_them(name: str) -> None:
    model, tensors = made(name)
    there = importing.read((FOLDER / f"{name}.onnx").read_bytes(), f"{name}.onnx", None, ANSWERS[name]["dims"])
    wired = 0
    for remark in there.remarks:
        at = re.fullmatch(r"node (\d+) \(\w+\)", remark.where)
        if not remark.taken or remark.experiment is None or at is None:
            continue
        chain = Chain(there.experiments[remark.experiment])
        if len(chain.stages) == 1:
            continue
        wired += 1
        inputs = []
        for root in chain.inputs:
            array = tensors[chain.stages[root.stage].extra["roots"][root.part.path]]
            inputs.append(np.asarray(array, root.part.tensor.data_type.dtype).reshape(root.part.tensor.sizes))
        wanted = [tensors[output] for output in model.graph.node[int(at[1]) - 1].output]
        for got, want in zip(chain.run(inputs), wanted, strict=True):
            assert got.tobytes() == np.ascontiguousarray(want).tobytes(), remark.where
    assert wired


def table() -> str:
    """Right and said to be unchecked, of each model with sizes for what is free and without."""
    rows = ["| model | nodes | right | said | right without --dim | said without |", "|---|---|---|---|---|---|"]
    for name, each in ANSWERS.items():
        given, alone = judged(name, each["dims"]), judged(name, {})
        counts = (len(each["nodes"]), given["right"], given["said"], alone["right"], alone["said"])
        rows.append(f"| {name} | {' | '.join(map(str, counts))} |")
    return "\n".join(rows)


if __name__ == "__main__":
    print(table())
