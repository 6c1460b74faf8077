"""What fills a tensor by a rule, as calls of NumPy's in a script."""

from __future__ import annotations

import numpy as np

from ...desc.tensors import DataType, TensorDesc
from ...desc.values import Constant, Cycle, Fill, Iota, Random
from .python_text import number_text, tuple_text

_EXACT = {DataType.FLOAT16: 2**11, DataType.FLOAT32: 2**24, DataType.FLOAT64: 2**53}
"""Integers up to which every one is a float of the type."""


def fill_lines(name: str, tensor: TensorDesc, fill: Fill) -> list[str] | None:
    """Statements that make `name` the filled tensor; None for a fill that isn't known here."""
    kind = tensor.data_type
    count = tensor.element_count
    dtype = f"np.{kind.dtype.name}"
    shaped = f".reshape({', '.join(map(str, tensor.sizes))})" if len(tensor.sizes) > 1 else ""
    if isinstance(fill, Constant):
        number = number_text(fill.make(np.zeros(1, np.int64), kind)[0])
        return [f"    {name} = np.full({tuple_text(tensor.sizes)}, {number}, {dtype})"]
    if isinstance(fill, Random):
        words = f"    words = np.random.Philox(key={fill.seed}).random_raw({count})"
        made = "words"
        if fill.below is not None:
            made = f"(words % np.uint64({min(fill.below, 2**64 - 1)}))"
        elif kind.is_float:
            made = "((words >> np.uint64(11)) * 2.0**-53)"
        return [words, f"    {name} = {made}.astype({dtype}){shaped}"]
    if isinstance(fill, Cycle):
        n = min(fill.n, 2**63 - 1)
        if count > n or not _holds(kind, 0, count):
            return [f"    {name} = (np.arange({count}, dtype=np.int64) % {n}).astype({dtype}){shaped}"]
        return [f"    {name} = np.arange({count}, dtype={dtype}){shaped}"]
    if isinstance(fill, Iota):
        return _iota_lines(name, tensor, fill, f"{dtype}){shaped}")
    return None


def _holds(kind: DataType, *numbers: int) -> bool:
    """True if the type holds these integers, and all between them, as they are; none needs 64 bits without a sign."""
    low, high = kind.integer_range if not kind.is_float else (-_EXACT[kind], _EXACT[kind])
    return low <= min(numbers) and max(numbers) <= min(high, 2**63 - 1)


def _iota_lines(name: str, tensor: TensorDesc, fill: Iota, ending: str) -> list[str]:
    """A sequence, which `ending` casts and shapes: by a range of the type, or a wider one that is then cast."""
    start = fill.start
    step = fill.step
    count = tensor.element_count
    kind = tensor.data_type
    held = "int64"
    factor = number_text(np.float64(step))
    first = number_text(np.float64(start))
    if isinstance(start, int) and isinstance(step, int):
        stop = start + count * step
        if step and _holds(kind, start, stop):
            ends = f"{start}, {stop}, {step}" if step != 1 else f"{start}, {stop}" if start else f"{stop}"
            return [f"    {name} = np.arange({ends}, dtype={ending}"]
        if abs(start) + abs(step) * 2**32 < 2**63:
            factor, first = str(step), str(start)
        elif not kind.is_float:  # integers modulo 2**64, whose low bits the type takes
            held = "uint64"
            factor = str(step % 2**64)
            first = str(start % 2**64)
    made = f"np.arange({count}, dtype=np.{held})"
    arithmetic = "" if factor == "1" else f" * {factor}"
    if first != "0":
        arithmetic += f" - {first[1:]}" if first[0] == "-" else f" + {first}"
    text = f"{name} = {f'({made}{arithmetic})' if arithmetic else made}.astype({ending}"
    reach = abs(float(start)) + abs(float(step)) * count
    if not kind.is_float or reach <= float(np.finfo(kind.dtype).max) / 2:  # which leaves room for rounding
        return [f"    {text}"]
    return ['    with np.errstate(over="ignore", invalid="ignore"):', f"        {text}"]
