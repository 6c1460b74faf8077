"""ONNX models come in as descs that compute the same; damaged ones give one sentence."""

from __future__ import annotations

import contextlib
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from numpy.typing import NDArray
from support.commands import call
from support.effort import tried
from support.random_chains import errors, wires_of
from support.scripts import listed
from support.strategies import Case, cases

import dmlviz as dml
from dmlviz.exporters.lib.exporting import export
from dmlviz.importers.lib import importing
from dmlviz.importers.lib.imported import Imported, ImportFailedError
from dmlviz.importers.onnx import child
from dmlviz.importers.onnx import source as onnx_model
from dmlviz.running.engine import inputs_of
from dmlviz.session.experiments import Experiment, Session
from dmlviz.worker.child_process import Child

onnx = pytest.importorskip("onnx", reason="the package onnx isn't installed")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402
from support.onnx_models import BOOL, F32, I64, model, node  # noqa: E402


def read(data: bytes, folder: Path | None = None) -> Imported:
    found = importing.read(data, "m.onnx", folder)
    for each in found.remarks:
        assert each.where.isprintable()
        assert each.text.isprintable()
    return found


def only(data: bytes) -> Any:
    (each,) = read(data).experiments
    return each


def computed(each: Experiment) -> list[NDArray[Any]]:
    return dml.run(each.desc, inputs_of(each.desc, each.sources()))


def refusal(data: bytes) -> str:
    with pytest.raises(ImportFailedError) as error:
        importing.read(data, "m.onnx")
    assert "\n" not in str(error.value)
    return str(error.value)


# ---- there and back ---------------------------------------------------------------------------------------------


@given(cases("onnx"))
@tried(80, suppress_health_check=list(HealthCheck))
def test_what_was_exported_comes_back(case: Case) -> None:
    values = {part.path: listed(a) for part, a in zip(case.desc.inputs, case.arrays, strict=True)}
    there = Experiment("name", case.desc, values=values)
    found = read(export(Session((there,)), "onnx").data).experiments
    if len(found) > 1:  # a mirror, as Pad has no such mode; what one Gather hands to the next is not in the file
        assert all(isinstance(each.desc, dml.Gather) for each in found)
        return
    ours, theirs = computed(there), computed(found[0])
    if ours[0].shape != theirs[0].shape and isinstance(case.desc, dml.ReverseSubsequences):
        ours = [np.moveaxis(ours[0], case.desc.axis, 0)]  # every sequence has become a column of its own
    assert [np.ascontiguousarray(a).tobytes() for a in ours] == [a.tobytes() for a in theirs]


# ---- nodes of other exporters -----------------------------------------------------------------------------------


def same_as_onnx(data: bytes, feeds: dict[str, NDArray[Any]]) -> None:
    """The imported desc's outputs are the evaluator's, apart from leading 1s."""
    each = only(data)
    arrays = [
        np.asarray(values.array() if part.path in each.values else feeds["x"]).reshape(part.tensor.sizes)
        for part, values in zip(each.desc.inputs, each.sources(), strict=True)
    ]
    ours, theirs = dml.run(each.desc, arrays), ReferenceEvaluator(onnx.load_model_from_string(data)).run(None, feeds)
    assert [a.tobytes() for a in ours] == [np.asarray(a).tobytes() for a in theirs]


X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
ALL = np.array([2**63 - 1])


