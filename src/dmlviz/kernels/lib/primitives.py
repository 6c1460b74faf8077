"""Moving bytes: the few primitives that every kernel is made of, as LLVM instructions.

Bases are addresses, offsets and lengths int64 in bytes; nothing needs alignment, and no byte beyond the given ones is
touched. All of them stand at module level: Numba's cache never hits for what a closure holds.
"""

from __future__ import annotations

import platform
from typing import Any

from llvmlite import ir
from llvmlite.binding import initialize_native_asmparser
from numba.core import cgutils, types
from numba.extending import NativeValue, intrinsic, models, register_model, unbox

BYTE, INT64 = ir.IntType(8), ir.IntType(64)
POINTER = BYTE.as_pointer()
SCRATCH = 1 << 16
"""Bytes of `scratch`; more could be too much for a thread's stack."""

# ---- what Python gives a kernel ---------------------------------------------------------------------------------
# A kernel takes Python's own objects and reads them where CPython and NumPy keep them, whatever their types: a tuple's
# items lie behind its header, and an array's first field is the address of its data. Numba's own arguments cost some
# 50 ns an array; these cost 2.

ITEMS, DATA = tuple.__basicsize__, object.__basicsize__


class Held(types.Opaque):
    """A Python object that the caller keeps alive: a tuple of arrays, or one array."""

    def __init__(self) -> None:
        super().__init__(name="Held")


HELD = Held()
register_model(Held)(models.OpaqueModel)


@unbox(Held)  # type: ignore[untyped-decorator]
def _unbox(kind: Any, python_object: Any, context: Any) -> Any:
    return NativeValue(python_object)


def _field(builder: Any, python_object: Any, offset: int) -> Any:
    """The address that the object at `found` holds at `offset`."""
    at = builder.gep(builder.bitcast(python_object, POINTER), [INT64(offset)])
    return builder.load(builder.bitcast(at, POINTER.as_pointer()))


