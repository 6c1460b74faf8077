"""FLIP, a sixth operator, in files of its own outside the package, which a test may change."""

from __future__ import annotations

import importlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dmlviz.operators.base import Operator
from support.outside import TOYS, installed


@dataclass(frozen=True)
class Toy:
    """A sixth operator, registered by the same door as the others."""

    operator: Operator[Any]
    desc: Any
    """Its desc class: `Flip(input_tensor, axis, output_tensor=None)`."""
    example: Path
    name: str = "FLIP"
    type: str = "DML_OPERATOR_FLIP"


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