@pytest.mark.parametrize(
    ("made", "held", "opset"),
    [
        (node("Split", ["x", "s"], ["a", "b"], axis=-1), {"s": np.array([1, 3])}, 18),
        (node("Split", ["x"], ["a", "b"], axis=2, split=[3, 1]), {}, 11),
        (node("Split", ["x"], ["a", "b"], num_outputs=2), {}, 18),
        (node("Gather", ["x", "i"], ["a"], axis=-2), {"i": np.array([[2, 0], [-1, 1]])}, 18),
        (node("Gather", ["x", "i"], ["a"]), {"i": np.array(1)}, 18),
        (node("Tile", ["x", "r"], ["a"]), {"r": np.array([1, 2, 3])}, 18),
        (node("Concat", ["x", "y"], ["a"], axis=-2), {"y": np.ones((2, 1, 4), np.float32)}, 18),
        (node("GatherElements", ["x", "i"], ["a"], axis=-1), {"i": np.tile([-1, 0, 3, 1], (2, 3, 1))}, 18),
        (node("Slice", ["x", "s", "e", "d", "d"], ["a"]), {"s": np.array([9]), "e": -ALL, "d": np.array([-1])}, 18),
        (node("Slice", ["x"], ["a"], starts=[1], ends=[9], axes=[2]), {}, 9),
        (node("ReverseSequence", ["x", "n"], ["a"]), {"n": np.array([2, 0, 1])}, 18),
        (node("ReverseSequence", ["x", "n"], ["a"], batch_axis=0, time_axis=1), {"n": np.array([3, 2])}, 18),
    ],
)
def test_attributes_and_constants(made: Any, held: dict[str, NDArray[Any]], opset: int) -> None:
    same_as_onnx(model([made], {"x": [2, 3, 4]}, held, opset, made.output), {"x": X})


def test_lengths_become_one_for_each_sequence() -> None:
    one = node("ReverseSequence", ["x", "n"], ["y"])
    each = only(model([one], {"x": [2, 3, 4], "n": (I64, [3])}))
    assert each.desc.sequence_lengths_tensor == dml.TensorDesc("UINT32", (1, 3, 4))
    assert "SequenceLengthsTensor" not in each.values
    (taken,) = read(model([one], {"x": [2, 3, 4]}, {"n": np.array([0, 2, 1])})).remarks
    assert taken.text.endswith("; its lengths are INT64, and became UINT32, one for each sequence.")


@pytest.mark.parametrize(
    "one",
    [
        node("LayerNormalization", ["x", "x"], ["a"], axis=-(2**63)),
        node("Split", ["x"], ["a"], num_outputs=3),
        node("GatherND", ["x", "i"], ["a"], batch_dims=2**31),
        node("Expand", ["x", "i"], ["a"]),
        node("Slice", ["z", "i", "i", "i", "i"], ["a"]),
    ],
)
def test_nodes_that_inference_may_not_survive(one: Any) -> None:
    """ONNX's own inference ends the process, or takes all memory, for some nodes of these kinds."""
    made = [one, node("Concat", ["a", "a"], ["y"], axis=0)]
    data = model(made, {"x": [2, 2], "z": [0, 2]}, {"i": np.array([2**62, -(2**63)])})
    assert judged(data) <= 2


def computed_value(one: Any, **held: Any) -> list[int] | None:
    """What is known of a node's output, by the indices of a Gather."""
    tensors = {name: np.array(each) for name, each in held.items()}
    each = read(model([one, node("Gather", ["x", "v"], ["y"])], {"x": [9]}, tensors)).experiments[-1]
    values = each.values.get("IndicesTensor")
    return None if values is None else each.sources()[1].array().reshape(-1).tolist()


def test_values_are_those_that_onnx_says() -> None:
    assert computed_value(node("Div", ["a", "b"], ["v"]), a=[7, 6], b=[2, 2]) == [3, 3]
    # The reference evaluator rounds down, where ONNX says towards zero.
    assert computed_value(node("Div", ["a", "b"], ["v"]), a=[-7], b=[2]) is None
    assert computed_value(node("Slice", ["a", "s", "e"], ["v"]), a=[4, 5, 6], s=[1], e=[3]) == [5, 6]
    assert computed_value(node("Cast", ["a"], ["v"], to=I64), a=np.array([2.7, 1], np.float32)) == [2, 1]
    assert computed_value(node("Cast", ["a"], ["v"], to=TensorProto.INT32), a=[2**40]) is None
    # These would wrap to negative ones, which ONNX counts from the end.
    assert computed_value(node("Cast", ["a"], ["v"], to=I64), a=np.array([2**64 - 1], np.uint64)) is None


