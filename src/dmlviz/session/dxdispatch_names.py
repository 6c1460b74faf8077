"""What whoever writes a DxDispatch model and whoever reads one both have to know."""

from __future__ import annotations

import math

from ..desc.tensors import DataType

NOTED = "$dmlviz"
"""The member of a model's root that holds what DxDispatch has no place for, and passes over."""

_BITS = {DataType.FLOAT16: (11, 24), DataType.FLOAT32: (24, 149), DataType.FLOAT64: (52, 1074)}
"""Bits of a whole number that each float type holds, FLOAT64 with one to spare, and of its smallest fraction."""


def adds_exactly(start: int | float, step: int | float, count: int, kind: DataType) -> bool:
    """True if a float type can add up start, start + step, ..., `count` elements, with no rounding anywhere.

    It can where every sum is a multiple of one power of two that needs no more bits than the type has. DxDispatch adds
    in the tensor's type, Iota multiplies and rounds once: only there do both make the same elements.
    """
    bits, smallest = _BITS[kind]
    if any(isinstance(number, float) and not math.isfinite(number) for number in (start, step)):
        return False
    if start == 0 and math.copysign(1, start) < 0:
        return False  # only the first zero would be negative
    a, b = start.as_integer_ratio()
    c, d = step.as_integer_ratio()
    unit = max(b, d)  # both are powers of two
    first = a * (unit // b)
    apart = c * (unit // d)
    largest = max(abs(first), abs(first + apart * (count - 1)), abs(apart))
    return bool(largest < 2**bits and unit <= 2**smallest)
