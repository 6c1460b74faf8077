"""Operators from outside the package, by the door that all operators come through: the packages' paths."""

from __future__ import annotations

import importlib
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from operator_kit import cases

from dmlviz import kernels, operators
from dmlviz.kernels.lib import loading
from dmlviz.operators import misreadings, registry
from dmlviz.operators.base import Operator

ROOT = Path(__file__).parents[2]
TOYS = ROOT / "tests" / "operator_kit" / "toys"


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


@dataclass(frozen=True)
class Toy:
    """FLIP, a sixth operator, in files of its own, which a test may change."""

    operator: Operator[Any]
    desc: Any
    """Its desc class: `Flip(input_tensor, axis, output_tensor=None)`."""
    example: Path
    name: str = "FLIP"


@contextmanager
def flip(root: Path) -> Iterator[Toy]:
    """FLIP is there, in files below `root`."""
    for path in TOYS.rglob("flip.*"):
        if path.suffix in (".py", ".json"):
            copied = root / path.relative_to(TOYS)
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copied)
    with installed(root):
        module = importlib.import_module("dmlviz.operators.flip")
        yield Toy(module.OPERATOR, module.Flip, root / "examples" / "flip.json")
