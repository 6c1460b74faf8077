"""Textbook loops: what a kernel would be without runs, blocks and threads, to be read and to be timed beside it.

A kernel's module may offer one; nothing needs it:

- `textbook(out, data, ..., numbers)` is a plain loop over elements, decorated with `numba.njit`. It is given the output
  and the first input as `words`, further inputs, all flat, and the numbers that `plan` takes, an array of int64.
- `textbook_arguments(outputs, inputs, *folded)` gives the arguments of each call where they are others, or where there
  are several calls, all of the same types: what is written first, then arrays and int64. `folded` are the numbers.

Importing the kernel doesn't compile it. It is compiled when it is first asked for, for each type of arguments anew, and
kept on disk as kernels are.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import DmlvizError
from . import loading

Arrays = Sequence[NDArray[Any]]


def words(array: NDArray[Any], *sizes: int) -> NDArray[Any]:
    """The elements as unsigned integers of their size, with the same bytes, in the shape `sizes`.

    A loop that moves elements is then compiled for four types, and has float16, which Numba has no arrays of.
    """
    return array.reshape(-1).view(f"u{array.itemsize}").reshape(sizes or -1)


def rows_of(
    whole: NDArray[Any], parts: Arrays, outer: int, stride: int, lengths: Sequence[int]
) -> list[tuple[NDArray[Any], NDArray[Any], int]]:
    """(the whole, a part, where that begins in a row) for each part; rows have `stride` bytes, `lengths` of each."""
    item, starts = whole.itemsize, accumulate(lengths, initial=0)
    of_whole, of_parts = words(whole, outer, stride // item), zip(parts, lengths, starts, strict=False)
    return [(of_whole, words(part, outer, length // item), start // item) for part, length, start in of_parts]


def arguments(
    name: str, folded: Sequence[int], outputs: Arrays, inputs: Arrays
) -> tuple[Any, list[tuple[Any, ...]]] | None:
    """Operator `name`'s textbook loop, and the arguments of each call; None where its kernel offers none.

    `outputs` and `inputs` are C-contiguous arrays; `folded` is what `Operator.kernel_numbers` has made of their desc.
    Raises DmlvizError if there is no kernel.
    """
    loading.load(name)
    module: Any = importlib.import_module(f"{loading.KERNELS}.{name.lower()}")
    if not hasattr(module, "textbook"):
        return None
    inputs = [np.require(array, requirements=("C", "A")) for array in inputs]
    if hasattr(module, "textbook_arguments"):
        return module.textbook, module.textbook_arguments(outputs, inputs, *folded)
    more = [array.reshape(-1) for array in inputs[1:]]
    return module.textbook, [(words(outputs[0]), words(inputs[0]), *more, np.array(folded, np.int64))]


def bind(name: str, folded: Sequence[int], outputs: Arrays, inputs: Arrays) -> Callable[[], None] | None:
    """What runs the loop on these arrays in the thread that calls it, compiled by now; None as `arguments` has it.

    Raises DmlvizError if there is no kernel, or where Numba doesn't compile the loop.
    """
    loop_and_calls = arguments(name, folded, outputs, inputs)
    if loop_and_calls is None:
        return None
    loop, calls = loop_and_calls
    kinds = [(each.dtype, each.ndim) if isinstance(each, np.ndarray) else None for each in calls[0]]
    try:
        entry = _compiled(loop.py_func, *kinds)
    except Exception as error:  # Numba's own, of any kind
        raise DmlvizError(f"{name}'s textbook loop can't be compiled: {' '.join(str(error).split())[:200]}") from None

    def every() -> None:
        for call in calls:
            entry(*call)

    return every


@cache
def _compiled(function: Callable[..., None], *kinds: tuple[Any, int] | None) -> Callable[..., None]:
    """What to call for arguments of these types and axes, the first of them written, or int64: machine code itself,
    which asks nothing about types again.
    """
    import numba
    from numba.np.numpy_support import from_dtype

    from .cache import kept
    from .compiled import only_version

    types = [
        numba.types.Array(from_dtype(kind[0]), kind[1], "C", readonly=k > 0) if kind else numba.int64
        for k, kind in enumerate(kinds)
    ]
    loop = kept(function, lambda cache: numba.njit(numba.void(*types), cache=cache, nogil=True)(function))
    entry: Callable[..., None] = only_version(loop).entry_point
    return entry
