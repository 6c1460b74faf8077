"""Rules that several operators share: counts and Axis."""

from __future__ import annotations

from support.reports import errors, f32, u32, waiting

import dmlviz as dml


def test_the_two_rules_that_are_dmlvizs_own_say_so() -> None:
    stale = dml.check(dml.Join((f32(2),), 0, input_count=2))
    table = dml.check(dml.Gather(f32(3, 2), u32(2, 2), 0, 1))
    for report, id_ in ((stale, "count.matches"), (table, "indices.leading")):
        assert [c.id for c in report.errors] == [id_]
        assert "dmlviz's own" in report.errors[0].message


def test_a_stale_count_goes_on_with_the_tensors_that_are_there() -> None:
    report = dml.check(dml.Split(f32(1, 1, 6, 2), (f32(1, 1, 2, 2), f32(1, 1, 3, 2)), 2, 3))
    assert errors(report) == {("count.matches", "OutputCount"), ("sizes.sum", "InputTensor.Sizes[2]")}


def test_axis_is_counted_in_the_outputs_dimensions_for_join_and_the_inputs_for_split() -> None:
    join = dml.check(dml.Join((f32(1, 2, 2),), 2, f32(2, 2)))
    assert errors(join) == {("dimension_count.equal", "InputTensors[0].DimensionCount"), ("axis.range", "Axis")}
    split = dml.check(dml.Split(f32(1, 2, 2), (f32(2, 2),), 2))
    assert errors(split) == {("dimension_count.equal", "OutputTensors[0].DimensionCount")}


def test_an_axis_out_of_range_never_skips_sizes_equal_or_indices_leading() -> None:
    reverse = dml.check(dml.ReverseSubsequences(f32(2, 3), u32(2, 1), 2, f32(2, 4)))
    assert errors(reverse) == {("axis.range", "Axis"), ("sizes.equal", "OutputTensor.Sizes[1]")}
    assert waiting(reverse) == {"lengths.sizes": "axis.range"}
    gather = dml.check(dml.Gather(f32(3, 2), u32(2, 2), -1, 1, f32(3, 2)))
    assert errors(gather) == {("axis.range", "Axis"), ("indices.leading", "IndicesTensor.Sizes[0]")}
    assert waiting(gather) == {"gather.fits": "axis.range", "gather.sizes": "axis.range"}
