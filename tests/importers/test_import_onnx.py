"""ONNX models come in as descs that compute the same; damaged ones give one sentence."""

from __future__ import annotations

import random
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from numpy.typing import NDArray
from support.commands import call
from support.effort import tried
from support.idioms import has_idiom
from support.strategies import Case, cases

import dmlviz as dml
from dmlviz.exporters.lib.exporting import export
from dmlviz.importers.lib import importing
from dmlviz.importers.lib.found import imported
from dmlviz.importers.lib.imported import Imported, ImportFailedError, listed
from dmlviz.importers.onnx import child
from dmlviz.importers.onnx import source as onnx_model
from dmlviz.running.engine import inputs_of
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import parse
from dmlviz.session.writing import dump
from dmlviz.stopping import StoppedError, stoppable

onnx = pytest.importorskip("onnx", reason="the package onnx isn't installed")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402
from support import fuzz_onnx  # noqa: E402
from support.effort import part  # noqa: E402
from support.made_onnx import I64, model  # noqa: E402


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
@tried(120, suppress_health_check=list(HealthCheck))
def test_what_was_exported_comes_back(case: Case) -> None:
    values = {part.path: listed(a) for part, a in zip(case.desc.inputs, case.arrays, strict=True)}
    there = Experiment('n"ame', case.desc, values=values)
    found = read(export(Session((there,)), "onnx").data)
    back = found.experiments[-1]
    assert back.name == 'n"ame'
    if isinstance(case.desc, dml.Padding):
        assert back.desc.outputs[0].tensor == case.desc.outputs[0].tensor
        if not isinstance(back.desc, dml.Padding):
            # A Gather for each axis, as Pad has no such mode; what one hands to the next is not in the file.
            assert all(isinstance(each.desc, dml.Gather) for each in found.experiments)
        if len(found.experiments) == 1:
            assert [a.tobytes() for a in computed(back)] == [a.tobytes() for a in computed(there)]
        return
    assert len(found.experiments) == 1
    if isinstance(case.desc, dml.Slice1):
        # A window may be longer than what its output's size has it copy: Slice says no more than that.
        assert back.desc.outputs[0].tensor == case.desc.outputs[0].tensor
        assert computed(back)[0].tobytes() == computed(there)[0].tobytes()
    elif not isinstance(case.desc, dml.ReverseSubsequences):
        assert back.desc == there.desc
        assert [a.array().tobytes() for a in back.sources()] == [a.array().tobytes() for a in there.sources()]
    elif any("Transpose" in remark.where for remark in found.remarks):
        # Every sequence has become a column of its own.
        axis = case.desc.axis
        want = np.moveaxis(computed(there)[0], axis, 0)
        assert computed(back)[0].tobytes() == np.ascontiguousarray(want).tobytes()
    else:
        # The same, in as many dimensions as the node has.
        assert [a.tobytes() for a in computed(back)] == [a.tobytes() for a in computed(there)]


def test_every_example_comes_back() -> None:
    for example in examples.all_examples():
        for each in example.session().experiments:
            if each.check().ok and has_idiom(each.desc, "onnx") and not each.is_wired:  # no chain
                nodes = read(export(Session((each,)), "onnx").data).experiments
                if len(nodes) > 1:  # a mirror along several axes: see above
                    assert isinstance(each.desc, dml.Padding)
                    continue
                (back,) = nodes
                across = example.name == "inline-reverse"  # every sequence has become a column of its own
                want = np.ascontiguousarray(np.moveaxis(computed(each)[0], 1, 0)) if across else computed(each)[0]
                assert computed(back)[0].tobytes() == want.tobytes()


def test_what_comes_in_can_be_saved() -> None:
    session = examples.example("warning-index-range").session()
    found = Session(read(export(session, "onnx").data).experiments)
    again, errors = parse(dump(found).encode(), "f", None)
    assert not errors
    assert [each.desc for each in again.experiments] == [each.desc for each in session.experiments]
    assert [c.id for c in again.experiments[0].check().failures] == ["values.index_range"]


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


