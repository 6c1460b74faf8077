"""Works for kernels whose sizes lie around every threshold, with what must come out, told by the kit's oracles; and
arrays in real memory between guard bands.
"""

from __future__ import annotations

import ctypes
import importlib
import math
import mmap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from operator_kit.finding import cases_of

import dmlviz as dml
from dmlviz import kernels
from dmlviz.kernels.lib.blocks import LONG
from dmlviz.operators.registry import operator_of
from support.strategies import Sizes, random_bits

Bytes = NDArray[Any]
KERNELS = tuple(sorted(file.stem for file in Path(kernels.__path__[0]).glob("[a-z]*.py")))
NAMES = {"u1": "UINT8", "u2": "UINT16", "u4": "UINT32", "u8": "UINT64", "i4": "INT32", "i8": "INT64"}


@dataclass(frozen=True)
class Work:
    """What a kernel gets, and the outputs that are wanted."""

    desc: Any
    kernel: str
    folded: tuple[int, ...]
    """The numbers that the operator makes of the desc."""
    inputs: list[Bytes]
    outputs: list[Bytes]

    def is_right(self, found: Sequence[Bytes]) -> bool:
        return all(a.tobytes() == b.tobytes() for a, b in zip(found, self.outputs, strict=True))

    def __repr__(self) -> str:
        return f"Work({self.desc}, {[each.tolist() for each in self.inputs[1:]]})"[:500]


def work(generator: np.random.Generator, desc: Any, *given: Bytes) -> Work:
    """A desc with `given` for its last inputs and random bytes for the others."""
    parts = [part.tensor for part in desc.inputs][: len(desc.inputs) - len(given)]
    inputs = [*(random_bits(generator, tensor.data_type, tensor.sizes) for tensor in parts), *given]
    operator = operator_of(desc)
    outputs = [np.ascontiguousarray(each) for each in cases_of(desc.TYPE).oracle(desc, inputs)]
    return Work(desc, operator.name.lower(), tuple(operator.kernel_numbers(desc)), inputs, outputs)


def large_works(seed: int, size: int) -> list[Work]:
    """Works that write some 30 `size`^2 bytes each."""
    generator = np.random.default_rng(seed)
    indices = generator.integers(0, size, (1, 2 * size)).astype(np.int32)
    one, both = dml.TensorDesc("FLOAT32", (size, 4 * size)), dml.TensorDesc("FLOAT32", (2 * size, 4 * size))
    gathered = dml.Gather(one, dml.TensorDesc("INT32", indices.shape), 0, 1)
    others = (dml.Join((one, one), 0), dml.Split(both, (one, one), 0), dml.Tile(one, (1, 2)))
    return [work(generator, gathered, indices), *(work(generator, desc) for desc in others)]


def tensor(kind: str, *sizes: int) -> dml.TensorDesc:
    return dml.TensorDesc(NAMES[kind], sizes)


def join(generator: np.random.Generator, outer: int, lengths: Sequence[int]) -> Work:
    """`outer` rows, of which each input has `lengths` bytes."""
    return work(generator, dml.Join(tuple(tensor("u1", outer, length) for length in lengths), 1))


def split(generator: np.random.Generator, outer: int, lengths: Sequence[int]) -> Work:
    parts = tuple(tensor("u1", outer, length) for length in lengths)
    return work(generator, dml.Split(tensor("u1", outer, sum(lengths)), parts, 1))


def gather(generator: np.random.Generator, outer: int, n: int, run: int, indices: Bytes) -> Work:
    """`indices` are of any of the four types and may lie outside."""
    rows = indices.reshape(1, 1, -1)
    desc = dml.Gather(tensor("u1", outer, n, run), tensor(indices.dtype.str[1:], *rows.shape), 1, 1)
    return work(generator, desc, rows)


def gather_elements(generator: np.random.Generator, n: int, item: int, indices: Bytes) -> Work:
    """`indices` are (blocks, rows, lanes), of any of the four types, and may lie outside."""
    outer, _, inner = indices.shape
    data = tensor(f"u{item}", outer, n, inner)
    return work(generator, dml.GatherElements(data, tensor(indices.dtype.str[1:], *indices.shape), 1), indices)


def reverse(generator: np.random.Generator, n: int, inner: int, item: int, lengths: Bytes) -> Work:
    """`lengths` of `outer` blocks of `inner` lanes; they may be larger than `n`."""
    held = lengths.reshape(-1, 1, inner)
    data = tensor(f"u{item}", len(held), n, inner)
    return work(generator, dml.ReverseSubsequences(data, tensor(lengths.dtype.str[1:], *held.shape), 1), held)


def tile(generator: np.random.Generator, item: int, pairs: Sequence[tuple[int, int]]) -> Work:
    """(size, repeats) of each axis."""
    sizes, repeats = zip(*pairs, strict=True)
    return work(generator, dml.Tile(tensor(f"u{item}", *sizes), repeats))


def slice1(generator: np.random.Generator, item: int, axes: Sequence[tuple[int, int]], beyond: int = 0) -> Work:
    """(count, stride) of each axis; `beyond` elements lie behind the window along the last one."""
    windows: Sizes = tuple((count - 1) * abs(stride) + 1 for count, stride in axes)
    data = tensor(f"u{item}", *windows[:-1], windows[-1] + beyond)
    return work(generator, dml.Slice1(data, [0] * len(axes), windows, [stride for _, stride in axes]))


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


