"""A first use: kernels kept on disk, and compiled in another process."""

from __future__ import annotations

import gc
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from support.driver import Driver, explore, panel
from support.outside import Toy
from support.processes import children, gone, wait_until
from support.real_terminal import ENVIRONMENT, Terminal

import dmlviz as dml
from dmlviz.kernels.lib import cache
from dmlviz.operators.registry import operators
from dmlviz.session.experiments import Experiment, Session

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
    folder = tmp_path / "kept"
    for kept in ({"SPLIT"}, {*names}):  # SPLIT's kernel is JOIN's
        lines, said = warmed("from dmlviz import cli", folder)
        states = {name: "loaded from cache" if name in kept else "compiled now" for name in names}
        assert [line.partition(" in ")[0] for line in lines[:n]] == [f"{name}: {states[name]}" for name in names]
        assert lines[n].startswith(f"{n - len(kept)} compiled, {len(kept)} found in the cache, in ")
        steps = {name: "loading" if name in kept else "compiling" for name in names}
        assert said[:n] == [f"dmlviz: {steps[name]} {name}, {k} of {n}" for k, name in enumerate(names, 1)]
        assert lines[n + 1].startswith(f"kept in {folder / 'kernels-'}")


def warmed(first: str, folder: Path) -> tuple[list[str], list[str]]:
    """What `dmlviz --warm` tells, and what it says meanwhile; `first` stands before it."""
    command = [sys.executable, "-c", f"{first}\ncli.main(['--warm'])"]
    told = {**ENVIRONMENT, "NUMBA_CACHE_DIR": str(folder)}
    found = subprocess.run(command, env=told, capture_output=True, text=True, check=True)
    return found.stdout.splitlines(), found.stderr.splitlines()


ONE = """
from dmlviz import cli
from dmlviz.operators import registry
(one,) = [each for each in registry.listed() if each.name == "TILE"]
registry.listed = lambda: [one]
"""


@pytest.mark.slow
def test_what_cannot_be_kept_is_compiled_and_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no directory")
    lines, said = warmed(ONE, tmp_path / "file")
    assert [line.partition(" in ")[0] for line in lines] == ["TILE: compiled now", "1 compiled, 0 found"]
    assert said[0] == "dmlviz: compiling TILE, 1 of 1"
    assert "not all is kept: no folder for it can be written" in said[-1]


# ---- the explorer


@pytest.mark.slow
def test_a_kernel_that_cannot_be_made_ready_is_told(toy: Toy) -> None:
    async def broken(driver: Driver) -> None:
        await driver.press("r")
        await driver.until(lambda: "the kernel failed with ZeroDivisionError" in panel(driver))

    (toy.example.parents[1] / "kernels" / "flip.py").write_text("1 / 0")
    flip = Experiment("flip", toy.desc(dml.TensorDesc("FLOAT32", (2, 3)), 1))
    for size in ((120, 36), (80, 24)):  # a small screen, too, has a place for that
        explore(broken, Session((flip,)), size)


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
    terminal.until("compiling")
    (compiler,) = children(terminal.process.pid)
    if way == "q":
        terminal.send("q")
        assert terminal.ends() == 0
    else:
        os.kill(terminal.process.pid, signal.SIGHUP if way == "hang up" else signal.SIGKILL)
    wait_until(lambda: gone(compiler), "the process to end")
    terminal.crash()
