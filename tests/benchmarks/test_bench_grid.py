"""The grid of benchmarks: cells are what their names say, peers make the same bytes, and a result is told as it is."""

from __future__ import annotations

import importlib.util
import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bench
import numpy as np
import pytest
from grid import cells, harness, libraries, machine
from grid.cells import Cell
from grid.harness import Harness, TimerProcess
from grid.results import CellResult, Measurement, Results
from grid.timer_process import OURS, Timer
from msgspec.structs import replace

import dmlviz as dml
from dmlviz.errors import DmlvizError
from dmlviz.timing.sampling import Spread

FULL, SMALL = cells.grid("full"), cells.grid("small")
FEW = 1000
THERE = [name for name in libraries.NAMES if importlib.util.find_spec(name)]


def named(grid: list[Cell], pattern: str) -> list[Cell]:
    found = [cell for cell in grid if re.search(pattern, cell.id)]
    assert found, pattern
    return found


# ---- cells


def test_every_cell_is_valid_has_an_id_of_its_own_and_about_as_many_elements_as_its_regime() -> None:
    for grid in (FULL, SMALL):
        assert len({cell.id for cell in grid}) == len(grid)
    for cell in FULL:
        assert dml.check(cell.desc).ok, cell.id
        assert 0.65 <= cell.elements / cell.regime.elements <= 1.5, cell.id
        kinds = {part.tensor.data_type.name.lower() for part in cell.desc.outputs}
        assert kinds == ({"int64"} if cell.data_type == "float64" and cell.operator == "TILE" else {cell.data_type})
    assert {cell.id for cell in SMALL} <= {cell.id for cell in FULL}
    for chosen in (cells.HARD, cells.LARGE, cells.RUN, cells.SMALL, cells.TINY):
        assert chosen <= {cell.name for cell in FULL}


def test_join_and_split_cells_are_what_their_names_say() -> None:
    for cell in named(FULL, "/(join|split)/"):
        _, where, parts, *rest = cell.name.split("/")
        desc: Any = cell.desc
        whole = desc.output_tensor if cell.operator == "JOIN" else desc.input_tensor
        pieces = desc.input_tensors if cell.operator == "JOIN" else desc.output_tensors
        sizes = [piece.sizes[desc.axis] for piece in pieces]
        inner = math.prod(whole.sizes[desc.axis + 1 :])
        outer = math.prod(whole.sizes[: desc.axis])
        assert (desc.axis == 0, inner == 1) == (where == "first", where == "last"), cell.id
        assert inner == int(rest[0].removeprefix("inner")) if rest else inner == 1, cell.id
        if parts == "halves":
            assert len(sizes) == 2
            assert sizes[0] == sizes[1]
            assert outer <= 64
        else:
            want = [int(size) for size in parts.split("+")] if "+" in parts else None
            if want is None:
                size, count = map(int, parts.split("x"))
                want = [size] * count
            times = sizes[0] // want[0]
            assert sizes == [size * times for size in want], cell.id
            assert times == 1 or where == "first", cell.id
        assert cell.run_bytes == min(sizes) * inner * whole.data_type.item_size


# ---- timers, in this process


def few(cell: Cell) -> dict[str, Any]:
    return {"grid": "full", "id": cell.id, "elements": FEW}


def small_and_hard() -> list[Cell]:
    """Every cell of the smallest and the middle size, hard ones of every type, and those that allocate."""
    return named(FULL, "^24/|^64Ki/|^4Mi/(int8|float16|float64)/|^run-4Mi/")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow if name == "textbook" else ()) for name in libraries.PEERS],
)  # textbook loops are compiled for every type
def test_every_peer_makes_the_same_bytes_in_every_way(name: str) -> None:
    if name not in (*THERE, libraries.TEXTBOOK):
        pytest.skip(f"{name} is not installed")
    ours, peer = Timer(OURS), Timer(name)
    left_out = set()
    for cell in small_and_hard():
        want = ours.answer({"do": "prepare", "cell": few(cell)})["ways"]
        found = peer.answer({"do": "prepare", "cell": few(cell)})
        if "cannot" in found:
            left_out.add(cell.name)
            assert "Error" not in found["cannot"], found
            continue
        assert found["ways"]
        for way, digest in found["ways"].items():
            assert {digest} == set(want.values()), (cell.id, way)
    assert all(name == "onnxruntime" and re.match("reverse/middle/.*/random", cell) for cell in left_out), left_out


def test_ours_is_run_where_outputs_are_allocated_and_both_where_the_difference_is_timed() -> None:
    ours = Timer(OURS)
    for pattern, ways in {"^24/": ["dml.bind"], "^run-4Mi": ["dml.run"], "^overhead": ["dml.bind", "dml.run"]}.items():
        cell = named(FULL, pattern)[0]
        assert list(ours.prepare(few(cell))["ways"]) == ways
        assert ours.choose(ways)["ways"] == ways
        for k in range(len(ways)):
            found = ours.time(k)
            assert found["warm"] > 0
            assert found["first"] > 0


