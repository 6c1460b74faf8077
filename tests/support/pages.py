"""Tensors as the operators' oracles see them: dicts from coordinates to elements, which are never looked at."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Cells = dict[tuple[int, ...], Any]
Sizes = tuple[int, ...]


def coordinates(sizes: Sizes) -> list[tuple[int, ...]]:
    """Every coordinate, in row-major order."""
    return list(product(*(range(size) for size in sizes)))


def cells(array: NDArray[Any]) -> Cells:
    """The elements of an array as bytes, so that a NaN equals itself."""
    return {at: array[at].tobytes() for at in coordinates(array.shape)}


def numbers(array: NDArray[Any]) -> Cells:
    return {at: int(array[at]) for at in coordinates(array.shape)}


def filled(desc: Any, outputs: list[Cells]) -> list[NDArray[Any]]:
    """The outputs of a desc from their cells, of which each must be there, and no other."""
    found = []
    for part, out in zip(desc.outputs, outputs, strict=True):
        order = coordinates(part.tensor.sizes)
        assert set(order) == out.keys()
        made = np.frombuffer(b"".join(out[at] for at in order), part.tensor.data_type.dtype)
        found.append(made.reshape(part.tensor.sizes))
    return found


def outputs(desc: Any, arrays: list[NDArray[Any]]) -> list[bytes]:
    """The bytes of each output of a valid desc, by its operator's oracle."""
    from operator_kit.finding import cases_of  # its modules are made of what stands here

    return [out.tobytes() for out in cases_of(desc.TYPE).oracle(desc, arrays)]


def random_bits(generator: np.random.Generator, data_type: Any, sizes: Sizes) -> NDArray[Any]:
    """An array of random bits: of floats, some are NaNs with payloads."""
    count = int(np.prod(sizes)) * data_type.item_size
    return np.frombuffer(bytearray(generator.bytes(count)), data_type.dtype).reshape(sizes)
