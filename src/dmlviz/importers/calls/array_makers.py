"""The functions that make arrays, and the methods that change how they lie: `np.zeros`, `torch.randn`, `.reshape`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from msgspec.structs import replace

from ...desc.tensors import DataType
from ...desc.values import Array, Constant, Iota
from .known_arrays import (
    MOST_RANK,
    MOST_VALUES,
    Call,
    Embedding,
    Known,
    Left,
    Sizes,
    as_int,
    as_ints,
    as_known,
    from_list,
)

Maker = Callable[[Call], object]
_EXACT = {DataType.FLOAT16: 2**11, DataType.FLOAT32: 2**24, DataType.FLOAT64: 2**53}
"""Up to here a float type holds every whole number."""


def _dtype(dtype: object, call: Call, usual: DataType | None = None) -> DataType:
    """A dtype argument; without one `usual`, or else what the library takes for floats."""
    if isinstance(dtype, DataType):
        return dtype
    if dtype is not None:
        raise Left(f"the dtype of {call.shown} is none of DirectML's, expected one such as float32")
    return usual or (DataType.FLOAT32 if call.library == "torch" else DataType.FLOAT64)


def _sizes(shape: object, what: str) -> Sizes:
    """A shape argument: a number or a list; a list in a list is what `torch.zeros((2, 3))` gives."""
    if isinstance(shape, list) and len(shape) == 1 and isinstance(shape[0], (list, Known)):
        shape = shape[0]
    sizes = as_ints(shape, f"the shape of {what}")
    if len(sizes) > MOST_RANK or min(sizes, default=1) < 0:
        raise Left(
            f"{what} has a shape of {len(sizes)} sizes, the least {min(sizes, default=1)}, expected none below 0"
        )
    return sizes


def _filled(value: int | None) -> Maker:
    """`zeros`, `ones`: a function that reads their calls; `empty` and what is random have no `value`."""

    def make(call: Call) -> Known:
        if call.library == "torch":  # torch.zeros(2, 3, dtype=...)
            dtype = call.named.pop("dtype", None)
            (sizes,) = call.bound("size", rest=True)
        else:
            sizes, dtype = call.bound("shape", "dtype")
        values = Constant(value) if value is not None else None
        return Known(_sizes(sizes, call.shown), _dtype(dtype, call), call.library, values)

    return make


def _rand(call: Call) -> Known:
    """`np.random.rand(2, 3)`."""
    (sizes,) = call.bound("size", rest=True)
    return Known(_sizes(sizes, call.shown), DataType.FLOAT64, call.library)


def _random_sized(*before: str) -> Maker:
    """`np.random.random((2, 3))`, `rng.normal(0, 1, (2, 3))`: the size stands behind `before`."""

    def make(call: Call) -> Known:
        size, dtype = call.bound(*before, "size", "dtype")[-2:]
        return Known(_sizes(size if size is not None else [], call.shown), _dtype(dtype, call), call.library)

    return make


def _randint(call: Call) -> Known:
    """`np.random.randint(0, 9, (2, 3))`, `torch.randint(9, (2, 3))`."""
    _, high, size, dtype = call.bound("low", "high", "size", "dtype")
    if call.library == "torch" and size is None:
        size = high  # torch.randint(9, (2, 3))
    return Known(
        _sizes(size if size is not None else [], call.shown), _dtype(dtype, call, DataType.INT64), call.library
    )


def _full(call: Call) -> Known:
    sizes, value, dtype = call.bound("shape|size", "fill_value", "dtype")
    one = from_list(value, call.library, dtype if isinstance(dtype, DataType) else None)
    if one.sizes:
        raise Left(f"the fill_value of {call.shown} is a list, expected a number")
    kind = _dtype(dtype, call, one.data_type)
    array = one.array()
    filling = array.reshape(-1).tolist()[0] if array is not None else 0
    values = (
        Constant(filling)
        if math.isfinite(filling)
        else Constant("nan" if filling != filling else "inf" if filling > 0 else "-inf")
    )
    return Known(_sizes(sizes, call.shown), kind, call.library, values)


def _like(value: int | None) -> Maker:
    """`zeros_like`, `ones_like`: a function that reads their calls; `empty_like` and random ones have no `value`."""

    def make(call: Call) -> Known:
        source, dtype = call.bound("a|x|input|prototype", "dtype")
        other = as_known(source, f"the array of {call.shown}", call.library)
        values = Constant(value) if value is not None else None
        return Known(other.sizes, _dtype(dtype, call, other.data_type), call.library, values)

    return make


def _arange(call: Call) -> Known:
    start, stop, step, dtype = call.bound("start", "stop|end", "step", "dtype")
    if stop is None:
        start, stop = 0, start
    start, step = 0 if start is None else start, 1 if step is None else step
    ends = (start, stop, step)
    if any(isinstance(x, bool) or not isinstance(x, (int, float)) or not math.isfinite(x) for x in ends) or not step:
        raise Left(f"{call.shown} has ends that aren't known, expected numbers and a step")
    if all(isinstance(x, int) for x in ends):
        low, high, by = (as_int(x, call.shown) for x in ends)
        count = max(0, -((low - high) // by))
        kind = _dtype(dtype, call, DataType.INT64)
        last = low + by * max(0, count - 1)
        whole = max(abs(low), abs(last)) <= _EXACT[kind] if kind.is_float else _holds_all(kind, low, last)
        return Known((count,), kind, call.library, Iota(low, by) if whole else None)
    first, end, width = (float(x) for x in ends if isinstance(x, (int, float)))
    number = (end - first) / width
    if not math.isfinite(number) or abs(number) > 2**53:
        raise Left(f"{call.shown} has too many elements, expected fewer")
    count = max(0, math.ceil(number))
    kind = _dtype(dtype, call)
    values: Array | None = None
    if count <= MOST_VALUES and call.library == "numpy":
        with np.errstate(all="ignore"):
            values = np.arange(first, end, width, dtype=kind.dtype)
        count = len(values)
    return Known((count,), kind, call.library, values)


def _holds_all(kind: DataType, *numbers: int) -> bool:
    low, high = kind.integer_range
    return all(low <= x <= high for x in numbers)


def _array(call: Call) -> Known:
    source, dtype = call.bound("object|data|a|obj", "dtype")
    kind = None if dtype is None else _dtype(dtype, call)
    if isinstance(source, Known):
        array = source.cast(kind) if kind else source
        return Known(array.sizes, array.data_type, call.library, array.values)
    if not isinstance(source, (list, int, float)):
        raise Left(f"{call.shown} is given what isn't known, expected lists of numbers")
    return from_list(source, call.library, kind)


def _embedding(call: Call) -> Embedding:
    """`nn.Embedding(10, 3)`."""
    rows, size, _, norm, _, _, _, weight, _, _, dtype = call.bound(
        "num_embeddings",
        "embedding_dim",
        "padding_idx",
        "max_norm",
        "norm_type",
        "scale_grad_by_freq",
        "sparse",
        "_weight",
        "_freeze",
        "device",
        "dtype",
    )
    if norm is not None or weight is not None:
        raise Left(f"{call.shown} has a max_norm or a _weight, expected its two sizes")
    sizes = as_int(rows, f"num_embeddings of {call.shown}"), as_int(size, f"embedding_dim of {call.shown}")
    return Embedding(Known(sizes, _dtype(dtype, call), "torch"))


def _pretrained(call: Call) -> Embedding:
    return Embedding(as_known(call.args[0] if call.args else None, f"the embeddings of {call.shown}", "torch"))


# ---- methods ----------------------------------------------------------------------------------------------------


def _owner(call: Call) -> Known:
    """The array whose method is called. Raises Left."""
    return as_known(call.args[0], call.shown, call.library)


def _reshape(call: Call) -> Known:
    sizes = call.named.get("shape") or [argument for argument in call.args[1:] if not isinstance(argument, str)]
    return _in_order(call, _owner(call).reshaped(_new_sizes(sizes)))


def _in_order(call: Call, array: Known) -> Known:
    """The array; without its values where the call asks for another order than C's."""
    orders = [call.named.get("order"), *(argument for argument in call.args[1:] if isinstance(argument, str))]
    return array if all(order in (None, "C") for order in orders) else replace(array, values=None)