def test_what_a_library_raises_is_an_answer() -> None:
    class Broken(Timer):
        def hello(self) -> dict[str, Any]:
            raise RuntimeError("no\nsuch thing")

        def release(self) -> dict[str, Any]:
            return {}

    assert Broken("numpy").answer({"do": "hello"}) == {"cannot": "RuntimeError: no such thing"}


# ---- the harness


FAKE = """
import json, sys
name = sys.argv[1]
for line in sys.stdin:
    do = json.loads(line)["do"]
    with open(sys.argv[2], "a") as log:
        log.write(f"{name} {do}\\n")
    if do == "time" and name == "torch": break
    print(json.dumps({
        "hello": {"absent": "is not installed"} if name == "onnxruntime" else {"version": "1"},
        "prepare": {"ways": {"way": "right", "other": "right" if name == "dmlviz" else "wrong"}},
        "choose": {"ways": ["way"], "seconds": [5.0 if name == "numpy" else 1.0]},
        "time": {"first": 2.0, "warm": 0.5 if name == "dmlviz" else 1.0, "threads": 1.0},
        "release": {},
    }[do]), flush=True)
"""


@pytest.fixture
def faked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[], list[str]]:
    """Timers that answer at once; returns what they were asked."""
    log = tmp_path / "log"
    monkeypatch.setattr(
        harness, "TimerProcess", lambda name: TimerProcess(name, [sys.executable, "-c", FAKE, name, str(log)])
    )
    return lambda: log.read_text().splitlines()


def test_timers_are_asked_in_turns_and_one_that_ends_is_left_out(faked: Callable[[], list[str]]) -> None:
    cell = named(FULL, "^24/")[0]
    with Harness(libraries.NAMES, rounds=4) as held:
        assert held.absent == {"onnxruntime": "is not installed"}
        assert held.versions == {"numpy": "1", "torch": "1"}
        found = held.time_cell(cell, few(cell))
        again = held.time_cell(cell, few(cell))
    assert found.left_out == again.left_out == {"torch": "its process ended"}
    assert found.measurements.keys() == {"dmlviz", "numpy", "copy"}
    assert (found.ratio, found.copy_share) == (2.0, 2.0)
    turns = [line.split()[0] for line in faked() if line.endswith("time")][: 4 * 3 + 1]
    assert turns[:4] == ["dmlviz", "numpy", "torch", "copy"]
    assert turns[4:8] == ["copy", "dmlviz", "copy", "dmlviz"]  # NumPy is far slower than PyTorch was
    # The medians of 4 rounds are not called steady.
    assert {name: each.warm.n for name, each in found.measurements.items()} == {"dmlviz": 8, "numpy": 2, "copy": 8}


