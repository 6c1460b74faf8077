"""What each part of the kernels' machinery is worth: the time without it over the time with it, in turns.

A part is left out by changing the numbers that the kernel's plan made; the outputs stay the same, which is checked.
Times are the least of many rounds: on a machine that others use too, medians tell how busy those were. Prints the
tables of docs/KERNELS.md: `python benchmarks/kernel_parts.py [--budget SECONDS]`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from grid import cells, machine
from grid.cells import Cell

from dmlviz.formats.durations import duration
from dmlviz.kernels import reverse_subsequences, tile
from dmlviz.kernels.lib import loading, plan, textbook, thread_pool
from dmlviz.operators.registry import operator_of
from dmlviz.timing.sampling import sample

ROW, REVERSE, TILE = plan.ROW_PLACE, reverse_subsequences.PLACE, tile.PLACE
Change = Callable[[list[int]], dict[int, int]]
"""Tells which numbers, by place, are others without the part."""


class Part(NamedTuple):
    name: str
    cell: str
    without: Change


def alone(numbers: list[int]) -> dict[int, int]:
    """No thread helps: one takes all units at once."""
    return {ROW.step: max(1, numbers[ROW.units])}


def one_pass(numbers: list[int]) -> dict[int, int]:
    """Each pass goes over all rows before the next begins."""
    rows = numbers[ROW.outer]
    return {ROW.units: 1, ROW.step: 1, ROW.high: rows, ROW.height: rows}


def tiles_of_rows(numbers: list[int]) -> dict[int, int]:
    """The block holds one position of the axis that is cut, once."""
    size, repeat = (numbers[place + 3 * numbers[TILE.cut]] for place in (TILE.size, TILE.repeat))
    units = numbers[TILE.units] // numbers[TILE.chunks] * size // numbers[TILE.groups]
    places = numbers[TILE.all_places] // numbers[TILE.places] * repeat
    return {
        TILE.units: units, TILE.step: units, TILE.height: 1, TILE.chunks: size, TILE.times: 1, TILE.places: repeat,
        TILE.groups: 1, TILE.each: places, TILE.all_places: places,
    }  # fmt: skip


PARTS = (
    Part("threads", "4Mi/float32/join/last/3+5", alone),
    Part("threads", "4Mi/float32/gather/first/rows16/sequential/far/uint32", alone),
    Part("threads", "4Mi/float32/reverse/last/seq1024/random/uint32", alone),
    Part("blocks of rows", "4Mi/float32/join/last/3+5", one_pass),
    Part("blocks of rows", "4Mi/float32/split/middle/3+5/inner5", one_pass),
    Part("rows written whole", "4Mi/float32/join/middle/5x7/inner4", lambda _: {ROW.height: plan.ROWS}),
    Part("rows written whole", "4Mi/float32/split/middle/5x7/inner4", lambda _: {ROW.height: plan.ROWS}),
    Part("words woven by shuffles", "4Mi/float32/join/last/1x8", lambda _: {ROW.alike: 0}),
    Part("words woven by shuffles", "4Mi/int8/join/last/1x8", lambda _: {ROW.alike: 0}),
    Part("the processor's own copy", "4Mi/float32/join/first/halves/inner1024", lambda _: {ROW.far: 0}),
    Part(
        "strips laid close", "4Mi/float32/reverse/middle/seq1024/random/inner64/uint32", lambda _: {REVERSE.wide: -16},
    ),
    Part("a block built once", "4Mi/float32/tile/last/run3/x3", tiles_of_rows),
    Part("a block built once", "4Mi/float32/tile/both/run8/2x3", tiles_of_rows),
    Part("stores past the caches", "64Mi/float32/join/first/halves/inner1024", lambda _: {ROW.streams: 0}),
    Part("stores past the caches", "64Mi/float32/tile/first/inner1024/x2", lambda _: {TILE.streams: 0}),
)  # fmt: skip
LOOPS = (
    "24/float32/join/last/3+5",
    "64Ki/float32/gather/first/rows16/sequential/far/uint32",
    "4Mi/float32/join/last/3+5",
    "4Mi/float32/split/middle/1x8/inner8",
    "4Mi/float32/gather/first/rows1/random/near/int64",
    "4Mi/float32/gather/first/rows16/sequential/far/uint32",
    "4Mi/float32/reverse/last/seq1024/random/uint32",
    "4Mi/float32/tile/last/run3/x3",
)
"""Cells whose textbook loop is timed beside the kernel on one thread and on all."""


class Prepared:
    """A cell's arrays, and its kernel's calls."""

    def __init__(self, cell: Cell) -> None:
        self.desc = cell.desc
        self.name, self.folded = cell.operator, operator_of(cell.desc).kernel_numbers(cell.desc)
        self.inputs = cell.arrays()
        self.outputs = [cells.aligned(part.tensor) for part in cell.desc.outputs]
        self.kernel = loading.load(self.name)
        assert self.kernel.plan is not None
        self.numbers = self.kernel.plan(*self.folded)

    def call(self, changes: dict[int, int] | None = None) -> Callable[[], None]:
        """The kernel with other numbers, shared where the plan or the change leaves something to share."""
        numbers = [(changes or {}).get(place, n) for place, n in enumerate(self.numbers)]
        arrays: tuple[Any, ...] = (*self.outputs, *self.inputs)
        if numbers[ROW.step] < numbers[ROW.units]:
            return partial(thread_pool.share, self.kernel, arrays, np.array(numbers))
        return partial(self.kernel.run, arrays, np.array(numbers), 0)

    def loop(self) -> Callable[[], None]:
        found = textbook.bind(self.name, self.folded, self.outputs, self.inputs)
        assert found is not None
        return found

    def same(self, *calls: Callable[[], None]) -> bool:
        """True if all calls write the same bytes."""
        made = []
        for call in calls:
            for each in self.outputs:
                each.view(np.uint8).fill(0xA5)
            call()
            made.append([each.tobytes() for each in self.outputs])
        return all(each == made[0] for each in made)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--budget", type=float, default=0.5, help="seconds that a row of the table is timed for; 0.5")
    budget = words.parse_args().budget
    by_id = {cell.id: cell for cell in cells.grid("full")}
    print(machine.sentence(machine.describe()))
    print("\n| part | cell | with it | without it takes |\n|---|---|---|---|")
    for part in PARTS:
        held = Prepared(by_id[part.cell])
        # What isn't about threads is seen on one.
        base = {} if part.without is alone else alone(held.numbers)
        calls = held.call(base), held.call({**base, **part.without(held.numbers)})
        assert held.same(*calls), part
        ours, without = sample(calls, budget)
        print(
            f"| {part.name} | `{part.cell}` | {duration(ours.min)} | {without.min / ours.min:.2f} |",
            flush=True,
        )
    print("\n| cell | textbook loop | kernel, one thread | kernel | loop / kernel |\n|---|---|---|---|---|")
    for name in LOOPS:
        held = Prepared(by_id[name])
        calls3 = held.loop(), held.call(alone(held.numbers)), held.call()
        assert held.same(*calls3), name
        loop, one, all_ = (each.min for each in sample(calls3, budget))
        times = " | ".join(duration(each) for each in (loop, one, all_))
        print(f"| `{name}` | {times} | {loop / all_:.3g} |", flush=True)


if __name__ == "__main__":
    main()
