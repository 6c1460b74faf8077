"""Integers that an ONNX model computes from shapes: what one node makes of those it is given.

Values are arrays of Python's integers, with None for each that isn't known.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from ...desc.values import Array
from .nodes import Unknown, number, numbers

MOST = 1024
"""Elements of a result."""
_INTEGERS: Mapping[int, tuple[int, int]] = MappingProxyType(
    {
        2: (0, 2**8 - 1),
        3: (-(2**7), 2**7 - 1),
        4: (0, 2**16 - 1),
        5: (-(2**15), 2**15 - 1),
        6: (-(2**31), 2**31 - 1),
        7: (-(2**63), 2**63 - 1),
        12: (0, 2**32 - 1),
        13: (0, 2**64 - 1),
    }
)
"""The bounds of the integers among TensorProto.DataType."""
Given = Sequence[Array | None]


def known(found: Any) -> Array:
    """`found` as such an array."""
    array = found if isinstance(found, np.ndarray) else np.array(found, object)
    made = np.empty(array.shape, object)
    # Nested lists of an array of sizes (2^40, 0) would fill the memory.
    made.ravel()[:] = array.ravel().tolist()
    return made


def is_whole(array: Array) -> bool:
    """True if every element is known."""
    return all(each is not None for each in array.flat)


def computed(node: Any, given: Given, opset: int) -> Array | None:
    """The values of a node's first output; None where nothing is known of them."""
    make = _KINDS.get(node.op_type)
    if make is None:
        return None
    found: Any
    try:
        found = make(node, given, opset)
    except (Unknown, ValueError, IndexError, TypeError, ZeroDivisionError, OverflowError):
        return None  # an ill-made node; ONNX computes nothing for it either
    if found is not None and not isinstance(found, np.ndarray):
        found = known(found)  # NumPy gives the one element of an array without dimensions
    return found if found is not None and found.size <= MOST else None


def _first(given: Given) -> Array:
    if not given or given[0] is None:
        raise Unknown("its input isn't known")
    return given[0]


def _list(given: Given, at: int) -> list[int] | None:
    """An optional input of integers; None where it isn't there. Raises Unknown where it isn't known."""
    if at >= len(given):
        return None
    array = given[at]
    if array is None or not is_whole(array):
        raise Unknown("its inputs aren't known")
    return [int(each) for each in array.flat]


def _axes(node: Any, given: Given) -> list[int] | None:
    found = numbers(node, "axes")
    return found if found is not None else _list(given, 1)


def _identity(node: Any, given: Given, opset: int) -> Array | None:
    return _first(given)


def _cast(node: Any, given: Given, opset: int) -> Array | None:
    held, to = _first(given), number(node, "to", 0)
    if to == 9:
        return known([None if each is None else int(bool(each)) for each in held.flat]).reshape(held.shape)
    if to not in _INTEGERS:
        return None
    low, high = _INTEGERS[to]
    return held if all(each is None or low <= each <= high for each in held.flat) else None


def _reshape(node: Any, given: Given, opset: int) -> Array | None:
    held, sizes = _first(given), _list(given, 1)
    if sizes is None or min(sizes, default=0) < -1:
        return None
    if not number(node, "allowzero", 0):
        sizes = [size or held.shape[i] for i, size in enumerate(sizes)]
    return held.reshape(sizes)


def _squeeze(node: Any, given: Given, opset: int) -> Array | None:
    held, axes = _first(given), _axes(node, given)
    return held.squeeze() if axes is None else held.squeeze(tuple(axes))


def _unsqueeze(node: Any, given: Given, opset: int) -> Array | None:
    axes = _axes(node, given)
    return np.expand_dims(_first(given), tuple(axes)) if axes is not None else None


def _concat(node: Any, given: Given, opset: int) -> Array | None:
    parts = [each for each in given if each is not None]
    if len(parts) < len(given) or not parts or sum(each.size for each in parts) > MOST:
        return None
    return np.concatenate(parts, number(node, "axis", 1))


def _gather(node: Any, given: Given, opset: int) -> Array | None:
    held, picks = _first(given), _list(given, 1)
    indices = given[1]
    if picks is None or indices is None or indices.size * held.size > MOST * MOST:
        return None
    return held.take(np.array(picks, np.int64).reshape(indices.shape), number(node, "axis", 0))


def _slice(node: Any, given: Given, opset: int) -> Array | None:
    held = _first(given)
    if opset < 10:
        starts, ends, axes, steps = numbers(node, "starts"), numbers(node, "ends"), numbers(node, "axes"), None
    else:
        starts, ends, axes, steps = (_list(given, at) for at in range(1, 5))
    if starts is None or ends is None:
        return None
    axes = list(range(len(starts))) if axes is None else axes
    cuts = [slice(None)] * held.ndim
    for axis, start, end, step in zip(axes, starts, ends, steps or [1] * len(starts), strict=True):
        # Before the first element, which is where a step backwards may end, a Python slice has no number.
        stop = None if step < 0 and end < -held.shape[axis] else end
        cuts[axis] = slice(start, stop, step)
    return held[tuple(cuts)]


def _elementwise(count: int, make: Callable[..., int]) -> Callable[[Any, Given, int], Array | None]:
    def one(*each: int | None) -> int | None:
        return None if None in each else make(*each)

    ufunc = np.frompyfunc(one, count, 1)

    def of(node: Any, given: Given, opset: int) -> Array | None:
        arrays = [each for each in given if each is not None]
        if len(arrays) < len(given) or len(arrays) != count or not _small(arrays) or opset < 7:
            return None  # before opset 7 nothing is broadcast as NumPy does
        return _bounded(ufunc(*arrays))

    return of