def test_a_peer_that_is_wrong_is_not_timed(faked: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    cell = named(FULL, "^24/")[0]
    real = TimerProcess.hear

    def hear(process: TimerProcess) -> dict[str, Any]:
        found = real(process)
        return {"ways": {"way": "wrong"}} if process.name == "numpy" and "ways" in found else found

    monkeypatch.setattr(TimerProcess, "hear", hear)
    with Harness(("numpy",), rounds=1) as held:
        found = held.time_cell(cell, few(cell))
    assert found.left_out == {"numpy": "differs from ours"}
    assert found.ratio is None
    assert not any(line == "numpy time" for line in faked())


def test_a_cell_too_large_for_the_machine_is_not_begun(
    faked: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = named(FULL, "^64Mi/.*/join")[0]
    monkeypatch.setattr("dmlviz.running.memory.available_memory", lambda: 10**9)
    with Harness(("numpy",), rounds=1) as held, pytest.raises(DmlvizError, match=r"the cell 64Mi/.* needs .* GiB"):
        held.time_cell(cell, few(cell))
    assert not any(line.endswith("prepare") for line in faked())


# ---- results


def measurement(median: float, threads: float = 1.0) -> Measurement:
    return Measurement("way", Spread.of([median, median * 0.9, median * 1.5]), Spread.of([2 * median]), threads)


def result(cell: Cell, threads: float = 1.0, **medians: float) -> CellResult:
    measurements = {
        name.replace("_", " "): measurement(m, threads if name == OURS else 1.0) for name, m in medians.items()
    }
    return harness._result(cell, measurements, {"torch": "has no such function"} if "torch" not in medians else {})


def made(*found: CellResult, **more: Any) -> Results:
    held = Results(machine.describe(), "full", 9, {"numpy": "2.0", "torch": "3.0 (2 threads)"}, **more)
    held.cells = {cell.id: cell for cell in found}
    return held


def test_ratios_are_of_the_best_peer_and_of_the_copy_with_as_many_threads() -> None:
    cell = named(FULL, "^4Mi/float32/join/first/halves")[0]
    one = result(cell, dmlviz=1e-3, numpy=3e-3, torch=2e-3, copy=0.9e-3, copy_2=0.5e-3)
    assert (one.best_peer, one.ratio) == ("torch", 2.0)
    assert one.min_ratio == pytest.approx(2.0)
    assert one.copy_share == pytest.approx(0.9)
    shared = replace(one, measurements={**one.measurements, OURS: measurement(1e-3, 1.9)})
    assert shared.copy_share == pytest.approx(0.5)
    assert one.gb_per_s == pytest.approx(2 * 4 * cell.elements / 1e-3 / 1e9)
    assert one.overhead is None
    assert result(cell, dmlviz=1e-6, dmlviz_run=3e-6).overhead == pytest.approx(2e-6)
    assert result(cell, dmlviz=1e-6).ratio is None


def test_a_regime_comes_to_its_worst_cell_and_the_geometric_mean() -> None:
    first, second, *_ = named(FULL, "^64Ki/.*/join")
    split = named(FULL, "^64Ki/.*/split")[0]
    held = made(
        result(first, dmlviz=1.0, numpy=0.5),
        result(second, dmlviz=1.0, numpy=8.0),
        result(split, dmlviz=1.0, numpy=4.0),
        result(named(FULL, "^run-64Mi")[0], dmlviz=1.0, numpy=3.0),
    )
    row, run = held.rows()
    assert (row.name, row.worst.id, len(row.cells)) == ("64Ki", first.id, 3)
    assert row.mean == pytest.approx(16 ** (1 / 3))
    assert row.operators == {"JOIN": pytest.approx(2.0), "SPLIT": pytest.approx(4.0)}
    assert [cell.id for cell in row.short] == [first.id]
    assert run.name == "run"
    assert run.wanted == cells.Wanted(0.9, 1.5)


def test_a_result_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    found = [result(cell, dmlviz=1e-3, numpy=3e-3, copy=0.9e-3, copy_2=0.5e-3) for cell in SMALL]
    held = made(*found, absent={"onnxruntime": "is not installed"}, began="2026-01-01 00:00 UTC", seconds=12.0)
    file = tmp_path / "result.json"
    file.write_text(held.to_json(), "utf-8")
    again = Results.load(file)
    assert again == held
    assert again.to_json() == held.to_json()
    assert json.loads(file.read_text("utf-8"))["cells"][0].keys() >= {"id", "ratio", "copy_share", "measurements"}
    # Format 1 had another word for measurements.
    file.write_text(
        held.to_json().replace('"dmlviz_bench": 2', '"dmlviz_bench": 1').replace("measurements", "entrants")
    )
    assert Results.load(file) == held
    for text in ("{}", "[]", "nothing", '{"dmlviz_bench": 9}'):
        file.write_text(text)
        with pytest.raises(DmlvizError, match="expected"):
            Results.load(file)


def test_the_machine_is_described() -> None:
    found = machine.describe()
    assert {"cpu", "processors", "memory", "system", "python", "dmlviz", "numpy", "numba"} <= found.keys()
    said = machine.sentence(found)
    for value in (found["cpu"], found["memory"], found["python"], f"numpy {np.__version__}"):
        assert value in said
    assert str(Path.home()) not in json.dumps(found)


# ---- the command


def call(*argv: str, capsys: pytest.CaptureFixture[str]) -> tuple[Any, str, str]:
    code = bench.main(argv)
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        (["--grid", "huge"], "--grid is 'huge', expected small or full."),
        (["--peers", "numpy,jax"], "--peers has jax, expected some of numpy,torch,onnxruntime,textbook."),
        (["--rounds", "0"], "--rounds is 0, expected 1 or more."),
        (["--only", "("], "--only is (, expected a regular expression"),
        (["--only", "convolution"], "--only is convolution, which matches none of 31 cells"),
        (["--update"], "--update has no file to update, expected --json F too."),
        (["--show", "/nowhere/r.json"], "/nowhere/r.json can't be read"),
        (["--json", "/nowhere/r.json"], "--json is /nowhere/r.json, which can't be written"),
    ],
)
def test_wrong_usage_is_one_sentence(argv: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(*argv, capsys=capsys)
    assert (code, out) == (2, "")
    assert err.startswith(f"bench: {sentence}")
    assert err.count("\n") == 1


@pytest.mark.slow
def test_ctrl_c_prints_what_there_is_and_ends_every_process(tmp_path: Path) -> None:
    kept = tmp_path / "result.json"
    command = [sys.executable, bench.__file__, "--grid", "full", "--only", "^24/", "--peers", "numpy"]
    process = subprocess.Popen(
        [*command, "--json", str(kept)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a job in the background ignores it
    )
    assert process.stderr is not None
    assert "1 of 47 cells" in process.stderr.readline()
    time.sleep(0.5)  # amid the next one
    os.killpg(process.pid, signal.SIGINT)  # as the terminal does
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    found = Results.load(kept)
    assert 1 <= len(found.cells) < 47
    assert all(cell.name in out for cell in found.cells.values())
    assert "geometric mean" in out
