"""Random valid descs of every operator, with arrays to fill their inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import dmlviz as dml
from support.pages import Sizes, random_bits

TYPES = list(dml.DataType)
INDEX_TYPES = [dml.DataType[name] for name in ("INT32", "INT64", "UINT32", "UINT64")]
LENGTH_TYPES = [dml.DataType[name] for name in ("UINT32", "UINT64")]
MOST = 300


@dataclass(frozen=True)
class Case:
    """A valid desc and its inputs."""

    desc: Any
    arrays: list[NDArray[Any]]

    def __repr__(self) -> str:
        return f"Case({self.desc}, {[a.tolist() for a in self.arrays[1:]]})"


@st.composite
def shapes(draw: st.DrawFn, most: int = MOST, highest: int = 8) -> Sizes:
    """1 to `highest` sizes of at most `most` elements."""
    dimensions = draw(st.integers(1, highest))
    sizes = [1] * dimensions
    for d in draw(st.permutations(range(dimensions))):
        sizes[d] = draw(st.integers(1, min(6, most)))
        most //= sizes[d]
    return tuple(sizes)


def generators() -> st.SearchStrategy[np.random.Generator]:
    return st.integers(0, 2**32 - 1).map(np.random.default_rng)


def parts_of(whole: Sizes) -> st.SearchStrategy[tuple[int, list[Sizes]]]:
    """An axis, and the sizes of one to five tensors that differ along it."""

    @st.composite
    def make(draw: st.DrawFn) -> tuple[int, list[Sizes]]:
        axis = draw(st.integers(0, len(whole) - 1))
        along = draw(st.lists(st.integers(1, 5), min_size=1, max_size=5))
        return axis, [(*whole[:axis], n, *whole[axis + 1 :]) for n in along]

    return make()


@st.composite
def joins(draw: st.DrawFn) -> Case:
    axis, parts = draw(parts_of(draw(shapes(60))))
    kind, generator = draw(st.sampled_from(TYPES)), draw(generators())
    desc = dml.Join(tuple(dml.TensorDesc(kind, sizes) for sizes in parts), axis)
    return Case(desc, [random_bits(generator, kind, sizes) for sizes in parts])


@st.composite
def splits(draw: st.DrawFn) -> Case:
    axis, parts = draw(parts_of(draw(shapes(60))))
    kind, generator = draw(st.sampled_from(TYPES)), draw(generators())
    whole = (*parts[0][:axis], sum(sizes[axis] for sizes in parts), *parts[0][axis + 1 :])
    desc = dml.Split(dml.TensorDesc(kind, whole), tuple(dml.TensorDesc(kind, sizes) for sizes in parts), axis)
    return Case(desc, [random_bits(generator, kind, whole)])


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


@st.composite
def reversals(draw: st.DrawFn) -> Case:
    sizes = draw(shapes())
    axis = draw(st.integers(0, len(sizes) - 1))
    kind, wide, generator = draw(st.sampled_from(TYPES)), draw(st.sampled_from(LENGTH_TYPES)), draw(generators())
    n, cells = sizes[axis], (*sizes[:axis], 1, *sizes[axis + 1 :])
    pool = list(range(n + 1))
    if draw(st.booleans()):
        pool += [n + 1, 2**31, 2**32 - 1]
        pool += [2**32, 2**63, 2**64 - 1] if wide.item_size == 8 else []
    if draw(st.booleans()):
        pool = [draw(st.sampled_from(pool))]  # all lengths equal
    lengths = np.array(pool, wide.dtype)[generator.integers(0, len(pool), cells)]
    desc = dml.ReverseSubsequences(dml.TensorDesc(kind, sizes), dml.TensorDesc(wide, cells), axis)
    return Case(desc, [random_bits(generator, kind, sizes), lengths])


@st.composite
def index_values(draw: st.DrawFn, kind: dml.DataType, n: int, sizes: Sizes) -> NDArray[Any]:
    """Indices into an axis of size `n`: ordinary ones, at times negative, at times outside."""
    pool = list(range(n))
    low, high = kind.integer_range
    if kind.is_signed and draw(st.booleans()):
        pool += range(-n, 0)
    if draw(st.booleans()):
        pool += [n, n + 1, high, high - 1, high // 2 + 1] + ([-n - 1, low, low + 1] if kind.is_signed else [])
    return np.array(pool, kind.dtype)[draw(generators()).integers(0, len(pool), sizes)]


@st.composite
def gathers(draw: st.DrawFn) -> Case:
    own = draw(shapes(40, highest=5))
    axis = draw(st.integers(0, len(own) - 1))
    room = MOST // max(1, int(np.prod(own)) // own[axis])
    # One in eight is a scalar index: IndexDimensions 0.
    picks = draw(shapes(room, highest=8 - len(own) + 1)) if draw(st.integers(0, 7)) else ()
    least = max(len(own), len(picks), len(own) - 1 + len(picks))
    count = draw(st.integers(least, 8))
    pad = count - len(own)
    sizes, index_sizes = (1,) * pad + own, (1,) * (count - len(picks)) + picks
    kind, wide = draw(st.sampled_from(TYPES)), draw(st.sampled_from(INDEX_TYPES))
    indices = draw(index_values(wide, own[axis], index_sizes))
    desc = dml.Gather(dml.TensorDesc(kind, sizes), dml.TensorDesc(wide, index_sizes), axis + pad, len(picks))
    return Case(desc, [random_bits(draw(generators()), kind, sizes), indices])


def cases() -> st.SearchStrategy[Case]:
    """A case of any operator."""
    return st.one_of(joins(), splits(), reversals(), gathers(), tiles())