LENGTHS = (
    *(1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 20, 24, 31, 32, 33, 40, 48, 63, 64, 65, 70, 90, 100, 128, 129, 150, 160, 200),
    *(256, 257, 300, 400, 512, 513, LONG, LONG + 1, LONG + 300),
)
"""Bytes of runs about every threshold."""
AXES = ((1, 1), (2, 1), (3, -1), (2, 3), (9, 2), (30, 2), (30, -2), (40, -3))
"""Counts and strides of windows."""


def works(generator: np.random.Generator, times: int = 110) -> Iterator[Work]:
    """Works that reach every branch where thresholds are SMALL: `times` of each kernel."""

    def some(*held: Any) -> Any:
        return held[int(generator.integers(len(held)))]

    for _ in range(times):
        item, kind, lanes, run = some(1, 2, 4, 8), some(*HOSTILE), some(1, 2, 3, 10, 23), some(*LENGTHS)
        for make in (join, split):
            yield make(generator, some(64 // item - 1, 64 // item, 128 // item + 1), [item] * some(1, 2, 3, 4, 8))
            yield make(generator, some(1, 2, 3, 5, 7, 40), [some(*LENGTHS) for _ in range(some(1, 2, 2, 3))])
        yield gather(generator, some(1, 2, 3), 5, run, some_indices(generator, kind, some(1, 2, 7, 23), 5))
        sizes = some((1, 1, 1), (3, 7, 1), (2, 4, 3), (1, 2, 10), (3, 2, 10), (2, 2, 23))
        indices = some_indices(generator, kind, math.prod(sizes), 5).reshape(sizes)
        yield gather_elements(generator, 5, item, indices)
        for how in ("hostile", some("random", "0", "3", "9")):
            n = some(1, 2, 3, 4, 5, 7, 8, 9, *(size // item for size in (16, 32, 64, 200, 400)))
            for inner in (1, lanes):
                lengths = some_lengths(generator, some("u4", "u8"), some(1, 2, 7) * inner, n, how)
                yield reverse(generator, n, inner, item, lengths)
        pairs = [(some(1, 2, 3, 5), some(1, 2, 3)) for _ in range(some(0, 1, 2, 3, 4))]
        pairs.insert(some(0, len(pairs)), (some(2, 4, 20, 30, 90), some(1, 2, 7, 40, 90)))
        while math.prod(n for pair in pairs for n in pair) > 20_000:
            pairs.pop(some(0, -1))
        yield tile(generator, item, pairs)
        yield slice1(generator, item, [some(*AXES) for _ in range(some(1, 2, 3))], some(0, 2))
        axes = [(200 // item, -1)] if some(0, 1) else [*(some(*AXES) for _ in range(some(0, 1, 2))), (run, 1)]
        yield slice1(generator, item, axes, some(0, 5))


def stream_works(generator: np.random.Generator) -> Iterator[Work]:
    """Works whose runs are long enough to go past the caches, for the thresholds that there are."""
    for make in (join, split):
        yield make(generator, 40, [60, 8, 31])
        yield make(generator, 1, [900, (1 << 17) + 700, 40])
    for run, count in ((4, 700), (700, 3), (LONG, 2), (LONG + 5, 2)):
        yield gather(generator, 3, 3, run, some_indices(generator, "i8", count, 3))
    for n, lanes in ((300, 1), (9000, 1), (40, 40)):
        yield reverse(generator, n, lanes, 4, some_lengths(generator, "u4", 2 * lanes, n, "random"))
    for pairs in ([(2, 3), (300, 2)], [(3, 90), (5, 9)], [(3000, 3)]):
        yield tile(generator, 4, pairs)
    yield slice1(generator, 4, [(900, 2)])
    for count, run in ((3, 900), (40, 2000), (2, (1 << 17) + 5)):
        yield slice1(generator, 1, [(count, 1), (run, 1)], run // 2)


GUARD = 320
"""Bytes around every buffer: more than any primitive moves at once."""


class Buffers:
    """Arrays of random bytes in real memory, each `off` bytes off any alignment, between guard bands of random bytes.

    `wanted` is what they and their guard bands are to be in the end; at first, what they are.
    """

    def __init__(self, generator: np.random.Generator, *sizes: int) -> None:
        self.held, self.arrays = [], []
        for size in sizes:
            held = generator.integers(0, 256, size + 2 * GUARD + 64, np.uint8)
            start = GUARD + int(generator.integers(64))
            self.held.append(held)
            self.arrays.append(held[start : start + size])
        self._whole = [each.copy() for each in self.held]
        self.wanted = [
            whole[own.ctypes.data - held.ctypes.data :][: len(own)]
            for whole, own, held in zip(self._whole, self.arrays, self.held, strict=True)
        ]

    def fill(self, k: int, data: NDArray[Any]) -> NDArray[Any]:
        """Puts `data` into array `k`, which is returned with its type and shape."""
        self.arrays[k][:] = self.wanted[k][:] = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
        return self.arrays[k].view(data.dtype).reshape(data.shape)

    def right(self) -> bool:
        return all((a == b).all() for a, b in zip(self.held, self._whole, strict=True))


def fenced(data: NDArray[Any]) -> NDArray[Any]:
    """A copy behind whose last byte nothing can be read: whoever does ends the process."""
    room = -(-data.nbytes // mmap.PAGESIZE) * mmap.PAGESIZE
    held = np.frombuffer(mmap.mmap(-1, room + mmap.PAGESIZE), np.uint8)
    assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(held.ctypes.data + room), mmap.PAGESIZE, 0) == 0
    made = held[room - data.nbytes : room].view(data.dtype).reshape(data.shape)
    made[...] = data
    return made
