"""WINDOW, SLICE1 under another name: runs picked by where they begin; it isn't compiled, so arrays are flat bytes."""

from __future__ import annotations

from typing import Any

import numpy as np


def run(arrays: Any, numbers: Any, turn: int) -> None:
    out, data = arrays
    length, start, *axes = numbers.tolist()
    places = np.array([start])
    for count, step in zip(axes[::2], axes[1::2], strict=True):
        places = (places[:, None] + step * np.arange(count)).reshape(-1)
    out.reshape(-1, length)[:] = data[places[:, None] + np.arange(length)]
