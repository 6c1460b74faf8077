"""Calls of operators with the outputs that are wanted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import dmlviz as dml

Call = tuple[Any, list[NDArray[Any]], list[NDArray[Any]]]
"""A desc, its inputs and the outputs that are wanted."""


def calls(seed: int, size: int) -> list[Call]:
    """Calls that write some 30 `size`^2 bytes each."""
    generator = np.random.default_rng(seed)
    x, y = (generator.random((size, 4 * size), np.float32) for _ in range(2))
    indices = generator.integers(0, size, (1, 2 * size)).astype(np.int32)
    one, both = dml.TensorDesc("FLOAT32", x.shape), dml.TensorDesc("FLOAT32", (2 * size, 4 * size))
    whole = np.concatenate([x, y])
    return [
        (dml.Join((one, one), 0), [x, y], [whole]),
        (dml.Split(both, (one, one), 0), [whole], [x, y]),
        (dml.Gather(one, dml.TensorDesc("INT32", indices.shape), 0, 1), [x, indices], [x[indices[0]]]),
        (dml.Tile(one, (1, 2)), [x], [np.tile(x, (1, 2))]),
    ]


def same(found: list[NDArray[Any]], wanted: list[NDArray[Any]]) -> bool:
    return all(a.tobytes() == b.tobytes() for a, b in zip(found, wanted, strict=True))
