"""Integers that an ONNX model computes from shapes, node by node: arrays of Python's, None for what isn't known."""

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


def known(numbers: Any) -> Array:
    """An array, or nested lists, as an array of Python's integers."""
    array = numbers if isinstance(numbers, np.ndarray) else np.array(numbers, object)
    copy = np.empty(array.shape, object)
    # Nested lists of an array of sizes (2^40, 0) would fill the memory.
    copy.ravel()[:] = array.ravel().tolist()
    return copy


def all_known(array: Array) -> bool:
    """True if every element is known."""
    return all(element is not None for element in array.flat)


def computed(node: Any, given: Given, opset: int) -> Array | None:
    """The values of a node's first output; None where nothing is known of them."""
    make = _KINDS.get(node.op_type)
    if make is None:
        return None
    array: Any
    try:
        array = make(node, given, opset)
    except (Unknown, ValueError, IndexError, TypeError, ZeroDivisionError, OverflowError):
        return None  # an ill-made node; ONNX computes nothing for it either
    if array is not None and not isinstance(array, np.ndarray):
        array = known(array)  # NumPy gives the one element of an array without dimensions
    return array if array is not None and array.size <= MOST else None


def _first_input(given: Given) -> Array:
    """The first input. Raises Unknown where it isn't known."""
    if not given or given[0] is None:
        raise Unknown("its input isn't known")
    return given[0]


def _input_integers(given: Given, at: int) -> list[int] | None:
    """An optional input of integers; None where it isn't there. Raises Unknown where it isn't known."""
    if at >= len(given):
        return None
    array = given[at]
    if array is None or not all_known(array):
        raise Unknown("its inputs aren't known")
    return [int(element) for element in array.flat]


def _axes(node: Any, given: Given) -> list[int] | None:
    """The axes that an attribute or the second input says; None for neither. Raises Unknown."""
    axes = numbers(node, "axes")
    return axes if axes is not None else _input_integers(given, 1)


def _identity(node: Any, given: Given, opset: int) -> Array | None:
    return _first_input(given)


def _cast(node: Any, given: Given, opset: int) -> Array | None:
    """The input where all of its elements fit the type, or as 0 and 1 for BOOL; else None."""
    array, to = _first_input(given), number(node, "to", 0)
    if to == 9:
        return known([None if element is None else int(bool(element)) for element in array.flat]).reshape(array.shape)
    if to not in _INTEGERS:
        return None
    low, high = _INTEGERS[to]
    return array if all(element is None or low <= element <= high for element in array.flat) else None


def _reshape(node: Any, given: Given, opset: int) -> Array | None:
    array, sizes = _first_input(given), _input_integers(given, 1)
    if sizes is None or min(sizes, default=0) < -1:
        return None
    if not number(node, "allowzero", 0):
        sizes = [size or array.shape[i] for i, size in enumerate(sizes)]
    return array.reshape(sizes)


def _squeeze(node: Any, given: Given, opset: int) -> Array | None:
    array, axes = _first_input(given), _axes(node, given)
    return array.squeeze() if axes is None else array.squeeze(tuple(axes))


def _unsqueeze(node: Any, given: Given, opset: int) -> Array | None:
    axes = _axes(node, given)
    return np.expand_dims(_first_input(given), tuple(axes)) if axes is not None else None


def _concat(node: Any, given: Given, opset: int) -> Array | None:
    parts = [array for array in given if array is not None]
    if len(parts) < len(given) or not parts or sum(part.size for part in parts) > MOST:
        return None
    return np.concatenate(parts, number(node, "axis", 1))


def _gather(node: Any, given: Given, opset: int) -> Array | None:
    array, picks = _first_input(given), _input_integers(given, 1)
    indices = given[1]
    if picks is None or indices is None or indices.size * array.size > MOST * MOST:
        return None
    return array.take(np.array(picks, np.int64).reshape(indices.shape), number(node, "axis", 0))


def _slice(node: Any, given: Given, opset: int) -> Array | None:
    array = _first_input(given)
    if opset < 10:
        starts, ends, axes, steps = numbers(node, "starts"), numbers(node, "ends"), numbers(node, "axes"), None
    else:
        starts, ends, axes, steps = (_input_integers(given, at) for at in range(1, 5))
    if starts is None or ends is None:
        return None
    axes = list(range(len(starts))) if axes is None else axes
    cuts = [slice(None)] * array.ndim
    for axis, start, end, step in zip(axes, starts, ends, steps or [1] * len(starts), strict=True):
        # Before the first element, which is where a step backwards may end, a Python slice has no number.
        stop = None if step < 0 and end < -array.shape[axis] else end
        cuts[axis] = slice(start, stop, step)
    return array[tuple(cuts)]


