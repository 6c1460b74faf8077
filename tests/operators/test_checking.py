"""A check: what is valid has no error, and each mistake is reported once, at its root, with fixes that mend it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import tried
from support.reports import assert_sound, complete, errors, evaluated, f32, tensor, u32
from support.strategies import Case, cases

import dmlviz as dml
from dmlviz import DataType, FeatureLevel, TensorDesc

LEVELS = list(FeatureLevel)


@tried(150)
@given(cases(), st.booleans())
def test_a_valid_desc_has_no_error(case: Case, given_outputs: bool) -> None:
    desc = complete(case.desc) if given_outputs else case.desc
    report = dml.check(desc, case.arrays)
    assert report.ok
    assert not report.waiting
    warned = {"values.length_clamped", "values.index_range", "note.negative_index", "note.padding_reflection"}
    assert {c.id for c in report.failures} <= warned
    assert report.lowest_level is not None
    assert dml.check(desc, feature_level=report.lowest_level).ok
    below = LEVELS[: LEVELS.index(report.lowest_level)]
    assert not any(dml.check(desc, feature_level=level).ok for level in below[-1:])


@tried(100)
@given(cases(), st.sampled_from(LEVELS))
def test_at_a_level_only_what_depends_on_the_level_fails(case: Case, level: FeatureLevel) -> None:
    report = dml.check(case.desc, feature_level=level)
    of_levels = {"level.operator", "dtype.supported", "dimension_count.supported", "value.supported"}
    assert {c.id for c in report.errors} <= of_levels
    assert report.ok is (report.lowest_level is not None and report.lowest_level <= level)
    assert_sound(report)


@tried(150)
@given(st.data())
def test_any_desc_at_all_gets_a_sound_report(data: st.DataObject) -> None:
    """Fields drawn without any care: nothing raises, whatever is held."""
    desc = complete(data.draw(cases()).desc)
    sizes = st.lists(st.integers(-2, 4), max_size=9).map(tuple)
    tensors = st.builds(TensorDesc, st.sampled_from(list(DataType)), sizes)
    numbers = st.integers(-3, 10)
    changes: dict[str, Any] = {}
    for field in desc.FIELDS:
        if data.draw(st.booleans()):
            held = desc.get(field.name)
            if isinstance(held, TensorDesc):
                changes[field.name] = data.draw(tensors)
            elif choices := [choice.name for choice in field.choices()]:
                changes[field.name] = data.draw(st.sampled_from([*choices, 77]))
            elif isinstance(held, float):
                changes[field.name] = data.draw(st.floats())
            elif isinstance(held, int):
                changes[field.name] = data.draw(numbers)
            else:
                each = tensors if held and isinstance(held[0], TensorDesc) else numbers
                changes[field.name] = data.draw(st.lists(each, max_size=4))
    assert_sound(dml.check(desc.replace(changes), feature_level=data.draw(st.sampled_from(LEVELS))))


@tried(100)
@given(cases(), st.data())
def test_a_size_below_1_is_found_in_any_tensor(case: Case, data: st.DataObject) -> None:
    desc = complete(case.desc)
    part = data.draw(st.sampled_from(desc.parts))
    d = data.draw(st.integers(0, part.tensor.dimension_count - 1))
    few = data.draw(st.sampled_from([0, -1, -(2**31)]))
    made = part.tensor.resized(few if i == d else n for i, n in enumerate(part.tensor.sizes))
    held = desc.get(part.field.name)
    changed = [made if p.path == part.path else p.tensor for p in desc.parts if p.field.name == part.field.name]
    report = dml.check(desc.replace({part.field.name: changed if isinstance(held, tuple) else made}))
    assert ("sizes.positive", f"{part.path}.Sizes[{d}]") in errors(report)
    assert ("sizes.element_count", part.path) in {(w.id, w.field) for w in report.waiting}
    assert_sound(report)


# ---- planted mistakes, alone and together

I16 = tensor("INT16", 2, 3)
AXIS, NEVER = "axis.range Axis", 2**32 - 1


def row(desc: Any, *failing: str, **waits: str) -> Any:
    """A desc, what fails as `id path`, and what waits for what: `sizes_match="axis.range"`."""
    return desc, {*failing}, {id_.replace("_", ".", 1): on for id_, on in waits.items()}


def join(*parts: TensorDesc, axis: int = 0, out: TensorDesc, count: int | None = None) -> dml.Join:
    return dml.Join(parts, axis, out, count)


def split(whole: TensorDesc, *parts: TensorDesc, axis: int = 0, count: int | None = None) -> dml.Split:
    return dml.Split(whole, parts, axis, count)


def reverse(lengths: TensorDesc, axis: int = 1, out: TensorDesc | None = None) -> dml.ReverseSubsequences:
    return dml.ReverseSubsequences(f32(2, 3), lengths, axis, out or f32(2, 3))


def gather(
    cells: TensorDesc, axis: int = 0, counted: int = 1, out: TensorDesc | None = None, data: TensorDesc | None = None
) -> dml.Gather:
    return dml.Gather(data or f32(3, 2), cells, axis, counted, out or f32(4, 2))


def tile(repeats: tuple[int, ...], out: TensorDesc | None = None, count: int | None = None) -> dml.Tile:
    return dml.Tile(f32(2, 3), repeats, out or f32(2, 6), count)


COUNTED = {"sizes_match": "dimension_count.equal", "sizes_sum": "dimension_count.equal"}
NO_AXIS = {"sizes_match": "axis.range", "sizes_sum": "axis.range"}
NO_COUNT = dict.fromkeys(("indices_leading", "gather_fits", "gather_sizes"), "index_dimensions.range")
ROWS = [
    *(row(join(f32(2, 3), f32(1, 3), axis=axis, out=f32(3, 3)), AXIS, **NO_AXIS) for axis in (-1, -2, 2, 3, NEVER)),
    row(join(f32(2, 3), I16, out=f32(4, 3)), "dtype.equal InputTensors[1].DataType"),
    row(
        join(f32(2, 3), f32(1, 2, 3), out=f32(4, 3)), "dimension_count.equal InputTensors[1].DimensionCount", **COUNTED
    ),
    row(
        join(f32(1, 2, 2), axis=2, out=f32(2, 2)),
        "dimension_count.equal InputTensors[0].DimensionCount",
        AXIS,
        **NO_AXIS,
    ),
    row(join(f32(2), out=f32(2), count=2), "count.matches InputCount"),
    row(join(f32(2), out=f32(2), count=0), "count.matches InputCount", "count.positive InputCount"),
    row(dml.Join((), 0), "count.positive InputCount", sizes_sum="count.positive"),
    row(join(out=f32(2, 3)), "count.positive InputCount", sizes_sum="count.positive"),
    row(dml.Split(f32(2, 3), (), 0), "count.positive OutputCount", sizes_sum="count.positive"),
    row(join(out=f32(2, 3), count=2), "count.matches InputCount", sizes_sum="count.matches"),
    row(join(f32(2), f32(3), out=f32(6)), "sizes.sum OutputTensor.Sizes[0]"),
    row(join(f32(2), f32(3), out=f32(4), count=7), "sizes.sum OutputTensor.Sizes[0]", "count.matches InputCount"),
    row(join(f32(2, 3), f32(2, 4), out=f32(4, 3)), "sizes.match InputTensors[1].Sizes[1]"),
    row(
        join(f32(2, 3), tensor("INT16", 2, 4), out=f32(5, 3)),
        "sizes.match InputTensors[1].Sizes[1]",
        "dtype.equal InputTensors[1].DataType",
        "sizes.sum OutputTensor.Sizes[0]",
    ),
    row(split(f32(3, 3), f32(2, 3), f32(1, 3), axis=-1), AXIS, **NO_AXIS),
    row(split(f32(1, 2, 2), f32(2, 2), axis=2), "dimension_count.equal OutputTensors[0].DimensionCount"),
    row(split(f32(4, 3), f32(2, 3), I16), "dtype.equal OutputTensors[1].DataType"),
    row(split(f32(6), f32(2), f32(3), count=3), "count.matches OutputCount", "sizes.sum InputTensor.Sizes[0]"),
    row(split(f32(5), f32(2), f32(3), count=0), "count.matches OutputCount", "count.positive OutputCount"),
    row(split(f32(4), f32(2), f32(3)), "sizes.sum InputTensor.Sizes[0]"),
    row(split(f32(4, 3), f32(2, 3), f32(2, 4)), "sizes.match OutputTensors[1].Sizes[1]"),
    row(reverse(u32(2, 1), 2, f32(2, 4)), AXIS, "sizes.equal OutputTensor.Sizes[1]", lengths_sizes="axis.range"),
    row(reverse(u32(2, 1), out=I16), "dtype.equal OutputTensor.DataType"),
    row(
        reverse(u32(1, 2, 1), out=f32(1, 2, 3)),
        *(f"dimension_count.equal {path}.DimensionCount" for path in ("SequenceLengthsTensor", "OutputTensor")),
        lengths_sizes="dimension_count.equal",
        sizes_equal="dimension_count.equal",
    ),
    row(reverse(tensor("INT32", 2, 1)), "dtype.supported SequenceLengthsTensor.DataType"),
    row(reverse(u32(3, 1)), "lengths.sizes SequenceLengthsTensor.Sizes[0]"),
    row(
        gather(u32(2, 2), -1, out=f32(3, 2)),
        AXIS,
        "indices.leading IndicesTensor.Sizes[0]",
        gather_fits="axis.range",
        gather_sizes="axis.range",
    ),
    row(gather(u32(2, 4)), "indices.leading IndicesTensor.Sizes[0]"),
    row(gather(u32(1, 4), out=tensor("INT16", 4, 2)), "dtype.equal OutputTensor.DataType"),
    row(gather(u32(1, 4), out=f32(1, 4, 2)), "dimension_count.equal OutputTensor.DimensionCount"),
    row(gather(f32(1, 4)), "dtype.supported IndicesTensor.DataType"),
    *(row(gather(u32(1, 4), counted=k), "index_dimensions.range IndexDimensions", **NO_COUNT) for k in (-1, 3, 9)),
    row(gather(u32(2, 3, 5), 2, 3, f32(2, 3, 5), f32(1, 1, 4))),
    row(gather(u32(1, 1), counted=0, out=f32(1, 2))),
    row(gather(u32(1, 4), counted=2), "gather.fits IndexDimensions", gather_sizes="gather.fits"),
    row(gather(u32(1, 4), out=f32(5, 2)), "gather.sizes OutputTensor.Sizes[0]"),
    row(tile((1, 2), I16), "dtype.equal OutputTensor.DataType", "sizes.repeat OutputTensor.Sizes[1]"),
    row(tile((1, 2), f32(1, 2, 6)), "dimension_count.equal OutputTensor.DimensionCount"),
    row(
        tile((1, 2), count=3), "repeats.count RepeatsCount", "count.matches RepeatsCount", sizes_repeat="repeats.count"
    ),
    row(tile((1, 2, 1), count=2), "count.matches RepeatsCount", sizes_repeat="count.matches"),
    row(tile((1, 2, 1)), "repeats.count RepeatsCount", sizes_repeat="repeats.count"),
    *(row(dml.Tile(f32(2, 3), (1, few)), "repeats.positive Repeats[1]") for few in (0, -1, -7)),
    row(dml.Tile(f32(1, 1), (65535, 65537))),
    row(dml.Tile(f32(1, 1), (65536, 65536)), "sizes.element_count OutputTensor.Sizes"),
    row(dml.Tile(f32(1, 1), (2**32 - 1, 1))),
    row(dml.Tile(f32(2**60, 2**60), (8, 1)), *(f"sizes.element_count {p}putTensor.Sizes" for p in ("In", "Out"))),
]


@pytest.mark.parametrize(("desc", "failing", "waits"), ROWS)
def test_each_mistake_is_reported_once_at_its_root(desc: Any, failing: set[str], waits: dict[str, str]) -> None:
    report = dml.check(desc)
    assert {f"{id_} {field}" for id_, field in errors(report)} == failing
    assert {w.id: w.on for w in report.waiting}.items() >= waits.items()
    assert (report.lowest_level is None) == bool(failing)
    assert_sound(report)


def test_6_and_minus_2_add_up_to_4_and_are_still_wrong() -> None:
    report = dml.check(split(f32(1, 1, 4, 2), f32(1, 1, 6, 2), f32(1, 1, -2, 2), axis=2))
    assert errors(report) == {("sizes.positive", "OutputTensors[1].Sizes[2]")}
    assert "sizes.sum" in evaluated(report)
    assert any(fix.mends_all for fix in report.errors[0].fixes)


def test_who_is_named_and_what_is_dmlvizs_own() -> None:
    """The odd one out of many; indices and lengths never share the DataType; three errors stand on no page."""
    half = tensor("FLOAT16", 6, 2)
    assert [c.field for c in dml.check(dml.Join([f32(2, 2)] * 3, 0, half)).errors] == ["OutputTensor.DataType"]
    (odd,) = dml.check(dml.Join([f32(2, 2), tensor("FLOAT16", 2, 2), f32(2, 2)], 0)).errors
    assert odd.message == "InputTensors[1].DataType is FLOAT16, expected FLOAT32, as in InputTensors[0]."
    picked = dml.check(dml.Gather(tensor("INT8", 3, 2), tensor("INT64", 1, 4), 0, 1, tensor("INT8", 4, 2)))
    turned = dml.check(dml.ReverseSubsequences(tensor("INT8", 3, 2), tensor("UINT64", 3, 1), 1))
    for report in (picked, turned):
        assert report.ok
        assert [c.field for c in report.checks if c.id == "dtype.equal"] == ["OutputTensor.DataType"]
        assert len([c for c in report.checks if c.id == "dimension_count.equal"]) == 2
    for desc in (join(f32(2), out=f32(2), count=2), gather(u32(2, 4)), dml.Split(f32(2), [f32(2)], 0, -1)):
        for check in dml.check(desc).errors:
            own = check.id in ("count.matches", "indices.leading", "number.range")
            assert own is check.is_own is (check.page == "dmlviz") is ("dmlviz's own" in check.message)
    (whole,) = dml.check(dml.Tile(f32(1), (2**32,))).errors
    assert whole.page == "DML_BUFFER_TENSOR_DESC"
