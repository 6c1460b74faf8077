"""The memory primitives against their twins, and the loops made of them against NumPy, between guard bands."""

from __future__ import annotations

import ast
import functools
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba import types
from numba.core.extending import _Intrinsic
from numpy.typing import NDArray
from support.guarded import Buffers
from support.mailbox_play import Play
from support.twins import LINE, Memory, Primitives, Unjitted

from dmlviz import kernels
from dmlviz.kernels.lib import blocks, loading, primitives
from dmlviz.kernels.lib.blocks import FEW, LONG, OPTIONS, STRING

pytestmark = pytest.mark.integration

INTRINSICS = {name: found for name, found in vars(primitives).items() if isinstance(found, _Intrinsic)}
LITERAL = ("weave", "unweave", "turn")
"""Primitives whose last two arguments are literals, each pair of them code of its own."""


def literals() -> Iterator[tuple[str, int, int]]:
    """Each of LITERAL with the two literals that it is called with anywhere in the kernels."""
    pairs = set()
    for file in Path(kernels.__path__[0]).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id == "backwards_in":  # which hands its own on, as the next two do
                pairs.add(("turn", *map(ast.literal_eval, node.args[7:])))
            elif node.func.id in ("weave_rows", "unweave_rows"):
                pairs.add((node.func.id.removesuffix("_rows"), *map(ast.literal_eval, node.args[2:4])))
            elif node.func.id == "turn" and isinstance(node.args[4], ast.Constant):
                pairs.add(("turn", *map(ast.literal_eval, node.args[4:])))
    assert {name for name, *_ in pairs} == set(LITERAL)
    yield from sorted(pairs)


def texts() -> Iterator[str]:
    """A statement for every primitive that moves bytes, as kernels would write it."""
    for name in INTRINSICS:
        if name.startswith("move"):
            yield f"{name}(out, at, data, start)"
        elif name.startswith("put"):
            yield f"{name}(out, at, value)"
        elif name in ("uint8", "uint16", "uint32", "int32", "int64"):
            yield f"put64(out, at, {name}(data, start))"
    for name, one, other in literals():
        yield {
            "weave": f"weave(out, at, arrays, start, {one}, {other})",
            "unweave": f"unweave(arrays, at, address(arrays, {one}), start, {one}, {other})",
            "turn": f"turn(out, at, data, start, {one}, {other})",
        }[name]
    yield "put64(out, at, number(numbers, 3))"
    for length in (0, 1, 300):
        yield f"string(out, at, data, start, {length})"
    yield "put64(out, at, peek(data + start - ((data + start) & 7) + 8))"
    yield "poke(out + at - ((out + at) & 7) + 8, value)"
    for old in ("int64(out, 8 - (out & 7))", "value"):  # what is there, and what is not
        yield f"put64(out, 400, exchange(out - (out & 7) + 8, {old}, value ^ 5))"
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


def test_a_primitive_at_the_ends_of_a_buffer() -> None:
    """As many bytes as it moves are there and no more: the twin has no complaint, so what is read is all inside."""
    twins = Primitives()
    for width in (1, 2, 4, 8, 16, 32, 64, 256):
        twins.memory = Memory([bytes(width)], [bytes(range(width % 256)) or bytes(width)])
        out, data = (region.base for region in twins.memory.arrays)
        getattr(twins, f"move{width}")(out, 0, data, 0)
        assert twins.memory.outputs[0].data == twins.memory.inputs[0].data
        for at, start in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            with pytest.raises(AssertionError, match="has bytes"):
                getattr(twins, f"move{width}")(out, at, data, start)


def test_every_primitive_has_a_twin_and_a_test() -> None:
    tested = {name for name in INTRINSICS if any(f"{name}(" in text for text in texts())}
    assert tested | {"fetch_add", "scratch", "address", "identity", "pointer", "call"} == INTRINSICS.keys()
    assert all(hasattr(Primitives, name) or hasattr(Play, name) for name in INTRINSICS)
    assert {name for name, _, _ in literals()} <= INTRINSICS.keys()


@functools.cache
def rooms() -> Callable[..., None]:
    body = [
        "out, size, wrong, before = address(arrays, 0), number(numbers, 0), 0, 0",
        "for trial in range(2):",
        "    room = scratch()",
        "    for k in range(size):",
        "        if trial == 0:",
        "            put8(room, k, k * 7)",
        "        else:",
        "            wrong += uint8(room, k) != (k * 7 & 255)",
        "    put64(out, 8, room - before)",
        "    put64(out, 0, room & 63)",
        "    before = room",
        "put64(out, 16, wrong)",
    ]
    return compiled("rooms", body, INTRINSICS)


