"""PICK, uncompiled."""

from __future__ import annotations

from typing import Any

import numpy as np


def run(arrays: Any, numbers: Any, turn: int) -> None:
    out, data, cells = arrays
    item, axis, *rest = numbers.tolist()
    whole, picked = rest[: len(rest) // 2], rest[len(rest) // 2 :]
    indices = np.minimum(cells.view(np.uint32).reshape(*picked, 1), whole[axis] - 1).astype(np.int64)
    out.reshape(*picked, item)[:] = np.take_along_axis(data.reshape(*whole, item), indices, axis)