def _elementwise(count: int, make: Callable[..., int]) -> Callable[[Any, Given, int], Array | None]:
    """A function of nodes with `count` inputs, element by element; None for what needs an unknown element."""

    def of_elements(*operands: int | None) -> int | None:
        return None if None in operands else make(*operands)

    ufunc = np.frompyfunc(of_elements, count, 1)

    def compute(node: Any, given: Given, opset: int) -> Array | None:
        arrays = [array for array in given if array is not None]
        if len(arrays) < len(given) or len(arrays) != count or not _is_small_broadcast(arrays) or opset < 7:
            return None  # before opset 7 nothing is broadcast as NumPy does
        return _in_int64(ufunc(*arrays))

    return compute


def _is_small_broadcast(arrays: Sequence[Array]) -> bool:
    """True if what arrays are broadcast to has at most `MOST` elements."""
    size = 1
    for n in np.broadcast_shapes(*(array.shape for array in arrays)):
        size *= n
    return size <= MOST


def _in_int64(numbers: Any) -> Array | None:
    """The numbers as an array; None where one is beyond 64 bits."""
    array = known(numbers)
    low, high = _INTEGERS[7]
    return array if all(element is None or low <= element <= high for element in array.flat) else None


def _folded(make: Callable[[int, int], int]) -> Callable[[Any, Given, int], Array | None]:
    """A function of nodes such as Min, Max and Sum, of as many inputs as there are."""
    two = _elementwise(2, make)

    def compute(node: Any, given: Given, opset: int) -> Array | None:
        folded: Array | None = _first_input(given)
        for array in given[1:]:
            folded = two(node, [folded, array], opset) if folded is not None else None
        return folded

    return compute


def _reduced(make: Callable[[list[int]], int]) -> Callable[[Any, Given, int], Array | None]:
    """A function of nodes that reduces a list to one number."""

    def compute(node: Any, given: Given, opset: int) -> Array | None:
        array, axes = _first_input(given), _axes(node, given)
        if array.ndim != 1 or axes not in (None, [0], [-1]) or not array.size or not all_known(array):
            return None
        if axes is None and number(node, "noop_with_empty_axes", 0):
            return array
        total = make(array.tolist())
        return _in_int64([total] if number(node, "keepdims", 1) else total)

    return compute


def _product(values: list[int]) -> int:
    """The product, kept from -2^64 to 2^64."""
    product = 1
    for factor in values:
        product = max(-(2**64), min(product * factor, 2**64))  # beyond what counts, and soon beyond what is quick
    return product


def _truncated_quotient(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _modulo(node: Any, given: Given, opset: int) -> Array | None:
    """Mod, with the sign of C's where the node says so."""
    return (_C_MODULO if number(node, "fmod", 0) else _MODULO)(node, given, opset)


def _where(node: Any, given: Given, opset: int) -> Array | None:
    arrays = [array for array in given if array is not None]
    if len(arrays) != 3 or not _is_small_broadcast(arrays) or not all_known(arrays[0]):
        return None
    return np.where(arrays[0].astype(bool), arrays[1], arrays[2])


def _range(node: Any, given: Given, opset: int) -> Array | None:
    ends = [_input_integers(given, at) for at in range(3)]
    (start,), (limit,), (step,) = (end or [] for end in ends)
    return known(list(range(start, limit, step))) if len(range(start, limit, step)) <= MOST else None


def _constant_of_shape(node: Any, given: Given, opset: int) -> Array | None:
    sizes = _input_integers(given, 0)
    if sizes is None or min(sizes, default=1) < 0 or _product(sizes) > MOST:
        return None
    value = next((attribute.t for attribute in node.attribute if attribute.name == "value"), None)
    if value is None or value.data_type != 7:  # INT64, which shapes are of
        return None
    elements = list(value.int64_data) or np.frombuffer(value.raw_data, "<i8").tolist()
    array = np.empty(sizes, object)
    array[...] = int(elements[0])
    return array


def _expand(node: Any, given: Given, opset: int) -> Array | None:
    array, sizes = _first_input(given), _input_integers(given, 1)
    if sizes is None or min(sizes, default=1) < 1 or _product(sizes) > MOST or array.size > MOST:
        return None
    shape = np.broadcast_shapes(array.shape, tuple(sizes))
    return np.broadcast_to(array, shape) if _product(list(shape)) <= MOST else None


_MODULO = _elementwise(2, operator.mod)
_C_MODULO = _elementwise(2, lambda a, b: a - b * _truncated_quotient(a, b))
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
        "Div": _elementwise(2, _truncated_quotient),
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