@pytest.mark.parametrize(
    ("one", "held"),
    [
        (node("ConstantOfShape", ["a"], ["v"]), {"a": [2**40]}),
        (node("Expand", ["a", "b"], ["v"]), {"a": [1], "b": [2**20, 2**20]}),
        (node("Range", ["a", "b", "c"], ["v"]), {"a": 0, "b": 2**62, "c": 1}),
        (node("Add", ["a", "b"], ["v"]), {"a": np.zeros((2048, 1), int), "b": np.zeros((1, 2048), int)}),
    ],
)
def test_what_is_large_is_not_computed(one: Any, held: dict[str, Any]) -> None:
    tensors = {name: np.array(each) for name, each in held.items()}
    nodes = [one, node("Tile", ["x", "v"], ["y"]), node("Concat", ["x"], ["z"], axis=0)]
    assert len(read(model(nodes, {"x": [2]}, tensors)).experiments) == 1


# ---- what is named instead ---------------------------------------------------------------------------------------


def test_a_damaged_model_is_told() -> None:
    assert refusal(b"\x08\x08\x3a\xff") == "m.onnx is damaged, expected a well-formed ONNX model."
    assert refusal(b"").startswith("m.onnx is a model without a node of Concat, ")


@pytest.mark.parametrize(
    ("one", "inputs", "held", "says"),
    [
        (node("Tile", ["x", "r"], ["y"]), {"x": [2], "r": (I64, [1])}, {}, "repeats are computed by the model"),
        (node("Concat", ["x"], ["y"], axis=0), {"x": (TensorProto.BFLOAT16, [2])}, {}, '"x" is BFLOAT16 {2}'),
        (node("ReverseSequence", ["x", "n"], ["y"]), {"x": [2, 1]}, {"n": np.array([-1])}, "its lengths is below 0"),
    ],
)
def test_refusals(one: Any, inputs: dict[str, Any], held: dict[str, NDArray[Any]], says: str) -> None:
    said = refusal(model([one], inputs, held))
    assert said.startswith(f"m.onnx: 1 of 1 node not checked: node 1 ({one.op_type}): ")
    assert says in said


def test_a_text_that_is_no_utf_8_is_damage_or_shown() -> None:
    one = node("t9", ["t1", "t2"], ["t3", "t4"], name="t5", doc_string="t6", t7=1)
    data = model([one], {"t1": ["t8"]}, {"t2": np.array([1, 1])})
    for text in (b"t%d" % i for i in range(1, 10)):
        assert text in data
        with contextlib.suppress(ImportFailedError):
            assert all(isinstance(one.name, str) for one in read(data.replace(text, b"\xff\xff")).experiments), text


@pytest.mark.parametrize(
    ("said", "shapes", "broken"),
    [
        ("Concat axis=0", {"x": [1] * 9}, "dimension_count.supported"),
        ("Concat axis=2", {"x": [2, 2]}, "axis.range"),
        ("Concat axis=0", {"x": [2, 0]}, "sizes.positive"),
        ("Concat axis=0", {"x": []}, "dimension_count.supported"),
        ("Tile", {"x": [2, 0], "s": (I64, [2])}, "sizes.positive"),
        ("Gather axis=2", {"x": [2, 2], "i": (I64, [3])}, "axis.range"),
        ("Gather axis=0", {"x": [], "i": (I64, [3])}, "axis.range"),
        ("Gather axis=0", {"x": [2, 2], "i": (I64, [0])}, "sizes.positive"),
        ("Gather axis=0", {"x": [2] * 5, "i": (I64, [1] * 5)}, "dimension_count.supported"),
        ("ReverseSequence", {"x": [0, 2], "n": (I64, [2])}, "sizes.positive"),
    ],
)
def test_what_breaks_a_rule_is_invalid(said: str, shapes: dict[str, Any], broken: str, tmp_path: Path) -> None:
    kind, *given = said.split()
    numbers = {name: int(number) for name, number in (each.split("=") for each in given)}
    file = tmp_path / "m.onnx"
    held = {"s": np.array([1, 2])} if "s" in shapes else {}
    made = node(kind, list(shapes), ["y"], **numbers)
    file.write_bytes(model([made], {name: shape for name, shape in shapes.items() if name not in held}, held))
    found = call("check", "--json", file)
    assert (found.code, found.said) == (1, [])
    (report,) = found.json
    assert broken in {check["id"] for check in report["checks"] if not check["ok"]}


