"""What each part of the kernels' machinery is worth: the time without it over the time with it, in turns.

A part is left out by changing the numbers that the kernel's plan made; the outputs stay the same, which is checked.
Times are the least of many rounds: on a machine that others use too, medians tell how busy those were. Prints the
tables of results/parts.md: `python benchmarks/kernel_parts.py [--budget SECONDS]`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import NamedTuple

import cells
import machine
from kernel_calls import ROW, KernelCalls, alone

from dmlviz.formats.durations import duration
from dmlviz.kernels import tile
from dmlviz.kernels.lib import rows, textbook
from dmlviz.timing.sampling import sample

TILE = tile.Numbers(*range(len(tile.Numbers._fields)))
Change = Callable[[list[int]], dict[int, int]]
"""Tells which numbers, by place, are others without the part."""


class Part(NamedTuple):
    name: str
    cell: str
    without: Change


def one_pass(numbers: list[int]) -> dict[int, int]:
    """Each pass goes over all rows before the next begins."""
    count = numbers[ROW.outer]
    return {ROW.units: 1, ROW.step: 1, ROW.high: count, ROW.height: count}


def tiles_of_rows(numbers: list[int]) -> dict[int, int]:
    """The block holds one position of the axis that is cut, once."""
    size, repeat = (numbers[place + 3 * numbers[TILE.cut]] for place in (tile.SIZE, tile.REPEAT))
    units = numbers[TILE.units] // numbers[TILE.chunks] * size // numbers[TILE.groups]
    places = numbers[TILE.all_places] // numbers[TILE.places] * repeat
    return {
        TILE.units: units, TILE.step: units, TILE.height: 1, TILE.chunks: size, TILE.times: 1, TILE.places: repeat,
        TILE.groups: 1, TILE.per_group: places, TILE.all_places: places,
    }  # fmt: skip


PARTS = (
    Part("threads", "4Mi/float32/join/last/3+5", alone),
    Part("threads", "4Mi/float32/gather/first/rows16/sequential/far/uint32", alone),
    Part("threads", "4Mi/float32/reverse/last/seq1024/random/uint32", alone),
    Part("blocks of rows", "4Mi/float32/join/last/3+5", one_pass),
    Part("blocks of rows", "4Mi/float32/split/middle/3+5/inner5", one_pass),
    Part("rows written whole", "4Mi/float32/join/middle/5x7/inner4", lambda _: {ROW.height: rows.ROWS}),
    Part("rows written whole", "4Mi/float32/split/middle/5x7/inner4", lambda _: {ROW.height: rows.ROWS}),
    Part("words woven by shuffles", "4Mi/float32/join/last/1x8", lambda _: {ROW.alike: 0}),
    Part("words woven by shuffles", "4Mi/int8/join/last/1x8", lambda _: {ROW.alike: 0}),
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


def loop(calls: KernelCalls) -> Callable[[], None]:
    """The textbook loop on the same arrays."""
    bound = textbook.bind(calls.name, calls.folded, calls.outputs, calls.inputs)
    assert bound is not None
    return bound


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--budget", type=float, default=0.5, help="seconds that a row of the table is timed for; 0.5")
    budget = words.parse_args().budget
    print(machine.sentence(machine.describe()))
    print("\n| part | cell | with it | without it takes |\n|---|---|---|---|")
    for part in PARTS:
        kernel_calls = KernelCalls(cells.grid()[part.cell])
        # What isn't about threads is seen on one.
        base = {} if part.without is alone else alone(kernel_calls.numbers)
        calls = kernel_calls.call(base), kernel_calls.call({**base, **part.without(kernel_calls.numbers)})
        assert kernel_calls.agree(*calls), part
        ours, without = sample(calls, budget)
        print(f"| {part.name} | `{part.cell}` | {duration(ours.min)} | {without.min / ours.min:.2f} |", flush=True)
    print("\n| cell | textbook loop | kernel, one thread | kernel | loop / kernel |\n|---|---|---|---|---|")
    for name in LOOPS:
        kernel_calls = KernelCalls(cells.grid()[name])
        three = loop(kernel_calls), kernel_calls.call(alone(kernel_calls.numbers)), kernel_calls.call()
        assert kernel_calls.agree(*three), name
        plain, one, shared = (spread.min for spread in sample(three, budget))
        times = " | ".join(duration(seconds) for seconds in (plain, one, shared))
        print(f"| `{name}` | {times} | {plain / shared:.3g} |", flush=True)


if __name__ == "__main__":
    main()
