"""Operators from outside the package, by the door that all operators come through: the packages' paths."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from operator_kit import cases

from dmlviz import kernels, operators
from dmlviz.kernels.lib import loading
from dmlviz.operators import misreadings, registry

ROOT = Path(__file__).parents[2]
TOYS = ROOT / "tests" / "operator_kit" / "toys"


def window(folder: Path) -> Path:
    """WINDOW, in `folder`: SLICE1 as somebody from outside would have it, who declares as much; its operator's path.

    It has other names, its own wrong rules, and a kernel that isn't compiled.
    """
    package = ROOT / "src" / "dmlviz" / "operators"
    sources = {
        "operators": package / "slice1.py",
        "misreadings": package / "misreadings" / "slice1.py",
        "cases": ROOT / "tests" / "operator_kit" / "cases" / "slice1.py",
        "examples": ROOT / "examples" / "slice-1.json",
    }
    names = {"SLICE1": "WINDOW", "Slice1": "Window", "slice1": "window", '= "slice"': '= "window"', 'id="W': 'id="V'}
    for part, source in sources.items():
        text = source.read_text("utf-8")
        for name, other in names.items():
            text = text.replace(name, other)
        (folder / part).mkdir()
        (folder / part / f"window{source.suffix}").write_text(text, "utf-8")
    (folder / "kernels").mkdir()
    shutil.copy(TOYS / "kernels" / "window.py", folder / "kernels")
    return folder / "operators" / "window.py"


@contextmanager
def installed(root: Path) -> Iterator[None]:
    """The operators of `root` are there: folders operators, kernels, examples and cases, a file each for every one.

    Wrong rules may lie in a folder misreadings.
    """
    places = {operators: "operators", kernels: "kernels", cases: "cases", misreadings: "misreadings"}
    packages = {package: root / folder for package, folder in places.items()}
    for package, folder in packages.items():
        package.__path__.append(str(folder))
    try:
        registry.discover()
        yield
    finally:
        for package, folder in packages.items():
            package.__path__.remove(str(folder))
            for stem in {path.stem for path in folder.glob("*.py")}:
                sys.modules.pop(f"{package.__name__}.{stem}", None)
                if hasattr(package, stem):
                    delattr(package, stem)
                loading._loaded.pop(stem.upper(), None)
        registry.discover()
