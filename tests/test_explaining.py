"""An experiment in words: what is told is true, nothing breaks a line or a terminal, and giants take no longer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from support.effort import tried
from support.one_session import experiment_of
from support.outside import Toy
from support.strategies import Case, cases
from support.work import Work

import dmlviz as dml
from dmlviz.desc.tensors import TensorDesc
from dmlviz.desc.value_sources import Listed, Wired
from dmlviz.desc.values import Random
from dmlviz.explaining import MOST_TOLD, explain
from dmlviz.formats.page_text import shorts
from dmlviz.scene.words import sentences
from dmlviz.scene.words.sentences import told_steps
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment, Session
from dmlviz.tracing import Trace

GOLDEN = Path(__file__).parent / "explained"
Cell = tuple[int, ...]


@pytest.mark.parametrize("name", ["gather-2", "gather-3-as-printed", "reverse-1"])
def test_it_reads_as_it_always_has(name: str) -> None:
    assert explain(experiment_of(name)) == (GOLDEN / f"{name}.txt").read_text("utf-8")


def test_a_chain_is_told_by_its_stages_and_the_way_through_them() -> None:
    among = examples.example("chain-rotate-half").session().experiments
    first, second, last = (explain(each, among).splitlines() for each in among)
    for number, lines in enumerate((first, second, last), 1):
        assert f"Stage {number} of 3: halves ▸ swapped ▸ twice" in lines
        assert "The lowest feature level that takes all stages is 4_1, for which swapped asks." in lines
    assert '- InputTensor is FLOAT32 {1, 8}, from OutputTensor of "swapped", and holds 5, 6, 7, 8, 1, 2, 3, 4.' in last
    assert last[last.index("Through all stages") + 1 :] == [
        "- twice[0,15] is swapped[0,7].",
        "- swapped[0,7] is halves[0][0,3].",
        "- halves[0][0,3] is InputTensor[0,3] of halves.",
    ]
    among = examples.example("chain-computed-indices").session().experiments
    said = explain(among[1], among)
    assert "sent by 0 at IndicesTensor[0,1], which is order[0,1]." in said
    assert "Stage" not in explain(experiment_of("gather-2"), [experiment_of("gather-2")])


@pytest.mark.drawn(20)
@pytest.mark.parametrize("shipped", examples.all_examples(), ids=lambda shipped: shipped.name)
def test_every_example_is_explained(shipped: examples.Example) -> None:
    for each in shipped.session().experiments:
        said, report = explain(each), each.check()
        assert said.endswith("\n")
        lines = said.splitlines()
        assert all(line.isprintable() and line == line.rstrip() for line in lines)
        assert all(cause.message in said for cause in report.causes)
        assert ("It is valid" in said) is (report.ok is True)
        assert ("\nSteps, " in said) is (report.ok is not False)
        assert str(report.lowest_level) in said or ("No feature level accepts it." in said) is report.is_refused
        for part in each.desc.parts:
            assert f"- {part.path} is {part.tensor}" in said


# ---- every sentence is true -------------------------------------------------------------------------------------


def cells(text: str, parts: list[tuple[str, Cell]]) -> tuple[int, list[Cell]]:
    """The tensor that a place in a sentence names, and its elements there, in row-major order."""
    text = text.removeprefix("All of ").removeprefix("all of ")
    number, (path, sizes) = max(
        ((k, part) for k, part in enumerate(parts) if text.startswith(part[0])), key=lambda found: len(found[1][0])
    )
    rest = text[len(path) :]
    ranges = [range(n) for n in sizes]
    if line := re.fullmatch(r" (row|column)s? (\d+)(?: to (\d+))?", rest):
        long = [d for d, n in enumerate(sizes) if n > 1]
        assert len(long) == 2
        low, high = int(line[2]), int(line[3] or line[2])
        ranges[long[line[1] == "column"]] = range(low, high + 1)
    elif rest:
        assert rest.startswith("["), text
        for d, held in enumerate(rest[1:-1].split(",")):
            if held != "all":
                low, _, high = held.partition(" to ")  # type: ignore[assignment]
                ranges[d] = range(int(low), int(high or low) + 1)
    assert all(0 <= r.start < r.stop <= n for r, n in zip(ranges, sizes, strict=True)), text
    return number, list(product(*ranges))


def claims(sentence: str) -> Iterator[tuple[str, str, set[int] | None]]:
    """(place written, place read, axes that run backwards: None for the one that there is) of a sentence."""
    for claim in sentence.split(" and Output"):
        claim = claim if claim.lower().startswith(("output", "all of")) else f"Output{claim}"
        written, read = re.split(r" (?:is|are) ", claim)
        axes: set[int] | None = set()
        if found := re.search(r" backwards(?: along axis (.*))?$", read):
            axes = {int(d) for d in found[1].split(" and ")} if found[1] else None
            read = read[: found.start()]
        yield written, read, axes


def turned(found: list[Cell], axes: set[int] | None) -> list[Cell]:
    """The elements of a box in row-major order, with some axes taken backwards."""
    along = [sorted({cell[d] for cell in found}) for d in range(len(found[0]))]
    if axes is None:
        (axis,) = [d for d, held in enumerate(along) if len(held) > 1]
        axes = {axis}
    return list(product(*(held[::-1] if d in axes else held for d, held in enumerate(along))))


def check_told(trace: Trace) -> None:
    """Every element of every output is told exactly once, and truly."""
    whole = told_steps(trace, 10**6)
    assert len(whole.sentences) == whole.count
    elements = [each for sentence in whole.sentences for each in check_sentence(trace, sentence)]
    assert len(elements) == len(set(elements)) == sum(part.tensor.element_count for part in trace.outputs)


def check_sentence(trace: Trace, sentence: str) -> list[tuple[int, Cell]]:
    """The output elements that a sentence tells of, after all that it says of them was looked up."""
    outputs = [(part.path, part.tensor.sizes) for part in trace.outputs]
    inputs = [(part.path, part.tensor.sizes) for part in trace.inputs]
    assert sentence.endswith(".")
    if filled := re.fullmatch(r"(.*) (?:is|are) filled with (\w+), which is (.*)\.", sentence):
        output, there = cells(filled[1], outputs)
        assert filled[2] == trace.operator.constant_path
        for cell in there:
            assert trace.source(output, cell).nowhere, sentence
            assert shorts(trace.window(output, tuple(np.array([i]) for i in cell))) == [filled[3]], sentence
        return [(output, cell) for cell in there]
    said, _, holds = sentence[:-1].partition("; ")
    said, _, why = said.partition(", because ")
    elements: list[tuple[int, Cell]] = []
    values = []
    for written, read, axes in claims(said):
        output, there = cells(written, outputs)
        tensor, here = cells(read, inputs)
        assert len(there) == len(here), sentence
        for cell, source in zip(there, turned(here, axes), strict=True):
            found = trace.source(output, cell)
            assert (found.tensor, found.index) == (tensor, source), sentence
            elements.append((output, cell))
            if why:
                assert found.via is not None
                path = trace.inputs[found.via.tensor].path
                index = ",".join(map(str, found.via.index))
                assert re.fullmatch(rf"{path}\[{index}\] is {found.via.value}( \(.*\))?", why), sentence
                assert ("clamped" in why) is found.clamped
                assert ("negative" in why) is (found.negative and not found.clamped)
        values += [trace.window(output, tuple(np.array([i]) for i in cell))[0] for cell in there]
    assert bool(holds) is (len(values) <= sentences.MOST_HELD)
    if holds:
        kind = np.asarray(values).dtype
        shown = re.sub(r"^(it holds|they hold) ", "", holds).split(", ")
        values = sorted(values, key=repr) if " and Output" in said else values  # a row's pieces may not lie in a row
        shown = sorted(shown, key=lambda x: repr(kind.type(x))) if " and Output" in said else shown
        assert np.array_equal(np.array(shown).astype(kind), values, equal_nan=kind.kind == "f"), sentence
    return elements


@tried(150)
@given(cases())
def test_every_element_is_told_once_and_truly(case: Case) -> None:
    check_told(dml.trace(case.desc, case.arrays))


@tried(60)
@given(cases())
def test_what_is_never_read_is_named(case: Case) -> None:
    trace = dml.trace(case.desc, case.arrays)
    values = {
        part.path: Listed(tuple(array.reshape(-1).tolist()), array.shape)
        for part, array in zip(case.desc.inputs, case.arrays, strict=True)
        if not part.tensor.data_type.is_float
    }
    said = explain(Experiment("n", case.desc, values=values))
    assert all(line.isprintable() for line in said.splitlines())
    part = trace.inputs[0]
    read = {trace.source(0, cell).index for cell in product(*map(range, trace.outputs[0].tensor.sizes))}
    if len(trace.outputs) == 1 and len(trace.inputs) <= 2 and part.path == "InputTensor":
        unread = set(product(*map(range, part.tensor.sizes))) - read
        assert (" never read." in said) is bool(unread)
        line = next((line for line in said.splitlines() if line.endswith(" never read.")), None)
        if line is not None and " more " not in line:
            names = re.split(r" (?:is|are) never", line.removeprefix("- "))[0]
            places = re.split(r"(?:, | and )(?=InputTensor)", names)
            told_cells = [cell for each in places for cell in cells(each, [(part.path, part.tensor.sizes)])[1]]
            assert sorted(told_cells) == sorted(unread)


def test_a_sixth_operator_is_explained_too(toy: Toy) -> None:
    desc = toy.desc(dml.TensorDesc("FLOAT32", (2, 3)), 1)
    check_told(dml.trace(desc))
    said = explain(Experiment("turned", desc))
    assert "OutputTensor[1,2] = InputTensor[1,0] = 4." in said
    broken = explain(Experiment("turned", toy.desc(dml.TensorDesc("FLOAT32", (2, 3)), 5)))
    assert "- Error axis.range: Axis is 5" in broken
    assert "Fix 1: Axis 5 → 1, after which every check passes." in broken


GIANT = 65535
GIANTS = {
    "tile": dml.Tile(dml.TensorDesc("INT8", (GIANT // 5, GIANT // 3)), (5, 3)),
    "gather": dml.Gather(dml.TensorDesc("INT8", (GIANT, GIANT)), dml.TensorDesc("UINT32", (1, GIANT)), 0, 1),
    "reverse": dml.ReverseSubsequences(dml.TensorDesc("INT8", (GIANT, GIANT)), dml.TensorDesc("UINT32", (1, GIANT)), 0),
}


@pytest.mark.drawn(1)
@pytest.mark.parametrize("name", GIANTS)
def test_a_giant_is_explained_at_once(name: str) -> None:
    explain(experiment_of("gather-2"))  # what is imported late is there
    with Work() as work:
        said = explain(Experiment("giant", GIANTS[name], values={GIANTS[name].inputs[-1].path: Random(1)}))
    assert work.done < GIANT * GIANT // 100  # a tensor that is scanned is all of that
    assert len(said) < 30_000
    assert "Cut to 120 columns and 60 lines." in said
    if name == "tile":
        assert "1. OutputTensor[0 to 13106,0 to 21844], 286,322,415 elements, begins with InputTensor[0,0] and" in said


def test_what_is_left_out_is_said() -> None:
    one, byte = TensorDesc("FLOAT32", (1, 1)), TensorDesc("UINT8", (2,))
    parts = Experiment("parts", dml.Split(TensorDesc("FLOAT32", (1, 20)), [one] * 20, 1))
    wires = [{"InputTensor": Wired("parts", f"OutputTensors[{k}]")} for k in range(20)]
    readers = [Experiment(f"t{k}", dml.Tile(one, (1, 2)), values=wires[k]) for k in range(20)]
    among = Session((parts, *readers)).experiments
    for each, left_out in (
        (among[0], ["… and 4 more chains.\n", "… and 5 more tensors.\n"]),
        (Experiment("joined", dml.Join([one] * 20, 1)), ["… and 4 more inputs.\n"]),
        (Experiment("n", dml.Join([byte] * 100, 0)), [f"… and {100 - MOST_TOLD} more.", "… and 85 more tensors."]),
        (Experiment("n", dml.Join([TensorDesc("UINT8", (0,))] * 100, 0)), ["… and "]),
    ):
        said = explain(each, among)
        assert all(told in said for told in left_out)
        assert len(said.splitlines()) < 300
    long = explain(Experiment("n", dml.Tile(TensorDesc("UINT8", (1,) * 5000), (1,) * 5000)))
    assert max(map(len, long.splitlines())) == 1000


def reading_twice(stages: int) -> Session:
    """A chain in which each stage's output is the next one's data, and its indices too."""
    tensor = TensorDesc("UINT32", (1, 4))
    made = [Experiment("s0", dml.Tile(tensor, (1, 1)), values={"InputTensor": Listed((1, 2, 3, 0), (1, 4))})]
    for k in range(1, stages):
        wires = {path: Wired(f"s{k - 1}") for path in ("InputTensor", "IndicesTensor")}
        made.append(Experiment(f"s{k}", dml.Gather(tensor, tensor, 1, 1), values=wires))
    return Session(tuple(made))


def test_a_chain_in_which_each_stage_is_read_twice_is_explained_in_linear_work() -> None:
    done = []
    for stages in (12, 12, 24):  # the first time there is more to do, once
        session = reading_twice(stages)
        assert session.experiments[-1].check().ok
        with Work() as work:
            explain(session.experiments[-1], session.experiments)
        done.append(work.done)
    assert done[2] < 2.5 * done[1], done
