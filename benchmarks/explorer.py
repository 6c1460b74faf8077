"""How fast the explorer opens, runs and answers keys, as ratios to bare programs: `python benchmarks/explorer.py`.

Every program runs in a pseudo-terminal of 200x50; all are open at once, and presses take turns among them, so that
what disturbs the machine disturbs all alike. `--presses 500 --starts 11` are the defaults.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

import machine
from program import Program, percentile, say

BARE_START = """
import numpy
from textual.app import App
from textual.widgets import Static
class Bare(App):
    def compose(self):
        yield Static("InputTensor")
Bare().run()
"""
BARE_CELL = """
import numpy
from rich.segment import Segment
from rich.style import Style
from textual.app import App
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget
PLAIN, MARK = Style.parse("white on black"), Style.parse("black on white")
class Cells(Widget, can_focus=True):
    at = 0
    def render_line(self, y):
        marked = self.at if y == 10 else -1
        return Strip([Segment("  12 ", MARK if x == marked else PLAIN) for x in range(40)])
    def on_key(self, event):
        before, self.at = self.at, (self.at + (1 if event.key == "right" else -1)) % 40
        self.refresh(Region(5 * before, 10, 5, 1), Region(5 * self.at, 10, 5, 1))
class Bare(App):
    def compose(self):
        yield Cells()
    def on_mount(self):
        self.query_one(Cells).focus()
Bare().run()
"""
BARE_KERNEL = """
import numba
import numpy
@numba.njit(cache=True)
def copy(a, b):
    for i in range(a.size):
        b[i] = a[i]
copy(numpy.arange(24.0), numpy.zeros(24))
print("copied")
"""
RIGHT, LEFT, UP, DOWN, F6, TAB = b"\x1b[C", b"\x1b[D", b"\x1b[A", b"\x1b[B", b"\x1b[17~", b"\t"
SIZE = 200, 50
"""Columns and lines of the terminals."""
WHEEL_DOWN, WHEEL_UP = b"\x1b[<65;150;12M", b"\x1b[<64;150;12M"
ACTIONS: dict[str, tuple[bytes, bytes]] = {
    "moving the cursor": (RIGHT, LEFT),
    "a step": (b",", b"."),
    "scrolling": (WHEEL_DOWN, WHEEL_UP),
    "editing a size": (UP, DOWN),
}
"""Two presses that undo each other."""


def session(sizes: list[int], data_type: str) -> str:
    """TILE of one tensor, once each way."""
    desc = {"InputTensor": {"DataType": data_type, "Sizes": sizes}, "Repeats": [1, 1]}
    one = {"name": "one", "feature_level": "6_4", "type": "DML_OPERATOR_TILE", "desc": desc}
    return json.dumps({"dmlviz": 1, "experiments": [one]})


def eight() -> str:
    """A chain of eight small ones, which opens at its first stage."""
    stages = json.loads(session([4, 6], "FLOAT32"))["experiments"] * 8
    wired = [{**e, "name": f"s{i}", "values": {"InputTensor": {"from": f"s{i - 1}"}}} for i, e in enumerate(stages)]
    return json.dumps({"dmlviz": 1, "experiments": [{**stages[0], "name": "s0"}, *wired[1:]]})


def starts(count: int, folder: Path) -> None:
    """Exec to first paint, turn by turn."""
    bare = folder / "bare_start.py"
    bare.write_text(BARE_START)
    found: dict[str, list[float]] = {"bare": [], "explorer": []}
    for turn in range(-1, count):  # the first one may have to compile the sources
        say(f"start {turn + 1} of {count}")
        for name, arguments, text in (
            ("bare", [sys.executable, str(bare)], b"InputTensor"),
            ("explorer", [sys.executable, "-m", "dmlviz", str(folder / "small.json")], b"OutputTensor"),
        ):
            program = Program(arguments, SIZE)
            seconds = program.until(text)
            found[name] += [seconds] if turn >= 0 else []
            program.close()
    ratio = statistics.median(e / b for e, b in zip(found["explorer"], found["bare"], strict=True))
    print(f"exec to first paint: {ratio:.2f} times a bare Textual app that imports NumPy (median of {count} pairs)")


def first_results(count: int, folder: Path) -> None:
    """From the first frame to the kernel's answer, turn by turn; all kernels are in the cache."""
    bare, cache = folder / "bare_kernel.py", str(folder / "cache")
    bare.write_text(BARE_KERNEL)
    found: dict[str, list[float]] = {"bare": [], "explorer": []}
    for turn in range(-1, count):  # the first one compiles
        say(f"first result {turn + 1} of {count}")
        program = Program([sys.executable, str(bare)], SIZE, NUMBA_CACHE_DIR=cache)
        seconds = {"bare": program.until(b"copied", 120)}
        program.close()
        program = Program([sys.executable, "-m", "dmlviz", str(folder / "small.json")], SIZE, NUMBA_CACHE_DIR=cache)
        frame = program.until(b"step ")
        program.send(b"r")
        seconds["explorer"] = program.until(b"by the kernel", 120) - frame
        program.close()
        for name, each in seconds.items() if turn >= 0 else ():
            found[name].append(each)
    ratio = statistics.median(e / b for e, b in zip(found["explorer"], found["bare"], strict=True))
    print(
        f"first frame to first result, cached kernels: {ratio:.2f} times Python with Numba that calls one"
        f" (median of {count} pairs)"
    )


