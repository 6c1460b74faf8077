"""Wrong rules about SPLIT: each is what NumPy makes of its formula, and differs just where it says."""

from __future__ import annotations

from itertools import accumulate

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.effort import tried
from support.misreadings import (
    Arrays,
    Oracle,
    drawn,
    outputs_test,
    reader,
    rule,
    rules_of,
    verdicts_test,
)
from support.small_descs import along, distinct, int32, perhaps_broken, small_sizes, small_splits

import dmlviz as dml
from dmlviz.operators.misreadings.split import MISREADINGS
from dmlviz.operators.registry import operator_of

OWN = list(rules_of(dml.Split).values())


def parts(desc: dml.Split) -> list[int]:
    return [t.sizes[desc.axis] for t in desc.output_tensors]


def size_before(desc: dml.Split, arrays: Arrays) -> Arrays:
    starts = [0, *parts(desc)]
    return [arrays[0].take(range(s, s + n), desc.axis) for s, n in zip(starts, parts(desc), strict=False)]


def equal_parts(desc: dml.Split, arrays: Arrays) -> Arrays:
    n = arrays[0].shape[desc.axis]
    size = int(np.ceil(n / len(parts(desc))))
    return [arrays[0].take(range(start, min(start + size, n)), desc.axis) for start in range(0, n, size)]


def from_zero(desc: dml.Split, arrays: Arrays) -> Arrays:
    return [arrays[0].take(range(n), desc.axis) for n in parts(desc)]


def deal(desc: dml.Split, arrays: Arrays) -> Arrays | None:
    count = len(parts(desc))
    try:
        return [arrays[0].take([i * count + k for i in range(n)], desc.axis) for k, n in enumerate(parts(desc))]
    except IndexError:
        return None


def lose_axis(desc: dml.Split, arrays: Arrays) -> Arrays:
    a = desc.axis
    return [np.zeros(t.sizes if t.sizes[a] > 1 else np.delete(t.sizes, a).tolist()) for t in desc.output_tensors]


def cut_memory(desc: dml.Split, arrays: Arrays) -> Arrays:
    ends = list(accumulate(t.element_count for t in desc.output_tensors))
    return [
        m.reshape(t.sizes) for m, t in zip(np.split(arrays[0].ravel(), ends[:-1]), desc.output_tensors, strict=True)
    ]


def says_nothing(desc: dml.Split, arrays: Arrays) -> None:
    """Of a valid desc."""


ORACLES: dict[str, Oracle] = {
    "S1": size_before,
    "S1c": says_nothing,
    "S2": equal_parts,
    "S3": from_zero,
    "S4": deal,
    "S5": lose_axis,
    "S7": says_nothing,
    "S8": cut_memory,
}


def test_declared() -> None:
    own = {"S1", "S1c", "S2", "S3", "S4", "S5", "S6", "S7", "S8"}
    assert {each.id for each in MISREADINGS} == {f"C{i}" for i in range(1, 11)} | own
    assert operator_of("DML_OPERATOR_SPLIT").misreadings() is MISREADINGS


test_outputs = outputs_test(OWN, small_splits(), ORACLES)
test_verdicts = verdicts_test(OWN, perhaps_broken(small_splits()))


def split_of(whole: tuple[int, ...], axis: int, sizes: list[int]) -> dml.Split:
    return dml.Split(int32(whole), [int32(along(whole, axis, n)) for n in sizes], axis)


@tried(200)
@given(small_sizes(), st.data())
def test_what_sizes_are_enough(whole: tuple[int, ...], data: st.DataObject) -> None:
    """S1c, S6 and S7 as they are said, of parts of any sizes."""
    axis = data.draw(st.integers(0, len(whole) - 1))
    whole = along(whole, axis, data.draw(st.integers(1, 6)))
    sizes = data.draw(st.lists(st.integers(-1, 6), min_size=1, max_size=4))
    if data.draw(st.booleans()):  # cut points, or nearly
        sizes = sorted([*(min(max(size, 0), whole[axis]) for size in sizes), whole[axis]])
    desc, n = split_of(whole, axis, sizes), whole[axis]
    read, array = reader(desc, distinct(whole)), distinct(whole)[0]

    def differs(id_: str) -> bool:
        return rule(MISREADINGS, id_).differs(desc, read)

    def picture(id_: str) -> Arrays:
        outputs = rule(MISREADINGS, id_).outputs
        made = outputs(desc, read) if outputs else None
        assert made is not None
        return drawn(made, desc, read)

    assert differs("S1c") is (len(sizes) > 1 and sorted({0, *sizes}) == [0, *sizes] and sizes[-1] == n)
    assert differs("S6") is (min(sizes) < 1 and sum(sizes) == n)
    assert differs("S7") is (min(sizes) >= 1 and sum(sizes) < n)
    if differs("S1c"):
        want = np.split(array, sizes[:-1], axis)
        assert all(np.array_equal(a, b) for a, b in zip(picture("S1c"), want, strict=True))
    if differs("S7"):
        want = np.split(array, np.cumsum(sizes), axis)[:-1]
        assert all(np.array_equal(a, b) for a, b in zip(picture("S7"), want, strict=True))
