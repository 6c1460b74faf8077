"""The bench: cells are what their names say, peers make the same bytes, and a result is told as it is."""

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

import numpy as np
import pytest
from msgspec.structs import replace

import dmlviz as dml
from dmlviz.cli import bench_table
from dmlviz.cli.entry import main
from dmlviz.errors import DmlvizError
from dmlviz.session import examples
from dmlviz.timing.bench import cells, harness, machine, markdown_page, timer_process
from dmlviz.timing.bench.cells import Cell
from dmlviz.timing.bench.harness import Harness, TimerProcess
from dmlviz.timing.bench.results import CellResult, Measurement, Results
from dmlviz.timing.bench.timer_process import OURS, Timer
from dmlviz.timing.bench.wording import spent_text
from dmlviz.timing.peers import libraries
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


@pytest.mark.slow
def test_gather_cells_are_what_their_names_say() -> None:
    for cell in named(FULL, "/(24|64Ki|4Mi|overhead)/.*gather/|^(24|64Ki|4Mi)/.*/gather/"):
        _, where, row, order, table, index_type = cell.name.split("/")
        desc: Any = cell.desc
        sizes, axis = desc.input_tensor.sizes, desc.axis
        inner = math.prod(sizes[axis + 1 :])
        item = desc.input_tensor.data_type.item_size
        assert f"rows{inner}" == row, cell.id
        assert desc.indices_tensor.data_type.name.lower() == index_type
        assert where == ("first" if axis == 0 else "last" if inner == 1 else "middle"), cell.id
        assert (sizes[axis] * inner * item <= cells.NEAR) == (table == "near") or cell.elements <= 1 << 16, cell.id
        indices = cell.arrays()[1].reshape(-1).astype(np.int64)
        n = sizes[axis]
        assert 0 <= indices.min() <= indices.max() < n
        steps = np.diff(indices) % n
        assert (steps == 1 % n).all() == (order == "sequential") or len(indices) < 4, cell.id
        assert cell.run_bytes == inner * item


def test_reverse_cells_are_what_their_names_say() -> None:
    for cell in named(FULL, "^(24|64Ki)/.*/reverse/"):
        _, where, sequence, lengths, *rest = cell.name.split("/")
        desc: Any = cell.desc
        sizes, axis = desc.input_tensor.sizes, desc.axis
        n, inner = sizes[axis], math.prod(sizes[axis + 1 :])
        assert f"seq{n}" == sequence
        assert where == ("first" if axis == 0 else "last" if inner == 1 else "middle"), cell.id
        if where == "middle":
            assert rest[0] == f"inner{inner}"
        held = cell.arrays()[1]
        assert held.dtype.name == rest[-1]
        kind = (
            "zero" if not held.any() else "full" if (held == n).all() else "uniform" if len(set(held.flat)) == 1 else ""
        )
        assert kind == lengths or (lengths == "random" and not kind and held.max() <= n), cell.id


def test_tile_cells_are_what_their_names_say() -> None:
    for cell in named(FULL, "^(24|64Ki|4Mi)/.*/tile/"):
        _, where, *rest = cell.name.split("/")
        desc: Any = cell.desc
        sizes, repeats = desc.input_tensor.sizes, tuple(desc.repeats)
        if where == "last":
            assert rest == [f"run{sizes[-1]}", f"x{repeats[-1]}"]
            assert repeats[0] == 1
        elif where == "middle":
            assert rest == [f"{sizes[1]}x{sizes[2]}", f"x{repeats[1]}"]
            assert (repeats[0], repeats[2]) == (1, 1)
        elif where == "first":
            assert rest == [f"inner{sizes[1]}", f"x{repeats[0]}"]
            assert repeats[1] == 1
        elif where == "8d":
            assert len(sizes) == 8
        else:
            assert (where, sizes) in [("scalar", (1,)), ("pattern7", (7,)), ("both", sizes)]