def _new_sizes(shape: object) -> Sizes:
    """The integers of a new shape, -1 among them, not yet held against the elements. Raises Left."""
    if isinstance(shape, list) and len(shape) == 1 and isinstance(shape[0], (list, Known)):
        shape = shape[0]
    sizes = as_ints(shape, "the new shape")
    if len(sizes) > MOST_RANK:
        raise Left(f"the new shape has {len(sizes)} sizes, expected at most {MOST_RANK}")
    return sizes


def _astype(call: Call) -> Known:
    _, dtype = call.bound("self", "dtype")
    return _owner(call).cast(_dtype(dtype, call))


def _to(call: Call) -> Known:
    """`x.to(torch.float16)`; a device changes nothing."""
    for argument in (*call.args[1:], *call.named.values()):
        if isinstance(argument, DataType):
            return _owner(call).cast(argument)
    return _owner(call)


def _cast_to(kind: DataType) -> Maker:
    return lambda call: _owner(call).cast(kind)


def _flatten(call: Call) -> Known:
    return _in_order(call, _owner(call).reshaped((-1,)) if _owner(call).count else _owner(call))


def _unchanged(call: Call) -> Known:
    return _owner(call)


def transposed(known: Known) -> Known:
    """`x.T`."""
    array = known.array()
    return Known(known.sizes[::-1], known.data_type, known.library, array.T if array is not None else None)


