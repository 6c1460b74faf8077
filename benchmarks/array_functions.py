"""What the functions on arrays cost beside NumPy's own calls, and `dml.run` beside them: all called in turns.

A row is one size of one operator. Ratios are of the least times of all rounds and, in brackets, the median of the
rounds' own ratios: where other programs run too, the first tell what a call takes, the second how often that is so.
`python benchmarks/array_functions.py [--budget SECONDS]` prints the table.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from grid import machine

import dmlviz as dml
from dmlviz.desc.base import Desc
from dmlviz.formats.durations import duration
from dmlviz.timing.sampling import Spread, sample

SIZES = (("24", 24), ("64 Ki", 1 << 16), ("4 Mi", 1 << 22))


class Row(NamedTuple):
    """One function, what NumPy has for it, and the desc that it stands for."""

    name: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]
    desc: Desc
    arrays: Sequence[Any]


def rows(count: int) -> Iterator[Row]:
    """The five functions, with outputs of `count` elements in all."""
    x = np.random.default_rng(1).standard_normal(count).astype(np.float32)
    yield _gather(x.reshape(-1, 4 if count == 24 else 16))
    wide = x.reshape(-1, 8)
    parts = [wide[:, :3].copy(), wide[:, 3:].copy()]
    whole, three, five = map(_tensor, (wide, *parts))
    yield Row(
        "join", lambda: dml.join(parts, 1), lambda: np.concatenate(parts, 1), dml.Join((three, five), 1), parts
    )  # fmt: skip
    yield Row(
        "split",
        lambda: dml.split(wide, [3, 5], 1),
        lambda: [part.copy() for part in np.split(wide, [3], 1)],
        dml.Split(whole, (three, five), 1),
        [wide],
    )
    long = x.reshape(-1, 8 if count == 24 else 1024)
    lengths = np.full((len(long), 1), long.shape[1], np.uint32)
    yield Row(
        "reverse_subsequences",
        lambda: dml.reverse_subsequences(long, lengths, 1),
        lambda: np.flip(long, 1).copy(),
        dml.ReverseSubsequences(_tensor(long), _tensor(lengths), 1),
        [long, lengths],
    )
    quarter = x[: count // 4].reshape(-1, 3 if count == 24 else 1 << (count.bit_length() // 2 - 1))
    yield Row(
        "tile",
        lambda: dml.tile(quarter, (2, 2)),
        lambda: np.tile(quarter, (2, 2)),
        dml.Tile(_tensor(quarter), (2, 2)),
        [quarter],
    )


def _gather(x: Any) -> Row:
    picks = np.random.default_rng(2).integers(0, len(x), len(x))
    held = [x, picks.reshape(1, -1)]
    desc = dml.Gather(_tensor(x), _tensor(held[1]), 0, 1)
    return Row("gather", lambda: dml.gather(x, picks, 0), lambda: np.take(x, picks, 0), desc, held)


def _tensor(array: Any) -> dml.TensorDesc:
    return dml.TensorDesc(array.dtype, array.shape)


def ratio(one: Spread, other: Spread) -> str:
    """How many times as long as the other one takes."""
    return f"{one.min / other.min:.2f} ({median(map(float.__truediv__, one.samples, other.samples)):.2f})"


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--budget", type=float, default=2, help="seconds that a row of the table is timed for; 2")
    budget = words.parse_args().budget
    print(machine.sentence(machine.describe()))
    print("\n| elements | function | NumPy | function / NumPy | `run` / NumPy | `out=` / `run` | bound call / NumPy |")
    print("|---|---|---|---|---|---|---|")
    for size, count in SIZES:
        for name, ours, theirs, desc, arrays in rows(count):
            wanted, out = ours(), dml.run(desc, arrays)
            found = wanted if name == "split" else [wanted]
            known = theirs() if name == "split" else [theirs()]
            assert all(a.tobytes() == b.tobytes() == c.tobytes() for a, b, c in zip(found, known, out, strict=True))

            def run(desc: Desc = desc, arrays: Sequence[Any] = arrays) -> object:
                return dml.run(desc, arrays)

            def into(desc: Desc = desc, arrays: Sequence[Any] = arrays, out: Sequence[Any] = out) -> object:
                return dml.run(desc, arrays, out=out)

            timed = sample((ours, theirs, run, into, dml.bind(desc, arrays, out)), budget)
            own, numpy, alone, written, bound = timed
            ratios = ratio(own, numpy), ratio(alone, numpy), ratio(written, alone), ratio(bound, numpy)
            print(f"| {size} | {name} | {duration(numpy.min)} | {' | '.join(ratios)} |", flush=True)


if __name__ == "__main__":
    main()
