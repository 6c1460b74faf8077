"""The five operators as their pages tell them: element by element, slowly, sharing nothing with dmlviz's own maps.

A tensor is a dict from coordinates to elements; elements are never looked at.
"""

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


def join(tensors: list[tuple[Sizes, Cells]], axis: int) -> Cells:
    """joinSize grows by each input's size along Axis; the input begins where joinSize stood."""
    out: Cells = {}
    join_size = 0
    for sizes, data in tensors:
        for at in coordinates(sizes):
            moved = list(at)
            moved[axis] += join_size
            out[tuple(moved)] = data[at]
        join_size += sizes[axis]
    return out


def split(data: Cells, parts: list[Sizes], axis: int) -> list[Cells]:
    """The inverse of join."""
    outs: list[Cells] = []
    split_size = 0
    for sizes in parts:
        out: Cells = {}
        for at in coordinates(sizes):
            moved = list(at)
            moved[axis] += split_size
            out[at] = data[tuple(moved)]
        outs.append(out)
        split_size += sizes[axis]
    return outs


def tile(sizes: Sizes, data: Cells, repeats: Sizes) -> Cells:
    """As many copies along each dimension as Repeats says."""
    out: Cells = {}
    for copy in coordinates(repeats):
        for at in coordinates(sizes):
            out[tuple(c * n + i for c, n, i in zip(copy, sizes, at, strict=True))] = data[at]
    return out


def reverse_subsequences(sizes: Sizes, data: Cells, lengths: Cells, axis: int) -> Cells:
    """Of every sequence along Axis the elements within its length are reversed, and the rest is copied."""
    out: Cells = {}
    for cell in coordinates((*sizes[:axis], 1, *sizes[axis + 1 :])):
        places = [(*cell[:axis], k, *cell[axis + 1 :]) for k in range(sizes[axis])]
        sequence = [data[at] for at in places]
        length = lengths[cell]
        made = list(reversed(sequence[:length])) + sequence[length:]
        out.update(zip(places, made, strict=True))
    return out


def gather(sizes: Sizes, data: Cells, index_sizes: Sizes, indices: Cells, axis: int, index_dimensions: int) -> Cells:
    """output[..., i, ...] = input[..., indices[i], ...], right-aligned: leading 1s are trimmed, or one is put on."""
    out: Cells = {}
    n = sizes[axis]
    ignored = len(index_sizes) - index_dimensions
    for lead in coordinates(sizes[:axis]):
        for i in coordinates(index_sizes[ignored:]):
            for trail in coordinates(sizes[axis + 1 :]):
                picked = indices[(0,) * ignored + i]
                if picked < 0:
                    picked += n
                picked = max(0, min(picked, n - 1))
                full = (0, *lead, *i, *trail)
                assert not any(full[: -len(sizes)])
                out[full[-len(sizes) :]] = data[(*lead, picked, *trail)]
    return out


def outputs(desc: Any, arrays: list[NDArray[Any]]) -> list[bytes]:
    """The bytes of each output of a valid desc."""
    kind = desc.TYPE.removeprefix("DML_OPERATOR_")
    first = arrays[0]
    if kind == "JOIN":
        made = [join([(a.shape, cells(a)) for a in arrays], desc.axis)]
    elif kind == "SPLIT":
        made = split(cells(first), [t.sizes for t in desc.output_tensors], desc.axis)
    elif kind == "TILE":
        made = [tile(first.shape, cells(first), desc.repeats)]
    elif kind == "REVERSE_SUBSEQUENCES":
        made = [reverse_subsequences(first.shape, cells(first), numbers(arrays[1]), desc.axis)]
    else:
        index = arrays[1]
        how = desc.axis, desc.index_dimensions
        made = [gather(first.shape, cells(first), index.shape, numbers(index), *how)]
    found = []
    for part, out in zip(desc.outputs, made, strict=True):
        order = coordinates(part.tensor.sizes)
        assert set(order) == out.keys()
        found.append(b"".join(out[at] for at in order))
    return found


def random_bits(generator: np.random.Generator, data_type: Any, sizes: Sizes) -> NDArray[Any]:
    """An array of random bits: of floats, some are NaNs with payloads."""
    count = int(np.prod(sizes)) * data_type.item_size
    return np.frombuffer(bytearray(generator.bytes(count)), data_type.dtype).reshape(sizes)
