"""Holds the kernels of this checkout against another checkout's, cell by cell of the grid, in turns.

    python benchmarks/two_checkouts.py OTHER [--only PATTERN] [--rounds 8] [--json FILE]

OTHER is the folder of another checkout, say `git worktree add OTHER COMMIT`; its kernels run in this checkout's timers.
Each checkout has a process of its own, and only one of them works at a time. A cell's figure is the least of this
checkout's samples over the least of the other's: what else a machine does makes a call longer, never shorter. Where
memory happens to lie makes short calls differ from process to process by a tenth, so cells above `LIMIT` are sampled
again, both sides alike, by new processes, up to `STARTS` times. What is above it then is listed. Outputs are compared
byte for byte.

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
from collections.abc import Sequence
from pathlib import Path
from statistics import geometric_mean, median

import cells
import machine
from timer import OURS, CannotTimeError, Remote, Timer

LIMIT = 1.05
STARTS = 6


def timer(checkout: Path) -> Remote:
    """A timer of the kernels of `checkout`."""
    sources = str(checkout / "src")
    sys.path.insert(0, sources)  # which the new process begins with
    try:
        remote = Remote(Timer, OURS)
    finally:
        sys.path.remove(sources)
    if not Path(remote.ask("source")).is_relative_to(sources):
        raise SystemExit(f"{checkout} has no dmlviz in src.")
    return remote


def time_cells(todo: Sequence[str], sides: Sequence[Path], rounds: int) -> dict[str, list[float]]:
    """Of each cell and side the seconds of the least sample, by new processes; sides take turns, forth and back.

    A cell that a side can't run is left out.
    """
    timers = [timer(side) for side in sides]
    least: dict[str, list[float]] = {}
    for number, name in enumerate(todo, 1):
        try:
            digests = [remote.ask("prepare", name) for remote in timers]
        except CannotTimeError as error:
            print(f"{name} is left out: {error}")
            continue
        if len({digest for digests_of_side in digests for digest in digests_of_side.values()}) > 1:
            raise SystemExit(f"{name}: the outputs differ.")
        for remote, digests_of_side in zip(timers, digests, strict=True):
            remote.ask("choose", list(digests_of_side)[:1])
        seconds = [float("inf")] * len(sides)
        for turn in range(rounds):
            for k in sorted(range(len(sides)), reverse=bool(turn % 2)):
                seconds[k] = min(seconds[k], timers[k].ask("time", 0).warm)
        for remote in timers:
            remote.ask("release")
        least[name] = seconds
        print(f"{number}/{len(todo)}  {seconds[0] / seconds[1]:.3f}  {name}", file=sys.stderr)
    for remote in timers:
        remote.end()
    return least


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path)
    parser.add_argument("--only", default="", help="cells whose id matches")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    this, other = Path(__file__).resolve().parent.parent, args.other.resolve()
    todo = [name for name in cells.grid() if re.search(args.only, name)]
    least: dict[str, list[float]] = {}
    began = time.monotonic()
    for start in range(1, STARTS + 1):
        print(f"start {start}: {len(todo)} cells", file=sys.stderr)
        for name, seconds in time_cells(todo, (this, other), args.rounds).items():
            least[name] = [min(pair) for pair in zip(seconds, least.get(name, seconds), strict=True)]
        ratios = {name: ours / theirs for name, (ours, theirs) in least.items()}
        todo = [name for name in todo if ratios.get(name, 0) > LIMIT]
        if args.json:
            args.json.write_text(json.dumps({"machine": machine.describe(), "cells": least}, indent=1))
        if not todo:
            break
    minutes = (time.monotonic() - began) / 60
    print(f"{len(least)} cells in {minutes:.0f} minutes, geometric mean {geometric_mean(ratios.values()):.3f}")
    print(f"{len(todo)} cells above {LIMIT} after {start} starts")
    if todo:
        print("their medians over as many new starts: this / other, and the other / itself")
        starts = [time_cells(todo, (this, other, other), args.rounds) for _ in range(STARTS)]
        medians = {name: [median(of_side) for of_side in zip(*(s[name] for s in starts), strict=True)] for name in todo}
        both = {name: (ours / theirs, again / theirs) for name, (ours, theirs, again) in medians.items()}
        for name in sorted(todo, key=lambda name: -both[name][0]):
            print(f"  {both[name][0]:.2f}  {both[name][1]:.2f}  {medians[name][1] * 1e6:10.2f} µs  {name}")
        for text, k in (("this", 0), ("the other itself", 1)):
            of_all = [pair[k] for pair in both.values()]
            worse = sum(ratio > LIMIT for ratio in of_all)
            print(f"{text}: {worse} of {len(of_all)} above {LIMIT}, geometric mean {geometric_mean(of_all):.3f}")
    print(machine.sentence(machine.describe()))


if __name__ == "__main__":
    main()