LISTED = [
    *(f"(join|split)/{axis}/" for axis in ("first", "middle", "last")),
    *(f"(join|split)/.*inner{run}$" for run in (2, 3, 4, 5, 6, 7, 8, 16, 32, 256, 1024)),
    *(f"(join|split)/.*/{parts}" for parts in ("1.1", "3.5", "1x8", "5x7", "32.32", "halves", "[0-9]+x16")),
    *(f"gather/.*rows{row}/" for row in (1, 3, 8, 16, 64, 1024)),
    *(f"gather/{axis}/" for axis in ("first", "middle", "last")),
    *(f"gather/.*/{order}/{table}/" for order in ("sequential", "random") for table in ("near", "far")),
    *(f"gather/.*/{kind}$" for kind in ("int32", "int64", "uint32", "uint64")),
    *(f"reverse/.*seq{n}/" for n in (8, 64, 1024, 4096)),
    *(f"reverse/{axis}/" for axis in ("first", "middle", "last")),
    *(f"reverse/.*/{lengths}/" for lengths in ("random", "full", "zero", "uniform")),
    "tile/last/run3/x3", "tile/last/run1/x3", "tile/last/run2/x256", "tile/scalar", "tile/8d", "tile/first",
]  # fmt: skip


@pytest.mark.parametrize("regime", ["64Ki", "4Mi"])
def test_everything_that_is_to_be_measured_occurs(regime: str) -> None:
    there = [cell.name for cell in FULL if cell.regime.name == regime and cell.data_type == "float32"]
    for pattern in LISTED:
        assert any(re.match(pattern, name) for name in there), pattern


def test_what_is_held_to_a_plain_copy_moves_long_runs_and_waits_for_nothing_else() -> None:
    for cell in FULL:
        if cell.held_to_copy:
            assert cell.run_bytes >= 64
            assert not re.search("gather/.*/random/far|reverse/.*/random", cell.name) or cell.regime.name == "64Ki"
    assert not any(cell.held_to_copy for cell in FULL if "reverse/last" in cell.name)
    assert named([cell for cell in FULL if cell.held_to_copy], "^4Mi/float32/gather/.*/rows64/sequential")


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


def test_an_answer_waits_until_the_threads_are_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0

    class Clock:
        monotonic = staticmethod(lambda: now)
        process_time = staticmethod(lambda: min(now, 0.05))  # spins for 50 ms

        @staticmethod
        def sleep(seconds: float) -> None:
            nonlocal now
            now += seconds

    monkeypatch.setattr(timer_process, "time", Clock)
    timer_process._settle()
    assert 0.05 <= now <= 0.06


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


def test_the_textbook_loop_is_held_against_ours_and_is_never_the_best_peer() -> None:
    join, split = named(FULL, "^24/.*/join")[0], named(FULL, "^24/.*/split")[0]
    one = result(join, dmlviz=1e-6, numpy=4e-6, textbook=2e-6)
    assert (one.best_peer, one.ratio, one.textbook_ratio) == ("numpy", 4.0, 2.0)
    alone = result(split, dmlviz=1e-6, textbook=9e-6)
    assert (alone.best_peer, alone.ratio, alone.textbook_ratio) == (None, None, 9.0)
    held = made(one, alone)
    assert held.textbook() == {"JOIN": pytest.approx(2.0), "SPLIT": pytest.approx(9.0)}
    lines = "\n".join(line.plain for line in bench_table.lines(held, 100))
    page = markdown_page.markdown(held, "kernels.json")
    assert "JOIN 2.00  SPLIT 9.00" in lines
    assert "The textbook loop's time / ours, geometric means: JOIN 2.00, SPLIT 9.00." in page
    assert result(join, dmlviz=1e-6).textbook_ratio is None
    assert made(result(join, dmlviz=1e-6)).textbook() == {}


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.6, "1 second"),
        (40, "40 seconds"),
        (59.9, "1 minute"),
        (83, "1 minute"),
        (91, "2 minutes"),
        (1500, "25 minutes"),
    ],
)
def test_what_was_spent_is_said_in_singular_and_plural(seconds: float, said: str) -> None:
    assert spent_text(seconds) == said


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


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_the_table_fits_and_says_what_counts(width: int) -> None:
    by = {"24": 1e-6, "64Ki": 1e-5, "4Mi": 1e-3}
    found = [
        result(cell, dmlviz=by[cell.regime.name], numpy=by[cell.regime.name] * ratio, copy=1e-6)
        for cell, ratio in zip(SMALL, [0.1, 0.94, 1.0, 1.3, 20.0, 300.0] * 9, strict=False)
        if cell.regime.name in by
    ]
    over = result(named(FULL, "^overhead")[0], dmlviz=1e-6, dmlviz_run=9.5e-6)
    held = made(*found, over, absent={"onnxruntime": "is not installed"})
    lines = [line.plain for line in bench_table.lines(held, width)]
    assert all(len(line) <= width for line in lines)
    text = "\n".join(lines)
    words = " ".join(text.split())
    assert machine.describe()["python"] in words
    assert "onnxruntime is left out: it is not installed." in words
    assert "✘ 0.10 [0.9]" in words
    assert "✘ 8.50 µs [1.50 µs]" in words
    for cell in found:
        assert any(line.startswith(f"{cell.name} ") for line in lines)
    page = markdown_page.markdown(held, "kernels.json")
    assert f"`{found[0].id}`" in page
    assert "| 24 | 6 | 0.10" in page


