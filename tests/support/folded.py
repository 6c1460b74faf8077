"""Works for kernels as operators fold them, bytes and runs, with what must come out, told by NumPy."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dmlviz import kernels
from dmlviz.kernels.lib.blocks import LONG

Bytes = NDArray[Any]
KERNELS = tuple(sorted(file.stem for file in Path(kernels.__path__[0]).glob("[a-z]*.py")))


@dataclass(frozen=True)
class Work:
    """What a kernel gets, and the outputs that are wanted."""

    kernel: str
    folded: tuple[int, ...]
    inputs: list[Bytes]
    outputs: list[Bytes]

    def __repr__(self) -> str:
        more = "" if self.kernel in ("join", "split", "tile", "slice1") else f", {self.inputs[1].tolist()}"
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
    folded = outer, n, len(indices), run, indices.dtype.itemsize, int(indices.dtype.kind == "i")
    return Work("gather", folded, [data, indices], [np.ascontiguousarray(data[:, places_of(indices, n)])])


def places_of(indices: Bytes, n: int) -> Bytes:
    """What `indices` of any of the four types pick of `n`."""
    if indices.dtype.kind == "u":
        return np.minimum(indices.astype(np.uint64), np.uint64(n - 1)).astype(np.int64)
    wide = indices.astype(np.int64)
    return np.clip(np.where(wide < 0, wide + n, wide), 0, n - 1)


def gather_elements(generator: np.random.Generator, n: int, item: int, indices: Bytes) -> Work:
    """`indices` are (blocks, rows, lanes), of any of the four types, and may lie outside."""
    outer, rows, inner = indices.shape
    data = random_bytes(generator, outer, n, inner, item)
    made = np.take_along_axis(data, places_of(indices, n)[..., None], 1)
    folded = outer, n, rows, inner, item, indices.dtype.itemsize, int(indices.dtype.kind == "i")
    return Work("gather_elements", folded, [data, indices], [np.ascontiguousarray(made)])


def reverse(generator: np.random.Generator, n: int, inner: int, item: int, lengths: Bytes) -> Work:
    """`lengths` of `outer` blocks of `inner` lanes; they may be larger than `n`."""
    outer = len(lengths) // inner
    data = random_bytes(generator, outer, n, inner, item)
    held = np.minimum(lengths.astype(np.uint64), np.uint64(n)).astype(np.int64).reshape(outer, 1, inner, 1)
    k = np.arange(n).reshape(1, n, 1, 1)
    made = np.take_along_axis(data, np.where(k < held, held - 1 - k, k), 1)
    folded = outer, n, inner, item, lengths.dtype.itemsize
    return Work("reverse_subsequences", folded, [data, lengths], [np.ascontiguousarray(made)])


def tile(generator: np.random.Generator, item: int, pairs: Sequence[tuple[int, int]]) -> Work:
    """(size, repeats) of each axis, and then the `item` bytes of an element."""
    data = random_bytes(generator, *(size for size, _ in pairs), item)
    made = np.tile(data, (*(repeats for _, repeats in pairs), 1))
    return Work("tile", (item, *(number for pair in pairs for number in pair)), [data], [made])


def slice1(generator: np.random.Generator, run: int, start: int, axes: Sequence[tuple[int, int]]) -> Work:
    """Runs of `run` bytes, (count, step in bytes) of each axis; the first run begins at `start`."""
    places = np.array([start])
    for count, step in axes:
        places = (places[:, None] + step * np.arange(count)).reshape(-1)
    data = random_bytes(generator, int(places.max()) + run)
    folded = run, start, *(number for axis in axes for number in axis)
    return Work("slice1", folded, [data], [data[places[:, None] + np.arange(run)]])


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


Constants = dict[str, dict[str, int]]


def changed(constants: Constants, **plan: int) -> Constants:
    """`constants`, with others of `_plan`."""
    return {**constants, "plan": {**constants.get("plan", {}), **plan}}


NEVER = 1 << 62
USUAL: Constants = {}
SMALL: Constants = {
    "plan": {"BLOCK": 96, "SEGMENT": 160, "SHARED": 8, "SHARE": 3, "STREAMED": NEVER},
    "rows": {"NEAR": 24, "ABREAST": 32, "ABREAST_NEAR": 48, "FAR": 300},
    "blocks": {"LONG": 700, "FEW": 3},
    "gather": {"CHUNK": 5},
    "gather_elements": {"CHUNK": 10},
    "reverse_subsequences": {"GROUP": 8, "STRIP": 16, "SHORT": 4, "UNITS": 3},
    "tile": {"BLOCK": 64, "UNITS": 3},
    "slice1": {"SHORT": 4, "NEAR": 24, "LONG": 80},
}
"""Thresholds so low that a few hundred bytes pass all of them; but outputs don't go past the caches."""
STREAMING = changed(SMALL, STREAMED=1)
"""Outputs do."""


