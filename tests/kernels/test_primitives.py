"""The loops that kernels are made of against NumPy, between guard bands; and what threads share."""

from __future__ import annotations

import ast
import functools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba import types
from numba.core.extending import _Intrinsic
from support.folded import Buffers

from dmlviz import kernels
from dmlviz.kernels.lib import blocks, loading, primitives
from dmlviz.kernels.lib.blocks import CALLED, FEW, LONG
from dmlviz.kernels.lib.primitives import WORDS

pytestmark = pytest.mark.integration

INTRINSICS = {name: found for name, found in vars(primitives).items() if isinstance(found, _Intrinsic)}


def compiled(name: str, body: list[str], names: dict[str, Any]) -> Callable[..., None]:
    """Machine code of `name(arrays, numbers, turn_)`, as the kernels are compiled; but it is kept nowhere."""
    source = "\n    ".join([f"def {name}(arrays, numbers, turn_):", *body])
    made = dict(names)
    exec(compile(source, name, "exec"), made)
    signature = types.void(primitives.HELD, primitives.HELD, types.int64)
    entry, _ = loading._entry(numba.njit(signature, **CALLED)(made[name]))
    return entry


def call(entry: Callable[..., None], buffers: Buffers, *numbers: int) -> None:
    entry(tuple(buffers.arrays), np.array(numbers, np.int64), 0)


def test_no_kernel_asks_for_scratch_in_a_loop() -> None:
    """One that is written down has the same room each time."""
    for file in Path(kernels.__path__[0]).rglob("[a-z]*.py"):
        for loop in ast.walk(ast.parse(file.read_text())):
            if isinstance(loop, ast.For | ast.While):
                names = {node.id for node in ast.walk(loop) if isinstance(node, ast.Name)}
                assert "scratch" not in names, file


# ---- what threads share -----------------------------------------------------------------------------------------


def test_what_threads_add_at_once_is_all_counted() -> None:
    add = compiled("add", ["for _ in range(number(numbers, 0)):", "    fetch_add(turn_, 1)"], INTRINSICS)
    counter, start = np.zeros(1, np.int64), threading.Barrier(4)

    def work(_: int) -> None:
        start.wait(60)
        add((), np.array([100_000]), counter.ctypes.data)

    with ThreadPoolExecutor(4) as executor:
        assert len(list(executor.map(work, range(4)))) == 4
    assert counter[0] == 400_000


# ---- loops ------------------------------------------------------------------------------------------------------

LOOPS = {
    "copy": "copy(out, at, data, start, a)",
    "stream": "stream(out, at, data, start, a, 1); fence()",
    "lines": "lines(out, at, data, start, a)",
    "rows": "rows(out, at, a, data, start, b, c, d)",
    "turned": "each_word(turned, a, out, at, data, start, b)",
    "repeated": "repeated(out, at, data, start, a, b, c)",
    "doubled": "doubled(out, at, a, b)",
}


@functools.cache
def loops() -> Callable[..., None]:
    body = [
        "out, data = address(arrays, 0), address(arrays, 1)",
        "at, start = number(numbers, 1), number(numbers, 2)",
        "a, b, c, d = number(numbers, 3), number(numbers, 4), number(numbers, 5), number(numbers, 6)",
    ]
    for k, text in enumerate(LOOPS.values()):
        body += [f"if number(numbers, 0) == {k}:", f"    {text}"]
    return compiled("loops", body, INTRINSICS | {name: getattr(blocks, name) for name in LOOPS})


def loop(buffers: Buffers, name: str, at: int, start: int, *more: int) -> bool:
    """Calls loop `name`; True if the buffers and all around them are what is wanted."""
    numbers = [list(LOOPS).index(name), at, start, *more, 0, 0, 0]
    call(loops(), buffers, *numbers[:7])
    return buffers.right()


LENGTHS = [*range(601), *(LONG + d for d in (-257, -1, 0, 1, 2, 63, 64, 65, 255, 256, 257, 700)), 3 * LONG + 5]


@pytest.mark.parametrize("name", ["copy", "stream", "lines"])
def test_copy_at_every_length_and_alignment(name: str) -> None:
    generator = np.random.default_rng(3)
    for length in LENGTHS[64 * (name == "lines") :]:
        for off in range(64) if length in (513, LONG + 1, LONG + 64) else (int(generator.integers(64)),):
            buffers = Buffers(generator, length + 64, length + 70)
            at, start = (off - buffers.arrays[0].ctypes.data) % 64, int(generator.integers(70))
            buffers.wanted[0][at : at + length] = buffers.arrays[1][start : start + length]
            assert loop(buffers, name, at, start, length), (length, at, start)


@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_rows(count: int) -> None:
    """Rows close together, apart, and from the last one back."""
    generator = np.random.default_rng(5)
    for length in (*range(140), 200, 256, 257, 600):
        for out_gap, data_step in ((0, length), (3, length), (0, length + 5), (9, -length), (0, -length - 2), (1, 0)):
            out_step = length + out_gap
            room = count * (length + 10) + 10
            buffers = Buffers(generator, room, room)
            first = 4 if data_step >= 0 else 4 + max(count - 1, 0) * -data_step
            for k in range(count):
                row = buffers.arrays[1][first + k * data_step :][:length]
                buffers.wanted[0][3 + k * out_step :][:length] = row
            assert loop(buffers, "rows", 3, first, out_step, data_step, length, count), (length, out_step, data_step)


@pytest.mark.parametrize("item", WORDS)
def test_turned(item: int) -> None:
    generator = np.random.default_rng(6)
    for count in (*range(70), 127, 128, 129, 300):
        buffers = Buffers(generator, item * count + 9, item * count + 9)
        data = buffers.arrays[1][5 : 5 + item * count].reshape(count, item)
        buffers.wanted[0][2 : 2 + item * count] = data[::-1].ravel()
        assert loop(buffers, "turned", 2, 5, item, count), count


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 8, 12, 16, 33, 64, 129])
def test_repeated_and_doubled(length: int) -> None:
    generator = np.random.default_rng(7)
    for times in (1, 2, 3, FEW - 1, FEW, FEW + 1, 40, 333):
        for count in (1, 2, 5):
            size = length * count
            buffers = Buffers(generator, size * times + 9, size + 9)
            data = buffers.arrays[1][5 : 5 + size].reshape(count, length)
            buffers.wanted[0][2 : 2 + size * times] = np.repeat(data, times, 0).ravel()
            assert loop(buffers, "repeated", 2, 5, length, times, count), (times, count)
        buffers = Buffers(generator, length * times + 9)
        buffers.arrays.append(buffers.arrays[0])
        buffers.wanted[0][2 : 2 + length * times] = np.tile(buffers.arrays[0][2 : 2 + length], times)
        assert loop(buffers, "doubled", 2, 0, length, times), times
