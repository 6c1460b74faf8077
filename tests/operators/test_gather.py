"""GATHER's sizes follow from IndexDimensions."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.effort import tried
from support.reports import assert_sound, f32, u32

import dmlviz as dml


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
