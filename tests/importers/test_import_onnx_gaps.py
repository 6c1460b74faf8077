"""ONNX models of which not everything can be read: no node of the five operators is passed over in silence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import tried

import dmlviz as dml
from dmlviz.errors import DmlvizError
from dmlviz.importers.lib import importing
from dmlviz.importers.lib.imported import Imported, ImportFailedError, Remark, Why

onnx = pytest.importorskip("onnx", reason="the package onnx isn't installed")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from support.made_onnx import BOOL, F32, I64, node  # noqa: E402


def info(name: str, sizes: Any, kind: int = F32) -> Any:
    return helper.make_tensor_value_info(name, kind, sizes)


def graph(nodes: Sequence[Any], inputs: Sequence[Any] = (), outputs: Sequence[Any] = (), held: Any = None) -> Any:
    tensors = [numpy_helper.from_array(np.asarray(array), name) for name, array in (held or {}).items()]
    return helper.make_graph(list(nodes), "g", list(inputs), list(outputs), tensors)


def made(
    nodes: Sequence[Any],
    inputs: Sequence[Any] = (),
    outputs: Sequence[Any] = (),
    held: Any = None,
    functions: Sequence[Any] = (),
    infos: Sequence[Any] = (),
    opset: int = 18,
) -> bytes:
    whole = graph(nodes, inputs, outputs, held)
    whole.value_info.extend(infos)
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("local", 1)]
    data: bytes = helper.make_model(whole, opset_imports=opsets, functions=list(functions)).SerializeToString()
    return data


def function(name: str, inputs: Sequence[str], outputs: Sequence[str], nodes: Sequence[Any], *attributes: str) -> Any:
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("local", 1)]
    return helper.make_function("local", name, inputs, outputs, nodes, opsets, attributes)


def read(data: bytes, dims: dict[str, int] | None = None) -> Imported:
    return importing.read(data, "m.onnx", None, dims)


def refusal(data: bytes, dims: dict[str, int] | None = None) -> str:
    with pytest.raises(ImportFailedError) as error:
        read(data, dims)
    return str(error.value)


def taken(data: bytes, dims: dict[str, int] | None = None) -> dict[str, Any]:
    """The descs by the place they come from."""
    found = read(data, dims)
    return {
        each.where: found.experiments[each.experiment].desc for each in found.remarks if each.experiment is not None
    }


def unchecked(found: Imported) -> list[str]:
    """The places that are said to be unchecked."""
    return [each.where for each in found.remarks if each.unchecked]


def broken(desc: Any) -> list[str]:
    return [each.id for each in dml.check(desc).errors]


def f32(*sizes: int) -> dml.TensorDesc:
    return dml.TensorDesc("FLOAT32", sizes)


COPY = node("Concat", ["x"], ["y"], axis=0)
COPY_IN = node("Concat", ["v"], ["w"], axis=0)


# ---- what isn't checked is said first ---------------------------------------------------------------------------


def test_the_first_remark_is_of_the_model() -> None:
    nodes = [
        node("Shape", ["x"], ["s"]),
        node("Gather", ["s", "zero"], ["n"]),
        node("Concat", ["x", "x"], ["y"], axis=1),
        node("Tile", ["y", "r"], ["z"]),
        node("Relu", ["z"], ["w"]),
    ]
    data = made(nodes, [info("x", ["batch", "t", 4])], held={"zero": np.array(0), "r": np.array([1, 1, 2])})
    found = read(data)
    assert found.remarks[0] == Remark(
        '2 of 3 nodes of Concat, Gather, Tile not checked: node 3 (Concat): "x" is FLOAT32 {?, ?, 4}, '
        "expected fixed sizes (and 1 more); `--dim batch=1 --dim t=128` would give the model's free dimensions "
        "their sizes.",
        unchecked=True,
    )
    assert [(each.where, each.taken, each.unchecked) for each in found.remarks[1:]] == [
        ("node 1 (Shape)", False, False),
        ("node 2 (Gather)", True, False),
        ("node 3 (Concat)", False, True),
        ("node 4 (Tile)", False, True),
        ("node 5 (Relu)", False, False),
    ]
    whole = read(data, {"batch": 2, "t": 3})
    assert [each.taken for each in whole.remarks] == [False, True, True, True, False]
    assert not any(each.unchecked for each in whole.remarks)


def test_a_model_of_other_operators_holds_nothing_here() -> None:
    with pytest.raises(ImportFailedError, match="without a node of Concat") as other:
        read(made([node("Relu", ["x"], ["y"])], [info("x", ["N"])]))
    with pytest.raises(ImportFailedError) as error:
        read(b"\x08\x08")
    assert other.value.why is Why.NOTHING
    assert error.value.why is not Why.NOTHING  # there is nothing in it at all


@pytest.mark.parametrize(
    ("nodes", "says"),
    [
        ([node("Concat", ["x"], ["y"])], "it breaks a rule of ONNX: Required attribute 'axis' is missing."),
        ([node("Concat", ["x"], ["y"], axis=0.5)], "it breaks a rule of ONNX: Mismatched attribute type in"),
        ([node("Split", ["x", "s"], ["a", "b", "c"])], '"a" is unknown, expected a DataType of'),
        ([node("Split", ["x"], list("abcdefg"), num_outputs=7)], "it cuts 4 into 7 parts of sizes that it doesn't say"),
        ([node("Gather", ["x", "i"], ["y"], batch_dims=1)], "it breaks a rule of ONNX: Unrecognized attribute"),
        ([node("Tile", ["x", "s", "s"], ["y"])], "it breaks a rule of ONNX: Node with schema(::Tile:13) has input"),
        ([node("Concat", [], ["y"], axis=0)], "it breaks a rule of ONNX: "),
        ([node("ReverseSequence", ["m", "x2"], ["y"])], '"x2" is INT64 of unknown shape, expected fixed sizes'),
        ([node("ReverseSequence", ["m", "m2"], ["y"])], "its lengths have 2 dimensions, expected 1"),
    ],
)
def test_ill_made_nodes_are_not_checked(nodes: list[Any], says: str) -> None:
    inputs = [info("x", [4]), info("m", [3, 2]), info("x2", None, I64), info("m2", [2, 1], I64)]
    assert says in refusal(made(nodes, inputs, held={"s": np.array([1, 3])}))


# ---- free dimensions --------------------------------------------------------------------------------------------


FREE = made(
    [node("Concat", ["x", "y"], ["z"], axis=1)],
    [info("x", ["batch", None, 4]), info("y", ["batch", 2, 4])],
    [info("z", ["batch", "all", 4])],
)


def test_free_dimensions_get_sizes() -> None:
    desc = taken(FREE, {"batch": 3, "x:1": 5})["node 1 (Concat)"]
    assert desc == dml.Join((f32(3, 5, 4), f32(3, 2, 4)), 1)
    assert taken(FREE, {"x:0": 3, "x:-2": 5})["node 1 (Concat)"] == desc  # a named one wherever it is, and from the end
    assert "--dim batch=1 --dim x:1=128" in refusal(FREE)
    assert "`--dim x:1=128`" in refusal(FREE, {"batch": 1})


@pytest.mark.parametrize(
    ("dims", "says"),
    [
        ({"n": 1}, 'm.onnx has no free dimension "n", expected one of batch, x:1.'),
        ({"y:1": 1}, 'm.onnx has no free dimension "y:1", expected one of batch, x:1.'),
        ({"x:1": 0}, 'dimension "x:1" is 0, expected a size of 1 to 4,294,967,295.'),
        ({"x:1": 2**32}, 'dimension "x:1" is 4294967296, expected a size of 1 to 4,294,967,295.'),
        ({"x:1": True}, 'dimension "x:1" is true, expected a size of 1 to 4,294,967,295.'),
    ],
)
def test_sizes_that_the_model_has_no_use_for(dims: dict[str, int], says: str) -> None:
    assert refusal(FREE, dims) == says


def test_a_model_without_free_dimensions_says_so() -> None:
    data = made([COPY], [info("x", [2])])
    assert refusal(data, {"n": 1}) == 'm.onnx has no free dimension "n", as all its inputs\' sizes are fixed.'


def test_what_is_no_model_has_no_free_dimensions() -> None:
    with pytest.raises(ImportFailedError, match="which has no free dimensions to give sizes for, expected an ONNX mod"):
        importing.read(b"np.tile(np.zeros(2), 3)", "f.py", None, {"n": 1})


def test_from_python(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(FREE)
    assert len(dml.load(path, dims={"batch": 1, "x:1": 2}).experiments) == 1
    with pytest.raises(DmlvizError, match="no free dimension"):
        dml.load(path, dims={"b": 1})


# ---- graphs in nodes --------------------------------------------------------------------------------------------


def branch(*nodes: Any, outputs: Sequence[Any] = ()) -> Any:
    return graph(nodes, outputs=outputs)


def test_branches_see_what_is_around_them() -> None:
    then = branch(node("Concat", ["x", "x"], ["a"], axis=0), outputs=[info("a", None)])
    other = branch(node("Tile", ["x", "r"], ["b"]), outputs=[info("b", None)])
    nodes = [
        node("If", ["c"], ["y"], then_branch=then, else_branch=other),
        node("Concat", ["y", "x"], ["z"], axis=0),
    ]
    data = made(nodes, [info("x", [2, 3]), info("c", [], BOOL)], held={"r": np.array([2, 1])})
    assert taken(data) == {
        "node 1 (If).then_branch node 1 (Concat)": dml.Join((f32(2, 3), f32(2, 3)), 0),
        "node 1 (If).else_branch node 1 (Tile)": dml.Tile(f32(2, 3), (2, 1)),
        "node 2 (Concat)": dml.Join((f32(4, 3), f32(2, 3)), 0),
    }


def test_branches_that_differ_leave_a_size_unknown() -> None:
    then = branch(node("Concat", ["x", "x"], ["a"], axis=0), outputs=[info("a", None)])
    other = branch(node("Relu", ["x"], ["b"]), outputs=[info("b", None)])
    nodes = [node("If", ["c"], ["y"], then_branch=then, else_branch=other), node("Concat", ["y"], ["z"], axis=0)]
    found = read(made(nodes, [info("x", [2, 3]), info("c", [], BOOL)]))
    assert found.remarks[-1] == Remark(
        '"y" is FLOAT32 {?, 3}, expected fixed sizes.', at="node 2 (Concat)", unchecked=True
    )


def loop(*nodes: Any, state: Any, after: str) -> list[Any]:
    body = graph(nodes, [info("i", [], I64), info("c", [], BOOL), state], [info("c", [], BOOL), info(after, None)])
    return [node("Loop", ["n", "", "x"], ["y"], body=body), node("Concat", ["y"], ["z"], axis=0)]


def test_a_loop_keeps_the_sizes_that_no_turn_changes() -> None:
    nodes = loop(node("Concat", ["s", "x"], ["t"], axis=0), state=info("s", None), after="t")
    other = node("Concat", ["x"], ["other"], axis=0)
    found = read(made([*nodes, other], [info("x", [2, 3]), info("n", [], I64)]))
    said = {each.where: each.text for each in found.remarks if each.unchecked}
    why = "is made in a loop whose turns change sizes, expected fixed ones."
    assert said["node 1 (Loop).body node 1 (Concat)"] == f'"s" {why}'
    assert said["node 2 (Concat)"].startswith('"y" is unknown')
    steady = [node("Concat", ["s", "x"], ["t"], axis=0), node("Gather", ["t", "k"], ["u"])]
    nodes = loop(*steady, state=info("s", None), after="u")
    data = made(nodes, [info("x", [2, 3]), info("n", [], I64)], held={"k": np.array([3, 1])})
    assert [each.outputs[0].tensor.sizes for each in taken(data).values()] == [(4, 3), (2, 3), (2, 3)]


def test_a_loop_that_swaps_its_states_is_seen_to() -> None:
    body = graph(
        [node("Concat", ["a"], ["t"], axis=0)],
        [info("i", [], I64), info("c", [], BOOL), info("a", None), info("b", None)],
        [info("c", [], BOOL), info("b", None), info("a", None)],
    )
    nodes = [node("Loop", ["n", "", "x", "w"], ["p", "q"], body=body), COPY]
    found = read(made(nodes, [info("x", [2]), info("w", [3]), info("n", [], I64)]))
    assert unchecked(found) == ["", "node 1 (Loop).body node 1 (Concat)"]


def test_a_scan_is_read_as_its_body_says() -> None:
    body = graph(
        [node("Concat", ["s", "e"], ["t"], axis=0), node("Identity", ["s"], ["r"])],
        [info("s", None), info("e", [2])],
        [info("r", None), info("t", None)],
    )
    nodes = [
        node("Scan", ["x", "m"], ["last", "all"], body=body, num_scan_inputs=1, scan_input_axes=[1]),
        node("Concat", ["last"], ["z"], axis=0),
    ]
    data = made(nodes, [info("x", [4]), info("m", [2, 5])])
    assert taken(data) == {
        "node 1 (Scan).body node 1 (Concat)": dml.Join((f32(4), f32(2)), 0),
        "node 2 (Concat)": dml.Join((f32(4),), 0),
    }


def test_a_graph_of_an_unknown_node_sees_what_is_around_it() -> None:
    inner = branch(COPY, node("Concat", ["p"], ["q"], axis=0))
    inner.input.append(info("p", None))
    data = made([node("Beam", ["x"], ["q"], domain="com.example", decoder=inner)], [info("x", [2])])
    assert unchecked(read(data)) == ["", "node 1 (Beam).decoder node 2 (Concat)"]
    assert list(taken(data)) == ["node 1 (Beam).decoder node 1 (Concat)"]


# ---- functions --------------------------------------------------------------------------------------------------


def with_axis(kind: str, inputs: list[str], outputs: list[str]) -> Any:
    found = node(kind, inputs, outputs)
    found.attribute.add(name="axis", ref_attr_name="along", type=2)
    return found


def test_a_function_is_looked_into_at_each_of_its_calls() -> None:
    halves = function(
        "Turn", ["v"], ["w"], [with_axis("Split", ["v"], ["a", "b"]), with_axis("Concat", ["b", "a"], ["w"])], "along"
    )
    halves.node[0].attribute.add(name="num_outputs", i=2, type=2)
    nodes = [
        node("Turn", ["x"], ["y"], domain="local", along=0),
        node("Turn", ["y"], ["z"], domain="local", along=-1),
    ]
    data = made(nodes, [info("x", [4, 6])], functions=[halves])
    assert taken(data) == {
        "node 1 (Turn).function node 1 (Split)": dml.Split(f32(4, 6), (f32(2, 6), f32(2, 6)), 0),
        "node 1 (Turn).function node 2 (Concat)": dml.Join((f32(2, 6), f32(2, 6)), 0),
        "node 2 (Turn).function node 1 (Split)": dml.Split(f32(4, 6), (f32(4, 3), f32(4, 3)), 1),
        "node 2 (Turn).function node 2 (Concat)": dml.Join((f32(4, 3), f32(4, 3)), 1),
    }


def test_a_function_takes_values_and_declared_sizes_from_its_call() -> None:
    repeat = function("Again", ["v", "r"], ["w"], [node("Tile", ["v", "r"], ["w"])])
    nodes = [node("Again", ["x", "k"], ["y"], domain="local")]
    inputs, held = [info("x", [2])], {"k": np.array([3])}
    assert list(taken(made(nodes, inputs, held=held, functions=[repeat])).values()) == [dml.Tile(f32(2), (3,))]
    (wrong,) = taken(made(nodes, inputs, [info("y", [7])], held, [repeat])).values()
    assert broken(wrong) == ["sizes.repeat"]


@pytest.mark.parametrize("why", ["domain", "opset", "circle"])
def test_functions_that_cannot_be_inlined_are_not_guessed(why: str) -> None:
    again = [node("F", ["v"], ["w"], domain="local")] if why == "circle" else [COPY_IN]
    own = function("F", ["v"], ["w"], again)
    if why == "domain":
        own.domain = ""
    elif why == "opset":
        own.opset_import[0].version = 9
    said = refusal(made([node("F", ["x"], ["y"], domain=own.domain), COPY], [info("x", [2])], functions=[own]))
    assert ("is damaged, expected a well-formed" if why == "circle" else "expected ones that can be inlined") in said


# ---- declared sizes ---------------------------------------------------------------------------------------------


SPLIT = node("Split", ["x", "s"], ["a", "b"], axis=0)
GATHER = node("Gather", ["x", "i"], ["y"], axis=1)
REVERSE = node("ReverseSequence", ["x", "n"], ["y"])


@pytest.mark.parametrize(
    ("one", "declared", "rules"),
    [
        (node("Concat", ["x", "x"], ["y"], axis=0), [info("y", [5, 4])], ["sizes.sum"]),
        (node("Concat", ["x", "x"], ["y"], axis=0), [info("y", ["n", 4])], []),
        (node("Concat", ["x", "x"], ["y"], axis=0), [info("y", ["n", 5])], ["sizes.match", "sizes.match"]),
        (node("Concat", ["x", "x"], ["y"], axis=0), [info("y", [4, 4], I64)], ["dtype.equal"]),
        (node("Tile", ["x", "r"], ["y"]), [info("y", [2, 9])], ["sizes.repeat"]),
        (SPLIT, [info("a", [1, 4]), info("b", [2, 4])], ["sizes.sum"]),
        (SPLIT, [info("b", [1, 3])], ["sizes.match"]),
        (GATHER, [info("y", [2, 3])], []),
        (GATHER, [info("y", [2, 4])], ["gather.sizes"]),
        (GATHER, [info("y", [2, 0])], ["sizes.positive"]),
        (REVERSE, [info("y", [2, 5])], ["sizes.equal"]),
    ],
)
def test_declared_sizes_that_contradict_are_a_broken_rule(one: Any, declared: list[Any], rules: list[str]) -> None:
    inputs = [info("x", [2, 4]), info("i", [3], I64), info("n", [4], I64)]
    held = {"s": np.array([1, 1]), "r": np.array([1, 2])}
    for outputs, infos in ((declared, []), ([], declared)):
        (desc,) = taken(made([one], inputs, outputs, held, infos=infos)).values()
        assert set(rules) <= set(broken(desc))
        assert bool(rules) == bool(broken(desc))


@pytest.mark.parametrize(
    ("declared", "says"),
    [
        (info("m", [2, 3]), '"m" is declared as FLOAT32 {2, 3} and made as FLOAT32 {2, 4}, expected one type'),
        (info("m", [2]), '"m" is declared as FLOAT32 {2} and made as FLOAT32 {2, 4}, expected one type'),
        (info("m", [2, 4], I64), '"m" is declared as INT64 {2, 4} and made as FLOAT32 {2, 4}, expected one type'),
    ],
)
def test_what_a_node_is_given_has_one_type(declared: Any, says: str) -> None:
    nodes = [node("Relu", ["x"], ["m"]), node("Concat", ["m"], ["y"], axis=0)]
    assert says in refusal(made(nodes, [info("x", [2, 4])], infos=[declared]))
    held = made(nodes[1:], infos=[declared], held={"m": np.zeros((2, 4), np.float32)})
    assert says in refusal(held)
    assert '"m" is made twice' in refusal(made([*nodes[:1], *nodes], [info("x", [2, 4])]))


def test_an_output_of_another_rank_is_not_read() -> None:
    data = made([node("Concat", ["x", "x"], ["y"], axis=0)], [info("x", [2, 4])], [info("y", [4, 4, 1])])
    assert "its output is declared as FLOAT32 {4, 4, 1}, expected FLOAT32 {4, 4}" in refusal(data)


def test_lengths_for_another_batch_break_their_rule() -> None:
    (desc,) = taken(made([REVERSE], [info("x", [2, 4]), info("n", [3], I64)])).values()
    assert broken(desc) == ["lengths.sizes"]


def test_equal_parts() -> None:
    one = node("Split", ["x"], ["a", "b"], axis=0, num_outputs=2)
    (desc,) = taken(made([one], [info("x", [5])])).values()
    assert [part.sizes for part in desc.output_tensors] == [(3,), (2,)]
    del one.attribute[0:2]
    assert "it cuts 5 into 2 parts of sizes that it doesn't say" in refusal(made([one], [info("x", [5])], opset=13))


def test_declared_parts_stand_in_for_computed_ones() -> None:
    tile, cut = node("Tile", ["x", "r"], ["y"]), node("Split", ["x", "r"], ["a", "b"], axis=1)
    inputs = [info("x", [2, 4]), info("r", [2], I64)]
    assert "its repeats are computed by the model" in refusal(made([tile], inputs, [info("y", [6, 4])]))
    (desc,) = taken(made([cut], inputs, [info("a", [2, 1]), info("b", [2, 3])])).values()
    assert desc == dml.Split(f32(2, 4), (f32(2, 1), f32(2, 3)), 1)
    (desc,) = taken(made([cut], inputs, [info("a", [2, 1]), info("b", [2, 2])])).values()
    assert broken(desc) == ["sizes.sum"]
    assert '"b" is FLOAT32 of unknown shape' in refusal(made([cut], inputs, [info("a", [2, 1])]))


# ---- nothing is passed over -------------------------------------------------------------------------------------


PLACES = ("main", "if", "loop", "function", "apart")
FAULTS = ("none", "free", "computed", "declared", "empty", "type", "axis", "before")


def planted(
    number: int, kind: str, place: str, fault: str
) -> tuple[list[Any], list[Any], dict[str, Any], list[Any], list[Any]]:
    """Nodes, inputs, what is held, value infos and functions for one node of a kind, with a fault outside of what the
    desc's own fields say."""
    x, y, k = f"x{number}", f"y{number}", f"k{number}"
    sizes: list[Any] = [2, 4]
    if fault == "free":
        sizes = ["n", 4]
    elif fault == "empty":
        sizes = [2, 0]
    inputs = [info(x, sizes, TensorProto.BFLOAT16 if fault == "type" else F32)]
    held: dict[str, Any] = {}
    axis = 3 if fault == "axis" else 1
    if kind in ("Tile", "Split") and fault == "computed":
        inputs.append(info(k, [2], I64))
    elif kind != "Concat":
        held[k] = {"Tile": [1, 2], "Split": [1, 3], "Gather": [0, 1, 0], "ReverseSequence": [1, 2, 2, 1]}[kind]
    names = [x] if kind == "Concat" else [x, k]
    outputs = [y, f"{y}b"] if kind == "Split" else [y]
    one = node(kind, names, outputs, **({"axis": axis} if kind in ("Concat", "Split", "Gather") else {}))
    if kind in ("Tile", "ReverseSequence") and fault == "axis":
        one.input[0] = "nobody"
    said = [info(y, [2, 7])] if fault == "declared" else []
    before: list[Any] = []
    infos: list[Any] = []
    if fault == "before":  # what stands before it is declared to make another shape
        before, infos = [node("Relu", [f"w{number}"], [x])], [info(x, sizes)]
        inputs[0] = info(f"w{number}", [2, 5])
    if place == "main":
        return [one, *before], inputs, held, said + infos, []
    if place == "function":
        inner = function(f"F{number}", names, outputs, [one])
        return [node(f"F{number}", names, outputs, domain="local"), *before], inputs, held, said + infos, [inner]
    inner = graph([one], outputs=said or [info(y, None)])
    if place == "if":
        return (
            [node("If", ["c"], [f"o{number}"], then_branch=inner, else_branch=inner), *before],
            inputs,
            held,
            infos,
            [],
        )
    if place == "loop":
        inner.input.extend([info("i", [], I64), info("d", [], BOOL)])
        inner.output.insert(0, info("d", [], BOOL))
        return [node("Loop", ["times", ""], [f"o{number}"], body=inner), *before], inputs, held, infos, []
    return [node("Other", [x], [f"o{number}"], domain="com.example", inner=inner), *before], inputs, held, infos, []