def test_external_data_is_never_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(np.arange(2, dtype=np.float32).tobytes())
    held = numpy_helper.from_array(np.zeros(2, np.float32), "x")
    held.ClearField("raw_data")
    held.data_location = TensorProto.EXTERNAL
    held.external_data.add(key="location", value="secret")
    graph = helper.make_graph([node("Concat", ["x"], ["y"], axis=0)], "g", [], [], [held])
    found = read(helper.make_model(graph).SerializeToString(), tmp_path)
    assert "InputTensors[0]" not in found.experiments[0].values


def test_values_keep_within_the_limits() -> None:
    held: dict[str, NDArray[Any]] = {"x": np.zeros((5000, 1), np.float32), "i": np.arange(4000) % 7}
    each = only(model([node("Gather", ["x", "i"], ["y"])], {}, held))
    assert set(each.values) == {"IndicesTensor"}


def test_without_onnx_a_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    assert "pip install '.[onnx]'" in refusal(b"\x08\x08\x3a\x00")


def judged(data: bytes) -> int:
    """How many experiments were taken; nothing but a sentence where there is none."""
    try:
        taken = importing.read(data, "m.onnx").experiments
    except ImportFailedError:
        return 0
    for each in taken:
        each.check()
    return len(taken)


# ---- bounds -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        model([node("Gather", [f"x{i}", f"x{i}"], [f"x{i + 1}"]) for i in range(60)], {"x0": (I64, [2, 2])}),
        model([node("Identity", [f"x{i}"], [f"x{i + 1}"]) for i in range(3000)], {"x0": [2]}),
        model([node("Concat", ["y"], ["z"], axis=0), node("Relu", ["z"], ["y"])]),
        model([node("Clip", ["y", "y", "y"], ["y"]), node("Tile", ["x", "y"], ["z"])], {"x": [2]}),
    ],
)
def test_bombs(data: bytes) -> None:
    """Shapes that double, long chains and cycles are little work, whatever is taken of them."""
    assert judged(data) < 10
    assert child._kept  # which has not ended


def doubling(count: int) -> bytes:
    """A model of 2^count nodes, by functions that call each other."""
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("own", 1)]
    functions = [
        helper.make_function("own", f"f{i}", ["v"], ["w"], [each] * 2, opsets)
        for i in range(count)
        for each in [node(f"f{i + 1}" if i < count - 1 else "Own", ["v"], ["w"], domain="own")]
    ]
    graph = helper.make_graph([node("f0", ["x"], ["y"], domain="own")], "g", [], [])
    data: bytes = helper.make_model(graph, functions=functions, opset_imports=opsets).SerializeToString()
    return data