METHODS: Mapping[str, Maker] = MappingProxyType(
    {
        "reshape": _reshape,
        "view": _reshape,
        "astype": _astype,
        "to": _to,
        "half": _cast_to(DataType.FLOAT16),
        "float": _cast_to(DataType.FLOAT32),
        "double": _cast_to(DataType.FLOAT64),
        "short": _cast_to(DataType.INT16),
        "int": _cast_to(DataType.INT32),
        "long": _cast_to(DataType.INT64),
        "flatten": _flatten,
        "ravel": _flatten,
        **dict.fromkeys(("copy", "clone", "contiguous", "detach", "cpu", "cuda", "numpy"), _unchanged),
    }
)
"""What an array makes of itself; the array is the first argument."""

_BOTH: Mapping[str, Maker] = {
    "zeros": _filled(0),
    "ones": _filled(1),
    "empty": _filled(None),
    "full": _full,
    "arange": _arange,
    "zeros_like": _like(0),
    "ones_like": _like(1),
    "empty_like": _like(None),
    "asarray": _array,
    "reshape": _reshape,
    "ravel": _flatten,
}
MAKERS: Mapping[str, Maker] = MappingProxyType(
    {
        **{f"{library}.{name}": maker for library in ("numpy", "torch") for name, maker in _BOTH.items()},
        "numpy.array": _array,
        "numpy.ascontiguousarray": _array,
        "numpy.random.rand": _rand,
        "numpy.random.randn": _rand,
        "numpy.random.random": _random_sized(),
        "numpy.random.random_sample": _random_sized(),
        "numpy.random.standard_normal": _random_sized(),
        "numpy.random.normal": _random_sized("loc", "scale"),
        "numpy.random.uniform": _random_sized("low", "high"),
        "numpy.random.randint": _randint,
        "numpy.random.integers": _randint,
        "torch.nn.Embedding": _embedding,
        "torch.nn.Embedding.from_pretrained": _pretrained,
        "torch.nn.Parameter": _array,
        "torch.tensor": _array,
        "torch.as_tensor": _array,
        "torch.from_numpy": _array,
        "torch.rand": _filled(None),
        "torch.randn": _filled(None),
        "torch.randint": _randint,
        "torch.rand_like": _like(None),
        "torch.randn_like": _like(None),
        "torch.flatten": _flatten,
    }
)
"""The functions by dotted name; a generator's methods go by NumPy's old names."""