def module_of(name: str) -> Any:
    """A kernel by its name, or what kernels share."""
    return importlib.import_module(f"dmlviz.kernels.{name}" if name in KERNELS else f"dmlviz.kernels.lib.{name}")


def planned(kernel: str, folded: Sequence[int], constants: Constants) -> list[int]:
    """What the kernel's `plan` makes of the numbers that the operator folded, with these constants."""
    names = ("plan", "rows", "blocks", kernel)
    modules = [module_of(name) for name in names]
    with pytest.MonkeyPatch.context() as patch:
        for name in names:  # a kernel's own constant comes last, whatever others call so
            for constant, value in constants.get(name, {}).items():
                for module in modules if name != kernel else modules[-1:]:
                    if hasattr(module, constant):
                        patch.setattr(module, constant, value)
        made: list[int] = module_of(kernel).plan(*folded)
    return made


def works(generator: np.random.Generator) -> Iterator[Work]:
    """Works that reach every branch where thresholds are SMALL."""
    lengths = [1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 100, 128, 129]
    for make in (join, split):
        for length in lengths:
            yield make(generator, 7, [length, 3])
        for width in (1, 2, 4, 8):
            for parts in (2, 3, 4, 8):
                yield make(generator, 64 // width + 3, [width] * parts)
        yield make(generator, 1, [300, 1000, 5])
        yield make(generator, 3, [500, 90, 2])
        yield make(generator, 40, [5, 6, 7])
        yield make(generator, 40, [1])
        for mixed in ([33, 40], [64, 45], [32, 63, 64], [65, 300]):
            yield make(generator, 5, mixed)
    for kind in ("i4", "u4", "i8", "u8"):
        for run in (1, 2, 3, 4, 6, 8, 11, 16, 20, 32, 40, 64, 90, 128, 150, 200):
            yield gather(generator, 2, 3, run, some_indices(generator, kind, 7, 3))
    yield gather(generator, 3, 5, 1, some_indices(generator, "i8", 23, 5))
    for kind, item in (("i4", 1), ("u4", 2), ("i8", 4), ("u8", 8)):
        for outer, rows, inner in ((1, 1, 1), (3, 7, 1), (2, 4, 3), (3, 2, 10), (2, 2, 23)):
            indices = some_indices(generator, kind, outer * rows * inner, 5)
            yield gather_elements(generator, 5, item, indices.reshape(outer, rows, inner))
    for item in (1, 2, 4, 8):
        for n in (1, 2, 3, 4, 5, 8, 16, 32, 64 // item, 32 // item, 16 // item, 200 // item, 400 // item):
            for kind, how in (("u4", "hostile"), ("u8", "hostile"), ("u8", "random")):
                for inner, outer in ((1, 7), (3, 2), (23, 2)):
                    many = outer * inner if n < 100 else inner
                    yield reverse(generator, n, inner, item, some_lengths(generator, kind, many, n, how))
        yield reverse(generator, 7, 2, item, some_lengths(generator, "u4", 2, 7, "random"))
        for how in ("0", "3", "9"):
            yield reverse(generator, 9, 21, item, some_lengths(generator, "u4", 42, 9, how))
    for item in (1, 2, 4, 8):
        for pairs in (
            [(1, 90)], [(1, 2)], [(2, 2)], [(3, 90)], [(90, 3)], [(100, 1)], [(3, 2), (2, 3)], [(3, 7), (2, 9)],
            [(4, 2), (3, 2), (2, 3)], [(2, 3), (5, 2), (1, 4)], [(2, 2), (2, 3), (3, 2), (2, 2)], [(3, 40), (30, 2)],
            [(2, 1), (3, 5), (2, 2), (2, 3)], [(2, 3), (2, 1), (2, 2)], [(2, 2), (20, 9)], [(3, 2), (3, 4)],
        ):  # fmt: skip
            yield tile(generator, item, pairs)
    for item in (1, 2, 4, 8):
        yield slice1(generator, item, 0, [])
        for axes in (
            [(200 // item, -item)], [(64 // item, -item)], [(3, -item)], [(9, 2 * item)], [(40, -3 * item)],
            [(30, 40 * item), (3, -2 * item)], [(2, 900), (30, 30 * item), (3, item * 3)],
            [(3, 99), (2, -50), (9, 2 * item)],
        ):  # fmt: skip
            yield slice1(generator, item, sum(-step * (count - 1) for count, step in axes if step < 0), axes)
    for run in (30, 90, 160, 400):
        for axes in ([], [(3, -run)], [(3, run + 5)], [(2, 3 * run), (2, run)], [(2, 2 * run), (3, -run), (2, 9)]):
            yield slice1(generator, run, 2 * run, axes)


def word_works(generator: np.random.Generator) -> Iterator[Work]:
    """Works of many words side by side, for the thresholds that there are."""
    for make in (join, split):
        for width in (1, 2, 4, 8):
            for parts in (2, 4, 8):
                for rows in (64 // width - 1, 64 // width, 128 // width + 1):
                    yield make(generator, rows, [width] * parts)
        for length in (70, 128, 256, 257, 512, 513, LONG, LONG + 1, LONG + 300):
            yield make(generator, 2, [length, 1])
            yield make(generator, 3, [length, 40])
        yield make(generator, 5, [200, 300])
    for item in (1, 2, 4, 8):
        for length in (8, 16, 32, 64):
            for how in ("hostile", "random"):
                lengths = some_lengths(generator, "u8", 9, length // item, how)
                yield reverse(generator, length // item, 1, item, lengths)
        yield tile(generator, item, [(2, 2), (2, 3), (3, 2), (2, 2)])
        yield tile(generator, item, [(1, 2), (3, 2), (2, 3), (2, 1), (3, 3)])


def stream_works(generator: np.random.Generator) -> Iterator[Work]:
    """Works whose runs are long enough to go past the caches, for the thresholds that there are."""
    yield from word_works(generator)
    for make in (join, split):
        yield make(generator, 40, [60, 8, 31])
        yield make(generator, 1, [900, (1 << 17) + 700, 40])
    for run, count in ((4, 700), (700, 3), (LONG, 2), (LONG + 5, 2)):
        yield gather(generator, 3, 3, run, some_indices(generator, "i8", count, 3))
    for n, lanes in ((300, 1), (9000, 1), (40, 40)):
        yield reverse(generator, n, lanes, 4, some_lengths(generator, "u4", 2 * lanes, n, "random"))
    for pairs in ([(2, 3), (300, 2)], [(3, 90), (5, 9)], [(3000, 3)]):
        yield tile(generator, 4, pairs)
    for run, axes in ((4, [(900, 8)]), (900, [(3, 1000)]), (2000, [(40, 3000)]), ((1 << 17) + 5, [(2, 1 << 18)])):
        yield slice1(generator, run, 0, axes)
