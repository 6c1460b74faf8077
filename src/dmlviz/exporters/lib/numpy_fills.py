"""NumPy statements that make the elements of a fill, bit for bit as `dmlviz.desc.values` does."""

from __future__ import annotations

import math

import numpy as np

from ...desc.tensors import DataType, TensorDesc
from ...desc.values import Constant, Cycle, Fill, Iota, Random
from .python_text import WIDTH, comment, dtype_text, number_text, stepped, tuple_text

_EXACT = {DataType.FLOAT16: 2**11, DataType.FLOAT32: 2**24, DataType.FLOAT64: 2**53}
"""Integers up to which every one is a float of the type."""


def fill_lines(name: str, tensor: TensorDesc, fill: Fill) -> list[str] | None:
    """Statements that make `name` the filled tensor; None for a fill that isn't known here."""
    if isinstance(fill, Iota):
        return _iota_lines(name, tensor, fill)
    if isinstance(fill, Constant):
        value = fill.make(np.zeros(1, np.int64), tensor.data_type)[0]
        return [f"    {name} = np.full({tuple_text(tensor.sizes)}, {number_text(value)}, {_dtype_text(tensor)})"]
    if isinstance(fill, Random):
        return _random_lines(name, tensor, fill)
    if isinstance(fill, Cycle):
        count, n = tensor.element_count, min(fill.n, 2**63 - 1)
        if count <= n and _holds(tensor.data_type, 0, count):
            return _shaped_lines(name, tensor, _arange_text(0, count, 1, tensor))
        return _shaped_lines(name, tensor, f"(np.arange({count}, dtype=np.int64) % {n}).astype({_dtype_text(tensor)})")
    return None


def _dtype_text(tensor: TensorDesc) -> str:
    return dtype_text(tensor.data_type.dtype)


def _shaped_lines(name: str, tensor: TensorDesc, expression: str) -> list[str]:
    """The lines that make `name` the elements of a row in the tensor's sizes."""
    sizes = tensor.sizes
    return stepped(name, expression, [] if len(sizes) == 1 else [f"reshape({', '.join(map(str, sizes))})"])


def _arange_text(start: int, stop: int, step: int, tensor: TensorDesc) -> str:
    numbers = [start, stop, step] if step != 1 else [start, stop] if start else [stop]
    return f"np.arange({', '.join(map(str, numbers))}, dtype={_dtype_text(tensor)})"


def _holds(data_type: DataType, *numbers: int) -> bool:
    """True if the type holds these integers, and all between them, as they are; none needs 64 bits without a sign."""
    low, high = data_type.integer_range if not data_type.is_float else (-_EXACT[data_type], _EXACT[data_type])
    return low <= min(numbers) and max(numbers) <= min(high, 2**63 - 1)


def _iota_lines(name: str, tensor: TensorDesc, fill: Iota) -> list[str]:
    start, step, count, data_type = fill.start, fill.step, tensor.element_count, tensor.data_type
    if isinstance(start, int) and isinstance(step, int):
        stop = start + count * step
        if step and _holds(data_type, start, stop):
            return _shaped_lines(name, tensor, _arange_text(start, stop, step, tensor))
        if abs(start) + abs(step) * 2**32 < 2**63:
            then = f"which then round to {data_type}" if data_type.is_float else f"whose low bits {data_type} takes"
            remark = comment(f"In integers of 64 bits first, {then}.")
            return remark + _computed(name, tensor, "int64", str(step), str(start), _overflows(tensor, start, step))
        if not data_type.is_float:
            remark = comment(f"Integers modulo 2**64, whose low bits {data_type} takes.")
            return remark + _computed(name, tensor, "uint64", str(step % 2**64), str(start % 2**64), False)
    remark = (
        comment(f"In float64 first, which then rounds to {data_type}.") if data_type is not DataType.FLOAT64 else []
    )
    factor, first = number_text(np.float64(step)), number_text(np.float64(start))
    return remark + _computed(name, tensor, "int64", factor, first, _overflows(tensor, start, step))


def _computed(name: str, tensor: TensorDesc, kind: str, step: str, start: str, overflows: bool) -> list[str]:
    """`step` times 0, 1, 2, ..., plus `start`, then cast; in one statement where a line is wide enough."""
    numbers = f"np.arange({tensor.element_count}, dtype=np.{kind})"
    arithmetic = "" if step == "1" else f" * {step}"
    if start != "0":
        arithmetic += f" - {start[1:]}" if start[0] == "-" else f" + {start}"
    sizes = tensor.sizes
    cast = f".astype({_dtype_text(tensor)})" + (f".reshape({', '.join(map(str, sizes))})" if len(sizes) > 1 else "")
    indent = "        " if overflows else "    "
    lines = [f"{indent}{name} = {f'({numbers}{arithmetic})' if arithmetic else numbers}{cast}"]
    if len(lines[0]) > WIDTH:
        lines = [
            f"{indent}{name} = {numbers}",
            f"{indent}{name} = {name}{arithmetic}",
            f"{indent}{name} = {name}{cast}",
        ]
    # Overflows to infinity are meant.
    return ['    with np.errstate(over="ignore", invalid="ignore"):', *lines] if overflows else lines


def _overflows(tensor: TensorDesc, start: float, step: float) -> bool:
    """True if some element may be beyond the type's largest number."""
    if not tensor.data_type.is_float:
        return False
    # Half of it leaves room for rounding.
    largest = float(np.finfo(tensor.data_type.dtype).max) / 2
    reach = abs(float(step)) * tensor.element_count
    return not math.isfinite(reach) or abs(float(start)) + reach > largest


def _random_lines(name: str, tensor: TensorDesc, fill: Random) -> list[str]:
    words = f"    words = np.random.Philox(key={fill.seed}).random_raw({tensor.element_count})"
    if fill.below is not None:
        expression = f"(words % np.uint64({min(fill.below, 2**64 - 1)})).astype({_dtype_text(tensor)})"
    elif tensor.data_type.is_float:
        expression = f"((words >> np.uint64(11)) * 2.0**-53).astype({_dtype_text(tensor)})"
    else:
        expression = f"words.astype({_dtype_text(tensor)})"
    return [words, *_shaped_lines(name, tensor, expression)]