def _small(arrays: Sequence[Array]) -> bool:
    size = 1
    for n in np.broadcast_shapes(*(each.shape for each in arrays)):
        size *= n
    return size <= MOST


def _bounded(found: Any) -> Array | None:
    array = known(found)
    low, high = _INTEGERS[7]
    return array if all(each is None or low <= each <= high for each in array.flat) else None


def _folded(make: Callable[[int, int], int]) -> Callable[[Any, Given, int], Array | None]:
    """Min, Max and Sum, of as many inputs as there are."""
    two = _elementwise(2, make)

    def of(node: Any, given: Given, opset: int) -> Array | None:
        found: Array | None = _first(given)
        for each in given[1:]:
            found = two(node, [found, each], opset) if found is not None else None
        return found

    return of


def _reduced(make: Callable[[list[int]], int]) -> Callable[[Any, Given, int], Array | None]:
    """The reduction of a list to one number."""

    def of(node: Any, given: Given, opset: int) -> Array | None:
        held, axes = _first(given), _axes(node, given)
        if held.ndim != 1 or axes not in (None, [0], [-1]) or not held.size or not is_whole(held):
            return None
        if axes is None and number(node, "noop_with_empty_axes", 0):
            return held
        found = make(held.tolist())
        return _bounded([found] if number(node, "keepdims", 1) else found)

    return of


def _product(values: list[int]) -> int:
    found = 1
    for each in values:
        found = max(-(2**64), min(found * each, 2**64))  # beyond what counts, and soon beyond what is quick
    return found


def _divide(a: int, b: int) -> int:
    found = abs(a) // abs(b)
    return found if (a < 0) == (b < 0) else -found


def _modulo(node: Any, given: Given, opset: int) -> Array | None:
    return (_C_MODULO if number(node, "fmod", 0) else _MODULO)(node, given, opset)


def _where(node: Any, given: Given, opset: int) -> Array | None:
    arrays = [each for each in given if each is not None]
    if len(arrays) != 3 or not _small(arrays) or not is_whole(arrays[0]):
        return None
    return np.where(arrays[0].astype(bool), arrays[1], arrays[2])


def _range(node: Any, given: Given, opset: int) -> Array | None:
    ends = [_list(given, at) for at in range(3)]
    (start,), (limit,), (step,) = (each or [] for each in ends)
    return known(list(range(start, limit, step))) if len(range(start, limit, step)) <= MOST else None


def _constant_of_shape(node: Any, given: Given, opset: int) -> Array | None:
    sizes = _list(given, 0)
    if sizes is None or min(sizes, default=1) < 0 or _product(sizes) > MOST:
        return None
    value = next((each.t for each in node.attribute if each.name == "value"), None)
    if value is None or value.data_type != 7:  # INT64, which shapes are of
        return None
    held = list(value.int64_data) or np.frombuffer(value.raw_data, "<i8").tolist()
    made = np.empty(sizes, object)
    made[...] = int(held[0])
    return made


def _expand(node: Any, given: Given, opset: int) -> Array | None:
    held, sizes = _first(given), _list(given, 1)
    if sizes is None or min(sizes, default=1) < 1 or _product(sizes) > MOST or held.size > MOST:
        return None
    shape = np.broadcast_shapes(held.shape, tuple(sizes))
    return np.broadcast_to(held, shape) if _product(list(shape)) <= MOST else None


_MODULO = _elementwise(2, operator.mod)
_C_MODULO = _elementwise(2, lambda a, b: a - b * _divide(a, b))
_KINDS: Mapping[str, Callable[[Any, Given, int], Array | None]] = MappingProxyType(
    {
        "Identity": _identity,
        "CastLike": _identity,  # held against its type where it is used
        "Cast": _cast,
        "Reshape": _reshape,
        "Squeeze": _squeeze,
        "Unsqueeze": _unsqueeze,
        "Concat": _concat,
        "Gather": _gather,
        "Slice": _slice,
        "Add": _elementwise(2, operator.add),
        "Sub": _elementwise(2, operator.sub),
        "Mul": _elementwise(2, operator.mul),
        "Div": _elementwise(2, _divide),
        "Mod": _modulo,
        "Neg": _elementwise(1, operator.neg),
        "Abs": _elementwise(1, abs),
        "Min": _folded(min),
        "Max": _folded(max),
        "Sum": _folded(operator.add),
        "Equal": _elementwise(2, lambda a, b: int(a == b)),
        "Less": _elementwise(2, lambda a, b: int(a < b)),
        "LessOrEqual": _elementwise(2, lambda a, b: int(a <= b)),
        "Greater": _elementwise(2, lambda a, b: int(a > b)),
        "GreaterOrEqual": _elementwise(2, lambda a, b: int(a >= b)),
        "Not": _elementwise(1, lambda a: int(not a)),
        "And": _elementwise(2, lambda a, b: int(bool(a and b))),
        "Or": _elementwise(2, lambda a, b: int(bool(a or b))),
        "Where": _where,
        "ReduceProd": _reduced(_product),
        "ReduceSum": _reduced(sum),
        "ReduceMin": _reduced(min),
        "ReduceMax": _reduced(max),
        "Range": _range,
        "ConstantOfShape": _constant_of_shape,
        "Expand": _expand,
    }
)
