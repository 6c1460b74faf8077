"""Random sessions of wired experiments, and what NumPy makes of them: values, and where each element comes from."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dmlviz as dml
from dmlviz.desc.value_sources import Listed, Wired
from dmlviz.operators.maps import CLAMPED, NOWHERE
from dmlviz.session.chains import Chain

MOST = 48
"""Elements of a tensor."""
Sizes = tuple[int, ...]
Cells = Any
"""An array of `Cell`s, as objects."""


@dataclass
class Cell:
    """One element: its value, where it comes from, and on how many ways it depends on each element of a root."""

    value: int
    root: tuple[str, str, int] | None
    ways: Counter[tuple[str, str, int]]
    clamped: bool = False

    def sent_by(self, cell: Cell, clamped: bool) -> Cell:
        """The same element, as an index or length sends it."""
        return Cell(self.value, self.root, self.ways + cell.ways, self.clamped or cell.clamped or clamped)


@dataclass
class Made:
    """A session, and all cells of each experiment's outputs."""

    experiments: list[dml.Experiment] = field(default_factory=list)
    outputs: dict[tuple[str, int], Cells] = field(default_factory=dict)

    def session(self, made: random.Random) -> dml.Session:
        return dml.Session(tuple(made.sample(self.experiments, len(self.experiments))))


def random_chain(made: random.Random, most: int = 8) -> Made:
    """Up to `most` experiments of any operator; each reads ones before it where it can, also as other sizes."""
    drawn = _Drawn(made)
    for number in range(made.randint(1, most)):
        drawn.add(f"e{number}")
    return drawn.made


