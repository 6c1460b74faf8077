"""Times the kernels beside NumPy, PyTorch and ONNX Runtime, cell by cell, and beside a plain copy.

    python benchmarks/bench.py                                                  some cells, a minute or two
    python benchmarks/bench.py --full --json benchmarks/results/kernels.json    all of them, 25 minutes or more
    python benchmarks/bench.py --show benchmarks/results/kernels.json           the page of what was measured before

Prints a page of Markdown; ctrl+c ends it and prints what there is. --json keeps the cells that the file already has,
but those timed now. Peers are in processes of their own, at their default settings: `pip install -r
benchmarks/requirements.txt`; what isn't installed is left out by name. Exits with 1 where a peer made other bytes.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import re
import sys
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import cells
import machine
from cells import Cell
from measurements import FORMAT, CellResult, Measurement, Results
from page import markdown
from timer import COPY, OURS, PEERS, CannotTimeError, EndedError, Remote, Sample, Timer

from dmlviz.errors import ResourceError
from dmlviz.running import memory
from dmlviz.timing.sampling import bytes_moved

ROUNDS = 9
AT_MOST = 2
"""Times `ROUNDS` that a cell may take whose medians are not steady yet."""
STEADY = 0.15
"""Width of a steady median's confidence interval, as a share of it."""
SLOW, SELDOM = 0.1, 4
"""A peer's call decides nothing where it takes more than so many seconds and so many times as long as the best peer's;
it is then timed once in so many rounds."""
SPARE = 3
"""Times the bytes of inputs and outputs that a cell may take in each process: some ways make arrays of their own."""
DIFFERS = "differs from ours"


