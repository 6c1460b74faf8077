"""Works for kernels as operators fold them, bytes and runs, with what must come out, told by NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[Any]


@dataclass(frozen=True)
class Work:
    """What a kernel gets, and the outputs that are wanted."""

    kernel: str
    folded: tuple[int, ...]
    inputs: list[Bytes]
    outputs: list[Bytes]

    def __repr__(self) -> str:
        more = "" if self.kernel in ("join", "split", "tile") else f", {self.inputs[1].tolist()}"
        return f"Work({self.kernel}, {self.folded}{more})"[:500]


def random_bytes(generator: np.random.Generator, *sizes: int) -> Bytes:
    return generator.integers(0, 256, sizes, np.uint8)


def join(generator: np.random.Generator, outer: int, lengths: Sequence[int]) -> Work:
    """`outer` rows, of which each input has `lengths` bytes."""
    parts = [random_bytes(generator, outer, length) for length in lengths]
    return Work("join", (outer, sum(lengths), *lengths), parts, [np.concatenate(parts, 1)])


def split(generator: np.random.Generator, outer: int, lengths: Sequence[int]) -> Work:
    whole = random_bytes(generator, outer, sum(lengths))
    parts = [np.ascontiguousarray(part) for part in np.split(whole, np.cumsum(lengths)[:-1], 1)]
    return Work("split", (outer, sum(lengths), *lengths), [whole], parts)


def gather(generator: np.random.Generator, outer: int, n: int, run: int, indices: Bytes) -> Work:
    """`indices` are of any of the four types and may lie outside."""
    data = random_bytes(generator, outer, n, run)
    places = [int(k) for k in indices]
    places = [min(max(k + n if k < 0 else k, 0), n - 1) for k in places]
    signed = int(indices.dtype.kind == "i")
    folded = outer, n, len(indices), run, indices.dtype.itemsize, signed
    return Work("gather", folded, [data, indices], [np.ascontiguousarray(data[:, places])])


def reverse(generator: np.random.Generator, n: int, inner: int, item: int, lengths: Bytes) -> Work:
    """`lengths` of `outer` blocks of `inner` lanes; they may be larger than `n`."""
    outer = len(lengths) // inner
    data = random_bytes(generator, outer, n, inner, item)
    # As Python's numbers, since 2**63 and more is no int64.
    held = np.array([min(int(length), n) for length in lengths]).reshape(outer, 1, inner, 1)
    k = np.arange(n).reshape(1, n, 1, 1)
    made = np.take_along_axis(data, np.where(k < held, held - 1 - k, k), 1)
    folded = outer, n, inner, item, lengths.dtype.itemsize
    return Work("reverse_subsequences", folded, [data, lengths], [np.ascontiguousarray(made)])


def tile(generator: np.random.Generator, item: int, pairs: Sequence[tuple[int, int]]) -> Work:
    """(size, repeats) of each axis, and then the `item` bytes of an element."""
    data = random_bytes(generator, *(size for size, _ in pairs), item)
    made = np.tile(data, (*(repeats for _, repeats in pairs), 1))
    return Work("tile", (item, *(number for pair in pairs for number in pair)), [data], [made])


HOSTILE = {
    "i4": [-(2**31), -(2**31) + 1, 2**31 - 1, 2**31 - 2],
    "u4": [2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1],
    "i8": [-(2**63), -(2**63) + 1, -(2**32), -(2**31) - 1, 2**31, 2**32, 2**63 - 1, 2**63 - 2],
    "u8": [2**31, 2**32 - 1, 2**32, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 2, 2**64 - 1],
}
"""Numbers of each type that tempt a kernel to read elsewhere."""


def some_indices(generator: np.random.Generator, kind: str, count: int, n: int, hostile: bool = True) -> Bytes:
    """`count` indices of type `kind` into `n` slices."""
    if not hostile:
        return generator.integers(0, n, count).astype(kind)
    pool = [*range(min(n, 8)), n - 1, n, n + 1, *HOSTILE[kind]]
    if kind[0] == "i":
        pool += [-1, -n, -n - 1]
    return np.array(pool, kind)[generator.integers(0, len(pool), count)]


def some_lengths(generator: np.random.Generator, kind: str, count: int, n: int, how: str = "hostile") -> Bytes:
    """`count` lengths of type `kind` for sequences of `n`: `how` is random, hostile, or a number for all of them."""
    if how == "random":
        return generator.integers(0, n + 1, count).astype(kind)
    if how == "hostile":
        pool = [0, 1, n // 2, n - 1, n, n + 1, *HOSTILE[kind]]
        return np.array(pool, kind)[generator.integers(0, len(pool), count)]
    return np.full(count, int(how), kind)
