"""An ONNX model: each Concat, Split, Gather, Tile, Pad, ReverseSequence, GatherElements, Slice of known shapes.

They stand in the main graph, in the bodies of If, Loop and Scan, and in functions, once for each call. What the model
declares of an output is held against what its inputs make. A node that can't be read is said to be unchecked. Small
values that the model holds come along. Files that it refers to are never read.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ...formats.onnx_library import has_onnx
from ..lib.found import Item
from ..lib.imported import ImportFailedError
from . import child

TITLE = "an ONNX model"
ORDER = 10

_FIRST = frozenset(bytes([tag]) for tag in b"\x12\x1a\x22\x28\x32\x3a\x42")
"""What may follow the version of the format: the other fields of a model."""


def knows(data: bytes, name: str) -> bool:
    """True for a file that is called so, and for what begins as a model does: with the version of its format."""
    return name.lower().endswith(".onnx") or (data[:1] == b"\x08" and data[1:2] < b"\x40" and data[2:3] in _FIRST)


def read(data: bytes, name: str, folder: Path | None) -> list[Item]:
    """What the model's nodes become. Raises ImportFailedError where nothing does, or onnx isn't installed."""
    return read_with(data, name, folder, {})


def read_with(data: bytes, name: str, folder: Path | None, dims: Mapping[str, int]) -> list[Item]:
    """As `read`, with sizes for free dimensions, by name or as `INPUT:AXIS`.

    Raises ImportFailedError for one that the model hasn't got too.
    """
    if not has_onnx():
        raise ImportFailedError(
            f"{name} is an ONNX model, expected the package onnx to read it: `pip install 'dmlviz[onnx]'`."
        )
    return child.found(data, name, dict(dims))