def test_scratch_is_aligned_and_all_there() -> None:
    buffers = Buffers(np.random.default_rng(2), 24)
    buffers.wanted[0].view(np.int64)[:] = 0
    call(rooms(), buffers, primitives.SCRATCH)
    assert buffers.right()


def test_no_kernel_asks_for_scratch_in_a_loop() -> None:
    """For the twin every call gives another room; in machine code one that is written down has the same each time."""
    for file in Path(kernels.__path__[0]).glob("[a-z]*.py"):
        for loop in ast.walk(ast.parse(file.read_text())):
            if isinstance(loop, ast.For | ast.While):
                names = {node.id for node in ast.walk(loop) if isinstance(node, ast.Name)}
                assert "scratch" not in names, file


# ---- what threads share -----------------------------------------------------------------------------------------

SOON = 60.0
"""Seconds after which something that should have happened won't."""


@functools.cache
def added() -> Callable[..., None]:
    body = [
        "for _ in range(number(numbers, 0)):",
        "    put64(address(arrays, 0), 0, fetch_add(address(arrays, 1), number(numbers, 1)))",
    ]
    return compiled("added", body, INTRINSICS)


def test_fetch_add_returns_what_was_there() -> None:
    held, counters = np.zeros(1, np.int64), np.array([3, -(2**40)], np.int64)
    added()((held, counters), np.array([1, 2**40]), 0)
    added()((held, counters), np.array([1, 2**40]), 0)
    assert held.tolist() == [3 + 2**40]
    assert counters.tolist() == [3 + 2**41, -(2**40)]


def in_threads(*works: Callable[[], None]) -> None:
    """Does all of `works` at once, each in a thread of its own."""
    start, ended = threading.Barrier(len(works)), list[int]()

    def one(work: Callable[[], None]) -> None:
        start.wait(SOON)
        work()
        ended.append(1)

    threads = [threading.Thread(target=one, args=(work,), daemon=True) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SOON)
    assert len(ended) == len(works)


def test_nothing_that_threads_add_is_lost() -> None:
    counter, own, numbers = np.zeros(1, np.int64), [np.zeros(1, np.int64) for _ in range(3)], np.array([300_000, 2])
    entry = added()
    in_threads(*[lambda held=each: entry((held, counter), numbers, 0) for each in own])
    assert counter.tolist() == [2 * 3 * 300_000]


def test_machine_code_is_called_with_the_objects_that_it_was_given() -> None:
    """By way of their addresses, as a helper does."""
    kernel = loading.load("TILE")
    assert kernel.plan is not None
    body = ["same = pointer(identity(arrays))", "call(turn_, same, pointer(identity(numbers)), 0)"]
    out, data, planned = np.zeros(6, np.uint8), np.array([5, 6], np.uint8), np.array(kernel.plan(1, 2, 3))
    arrays = out, data
    compiled("by_address", body, INTRINSICS)(arrays, planned, kernel.code)
    assert out.tolist() == [5, 6, 5, 6, 5, 6]
    body = ["put64(address(arrays, 0), 0, identity(arrays))", "put64(address(arrays, 0), 8, identity(numbers))"]
    found = np.zeros(2, np.int64)
    held = (found,)
    compiled("identities", body, INTRINSICS)(held, planned, 0)
    assert found.tolist() == [id(held), id(planned)]


def test_a_helper_serves_until_nothing_was_posted_for_long() -> None:
    from dmlviz.kernels.lib.mailbox import POSTED, entry, serve
    from dmlviz.kernels.lib.thread_pool import _lines

    box, turn = _lines(2), _lines(1)
    box[1, 0] = 7
    entry(serve)(box.ctypes.data, 1000)
    assert box[0].tolist() == [0] * 8
    assert box[1, 0] == 1
    kernel, out = loading.load("TILE"), np.zeros(6, np.uint8)
    assert kernel.plan is not None
    arrays, planned = (out, np.array([5, 6], np.uint8)), np.array(kernel.plan(1, 2, 3))
    counters = _lines(1)
    turn[0, :4] = counters.ctypes.data, 1, 0, 0
    box[0, :4] = turn.ctypes.data + POSTED, kernel.code, id(arrays), id(planned)
    begun, long = threading.Event(), 1 << 28

    def listen() -> None:
        begun.set()
        entry(serve)(box.ctypes.data, long)

    threading.Thread(target=listen, daemon=True).start()
    assert begun.wait(SOON)
    until = time.monotonic() + SOON
    while not turn[0, 4] and time.monotonic() < until:
        time.sleep(0.001)
    assert turn[0, 4] == 1
    assert out.tolist() == [5, 6, 5, 6, 5, 6]
    assert box[0, 0] == 0


