"""Nodes of ONNX models that read each other come in as chains; what stands between them is a root with its name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support.imported_chains import CHAINS, errors, same_chains, wires_of

from dmlviz.exporters.lib.exporting import export
from dmlviz.importers.lib import importing
from dmlviz.importers.lib.found import imported, own_items
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.session.reading import parse
from dmlviz.session.writing import dump

onnx = pytest.importorskip("onnx", reason="the package onnx isn't installed")
from onnx import helper  # noqa: E402
from support.made_onnx import BOOL, F32, I64, model, node  # noqa: E402


def read(data: bytes, name: str = "m.onnx") -> tuple[Experiment, ...]:
    return importing.read(data, name).experiments


@pytest.mark.parametrize("name", CHAINS)
def test_a_chain_that_became_onnx_comes_back(name: str) -> None:
    session = examples.example(name).session()
    same_chains(read(export(session, "onnx").data), session)


def attention() -> bytes:
    """A block of attention as exporters write one: a rotary embedding by position, and a cache."""
    ints = {name: np.array(entries, np.int64) for name, entries in {"parts": [8, 8, 8], "halves": [2, 2]}.items()}
    nodes = [
        node("MatMul", ["x", "weight"], ["qkv"]),
        node("Split", ["qkv", "parts"], ["q", "k", "v"], "heads", axis=2),
        node("Reshape", ["k", "head_sizes"], ["k_heads"]),
        node("Split", ["k_heads", "halves"], ["low", "high"], "cut", axis=3),
        node("Concat", ["high", "low"], ["turned"], "swap", axis=3),
        node("Gather", ["cosines", "positions"], ["cos"], "rows", axis=0),
        node("Mul", ["turned", "cos_of_heads"], ["rotated"]),
        node("Concat", ["past", "rotated"], ["keys"], "cache", axis=1),
        node("Gather", ["keys", "kept"], ["window"], "window", axis=1),
    ]
    held: dict[str, NDArray[Any]] = {
        **ints,
        "head_sizes": np.array([1, 3, 2, 4], np.int64),
        "weight": np.ones((8, 24), np.float32),
        "cosines": np.arange(32, dtype=np.float32).reshape(8, 4),
        "kept": np.array([0, 4], np.int64),
    }
    inputs = {"x": [1, 3, 8], "positions": (I64, [1, 3]), "cos_of_heads": [1, 3, 1, 4], "past": [1, 2, 2, 4]}
    return model(nodes, inputs, held)


def test_an_attention_block_opens_as_chains_with_named_roots() -> None:
    found = importing.read(attention(), "m.onnx")
    session = Session(found.experiments)
    assert wires_of(session.experiments) == {
        ("cut", "InputTensor"): ("heads", 1),
        ("swap", "InputTensors[0]"): ("cut", 1),
        ("swap", "InputTensors[1]"): ("cut", 0),
        ("window", "InputTensor"): ("cache", 0),
    }
    assert errors(session.experiments) == []
    turned = session.chain("swap")
    assert [stage.name for stage in turned.stages] == ["heads", "cut", "swap"]
    # The first of the swapped halves is k's third number, which MatMul made.
    path = turned.source(0, (0, 1, 0, 0))
    assert turned.root_text(path.root, path.index) == "qkv[0,1,10]"
    assert [session.chain("window").root_name(k) for k in range(3)] == ["past", "rotated", "kept"]
    remarks = {remark.experiment: remark.text for remark in found.remarks if remark.taken}
    assert remarks[1].endswith("it reads heads.")
    (alone,) = (each for each in session.experiments if each.name == "rows")
    assert not alone.extra  # in no chain

    again, unread = parse(dump(session).encode(), "f", None)
    assert not unread
    assert again == session
    assert again.chain("swap").root_text(path.root, path.index) == "qkv[0,1,10]"


def test_a_wrong_declared_intermediate_is_one_fault_and_what_is_behind_it_waits() -> None:
    nodes = [
        node("Split", ["x", "parts"], ["a", "b"], "cut", axis=1),
        node("Concat", ["b", "a"], ["c"], "join", axis=1),
        node("Tile", ["c", "times"], ["d"], "twice"),
    ]
    held = {"parts": np.array([4, 4]), "times": np.array([1, 2])}
    declared = {"a": (1, 5), "b": (1, 4), "c": (1, 8), "d": (1, 16)}
    found = read(model(nodes, {"x": [1, 8]}, held, declared=declared))
    assert {name for name, _ in errors(found)} == {"cut"}
    assert [each.check().waits_for for each in found[1:]] == ["cut", "cut"]
    assert wires_of(found)["join", "InputTensors[1]"] == ("cut", 0)
    right = read(model(nodes, {"x": [1, 8]}, held, declared={**declared, "a": (1, 4)}))
    assert errors(right) == []


def test_a_reshape_between_is_a_note_and_another_type_is_a_root() -> None:
    nodes = [
        node("Concat", ["x", "x"], ["c"], "join", axis=0),
        node("Reshape", ["c", "flat"], ["r"]),
        node("Tile", ["r", "times"], ["t"], "twice"),
        node("Cast", ["c"], ["whole"], to=I64),
        node("Gather", ["x", "whole"], ["g"], "pick", axis=0),
    ]
    held = {"flat": np.array([-1]), "times": np.array([2])}
    _, twice, pick = read(model(nodes, {"x": [2, 3]}, held))
    assert wires_of([twice, pick]) == {("twice", "InputTensor"): ("join", 0)}
    assert "chain.reinterpreted" in {check.id for check in twice.check().checks if not check.ok}
    assert not pick.extra


def test_names_that_wires_need_stand_once() -> None:
    nodes = [node("Tile", [f"x{k}", "times"], [f"x{k + 1}"], "same") for k in range(3)]
    found = read(model(nodes, {"x0": [2]}, {"times": np.array([1])}))
    assert [each.name for each in found] == ["same", "same 2", "same 3"]
    assert [source for source, _ in wires_of(found).values()] == ["same", "same 2"]
    assert errors(found) == []
    both = Session(imported([*own_items(found), *own_items(found)]).experiments).experiments
    assert errors(both) == []
    assert [len(each.stages) for each in both] == [1, 2, 3, 1, 2, 3]


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
    found = read(model(nodes, inputs, {"times": np.array([2])}, declared={"e": (16,)}, functions=[own]))
    led = wires_of(found)
    assert led["inner", "InputTensors[0]"] == ("first", 0)
    assert led["branch", "InputTensor"] == ("inner", 0)
    assert ("last", "InputTensor") not in led  # it may come from either branch
    assert errors(found) == []


def test_a_ring_is_not_read_and_more_stages_than_there_may_be_are_cut() -> None:
    ring = [node("Tile", ["b", "times"], ["a"], "one"), node("Tile", ["a", "times"], ["b"], "two")]
    data = model(ring, {}, {"times": np.array([1])}, declared={"a": (2,), "b": (2,)})
    imported = importing.read(data, "m.onnx")
    assert imported.remarks[1].text == '"b" is made twice, or after it is read, expected once and before.'
    assert [each.name for each in imported.experiments] == ["two"]
    assert errors(imported.experiments) == []
    deep = [node("Tile", [f"x{k}", "times"], [f"x{k + 1}"], f"n{k}") for k in range(70)]
    found = read(model(deep, {"x0": [2]}, {"times": np.array([1])}))
    assert errors(found) == []
    assert len(wires_of(found)) == 68  # two chains of 64 and 6
