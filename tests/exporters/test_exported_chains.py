"""Exports of sessions with wires: a chain is one function or graph in each target, and computes what its stages do."""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import dxdispatch_reader, little_torch, random_chains
from support.compiled_cpp import Program, expected, needs_gxx, run
from support.idioms import has_idiom
from support.random_chains import random_chain
from support.scripts import HOSTILE, run_scripts, written

import dmlviz as dml
from dmlviz.desc.value_sources import Listed, Wired
from dmlviz.errors import InvalidDescError
from dmlviz.exporters.lib.chained import Group, groups
from dmlviz.exporters.lib.exporting import export, snippet, targets
from dmlviz.importers.lib import importing
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.tracing import Trace


def split(name: str = "halves") -> Experiment:
    return Experiment(name, dml.Split(row(1, 8), (row(1, 4), row(1, 4)), axis=1))


def row(*sizes: int, kind: str = "FLOAT32") -> dml.TensorDesc:
    return dml.TensorDesc(kind, sizes)


def rotated(name: str = "swapped", source: str = "halves") -> Experiment:
    wires = {f"InputTensors[{k}]": Wired(source, f"OutputTensors[{1 - k}]") for k in range(2)}
    return Experiment(name, dml.Join((row(1, 4), row(1, 4)), axis=1), values=wires)


def twice(name: str = "twice", source: str = "swapped", *sizes: int) -> Experiment:
    sizes = sizes or (2, 4)
    return Experiment(name, dml.Tile(row(*sizes), (1, 2)), values={"InputTensor": Wired(source)})


def single(name: str = "alone") -> Experiment:
    return Experiment(name, dml.Tile(row(1, 2), (1, 2)))


def rotate_half() -> Session:
    """Three stages, out of order in the file, the last of which reads other sizes, and an experiment by itself."""
    return Session((single(), twice(), split(), rotated()))


def wired_indices() -> Session:
    """An index tensor that a GATHER makes, of which some lie outside and some count from the end; two ends."""
    table, picks, ints = (
        Listed((0, 7, -1, 2), (1, 4)),
        Listed((3, 0, 1, 1, 2, 0, 0, 0), (1, 8)),
        row(1, 8, kind="INT32"),
    )
    first = dml.Gather(row(1, 4, kind="INT32"), ints, axis=1, index_dimensions=1)
    second = dml.Gather(row(1, 4), ints, axis=1, index_dimensions=1)
    return Session(
        (
            Experiment("i", first, values={"InputTensor": table, "IndicesTensor": picks}),
            Experiment("x", second, values={"IndicesTensor": Wired("i")}),
            Experiment("more", dml.Tile(ints, (2, 1)), values={"InputTensor": Wired("i")}),
        )
    )


def chains() -> list[Session]:
    found = [each.session() for each in examples.all_examples()]
    shipped = [each for each in found if any(one.is_wired for one in each.experiments)]
    assert len(shipped) >= 5
    return [rotate_half(), wired_indices(), *shipped]


def hostile() -> list[Session]:
    """Rotate half under names that would end a text or a comment."""
    return [
        Session((split(name), rotated(f"s{name}", name), twice(f"t{name}", f"s{name}")), name) for name in HOSTILE[1:9]
    ]


def random_sessions(count: int, seed: int) -> list[Session]:
    made = random.Random(seed)
    return [random_chain(made, 6).session(made) for _ in range(count)]


def text(session: Session, target: str, **more: Any) -> str:
    found = export(session, target, **more).content
    assert isinstance(found, str)
    return found


# ---- there and back


@pytest.mark.parametrize(
    ("target", "name"),
    [("onnx", "a.onnx"), ("directmlx", "a.cpp"), ("dxdispatch", "a.json"), ("markdown", "a.md")],
)
def test_what_is_imported_again_is_the_same_chain(target: str, name: str) -> None:
    if target == "onnx":
        models()
    for session in [*chains(), *hostile()]:
        found = Session(importing.read(export(session, target).data, name, None).experiments)
        assert wires_of(found) == wires_of(session)


