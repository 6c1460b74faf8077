"""Moving bytes: the few primitives that every kernel is made of, as LLVM instructions.

Bases are addresses, offsets and lengths int64 in bytes; nothing needs alignment, and no byte beyond the given ones is
touched. All of them stand at module level: Numba's cache never hits for what a closure holds.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.types.containers import NamedUniTuple, StarArgTuple
from numba.extending import NativeValue, intrinsic, models, register_model, unbox

BYTE, INT64 = ir.IntType(8), ir.IntType(64)
POINTER = BYTE.as_pointer()
SCRATCH = 1 << 16
"""Bytes of `scratch`; more could be too much for a thread's stack."""
WORDS = (1, 2, 4, 8)
WIDTHS = (*WORDS, 16, 32, 64, 128)
MOVED = (*WIDTHS, 256)
"""Bytes that are loaded at once and then stored."""

# ---- what Python gives a kernel ---------------------------------------------------------------------------------
# A kernel takes Python's own objects and reads them where CPython and NumPy keep them, whatever their types: a tuple's
# items lie behind its header, and an array's first field is the address of its data. Numba's own arguments cost some
# 50 ns an array; these cost 2.

ITEMS, DATA = tuple.__basicsize__, object.__basicsize__


class Held(types.Opaque):
    """A Python object that the caller keeps alive: a tuple of arrays, or one array."""

    def __init__(self) -> None:
        super().__init__(name="Held")


HELD, INT = Held(), types.int64
register_model(Held)(models.OpaqueModel)


@unbox(Held)  # type: ignore[untyped-decorator]
def _unbox(kind: Any, python_object: Any, context: Any) -> Any:
    return NativeValue(python_object)


def primitive(result: Any, *kinds: Any) -> Callable[[Callable[..., Any]], Any]:
    """Makes a primitive of a function that builds its code of LLVM's values and returns its result, None if void."""

    def make(build: Callable[..., Any]) -> Any:
        @functools.wraps(build)
        def typed(typing: Any, *arguments: Any) -> Any:
            def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
                made = build(builder, *values)
                return context.get_dummy_value() if made is None else made

            return result(*kinds), generate

        return intrinsic(typed)

    return make


def _choose(builder: Any, value: Any, cases: Sequence[int], build: Callable[[int], Any]) -> Any:
    """What `build` builds for the one of `cases` that `value` is; one alone is left where LLVM knows the value."""
    over, none = (builder.append_basic_block() for _ in range(2))
    choice, made = builder.switch(value, none), []
    for case in cases:
        block = builder.append_basic_block()
        choice.add_case(INT64(case), block)
        builder.position_at_end(block)
        made.append((build(case), builder.block))
        builder.branch(over)
    builder.position_at_end(none)
    builder.unreachable()
    builder.position_at_end(over)
    if made[0][0] is None:
        return None
    found = builder.phi(made[0][0].type)
    for result, block in made:
        found.add_incoming(result, block)
    return found


def _field(builder: Any, python_object: Any, offset: int) -> Any:
    """The address that a Python object holds at `offset`."""
    return builder.load(_at(builder, builder.ptrtoint(python_object, INT64), INT64(offset), POINTER))


def _base(builder: Any, arrays: Any, k: Any) -> Any:
    items = builder.bitcast(builder.gep(arrays, [INT64(ITEMS)]), POINTER.as_pointer())
    return builder.ptrtoint(_field(builder, builder.load(builder.gep(items, [k])), DATA), INT64)


@primitive(INT, HELD, INT)
def address(builder: Any, arrays: Any, k: Any) -> Any:
    """The address of the bytes of array `k` of a tuple."""
    return _base(builder, arrays, k)


@primitive(INT, HELD, INT)
def number(builder: Any, numbers: Any, k: Any) -> Any:
    """Number `k` of an array of int64."""
    return builder.load(builder.gep(builder.bitcast(_field(builder, numbers, DATA), INT64.as_pointer()), [k]))