class _Drawn:
    def __init__(self, made: random.Random) -> None:
        self.random, self.made = made, Made()
        self.values: dict[str, Any] = {}
        self.name = ""

    def add(self, name: str) -> None:
        """One more experiment, which reads the last one as often as not."""
        self.name, self.values = name, {}
        kinds = [
            self.join,
            self.split,
            self.tile,
            self.reverse,
            self.gather,
            self.gather,
        ]
        desc, cells = self.random.choice(kinds)()
        level = self.random.choice(("5_0", "5_0", "5_0", "6_4"))
        self.made.experiments.append(dml.Experiment(name, desc, level, self.values))  # type: ignore[arg-type]
        self.made.outputs |= {(name, number): output for number, output in enumerate(cells)}

    def read(self, path: str, sizes: Sizes | None = None) -> Cells:
        """The cells of an input: another experiment's output where there is one of so many elements, else a root's."""
        fitting = [
            (key, cells) for key, cells in self.made.outputs.items() if sizes is None or cells.size == np.prod(sizes)
        ]
        if fitting and self.random.random() < 0.8:
            (name, number), cells = fitting[-1] if self.random.random() < 0.5 else self.random.choice(fitting)
            experiment = next(one for one in self.made.experiments if one.name == name)
            output = experiment.desc.outputs[number].path
            short = len(experiment.desc.outputs) == 1 and self.random.random() < 0.5
            self.values[path] = Wired(name, "" if short else output)
            if sizes is None:
                sizes = self.otherwise(cells.shape)
            return cells.reshape(sizes)
        sizes = sizes or self.sizes()
        numbers = [self.random.choice((0, 0, 1, 1, 2, 3, 9)) for _ in range(int(np.prod(sizes)))]
        keys = [(self.name, path, flat) for flat in range(len(numbers))]
        cells = np.empty(len(numbers), object)
        cells[:] = [Cell(value, key, Counter([key])) for value, key in zip(numbers, keys, strict=True)]
        self.values[path] = Listed(tuple(numbers), sizes)
        return cells.reshape(sizes)

    def sizes(self) -> Sizes:
        sizes = tuple(self.random.randint(1, 4) for _ in range(self.random.randint(1, 3)))
        return sizes if np.prod(sizes) <= MOST else self.sizes()

    def otherwise(self, sizes: Sizes) -> Sizes:
        """The same elements with other sizes, now and then."""
        if self.random.random() < 0.7:
            return sizes
        count = int(np.prod(sizes))
        first = self.random.choice([n for n in range(1, count + 1) if count % n == 0])
        return (first, count // first)

    def join(self) -> tuple[Any, list[Cells]]:
        first = self.read("InputTensors[0]")
        axis = self.random.randrange(first.ndim)
        parts = [first, *(self.read(f"InputTensors[{k}]", first.shape) for k in range(1, self.random.randint(1, 3)))]
        return dml.Join(tuple(map(tensor, parts)), axis), [np.concatenate(parts, axis)]

    def split(self) -> tuple[Any, list[Cells]]:
        whole = self.read("InputTensor")
        axis = self.random.randrange(whole.ndim)
        cuts = sorted(self.random.sample(range(1, whole.shape[axis]), self.random.randint(0, whole.shape[axis] - 1)))
        parts = np.split(whole, cuts, axis)
        return dml.Split(tensor(whole), tuple(map(tensor, parts)), axis), parts

    def tile(self) -> tuple[Any, list[Cells]]:
        whole = self.read("InputTensor")
        repeats = tuple(self.random.randint(1, max(1, min(2, MOST // whole.size))) for _ in whole.shape)
        if np.prod(repeats) * whole.size > MOST:
            repeats = (1,) * whole.ndim
        return dml.Tile(tensor(whole), repeats), [np.tile(whole, repeats)]

    def reverse(self) -> tuple[Any, list[Cells]]:
        whole = self.read("InputTensor")
        axis = self.random.randrange(whole.ndim)
        shape = tuple(1 if d == axis else n for d, n in enumerate(whole.shape))
        lengths = self.read("SequenceLengthsTensor", shape)
        made = np.empty(whole.shape, object)
        for at in np.ndindex(whole.shape):
            cell: Cell = lengths[tuple(0 if d == axis else i for d, i in enumerate(at))]
            n = whole.shape[axis]
            length, k = min(cell.value, n), at[axis]
            source = length - 1 - k if k < length else k
            moved: Cell = whole[(*at[:axis], source, *at[axis + 1 :])]
            made[at] = moved.sent_by(cell, cell.value > n)
        return dml.ReverseSubsequences(tensor(whole), tensor(lengths), axis), [made]

    def gather(self) -> tuple[Any, list[Cells]]:
        whole = self.read("InputTensor")
        axis = self.random.randrange(whole.ndim)
        count = self.random.choice([cells.size for cells in self.made.outputs.values()] or [3])
        if count * whole.size // whole.shape[axis] > MOST:
            count = 1
        indices = self.read("IndicesTensor", (*(1,) * (whole.ndim - 1), count))
        made = np.empty((*whole.shape[:axis], count, *whole.shape[axis + 1 :]), object)
        n = whole.shape[axis]
        for at in np.ndindex(made.shape):
            cell = indices.reshape(-1)[at[axis]]
            picked = whole[(*at[:axis], min(cell.value, n - 1), *at[axis + 1 :])]
            made[at] = picked.sent_by(cell, cell.value >= n)
        return dml.Gather(tensor(whole), tensor(indices), axis, 1), [made]


def tensor(cells: Cells) -> dml.TensorDesc:
    return dml.TensorDesc("UINT32", cells.shape)


def differences(made: random.Random, most: int = 8, looked_at: int = 4) -> list[str]:
    """What a random chain says that NumPy doesn't."""
    drawn = random_chain(made, most)
    session, wrong = drawn.session(made), []
    for experiment in session.experiments:
        for number in range(len(experiment.desc.outputs)):
            want = values_of(drawn.outputs[experiment.name, number])
            if not np.array_equal(experiment.links.reference(number), want):
                wrong.append(f"values of {experiment.name}[{number}]")
    deepest = max(session.experiments, key=lambda one: len(one.stages))
    end = made.choice((deepest, made.choice(session.experiments)))
    chain = session.chain(end.name)
    cells = [drawn.outputs[end.name, number] for number in range(len(end.desc.outputs))]
    if not all(np.array_equal(one, values_of(other)) for one, other in zip(chain.run(), cells, strict=True)):
        wrong.append("run")
    keys = [(chain.stages[root.stage].name, root.part.path) for root in chain.inputs]
    numbers = {key: number for number, key in enumerate(keys)}
    for number, output in enumerate(cells):
        flat = np.arange(output.size, dtype=np.int64)
        roots, flats, flags = chain.addresses(len(chain.stages) - 1, number, flat)
        want_roots = [NOWHERE if c.root is None else numbers[c.root[:2]] for c in output.flat]
        if roots.tolist() != want_roots or flats.tolist() != [c.root[2] if c.root else 0 for c in output.flat]:
            wrong.append("addresses")
        if ((flags & CLAMPED) != 0).tolist() != [c.clamped for c in output.flat]:
            wrong.append("clamped")
        for at in islice((tuple(made.randrange(n) for n in output.shape) for _ in iter(int, 1)), looked_at):
            wrong += _path_differences(chain, number, at, output[at], keys)
    counts = sum((cell.ways for output in cells for cell in output.flat), Counter[tuple[str, str, int]]())
    for number, key in enumerate(keys):
        size = chain.inputs[number].part.tensor.element_count
        want_counts = [counts[(*key, flat)] for flat in range(size)]
        if chain.counts is None or chain.counts[number].tolist() != want_counts:
            wrong.append("counts")
        if chain.dead(number) != want_counts.count(0):
            wrong.append("dead")
        for one in (made.randrange(size) for _ in range(looked_at)):
            wrong += _reach_differences(chain, number, one, (*key, one), cells)
    return wrong


def _path_differences(chain: Chain, output: int, at: Sizes, cell: Cell, keys: list[tuple[str, str]]) -> list[str]:
    path = chain.source(output, at)
    want = (NOWHERE, ()) if cell.root is None else (keys.index(cell.root[:2]), cell.root[2])
    sizes = chain.inputs[path.root].part.tensor.sizes if path.root != NOWHERE else ()
    found = (path.root, int(np.ravel_multi_index(path.index, sizes)) if path.root != NOWHERE else ())
    return [] if (found, path.clamped) == (want, cell.clamped) else [f"path of {output}{at}"]


def _reach_differences(
    chain: Chain, number: int, flat: int, key: tuple[str, str, int], cells: list[Cells]
) -> list[str]:
    sizes = chain.inputs[number].part.tensor.sizes
    at = tuple(int(i) for i in np.unravel_index(flat, sizes))
    want = [(k, at_, output[at_].ways[key]) for k, output in enumerate(cells) for at_ in np.ndindex(output.shape)]
    want = [arrival for arrival in want if arrival[2]]
    return [] if chain.destinations(number, at) == want else ["destinations"]


def values_of(cells: Cells) -> NDArray[np.uint32]:
    return np.array([cell.value for cell in cells.flat], np.uint32).reshape(cells.shape)