@functools.cache
def claims() -> Callable[..., None]:
    """Up to `numbers[2]` claims: they and what is returned in the end are put into array 0, the last one into 1."""
    body = [
        "step, units = number(numbers, 0), number(numbers, 1)",
        "first, k = int64(address(arrays, 1), 0), 0",
        "while first < units and k < number(numbers, 2):",
        "    first = claim(turn_, step, units, first)",
        "    put64(address(arrays, 0), k * 8, first)",
        "    k += 1",
        "put64(address(arrays, 1), 0, first)",
    ]
    return compiled("claims", body, INTRINSICS | {"claim": blocks.claim})


class Turns:
    """Counters and turns as `claim` reads them, for threads whose own parts are `first` and those behind it."""

    def __init__(self, threads: int, first: int) -> None:
        self.counters, self.turns = np.zeros((threads, 8), np.int64), np.zeros((threads, 8), np.int64)
        self.turns[:, 0], self.turns[:, 1] = self.counters.ctypes.data, threads
        self.turns[:, 2] = (np.arange(threads) + first) % threads
        self.turns[:, 5:] = -7  # nobody's
        self.before = np.full((threads, 1), -1, np.int64)

    def claim(self, thread: int, step: int, units: int, most: int) -> list[int]:
        """What `thread` claims: at most `most` times, or until there is nothing left."""
        out = np.full(most, -5, np.int64)
        at = self.turns.ctypes.data + thread * LINE
        claims()((out, self.before[thread]), np.array([step, units, most], np.int64), at)
        return [each for each in out.tolist() if each != -5]

    def intact(self) -> bool:
        return bool((self.turns[:, 5:] == -7).all() and not self.counters[:, 1:].any())


def test_every_unit_is_claimed_once_and_as_the_model_does() -> None:
    """Threads that claim one after the other in any order, of which some never come."""
    generator, kernels_ = np.random.default_rng(9), Unjitted()
    for trial in range(300):
        threads, units, step = (int(generator.integers(low, high)) for low, high in ((1, 7), (0, 300), (1, 30)))
        turns, memory, done = Turns(threads, trial % threads), kernels_.on(Memory([], [])), list[int]()
        memory.share(threads, trial % threads)
        coming = list(range(1 + trial % threads))
        before = dict.fromkeys(coming, -1)
        while coming:
            thread = coming[int(generator.integers(len(coming)))]
            [found] = turns.claim(thread, step, units, 1) or [units]
            if found == units:
                coming.remove(thread)
            else:
                done.append(found)
            memory.thread = thread
            before[thread] = kernels_.claim(memory.turns[thread], step, units, before[thread])
            assert found == before[thread]
        assert sorted(done) == list(range(0, units, step)), (threads, units, step)
        assert turns.intact()


@pytest.mark.parametrize(("step", "units"), [(1, 200_001), (7, 300_000)])
def test_every_unit_is_claimed_once_by_threads_at_once(step: int, units: int) -> None:
    turns, done = Turns(4, 1), [list[int]() for _ in range(4)]

    def work(thread: int) -> None:
        done[thread] += turns.claim(thread, step, units, units + 1)

    in_threads(*[functools.partial(work, thread) for thread in range(4)])
    assert all(each.pop() == units for each in done)
    assert sorted(each for one in done for each in one) == list(range(0, units, step))
    assert turns.intact()


def test_a_thread_that_is_alone_claims_once() -> None:
    turns = Turns(1, 0)
    out = np.zeros(2, np.int64)
    claims()((out, turns.before[0]), np.array([9, 9, 2], np.int64), 0)
    assert out.tolist() == [0, 9]


# ---- loops ------------------------------------------------------------------------------------------------------