@pytest.mark.parametrize(
    ("node", "held", "opset"),
    [
        (helper.make_node("Split", ["x", "s"], ["a", "b"], axis=-1), {"s": np.array([1, 3])}, 18),
        (helper.make_node("Split", ["x"], ["a", "b"], axis=2, split=[3, 1]), {}, 11),
        (helper.make_node("Split", ["x"], ["a", "b"], axis=2), {}, 13),
        (helper.make_node("Split", ["x"], ["a", "b"], axis=1, num_outputs=2), {}, 18),
        (helper.make_node("Gather", ["x", "i"], ["a"], axis=-2), {"i": np.array([[2, 0], [-1, 1]])}, 18),
        (helper.make_node("Gather", ["x", "i"], ["a"]), {"i": np.array(1)}, 18),
        (helper.make_node("Gather", ["x", "i"], ["a"], axis=2), {"i": np.array([0, 3], np.int32)}, 11),
        (helper.make_node("Tile", ["x", "r"], ["a"]), {"r": np.array([1, 2, 3])}, 18),
        (helper.make_node("Concat", ["x", "y"], ["a"], axis=-2), {"y": np.ones((2, 1, 4), np.float32)}, 18),
        (helper.make_node("ReverseSequence", ["x", "n"], ["a"]), {"n": np.array([2, 0, 1])}, 18),
        (
            helper.make_node("ReverseSequence", ["x", "n"], ["a"], batch_axis=0, time_axis=1),
            {"n": np.array([3, 2])},
            18,
        ),
    ],
)
def test_attributes_and_constants(node: Any, held: dict[str, NDArray[Any]], opset: int) -> None:
    same_as_onnx(model([node], {"x": [2, 3, 4]}, held, opset, node.output), {"x": X})


def test_gathers_ranks_are_padded() -> None:
    indices = np.array([[[0, 1], [1, 1]]])
    each = only(model([helper.make_node("Gather", ["x", "i"], ["y"], axis=1)], {"x": [3, 2]}, {"i": indices}))
    assert each.desc == dml.Gather(dml.TensorDesc("FLOAT32", (1, 1, 3, 2)), dml.TensorDesc("INT64", (1, 1, 2, 2)), 3, 3)
    assert each.desc.output_tensor.sizes == (3, 1, 2, 2)


def test_lengths_become_one_for_each_sequence() -> None:
    each = only(model([helper.make_node("ReverseSequence", ["x", "n"], ["y"])], {"x": [2, 3, 4], "n": (I64, [3])}))
    assert each.desc.sequence_lengths_tensor == dml.TensorDesc("UINT32", (1, 3, 4))
    assert "SequenceLengthsTensor" not in each.values
    large = np.array([0, 2**40, 1])
    each = only(model([helper.make_node("ReverseSequence", ["x", "n"], ["y"])], {"x": [2, 3, 4]}, {"n": large}))
    assert each.desc.sequence_lengths_tensor.data_type is dml.DataType.UINT64
    assert each.sources()[1].array()[0, 1].tolist() == [2**40] * 4


def test_shapes_are_inferred_where_they_are_needed() -> None:
    nodes = [
        helper.make_node("Relu", ["x"], ["a"]),
        helper.make_node("Constant", [], ["s"], value_ints=[4, 6]),
        helper.make_node("Reshape", ["a", "s"], ["b"]),
        helper.make_node("Concat", ["b", "b"], ["y"], axis=-1),
        helper.make_node("Constant", [], ["r"], value_ints=[2, 1]),
        helper.make_node("Tile", ["y", "r"], ["z"]),
    ]
    found = read(model(nodes, {"x": [2, 3, 4]}))
    assert [each.desc.outputs[0].tensor.sizes for each in found.experiments] == [(4, 12), (8, 12)]
    assert [each.taken for each in found.remarks] == [False, False, False, True, False, True]
    assert found.remarks[0].where == "node 1 (Relu)"