# ---- the command


def call(*argv: str, capsys: pytest.CaptureFixture[str]) -> tuple[Any, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["bench", *argv])
    out, err = capsys.readouterr()
    return ended.value.code, out, err


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        (["--grid", "huge"], "--grid is 'huge', expected small or full."),
        (["--peers", "numpy,jax"], "--peers has jax, expected some of numpy,torch,onnxruntime,textbook."),
        (["--rounds", "0"], "--rounds is 0, expected 1 or more."),
        (["--only", "("], "--only is (, expected a regular expression"),
        (["--only", "convolution"], "--only is convolution, which matches none of 31 cells"),
        (["--update"], "--update has no file to update, expected --json F too."),
        (["a.json", "--grid", "small"], "a file and --grid are given, expected one of them."),
        (["--show", "/nowhere/r.json"], "/nowhere/r.json can't be read"),
        (["--json", "/nowhere/r.json"], "--json is /nowhere/r.json, which can't be written"),
    ],
)
def test_wrong_usage_is_one_sentence(argv: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(*argv, capsys=capsys)
    assert (code, out) == (2, "")
    assert err.startswith(f"dmlviz: {sentence}")
    assert err.count("\n") == 1


def test_cells_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call("--list", "--grid", "full", "--only", "^24/.*tile/8d", capsys=capsys)
    assert (code, out) == (0, "24/float32/tile/8d/mixed\n")


@pytest.mark.slow
def test_a_session_is_timed_beside_numpy_and_the_result_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, kept = str(examples.example("gather-2").path), tmp_path / "result.json"
    code, out, err = call(file, "--peers", "numpy", "--rounds", "2", "--json", str(kept), capsys=capsys)
    assert (code, err) == (0, "")
    held = Results.load(kept)
    (cell,) = held.cells.values()
    assert cell.measurements.keys() == {"dmlviz", "numpy", "copy"}
    assert cell.name in out
    assert (cell.bytes_read, cell.bytes_written) == (48, 32)
    code, again, _ = call("--show", str(kept), capsys=capsys)
    assert (code, again) == (0, out)
    code, page, _ = call("--show", str(kept), "--markdown", capsys=capsys)
    assert "(result.json)" in page
    only = ["--only", "^24/.*/gather/first/rows1/", "--rounds", "1", "--peers", "", "--json", str(kept)]
    code, _, _ = call(*only, "--update", capsys=capsys)
    assert code == 0
    assert len(Results.load(kept).cells) == 2


def test_an_invalid_experiment_is_refused_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = call(str(examples.example("gather-3-as-printed").path), capsys=capsys)
    assert code == 2
    assert "experiment 'column swap, as printed'" in err or 'experiment "column swap, as printed"' in err


HIDING = """
import sys
class Hide:
    def find_spec(self, name, path=None, target=None):
        if name == "torch": raise ModuleNotFoundError("No module named 'torch'", name="torch")
sys.meta_path.insert(0, Hide())
"""


@pytest.mark.slow
def test_an_absent_peer_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(HIDING)
    path = os.pathsep.join([str(tmp_path), str(Path(dml.__file__).parents[1])])
    command = [sys.executable, "-m", "dmlviz", "bench", "--only", "^24/.*tile/scalar", "--rounds", "1"]
    found = subprocess.run(
        [*command, "--peers", "numpy,torch"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert found.returncode == 0
    assert "torch is left out: it is not installed" in found.stderr
    assert "torch is left out" in found.stdout
    assert re.search(r"tile/scalar +\d", found.stdout)


@pytest.mark.slow
def test_ctrl_c_prints_what_there_is_and_ends_every_process(tmp_path: Path) -> None:
    kept = tmp_path / "result.json"
    command = [sys.executable, "-m", "dmlviz", "bench", "--grid", "full", "--only", "^24/", "--peers", "numpy"]
    env = {**os.environ, "PYTHONPATH": str(Path(dml.__file__).parents[1])}
    process = subprocess.Popen(
        [*command, "--json", str(kept)],
        env=env,
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
