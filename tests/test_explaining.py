"""An experiment in words: what is told is true, nothing breaks a line or a terminal, and giants take no longer."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from conftest import Toy
from hypothesis import given, settings
from strategies import Case, cases

import dmlviz as dml
from dmlviz import library
from dmlviz.explaining import MOST_TOLD, explain
from dmlviz.scene import sentences
from dmlviz.scene.sentences import told
from dmlviz.scene.steps import Steps, Unit
from dmlviz.session import Experiment
from dmlviz.specs import Listed
from dmlviz.tracing import Trace
from dmlviz.values import Random

GOLDEN = Path(__file__).parent / "explained"
Cell = tuple[int, ...]


def example(name: str) -> Experiment:
    return library.example(name).session().experiments[0]


@pytest.mark.parametrize("name", ["gather-2", "gather-3-as-printed", "reverse-1"])
def test_it_reads_as_it_always_has(name: str) -> None:
    assert explain(example(name)) == (GOLDEN / f"{name}.txt").read_text("utf-8")


def test_it_makes_sense_when_read_aloud() -> None:
    said = explain(example("gather-2"))
    assert "OutputTensor row 0 is InputTensor row 0, because IndicesTensor[0,0] is 0; it holds 1, 2." in said
    said = explain(example("warning-index-range"))
    assert "is 3 (clamped: DirectML promises no value here); it holds 5, 6." in said
    said = explain(library.example("warning-index-range").session().experiments[1])
    assert "InputTensor row 1 is never read." in said
    assert "because IndicesTensor[0,2] is -3 (negative: counts from the end)" in said


@pytest.mark.parametrize("shipped", library.shelf(), ids=lambda shipped: shipped.name)
def test_every_example_is_explained(shipped: library.Example) -> None:
    for each in shipped.session().experiments:
        said, report = explain(each), each.check()
        assert said.endswith("\n")
        lines = said.splitlines()
        assert all(line.isprintable() and line == line.rstrip() for line in lines)
        assert all(check.message in said for check in report.failures)
        assert ("It is valid" in said) is report.ok
        assert ("\nSteps, " in said) is report.ok
        assert str(report.lowest_level) in said or "No feature level accepts it." in said
        for part in each.desc.parts():
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
    outputs = [(part.path, part.tensor.sizes) for part in trace.outputs]
    inputs = [(part.path, part.tensor.sizes) for part in trace.inputs]
    whole = told(trace, 10**6)
    assert len(whole.sentences) == whole.count
    seen: set[tuple[int, Cell]] = set()
    for sentence in whole.sentences:
        assert sentence.endswith(".")
        said, _, holds = sentence[:-1].partition("; ")
        said, _, why = said.partition(", because ")
        values = []
        for written, read, axes in claims(said):
            output, there = cells(written, outputs)
            tensor, here = cells(read, inputs)
            assert len(there) == len(here), sentence
            for cell, source in zip(there, turned(here, axes), strict=True):
                found = trace.source(output, cell)
                assert (found.tensor, found.index) == (tensor, source), sentence
                assert (output, cell) not in seen
                seen.add((output, cell))
                if why:
                    assert found.via is not None
                    path = trace.inputs[found.via.tensor].path
                    index = ",".join(map(str, found.via.index))
                    assert re.fullmatch(rf"{path}\[{index}\] is {found.via.value}( \(.*\))?", why), sentence
                    assert ("clamped" in why) is found.clamped
                    assert ("negative" in why) is (found.negative and not found.clamped)
                values.append(trace.window(output, tuple(np.array([i]) for i in cell))[0])
        assert bool(holds) is (len(values) <= sentences.MOST_HELD)
        if holds:
            kind = np.asarray(values).dtype
            told_values = re.sub(r"^(it holds|they hold) ", "", holds).split(", ")
            assert np.array_equal(np.array(told_values).astype(kind), values, equal_nan=kind.kind == "f"), sentence
    assert len(seen) == sum(math.prod(sizes) for _, sizes in outputs)


@settings(max_examples=150, deadline=None)
@given(cases())
def test_every_element_is_told_once_and_truly(case: Case) -> None:
    check_told(dml.trace(case.desc, case.arrays))


@settings(max_examples=40, deadline=None)
@given(cases())
def test_by_smaller_steps_it_is_as_true(case: Case) -> None:
    """What an operator from outside may need: no slice and no run can be told in so few pieces."""
    trace = dml.trace(case.desc, case.arrays)
    for unit in (Unit.RUN, Unit.ELEMENT):
        steps = Steps(trace, unit)
        for step in range(1, min(steps.count, 60) + 1):
            group = steps.group(step)
            assert group is not None
            said = sentences.sentence(group)
            if unit is Unit.ELEMENT:
                assert said is not None
                assert said.startswith(f"{trace.outputs[group.boxes[0].output].path}[")


@settings(max_examples=60, deadline=None)
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


# ---- any experiment ---------------------------------------------------------------------------------------------


def test_a_sixth_operator_is_explained_too(toy: Toy) -> None:
    desc = toy.desc(dml.TensorDesc("FLOAT32", (2, 3)), 1)
    check_told(dml.trace(desc))
    said = explain(Experiment("turned", desc))
    assert "OutputTensor column 0 is InputTensor column 2; it holds 3, 6." in said
    broken = explain(Experiment("turned", toy.desc(dml.TensorDesc("FLOAT32", (2, 3)), 5)))
    assert "- Error axis.range: Axis is 5" in broken
    assert "Fix 1: change Axis from 5 to 1, after which every rule holds." in broken


GIANT = 65535
GIANTS = {
    "tile": dml.Tile(dml.TensorDesc("INT8", (GIANT // 5, GIANT // 3)), (5, 3)),
    "join": dml.Join((dml.TensorDesc("INT8", (GIANT, 5)), dml.TensorDesc("INT8", (GIANT, GIANT - 5))), 1),
    "gather": dml.Gather(dml.TensorDesc("INT8", (GIANT, GIANT)), dml.TensorDesc("UINT32", (1, GIANT)), 0, 1),
    "reverse": dml.ReverseSubsequences(dml.TensorDesc("INT8", (GIANT, GIANT)), dml.TensorDesc("UINT32", (1, GIANT)), 0),
}


@pytest.mark.parametrize("name", GIANTS)
def test_a_giant_is_explained_at_once(name: str) -> None:
    explain(example("gather-2"))  # what is imported late is there
    began = time.monotonic()
    said = explain(Experiment("giant", GIANTS[name], values={GIANTS[name].inputs[-1].path: Random(1)}))
    assert time.monotonic() - began < 1.5
    assert len(said) < 30_000
    assert "Cut to 120 columns and 60 lines." in said
    if name == "tile":
        assert "1. OutputTensor[0 to 13106,0 to 21844], 286,322,415 elements, begins with InputTensor[0,0] and" in said


def test_many_of_anything_are_counted() -> None:
    many = Experiment("n", dml.Join((dml.TensorDesc("UINT8", (2,)),) * 100, 0))
    said = explain(many)
    assert f"… and {100 - MOST_TOLD} more." in said
    assert "… and 85 more tensors." in said
    wrong = explain(Experiment("n", dml.Join((dml.TensorDesc("UINT8", (0,)),) * 100, 0)))
    assert "… and " in wrong
    assert len(wrong.splitlines()) < 300
    long = explain(Experiment("n", dml.Tile(dml.TensorDesc("UINT8", (1,) * 5000), (1,) * 5000)))
    assert max(map(len, long.splitlines())) == 1000


def test_hostile_text_stays_on_its_line() -> None:
    name = "a\n\x1b[31m\u202e\u2028\0" + "x" * 100_000
    first = explain(Experiment(name, GIANTS["tile"], notes=name)).splitlines()[0]
    assert first.isprintable()
    assert first.startswith("a\\n\\u001b[31m\\u202e\\u2028\\u0000xxx")
    assert len(first) <= 202
