"""What compiling does to a first use of the explorer: `python benchmarks/first_use.py`.

The explorer runs in a pseudo-terminal of 120x36. Cold: with an empty kernel cache of its own; cached: with what the
cold one has left there. `--starts 5` is the default.

first frame         exec to the picture on the screen, cold and cached in turns
first result        `r` is pressed at the first frame; from that frame until the kernel's answer is on the screen, and
                    until it is timed, too
frames              cursor keys are pressed without a pause for the next one than its frame, at most 30 times a second,
                    while one operator after the other comes to the screen and is got ready; gaps between frames
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import machine
from program import Program, percentile, say

from dmlviz.session import examples
from dmlviz.session.experiments import Session
from dmlviz.session.writing import dump

EXAMPLES = ("gather-2", "join-1", "split-1", "reverse-1", "tile-1")
SIZE = 120, 36
KEYS = (b"\x1b[C", b"\x1b[D")
NEXT = b"\x1b[1;5C"
"""ctrl+right: the next experiment."""
PAUSE = 1 / 30
"""Seconds between two key presses."""
FRAME, ANSWER, TIMED, READY = b"step ", b"by the kernel", b", then:", b" is ready, "
WANTED = {"gap": 0.1, "result": 0.5}
"""Seconds."""


def start(path: Path, cache: Path) -> Program:
    return Program([sys.executable, "-m", "dmlviz", str(path)], SIZE, NUMBA_CACHE_DIR=str(cache))


def first_result(path: Path, cache: Path) -> tuple[float, float, float]:
    """Seconds from exec to the first frame, and from there to the kernel's answer and to its timing."""
    program = start(path, cache)
    try:
        first = program.until(FRAME)
        program.send(b"r")
        return first, program.until(ANSWER, 120) - first, program.until(TIMED, 120) - first
    finally:
        program.close()


def gaps(program: Program, until: bytes, seconds: float = 120) -> list[float]:
    """Seconds between frames while keys are pressed, until the program has written `until`, and half a second more."""
    waits: list[float] = []
    began = last = pressed = time.perf_counter()
    ends, seen, number = began + seconds, b"", 0
    while (now := time.perf_counter()) < ends:
        data = program.read(max(0.0, pressed + PAUSE - now))
        now = time.perf_counter()
        if data:
            if now - last > 1e-3:  # what comes at once is one frame
                waits.append(now - last)
            last = now
            if until and until in (seen := seen[-200:] + data):
                until, ends = b"", now + 0.5
        if now - pressed >= PAUSE:
            program.send(KEYS[number % 2])
            number += 1
            pressed = now
    if until:
        sys.exit(f"{until!r} was not shown in {seconds} s")
    return waits


def everything(path: Path, cache: Path) -> tuple[list[float], float]:
    """The gaps while each operator in turn is got ready, and the seconds that all of them took."""
    program = start(path, cache)
    try:
        program.until(FRAME)
        began = time.perf_counter()
        found = gaps(program, READY)
        for name in EXAMPLES[1:]:
            say(name)
            program.send(NEXT)
            found += gaps(program, READY)
        return found, time.perf_counter() - began
    finally:
        program.close()


def line(name: str, seconds: Sequence[float], wanted: float | None = None) -> str:
    figures = (statistics.median(seconds), max(seconds))
    median, longest = (f"{1e3 * each:8,.0f}" for each in figures)
    aim = f"   wanted: {1e3 * wanted:.0f} ms at most" if wanted else ""
    return f"{name:<44}median {median} ms   longest {longest} ms   n {len(seconds)}{aim}"


def frames(name: str, waits: list[float], seconds: float) -> str:
    figures = statistics.median(waits), percentile(waits, 0.99), max(waits)
    median, p99, longest = (f"{1e3 * each:6.1f}" for each in figures)
    label = f"{name}, {seconds:.1f} s"
    return f"{label:<44}median {median}   p99 {p99}   longest {longest} ms   {len(waits):,} gaps"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=5)
    count = parser.parse_args().starts
    print(machine.sentence(machine.describe()))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        path = folder / "session.json"
        experiments = [examples.example(each).session().experiments[0] for each in EXAMPLES]
        path.write_text(dump(Session(tuple(experiments))), encoding="utf-8")
        cached = folder / "cached"
        say("the sources and a first cache")
        first_result(path, cached)
        cold_times, cached_times = [], []
        for turn in range(count):
            say(f"start {turn + 1} of {count}")
            cold_times.append(first_result(path, folder / f"cold-{turn}"))
            cached_times.append(first_result(path, cached))
        if not any((folder / "cold-0").rglob("*.nbc")):
            sys.exit("nothing was compiled")
        for k, what in enumerate(
            ("first frame", "first result, from the first frame", "first timing, from the first frame")
        ):
            print(line(f"{what}, cold", [each[k] for each in cold_times]))
            print(line(f"{what}, cached", [each[k] for each in cached_times], WANTED["result"] if k == 1 else None))
        say("everything, compiled")
        fresh = folder / "everything"
        compiled = everything(path, fresh)
        if len(list(fresh.rglob("*.nbi"))) < len(EXAMPLES):
            sys.exit("not everything was compiled")
        say("everything, from the cache")
        loaded = everything(path, fresh)
        print(
            frames("frames while all five are compiled", *compiled) + f"   wanted: {1e3 * WANTED['gap']:.0f} ms at most"
        )
        print(frames("the same, all five from the cache", *loaded))


if __name__ == "__main__":
    main()