def test_parts_of_a_split_have_shapes_too() -> None:
    nodes = [
        helper.make_node("Split", ["x", "s"], ["a", "b"], axis=-1),
        helper.make_node("LayerNormalization", ["b", "w"], ["c"]),
        helper.make_node("Concat", ["c", "a"], ["y"], axis=2),
    ]
    found = read(model(nodes, {"x": [2, 3, 4]}, {"s": np.array([1, 3]), "w": np.ones(3, np.float32)}))
    assert [part.tensor.sizes for part in found.experiments[1].desc.parts] == [(2, 3, 3), (2, 3, 1), (2, 3, 4)]


@pytest.mark.parametrize(
    "node",
    [
        helper.make_node("LayerNormalization", ["x", "x"], ["a"], axis=-(2**63)),
        helper.make_node("Split", ["x"], ["a"], num_outputs=3),
        helper.make_node("GatherND", ["x", "i"], ["a"], batch_dims=2**31),
        helper.make_node("Expand", ["x", "i"], ["a"]),
        helper.make_node("Slice", ["z", "i", "i", "i", "i"], ["a"]),
    ],
)
def test_nodes_that_inference_may_not_survive(node: Any) -> None:
    """ONNX's own inference ends the process, or takes all memory, for some nodes of these kinds."""
    made = [node, helper.make_node("Concat", ["a", "a"], ["y"], axis=0)]
    data = model(made, {"x": [2, 2], "z": [0, 2]}, {"i": np.array([2**62, -(2**63)])})
    assert judged(data) <= 2


def test_indices_are_those_that_the_node_is_given() -> None:
    nodes = [helper.make_node("Cast", ["i"], ["j"], to=I64), helper.make_node("Gather", ["x", "j"], ["y"])]
    for dtype in (np.uint32, np.int32, np.uint64, np.uint8):
        each = only(model(nodes, {"x": [3, 2]}, {"i": np.array([2, 0], dtype)}))
        assert each.desc.indices_tensor == dml.TensorDesc("INT64", (1, 2))
        assert each.sources()[1].array().tolist() == [[2, 0]]
    # These would wrap to negative ones, which ONNX counts from the end.
    each = only(model(nodes, {"x": [3, 2]}, {"i": np.array([2**64 - 1, 0], np.uint64)}))
    assert "IndicesTensor" not in each.values
    nodes = [helper.make_node("Clip", ["i", "l", "h"], ["j"]), helper.make_node("Gather", ["x", "j"], ["y"])]
    each = only(model(nodes, {"x": [3, 2]}, {"i": np.array([9, -9]), "l": np.array(0), "h": np.array(1)}))
    assert each.sources()[1].array().tolist() == [[1, 0]]


def computed_value(node: Any, **held: Any) -> list[int] | None:
    """What is known of a node's output, by the indices of a Gather."""
    tensors = {name: np.array(each) for name, each in held.items()}
    each = read(model([node, helper.make_node("Gather", ["x", "v"], ["y"])], {"x": [9]}, tensors)).experiments[-1]
    values = each.values.get("IndicesTensor")
    return None if values is None else each.sources()[1].array().reshape(-1).tolist()


def test_values_are_those_that_onnx_says() -> None:
    assert computed_value(helper.make_node("Div", ["a", "b"], ["v"]), a=[7, 6], b=[2, 2]) == [3, 3]
    # The reference evaluator rounds down, where ONNX says towards zero.
    assert computed_value(helper.make_node("Div", ["a", "b"], ["v"]), a=[-7], b=[2]) is None
    assert computed_value(helper.make_node("Slice", ["a", "s", "e"], ["v"]), a=[4, 5, 6], s=[1], e=[3]) == [5, 6]
    assert computed_value(helper.make_node("Cast", ["a"], ["v"], to=I64), a=np.array([2.7, 1], np.float32)) == [2, 1]
    assert computed_value(helper.make_node("Cast", ["a"], ["v"], to=TensorProto.INT32), a=[2**40]) is None