@intrinsic  # type: ignore[untyped-decorator]
def told(typing: Any, numbers: Any, table: Any) -> Any:
    """The first numbers of an array of int64 by their names in `table`, which is a NamedTuple."""
    names = table.instance_class
    made = NamedUniTuple(INT, len(names._fields), names)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = builder.bitcast(_field(builder, arguments[0], DATA), INT64.as_pointer())
        values = [builder.load(builder.gep(data, [INT64(k)])) for k in range(made.count)]
        return context.make_tuple(builder, made, values)

    return made(numbers, table), generate


@primitive(INT)
def scratch(builder: Any) -> Any:
    """The address of SCRATCH bytes that last until the kernel returns; each call in its text has some of its own."""
    with builder.goto_entry_block():  # Numba's own way would write zeros to it, one by one
        room = builder.alloca(BYTE, size=INT64(SCRATCH))
    room.align = 64
    return builder.ptrtoint(room, INT64)


# ---- what threads share -----------------------------------------------------------------------------------------
# What one thread writes before it `poke`s, another sees after it has `peek`ed that.


def _shared(builder: Any, at: Any) -> Any:
    return builder.inttoptr(at, INT64.as_pointer())


@primitive(INT, INT, INT)
def fetch_add(builder: Any, counter: Any, step: Any) -> Any:
    """Adds to the INT64 at address `counter`, of which threads may do so at once, and returns what it held before."""
    return builder.atomic_rmw("add", _shared(builder, counter), step, "monotonic")


@primitive(INT, INT)
def peek(builder: Any, at: Any) -> Any:
    """The INT64 at address `at`, which another thread may write at any time."""
    return builder.load_atomic(_shared(builder, at), "acquire", 8)


@primitive(types.void, INT, INT)
def poke(builder: Any, at: Any, value: Any) -> None:
    """Writes the INT64 at address `at`, which another thread may read at any time."""
    builder.store_atomic(value, _shared(builder, at), "release", 8)


@primitive(INT, INT, INT, INT)
def exchange(builder: Any, at: Any, old: Any, new: Any) -> Any:
    """Writes `new` to the INT64 at address `at` if it holds `old`, and returns 1; else 0. No thread comes between."""
    exchanged = builder.cmpxchg(_shared(builder, at), old, new, "acq_rel", "acquire")
    return builder.zext(builder.extract_value(exchanged, 1), INT64)


@primitive(types.void)
def fence(builder: Any) -> None:
    """What was written until now is seen by whoever sees what is written from now on."""
    builder.fence("seq_cst")


@primitive(INT, HELD)
def identity(builder: Any, python_object: Any) -> Any:
    """The address of one of Python's objects."""
    return builder.ptrtoint(python_object, INT64)


@primitive(types.void, INT, INT, INT, INT)
def call(builder: Any, code: Any, arrays: Any, numbers: Any, turn: Any) -> None:
    """Calls the kernel whose machine code lies at address `code` with the objects at two more; see `compiled`."""
    # Numba's own convention: a status is returned, the result and what was raised go to where the first two point.
    result, raised = (cgutils.alloca_once(builder, POINTER) for _ in range(2))
    held = [builder.inttoptr(each, POINTER) for each in (arrays, numbers)]
    kind = ir.FunctionType(ir.IntType(32), [result.type, raised.type, POINTER, POINTER, INT64])
    builder.call(builder.inttoptr(code, kind.as_pointer()), [result, raised, *held, turn])


# ---- words ------------------------------------------------------------------------------------------------------


def _at(builder: Any, base: Any, offset: Any, kind: Any) -> Any:
    return builder.bitcast(builder.gep(builder.inttoptr(base, POINTER), [offset]), kind.as_pointer())


def _load(builder: Any, base: Any, offset: Any, kind: Any) -> Any:
    word = builder.load(_at(builder, base, offset, kind))
    word.align = 1
    return word


def _store(builder: Any, word: Any, base: Any, offset: Any) -> Any:
    stored = builder.store(word, _at(builder, base, offset, word.type))
    stored.align = 1
    return stored


