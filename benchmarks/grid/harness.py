"""The harness: starts a timer process for each library and asks them in turns, one at a time.

Peers have processes of their own, at their default settings. A library's threads spin for a while after its turn: in
our process, or right after it, they would take the second core from whoever is timed. An answer comes when its process
is quiet.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from dmlviz.running import engine, memory
from dmlviz.timing.sampling import Spread, bytes_moved, steady

from .cells import Cell
from .libraries import NAMES
from .results import CellResult, Measurement
from .timer_process import COPY, OURS

ROUNDS = 9
AT_MOST = 2
"""Times `ROUNDS` that a cell may take whose medians are not steady yet."""
STEADY = 0.15
"""Width of a steady median's confidence interval, as a share of it."""
SHARES = {"torch": 3.0, "onnxruntime": 1.0, "numpy": 3.0}
"""Memory that a library's ways need besides inputs and outputs, as a multiple of the outputs' bytes."""

SLOW, SELDOM = 0.1, 4
"""A peer's call decides nothing where it takes more than so many seconds and so many times as long as the best peer's;
it is then timed once in so many rounds."""

PROGRAM = Path(__file__).parents[1] / "timer.py"
"""What a timer process runs."""

Source = dict[str, Any]
"""How a timer finds the cell, see `cells.find`."""


class TimerEndedError(Exception):
    """A timer process has ended."""


