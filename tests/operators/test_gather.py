"""GATHER's own rules: IndexDimensions, and the sizes that follow from it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import tried
from support.reports import assert_sound, errors, f32, u32, waiting

import dmlviz as dml


@pytest.mark.parametrize(
    ("desc", "broken", "waits"),
    [
        (dml.Gather(f32(1, 3, 2), u32(2, 2), 1, 2, f32(2, 2, 2)), "dimension_count.equal", "gather.sizes"),
        (dml.Gather(f32(3, 2), u32(1, 2), 1, 3, f32(3, 2)), "index_dimensions.range", "gather.sizes"),
        (dml.Gather(f32(4), u32(1), 0, 2, f32(1)), "index_dimensions.range", "indices.leading"),
        (dml.Gather(f32(4), u32(1), 0, -1, f32(1)), "index_dimensions.range", "gather.fits"),
        (dml.Gather(f32(1, 3, 2), u32(1, 2, 2), 0, 2, f32(2, 3, 2)), "gather.fits", "gather.sizes"),  # crops Axis
        (dml.Gather(f32(3, 2), u32(1, 2), 1, 2, f32(3, 2)), "gather.fits", "gather.sizes"),  # a 1 of the indices
    ],
)
def test_what_index_dimensions_breaks(desc: dml.Gather, broken: str, waits: str) -> None:
    report = dml.check(desc)
    assert {id_ for id_, _ in errors(report)} == {broken}
    assert waiting(report)[waits] == broken
    assert_sound(report)


def test_index_dimensions_may_be_the_dimension_count_and_0() -> None:
    assert dml.check(dml.Gather(f32(4), u32(5), 0, 1, f32(5))).ok
    assert dml.check(dml.Gather(f32(1, 1, 4), u32(2, 3, 5), 2, 3, f32(2, 3, 5))).ok
    assert dml.check(dml.Gather(f32(3, 2), u32(1, 1), 0, 0, f32(1, 2))).ok


@tried(100)
@given(st.data())
def test_gather_fits_is_what_the_formula_says(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 5))
    sizes = data.draw(st.lists(st.integers(1, 2), min_size=n, max_size=n))
    axis, wanted = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, n))
    picks = (1,) * (n - wanted) + tuple(data.draw(st.lists(st.integers(1, 3), min_size=wanted, max_size=wanted)))
    full = (*sizes[:axis], *picks[n - wanted :], *sizes[axis + 1 :])
    assert len(full) == n - 1 + wanted
    fits = wanted <= 1 or (wanted - 1 <= axis and set(sizes[: wanted - 1]) == {1})
    report = dml.check(dml.Gather(f32(*sizes), u32(*picks), axis, wanted))
    assert report.ok is fits
    assert {c.id for c in report.errors} == (set() if fits else {"gather.fits"})
    if fits:
        made = full[wanted - 1 :] if wanted else (1, *full)
        assert dml.Gather(f32(*sizes), u32(*picks), axis, wanted).output_tensor == f32(*made)
    assert_sound(report)
