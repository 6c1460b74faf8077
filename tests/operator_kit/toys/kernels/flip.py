"""FLIP: runs of bytes, written back to front."""

from __future__ import annotations

from typing import Any


def run(arrays: Any, numbers: Any, turn: int) -> None:
    (out, data), (outer, size, run) = arrays, numbers
    turned = data.reshape(outer, size, run)[:, ::-1]
    out.reshape(outer, size, run)[:] = turned
