"""The grid of `benchmarks/`: its cells are valid, peers make the same bytes, and one that fails is left out."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import bench
import cells
import pytest
import timer
from cells import Cell
from measurements import CellResult, Measurement, Results
from page import markdown
from timer import OURS, PEERS, CannotTimeError, Remote, Sample, Timer

import dmlviz as dml

CELLS = cells.grid()
FEW = 1000
ROOT = Path(__file__).parents[2]


def first(pattern: str) -> Cell:
    return next(cell for name, cell in CELLS.items() if re.search(pattern, name))


def test_every_cell_is_valid_and_about_as_large_as_its_regime() -> None:
    for cell in CELLS.values():
        assert dml.check(cell.desc).ok, cell.id
        assert 0.65 <= cell.elements / cell.regime.elements <= 1.5, cell.id
        types = {part.tensor.data_type.name.lower() for part in cell.desc.outputs}
        assert types == ({"int64"} if cell.data_type == "float64" and cell.operator == "TILE" else {cell.data_type})
        if cell.held_to_copy:
            assert cell.run_bytes >= cells.LONG_RUN
    assert set(cells.small()) <= set(CELLS)
    for chosen in (cells.HARD, cells.LARGE, cells.RUN, cells.SMALL, cells.TINY):
        assert chosen <= {cell.name for cell in CELLS.values()}


@pytest.mark.parametrize("name", PEERS)
def test_every_way_makes_the_same_bytes(name: str) -> None:
    if not importlib.util.find_spec(name):
        pytest.skip(f"{name} is not installed")
    ours, peer = Timer(OURS), Timer(name)
    for cell_id in CELLS:
        if not re.search("^24/|^64Ki/|^4Mi/(int8|float16|float64)/|^run-4Mi/", cell_id):
            continue
        wanted = set(ours.prepare(cell_id, FEW).values())
        try:
            digests = peer.prepare(cell_id, FEW)
        except CannotTimeError:
            assert name == "onnxruntime" and re.search("reverse/middle/.*/random", cell_id), cell_id  # noqa: PT018
            continue
        assert set(digests.values()) == wanted, cell_id


def test_an_answer_waits_until_the_threads_are_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0

    class Clock:
        monotonic = staticmethod(lambda: now)
        process_time = staticmethod(lambda: min(now, 0.05))  # spins for 50 ms

        @staticmethod
        def sleep(seconds: float) -> None:
            nonlocal now
            now += seconds

    monkeypatch.setattr(timer, "time", Clock)
    timer.settle()
    assert 0.05 <= now <= 0.06


@pytest.mark.integration
def test_what_a_library_raises_is_told() -> None:
    remote = Remote(Timer, "numpy")
    with pytest.raises(CannotTimeError, match="KeyError: 'no such cell'"):
        remote.ask("prepare", "no such cell")
    remote.end()


def cell_result(pattern: str, threads: float = 1.0, **seconds: float) -> CellResult:
    cell = first(pattern)
    return CellResult(
        id=cell.id,
        regime=cell.regime.name,
        data_type=cell.data_type,
        name=cell.name,
        operator=cell.operator,
        elements=cell.elements,
        bytes_read=1,
        bytes_written=1,
        run_bytes=cell.run_bytes,
        held_to_copy=cell.held_to_copy,
        measurements={
            name.replace("_", " "): Measurement.of("way", [Sample(1.0, median, threads)])
            for name, median in seconds.items()
        },
    )


def test_ratios_are_of_the_best_peer_and_of_the_copy_with_as_many_threads() -> None:
    medians = {"dmlviz": 1e-3, "numpy": 3e-3, "torch": 2e-3, "copy": 0.9e-3, "copy_2": 0.5e-3}
    alone = cell_result("^4Mi/float32/join/first/halves", **medians)
    assert (alone.best_peer, alone.ratio, alone.min_ratio) == ("torch", 2.0, 2.0)
    assert alone.copy_share == pytest.approx(0.9)
    assert cell_result("^4Mi/float32/join/first/halves", 1.9, **medians).copy_share == pytest.approx(0.5)
    assert cell_result("^overhead", dmlviz=1e-6, dmlviz_run=3e-6).overhead == pytest.approx(2e-6)
    assert cell_result("^24/", dmlviz=1e-6).ratio is None


def test_a_regime_comes_to_its_worst_cell_and_the_geometric_mean() -> None:
    results = Results(2, {}, 9, cells=[
        cell_result("^64Ki/.*/join", dmlviz=1.0, numpy=0.5),
        cell_result("^64Ki/.*/split", dmlviz=1.0, numpy=8.0),
        cell_result("^run-64Mi", dmlviz=1.0, numpy=3.0),
    ])  # fmt: skip
    row, run = results.rows()
    assert (row.name, row.worst.operator) == ("64Ki", "JOIN")
    assert row.mean == pytest.approx(2.0)
    assert row.operators == {"JOIN": pytest.approx(0.5), "SPLIT": pytest.approx(8.0)}
    assert (run.name, run.wanted) == ("run", cells.Wanted(0.9, 1.5))


def test_the_page_is_of_the_figures_that_are_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = ROOT / "benchmarks" / "results" / "kernels.json"
    results = Results.load(kept)
    measured = {cell.operator for cell in results.cells}  # an operator's figures are kept whole, or not yet
    assert [cell.id for cell in results.cells] == [name for name, cell in CELLS.items() if cell.operator in measured]
    page = markdown(results, "kernels.json")
    assert page == (ROOT / "benchmarks" / "results" / "README.md").read_text("utf-8")
    results.save(tmp_path / "kernels.json")
    assert Results.load(tmp_path / "kernels.json") == results
    assert bench.main(["--show", str(tmp_path / "kernels.json")]) == 0
    assert capsys.readouterr().out == page
    with pytest.raises(SystemExit, match="can't be read, expected"):
        bench.main(["--show", str(tmp_path / "none.json")])
