"""A first use: kernels kept on disk, and got ready ahead in another process."""

from __future__ import annotations

import asyncio
import gc
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from support.driver import Driver, panel
from support.one_session import experiment_of
from support.quiet_pilot import piloted
from support.real_terminal import ENVIRONMENT, Terminal
from support.runs import Told, gone, wait_until
from support.toy import Toy
from support.worker_processes import children, worker

import dmlviz as dml
from dmlviz.app import DmlvizApp
from dmlviz.kernels.lib import cache
from dmlviz.kernels.lib.kernel import KernelState
from dmlviz.operators.registry import operators
from dmlviz.session.experiments import Experiment, Session
from dmlviz.worker.client import Runner
from dmlviz.worker.states import Readiness

# ---- what is kept on disk

KERNEL = """
def run(out, data):
    for i in range(out.size):
        out[i] = data[i] + 1
"""


@pytest.fixture
def compiles(tmp_path: Path) -> Iterator[Callable[[], str]]:
    """Compiles a small kernel or finds it in the cache, as a new process would, and says which: "compiled", "cached"
    or, where nothing is kept, "not kept".
    """
    file = tmp_path / "source" / "small.py"
    file.parent.mkdir()
    file.write_text(KERNEL)
    spec = importlib.util.spec_from_file_location("small", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["small"] = module  # what is read from the cache imports it, where nothing of it is left in memory
    spec.loader.exec_module(module)
    held = numba.types.uint8[::1]

    def found() -> str:
        asked: list[bool] = []

        def make(cache: bool) -> Any:
            asked.append(cache)
            return numba.njit(numba.void(held, held), cache=cache)(module.run)

        gc.collect()  # of what was compiled before, which a new process hasn't got
        made = cache.kept(module.run, make)
        out = np.zeros(3, np.uint8)
        made(out, np.arange(3, dtype=np.uint8))
        assert out.tolist() == [1, 2, 3]
        return "not kept" if not asked[-1] else "cached" if made.stats.cache_hits else "compiled"

    yield found
    sys.modules.pop("small", None)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-7])