LOOPS = {
    "copy": "copy(out, at, data, start, a)",
    "stream": "stream(out, at, data, start, a); fence()",
    "long_run": "long_run(out, at, data, start, a)",
    "lines": "lines(out, at, data, start, a)",
    "rows": "rows(out, at, a, data, start, b, c, d)",
    "abreast": "abreast(out, arrays, numbers, a, b, c, d, number(numbers, 7))",
    "apart": "apart(arrays, address(arrays, b), numbers, a, b, c, d, number(numbers, 7))",
    "turned": "turned(out, at, data, start, a, b)",
    "repeated": "repeated(out, at, data, start, a, b, c)",
    "doubled": "doubled(out, at, a, b)",
    "woven": "put64(address(arrays, 9), 0, woven(out, arrays, a, b, c, d))",
    "unwoven": "put64(address(arrays, 9), 0, unwoven(arrays, address(arrays, a), a, b, c, d))",
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


def test_every_loop_is_tested() -> None:
    own = {name for name, found in vars(blocks).items() if getattr(found, "__module__", "") == blocks.__name__}
    assert own == LOOPS.keys() | {"claim", "weave_rows", "unweave_rows"}


def beside(name: str, buffers: Buffers, lengths: list[int], top: int, bottom: int) -> bool:
    """Calls `abreast` or `apart` for parts of these lengths, which its numbers have from 13 on."""
    numbers = [list(LOOPS).index(name), 0, 0, sum(lengths), len(lengths), top, bottom, len(lengths) % 2, *[0] * 5]
    for each in lengths:
        numbers += [each, 0]
    call(loops(), buffers, *numbers)
    return buffers.right()


@pytest.mark.drawn(1)
@pytest.mark.parametrize(("top", "bottom"), [pytest.param(0, 4, marks=pytest.mark.slow), (2, 3), (3, 3)])
def test_rows_side_by_side_and_apart(top: int, bottom: int) -> None:
    generator = np.random.default_rng(8)
    pool = [32, 33, 47, 63, 64, 65, 100, 128, 129, 255, 256, 257, 320, 321, 700, STRING, STRING + 5]
    for trial in range(40):
        lengths = [pool[int(k)] for k in generator.integers(0, len(pool), 1 + trial % 4)]
        stride = sum(lengths)
        starts = np.cumsum([0, *lengths])
        for name in ("abreast", "apart"):
            sizes = [4 * each for each in lengths]
            buffers = Buffers(generator, *([4 * stride, *sizes] if name == "abreast" else [*sizes, 4 * stride]))
            whole = (buffers.wanted if name == "abreast" else buffers.arrays)[0 if name == "abreast" else -1]
            parts = buffers.arrays[1:] if name == "abreast" else buffers.wanted[:-1]
            for part, start, length in zip(parts, starts, lengths, strict=False):
                rows, own = whole.reshape(4, stride)[top:bottom], part.reshape(4, length)[top:bottom]
                if name == "abreast":
                    rows[:, start : start + length] = own
                else:
                    own[:] = rows[:, start : start + length]
            assert beside(name, buffers, lengths, top, bottom), lengths


LENGTHS = [*range(601), *(LONG + d for d in (-257, -1, 0, 1, 2, 63, 64, 65, 255, 256, 257, 700)), 3 * LONG + 5]


@pytest.mark.parametrize("name", ["copy", "stream", "lines", "long_run"])
def test_copy_at_every_length(name: str) -> None:
    generator = np.random.default_rng(3)
    for length in LENGTHS[64 * (name == "lines") :]:
        buffers = Buffers(generator, length + 70, length + 70)
        at, start = (int(n) for n in generator.integers(0, 70, 2))
        buffers.wanted[0][at : at + length] = buffers.arrays[1][start : start + length]
        assert loop(buffers, name, at, start, length), (length, at, start)


@pytest.mark.parametrize("name", ["copy", "stream", "long_run"])
def test_copy_at_every_alignment(name: str) -> None:
    generator = np.random.default_rng(4)
    for length in (513, 700, STRING, LONG + 1, LONG + 64):
        for off in range(64):
            buffers = Buffers(generator, length + 64, length)
            at = (off - buffers.arrays[0].ctypes.data) % 64
            buffers.wanted[0][at : at + length] = buffers.arrays[1]
            assert loop(buffers, name, at, 0, length), (length, off)


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


@pytest.mark.parametrize("item", [1, 2, 4, 8])
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


@pytest.mark.parametrize("width", [1, 2, 4, 8])
@pytest.mark.parametrize("parts", [1, 2, 3, 4, 5, 8])
def test_woven_and_unwoven(parts: int, width: int) -> None:
    generator = np.random.default_rng(8)
    step = 64 // width
    for top, count in ((0, 0), (0, step - 1), (0, step), (3, step + 1), (0, 3 * step - 1), (5, 3 * step + 2)):
        bottom = top + count
        done = top + (count // step * step if parts in (2, 4, 8) else 0)
        column, whole = bottom * width, bottom * width * parts
        for name in ("woven", "unwoven"):
            sizes = [whole, *[column] * parts] if name == "woven" else [*[column] * parts, whole]
            buffers = Buffers(generator, *sizes, *[8] * (10 - len(sizes)))
            columns = [range(1, parts + 1), range(parts)][name == "unwoven"]
            words = (slice(top, done), slice(None))

            def table(found: list[NDArray[Any]], k: int, across: int) -> NDArray[Any]:
                return found[k].reshape(-1, across * width)

            if name == "woven":
                made = np.concatenate([table(buffers.arrays, k, 1)[words] for k in columns], 1)
                table(buffers.wanted, 0, parts)[words] = made
            else:
                for k in columns:
                    taken = table(buffers.arrays, parts, parts)[words]
                    table(buffers.wanted, k, 1)[words] = taken[:, k * width : (k + 1) * width]
            buffers.wanted[9].view(np.int64)[:] = done
            assert loop(buffers, name, 0, 0, parts, width, top, bottom), (name, top, count)