class TimerProcess:
    """A timer process, as the harness sees it."""

    def __init__(self, name: str, command: Sequence[str] | None = None) -> None:
        self.name = name
        self._process = subprocess.Popen(
            command or [sys.executable, "-P", str(PROGRAM), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # ctrl+c is for the harness, which asks for nothing more then
        )

    def tell(self, request: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise TimerEndedError from None

    def hear(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise TimerEndedError
        found: dict[str, Any] = json.loads(line)
        return found

    def ask(self, **request: Any) -> dict[str, Any]:
        self.tell(request)
        return self.hear()

    def end(self) -> None:
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self._process.wait()


class Harness:
    """Holds the kernels against `peers`; a context manager, whose end is the end of every process."""

    def __init__(self, peers: Sequence[str], rounds: int = ROUNDS) -> None:
        self.rounds = rounds
        self.versions: dict[str, str] = {}
        self.absent: dict[str, str] = {}
        self._processes: dict[str, TimerProcess] = {}
        self._asked = tuple(peers)

    def __enter__(self) -> Harness:
        for name in (OURS, *self._asked, COPY):
            self._processes[name] = TimerProcess(name)
            self._processes[name].tell({"do": "hello"})
        for name in (OURS, *self._asked, COPY):
            try:
                found = self._processes[name].hear()
                absent = found.get("absent") or found.get("cannot")
            except TimerEndedError:
                found, absent = {}, "its process ended while it was imported"
            if absent:
                self.absent[name] = absent
                self._processes.pop(name).end()
            elif name in self._asked:
                threads = found.get("threads")
                self.versions[name] = found["version"] + (f" ({threads} threads)" if threads else "")
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes.values():
            process.end()
        self._processes.clear()

    def time_cell(self, cell: Cell, source: Source, tell: Callable[[str], None] = lambda _: None) -> CellResult:
        """Times one cell: every timer in turns, for `rounds` rounds after warm-up, in an order that rotates.

        Rounds are added, up to `AT_MOST` times as many, where something else disturbed them. Each peer's outputs have
        been held against ours, byte for byte. Raises ResourceError where memory is short.
        """
        self._require_memory(cell)
        left_out: dict[str, str] = {}
        asked = () if cell.regime.overhead else (*self._asked, COPY)
        names = [name for name in (OURS, *asked) if name in self._processes]
        tell("preparing")
        ready = self._all(names, {"do": "prepare", "cell": source}, left_out)
        want = set(ready.get(OURS, {}).get("ways", {}).values())
        turns: list[tuple[str, int, str]] = []
        lasts: dict[tuple[str, int, str], float] = {}
        for name in [name for name in names if name in ready]:
            ways = ready[name]["ways"]
            right = [way for way, digest in ways.items() if name == COPY or {digest} == want]
            if not right:
                left_out[name] = "differs from ours"
                continue
            tell(f"warming up {name}")
            found = self._all([name], {"do": "choose", "ways": right}, left_out)
            answer = found.get(name, {"ways": (), "seconds": ()})
            for k, (way, seconds) in enumerate(zip(answer["ways"], answer["seconds"], strict=True)):
                turns.append((name, k, way))
                lasts[turns[-1]] = seconds
        slow = SLOW + SELDOM * min((s for (name, *_), s in lasts.items() if name in NAMES), default=0.0)
        samples: dict[tuple[str, int, str], list[dict[str, Any]]] = {turn: [] for turn in turns}
        for number in range(AT_MOST * self.rounds):
            if number >= self.rounds and self._steady(samples):
                break
            tell(f"round {number + 1} of {self.rounds}{' and more' * (number >= self.rounds)}")
            for at in range(len(turns)):
                turn = turns[(at + number) % len(turns)]
                name, k, _ = turn
                if name in left_out:
                    continue
                if number % SELDOM == 0 or name not in self._asked or lasts[turn] < slow:
                    answer = self._all([name], {"do": "time", "way": k}, left_out)
                    samples[turn] += answer.values()
        self._all([name for name in names if name in self._processes], {"do": "release"}, {})
        measurements = {
            _label(name, k, way): Measurement(
                way,
                Spread.of(s["warm"] for s in found),
                Spread.of(s["first"] for s in found),
                sorted(s["threads"] for s in found)[len(found) // 2],
            )
            for (name, k, way), found in samples.items()
            if name not in left_out and found
        }
        return _result(cell, measurements, left_out)

    def _steady(self, samples: dict[tuple[str, int, str], list[dict[str, Any]]]) -> bool:
        """True if our median and the best peer's lie within a narrow interval, so that more rounds wouldn't help."""
        ours = [[s["warm"] for s in found] for (name, *_), found in samples.items() if name == OURS and found]
        peers = [[s["warm"] for s in found] for (name, *_), found in samples.items() if name in NAMES and found]
        best = [min(peers, key=lambda found: sorted(found)[len(found) // 2])] if peers else []
        return all(steady(found, STEADY) for found in (*ours, *best))

    def _require_memory(self, cell: Cell) -> None:
        written = engine.memory_needed(cell.desc)
        held = written + sum(part.tensor.byte_count for part in cell.desc.inputs)
        extra = max((SHARES.get(name, 1.0) for name in self._asked), default=0.0)
        extra += sum(SHARES.get(name, 1.0) for name in self._asked) if cell.operator == "REVERSE_SUBSEQUENCES" else 0.0
        memory.require_memory(int(held * (len(self._processes)) + written * extra), f"the cell {cell.id}")

    def _all(
        self, names: Sequence[str], request: dict[str, Any], left_out: dict[str, str]
    ) -> dict[str, dict[str, Any]]:
        """The answers of those who have one; why the others don't goes to `left_out`."""
        found = {}
        for name in names:
            with contextlib.suppress(TimerEndedError):  # `hear` will notice
                self._processes[name].tell(request)
        for name in names:
            try:
                answer = self._processes[name].hear()
            except TimerEndedError:
                left_out[name] = "its process ended"
                self._processes[name].end()
                self._processes[name] = TimerProcess(name)
                self._processes[name].ask(do="hello")
                continue
            if "cannot" in answer:
                left_out[name] = answer["cannot"]
            else:
                found[name] = answer
        return found


def _label(name: str, k: int, way: str) -> str:
    if name == OURS:
        return OURS if k == 0 else f"{OURS} run"
    if name == COPY:
        return COPY if k == 0 else f"{COPY} {way.split()[0]}"
    return name


def _result(cell: Cell, measurements: dict[str, Measurement], left_out: dict[str, str]) -> CellResult:
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
        measurements=measurements,
        left_out=left_out,
    )
