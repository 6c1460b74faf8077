"""A call of each operator with the outputs that are wanted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import dmlviz as dml

Call = tuple[Any, list[NDArray[Any]], list[NDArray[Any]]]
"""A desc, its inputs and the outputs that are wanted."""


def calls(seed: int, size: int) -> list[Call]:
    """A call of each operator; outputs are of some 30 `size`^2 bytes."""
    generator = np.random.default_rng(seed)
    f32, u64, i32 = dml.DataType.FLOAT32, dml.DataType.UINT64, dml.DataType.INT32

    def tensor(array: NDArray[Any]) -> dml.TensorDesc:
        return dml.TensorDesc({"f": f32, "u": u64, "i": i32}[array.dtype.kind], array.shape)

    x, y = (generator.random((size, n * size), np.float32) for n in (3, 4))
    whole = np.concatenate([x, y], 1)
    indices = generator.integers(0, size, (1, 2 * size)).astype(np.int32)
    n = 4
    blocks = generator.random((size, n, 2 * size), np.float32)
    lengths = generator.integers(0, n + 2, (size, 1, 2 * size)).astype(np.uint64)
    k, held = np.arange(n).reshape(1, n, 1), np.minimum(lengths.astype(np.int64), n)
    turned = np.take_along_axis(blocks, np.where(k < held, held - 1 - k, k), 1)
    few = generator.random((size, 2), np.float32)
    return [
        (dml.Join((tensor(x), tensor(y)), 1), [x, y], [whole]),
        (dml.Split(tensor(whole), (tensor(x), tensor(y)), 1), [whole], [x, y]),
        (dml.Gather(tensor(x), tensor(indices), 0, 1), [x, indices], [x[indices[0]]]),
        (dml.ReverseSubsequences(tensor(blocks), tensor(lengths), 1), [blocks, lengths], [turned]),
        (dml.Tile(tensor(few), (4, size)), [few], [np.tile(few, (4, size))]),
    ]


def same(found: list[NDArray[Any]], wanted: list[NDArray[Any]]) -> bool:
    return all(a.tobytes() == b.tobytes() for a, b in zip(found, wanted, strict=True))
