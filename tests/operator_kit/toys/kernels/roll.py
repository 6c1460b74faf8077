"""ROLL, uncompiled."""

from __future__ import annotations

from typing import Any

import numpy as np


def run(arrays: Any, numbers: Any, turn: int) -> None:
    out, data = arrays
    item, *rest = numbers.tolist()
    sizes, shifts = rest[::2], rest[1::2]
    out.reshape(*sizes, item)[:] = np.roll(data.reshape(*sizes, item), shifts, tuple(range(len(sizes))))