@pytest.mark.parametrize(
    ("node", "held"),
    [
        (helper.make_node("ConstantOfShape", ["a"], ["v"]), {"a": [2**40]}),
        (helper.make_node("Expand", ["a", "b"], ["v"]), {"a": [1], "b": [2**20, 2**20]}),
        (helper.make_node("Range", ["a", "b", "c"], ["v"]), {"a": 0, "b": 2**62, "c": 1}),
        (helper.make_node("Add", ["a", "b"], ["v"]), {"a": np.zeros((2048, 1), int), "b": np.zeros((1, 2048), int)}),
    ],
)
def test_what_is_large_is_not_computed(node: Any, held: dict[str, Any]) -> None:
    tensors = {name: np.array(each) for name, each in held.items()}
    nodes = [node, helper.make_node("Tile", ["x", "v"], ["y"]), helper.make_node("Concat", ["x"], ["z"], axis=0)]
    assert len(read(model(nodes, {"x": [2]}, tensors)).experiments) == 1


# ---- what is named instead ---------------------------------------------------------------------------------------

NO_NODE = (
    "m.onnx is a model without a node of Concat, Split, Gather, Tile, ReverseSequence, Pad, "
    "GatherElements, Slice, expected at least one."
)
MISSED = "m.onnx: 1 of 1 node of {0} not checked: node 1 ({0}): "


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (
            model([helper.make_node("Concat", ["x", "x"], ["y"], axis=0)], {"x": ["N", 2]}),
            MISSED.format("Concat") + '"x" is FLOAT32 {?, 2}, expected fixed sizes; '
            "`--dim N=1` would give the model's free dimensions their sizes.",
        ),
        (
            model([helper.make_node("Tile", ["x", "r"], ["y"])], {"x": [2], "r": (I64, [1])}),
            MISSED.format("Tile") + "its repeats are computed by the model, expected constant ones.",
        ),
        *(
            (
                model([helper.make_node("Split", ["x"], list("abcd"), **more)], {"x": [5, 6]}, opset=opset),
                MISSED.format("Split") + "it cuts 5 into 4 parts of sizes that it doesn't say, expected a count that "
                "divides it.",
            )
            for more, opset in (({}, 11), ({"num_outputs": 4}, 18))
        ),
        (
            model([helper.make_node("Concat", ["x"], ["y"], axis=0)], {"x": (TensorProto.BFLOAT16, [2])}),
            MISSED.format("Concat") + '"x" is BFLOAT16 {2}, expected a DataType of DirectML.',
        ),
        (
            model([helper.make_node("ReverseSequence", ["x", "n"], ["y"])], {"x": [2, 1]}, {"n": np.array([-1])}),
            MISSED.format("ReverseSequence") + "one of its lengths is -1, expected none below 0.",
        ),
        (
            model([helper.make_node("Concat", ["x"], ["y"], axis=0, domain="other")], {"x": [1]}),
            NO_NODE,
        ),
        (b"\x08\x08\x3a\xff", "m.onnx is damaged, expected a well-formed ONNX model."),
        (
            b"",
            NO_NODE,
        ),
    ],
)
def test_refusals(data: bytes, says: str) -> None:
    assert refusal(data) == says


def test_a_text_that_is_no_utf_8_is_damage() -> None:
    node = helper.make_node("t9", ["t1", "t2"], ["t3", "t4"], name="t5", doc_string="t6", t7=1)
    data = model([node], {"t1": ["t8"]}, {"t2": np.array([1, 1])})
    for text in (b"t%d" % i for i in range(1, 10)):
        assert text in data
        said = "m.onnx has a text that is no UTF-8, expected a well-formed ONNX model."
        assert refusal(data.replace(text, b"\xff\xff")) == said, text