@intrinsic  # type: ignore[untyped-decorator]
def address(typing: Any, arrays: Any, k: Any) -> Any:
    """The address of the bytes of array `k` of a tuple."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        items = builder.gep(builder.bitcast(arguments[0], POINTER), [INT64(ITEMS)])
        array = builder.load(builder.gep(builder.bitcast(items, POINTER.as_pointer()), [arguments[1]]))
        return builder.ptrtoint(_field(builder, array, DATA), INT64)

    return types.int64(arrays, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def number(typing: Any, numbers: Any, k: Any) -> Any:
    """Number `k` of an array of int64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = builder.bitcast(_field(builder, arguments[0], DATA), INT64.as_pointer())
        return builder.load(builder.gep(data, [arguments[1]]))

    return types.int64(numbers, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def fetch_add(typing: Any, counter: Any, step: Any) -> Any:
    """Adds to the INT64 at address `counter`, of which threads may do so at once, and returns what it held before."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        at, step_ = arguments
        return builder.atomic_rmw("add", builder.inttoptr(at, INT64.as_pointer()), step_, "monotonic")

    return types.int64(types.int64, types.int64), generate


# What one thread writes before it `poke`s, another sees after it has `peek`ed that.


@intrinsic  # type: ignore[untyped-decorator]
def peek(typing: Any, at: Any) -> Any:
    """The INT64 at address `at`, which another thread may write at any time."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(builder.inttoptr(arguments[0], INT64.as_pointer()), "acquire", 8)

    return types.int64(types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def poke(typing: Any, at: Any, value: Any) -> Any:
    """Writes the INT64 at address `at`, which another thread may read at any time."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        at_, value_ = arguments
        builder.store_atomic(value_, builder.inttoptr(at_, INT64.as_pointer()), "release", 8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def exchange(typing: Any, at: Any, old: Any, new: Any) -> Any:
    """Writes `new` to the INT64 at address `at` if it holds `old`, and returns 1; else 0. No thread comes between."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        at_, old_, new_ = arguments
        exchanged = builder.cmpxchg(builder.inttoptr(at_, INT64.as_pointer()), old_, new_, "acq_rel", "acquire")
        return builder.zext(builder.extract_value(exchanged, 1), INT64)

    return types.int64(types.int64, types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def identity(typing: Any, python_object: Any) -> Any:
    """The address of one of Python's objects, `id(found)`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ptrtoint(arguments[0], INT64)

    return types.int64(python_object), generate


@intrinsic  # type: ignore[untyped-decorator]
def pointer(typing: Any, at: Any) -> Any:
    """The object of Python's at an address; whoever gave the address keeps it alive."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], POINTER)

    return HELD(types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def call(typing: Any, code: Any, arrays: Any, numbers: Any, turn: Any) -> Any:
    """Calls `run(arrays, numbers, turn)` of the kernel whose machine code lies at address `code`; see `compiled`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        code_, *own_arguments = arguments
        # Numba's own convention: a status is returned, the result and what was raised go to where the first two point.
        result, raised = (cgutils.alloca_once(builder, POINTER) for _ in range(2))
        kind = ir.FunctionType(ir.IntType(32), [result.type, raised.type, POINTER, POINTER, INT64])
        builder.call(builder.inttoptr(code_, kind.as_pointer()), [result, raised, *own_arguments])
        return context.get_dummy_value()

    return types.void(types.int64, arrays, numbers, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def scratch(typing: Any) -> Any:
    """The address of SCRATCH bytes that last until the kernel returns; each call in its text has some of its own."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        # Numba's own way would write zeros to it, one by one.
        with builder.goto_entry_block():
            room = builder.alloca(BYTE, size=INT64(SCRATCH))
        room.align = 64
        return builder.ptrtoint(room, INT64)

    return types.int64(), generate


# ---- words ------------------------------------------------------------------------------------------------------


def _at(builder: Any, base: Any, offset: Any, kind: Any) -> Any:
    return builder.bitcast(builder.gep(builder.inttoptr(base, POINTER), [offset]), kind.as_pointer())


def _load(builder: Any, base: Any, offset: Any, kind: Any) -> Any:
    word = builder.load(_at(builder, base, offset, kind))
    word.align = 1
    return word


def _store(builder: Any, word: Any, base: Any, offset: Any) -> None:
    builder.store(word, _at(builder, base, offset, word.type)).align = 1


def _word(width: int) -> Any:
    return ir.IntType(8 * width) if width <= 8 else ir.VectorType(BYTE, width)


MOVE = types.void(types.int64, types.int64, types.int64, types.int64)


def _mover(width: int) -> Any:
    """`out[at : at + width] = data[start : start + width]`, in one load and one store."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        out, at, data, start = arguments
        _store(builder, _load(builder, data, start, _word(width)), out, at)
        return context.get_dummy_value()

    @intrinsic  # type: ignore[untyped-decorator]
    def move(typing: Any, out: Any, at: Any, data: Any, start: Any) -> Any:
        return MOVE, generate

    return move


move1, move2, move4, move8, move16, move32, move64 = map(_mover, (1, 2, 4, 8, 16, 32, 64))


@intrinsic  # type: ignore[untyped-decorator]
def move256(typing: Any, out: Any, at: Any, data: Any, start: Any) -> Any:
    """256 bytes, all of them loaded before any is stored."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        out_, at_, data_, start_ = arguments
        places = [INT64(64 * k) for k in range(4)]
        words = [_load(builder, data_, builder.add(start_, place), _word(64)) for place in places]
        for word, place in zip(words, places, strict=True):
            _store(builder, word, out_, builder.add(at_, place))
        return context.get_dummy_value()

    return MOVE, generate


def _has_strings() -> bool:
    """True if the processor says that it moves strings of bytes fast (ERMS), where the system tells."""
    try:
        with open("/proc/cpuinfo", "rb") as told:
            return b" erms" in told.read(1 << 14)
    except OSError:
        return False


STRINGS = platform.machine().lower() in ("x86_64", "amd64") and _has_strings()
"""True where `string` is what its name says; elsewhere nothing calls it."""
if STRINGS:
    initialize_native_asmparser()  # or LLVM ends the process where it meets the instruction


@intrinsic  # type: ignore[untyped-decorator]
def string(typing: Any, out: Any, at: Any, data: Any, start: Any, length: Any) -> Any:
    """`out[at : at + length] = data[start : start + length]` by the one instruction that x86 has for it.

    It doesn't read what it is about to write over, and sees many lines ahead.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        out_, at_, data_, start_, length_ = arguments
        operands = builder.add(out_, at_), builder.add(data_, start_), length_
        if not STRINGS:
            to, base = (builder.inttoptr(address_, POINTER) for address_ in operands[:2])
            cgutils.raw_memcpy(builder, to, base, length_, 1)
            return context.get_dummy_value()
        left = ir.LiteralStructType([INT64] * 3)
        registers = "={di},={si},={cx},0,1,2,~{memory},~{dirflag},~{fpsr},~{flags}"
        builder.asm(ir.FunctionType(left, [INT64] * 3), "rep movsb", registers, operands, side_effect=True)
        return context.get_dummy_value()

    return types.void(*(types.int64,) * 5), generate


@intrinsic  # type: ignore[untyped-decorator]
def stream256(typing: Any, out: Any, at: Any, data: Any, start: Any) -> Any:
    """256 bytes to whole cache lines, past the caches: what is there isn't read first, and pushes nothing out of them.

    `out + at` is a multiple of 64. Other threads see it after a `fence`.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        out_, at_, data_, start_ = arguments
        places = [INT64(64 * k) for k in range(4)]
        words = [_load(builder, data_, builder.add(start_, place), _word(64)) for place in places]
        one = builder.module.add_metadata([ir.IntType(32)(1)])
        for word, place in zip(words, places, strict=True):
            stored = builder.store(word, _at(builder, out_, builder.add(at_, place), word.type))
            stored.align = 64
            stored.set_metadata("nontemporal", one)
        return context.get_dummy_value()

    return MOVE, generate


@intrinsic  # type: ignore[untyped-decorator]
def fence(typing: Any) -> Any:
    """What was written until now is seen by whoever sees what is written from now on."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), generate


def _addresses(builder: Any, arrays: Any, first: int, parts: int) -> list[Any]:
    items = builder.bitcast(builder.gep(builder.bitcast(arrays, POINTER), [INT64(ITEMS)]), POINTER.as_pointer())
    objects = [builder.load(builder.gep(items, [INT64(first + k)])) for k in range(parts)]
    return [builder.ptrtoint(_field(builder, array, DATA), INT64) for array in objects]


def _lanes(width: int) -> Any:
    return ir.VectorType(ir.IntType(8 * width), 64 // width)


def _shuffle(builder: Any, one: Any, other: Any, order: list[int]) -> Any:
    return builder.shuffle_vector(one, other, ir.Constant(ir.VectorType(ir.IntType(32), len(order)), order))


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def weave(typing: Any, out: Any, at: Any, arrays: Any, start: Any, parts: Any, width: Any) -> Any:
    """Writes 64 bytes of each of arrays 1 to `parts`, from `start` on, to `out[at:]`: words of `width` bytes, in turns.

    The first word of each is written, the second of each behind them, and so on. `parts` is a power of 2; both are
    literals. It is 3 to 4 times as fast as a word at a time for 2 or 8 arrays of 4-byte words in the nearest caches.
    """
    count, wide = parts.literal_value, width.literal_value

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        out_, at_, arrays_, start_ = arguments[:4]
        bases = _addresses(builder, arrays_, 1, count)
        vectors = [_load(builder, base, start_, _lanes(wide)) for base in bases]
        lanes, half = 64 // wide, 32 // wide
        low = [k // 2 + lanes * (k % 2) for k in range(lanes)]
        for _ in range(count.bit_length() - 1):
            pairs = [(vectors[j], vectors[j + count // 2]) for j in range(count // 2)]
            vectors = [_shuffle(builder, *pair, [k + at for k in low]) for pair in pairs for at in (0, half)]
        for k, vector in enumerate(vectors):
            _store(builder, vector, out_, builder.add(at_, INT64(64 * k)))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, arrays, types.int64, parts, width), generate


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def unweave(typing: Any, arrays: Any, at: Any, data: Any, start: Any, parts: Any, width: Any) -> Any:
    """The reverse of `weave`: the words from `data[start:]` on to arrays 0 to `parts` - 1, 64 bytes at `at` of each."""
    count, wide = parts.literal_value, width.literal_value

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        arrays_, at_, data_, start_ = arguments[:4]
        bases = _addresses(builder, arrays_, 0, count)
        vectors = [_load(builder, data_, builder.add(start_, INT64(64 * k)), _lanes(wide)) for k in range(count)]
        even = list(range(0, 128 // wide, 2))
        for _ in range(count.bit_length() - 1):
            pairs = [(vectors[2 * j], vectors[2 * j + 1]) for j in range(count // 2)]
            vectors = [_shuffle(builder, *pair, [k + odd for k in even]) for odd in (0, 1) for pair in pairs]
        for base, vector in zip(bases, vectors, strict=True):
            _store(builder, vector, base, at_)
        return context.get_dummy_value()

    return types.void(arrays, types.int64, types.int64, types.int64, parts, width), generate


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def turn(typing: Any, out: Any, at: Any, data: Any, start: Any, length: Any, width: Any) -> Any:
    """Copies `length` bytes, the words of `width` bytes in them in reverse order; both are literals, powers of 2."""
    count, wide = length.literal_value // width.literal_value, width.literal_value

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        out_, at_, data_, start_ = arguments[:4]
        vector = _load(builder, data_, start_, ir.VectorType(ir.IntType(8 * wide), count))
        _store(builder, _shuffle(builder, vector, vector, list(range(count - 1, -1, -1))), out_, at_)
        return context.get_dummy_value()

    return types.void(*(types.int64,) * 4, length, width), generate


# ---- numbers ----------------------------------------------------------------------------------------------------


def _reader(bits: int, signed: bool) -> Any:
    """The integer of so many bits at `data[at:]`; a UINT64 of 2^63 and more comes out negative."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = _load(builder, arguments[0], arguments[1], ir.IntType(bits))
        if bits == 64:
            return word
        return builder.sext(word, INT64) if signed else builder.zext(word, INT64)

    @intrinsic  # type: ignore[untyped-decorator]
    def read(typing: Any, data: Any, at: Any) -> Any:
        return types.int64(types.int64, types.int64), generate

    return read


int32, int64 = _reader(32, True), _reader(64, True)
uint8, uint16, uint32 = _reader(8, False), _reader(16, False), _reader(32, False)


def _writer(bits: int) -> Any:
    """Writes the lowest so many bits of `value` to `out[at:]`."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        out, at, value = arguments
        _store(builder, builder.trunc(value, ir.IntType(bits)) if bits < 64 else value, out, at)
        return context.get_dummy_value()

    @intrinsic  # type: ignore[untyped-decorator]
    def put(typing: Any, out: Any, at: Any, value: Any) -> Any:
        return types.void(types.int64, types.int64, types.int64), generate

    return put


put8, put16, put32, put64 = map(_writer, (8, 16, 32, 64))
