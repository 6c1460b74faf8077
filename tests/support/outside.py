"""Operators from outside the package, by the door that all operators come through: the packages' paths."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from operator_kit import cases

from dmlviz import kernels, operators
from dmlviz.kernels.lib import loading
from dmlviz.operators import registry


@contextmanager
def installed(root: Path) -> Iterator[None]:
    """The operators of `root` are there: folders operators, kernels, examples and cases, a file each for every one."""
    packages = {operators: root / "operators", kernels: root / "kernels", cases: root / "cases"}
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