@pytest.mark.parametrize(
    ("node", "shapes", "broken"),
    [
        ("Concat axis=0", {"x": [1] * 9}, "dimension_count.supported"),
        ("Concat axis=2", {"x": [2, 2]}, "axis.range"),
        ("Concat axis=-3", {"x": [2, 2]}, "axis.range"),
        ("Concat axis=0", {"x": [2, 0]}, "sizes.positive"),
        ("Concat axis=0", {"x": []}, "dimension_count.supported"),
        ("Split axis=0 num_outputs=1", {"x": [1] * 9}, "dimension_count.supported"),
        ("Tile", {"x": [2, 0], "s": (I64, [2])}, "sizes.positive"),
        ("Gather axis=2", {"x": [2, 2], "i": (I64, [3])}, "axis.range"),
        ("Gather axis=-3", {"x": [2, 2], "i": (I64, [3, 1, 1, 1])}, "axis.range"),
        ("Gather axis=0", {"x": [], "i": (I64, [3])}, "axis.range"),
        ("Gather axis=0", {"x": [2, 2], "i": (I64, [0])}, "sizes.positive"),
        ("Gather axis=0", {"x": [2] * 5, "i": (I64, [1] * 5)}, "dimension_count.supported"),
        ("ReverseSequence", {"x": [0, 2], "n": (I64, [2])}, "sizes.positive"),
    ],
)
def test_what_breaks_a_rule_is_invalid(node: str, shapes: dict[str, Any], broken: str, tmp_path: Path) -> None:
    kind, *said = node.split()
    numbers = {name: int(number) for name, number in (each.split("=") for each in said)}
    file = tmp_path / "m.onnx"
    held = {"s": np.array([1, 2])} if "s" in shapes else {}
    made = helper.make_node(kind, list(shapes), ["y"], **numbers)
    file.write_bytes(model([made], {name: shape for name, shape in shapes.items() if name not in held}, held))
    found = call("check", "--json", file)
    assert (found.code, found.said) == (1, [])
    (report,) = found.json
    assert broken in {check["id"] for check in report["checks"] if not check["ok"]}


def test_other_nodes_are_named() -> None:
    nodes = [
        helper.make_node("My\u202eOwn\n", ["x"], ["q"], domain="com.example"),
        helper.make_node("Concat", ["x"], ["z"], axis=0),
    ]
    found = read(model(nodes, {"x": [2]}))
    assert [(each.taken, each.unchecked, each.experiment, each.text) for each in found.remarks] == [
        (False, False, None, "it is of com.example, not of ONNX's own operators."),
        (True, False, 0, "Concat is experiment 1, at feature level 6_4, the newest, as none is said."),
    ]


def test_external_data_is_never_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(np.arange(2, dtype=np.float32).tobytes())
    held = numpy_helper.from_array(np.zeros(2, np.float32), "x")
    held.ClearField("raw_data")
    held.data_location = TensorProto.EXTERNAL
    held.external_data.add(key="location", value="secret")
    graph = helper.make_graph([helper.make_node("Concat", ["x"], ["y"], axis=0)], "g", [], [], [held])
    found = read(helper.make_model(graph).SerializeToString(), tmp_path)
    assert "InputTensors[0]" not in found.experiments[0].values


def test_values_keep_within_the_limits() -> None:
    held: dict[str, NDArray[Any]] = {"x": np.zeros((5000, 1), np.float32), "i": np.arange(5000) % 7}
    each = only(model([helper.make_node("Gather", ["x", "i"], ["y"])], {}, held))
    assert set(each.values) == {"IndicesTensor"}


def test_without_onnx_a_sentence_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    assert "pip install 'dmlviz[onnx]'" in refusal(b"\x08\x08\x3a\x00")


