"""Certificates: what they prove holds, and what was forged is refused by a program that was written apart."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
import same_map
from support.forged_certificates import forged, proved, refusal

import dmlviz as dml
from dmlviz.equality import certificates
from dmlviz.equality.certificates import certificate_of
from dmlviz.equality.tables import NotDecided
from dmlviz.session.writing import dump


def test_what_holds_is_taken_and_what_is_forged_is_refused() -> None:
    for n in range(10):
        made = random.Random(n)
        certificate, session = proved(made)
        assert not refusal(certificate, session), n
        kind, proof, about = forged(made, certificate, session)
        assert refusal(proof, about), (n, kind)


X, CELLS = dml.TensorDesc("FLOAT32", (2, 3)), dml.TensorDesc("INT32", (1, 2))


def experiment(name: str, desc: Any, read: str = "", **values: Any) -> dml.Experiment:
    wires: dict[str, Any] = {"InputTensor": {"from": read}} if read else {}
    return dml.Experiment(name, desc, dml.FeatureLevel.of("4_1"), {**wires, **values})


def session_of(*experiments: dml.Experiment) -> tuple[dml.Session, Any]:
    made = dml.Session((experiment("x", dml.Tile(X, (1, 1))), *experiments))
    return made, json.loads(dump(made))


def certified(session: dml.Session, a: str, b: str) -> dict[str, Any]:
    left, right = session.chain(a), session.chain(b)
    made: dict[str, Any] = json.loads(json.dumps(certificate_of(dml.same(left, right), left, right, 0, 0)))
    return made


def test_a_variable_is_what_the_chain_reads_and_depends_on_what_is_there() -> None:
    picked = dml.Gather(X, CELLS, 1, 1)
    session, about = session_of(experiment("a", picked, "x"), experiment("b", picked, "x"))
    proof = certified(session, "a", "b")
    assert (proof["values"], refusal(proof, about)) == ("for all", "")
    (variable,) = proof["tree"]["variables"]
    assert (variable["input"], variable["size"]) == (["a", "IndicesTensor", 0], 3)
    for change, why in (
        ({"input": ["b", "IndicesTensor", 0]}, "none of the certificate's variables"),
        ({"size": 4}, "none of the certificate's variables"),
        *(({"size": size}, "a variable is none") for size in (10**12, 0, -3)),
        ({"cells": [[[-1], [[0, 0]]], [[1], [[0, 0], [1, 1]]]]}, "a variable is none"),
        ({"cells": [[[], [[0]]], [[1], [[0, 0]]]]}, "none of the certificate's variables"),
    ):
        made = json.loads(json.dumps(proof))
        made["tree"]["variables"][0].update(change)
        assert why in refusal(made, about)


LEFT = {"input": ["x", "InputTensor", 0], "tables": [[[1], [0, 1]], [[0], [0, 1, 2]]]}
"""What the copy is."""


@pytest.mark.parametrize(
    "tree",
    [
        LEFT,
        {**LEFT, "tables": [[[1], []], [[0], []]]},
        {**LEFT, "tables": []},
        {**LEFT, "input": None},
        {"cut": [-1], "parts": [[0], [1]], "then": [LEFT, LEFT]},
        {"cut": [-1, 1], "parts": [[0, 1, 2, 3]], "then": [LEFT]},
        {"cut": [0], "parts": [[0]], "then": [{**LEFT, "tables": [[[1], [0, 1]], [[], [0]]]}]},
        {"cut": [0], "parts": [[0, 1, 2], []], "then": [LEFT, LEFT]},
        {"cut": [0], "parts": [[0, 1, 2]], "then": []},
        {"cut": [], "parts": [], "then": []},
        {"cut": [0], "parts": [[0, 1], [1, 2]], "then": [LEFT, LEFT]},
    ],
)
def test_what_is_not_the_same_has_no_certificate(tree: Any) -> None:
    """One element is the same in both, the others aren't."""
    index = {"IndicesTensor": [[0, 2, 1]]}
    picked = dml.Gather(X, CELLS.resized((1, 3)), 1, 1)
    _, about = session_of(experiment("a", dml.Tile(X, (1, 1)), "x"), experiment("b", picked, "x", **index))
    proof = {"outputs": [["a", 0], ["b", 0]], "values": "for these", "tree": tree}
    assert refusal(proof, about)
    index["IndicesTensor"] = [[0, 1, 2]]
    _, about = session_of(experiment("a", dml.Tile(X, (1, 1)), "x"), experiment("b", picked, "x", **index))
    assert bool(refusal(proof, about)) is (tree is not LEFT)


