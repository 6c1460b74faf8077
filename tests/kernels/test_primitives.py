"""The memory primitives against their twins, and the loops made of them against NumPy, between guard bands."""

from __future__ import annotations

import ast
import functools
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba import types
from numba.core.extending import _Intrinsic
from support.guarded import Buffers
from support.twins import Memory, Primitives

from dmlviz import kernels
from dmlviz.kernels.lib import blocks, loading, primitives
from dmlviz.kernels.lib.blocks import FEW, LONG, OPTIONS
from dmlviz.kernels.lib.primitives import MOVED, PARTS, TURNED, WORDS

pytestmark = pytest.mark.integration

INTRINSICS = {name: found for name, found in vars(primitives).items() if isinstance(found, _Intrinsic)}


def texts() -> Iterator[str]:
    """A statement for every primitive that moves bytes, as kernels would write it, and each width of it."""
    for width in MOVED:
        yield f"move(out, at, data, start, {width})"
    for width in WORDS:
        yield f"put(out, at, value, {width})"
        yield f"put(out, at, read(data, start, {width}), 8)"
        for parts in PARTS:
            yield f"weave(out, at, arrays, start, {parts}, {width})"
            yield f"unweave(arrays, at, address(arrays, {parts}), start, {parts}, {width})"
        for length in TURNED:
            yield f"turn(out, at, data, start, {length}, {width})"
    yield "put(out, at, number(numbers, 3), 8)"
    yield "put(out, at, peek(data + start - ((data + start) & 7) + 8), 8)"
    yield "poke(out + at - ((out + at) & 7) + 8, value)"
    for old in ("read(out, 8 - (out & 7), 8)", "value"):  # what is there, and what is not
        yield f"put(out, 400, exchange(out - (out & 7) + 8, {old}, value ^ 5), 8)"
    yield "stream256(out, at + 64 - ((out + at) & 63), data, start); fence()"


def compiled(name: str, body: list[str], names: dict[str, Any]) -> Callable[..., None]:
    """Machine code of `name(arrays, numbers, turn_)`, as the kernels are compiled; but it is kept nowhere."""
    source = "\n    ".join([f"def {name}(arrays, numbers, turn_):", *body])
    made = dict(names)
    exec(compile(source, name, "exec"), made)
    signature = types.void(primitives.HELD, primitives.HELD, types.int64)
    entry, _ = loading._entry(numba.njit(signature, **OPTIONS)(made[name]))
    return entry


@functools.cache
def statements() -> Callable[..., None]:
    """Runs the statement of `texts` whose number is `numbers[0]`."""
    body = ["out, data = address(arrays, 0), address(arrays, 1)"]
    body += ["at, start, value = number(numbers, 1), number(numbers, 2), number(numbers, 3)"]
    for k, text in enumerate(texts()):
        body += [f"if number(numbers, 0) == {k}:", f"    {text}"]
    return compiled("statements", body, INTRINSICS)


def call(entry: Callable[..., None], buffers: Buffers, *numbers: int) -> None:
    entry(tuple(buffers.arrays), np.array(numbers, np.int64), 0)


NUMBERS = [0, 1, -1, 255, 2**16 - 1, 2**31, -(2**31), 2**63 - 1, -(2**63), 0x0123456789ABCDEF]


@pytest.mark.drawn(20)
@pytest.mark.parametrize("text", list(texts()))
def test_a_primitive_does_what_its_twin_does(text: str) -> None:
    k, generator = list(texts()).index(text), np.random.default_rng(1)
    for trial in range(12):
        buffers = Buffers(generator, *[600] * 9)
        at, start = (int(n) for n in generator.integers(0, 80, 2))
        numbers = [k, at, start, NUMBERS[trial % len(NUMBERS)]]
        # The twin may write whatever array it likes.
        memory = Memory([each.tobytes() for each in buffers.arrays], [], numbers, buffers.alignments(), given=True)
        twins = Primitives()
        twins.memory = memory
        names = {name: getattr(twins, name) for name in INTRINSICS if hasattr(twins, name)}
        bases = {"out": memory.arrays[0].base, "data": memory.arrays[1].base, "arrays": memory.arrays}
        exec(text, {**names, **bases, "numbers": numbers, "at": at, "start": start, "value": numbers[3]})
        for region, wanted in zip(memory.arrays, buffers.wanted, strict=True):
            wanted[:] = np.frombuffer(region.data, np.uint8)
        call(statements(), buffers, *numbers)
        assert buffers.right(), (at, start)


def test_every_primitive_has_a_twin_and_a_test() -> None:
    tested = {name for name in INTRINSICS if any(f"{name}(" in text for text in texts())}
    elsewhere = {"fetch_add", "scratch", "address", "identity", "call", "told", "each_word", "each_run"}
    assert tested | elsewhere == INTRINSICS.keys()
    assert {name for name in INTRINSICS if not hasattr(Primitives, name)} == {"call", "identity"}


def test_no_kernel_asks_for_scratch_in_a_loop() -> None:
    """For the twin every call gives another room; in machine code one that is written down has the same each time."""
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
