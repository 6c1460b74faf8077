"""Sessions of wired experiments: random ones, each of their elements followed through one operator after the other,
and what tests of imported ones look at.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

import dmlviz as dml
from dmlviz.desc.value_sources import Listed, Wired
from dmlviz.operators.report import Severity
from dmlviz.session import examples

CHAINS = [example.name for example in examples.all_examples() if any(e.is_wired for e in example.session().experiments)]
MOST = 48
"""Elements of a tensor."""
Sizes = tuple[int, ...]
Key = tuple[str, str, int]
"""An element that no wire brings: its experiment, its input's path and its number there."""


@dataclass(frozen=True)
class Cell:
    """One element: its value, where it comes from, and on how many ways it depends on each element of a root."""

    value: int
    root: Key
    ways: Counter[Key]
    clamped: bool = False


def random_chain(made: random.Random, most: int = 8) -> dml.Session:
    """Up to `most` experiments of UINT32; each reads ones before it where it can, also as other sizes."""
    outputs: list[tuple[str, str, Sizes]] = []
    every = []
    for number in range(made.randint(1, most)):
        values: dict[str, Any] = {}
        desc = _desc(made, outputs, values)
        every.append(
            dml.Experiment(f"e{number}", desc, dml.FeatureLevel.of(made.choice(("5_0", "5_0", "6_4"))), values)
        )
        outputs += [(f"e{number}", part.path, part.tensor.sizes) for part in desc.outputs]
    return dml.Session(tuple(made.sample(every, len(every))))


def _read(made: random.Random, outputs: list[tuple[str, str, Sizes]], sizes: Sizes | None) -> tuple[Sizes, Any]:
    """What an input of these sizes, or of any, reads: an output of so many elements where there is one."""
    fitting = [each for each in outputs if sizes is None or np.prod(each[2]) == np.prod(sizes)]
    if fitting and made.random() < 0.8:
        name, path, own = made.choice((fitting[-1], made.choice(fitting)))
        if sizes is None and made.random() < 0.3:
            count = int(np.prod(own))
            first = made.choice([n for n in range(1, count + 1) if count % n == 0])
            own = (first, count // first)
        return sizes or own, Wired(name, path if path.endswith("]") else made.choice((path, "")))
    if sizes is None:
        sizes = tuple(made.randint(1, 4) for _ in range(made.choice((1, 2, 2))))
    return sizes, Listed(tuple(made.choice((0, 0, 1, 1, 2, 3, 9)) for _ in range(int(np.prod(sizes)))), sizes)


def _desc(made: random.Random, outputs: list[tuple[str, str, Sizes]], values: dict[str, Any]) -> Any:
    """A desc of any of the five operators, with what its inputs read put into `values`."""

    def read(path: str, sizes: Sizes | None = None) -> dml.TensorDesc:
        own, values[path] = _read(made, outputs, sizes)
        return dml.TensorDesc("UINT32", own)

    kind = made.choice((dml.Join, dml.Split, dml.Tile, dml.ReverseSubsequences, dml.Gather, dml.Gather))
    whole = read("InputTensors[0]" if kind is dml.Join else "InputTensor")
    axis = made.randrange(whole.dimension_count)
    before, n, after = whole.sizes[:axis], whole.sizes[axis], whole.sizes[axis + 1 :]
    if kind is dml.Join:
        more = made.randint(0, min(2, MOST // whole.element_count - 1))
        return dml.Join((whole, *(read(f"InputTensors[{k}]", whole.sizes) for k in range(1, more + 1))), axis)
    if kind is dml.Split:
        cuts = sorted(made.sample(range(1, n), made.randint(0, n - 1)))
        lengths = [stop - start for start, stop in pairwise((0, *cuts, n))]
        return dml.Split(whole, tuple(dml.TensorDesc("UINT32", (*before, k, *after)) for k in lengths), axis)
    if kind is dml.Tile:
        repeats = [1] * whole.dimension_count
        repeats[axis] = made.randint(1, min(3, MOST // whole.element_count))
        return dml.Tile(whole, repeats)
    if kind is dml.ReverseSubsequences:
        return dml.ReverseSubsequences(whole, read("SequenceLengthsTensor", (*before, 1, *after)), axis)
    count = made.choice([n, *(int(np.prod(each[2])) for each in outputs)])
    count = count if count * whole.element_count // n <= MOST else 1
    return dml.Gather(whole, read("IndicesTensor", (*(1,) * (len(before) + len(after)), count)), axis, 1)


def cells_of(session: dml.Session) -> dict[tuple[str, int], list[Cell]]:
    """By experiment and output all cells: each operator by itself says where its own elements come from."""
    made: dict[tuple[str, int], list[Cell]] = {}
    for end in session.experiments:
        for one in end.stages:
            if (one.name, 0) not in made:
                made |= {(one.name, number): cells for number, cells in enumerate(_outputs(one, made))}
    return made


def _outputs(one: dml.Experiment, made: dict[tuple[str, int], list[Cell]]) -> list[list[Cell]]:
    inputs = []
    for part, values in zip(one.desc.inputs, one.sources_or_defaults()[0], strict=True):
        entry = one.values.get(part.path)
        if isinstance(entry, Wired):
            inputs.append(made[entry.name, entry.number])
        else:
            keys = [(one.name, part.path, flat) for flat in range(part.tensor.element_count)]
            numbers = values.array().reshape(-1).tolist()
            inputs.append([Cell(value, key, Counter([key])) for value, key in zip(numbers, keys, strict=True)])
    sizes = [part.tensor.sizes for part in one.desc.inputs]
    arrays = [
        np.array([each.value for each in own], np.uint32).reshape(n) for own, n in zip(inputs, sizes, strict=True)
    ]
    trace = dml.trace(one.desc, arrays)

    def cell(number: int, index: tuple[int, ...]) -> Cell:
        source = trace.source(number, index)
        found = inputs[source.tensor][np.ravel_multi_index(source.index, sizes[source.tensor])]
        if source.via is None:
            return found
        by = inputs[source.via.tensor][np.ravel_multi_index(source.via.index, sizes[source.via.tensor])]
        return Cell(found.value, found.root, found.ways + by.ways, found.clamped or by.clamped or source.clamped)

    outputs = enumerate(one.desc.outputs)
    return [[cell(number, index) for index in np.ndindex(part.tensor.sizes)] for number, part in outputs]


def wires_of(experiments: Sequence[dml.Experiment]) -> dict[tuple[str, str], tuple[str, int]]:
    """By reader and path, the source and the number of its output."""
    return {
        (each.name, path): (entry.name, entry.number)
        for each in experiments
        for path, entry in each.values.items()
        if isinstance(entry, Wired)
    }


def same_chains(found: Sequence[dml.Experiment], session: dml.Session) -> None:
    """Descs, wires and what every chain computes are those of the session."""
    assert [(e.name, e.desc) for e in found] == [(e.name, e.desc) for e in session.experiments]
    assert wires_of(found) == wires_of(session.experiments)
    back = dml.Session(tuple(found))
    for each in session.experiments:
        want, got = session.chain(each.name).run(), back.chain(each.name).run()
        assert [a.tobytes() for a in got] == [a.tobytes() for a in want]


def errors(experiments: Sequence[dml.Experiment]) -> list[tuple[str, str]]:
    """The name of each experiment with the id of each rule of severity error that it breaks."""
    checks = ((each.name, check) for each in experiments for check in each.check().checks)
    return [(name, check.id) for name, check in checks if not check.ok and check.severity is Severity.ERROR]