@given(
    st.lists(
        st.tuples(
            st.sampled_from(("Concat", "Split", "Gather", "Tile", "ReverseSequence")),
            st.sampled_from(PLACES),
            st.sampled_from(FAULTS),
        ),
        min_size=1,
        max_size=5,
    )
)
@tried(300)
def test_no_node_is_passed_over(nodes: list[tuple[str, str, str]]) -> None:
    """Every node is an experiment or unchecked. None with a fault is fine, and each without one is."""
    whole: list[list[Any]] = [[], [info("c", [], BOOL), info("times", [], I64)], [], []]
    held: dict[str, Any] = {}
    fine = []
    for number, (kind, place, fault) in enumerate(nodes):
        its, inputs, values, infos, functions = planted(number, kind, place, fault)
        for mine, more in zip(whole, (its, inputs, infos, functions), strict=True):
            mine += more
        held |= {name: np.array(each, np.int64) for name, each in values.items()}
        is_fine = fault == "none" or (fault == "computed" and kind not in ("Tile", "Split"))
        fine.append(is_fine)
    data = made(whole[0], whole[1], held=held, functions=whole[3], infos=whole[2])
    count = sum(2 if place == "if" else 1 for _, place, _ in nodes)
    if not any(held_somewhere(fault, kind) for kind, _, fault in nodes):
        assert f"{count} of {count} node" in refusal(data)
        assert not any(fine)
        return
    found = read(data)
    left = unchecked(found)
    assert len(found.experiments) + max(0, len(left) - 1) == count
    if left:
        assert left[0] == found.remarks[0].where == ""
        assert found.remarks[0].text.startswith(f"{len(left) - 1} of {count} node")
    taken = [each for each in found.remarks if each.experiment is not None]
    ok = {each.where: found.experiments[each.experiment or 0].check().ok for each in taken}
    at = 1
    for number, is_fine in enumerate(fine, 1):
        mine = [good for where, good in ok.items() if where.startswith(f"node {at} (")]
        at += 1 + (nodes[number - 1][2] == "before")
        wanted = 2 if nodes[number - 1][1] == "if" else 1
        assert (len(mine) == wanted and all(mine)) == is_fine


def held_somewhere(fault: str, kind: str) -> bool:
    """True if the node becomes an experiment, fine or broken."""
    if fault == "computed":
        return kind not in ("Tile", "Split")
    if fault == "empty":
        return kind != "Split"  # which never has an empty part
    return fault in ("none", "declared") or (fault == "axis" and kind in ("Concat", "Split", "Gather"))