def _moved(builder: Any, out: Any, at: Any, data: Any, start: Any, width: int) -> list[Any]:
    """Moves `width` bytes, all of them loaded before any is stored; the stores."""
    kind = ir.IntType(8 * width) if width in WORDS else ir.VectorType(BYTE, width if width <= 128 else 64)
    places = [INT64(k) for k in range(0, width, 64 if width > 128 else width)]
    words = [_load(builder, data, builder.add(start, place), kind) for place in places]
    return [_store(builder, word, out, builder.add(at, place)) for word, place in zip(words, places, strict=True)]


@primitive(types.void, INT, INT, INT, INT, INT)
def move(builder: Any, out: Any, at: Any, data: Any, start: Any, width: Any) -> None:
    """`out[at : at + width] = data[start : start + width]`, loaded before any is stored; `width` is one of MOVED."""

    def build(wide: int) -> None:
        _moved(builder, out, at, data, start, wide)

    _choose(builder, width, MOVED, build)


@primitive(types.void, INT, INT, INT, INT)
def stream256(builder: Any, out: Any, at: Any, data: Any, start: Any) -> None:
    """256 bytes to whole cache lines, past the caches: what is there isn't read first, and pushes nothing out of them.

    `out + at` is a multiple of 64. Other threads see it after the mailbox's `fence`.
    """
    one = builder.module.add_metadata([ir.IntType(32)(1)])
    for stored in _moved(builder, out, at, data, start, 256):
        stored.align = 64
        stored.set_metadata("nontemporal", one)


@primitive(INT, INT, INT, INT)
def read(builder: Any, data: Any, at: Any, width: Any) -> Any:
    """The unsigned integer of 1, 2, 4 or 8 bytes at `data[at:]`; one of 2^63 and more comes out negative."""

    def build(wide: int) -> Any:
        word = _load(builder, data, at, ir.IntType(8 * wide))
        return word if wide == 8 else builder.zext(word, INT64)

    return _choose(builder, width, WORDS, build)


@primitive(types.void, INT, INT, INT, INT)
def put(builder: Any, out: Any, at: Any, value: Any, width: Any) -> None:
    """Writes the lowest 1, 2, 4 or 8 bytes of `value` to `out[at:]`."""

    def build(wide: int) -> None:
        _store(builder, value if wide == 8 else builder.trunc(value, ir.IntType(8 * wide)), out, at)

    _choose(builder, width, WORDS, build)


# ---- words in another order -------------------------------------------------------------------------------------


def _shuffle(builder: Any, one: Any, other: Any, order: Sequence[int]) -> Any:
    return builder.shuffle_vector(one, other, ir.Constant(ir.VectorType(ir.IntType(32), len(order)), [*order]))