def wires_of(session: Session) -> list[Any]:
    """Each experiment's name and desc, and what its wires lead to, in any order."""
    every = []
    for one in session.experiments:
        read = [(path, wire.source.name, wire.number) for path, wire in one.values.items() if isinstance(wire, Wired)]
        every.append((one.name, repr(one.desc.inputs), sorted(read)))
    return sorted(every)


# ---- what is a chain


def test_what_wires_join_is_a_chain_and_the_rest_stands_alone() -> None:
    found = groups(rotate_half())
    assert [[number for number, _ in group] for group in found] == [[1], [3, 4, 2]]
    assert [group.number for group in found] == [1, 2]
    assert [one.name for _, one in found[1].ends] == ["twice"]
    (forked,) = groups(wired_indices())
    assert [one.name for _, one in forked.ends] == ["x", "more"]


@pytest.mark.parametrize("target", targets())
def test_one_experiment_comes_with_what_it_reads(target: str) -> None:
    session = rotate_half()
    whole = Session(tuple(session.chain("twice").stages))
    other = Session(session.experiments[1:], folder=None)
    made = export(session, target, experiment="twice")
    assert made.data == export(whole, target).data
    assert made.data != export(other, target).data or target not in ("numpy", "onnx")


# ---- ONNX


def test_onnx_evaluates_to_what_the_stages_make() -> None:
    onnx_models = models()
    for session in [*chains(), *random_sessions(60, 9)]:
        made = export(session, "onnx")
        outputs = [
            trace.reference(k)
            for _, one in ends_of(session)
            for trace in [one.trace()]
            for k in range(len(trace.outputs))
        ]
        assert onnx_models.same(onnx_models.evaluated(made), outputs)
        found = onnx_models.run(made) if onnx_models.HAS_RUNTIME else None
        assert found is None or onnx_models.same(found, outputs)


def test_onnx_computes_with_other_indices_at_the_root() -> None:
    """Lengths and indices that a stage makes are asked of that stage, not of the session's values."""
    lengths = row(2, 1, kind="UINT32")
    made = Experiment(
        "lengths", dml.Tile(row(1, 1, kind="UINT32"), (2, 1)), values={"InputTensor": Listed((2,), (1, 1))}
    )
    turned = Experiment(
        "turned", dml.ReverseSubsequences(row(2, 4), lengths, 1), values={"SequenceLengthsTensor": Wired("lengths")}
    )
    onnx_models = models()
    model = onnx_models.parsed(export(Session((made, turned)), "onnx"))
    given = {"tile_1_InputTensor": np.array([[3]], np.uint32)}
    (found,) = onnx_models.ReferenceEvaluator(model).run(None, given)
    assert found.tolist() == [[3, 2, 1, 4], [7, 6, 5, 8]]


def models() -> Any:
    return pytest.importorskip("support.onnx_models", reason="the package onnx isn't installed", exc_type=ImportError)


def one_by_one(trace: Trace) -> list[Any]:
    return [trace.reference(k) for k in range(len(trace.outputs))]


def ends_of(session: Session) -> list[tuple[int, Experiment]]:
    return [end for group in groups(session) for end in group.ends]


# ---- DxDispatch


def test_dxdispatch_dispatches_make_what_the_stages_make() -> None:
    for session in [*chains(), *random_sessions(60, 11)]:
        made = export(session, "dxdispatch")
        assert not made.files
        assert isinstance(made.content, str)
        printed = dxdispatch_reader.played(made.content)
        wanted = [out for _, one in ends_of(session) for out in one_by_one(one.trace())]
        assert len(printed) == len(wanted)
        assert all(found.tobytes() == want.tobytes() for found, want in zip(printed, wanted, strict=True))


# ---- C++


