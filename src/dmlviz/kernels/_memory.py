"""Moving bytes: the few primitives that every kernel is made of, as LLVM instructions.

Offsets and lengths are int64 and in bytes, addresses need no alignment, and no byte beyond the given ones is touched.
All of them stand at module level: Numba's cache never hits for what a closure holds.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

BYTE, INT64 = ir.IntType(8), ir.IntType(64)
LONGEST = 32
"""Longer runs go to memcpy; up to here a call costs more than the move."""


def _address(context: Any, builder: Any, kind: Any, array: Any, offset: Any) -> Any:
    data = cgutils.create_struct_proxy(kind)(context, builder, array).data
    return builder.gep(builder.bitcast(data, BYTE.as_pointer()), [offset])


def _load(builder: Any, address: Any, kind: Any) -> Any:
    word = builder.load(builder.bitcast(address, kind.as_pointer()))
    word.align = 1
    return word


def _store(builder: Any, word: Any, address: Any) -> None:
    builder.store(word, builder.bitcast(address, word.type.as_pointer())).align = 1


@intrinsic  # type: ignore[untyped-decorator]
def copy(typing: Any, out: Any, at: Any, data: Any, start: Any, length: Any) -> Any:
    """`out[at : at + length] = data[start : start + length]`; the two don't overlap.

    Runs of 2 to 32 bytes are two words, one from each end, that meet or overlap in the middle (both are loaded before
    either is stored); longer ones are a memcpy.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        target = _address(context, builder, signature.args[0], arguments[0], arguments[1])
        source = _address(context, builder, signature.args[2], arguments[2], arguments[3])
        count = arguments[4]
        done = builder.append_basic_block("copied")

        def case(fits: Any) -> Any:
            """Goes on in a new block if `fits`; returns the block for all else."""
            here, other = builder.append_basic_block(), builder.append_basic_block()
            builder.cbranch(fits, here, other)
            builder.position_at_end(here)
            return other

        other = case(builder.icmp_signed(">", count, INT64(LONGEST)))
        pointer = BYTE.as_pointer()
        memcpy = builder.module.declare_intrinsic("llvm.memcpy", [pointer, pointer, INT64])
        builder.call(memcpy, [target, source, count, ir.IntType(1)(0)])
        builder.branch(done)
        builder.position_at_end(other)
        for width in (16, 8, 4, 2):
            other = case(builder.icmp_signed(">=", count, INT64(width)))
            kind = ir.VectorType(INT64, 2) if width == 16 else ir.IntType(8 * width)
            last = builder.sub(count, INT64(width))
            head, tail = _load(builder, source, kind), _load(builder, builder.gep(source, [last]), kind)
            _store(builder, head, target)
            _store(builder, tail, builder.gep(target, [last]))
            builder.branch(done)
            builder.position_at_end(other)
        other = case(builder.icmp_signed("==", count, INT64(1)))
        _store(builder, _load(builder, source, BYTE), target)
        builder.branch(done)
        builder.position_at_end(other)
        builder.branch(done)
        builder.position_at_end(done)
        return context.get_dummy_value()

    return types.void(out, types.int64, data, types.int64, types.int64), generate


@intrinsic  # type: ignore[untyped-decorator]
def integer(typing: Any, data: Any, at: Any, width: Any, signed: Any) -> Any:
    """Element `at` of `data` seen as integers of `width` bytes, 4 or 8, as int64.

    A UINT64 of 2^63 and more comes out negative.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, at_, width_, signed_ = arguments
        address = _address(context, builder, signature.args[0], array, builder.mul(at_, width_))
        wide = builder.icmp_signed("==", width_, INT64(8))
        with builder.if_else(wide) as (if_wide, if_narrow):
            with if_wide:
                long = _load(builder, address, INT64)
                wide_block = builder.block
            with if_narrow:
                short = _load(builder, address, ir.IntType(32))
                is_signed = builder.icmp_signed("!=", signed_, INT64(0))
                extended = builder.select(is_signed, builder.sext(short, INT64), builder.zext(short, INT64))
                narrow_block = builder.block
        found = builder.phi(INT64)
        found.add_incoming(long, wide_block)
        found.add_incoming(extended, narrow_block)
        return found

    return types.int64(data, types.int64, types.int64, types.int64), generate