@pytest.mark.parametrize("end", [pytest.param("time", marks=pytest.mark.slow), "memory"])
def test_a_process_that_ends_gives_one_sentence(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    good = model([node("Concat", ["x"], ["y"], axis=0)], {"x": [2]})
    assert only(good)
    if end == "time":
        monkeypatch.setattr(child, "MOST_SECONDS", 0.2)
    else:
        monkeypatch.setattr(child, "MOST_MEMORY", 160 << 20)
    said = refusal(doubling(30))
    assert said.startswith("m.onnx ends the process that reads it, or takes more than ")
    monkeypatch.undo()
    assert only(good)


@pytest.mark.skipif(sys.platform == "win32", reason="no such bounds")
def test_a_process_that_nobody_waits_for_ends_by_itself() -> None:
    alone = Child(child.__name__)
    alone.send((0.5, 1 << 34, doubling(30), "m", {}))
    with pytest.raises(EOFError):
        alone.receive()
    assert alone.bury(5.0) == -signal.SIGXCPU


@pytest.mark.parametrize("data", [b"", b"{}", b"\x08", b"#include", b"import numpy as np", b"\x89PNG", bytes(20)])
def test_other_files_are_left_to_others(data: bytes) -> None:
    assert not onnx_model.knows(data, "file")
    assert onnx_model.knows(data, "file.onnx")


# ---- chains -----------------------------------------------------------------------------------------------------


def test_a_wrong_declared_intermediate_is_one_fault_and_what_is_behind_it_waits() -> None:
    nodes = [
        node("Split", ["x", "parts"], ["a", "b"], "cut", axis=1),
        node("Concat", ["b", "a"], ["c"], "join", axis=1),
        node("Tile", ["c", "times"], ["d"], "twice"),
    ]
    held = {"parts": np.array([4, 4]), "times": np.array([1, 2])}
    declared = {"a": (1, 5), "b": (1, 4), "c": (1, 8), "d": (1, 16)}
    found = read(model(nodes, {"x": [1, 8]}, held, declared=declared)).experiments
    assert {name for name, _ in errors(found)} == {"cut"}
    assert [each.check().waits_for for each in found[1:]] == ["cut", "cut"]
    assert wires_of(found)["join", "InputTensors[1]"] == ("cut", 0)
    right = read(model(nodes, {"x": [1, 8]}, held, declared={**declared, "a": (1, 4)}))
    assert errors(right.experiments) == []


def test_a_reshape_between_is_a_note_and_another_type_is_a_root() -> None:
    nodes = [
        node("Concat", ["x", "x"], ["c"], "join", axis=0),
        node("Reshape", ["c", "flat"], ["r"]),
        node("Tile", ["r", "times"], ["t"], "twice"),
        node("Cast", ["c"], ["whole"], to=I64),
        node("Gather", ["x", "whole"], ["g"], "pick", axis=0),
    ]
    held = {"flat": np.array([-1]), "times": np.array([2])}
    _, twice, pick = read(model(nodes, {"x": [2, 3]}, held)).experiments
    assert wires_of([twice, pick]) == {("twice", "InputTensor"): ("join", 0)}
    assert "chain.reinterpreted" in {check.id for check in twice.check().checks if not check.ok}
    assert not pick.extra


def test_wires_lead_through_functions_and_branches_and_not_into_what_turns() -> None:
    body = [node("Concat", ["a", "a"], ["b"], "inner", axis=0)]
    own = helper.make_function("own", "Twice", ["a"], ["b"], body, [helper.make_opsetid("", 18)])
    branch = helper.make_graph(
        [node("Tile", ["d", "times"], ["t"], "branch")], "b", [], [helper.make_tensor_value_info("t", F32, None)]
    )
    nodes = [
        node("Tile", ["x", "times"], ["c"], "first"),
        node("Twice", ["c"], ["d"], "call", domain="own"),
        node("If", ["is"], ["e"], then_branch=branch, else_branch=branch),
        node("Tile", ["e", "times"], ["f"], "last"),
    ]
    inputs: dict[str, Any] = {"x": [2], "is": (BOOL, [])}
    found = read(model(nodes, inputs, {"times": np.array([2])}, declared={"e": (16,)}, functions=[own])).experiments
    led = wires_of(found)
    assert led["inner", "InputTensors[0]"] == ("first", 0)
    assert led["branch", "InputTensor"] == ("inner", 0)
    assert ("last", "InputTensor") not in led  # it may come from either branch
    assert errors(found) == []


def test_a_ring_is_not_read() -> None:
    ring = [node("Tile", ["b", "times"], ["a"], "one"), node("Tile", ["a", "times"], ["b"], "two")]
    data = model(ring, {}, {"times": np.array([1])}, declared={"a": (2,), "b": (2,)})
    imported = read(data)
    assert imported.remarks[1].text == '"b" is made twice, or after it is read.'
    assert [each.name for each in imported.experiments] == ["two"]
    assert errors(imported.experiments) == []
