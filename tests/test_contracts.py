"""The contracts on imports hold, and find whatever breaks them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("importlinter", reason="import-linter isn't installed")
pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[1]
FLOORS = "Floors: imports go downwards only"
CIRCLES = "No circles among neighbours, type-only imports included"
SCREENS = "Textual and Rich: what draws"
NUMBA = "Numba: the kernels"
KERNELS = "Kernels: what runs and times them"
OTHERS = "Other libraries: the modules that need each"
SERVERS = "aiohttp: the servers"
BENCHES = "Libraries that only benchmarks are held against"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the package, and of the file that holds the contracts beside it."""
    python_only = shutil.ignore_patterns("__pycache__", "*.tcss", "*.html")
    shutil.copytree(ROOT / "src" / "dmlviz", tmp_path / "src" / "dmlviz", ignore=python_only)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def broken(tree: Path) -> list[str]:
    found = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as lint; lint()", "--no-cache"],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree / "src"), "COLUMNS": "200", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    verdicts = re.findall(r"^(.+) (KEPT|BROKEN)\b", found.stdout, re.MULTILINE)
    assert {name for name, _ in verdicts} == {FLOORS, CIRCLES, SCREENS, NUMBA, KERNELS, OTHERS, SERVERS, BENCHES}, (
        found.stdout
    )
    failed = [name for name, verdict in verdicts if verdict == "BROKEN"]
    assert found.returncode == bool(failed)
    return failed


def test_the_contracts_are_kept(tree: Path) -> None:
    assert broken(tree) == []


def added(line: str, *places: str) -> Callable[[Path], None]:
    """Adds a line to the end of a module, or makes the module of it."""

    def plant(package: Path) -> None:
        for place in places:
            path = package / place
            before = path.read_text("utf-8") if path.exists() else ""
            path.write_text(f"{before}\n{line}\n", "utf-8")

    return plant


def circle(package: Path) -> None:
    """Two screens that know each other, for their types alone."""
    for one, other in (("one", "other"), ("other", "one")):
        text = f"from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from .{other} import X\n"
        (package / "screens" / f"{one}.py").write_text(text, "utf-8")


PLANTS: dict[str, tuple[Callable[[Path], None], *tuple[str, ...]]] = {
    "numba in an exporter": (added("import numba", "exporters/cpp.py"), NUMBA),
    "numba in an exporter, deferred": (added("def f():\n    from numba import njit", "exporters/cpp.py"), NUMBA),
    "llvmlite in the engine": (added("import llvmlite", "running/engine.py"), NUMBA),
    "textual in the scene": (added("import textual", "scene/__init__.py"), SCREENS),
    "textual in the workspace": (added("from textual.app import App", "workspace/explorer/workspace.py"), SCREENS),
    "rich in the timing": (added("from rich.text import Text", "timing/comparison.py"), SCREENS),
    "a screen in a widget": (added("import dmlviz.screens", "widgets/__init__.py"), FLOORS, CIRCLES),
    "the workspace in the scene": (added("from ..workspace import workspace", "scene/__init__.py"), FLOORS, CIRCLES),
    "an importer in an exporter": (added("from ..importers import cpp", "exporters/markdown.py"), FLOORS),
    "a desc in a kernel": (added("from ..desc import tensors", "kernels/tile.py"), FLOORS),
    "a package without a floor": (added("", "attic.py"), FLOORS),
    "two screens that know each other": (circle, CIRCLES),
    "a kernel in a widget": (added("from ..kernels.lib import loading", "widgets/__init__.py"), KERNELS),
    "torch in the package": (added("import torch", "timing/numpy_calls.py"), BENCHES),
    "aiohttp in a command": (added("def f():\n    import aiohttp", "cli/serve.py"), SERVERS),
    "segno on a screen": (added("def f():\n    import segno", "screens/present/wall.py"), OTHERS),
    "onnx in an importer": (added("def f():\n    import onnx", "importers/onnx/source.py"), OTHERS),
}


@pytest.mark.drawn(1)
@pytest.mark.parametrize("name", PLANTS)
def test_what_is_planted_is_found(name: str, tree: Path) -> None:
    plant, *contracts = PLANTS[name]
    plant(tree / "src" / "dmlviz")
    assert broken(tree) == contracts