@pytest.mark.parametrize("damage", [cut, Path.unlink, lambda file: file.write_bytes(b"another program's")])
@pytest.mark.parametrize("kind", ["*.nbi", pytest.param("*.nbc", marks=pytest.mark.slow)])
def test_damaged_files_are_made_anew_once(
    damage: Callable[[Path], object],
    kind: str,
    compiles: Callable[[], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kept"))
    assert [compiles(), compiles()] == ["compiled", "cached"]
    (file,) = (tmp_path / "kept").rglob(kind)
    damage(file)
    assert [compiles(), compiles()] == ["compiled", "cached"]


@pytest.mark.slow
def test_without_a_writable_cache_a_temporary_folder_of_the_users_own_is_taken(
    compiles: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, temporary, usable = tmp_path / "home", tmp_path / "temporary", cache._is_usable
    temporary.mkdir()
    refused = [home]
    monkeypatch.setattr(cache, "_is_usable", lambda path: not {*refused} & {*path.parents} and usable(path))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(cache, "user_cache_dir", lambda *a, **k: str(home))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    assert [compiles(), compiles()] == ["compiled", "cached"]
    (own,) = temporary.iterdir()
    assert own.stat().st_mode & 0o777 == 0o700
    own.chmod(0o777)  # somebody else's code might lie there
    assert compiles() == "not kept"
    shutil.rmtree(own)
    own.symlink_to(tmp_path)
    assert compiles() == "not kept"
    own.unlink()
    refused.append(temporary)
    assert compiles() == "not kept"


@pytest.mark.slow
def test_warm_compiles_everything_once(tmp_path: Path) -> None:
    names = [operator.name for operator in operators().values()]
    n = len(names)
    for folder, kept in (("kept", {"SPLIT"}), ("kept", {*names}), ("file", {"SPLIT"})):  # SPLIT's kernel is JOIN's
        told = {**ENVIRONMENT, "NUMBA_CACHE_DIR": str(tmp_path / folder)}
        command = [sys.executable, "-m", "dmlviz", "--warm"]
        found = subprocess.run(command, env=told, capture_output=True, text=True, check=True)
        lines, said = found.stdout.splitlines(), found.stderr.splitlines()
        states = {name: "loaded from cache" if name in kept else "compiled now" for name in names}
        assert [line.partition(" in ")[0] for line in lines[:n]] == [f"{name}: {states[name]}" for name in names]
        assert lines[n].startswith(f"{n - len(kept)} compiled, {len(kept)} found in the cache, in ")
        steps = {name: "loading" if name in kept and folder == "kept" else "compiling" for name in names}
        assert said[:n] == [f"dmlviz: {steps[name]} {name}, {k} of {n}" for k, name in enumerate(names, 1)]
        if folder == "kept":
            assert lines[n + 1].startswith(f"kept in {tmp_path / 'kept' / 'kernels-'}")
            (tmp_path / "file").write_text("no directory")
        else:
            assert "not all is kept: no folder for it can be written" in said[-1]


# ---- the process that gets kernels ready


def ready(found: Any) -> bool:
    return isinstance(found, Readiness) and not found.stage


def test_a_kernel_got_ready_is_ready_in_the_run(running: Runner) -> None:
    heard, told = Told(), Told()
    assert running.warm("GATHER", heard)
    heard.until(ready)
    stages = list(dict.fromkeys(each.stage for each in heard.states))
    assert stages in (["starting", "loading", ""], ["starting", "compiling", ""])
    assert running.readiness("GATHER").seconds > 0
    assert not running.warm("GATHER", heard)  # nothing is to be done
    process = worker()
    running.start(experiment_of(), told)
    assert told.end().comparison.ours.kernel is KernelState.READY
    assert worker() == process
    running.close()
    assert not running.readiness("GATHER").ready


@pytest.fixture
def gate(toy: Toy, tmp_path: Path) -> Path:
    """A file that FLIP's kernel waits for while it is got ready, burning the processor as a compiler does."""
    found = tmp_path / "gate"
    kernel = toy.example.parents[1] / "kernels" / "flip.py"
    wait = f"import os\nwhile not os.path.exists({str(found)!r}):\n    sum(range(10_000))\n"
    kernel.write_text(kernel.read_text() + wait)
    return found


def flip(toy: Toy, *sizes: int) -> Experiment:
    return Experiment("flip", toy.desc(dml.TensorDesc("FLOAT32", sizes or (2, 3)), 1))


@pytest.mark.slow
def test_one_kernel_at_a_time_and_a_run_of_another_comes_first(running: Runner, toy: Toy, gate: Path) -> None:
    heard, told = Told(), Told()
    assert running.warm("FLIP", heard)
    heard.until(lambda each: each.stage == "compiling")
    first = worker()
    assert first is not None
    assert not running.warm("GATHER", heard)
    running.start(experiment_of(), told)
    assert told.end().comparison is not None
    assert gone(first)
    assert not running.readiness("FLIP").ready


@pytest.mark.slow
def test_a_run_waits_for_its_kernel_and_cancelling_it_keeps_the_compiler_going(
    running: Runner, toy: Toy, gate: Path
) -> None:
    heard, first, second = Told(), Told(), Told()
    running.warm("FLIP", heard)
    running.start(flip(toy), first)
    heard.until(lambda each: each.stage == "compiling")
    process = worker()
    running.cancel()
    running.start(flip(toy), second)
    time.sleep(0.1)
    assert worker() == process
    gate.touch()
    assert second.end().agreed == 6
    assert worker() == process
    assert not first.states
    assert running.readiness("FLIP").ready


# ---- the explorer


def explore(script: Callable[[Driver], Any], session: Session, size: tuple[int, int] = (120, 36)) -> None:
    """Runs an explorer that gets kernels ready, and `script` on it."""
    app = DmlvizApp(session, warms=True)

    async def run() -> None:
        async with piloted(app, size) as pilot:
            driver = Driver(app, pilot)
            await driver.settle()
            await script(driver)

    asyncio.run(run())


@pytest.mark.slow
def test_the_reference_answers_until_the_kernel_is_ready(toy: Toy, gate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dmlviz.app.FIRST_WARM", 3600.0)
    processes: list[int] = []

    async def script(driver: Driver) -> None:
        screen = driver.screen
        assert worker() is None  # the first frame has the machine to itself
        screen.warm_up(0.001)
        await driver.until(lambda: screen.workspace.runs.runner.readiness("FLIP").stage == "compiling")
        await driver.press("r")
        words = panel(driver)
        assert "compiling FLIP 0" in words
        assert "r cancels" in words
        assert not any(unit in words for unit in ("ms", "µs", "GB/s", "kernel,", "median"))
        processes.append(worker() or 0)
        await driver.press("r")
        assert "r runs and times it" in panel(driver)
        driver.edit(flip(toy, 3, 5))
        await driver.press("r")
        assert worker() == processes[0]  # neither has the compiler begun anew
        gate.touch()
        await driver.until(lambda: not screen.state.run.running.busy)
        assert "this desc" in panel(driver)
        assert screen.state.run.running.agreed == 15
        driver.edit(flip(toy, 2, 2))
        await driver.settle()
        assert "last: " in panel(driver)  # of what was timed, now that the kernel is ready
        assert screen.workspace.runs.runner.readiness("FLIP").ready

    wait_until(lambda: worker() is None, "the process of another test to end")
    explore(script, Session((flip(toy),)))
    wait_until(lambda: gone(processes[0]), "the process to end")


@pytest.mark.slow
def test_the_operator_that_comes_to_the_screen_is_got_ready_next(toy: Toy, gate: Path) -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        await driver.until(lambda: screen.workspace.runs.runner.readiness("FLIP").stage == "compiling")
        await driver.press("ctrl+right", "ctrl+right")
        gate.touch()
        await driver.until(lambda: screen.workspace.runs.runner.readiness("TILE").ready)
        assert screen.workspace.runs.runner.readiness("FLIP").ready
        assert not screen.workspace.runs.runner.readiness("JOIN").ready  # it was only passed by

    explore(
        script,
        Session((flip(toy), replace(experiment_of("join-1"), name="a"), replace(experiment_of("tile-1"), name="b"))),
    )


@pytest.mark.slow
def test_a_kernel_that_cannot_be_made_ready_is_told(toy: Toy) -> None:
    async def broken(driver: Driver) -> None:
        await driver.press("r")
        await driver.until(lambda: "the kernel failed with ZeroDivisionError" in panel(driver))

    (toy.example.parents[1] / "kernels" / "flip.py").write_text("1 / 0")
    for size in ((120, 36), (80, 24)):  # a small screen, too, has a place for that
        explore(broken, Session((flip(toy),)), size)


# ---- the program

DRIVER = """
import sys
from pathlib import Path
from dmlviz import cli, kernels

kernels.__path__.insert(0, "slow")
try:
    cli.main([])
finally:
    Path("last").write_text("\\n".join(sys.modules))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_the_explorer_imports_no_numba(tmp_path: Path) -> None:
    (tmp_path / "driver.py").write_text(DRIVER)
    terminal = Terminal([sys.executable, "driver.py"], 120, 36, tmp_path)
    try:
        terminal.until("runs and times it")
        terminal.send("r")
        terminal.until(", then:")
        terminal.send("q")
        assert terminal.ends() == 0
    finally:
        terminal.crash()
    modules = {*(tmp_path / "last").read_text().splitlines()}
    assert not {"numba", "llvmlite", "dmlviz.kernels.lib.compiled"} & modules  # Numba is the other process's


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize("way", ["kill -9", "q", pytest.param("hang up", marks=pytest.mark.slow)])
def test_what_compiles_finds_what_the_explorer_finds_and_ends_with_it(way: str, tmp_path: Path) -> None:
    (tmp_path / "slow").mkdir()
    (tmp_path / "slow" / "gather.py").write_text("while True:\n    sum(range(10_000))\n")
    (tmp_path / "driver.py").write_text(DRIVER)
    for name in ("json", "numpy"):  # a folder of misleading modules
        (tmp_path / f"{name}.py").write_text("raise SystemExit(3)")
    terminal = Terminal([sys.executable, "-P", "driver.py"], 120, 36, tmp_path)
    terminal.until("runs and times it")
    terminal.send("r")
    terminal.until("compiling GATHER")
    (compiler,) = children(terminal.process.pid)
    if way == "q":
        terminal.send("q")
        assert terminal.ends() == 0
    else:
        os.kill(terminal.process.pid, signal.SIGHUP if way == "hang up" else signal.SIGKILL)
    wait_until(lambda: gone(compiler), "the process to end")
    terminal.crash()
