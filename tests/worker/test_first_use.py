"""A first use: kernels kept on disk, and got ready ahead in another process."""

from __future__ import annotations

import gc
import importlib.util
import json
import logging
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
from dmlviz.session import examples
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
def compiles(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Iterator[Callable[[], str]]:
    """Compiles a small kernel or finds it in the cache, as a new process would, and says which: "compiled", "cached"
    or, where nothing is kept, "not kept".
    """
    caplog.set_level(logging.DEBUG, cache.__name__)  # why something wasn't kept, where a test fails
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
        cache._tidied.clear()
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


def turn_a_bit(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 4
    file.write_bytes(data)


@pytest.mark.parametrize("damage", [cut, turn_a_bit, Path.unlink, lambda file: file.write_bytes(b"")])
@pytest.mark.parametrize(
    "kind", ["*.nbi", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("*.nbc", "*.sums"))]
)
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


def test_an_index_that_numba_cannot_read_is_made_anew(
    compiles: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    compiles()
    (file,) = tmp_path.rglob("*.nbi")
    file.write_bytes(b"another program's")
    (sums,) = tmp_path.rglob("*.sums")
    sums.write_text(json.dumps(cache._sums(cache._files(sums.parent, "small."))))
    assert [compiles(), compiles()] == ["compiled", "cached"]


def test_old_directories_go_and_those_in_use_stay(
    compiles: Callable[[], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = tmp_path / "kept"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(base))
    compiles()
    (own,) = base.iterdir()
    half = own / "small.run-2.py311.1.nbc.tmp.0123456789abcdef"
    old, young, other, elsewhere = (base / n for n in ("kernels-" + "0" * 16, "kernels-" + "1" * 16, "numba", "away"))
    for each in (old, young, other, elsewhere):
        each.mkdir()
        (each / "x.nbc").write_text("x")
    half.write_text("half")
    (base / ("kernels-" + "2" * 16)).symlink_to(elsewhere)
    long_ago = time.time() - cache.UNUSED - 60
    for each in (old, other, elsewhere, own, half):
        os.utime(each, (long_ago, long_ago))
    assert compiles() == "cached"
    assert not old.exists()
    assert not half.exists()
    assert all((each / "x.nbc").exists() for each in (young, other, elsewhere))
    assert own.stat().st_mtime > long_ago + cache.UNUSED  # it was used now


@pytest.fixture
def read_only(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Makes a folder one that nothing can be written in, for root too."""
    held: list[Path] = []
    make, mkdir = tempfile.TemporaryFile, Path.mkdir

    def refuse(path: Path) -> None:
        if any(each == path or each in path.parents for each in held):
            raise PermissionError(13, "read-only", str(path))

    def file(*arguments: Any, dir: Any = None, **more: Any) -> Any:  # noqa: A002
        refuse(Path(dir or tempfile.gettempdir()))
        return make(*arguments, dir=dir, **more)

    def folder(path: Path, *arguments: Any, **more: Any) -> None:
        if not path.exists():
            refuse(path)
        mkdir(path, *arguments, **more)

    monkeypatch.setattr(tempfile, "TemporaryFile", file)
    monkeypatch.setattr(Path, "mkdir", folder)
    return held.append


@pytest.mark.slow
def test_without_a_writable_cache_a_temporary_folder_of_the_users_own_is_taken(
    compiles: Callable[[], str], read_only: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    monkeypatch.setattr(cache, "user_cache_dir", lambda *a, **k: str(tmp_path / "home"))
    read_only(tmp_path / "home")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
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
    read_only(temporary)
    assert compiles() == "not kept"


def test_what_a_read_only_cache_has_is_used(
    compiles: Callable[[], str], read_only: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "image"))
    assert compiles() == "compiled"
    read_only(tmp_path / "image")
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    assert compiles() == "cached"
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "image" / "none"))  # asked for, and not there: no other place
    assert compiles() == "not kept"


@pytest.mark.slow
def test_warm_compiles_everything_once(tmp_path: Path) -> None:
    def warm(folder: Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "dmlviz", "--warm"]
        told = {**ENVIRONMENT, "NUMBA_CACHE_DIR": str(folder)}
        return subprocess.run(command, env=told, capture_output=True, text=True, check=True)

    names = [operator.name for operator in operators().values()]
    n = len(names)
    first, second = warm(tmp_path / "kept"), warm(tmp_path / "kept")
    for found, compiled in ((first, {*names}), (second, set[str]())):
        lines = found.stdout.splitlines()
        states = {name: "compiled now" if name in compiled else "loaded from cache" for name in names}
        assert [line.partition(" in ")[0] for line in lines[:n]] == [f"{name}: {states[name]}" for name in names]
        assert lines[n + 1].startswith(f"kept in {tmp_path / 'kept' / 'kernels-'}")
        steps = [f"{'compiling' if name in compiled else 'loading'} {name}" for name in names]
        assert found.stderr.splitlines() == [f"dmlviz: {step}, {k} of {n}" for k, step in enumerate(steps, 1)]
    assert first.stdout.splitlines()[n].startswith(f"{n} compiled, 0 found in the cache, in ")
    assert second.stdout.splitlines()[n].startswith(f"0 compiled, {n} found in the cache, in ")
    (tmp_path / "file").write_text("no directory")
    unkept = warm(tmp_path / "file")
    assert f"{n} compiled" in unkept.stdout
    assert "not all is kept: no folder for it can be written" in unkept.stderr.splitlines()[-1]


@pytest.mark.slow
def test_warm_says_what_it_compiles_and_ctrl_c_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENVIRONMENT, "NUMBA_CACHE_DIR", str(tmp_path / "kept"))
    terminal = Terminal([sys.executable, "-m", "dmlviz", "--warm"], 100, 20, tmp_path)
    terminal.until("compiling JOIN", f"1 of {len(operators())}")
    terminal.send("\x03")
    assert terminal.ends() == 130
    assert "Traceback" not in terminal.text()
    again = Terminal([sys.executable, "-m", "dmlviz", "--warm"], 100, 20, tmp_path)
    again.until("kept in", seconds=120)
    assert again.ends() == 0


def test_warm_stands_alone() -> None:
    command = [sys.executable, "-m", "dmlviz", "--warm", "x.json"]
    found = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (2, "dmlviz: --warm stands alone, found 1 more beside it.\n")


# ---- the process that gets kernels ready


class Heard(Told):
    """The same for readiness."""

    def __call__(self, state: Any) -> None:
        super().__call__(state)

    def until(self, done: Callable[[Any], bool], seconds: float = 60) -> Any:
        return super().until(done, seconds)


def ready(found: Any) -> bool:
    return isinstance(found, Readiness) and not found.stage


def test_a_kernel_got_ready_is_ready_in_the_run(running: Runner) -> None:
    heard, told = Heard(), Told()
    assert running.warm("GATHER", heard)
    heard.until(ready)
    stages = [each.stage for each in heard.states]
    assert stages in (["starting", "loading", ""], ["starting", "compiling", ""])
    found = running.readiness("GATHER")
    assert found.ready
    assert found.kept
    assert found.seconds > 0
    assert not running.warm("GATHER", heard)  # nothing is to be done
    process = worker()
    running.start(experiment_of(), told)
    end = told.end()
    assert worker() == process
    assert end.timing is not None
    assert end.timing.kernel is KernelState.READY
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
    heard, told = Heard(), Told()
    assert running.warm("FLIP", heard)
    heard.until(lambda each: each.stage == "compiling")
    first = worker()
    assert first is not None
    assert not running.warm("GATHER", heard)
    running.start(experiment_of(), told)
    assert told.end().comparison is not None
    assert gone(first)
    assert not running.readiness("FLIP").ready
    heard = Heard()  # what was told of the first process isn't told of this one
    assert running.warm("FLIP", heard)
    heard.until(lambda each: each.stage == "compiling")
    second = worker()
    assert running.warm("GATHER", heard, instead=True)
    heard.until(lambda each: each.name == "GATHER" and each.ready)
    assert second is not None
    assert gone(second)


@pytest.mark.slow
def test_a_run_waits_for_its_kernel_and_cancelling_it_keeps_the_compiler_going(
    running: Runner, toy: Toy, gate: Path
) -> None:
    heard, first, second = Heard(), Told(), Told()
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


@pytest.mark.slow
def test_a_process_that_dies_while_it_compiles_is_a_sentence(running: Runner, toy: Toy, gate: Path) -> None:
    heard, told = Heard(), Told()
    running.warm("FLIP", heard)
    heard.until(lambda each: each.stage == "compiling")
    process = worker()
    assert process is not None
    os.kill(process, signal.SIGKILL)
    heard.until(ready)
    assert "was killed" in running.readiness("FLIP").trouble
    assert not running.warm("FLIP", heard)  # it might be killed again and again
    gate.touch()
    running.start(flip(toy), told)
    assert told.end().agreed == 6


# ---- the explorer


def explore(script: Callable[[Driver], Any], session: Session, size: tuple[int, int] = (120, 36)) -> DmlvizApp:
    """Runs an explorer that gets kernels ready, and `script` on it."""
    import asyncio

    app = DmlvizApp(session, warms=True)

    async def run() -> None:
        async with piloted(app, size) as pilot:
            driver = Driver(app, pilot)
            await driver.settle()
            await script(driver)

    asyncio.run(run())
    return app


@pytest.mark.slow
@pytest.mark.parametrize(
    "size", [(120, 36), pytest.param((80, 32), marks=pytest.mark.slow), pytest.param((200, 50), marks=pytest.mark.slow)]
)
def test_the_reference_answers_until_the_kernel_is_ready(
    toy: Toy, gate: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dmlviz.app.FIRST_WARM", 3600.0)
    processes: list[int] = []

    async def script(driver: Driver) -> None:
        screen = driver.screen
        assert "r runs and times it; needs 48 bytes FLIP is not ready yet" in panel(driver)
        assert worker() is None  # the first frame has the machine to itself
        screen.warm_up(0.001)
        await driver.until(lambda: "compiling FLIP for the first time, 0" in panel(driver))
        await driver.press("r")
        words = panel(driver)
        assert "compiling FLIP for the first time, " in words
        assert "r cancels" in words
        assert not any(unit in words for unit in ("ms", "µs", "GB/s", "kernel,", "median"))
        assert screen.state.run.running.timing is None
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
        assert worker() == processes[0]
        driver.edit(flip(toy, 2, 2))
        await driver.settle()
        assert "FLIP is ready, compiled in " in panel(driver)

    wait_until(lambda: worker() is None, "the process of another test to end")
    explore(script, Session((flip(toy),)), size)
    wait_until(lambda: gone(processes[0]), "the process to end")


@pytest.mark.slow
def test_the_operator_that_comes_to_the_screen_is_got_ready_next(toy: Toy, gate: Path) -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        await driver.until(lambda: screen.workspace.runs.runner.readiness("FLIP").stage == "compiling")
        await driver.press("ctrl+right", "ctrl+right")
        assert "TILE is not ready yet" in panel(driver)
        gate.touch()
        await driver.until(lambda: "TILE is ready, " in panel(driver))
        assert screen.workspace.runs.runner.readiness("FLIP").ready
        assert not screen.workspace.runs.runner.readiness("JOIN").ready  # it was only passed by
        await driver.press("ctrl+left", "ctrl+left")
        assert "FLIP is ready, compiled in " in panel(driver)

    explore(
        script,
        Session((flip(toy), replace(experiment_of("join-1"), name="a"), replace(experiment_of("tile-1"), name="b"))),
    )


@pytest.mark.slow
def test_a_kernel_that_cannot_be_kept_or_made_ready_is_told(toy: Toy) -> None:
    async def script(driver: Driver) -> None:
        await driver.until(lambda: "FLIP is ready, compiled in " in panel(driver))
        assert "it can't be kept for the next start" in panel(driver)  # Numba has not made it

    kernel = toy.example.parents[1] / "kernels" / "flip.py"
    explore(script, Session((flip(toy),)))
    kernel.write_text("1 / 0")

    async def broken(driver: Driver) -> None:
        await driver.until(lambda: "FLIP isn't ready: " in panel(driver))
        assert "ZeroDivisionError" in panel(driver)

    for size in ((120, 36), (80, 24)):  # a small screen, too, has a place for that
        explore(broken, Session((flip(toy),)), size)


def test_without_it_no_process_is_started() -> None:
    import asyncio

    app = DmlvizApp(examples.example("gather-2").session())
    wait_until(lambda: worker() is None, "the process of another test to end")

    async def run() -> None:
        async with piloted(app) as pilot:
            driver = Driver(app, pilot)
            await asyncio.sleep(0.6)
            await driver.settle()
            assert worker() is None
            assert "ready" not in panel(driver)

    asyncio.run(run())


# ---- the program

DRIVER = """
import os, sys
from pathlib import Path
from dmlviz import app, cli, kernels

kernels.__path__.insert(0, "slow")
end_update = app.DmlvizApp._end_update


def note(name):
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    Path(name).write_text("\\n".join([children.strip() or "no child", *sorted(sys.modules)]))


def watched(self):  # a frame is on the terminal
    end_update(self)
    stacks = list(self.screen.query("#outputs"))
    if stacks and stacks[0].stack is not None and not Path("first").exists():
        note("first")


app.DmlvizApp._end_update = watched
try:
    cli.main([])
finally:
    note("last")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_the_explorer_imports_no_numba_and_starts_nothing_before_its_first_frame(tmp_path: Path) -> None:
    (tmp_path / "driver.py").write_text(DRIVER)
    terminal = Terminal([sys.executable, "driver.py"], 120, 36, tmp_path)
    try:
        terminal.until("GATHER is ready, ")
        terminal.send("r")
        terminal.until("then warm")
        terminal.send("q")
        assert terminal.ends() == 0
    finally:
        terminal.process.close(force=True)
    first, last = ((tmp_path / name).read_text().splitlines() for name in ("first", "last"))
    assert first[0] == "no child"
    for modules in (first, last):  # the whole time: Numba is the other process's
        assert not {"numba", "llvmlite", "dmlviz.kernels.lib.compiled"} & set(modules)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize(
    "way", ["kill -9", "q", *(pytest.param(way, marks=pytest.mark.slow) for way in ("hang up", "hang up under nohup"))]
)
def test_what_compiles_ends_with_the_explorer(way: str, tmp_path: Path) -> None:
    (tmp_path / "slow").mkdir()
    (tmp_path / "slow" / "gather.py").write_text("while True:\n    sum(range(10_000))\n")
    ignored = "import signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n" if way == "hang up under nohup" else ""
    (tmp_path / "driver.py").write_text(ignored + DRIVER)
    terminal = Terminal([sys.executable, "driver.py"], 120, 36, tmp_path)
    try:
        terminal.until("compiling GATHER for the first time, 0")
        (compiler,) = children(terminal.process.pid)
        assert not gone(compiler)
        if way == "q":
            terminal.send("q")
            assert terminal.ends() == 0
        elif way.startswith("hang up"):
            os.close(terminal.process.child_fd)
            terminal.process.closed = True
        else:
            os.kill(terminal.process.pid, signal.SIGKILL)
        wait_until(lambda: gone(compiler), "the process to end")
    finally:
        if not way.startswith("hang up"):
            terminal.process.close(force=True)
        else:
            os.kill(terminal.process.pid, signal.SIGKILL)
            os.waitpid(terminal.process.pid, 0)