def judged(data: bytes) -> int:
    """How many experiments were taken; nothing but a sentence where there is none."""
    taken = 0
    try:
        found = imported(onnx_model.read(data, "m", None))
    except ImportFailedError as error:
        said = str(error)
    else:
        said = "".join(each.where + each.text for each in found.remarks)
        taken = len(found.experiments)
        for each in found.experiments:
            each.check()
            # A ring of nodes has no values; its check tells.
            if all(part.tensor.can_exist for part in each.desc.inputs) and not each.has_loose_wires:
                each.sources()
    assert said.isprintable()
    return taken


# ---- bounds -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        model(
            [helper.make_node("Gather", [f"x{i}", f"x{i}"], [f"x{i + 1}"]) for i in range(60)], {"x0": (I64, [2, 2])}
        ),
        model([helper.make_node("Identity", [f"x{i}"], [f"x{i + 1}"]) for i in range(3000)], {"x0": [2]}),
        model([helper.make_node("Concat", ["y"], ["z"], axis=0), helper.make_node("Relu", ["z"], ["y"])]),
        model(
            [helper.make_node("Clip", ["y", "y", "y"], ["y"]), helper.make_node("Tile", ["x", "y"], ["z"])], {"x": [2]}
        ),
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
        helper.make_function("own", f"f{i}", ["v"], ["w"], [node] * 2, opsets)
        for i in range(count)
        for node in [helper.make_node(f"f{i + 1}" if i < count - 1 else "Own", ["v"], ["w"], domain="own")]
    ]
    graph = helper.make_graph([helper.make_node("f0", ["x"], ["y"], domain="own")], "g", [], [])
    data: bytes = helper.make_model(graph, functions=functions, opset_imports=opsets).SerializeToString()
    return data


@pytest.mark.parametrize("end", ["time", "memory"])
def test_a_process_that_ends_gives_one_sentence(end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    good = model([helper.make_node("Concat", ["x"], ["y"], axis=0)], {"x": [2]})
    assert only(good)
    child._kept[0].kill()
    child._kept[0].wait()  # which nobody has asked for
    assert only(good)
    if end == "time":
        monkeypatch.setattr(child, "MOST_SECONDS", 0.2)
    else:
        child.end()
        less = "child.MOST_MEMORY = 160 << 20; child.serve"
        monkeypatch.setattr(child, "_START", child._START.replace("child.serve", less))
    said = refusal(doubling(30))
    assert said == (
        f"m.onnx ends the process that reads it, or takes more than {child.MOST_SECONDS:g} seconds or 1 GB of memory, "
        "expected a smaller model."
    )
    monkeypatch.undo()
    child.end()
    assert only(good)


def test_a_model_that_nobody_waits_for_is_left_at_once() -> None:
    wish = threading.Event()
    threading.Timer(0.3, wish.set).start()
    with pytest.raises(StoppedError), stoppable(wish):
        importing.read(doubling(30), "m.onnx")


def test_any_bytes_give_descs_or_one_sentence() -> None:
    source = random.Random(5)
    taken = sum(judged(fuzz_onnx.inputs(source)) > 0 for _ in range(part(8000)))
    assert 0.07 < taken / part(8000) < 0.93


@pytest.mark.parametrize("data", [b"", b"{}", b"\x08", b"#include", b"import numpy as np", b"\x89PNG", bytes(20)])
def test_other_files_are_left_to_others(data: bytes) -> None:
    assert not onnx_model.knows(data, "file")
    assert onnx_model.knows(data, "file.onnx")


def test_gather_elements_has_an_index_for_each_element() -> None:
    node = helper.make_node("GatherElements", ["x", "i"], ["y"], axis=-1)
    each = only(model([node], {"x": [2, 3]}, {"i": np.array([[-1, 0], [1, 1]])}))
    assert each.desc == dml.GatherElements(dml.TensorDesc("FLOAT32", (2, 3)), dml.TensorDesc("INT64", (2, 2)), 1)
    assert each.sources()[1].array().tolist() == [[-1, 0], [1, 1]]