def presses(count: int, folder: Path) -> None:
    """Key to finished frame, turn by turn; each kind of press `count` times in each program."""
    bare = folder / "bare_cell.py"
    bare.write_text(BARE_CELL)
    programs = {
        "bare": Program([sys.executable, str(bare)]),
        **{
            name: Program([sys.executable, "-m", "dmlviz", str(folder / f"{name}.json")], SIZE)
            for name in ("small", "filling", "giant", "table", "chain")
        },
    }
    for program in programs.values():
        program.settle(1.5)
    print(f"\nkey to finished frame, {count} presses each, turn by turn; times those of a bare app that moves one cell")
    print(
        f"{'':<20}{'24 elements':>24}{'{60,60}':>24}{'{65535,65535}':>24}{'giant / small':>18}{'giant / {60,60}':>18}"
        f"{'chain of 8/small':>18}"
    )
    for name, keys in ACTIONS.items():
        say(name)
        # What fits needs no scrolling: there the table of {200,200} stands for the small desc.
        small = "table" if name == "scrolling" else "small"
        chosen = {"bare": "bare", "small": small, "filling": "filling", "giant": "giant", "chain": "chain"}
        if name == "editing a size":
            for session in ("small", "filling", "giant", "chain"):
                for key in (F6, *[TAB] * 3):  # the form, and from Operator to InputTensor's sizes
                    programs[session].press(key)
        times: dict[str, list[float]] = {each: [] for each in chosen}
        for turn in range(count):
            for session, running in chosen.items():
                key = (RIGHT, LEFT)[turn % 2] if session == "bare" else keys[turn % 2]
                times[session].append(programs[running].press(key))
        base = statistics.median(times["bare"])
        cells = [
            f"{statistics.median(times[e]) / base:.2f} (p99 {percentile(times[e], 0.99) / base:.2f})"
            for e in ("small", "filling", "giant")
        ]
        ratios = [
            statistics.median(times[e]) / statistics.median(times[of])
            for e, of in (("giant", "small"), ("giant", "filling"), ("chain", "small"))
        ]
        print(f"{name:<20}" + "".join(f"{e:>24}" for e in cells), *map("{:>17.2f}".format, ratios))
    for program in programs.values():
        program.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--presses", type=int, default=500)
    parser.add_argument("--starts", type=int, default=11)
    asked = parser.parse_args()
    print(machine.sentence(machine.describe()))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, sizes, data_type in (
            ("small", [4, 6], "FLOAT32"),
            ("filling", [60, 60], "INT8"),  # as many cells in sight as of the giant
            ("table", [200, 200], "FLOAT32"),
            ("giant", [65535, 65535], "INT8"),
        ):
            (folder / f"{file}.json").write_text(session(sizes, data_type))
        (folder / "chain.json").write_text(eight())
        starts(asked.starts, folder)
        first_results(asked.starts, folder)
        presses(asked.presses, folder)


if __name__ == "__main__":
    main()