class Turn:
    """One way of one timer, in one cell."""

    def __init__(self, name: str, k: int, way: str, seconds: float) -> None:
        self.name, self.k, self.way, self.seconds = name, k, way, seconds
        self.samples: list[Sample] = []

    @property
    def label(self) -> str:
        """What the result calls it."""
        if self.k == 0 or self.name in PEERS:
            return self.name
        return f"{OURS} run" if self.name == OURS else f"{COPY} {self.way.split()[0]}"

    def is_steady(self) -> bool:
        """True if the two samples that the median lies between, at 95 % confidence, are near each other."""
        ordered = sorted(sample.warm for sample in self.samples)
        n = len(ordered)
        low = max(0, math.floor(n / 2 - 0.98 * math.sqrt(n)) - 1)
        return n >= 6 and ordered[n - 1 - low] - ordered[low] <= STEADY * ordered[n // 2]


class Grid:
    """The timers; a context manager, whose end is the end of every process."""

    def __init__(self) -> None:
        self.versions: dict[str, str] = {}
        self.absent: dict[str, str] = {}
        self.timers: dict[str, Remote] = {}

    def __enter__(self) -> Grid:
        self.timers = {name: Remote(Timer, name) for name in (OURS, *PEERS, COPY)}
        for name in list(self.timers):
            try:
                version = self.timers[name].ask("version")
            except CannotTimeError as error:
                self.absent[name] = str(error)
                self.timers.pop(name).end()
            else:
                if name in PEERS:
                    self.versions[name] = version
        return self

    def __exit__(self, *_: object) -> None:
        for timer in self.timers.values():
            timer.end()

    def time_cell(self, cell: Cell, most: int | None = None) -> CellResult:
        """Times one cell: every timer in turns, for `ROUNDS` rounds after warm-up, in an order that rotates.

        Rounds are added, up to `AT_MOST` times as many, where something else disturbed them. Each peer's outputs have
        been held against ours, byte for byte. `most` elements are there where that is said, for a test. Raises
        ResourceError where memory is short.
        """
        size = sum(part.tensor.byte_count for part in (*cell.desc.inputs, *cell.desc.outputs))
        memory.require_memory(size * SPARE * len(self.timers), f"the cell {cell.id}")
        left_out: dict[str, str] = {}
        turns = self._warm_up(cell, most, left_out)
        best = min((turn.seconds for turn in turns if turn.name in PEERS), default=0.0)
        for number in range(AT_MOST * ROUNDS):
            if number >= ROUNDS and _are_steady(turns):
                break
            for at in range(len(turns)):
                turn = turns[(at + number) % len(turns)]
                slow = turn.name in PEERS and turn.seconds >= SLOW + SELDOM * best
                if turn.name not in left_out and (number % SELDOM == 0 or not slow):
                    with self._leaving_out(turn.name, left_out):
                        turn.samples.append(self.timers[turn.name].ask("time", turn.k))
        for name, timer in self.timers.items():
            with self._leaving_out(name, {}):
                timer.ask("release")
        read, written = bytes_moved(cell.desc)
        return CellResult(
            id=cell.id,
            regime=cell.regime.name,
            data_type=cell.data_type,
            name=cell.name,
            operator=cell.operator,
            elements=cell.elements,
            bytes_read=read,
            bytes_written=written,
            run_bytes=cell.run_bytes,
            held_to_copy=cell.held_to_copy,
            left_out=left_out,
            measurements={
                turn.label: Measurement.of(turn.way, turn.samples)
                for turn in turns
                if turn.samples and turn.name not in left_out
            },
        )

    def _warm_up(self, cell: Cell, most: int | None, left_out: dict[str, str]) -> list[Turn]:
        """The ways that make the same bytes as ours, each called some times; who has none goes to `left_out`."""
        names = [OURS] if cell.regime.overhead else list(self.timers)
        digests: dict[str, dict[str, str]] = {}
        for name in names:
            self.timers[name].tell("prepare", cell.id, most)
        for name in names:
            with self._leaving_out(name, left_out):
                digests[name] = self.timers[name].hear()
        wanted = set(digests.get(OURS, {}).values())
        turns = []
        for name, ways in digests.items():
            right = [way for way, digest in ways.items() if name == COPY or {digest} == wanted]
            if not right:
                left_out[name] = DIFFERS
                continue
            with self._leaving_out(name, left_out):
                chosen = self.timers[name].ask("choose", right)
                turns += [Turn(name, k, way, seconds) for k, (way, seconds) in enumerate(chosen)]
        return turns

    @contextlib.contextmanager
    def _leaving_out(self, name: str, left_out: dict[str, str]) -> Iterator[None]:
        """Keeps why a timer can't go on; one that has ended is started anew."""
        try:
            yield
        except CannotTimeError as error:
            left_out[name] = str(error)
            if isinstance(error, EndedError):
                self.timers[name].end()
                self.timers[name] = Remote(Timer, name)


def _are_steady(turns: Sequence[Turn]) -> bool:
    """True if our medians and the best peer's lie within a narrow interval, so that more rounds wouldn't help."""
    ours = [turn for turn in turns if turn.name == OURS and turn.samples]
    peers = [turn for turn in turns if turn.name in PEERS and turn.samples]
    best = sorted(peers, key=lambda turn: min(sample.warm for sample in turn.samples))[:1]
    return all(turn.is_steady() for turn in (*ours, *best))


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def measure(todo: Sequence[Cell], results: Results) -> int:
    """Times every cell into `results`; what is there when ctrl+c is pressed stays. Returns the exit code."""
    by_id = {cell.id: cell for cell in results.cells}
    code = 0
    began = time.monotonic()
    try:
        with Grid() as grid:
            results.versions, results.absent = grid.versions, grid.absent
            for name, why in grid.absent.items():
                _say(f"{name} is left out: {why}.")
            for number, cell in enumerate(todo, 1):
                try:
                    measured = grid.time_cell(cell)
                except ResourceError as error:
                    _say(f"{cell.id} is left out: {error}")
                    continue
                by_id[cell.id] = measured
                wrong = [name for name, why in measured.left_out.items() if why == DIFFERS or name not in PEERS]
                code = 1 if wrong else code
                shown = "no ratio" if measured.ratio is None else f"{measured.ratio:.2f}"
                _say(f"{number}/{len(todo)}  {shown}  {cell.id}" + f"  {wrong} left out" * bool(wrong))
    except KeyboardInterrupt:
        code = 130
    results.seconds += time.monotonic() - began
    results.cells = [by_id[name] for name in cells.grid() if name in by_id]
    return code


def main(argv: Sequence[str] | None = None) -> int:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--full", action="store_true", help="every cell")
    words.add_argument("--only", metavar="REGEX", default="", help="cells whose id matches, such as 4Mi/.*/gather")
    words.add_argument("--json", metavar="F", type=Path, help="keep what was measured in a file")
    words.add_argument("--show", metavar="F", type=Path, help="print the page of such a file, and time nothing")
    args: Any = words.parse_args(argv)
    if args.show is not None:
        print(markdown(Results.load(args.show), args.show.name), end="")
        return 0
    names = cells.grid() if args.full else cells.small()
    todo = [cells.grid()[name] for name in names if re.search(args.only, name)]
    results = Results(FORMAT, machine.describe(), ROUNDS, began=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"))
    if args.json is not None:
        if args.json.exists():
            before = Results.load(args.json)
            results.cells, results.seconds, results.began = before.cells, before.seconds, before.began
        results.save(args.json)  # a file that can't be written is told before the time is spent
    code = measure(todo, results)
    if args.json is not None:
        results.save(args.json)
    print(markdown(results, args.json.name if args.json is not None else "kernels.json"), end="")
    return code


if __name__ == "__main__":
    sys.exit(main())
