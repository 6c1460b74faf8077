"""TILE: copies side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.reports import f32
from support.strategies import MOST, TYPES, Case, generators, random_bits, shapes

import dmlviz as dml


def oracle(desc: dml.Tile, arrays: list[NDArray[Any]]) -> list[NDArray[Any]]:
    return [np.tile(arrays[0], tuple(desc.repeats))]


@st.composite
def tiles(draw: st.DrawFn) -> Case:
    sizes = draw(shapes(60))
    repeats, room = [1] * len(sizes), MOST // int(np.prod(sizes))
    for d in draw(st.permutations(range(len(sizes)))):
        repeats[d] = draw(st.integers(1, min(5, room)))
        room //= repeats[d]
    kind = draw(st.sampled_from([t for t in TYPES if t.name != "FLOAT64"]))
    desc = dml.Tile(dml.TensorDesc(kind, sizes), tuple(repeats))
    return Case(desc, [random_bits(draw(generators()), kind, sizes)])


cases = tiles
VALID = (dml.Tile(f32(1, 2, 2), (2, 1, 3)),)
BROKEN = {
    "repeats.count": dml.Tile(f32(2, 3), (2,)),
    "count.matches": dml.Tile(f32(2, 3), (2, 2), repeats_count=3),
    "repeats.positive": dml.Tile(f32(2, 3), (2, -2)),
    "sizes.repeat": dml.Tile(f32(2, 3), (2, 2), f32(4, 7)),
}
