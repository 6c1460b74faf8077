"""GATHER's own rules: IndexDimensions, and the sizes that follow from it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.effort import tried
from support.reports import assert_sound, errors, f32, u32, waiting

import dmlviz as dml


def test_index_dimensions_is_held_against_indices_tensors_own_dimensions() -> None:
    fits = dml.check(dml.Gather(f32(1, 3, 2), u32(2, 2), 1, 2, f32(2, 2, 2)))
    assert errors(fits) == {("dimension_count.equal", "IndicesTensor.DimensionCount")}
    too_many = dml.check(dml.Gather(f32(1, 3, 2), u32(2, 2), 1, 3, f32(2, 2, 2)))
    assert ("index_dimensions.range", "IndexDimensions") in errors(too_many)
    assert waiting(too_many) == {
        "indices.leading": "index_dimensions.range",
        "gather.fits": "index_dimensions.range",
        "gather.sizes": "index_dimensions.range",
    }


def test_index_dimensions_may_be_the_dimension_count_and_0() -> None:
    assert dml.check(dml.Gather(f32(4), u32(5), 0, 1, f32(5))).ok
    assert dml.check(dml.Gather(f32(1, 1, 4), u32(2, 3, 5), 2, 3, f32(2, 3, 5))).ok
    assert dml.check(dml.Gather(f32(3, 2), u32(1, 1), 0, 0, f32(1, 2))).ok
    assert errors(dml.check(dml.Gather(f32(4), u32(1), 0, 2, f32(1)))) == {
        ("index_dimensions.range", "IndexDimensions")
    }
    assert errors(dml.check(dml.Gather(f32(4), u32(1), 0, -1, f32(1)))) == {
        ("index_dimensions.range", "IndexDimensions")
    }


def test_gather_fits_where_leading_ones_before_axis_make_room() -> None:
    # ID - 1 > Axis would crop the axis that is gathered along.
    cropped = dml.check(dml.Gather(f32(1, 3, 2), u32(1, 2, 2), 0, 2, f32(2, 3, 2)))
    assert errors(cropped) == {("gather.fits", "IndexDimensions")}
    assert waiting(cropped) == {"gather.sizes": "gather.fits"}
    assert dml.check(dml.Gather(f32(1, 3, 2), u32(1, 2, 2), 1, 2, f32(2, 2, 2))).ok
    # A leading 1 of the indices isn't one of InputTensor.
    assert errors(dml.check(dml.Gather(f32(3, 2), u32(1, 2), 1, 2, f32(3, 2)))) == {("gather.fits", "IndexDimensions")}


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
