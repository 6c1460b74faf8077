"""Exports of sessions with wires: a chain is one function or graph in each target, and computes what its stages do."""

from __future__ import annotations

import itertools
import random
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import little_torch, one_session
from support.compiled_cpp import expected, needs_gxx, run
from support.random_chains import random_chain
from support.reports import f32, tensor
from support.scripts import written
from support.strategies import has_idiom

import dmlviz as dml
from dmlviz.desc.value_sources import Listed, Wired
from dmlviz.exporters.lib.chained import Group, groups
from dmlviz.exporters.lib.exporting import export, targets
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session


def rotate_half(*sizes: int) -> Session:
    """Three stages, out of order in the file, the last of which reads other sizes, and an experiment by itself."""
    halves, swapped, twice = one_session.rotate_half().experiments
    alone = Experiment("alone", dml.Tile(f32(1, 2), (1, 2)))
    return Session((alone, replace(twice, desc=dml.Tile(f32(*(sizes or (2, 4))), (1, 2))), halves, swapped))


def wired_indices() -> Session:
    """Indices that a GATHER makes, of which some lie outside and some count from the end; lengths; two ends."""
    picks, ints = Listed((3, 0, 1, 1, 2, 0, 0, 0), (1, 8)), tensor("INT32", 1, 8)
    first = dml.Gather(tensor("INT32", 1, 4), ints, axis=1, index_dimensions=1)
    values = {"InputTensor": Listed((0, 7, -1, 2), (1, 4)), "IndicesTensor": picks}
    second = dml.Gather(f32(1, 4), ints, axis=1, index_dimensions=1)
    lengths = tensor("UINT32", 2, 1)
    third = dml.ReverseSubsequences(f32(2, 4), lengths, 1)
    made = dml.Tile(tensor("UINT32", 1, 1), (2, 1))
    return Session(
        (
            Experiment("i", first, values=values),
            Experiment("x", second, values={"IndicesTensor": Wired("i")}),
            Experiment("more", dml.Tile(ints, (2, 1)), values={"InputTensor": Wired("i")}),
            Experiment("lengths", made, values={"InputTensor": Listed((2,), (1, 1))}),
            Experiment("turned", third, values={"SequenceLengthsTensor": Wired("lengths")}),
        )
    )


def chains() -> list[Session]:
    every = [each.session() for each in examples.all_examples()]
    shipped = [each for each in every if any(one.is_wired for one in each.experiments)]
    assert len(shipped) >= 5
    return [rotate_half(), wired_indices(), *shipped]


def random_sessions(count: int, seed: int) -> list[Session]:
    made = random.Random(seed)
    return [random_chain(made, 6) for _ in range(count)]


def outputs_of(session: Session) -> list[Any]:
    """What the stages make of which none other reads."""
    traces = [one.trace() for group in groups(session) for _, one in group.ends]
    return [trace.reference(k) for trace in traces for k in range(len(trace.outputs))]


def test_what_wires_join_is_a_chain_and_the_rest_stands_alone() -> None:
    found = groups(rotate_half())
    assert [[number for number, _ in group] for group in found] == [[1], [3, 4, 2]]
    assert [group.number for group in found] == [1, 2]
    assert [one.name for _, one in found[1].ends] == ["twice"]
    assert [[one.name for _, one in group.ends] for group in groups(wired_indices())] == [["x", "more"], ["turned"]]


@pytest.mark.parametrize("target", targets())
def test_one_experiment_comes_with_what_it_reads(target: str) -> None:
    session = rotate_half()
    whole = Session(tuple(session.chain("twice").stages))
    assert export(session, target, experiment="twice").data == export(whole, target).data


def test_onnx_evaluates_to_what_the_stages_make() -> None:
    onnx_models: Any = pytest.importorskip("support.onnx_models", reason="onnx isn't installed", exc_type=ImportError)
    for session in [*chains(), *random_sessions(60, 9)]:
        made, wanted = export(session, "onnx"), outputs_of(session)
        assert onnx_models.same(onnx_models.evaluated(made), wanted)
    # Lengths that a stage makes are asked of that stage, not of the session's values.
    model = onnx_models.parsed(export(Session(wired_indices().experiments[3:]), "onnx"))
    (found,) = onnx_models.ReferenceEvaluator(model).run(None, {"tile_1_InputTensor": np.array([[3]], np.uint32)})
    assert found.tolist() == [[3, 2, 1, 4], [7, 6, 5, 8]]


def test_cpp_has_a_function_for_each_stage_which_says_what_it_reads() -> None:
    made = str(export(rotate_half(3, 4), "cpp").content)
    assert made.count("\nHRESULT ") == 4
    assert '    // InputTensors[0] holds OutputTensors[1] of "halves".\n' in made
    assert "- chain.elements (InputTensor.Sizes): " in made


@pytest.mark.integration
@needs_gxx
@pytest.mark.parametrize("std", ["c++17", "c++20"])
def test_directmlx_has_a_chain_in_one_graph(tmp_path: Path, std: str) -> None:
    drawn = random_sessions(16, 21)
    sayable = [each for each in drawn if all(has_idiom(one.desc, "directmlx") for one in each.experiments)]
    every = [one for each in examples.all_examples() for one in each.session().experiments if not one.is_wired]
    alone = [Session((one,)) for one in every if one.check().ok is not False and has_idiom(one.desc, "directmlx")]
    programs = [(str(export(each, "directmlx").content), each) for each in [*chains(), *sayable, *alone]]
    records = run(programs, tmp_path, on="DirectMLX", stds=(std,))
    found = [group for _, session in programs for group in groups(session)]
    assert len(records) == len(found) > 15
    for record, group in zip(records, found, strict=True):
        assert record["structs"] == [expected(one.desc) for _, one in group]
        assert record["told"] == expressions(group)


def expressions(group: Group) -> list[str]:
    """What a chain's outputs are, each as the expression of all that they are made of."""
    made: dict[tuple[int, int], str] = {}
    inputs = itertools.count()
    for _, one in group:
        read = []
        for part in one.desc.inputs:
            entry = one.values.get(part.path)
            if not isinstance(entry, Wired):
                read.append(f"input[{next(inputs)}]")
                continue
            tensor = entry.source.desc.outputs[entry.number].tensor
            again = "".join(f"{size} " for size in part.tensor.sizes)
            told = made[id(entry.source), entry.number]
            read.append(told if tensor.sizes == part.tensor.sizes else f"(Reinterpret{{{again}}} {told})[0]")
        name = type(one.desc).__name__
        for k in range(len(one.desc.outputs)):
            made[id(one), k] = f"({' '.join([name.removesuffix('1'), *read])})[{k}]"
    return [made[id(one), k] for _, one in group.ends for k in range(len(one.desc.outputs))]


@pytest.mark.integration
@pytest.mark.parametrize("target", ["numpy", "dmlviz", "torch"])
def test_scripts_hold_their_asserts(target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "torch", little_torch.module())
    for session in [*chains(), *random_sessions(25, 31)]:
        path = written(export(session, target, stem="s"), tmp_path / "s.py")
        exec(path.read_text("utf-8"), {"__name__": "__main__", "__file__": str(path)})
    text = str(export(rotate_half(), "torch").content)
    wrong = text.replace("[split_3[1], split_3[0]]", "[split_3[0], split_3[1]]")
    with pytest.raises(AssertionError, match="OutputTensor of tile_2 differs"):
        exec(wrong, {"__name__": "__main__"})
