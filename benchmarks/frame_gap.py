"""The longest gap between two frames while the explorer compiles its kernels for the first time.

    python benchmarks/frame_gap.py [EXAMPLE]

Opens the explorer in a pseudo-terminal of 200 by 50 with an empty kernel cache, presses cursor keys some 60 times a
second, first without and then with a run, and prints for both how long after a key the next output came, and the
longest time in which the terminal heard nothing although keys were pressed.
"""

from __future__ import annotations

import os
import re
import select
import sys
import tempfile
import time

import pexpect

from dmlviz import library

KEYS = ("\x1b[C", "\x1b[D")
PAUSE = 1 / 60
IDLE_SECONDS = 5.0


def measure(
    terminal: pexpect.spawn, seconds: float, until: re.Pattern[bytes] | None = None
) -> tuple[list[float], bool]:
    """Presses keys for `seconds`, or until the output matches; the gaps between chunks of output in seconds."""
    gaps: list[float] = []
    began = last = pressed = time.perf_counter()
    tail, number = b"", 0
    while time.perf_counter() - began < seconds:
        wait = max(0.0, pressed + PAUSE - time.perf_counter())
        if select.select([terminal.child_fd], [], [], wait)[0]:
            tail = (tail + os.read(terminal.child_fd, 65536))[-4096:]
            now = time.perf_counter()
            if now - last > 1e-3:  # what comes at once is one frame
                gaps.append(now - last)
            last = now
            if until is not None and until.search(tail):
                return gaps, True
        if time.perf_counter() - pressed >= PAUSE:
            terminal.send(KEYS[number % 2])
            number += 1
            pressed = time.perf_counter()
    return gaps, until is None


def told(name: str, gaps: list[float]) -> None:
    ordered = [gap * 1e3 for gap in sorted(gaps)]
    middle, p99 = ordered[len(ordered) // 2], ordered[int(0.99 * (len(ordered) - 1))]
    print(f"{name:<44} {len(gaps):5,} frames   median {middle:5.1f}   p99 {p99:5.1f}   longest {ordered[-1]:6.1f} ms")


def main() -> None:
    example = sys.argv[1] if len(sys.argv) > 1 else "tile-1"
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache, "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        path = str(library.example(example).path)
        terminal = pexpect.spawn(
            sys.executable, ["-m", "dmlviz", path], dimensions=(50, 200), env=environment, timeout=30
        )
        terminal.expect("step ")
        time.sleep(1.0)
        measure(terminal, 1.0)
        gaps, _ = measure(terminal, IDLE_SECONDS)
        told("without a run", gaps)
        terminal.send("r")
        began = time.perf_counter()
        gaps, ended = measure(terminal, 120, re.compile(rb"then warm"))
        told(f"first run of {example}, {time.perf_counter() - began:.1f} s, cache cold", gaps)
        if not ended:
            sys.exit("the run did not end")
        terminal.send("q")
        terminal.close(force=True)


if __name__ == "__main__":
    main()
