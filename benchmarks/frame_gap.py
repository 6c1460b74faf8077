"""Gaps between frames while a kernel compiles for the first time: `python benchmarks/frame_gap.py [EXAMPLE]`.

The explorer runs in a pseudo-terminal of 200x50 with an empty kernel cache. Cursor keys are pressed without a pause for
the next one than its frame, at most 30 times a second: first without a run, then during the first one.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from program import Program, machine, percentile, say

from dmlviz import library

KEYS = (b"\x1b[C", b"\x1b[D")
PAUSE = 1 / 30
"""Seconds between two key presses."""
ALONE = 5.0
"""Seconds that are measured without a run."""
DONE = b"then warm"


def gaps(program: Program, seconds: float, until: bytes = b"") -> list[float]:
    """Seconds between outputs while keys are pressed, for `seconds` or until the program has written `until`."""
    found: list[float] = []
    began = last = pressed = time.perf_counter()
    seen, number = b"", 0
    while (now := time.perf_counter()) - began < seconds and not (until and until in seen):
        data = program.read(max(0.0, pressed + PAUSE - now))
        now = time.perf_counter()
        if data:
            if now - last > 1e-3:  # what comes at once is one frame
                found.append(now - last)
            last = now
            seen = (seen + data)[-100_000:]
        if now - pressed >= PAUSE:
            program.send(KEYS[number % 2])
            number += 1
            pressed = now
    return found


def line(name: str, found: list[float]) -> str:
    figures = statistics.median(found), percentile(found, 0.99), max(found)
    median, p99, longest = (f"{1e3 * each:6.1f}" for each in figures)
    return f"{name:<36}{len(found):6,} gaps   median {median}   p99 {p99}   longest {longest} ms"


def main() -> None:
    example = sys.argv[1] if len(sys.argv) > 1 else "tile-1"
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "session.json")
        path.write_bytes(library.example(example).path.read_bytes())
        arguments = [sys.executable, "-m", "dmlviz", str(path)]
        program = Program(arguments, NUMBA_CACHE_DIR=folder, XDG_CACHE_HOME=folder)
        try:
            program.until(b"step ")
            program.settle()
            say("without a run …")
            print(line("without a run", gaps(program, ALONE)))
            say("the first run …")
            program.send(b"r")
            began = time.perf_counter()
            found = gaps(program, 120, DONE)
            seconds = time.perf_counter() - began
            if not any(Path(folder).rglob("*.nbc")):
                sys.exit("nothing was compiled")
            print(line(f"first run of {example}, {seconds:.1f} s", found))
        finally:
            program.close()


if __name__ == "__main__":
    main()
