"""What tests ask of tensors: coordinates, an oracle's outputs, and random bits."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Sizes = tuple[int, ...]


def coordinates(sizes: Sizes) -> list[tuple[int, ...]]:
    """Every coordinate, in row-major order."""
    return list(product(*(range(size) for size in sizes)))


def outputs(desc: Any, arrays: list[NDArray[Any]]) -> list[bytes]:
    """The bytes of each output of a valid desc, by its operator's oracle."""
    from operator_kit.finding import cases_of  # its modules are made of what stands here

    return [out.tobytes() for out in cases_of(desc.TYPE).oracle(desc, arrays)]


def random_bits(generator: np.random.Generator, data_type: Any, sizes: Sizes) -> NDArray[Any]:
    """An array of random bits: of floats, some are NaNs with payloads."""
    count = int(np.prod(sizes)) * data_type.item_size
    return np.frombuffer(bytearray(generator.bytes(count)), data_type.dtype).reshape(sizes)
