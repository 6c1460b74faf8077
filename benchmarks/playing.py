"""How much of one core playing takes: the real program in a real pseudo-terminal, processor time as the system has it.

    python benchmarks/playing.py [--size 200x50] [--seconds 6] [NAME ...]

Each case opens a session, plays pass after pass, and compares the child's processor time (user and system, from
/proc/PID/stat, so Linux only) with the time that went by. One line a case:

    ratio   share of one core; the aim is 0.25 at most at 200x50
    idle    the same while nothing plays
    frames  screen updates a second; at most 30 are asked for, a frame that would change nothing isn't drawn, and
            where frames cost much they come less often, so that the ratio holds
    ms      processor time a frame, which tells what playing would take without that; 8.3 is a quarter at 30 a second
    kB/s    what was written to the terminal

Needs the `test` extra (pexpect). The reader of the terminal is this process; its work is not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pexpect

SLOWEST, FASTEST = "<" * 8, ">" * 8
AIM = 0.25


def tile(rows: int, columns: int, down: int, across: int) -> dict[str, Any]:
    return {
        "type": "DML_OPERATOR_TILE",
        "desc": {"InputTensor": {"DataType": "FLOAT32", "Sizes": [rows, columns]}, "Repeats": [down, across]},
    }


def join(rows: int, columns: int) -> dict[str, Any]:
    tensor = {"DataType": "INT8", "Sizes": [rows, columns]}
    return {"type": "DML_OPERATOR_JOIN", "desc": {"InputTensors": [tensor, tensor], "Axis": 0}}


def gather(rows: int, columns: int, count: int) -> dict[str, Any]:
    return {
        "type": "DML_OPERATOR_GATHER",
        "desc": {
            "InputTensor": {"DataType": "FLOAT32", "Sizes": [rows, columns]},
            "IndicesTensor": {"DataType": "UINT32", "Sizes": [1, count]},
            "Axis": 0,
            "IndexDimensions": 1,
        },
    }


CASES: dict[str, tuple[dict[str, Any], str]] = {
    # a few elements: every phase of every step is seen
    "few": (gather(3, 2, 4), ""),
    "few slowly": (gather(3, 2, 4), "<<<"),
    # as many cells as the screen holds, several steps a frame
    "full": (tile(10, 4, 3, 2), ""),
    "full by run": (gather(15, 8, 28), "s"),
    # far more than the screen holds: every frame shows another place
    "giant": (join(32767, 65535), SLOWEST),
    "giant by run": (gather(30000, 60000, 40000), "s" + SLOWEST),
}


class Child:
    """The program in a terminal of its own."""

    def __init__(self, file: Path, width: int, height: int) -> None:
        environment = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LINES")}
        environment |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "TEXTUAL_ANIMATIONS": "full"}
        # What one case remembers, the speed and the unit, must not reach the next, nor the user's own settings.
        self._home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        environment |= dict.fromkeys(("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"), self._home.name)
        self.process: Any = pexpect.spawn(
            sys.executable, ["-m", "dmlviz", str(file)], dimensions=(height, width), env=environment, timeout=20
        )
        self.raw = b""

    def read(self, seconds: float) -> None:
        """Takes in what the program writes for so long."""
        ends = time.monotonic() + seconds
        while (left := ends - time.monotonic()) > 0:
            try:
                self.raw += self.process.read_nonblocking(1 << 16, timeout=left)
            except pexpect.TIMEOUT:
                return
            if b"\x1b[?2026$p" in self.raw:  # frames are marked for terminals that say they know the mark
                self.raw = self.raw.replace(b"\x1b[?2026$p", b"")
                self.process.send("\x1b[?2026;2$y")

    def until(self, shown: bytes) -> None:
        ends = time.monotonic() + 20
        while shown not in self.raw:
            if time.monotonic() > ends:
                raise SystemExit(f"{shown!r} was never on the screen")
            self.read(0.1)

    def processor_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def share(self, seconds: float, keys: str, every: float) -> tuple[float, float, float]:
        """(share of a core, frames a second, kB a second) over `seconds`; `keys` are sent again `every` seconds."""
        self.raw = b""
        began, used, next_keys = time.monotonic(), self.processor_seconds(), 0.0
        while (now := time.monotonic() - began) < seconds:
            if keys and now >= next_keys:
                self.process.send(keys)
                next_keys = now + every
            self.read(min(0.05, seconds - now))
        passed = time.monotonic() - began
        frames = self.raw.count(b"\x1b[?2026h")
        return (self.processor_seconds() - used) / passed, frames / passed, len(self.raw) / passed / 1000


def measure(name: str, width: int, height: int, seconds: float) -> float:
    """Plays one case, prints its line, and returns its ratio."""
    case, keys = CASES[name]
    experiment = {"name": name, "feature_level": "5_1", **case}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "playing.json"
        file.write_text(json.dumps({"dmlviz": 1, "title": name, "experiments": [experiment]}), encoding="utf-8")
        child = Child(file, width, height)
        child.until(b"valid")
        child.read(2)
        for key in keys:
            child.process.send(key)
            child.read(0.2)
        idle = child.share(1, "", 0)[0]
        # A pass of 2 s is begun again as soon as it is over; longer ones go on.
        slow = "<" in keys
        ratio, frames, written = child.share(seconds, " ", seconds + 1 if slow else 2.2)
        child.process.send("q")
        child.process.close(force=True)
    each = ratio / max(frames, 1e-9) * 1000
    print(
        f"{name:14} ratio {ratio:.3f}   idle {idle:.3f}   frames {frames:4.1f}/s  {each:5.1f} ms  {written:6.1f} kB/s",
        flush=True,
    )
    return ratio


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"cases: {', '.join(CASES)}; all without any")
    parser.add_argument("--size", default="200x50", help="columns x lines")
    parser.add_argument("--seconds", type=float, default=6.0, help="how long each case plays")
    options = parser.parse_args()
    width, height = map(int, options.size.split("x"))
    worst = max(measure(name, width, height, options.seconds) for name in options.names or CASES)
    print(f"worst {worst:.3f} of a core at {options.size}, aim {AIM}")


if __name__ == "__main__":
    main()