def test_cpp_has_a_function_for_each_stage_which_says_what_it_reads() -> None:
    broken = Session((split(), rotated(), twice("twice", "swapped", 3, 4), twice("lost", "nobody")))
    made = text(broken, "cpp")
    assert made.count("\nHRESULT ") == 4
    assert '    // InputTensors[0] holds OutputTensors[1] of "halves".\n' in made
    assert "- chain.elements (InputTensor.Sizes): " in made


# ---- DirectMLX


@pytest.mark.integration
@needs_gxx
@pytest.mark.parametrize("std", ["c++17", "c++20"])
def test_directmlx_has_a_chain_in_one_graph(tmp_path: Path, std: str) -> None:
    sayable = [
        each for each in random_sessions(16, 21) if all(has_idiom(one.desc, "directmlx") for one in each.experiments)
    ]
    programs = [Program(text(session, "directmlx"), session) for session in [*chains(), *sayable]]
    records = run(programs, tmp_path, on="DirectMLX", std=std)
    found = [group for program in programs for group in groups(program.session)]
    assert len(records) == len(found) > 15
    for record, group in zip(records, found, strict=True):
        structs = record["stages"] if group.is_chain else [record["struct"]]
        assert structs == [expected(one.desc) for _, one in group]
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


# ---- Python


@pytest.mark.integration
@pytest.mark.parametrize("target", ["numpy", "dmlviz"])
def test_scripts_run(target: str, tmp_path: Path) -> None:
    many = [*chains(), *random_sessions(25, 3)]
    paths = [written(export(each, target, stem=f"s{i}"), tmp_path / f"s{i}.py") for i, each in enumerate(many)]
    assert [found for found in run_scripts(paths, tmp_path) if found] == []


def test_scripts_for_pytorch_hold_their_asserts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", little_torch.module())
    for session in [*chains(), *random_sessions(25, 31)]:
        exec(text(session, "torch"), {"__name__": "__main__"})
    wrong = text(rotate_half(), "torch").replace("[split_3[1], split_3[0]]", "[split_3[0], split_3[1]]")
    with pytest.raises(AssertionError, match="OutputTensor of tile_2 differs"):
        exec(wrong, {"__name__": "__main__"})


@pytest.mark.parametrize(("target", "count"), [("numpy", 60), ("dmlviz", 8)])
def test_the_lines_of_a_slide_compute_what_numpy_does(target: str, count: int) -> None:
    for drawn, session, end in ends(count, 5):
        found: dict[str, Any] = {"print": lambda *_, **__: None}
        exec(str(snippet(session, target, experiment=end.name).content), found)
        outputs = found[groups(Session(end.stages))[0].names[id(end)]]
        assert same_values(drawn, end, outputs if end.desc.outputs[0].field.many else [outputs])


def ends(count: int, seed: int) -> Iterator[tuple[random_chains.Made, Session, Experiment]]:
    """Random chains: what NumPy says of them, the session, and its last experiment, which reads others."""
    made = random.Random(seed)
    while count:
        drawn = random_chain(made, 5)
        session = drawn.session(made)
        end = session.chain(drawn.experiments[-1].name).stages[-1]
        if end.is_wired:
            count -= 1
            yield drawn, session, end


def same_values(drawn: random_chains.Made, end: Experiment, outputs: Sequence[Any]) -> bool:
    """True if these are the values that NumPy says."""
    cells = [drawn.outputs[end.name, k] for k in range(len(outputs))]
    return all(
        np.array_equal(array, np.array([cell.value for cell in want.reshape(-1)]).reshape(want.shape))
        for array, want in zip(outputs, cells, strict=True)
    )


def test_a_chain_with_a_broken_stage_is_refused_by_its_root() -> None:
    broken = Session((split(), rotated(), twice("twice", "swapped", 3, 4)))
    for target in ("numpy", "torch", "dmlviz", "onnx", "directmlx"):
        with pytest.raises(InvalidDescError, match=r'"twice" can\'t be exported .*chain\.elements'):
            export(broken, target)
