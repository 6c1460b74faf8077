"""Boxes of an output cut where their sources jump."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

MOST_PIECES = 4
"""A step that takes more pieces to tell is told by smaller steps."""


class Piece(Struct, frozen=True):
    """Neighbours of an output that are neighbours in an input too, in the same order or in the opposite one."""

    output: tuple[range, ...]
    source: tuple[range, ...]
    backwards: tuple[int, ...]
    """Axes of the input along which the order is the opposite one."""


def pieces_of(start: Sequence[int], source: Sequence[NDArray[np.int64]]) -> Iterator[Piece | None]:
    """A box that begins at `start` cut where its sources jump; `source` has one array of the box's shape an input axis.

    None stands for what is no piece: elements that are repeated inside the box, or whose axes change places.
    """
    shape = source[0].shape
    follows: dict[int, tuple[int, int]] = {}
    for d, n in enumerate(shape):
        if n == 1:
            continue
        line = np.array([axis[tuple(slice(None) if k == d else 0 for k in range(len(shape)))] for axis in source])
        stretches = list(_stretches(line))
        if len(stretches) > 1:
            if len(stretches) > MOST_PIECES:
                yield None
                return
            for low, high, _ in stretches:
                there = [
                    axis[tuple(slice(low, high) if k == d else slice(None) for k in range(len(shape)))]
                    for axis in source
                ]
                yield from pieces_of([*start[:d], start[d] + low, *start[d + 1 :]], there)
            return
        follows[d] = stretches[0][2]
    yield _piece(start, source, follows)


def _stretches(line: NDArray[np.int64]) -> Iterator[tuple[int, int, tuple[int, int]]]:
    """(begin, end, (axis, direction)) of stretches of a line of N sources, (axes, N), that go one way, 1 a step."""
    steps = np.diff(line, axis=1)
    one = np.abs(steps).sum(axis=0) == 1
    axis = np.abs(steps).argmax(axis=0)
    way = np.where(one, (axis + 1) * steps.sum(axis=0), 0)  # 0 for a jump
    begin, count, count_of_pieces = 0, line.shape[1], 0
    while begin < count and count_of_pieces <= MOST_PIECES:
        here = int(way[begin]) if begin < count - 1 else 0
        other = np.flatnonzero(way[begin:] != here) if here else np.zeros(1, np.int64)
        end = begin + (int(other[0]) if len(other) else count - 1 - begin) + 1
        yield begin, end, (abs(here) - 1, 1 if here > 0 else -1)
        begin, count_of_pieces = end, count_of_pieces + 1


def _piece(
    start: Sequence[int], source: Sequence[NDArray[np.int64]], follows: dict[int, tuple[int, int]]
) -> Piece | None:
    """The box as one piece, if each of its axes follows an input axis of its own, in the same order of axes."""
    axes = [axis for axis, _ in follows.values()]
    if axes != sorted(set(axes)) or -1 in axes:
        return None
    shape, first = source[0].shape, [int(axis.flat[0]) for axis in source]
    ranges = [range(i, i + 1) for i in first]
    for d, (axis, way) in follows.items():
        n = shape[d]
        ranges[axis] = range(first[axis], first[axis] + n) if way > 0 else range(first[axis] - n + 1, first[axis] + 1)
    for axis, index in enumerate(source):
        expected: NDArray[np.int64] = np.full((1,) * len(shape), first[axis], np.int64)
        for d, (followed, way) in follows.items():
            if followed == axis:
                expected = expected + way * np.arange(shape[d]).reshape(
                    [-1 if k == d else 1 for k in range(len(shape))]
                )
        if not (index == expected).all():
            return None
    box = tuple(range(i, i + n) for i, n in zip(start, shape, strict=True))
    return Piece(box, tuple(ranges), tuple(axis for axis, way in follows.values() if way < 0))
