"""ONNX models of which not everything can be read: no node of the five operators is passed over in silence."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import tried

import dmlviz as dml
from dmlviz.importers.lib import importing
from dmlviz.importers.lib.imported import Imported, ImportFailedError, Remark, Why

onnx = pytest.importorskip("onnx", reason="the package onnx isn't installed")
from onnx import helper, numpy_helper  # noqa: E402
from support.onnx_models import BOOL, F32, I64, node  # noqa: E402


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
        '2 of 3 nodes not checked: node 3 (Concat): "x" is FLOAT32 {?, ?, 4}, expected fixed sizes; '
        "`--dim batch=SIZE --dim t=SIZE` gives free dimensions their sizes.",
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
        ([node("Concat", ["x"], ["y"])], "it violates a rule of ONNX: Required attribute 'axis' is missing."),
        ([node("Concat", ["x"], ["y"], axis=0.5)], "it violates a rule of ONNX: Mismatched attribute type in"),
        ([node("Split", ["x"], ["a", "b", "c"])], "it cuts 4 into 3 parts of sizes that it doesn't say, expected a"),
        ([node("Split", ["x", "s"], ["a", "b", "c"])], '"a" is unknown, expected a DataType of'),
        ([node("Gather", ["x", "i"], ["y"], batch_dims=1)], "it violates a rule of ONNX: Unrecognized attribute"),
        ([node("Tile", ["x", "s", "s"], ["y"])], "it violates a rule of ONNX: Node with schema(::Tile:13) has input"),
        ([node("ReverseSequence", ["m", "m2"], ["y"])], "and lengths of 1 dimension"),
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
    assert "`--dim batch=SIZE --dim x:1=SIZE`" in refusal(FREE)
    assert "`--dim x:1=SIZE`" in refusal(FREE, {"batch": 1})


def test_sizes_that_the_model_has_no_use_for() -> None:
    for size, said in ((2**32, "4294967296"), (True, "true")):
        assert refusal(FREE, {"x:1": size}) == f'dimension "x:1" is {said}, expected a size of 1 to 4,294,967,295.'
    fixed = made([COPY], [info("x", [2])])
    assert refusal(fixed, {"n": 1}) == 'm.onnx has no free dimension "n", as all its inputs\' sizes are fixed.'


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


def loop(*nodes: Any, state: Any, after: str) -> list[Any]:
    body = graph(nodes, [info("i", [], I64), info("c", [], BOOL), state], [info("c", [], BOOL), info(after, None)])
    return [node("Loop", ["n", "", "x"], ["y"], body=body), node("Concat", ["y"], ["z"], axis=0)]


def test_a_loop_keeps_the_sizes_that_no_turn_changes() -> None:
    nodes = loop(node("Concat", ["s", "x"], ["t"], axis=0), state=info("s", None), after="t")
    other = node("Concat", ["x"], ["other"], axis=0)
    found = read(made([*nodes, other], [info("x", [2, 3]), info("n", [], I64)]))
    said = {each.where: each.text for each in found.remarks if each.unchecked}
    why = "it is in a loop whose iterations change sizes, expected fixed ones."
    assert said["node 1 (Loop).body node 1 (Concat)"] == why
    assert said["node 2 (Concat)"].startswith('"y" is unknown')
    steady = [node("Concat", ["s", "x"], ["t"], axis=0), node("Gather", ["t", "k"], ["u"])]
    nodes = loop(*steady, state=info("s", None), after="u")
    data = made(nodes, [info("x", [2, 3]), info("n", [], I64)], held={"k": np.array([3, 1])})
    assert [each.outputs[0].tensor.sizes for each in taken(data).values()] == [(4, 3), (2, 3), (2, 3)]


# ---- functions --------------------------------------------------------------------------------------------------


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
    both = refusal(made(nodes, [info("x", [2, 4])], infos=[declared, info("m", [2, 4])]))
    assert '"m" is declared as two types of unknown shape and made as FLOAT32 {2, 4}' in both


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
FAULTS = ("none", "free", "type", "computed", "declared", "empty")
GIVEN = {"Concat": (), "Split": [1, 3], "Gather": [0, 1, 0], "Tile": [1, 2], "ReverseSequence": [1, 2, 2, 1]}


def planted(number: int, kind: str, place: str, fault: str) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
    """A node of a kind with a fault, and what holds it; inputs, value infos and functions."""
    x, y, k = f"x{number}", f"y{number}", f"k{number}"
    sizes = {"free": ["n", 4], "empty": [2, 0]}.get(fault, [2, 4])
    names, outputs = [x] if kind == "Concat" else [x, k], [y, f"{y}b"] if kind == "Split" else [y]
    one = node(kind, names, outputs, **({"axis": 1} if kind in ("Concat", "Split", "Gather") else {}))
    inputs = [info(x, sizes, onnx.TensorProto.BFLOAT16 if fault == "type" else F32), info(k, [len(GIVEN[kind])], I64)]
    said = [info(y, [2, 7])] if fault == "declared" else []
    if place == "main":
        return [one], inputs, said, []
    if place == "function":
        own = function(f"F{number}", names, outputs, [one])
        return [node(f"F{number}", names, outputs, domain="local")], inputs, said, [own]
    inner = graph([one], outputs=said or [info(y, None)])
    if place == "if":
        other = graph([node("Relu", [x], ["r"])], outputs=[info("r", None)])
        return [node("If", ["c"], [f"o{number}"], then_branch=inner, else_branch=other)], inputs, [], []
    if place == "loop":
        inner.input.extend([info("i", [], I64), info("d", [], BOOL)])
        inner.output.insert(0, info("d", [], BOOL))
        return [node("Loop", ["times", ""], [f"o{number}"], body=inner)], inputs, [], []
    return [node("Other", [x], [f"o{number}"], domain="com.example", inner=inner)], inputs, [], []


@given(st.lists(st.tuples(*map(st.sampled_from, (tuple(GIVEN), PLACES, FAULTS))), min_size=1, max_size=5))
@tried(200)
def test_no_node_is_passed_over(nodes: list[tuple[str, str, str]]) -> None:
    """Each node is fine, breaks a rule or is unchecked, as its fault has it."""
    whole = [planted(number, *each) for number, each in enumerate(nodes)]
    its, inputs, infos, functions = ([*chain(*parts)] for parts in zip(*whole, strict=True))
    held = {f"k{i}": np.array(GIVEN[kind]) for i, (kind, _, fault) in enumerate(nodes) if fault != "computed"}
    inputs += [info("c", [], BOOL), info("times", [], I64), info("ok", [1])]
    data = made([*its, node("Concat", ["ok"], ["fine"], axis=0)], inputs, (), held, functions, infos)
    found = read(data)
    seen = {each.where.split(" (")[0]: each for each in found.remarks if each.unchecked or each.taken}
    for number, (kind, _, fault) in enumerate(nodes, 1):
        one = seen[f"node {number}"]
        is_left = fault in ("free", "type") or (kind in ("Tile", "Split") and fault == "computed")
        assert one.unchecked == (is_left or (kind == "Split" and fault == "empty"))  # no part is empty
        if one.experiment is not None:
            assert found.experiments[one.experiment].check().ok == (fault in ("none", "computed"))