def test_inputs_that_look_alike_are_one_or_go_by_their_order_in_either() -> None:
    wide = X.resized((2, 6))
    own: dict[str, Any] = {"InputTensors[0]": {"from": "p"}, "InputTensors[1]": {"from": "q"}}
    session, about = session_of(
        experiment("p", dml.Tile(X, (1, 1))),
        experiment("q", dml.Tile(X, (1, 1))),
        experiment("a", dml.Join((X, X), 1), **own),
        experiment("b", dml.Join((X, X), 1)),
        experiment("c", dml.Tile(X, (1, 2))),
        experiment("d", dml.Tile(wide, (1, 1))),
    )
    for one, other, holds in (
        ("a", "b", True),
        ("b", "a", True),
        ("b", "c", True),
        ("c", "b", True),
        ("b", "d", False),
    ):
        assert bool(dml.same(session.chain(one), session.chain(other))) is holds
        if holds:
            assert not refusal(certified(session, one, other), about)
    proof = certified(session, "b", "c")
    proof["outputs"] = [["b", 0], ["d", 0]]
    assert refusal(proof, about) == "elements come from another input"


def test_values_that_the_program_does_not_read_are_refused_in_a_sentence() -> None:
    picked = dml.Gather(X, CELLS.resized((1, 3)), 1, 1)
    for fill in ({"fill": "random", "seed": 1}, {"fill": "constant", "value": 2}, {"fill": "iota"}):
        index = {"IndicesTensor": fill}
        session, about = session_of(experiment("a", picked, "x", **index), experiment("b", picked, "x", **index))
        proof = certified(session, "a", "b")
        assert not refusal(proof, about)  # for all values none is read
        proof["values"] = "for these"
        is_read = fill["fill"] != "random"
        assert ("not read here" in refusal(proof, about)) is not is_read


def test_a_variable_without_values_leaves_nothing_out() -> None:
    """A cut along it would have no parts, and nothing would be checked."""
    turned = dml.Slice1(X, (0, 0), X.sizes, (1, -1))
    _, about = session_of(experiment("a", turned, "x"))
    for sizes in ((0,), (-2,), (-2, -2)):
        none = [{"input": LEFT["input"], "size": size, "cells": []} for size in sizes]
        tree = {"variables": none, "cut": [2], "parts": [], "then": []}
        assert refusal({"outputs": [["x", 0], ["a", 0]], "values": "for these", "tree": tree}, about)


def test_indices_that_wrap_in_their_type_are_not_read_as_if_they_did_not() -> None:
    for kind, start in (("UINT32", -2), ("INT32", 2**31 - 1)):
        cells = dml.TensorDesc(kind, (1, 3))
        index = {"IndicesTensor": {"fill": "iota", "start": start, "step": 1}}
        listed = {"IndicesTensor": [[1, 2, 0] if start < 0 else [2, 2, 2]]}
        wrapped, plain = dml.Gather(X, cells, 1, 1), dml.Gather(X, CELLS.resized((1, 3)), 1, 1)
        session, about = session_of(experiment("a", wrapped, "x", **index), experiment("b", plain, "x", **listed))
        assert not dml.same(session.chain("a"), session.chain("b"))
        proof = certified(session, "b", "b") | {"outputs": [["a", 0], ["b", 0]], "values": "for these"}
        proof["tree"] = {"input": LEFT["input"], "tables": [[[1], [0, 1]], [[0], listed["IndicesTensor"][0]]]}
        assert "not read here" in refusal(proof, about)


@pytest.mark.parametrize(("kind", "picked"), [("UINT32", 0), ("INT32", 2)])
def test_a_negative_padding_counts_from_the_end_in_signed_indices_alone(kind: str, picked: int) -> None:
    cell = dml.TensorDesc(kind, (1, 1))
    padded = experiment("pad", dml.Padding(cell, "CONSTANT", -1, (0, 0), (0, 1)), InputTensor=[[1]])
    wired = experiment("a", dml.Gather(X, cell.resized((1, 2)), 1, 1), "x", IndicesTensor={"from": "pad"})
    listed = experiment("b", dml.Gather(X, CELLS, 1, 1), "x", IndicesTensor=[[1, picked]])
    session, about = session_of(padded, wired, listed)
    assert not refusal(certified(session, "a", "b"), about)


def test_a_certificate_of_too_many_numbers_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificates, "MOST_NUMBERS", 4)
    session, _ = session_of()
    with pytest.raises(NotDecided, match="more than 4 numbers"):
        certified(session, "x", "x")


def test_only_what_is_the_same_is_certified() -> None:
    session, _ = session_of(experiment("b", dml.Tile(X, (1, 2)), "x"))
    with pytest.raises(dml.DmlvizError, match="a certificate is of the same map"):
        certified(session, "x", "b")


def test_laws_hold_at_two_to_the_32_and_what_is_too_large_is_said() -> None:
    answers = [dml.same(*pair()).answer.name for pair in same_map.LAWS]
    assert answers == ["FOR_ALL", "FOR_ALL", "FOR_THESE", "FOR_THESE", "FOR_ALL", "FOR_THESE", "DIFFERENT"]
    assert all(dml.same(*pair()).same is None for pair in same_map.TOO_LARGE[:2])