def _lanes(width: int, length: int = 64) -> Any:
    return ir.VectorType(ir.IntType(8 * width), length // width)


PARTS = (2, 4, 8)
"""How many arrays `weave` and `unweave` do."""
WOVEN = [16 * parts + width for parts in PARTS for width in WORDS]


@primitive(types.void, INT, INT, HELD, INT, INT, INT)
def weave(builder: Any, out: Any, at: Any, arrays: Any, start: Any, parts: Any, width: Any) -> None:
    """Writes 64 bytes of each of arrays 1 to `parts`, from `start` on, to `out[at:]`: words of `width` bytes, in turns.

    The first word of each is written, the second of each behind them, and so on. It is 3 to 4 times as fast as a word
    at a time for 2 or 8 arrays of 4-byte words in the nearest caches.
    """

    def build(case: int) -> None:
        count, wide = divmod(case, 16)
        bases = [_base(builder, arrays, INT64(1 + k)) for k in range(count)]
        vectors = [_load(builder, base, start, _lanes(wide)) for base in bases]
        lanes, half = 64 // wide, 32 // wide
        low = [k // 2 + lanes * (k % 2) for k in range(lanes)]
        for _ in range(count.bit_length() - 1):
            pairs = [(vectors[j], vectors[j + count // 2]) for j in range(count // 2)]
            vectors = [_shuffle(builder, *pair, [k + by for k in low]) for pair in pairs for by in (0, half)]
        for k, vector in enumerate(vectors):
            _store(builder, vector, out, builder.add(at, INT64(64 * k)))

    _choose(builder, builder.add(builder.mul(parts, INT64(16)), width), WOVEN, build)


@primitive(types.void, HELD, INT, INT, INT, INT, INT)
def unweave(builder: Any, arrays: Any, at: Any, data: Any, start: Any, parts: Any, width: Any) -> None:
    """The reverse of `weave`: the words from `data[start:]` on to arrays 0 to `parts` - 1, 64 bytes at `at` of each."""

    def build(case: int) -> None:
        count, wide = divmod(case, 16)
        vectors = [_load(builder, data, builder.add(start, INT64(64 * k)), _lanes(wide)) for k in range(count)]
        even = range(0, 128 // wide, 2)
        for _ in range(count.bit_length() - 1):
            pairs = [(vectors[2 * j], vectors[2 * j + 1]) for j in range(count // 2)]
            vectors = [_shuffle(builder, *pair, [k + odd for k in even]) for odd in (0, 1) for pair in pairs]
        for k, vector in enumerate(vectors):
            _store(builder, vector, _base(builder, arrays, INT64(k)), at)

    _choose(builder, builder.add(builder.mul(parts, INT64(16)), width), WOVEN, build)


TURNED = (16, 32, 64)
"""Bytes that `turn` turns at once."""


@primitive(types.void, INT, INT, INT, INT, INT, INT)
def turn(builder: Any, out: Any, at: Any, data: Any, start: Any, length: Any, width: Any) -> None:
    """Copies `length` bytes, one of TURNED, the words of `width` bytes in them in reverse order."""

    def build(case: int) -> None:
        wide = case % 16
        vector = _load(builder, data, start, _lanes(wide, case - wide))
        _store(builder, _shuffle(builder, vector, vector, range(vector.type.count)[::-1]), out, at)

    _choose(builder, builder.add(length, width), [long + wide for long in TURNED for wide in WORDS], build)


# ---- a loop for each width --------------------------------------------------------------------------------------


def _each(widths: Sequence[int], runs: bool) -> Any:
    @intrinsic  # type: ignore[untyped-decorator]
    def each(typing: Any, loop: Any, length: Any, *arguments: Any) -> Any:
        own = loop.get_call_type(typing, ((INT, INT) if runs else (INT,)) + arguments, {})

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            code, more = context.get_function(loop, own), cgutils.unpack_tuple(builder, values[2])
            context.add_linking_libs(getattr(code, "libs", ()))
            over = builder.append_basic_block()

            def where(test: Any, *first: Any) -> None:
                yes, no = (builder.append_basic_block() for _ in range(2))
                builder.cbranch(test, yes, no)
                builder.position_at_end(yes)
                code(builder, (*first, *more))
                builder.branch(over)
                builder.position_at_end(no)

            for width in widths:
                exact = builder.icmp_signed("==", values[1], INT64(width))
                where(exact, INT64(width), *([INT64(0)] if runs else []))
            for width in widths[1:] if runs else ():
                rest = builder.sub(values[1], INT64(width))
                where(builder.icmp_unsigned("<=", rest, INT64(width)), INT64(width), rest)
            if runs:
                code(builder, (INT64(0), values[1], *more))
            builder.branch(over)
            builder.position_at_end(over)
            return context.get_dummy_value()

        return types.void(loop, length, StarArgTuple(arguments)), generate

    return each


each_word = _each(WORDS, runs=False)
"""`each_word(loop, width, ...)` calls `loop(width, ...)`, whose code there is once for each width of a word."""
each_run = _each(WIDTHS, runs=True)
"""`each_run(loop, length, ...)` calls `loop(width, last, ...)`: a run is one word of `width` bytes, and one more from
its byte `last` on if that isn't 0. Runs above 256 bytes, and of none, have width 0, and `last` is their length."""
