"""Holds the kernels of this checkout against another checkout's, cell by cell of the bench's grid, in turns.

    python benchmarks/two_checkouts.py OTHER [--grid full] [--only PATTERN] [--rounds 8] [--json FILE]

OTHER is the folder of another checkout, say `git worktree add OTHER COMMIT`. Each checkout has a process of its own,
and only one of them works at a time. A cell's figure is the least of this checkout's samples over the least of the
other's: what else a machine does makes a call longer, never shorter. Where memory happens to lie makes short calls
differ from process to process by a tenth, so cells above `LIMIT` are sampled again, both sides alike, by new processes,
up to `STARTS` times. What is above it then is listed. Outputs are compared byte for byte.

The least sample of many starts favours the side that once was lucky with its memory. So the cells that stay above are
timed anew: in each of `STARTS` starts by this checkout, the other, and the other a second time. Medians over the starts
are printed for both, since what the other differs from itself is no slower kernel.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from pathlib import Path
from statistics import median

from grid import cells, machine
from grid.harness import TimerProcess
from grid.results import geometric_mean
from grid.timer_process import OURS

LIMIT = 1.05
STARTS = 6


def timer(checkout: Path) -> TimerProcess:
    """A timer process with the sources of `checkout`."""
    command = ["env", f"PYTHONPATH={checkout / 'src'}", sys.executable, "-P", str(checkout / "benchmarks" / "timer.py")]
    return TimerProcess(str(checkout), [*command, OURS])


Least = list[float]
"""Seconds of the least sample: this checkout's, the other's."""


def compare(source: dict[str, str], timers: list[TimerProcess], rounds: int) -> Least | None:
    """Times the first way of one cell in turns; None where a side can't run it."""
    digests, ways = [], []
    for each in timers:
        answer = each.ask(do="prepare", cell=source)
        if "cannot" in answer:
            return None
        digests.append(set(answer["ways"].values()))
        ways.append(list(answer["ways"])[:1])
    if digests[0] != digests[1]:
        raise SystemExit(f"{source['id']}: the outputs differ.")
    for each, first in zip(timers, ways, strict=True):
        each.ask(do="choose", ways=first)
    least = [float("inf")] * 2
    for done in range(rounds):
        for k in (0, 1) if done % 2 else (1, 0):
            least[k] = min(least[k], timers[k].ask(do="time", way=0)["warm"])
    for each in timers:
        each.ask(do="release")
    return least


def time_cells(todo: list[str], sides: list[Path], grid: str, rounds: int, found: dict[str, Least]) -> None:
    """Times cells by a new process for each side; `found` keeps the least samples of all starts."""
    timers = [timer(side) for side in sides]
    for each in timers:
        each.ask(do="hello")
    for number, name in enumerate(todo):
        least = compare({"grid": grid, "id": name}, timers, rounds)
        if least is None:
            print(f"{name}: left out, one side can't run it")
            continue
        found[name] = [min(a, b) for a, b in zip(least, found.get(name, least), strict=True)]
        print(f"{number + 1}/{len(todo)}  {ratio(found[name]):.3f}  {name}", file=sys.stderr)
    for each in timers:
        each.end()


def ratio(least: Least) -> float:
    return least[0] / least[1]


def medians(todo: list[str], sides: list[Path], grid: str, rounds: int) -> dict[str, list[float]]:
    """Of each cell and side, the median over new starts of the least sample; sides take turns, forth and back."""
    held: dict[str, list[list[float]]] = {name: [[] for _ in sides] for name in todo}
    for start in range(STARTS):
        timers = [timer(side) for side in sides]
        for each in timers:
            each.ask(do="hello")
        for number, name in enumerate(todo):
            for each in timers:
                each.ask(do="choose", ways=list(each.ask(do="prepare", cell={"grid": grid, "id": name})["ways"])[:1])
            least = [float("inf")] * len(sides)
            for done in range(rounds):
                for k in sorted(range(len(sides)), reverse=bool(done % 2)):
                    least[k] = min(least[k], timers[k].ask(do="time", way=0)["warm"])
            for each, found, best in zip(timers, held[name], least, strict=True):
                each.ask(do="release")
                found.append(best)
            print(f"medians, start {start + 1}: {number + 1}/{len(todo)}  {name}", file=sys.stderr)
        for each in timers:
            each.end()
    return {name: [median(found) for found in each] for name, each in held.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path)
    parser.add_argument("--grid", default="full")
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    sides = [Path(__file__).resolve().parent.parent, args.other.resolve()]
    todo = [cell.id for cell in cells.grid(args.grid) if re.search(args.only, cell.id)]
    found: dict[str, Least] = {}
    began = time.monotonic()
    for start in range(STARTS):
        print(f"start {start + 1}: {len(todo)} cells", file=sys.stderr)
        time_cells(todo, sides, args.grid, args.rounds, found)
        todo = [name for name in todo if name in found and ratio(found[name]) > LIMIT]
        if args.json:
            args.json.write_text(json.dumps({"machine": machine.describe(), "cells": found}, indent=1))
        if not todo:
            break
    minutes = (time.monotonic() - began) / 60
    print(
        f"{len(found)} cells in {minutes:.0f} minutes, geometric mean {geometric_mean(map(ratio, found.values())):.3f}"
    )
    print(f"{len(todo)} cells above {LIMIT} after {start + 1} starts")
    if todo:
        print("their medians over as many new starts: this / other, and the other / itself")
        middle = medians(todo, [*sides, sides[1]], args.grid, args.rounds)
        both = {name: (this / other, again / other) for name, (this, other, again) in middle.items()}
        for name in sorted(todo, key=lambda name: -both[name][0]):
            print(f"  {both[name][0]:.2f}  {both[name][1]:.2f}  {middle[name][1] * 1e6:10.2f} µs  {name}")
        for text, k in (("this", 0), ("the other itself", 1)):
            ratios = [each[k] for each in both.values()]
            worse = sum(each > LIMIT for each in ratios)
            print(f"{text}: {worse} of {len(ratios)} above {LIMIT}, geometric mean {geometric_mean(ratios):.3f}")
    print(machine.describe())


if __name__ == "__main__":
    main()
