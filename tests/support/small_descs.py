"""Small random valid descs, of 1 to 4 axes of 1 to 4 elements, whose axes are often alike; and what breaks them."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import dmlviz as dml
from dmlviz.desc.base import Desc
from dmlviz.desc.fields import Role
from dmlviz.operators.desc_edits import with_tensor
from support.pages import Sizes
from support.strategies import Case

SMALL = st.sampled_from([1, 2, 2, 3, 3, 4])


@st.composite
def small_sizes(draw: st.DrawFn, fewest: int = 1) -> Sizes:
    sizes = draw(st.lists(SMALL, min_size=fewest, max_size=4))
    if draw(st.booleans()):
        sizes[draw(st.integers(0, len(sizes) - 1))] = draw(st.sampled_from(sizes))
    return tuple(sizes)


def distinct(*sizes: Sizes) -> list[NDArray[Any]]:
    """INT32 arrays whose elements are 1, 2, 3, ... on through all of them."""
    made, first = [], 1
    for each in sizes:
        count = int(np.prod(each))
        made.append(np.arange(first, first + count, dtype=np.int32).reshape(each))
        first += count
    return made


def int32(sizes: Sizes) -> dml.TensorDesc:
    return dml.TensorDesc("INT32", sizes)


def along(sizes: Sizes, axis: int, n: int) -> Sizes:
    return (*sizes[:axis], n, *sizes[axis + 1 :])


@st.composite
def small_parts(draw: st.DrawFn) -> tuple[int, list[Sizes]]:
    """An axis and the sizes of 1 to 4 tensors, half the time alike."""
    sizes = draw(small_sizes())
    axis = draw(st.integers(0, len(sizes) - 1))
    count = draw(st.integers(1, 4))
    lengths = [sizes[axis]] * count if draw(st.booleans()) else draw(st.lists(SMALL, min_size=count, max_size=count))
    return axis, [along(sizes, axis, n) for n in lengths]


@st.composite
def small_joins(draw: st.DrawFn) -> Case:
    axis, parts = draw(small_parts())
    return Case(dml.Join([int32(each) for each in parts], axis), distinct(*parts))


@st.composite
def small_splits(draw: st.DrawFn) -> Case:
    axis, parts = draw(small_parts())
    whole = along(parts[0], axis, sum(each[axis] for each in parts))
    if draw(st.booleans()):  # another axis as long as Axis
        other = draw(st.integers(0, len(whole) - 1))
        whole = along(whole, other, whole[axis])
        parts = [along(whole, axis, each[axis]) for each in parts] if other != axis else parts
    return Case(dml.Split(int32(whole), [int32(each) for each in parts], axis), distinct(whole))


@st.composite
def small_reversals(draw: st.DrawFn) -> Case:
    sizes = draw(small_sizes())
    axis = draw(st.integers(0, len(sizes) - 1))
    cells = along(sizes, axis, 1)
    most = draw(st.integers(0, sizes[axis] + 1))
    lengths = draw(st.lists(st.integers(0, most), min_size=int(np.prod(cells)), max_size=int(np.prod(cells))))
    desc = dml.ReverseSubsequences(int32(sizes), dml.TensorDesc("UINT32", cells), axis)
    return Case(desc, [*distinct(sizes), np.array(lengths, np.uint32).reshape(cells)])


@st.composite
def small_gathers(draw: st.DrawFn) -> Case:
    own = draw(small_sizes())
    axis = draw(st.integers(0, len(own) - 1))
    picks = draw(st.sampled_from([(), (1,), (own[axis],), (own[axis],), (2,), (3,), (1, 2), (2, 2), (1, 1), (2, 1)]))
    count = draw(st.integers(max(len(own), len(picks), len(own) - 1 + len(picks)), 6))
    pad = count - len(own)
    sizes, cells = (1,) * pad + own, (1,) * (count - len(picks)) + picks
    wide = draw(st.sampled_from(["INT32", "UINT64", "UINT32"]))
    number = int(np.prod(cells))
    indices = list(range(number))
    if draw(st.booleans()):
        least = -own[axis] - 1 if wide == "INT32" else 0
        indices = draw(st.lists(st.integers(least, own[axis]), min_size=number, max_size=number))
    desc = dml.Gather(int32(sizes), dml.TensorDesc(wide, cells), axis + pad, len(picks))
    return Case(desc, [*distinct(sizes), np.array(indices, wide.lower()).reshape(cells)])


@st.composite
def small_tiles(draw: st.DrawFn) -> Case:
    sizes = draw(small_sizes())
    repeats = draw(st.lists(st.sampled_from([1, 1, 2, 3]), min_size=len(sizes), max_size=len(sizes)))
    return Case(dml.Tile(int32(sizes), repeats), distinct(sizes))


def small_cases() -> st.SearchStrategy[Case]:
    return st.one_of(small_joins(), small_splits(), small_reversals(), small_gathers(), small_tiles())


@st.composite
def perhaps_broken(draw: st.DrawFn, cases: st.SearchStrategy[Case]) -> Desc:
    """A small desc with up to two things changed: a size, an axis, a type, dimensions, an output that is given."""
    desc: Desc = draw(cases).desc
    for _ in range(draw(st.integers(0, 2))):
        desc = draw(_changed(desc))
    return desc


@st.composite
def _changed(draw: st.DrawFn, desc: Any) -> Any:
    part = draw(st.sampled_from([p for p in desc.parts if p.field.name not in desc.inferred] or desc.parts))
    sizes = part.tensor.sizes
    how = draw(st.sampled_from(["axis", "size", "type", "longer", "shorter", "given", "all sizes"]))
    if how == "axis" and hasattr(desc, "axis"):
        return desc.replace({"Axis": draw(st.integers(-5, 5))})
    if how == "size" and sizes:
        d = draw(st.integers(0, len(sizes) - 1))
        return desc.replace(with_tensor(desc, part, part.tensor.resized(along(sizes, d, draw(st.integers(-1, 6))))))
    if how == "all sizes":  # as long along an axis as the whole, or as any other number says
        d, n = draw(st.integers(0, 3)), draw(st.integers(1, 4))
        for each in [p for p in desc.parts if p.field.name not in desc.inferred]:
            if d < len(each.tensor.sizes):
                now = next(p for p in desc.parts if p.path == each.path)
                desc = desc.replace(with_tensor(desc, now, now.tensor.resized(along(now.tensor.sizes, d, n))))
        return desc
    if how == "type" and part.field.role in (Role.DATA, Role.OUTPUT):
        kind = draw(st.sampled_from(["INT8", "FLOAT32", "FLOAT64"]))
        return desc.replace(with_tensor(desc, part, part.tensor.changed(data_type=kind)))
    if how == "longer":
        return desc.replace(with_tensor(desc, part, part.tensor.resized((1, *sizes))))
    if how == "shorter":
        return desc.replace(with_tensor(desc, part, part.tensor.resized(sizes[1:])))
    if how == "given":
        return desc.replace({name: desc.get(name) for name in desc.inferred if desc.get(name) is not None})
    return desc
