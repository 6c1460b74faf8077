"""An ONNX model: each node that is an operator here. Files that it refers to are never read.

What the model declares of an output is held against what its inputs make. Small values that it holds come along.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path

from ..lib.found import Item
from ..lib.imported import ImportFailedError
from . import child

TITLE = "an ONNX model"
ORDER = 10


def knows(data: bytes, name: str) -> bool:
    """True for a file that is called so, and for what begins as a model does: with the version of its format."""
    is_field = len(data) > 2 and data[2] in b"\x12\x1a\x22\x28\x32\x3a\x42"
    return name.lower().endswith(".onnx") or (is_field and data[0] == 8 and data[1] < 64)


def read(data: bytes, name: str, folder: Path | None) -> list[Item]:
    return read_with(data, name, folder, {})


def read_with(data: bytes, name: str, folder: Path | None, dims: Mapping[str, int]) -> list[Item]:
    """As `read`, with sizes for free dimensions. Raises ImportFailedError for one that the model hasn't got too."""
    if importlib.util.find_spec("onnx") is None:
        raise ImportFailedError(
            f"{name} is an ONNX model, expected onnx to read it: `.venv/bin/pip install '.[onnx]'` in dmlviz's folder."
        )
    return child.found(data, name, dict(dims))
