"""A check: what is valid has no error, and each mistake is reported once, at its root, with fixes that mend it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from operator_kit.cases.gather import gathers
from operator_kit.cases.join import joins
from operator_kit.cases.reverse_subsequences import reversals
from operator_kit.cases.split import splits
from operator_kit.cases.tile import tiles
from support.effort import tried
from support.reports import Failures, assert_sound, complete, errors
from support.strategies import Case, cases

import dmlviz as dml
from dmlviz import DataType, FeatureLevel, TensorDesc

LEVELS = list(FeatureLevel)


def bumped(held: TensorDesc, d: int, by: int = 1) -> TensorDesc:
    return held.resized(n + by * (i == d) for i, n in enumerate(held.sizes))


# ---- what is valid ----------------------------------------------------------------------------------------------


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


# ---- planted mistakes -------------------------------------------------------------------------------------------

Draw = Callable[[st.SearchStrategy[Any]], Any]


@dataclass(frozen=True)
class Plant:
    """One mistake: what it touches, how, and what is then reported where.

    `edit` gets the desc as it is, and the valid one it was; it returns changes and the failures they make.
    """

    touches: tuple[str, ...]
    edit: Callable[[Any, Any, Draw], tuple[dict[str, Any], Failures]]


def other_type(kind: DataType) -> DataType:
    return DataType.INT16 if kind is not DataType.INT16 else DataType.INT32


def retyped(held: TensorDesc) -> TensorDesc:
    return TensorDesc(other_type(held.data_type), held.sizes)


def last(items: Sequence[TensorDesc], made: TensorDesc) -> tuple[TensorDesc, ...]:
    return (*items[:-1], made)


def outside(n: int, draw: Draw) -> int:
    return int(draw(st.sampled_from([-1, -n, n, n + 1, 2**32 - 1])))


def axis_plant(now: Any, base: Any, draw: Draw) -> tuple[dict[str, Any], Failures]:
    n = base.outputs[0].tensor.dimension_count
    return {"Axis": outside(n, draw)}, {("axis.range", "Axis")}


def output_type(now: Any, base: Any, draw: Draw) -> tuple[dict[str, Any], Failures]:
    return {"OutputTensor": retyped(now.output_tensor)}, {("dtype.equal", "OutputTensor.DataType")}


def last_type(field: str) -> Callable[[Any, Any, Draw], tuple[dict[str, Any], Failures]]:
    def edit(now: Any, base: Any, draw: Draw) -> tuple[dict[str, Any], Failures]:
        held = now.get(field)
        where = f"{field}[{len(held) - 1}].DataType"
        return {field: last(held, retyped(held[-1]))}, {("dtype.equal", where)}

    return edit


def last_dimensions(field: str) -> Callable[[Any, Any, Draw], tuple[dict[str, Any], Failures]]:
    def edit(now: Any, base: Any, draw: Draw) -> tuple[dict[str, Any], Failures]:
        held = now.get(field)
        assume(held[-1].dimension_count < 8)
        where = f"{field}[{len(held) - 1}].DimensionCount"
        return {field: last(held, held[-1].resized((1, *held[-1].sizes)))}, {("dimension_count.equal", where)}

    return edit


def dimensions(field: str) -> Callable[[Any, Any, Draw], tuple[dict[str, Any], Failures]]:
    def edit(now: Any, base: Any, draw: Draw) -> tuple[dict[str, Any], Failures]:
        held = now.get(field)
        assume(held.dimension_count < 8)
        return {field: held.resized((1, *held.sizes))}, {("dimension_count.equal", f"{field}.DimensionCount")}

    return edit


def count(field: str, change: int) -> Callable[[Any, Any, Draw], tuple[dict[str, Any], Failures]]:
    def edit(now: Any, base: Any, draw: Draw) -> tuple[dict[str, Any], Failures]:
        if change:
            return {field: now.get(field) + change}, {("count.matches", field)}
        return {field: 0}, {("count.matches", field), ("count.positive", field)}

    return edit


def size_along(whole: str, change: int) -> Callable[[Any, Any, Draw], tuple[dict[str, Any], Failures]]:
    def edit(now: Any, base: Any, draw: Draw) -> tuple[dict[str, Any], Failures]:
        made = bumped(now.get(whole), base.axis, change)
        assume(made.sizes[base.axis] > 0)
        return {whole: made}, {("sizes.sum", f"{whole}.Sizes[{base.axis}]")}

    return edit


def size_across(field: str) -> Callable[[Any, Any, Draw], tuple[dict[str, Any], Failures]]:
    """Another size of the last tensor of a list, apart from Axis."""

    def edit(now: Any, base: Any, draw: Draw) -> tuple[dict[str, Any], Failures]:
        held = now.get(field)
        where = [d for d in range(base.get(field)[-1].dimension_count) if d != base.axis]
        assume(where)
        d = draw(st.sampled_from(where))
        # A leading 1 may have been planted before.
        at = d + held[-1].dimension_count - base.get(field)[-1].dimension_count
        return {field: last(held, bumped(held[-1], at))}, {("sizes.match", f"{field}[{len(held) - 1}].Sizes[{d}]")}

    return edit


def output_size(rule: str) -> Callable[[Any, Any, Draw], tuple[dict[str, Any], Failures]]:
    def edit(now: Any, base: Any, draw: Draw) -> tuple[dict[str, Any], Failures]:
        d = draw(st.integers(0, base.output_tensor.dimension_count - 1))
        return {"OutputTensor": bumped(now.output_tensor, d)}, {(rule, f"OutputTensor.Sizes[{d}]")}

    return edit


def lengths_size(now: Any, base: Any, draw: Draw) -> tuple[dict[str, Any], Failures]:
    held = now.sequence_lengths_tensor
    d = draw(st.integers(0, held.dimension_count - 1))
    where = f"SequenceLengthsTensor.Sizes[{d}]"
    return {"SequenceLengthsTensor": bumped(held, d)}, {("lengths.sizes", where)}


def steering_type(field: str, kind: str) -> Callable[[Any, Any, Draw], tuple[dict[str, Any], Failures]]:
    def edit(now: Any, base: Any, draw: Draw) -> tuple[dict[str, Any], Failures]:
        return {field: TensorDesc(kind, now.get(field).sizes)}, {("dtype.supported", f"{field}.DataType")}

    return edit


def index_dimensions(now: Any, base: Any, draw: Draw) -> tuple[dict[str, Any], Failures]:
    n = base.indices_tensor.dimension_count
    return {"IndexDimensions": draw(st.sampled_from([-1, n + 1, n + 7]))}, {
        ("index_dimensions.range", "IndexDimensions")
    }


def unfitting(now: Any, base: Any, draw: Draw) -> tuple[dict[str, Any], Failures]:
    """One index dimension more than there is room for before Axis."""
    n, wanted = base.input_tensor.dimension_count, base.axis + 2
    assume(wanted <= n)
    return {"IndexDimensions": wanted}, {("gather.fits", "IndexDimensions")}


def leading(now: Any, base: Any, draw: Draw) -> tuple[dict[str, Any], Failures]:
    held = now.indices_tensor
    ignored = held.dimension_count - now.index_dimensions
    if not 0 <= now.index_dimensions <= held.dimension_count:
        ignored = held.dimension_count - base.index_dimensions
    assume(ignored > 0)
    d = draw(st.integers(0, ignored - 1))
    return {"IndicesTensor": bumped(held, d)}, {("indices.leading", f"IndicesTensor.Sizes[{d}]")}


def extra_repeat(now: Any, base: Any, draw: Draw) -> tuple[dict[str, Any], Failures]:
    return {"Repeats": (*now.repeats, 1)}, {("count.matches", "RepeatsCount")}


def extra_repeat_counted(now: Any, base: Any, draw: Draw) -> tuple[dict[str, Any], Failures]:
    return {"Repeats": (*now.repeats, 1), "RepeatsCount": None}, {("repeats.count", "RepeatsCount")}


def repeats_count(now: Any, base: Any, draw: Draw) -> tuple[dict[str, Any], Failures]:
    where = "RepeatsCount"
    return {where: now.repeats_count + 1}, {("repeats.count", where), ("count.matches", where)}


def no_copies(now: Any, base: Any, draw: Draw) -> tuple[dict[str, Any], Failures]:
    d, few = draw(st.integers(0, len(now.repeats) - 1)), draw(st.sampled_from([0, -1, -7]))
    made = tuple(few if i == d else r for i, r in enumerate(now.repeats))
    return {"Repeats": made, "OutputTensor": None}, {("repeats.positive", f"Repeats[{d}]")}


AXIS = Plant(("Axis",), axis_plant)
OUTPUT_TYPE = Plant(("OutputTensor.DataType",), output_type)
OUTPUT_DIMENSIONS = Plant(("OutputTensor.Sizes",), dimensions("OutputTensor"))

PLANTS: dict[str, dict[str, Plant]] = {
    # Plants that change IndexDimensions stand before the ones that read it.
    "JOIN": {
        "axis": AXIS,
        "type": Plant(("InputTensors.DataType",), last_type("InputTensors")),
        "dimensions": Plant(("InputTensors.DimensionCount",), last_dimensions("InputTensors")),
        "count": Plant(("InputCount",), count("InputCount", 1)),
        "no count": Plant(("InputCount",), count("InputCount", 0)),
        "along, more": Plant(("OutputTensor.Sizes",), size_along("OutputTensor", 1)),
        "along, fewer": Plant(("OutputTensor.Sizes",), size_along("OutputTensor", -1)),
        "across": Plant(("InputTensors.Sizes",), size_across("InputTensors")),
    },
    "SPLIT": {
        "axis": AXIS,
        "type": Plant(("OutputTensors.DataType",), last_type("OutputTensors")),
        "dimensions": Plant(("OutputTensors.DimensionCount",), last_dimensions("OutputTensors")),
        "count": Plant(("OutputCount",), count("OutputCount", 7)),
        "no count": Plant(("OutputCount",), count("OutputCount", 0)),
        "along, more": Plant(("InputTensor.Sizes",), size_along("InputTensor", 1)),
        "along, fewer": Plant(("InputTensor.Sizes",), size_along("InputTensor", -1)),
        "across": Plant(("OutputTensors.Sizes",), size_across("OutputTensors")),
    },
    "REVERSE_SUBSEQUENCES": {
        "axis": AXIS,
        "type": OUTPUT_TYPE,
        "output dimensions": OUTPUT_DIMENSIONS,
        "lengths dimensions": Plant(("SequenceLengthsTensor.Sizes",), dimensions("SequenceLengthsTensor")),
        "lengths type": Plant(("SequenceLengthsTensor.DataType",), steering_type("SequenceLengthsTensor", "INT32")),
        "lengths": Plant(("SequenceLengthsTensor.Sizes",), lengths_size),
        "sizes": Plant(("OutputTensor.Sizes",), output_size("sizes.equal")),
    },
    "GATHER": {
        "axis": AXIS,
        "type": OUTPUT_TYPE,
        "dimensions": OUTPUT_DIMENSIONS,
        "indices type": Plant(("IndicesTensor.DataType",), steering_type("IndicesTensor", "FLOAT32")),
        "index dimensions": Plant(("IndexDimensions",), index_dimensions),
        "unfitting": Plant(("IndexDimensions",), unfitting),
        "leading": Plant(("IndicesTensor.Sizes",), leading),
        "sizes": Plant(("OutputTensor.Sizes",), output_size("gather.sizes")),
    },
    "TILE": {
        "type": OUTPUT_TYPE,
        "dimensions": OUTPUT_DIMENSIONS,
        "count": Plant(("RepeatsCount",), repeats_count),
        "extra repeat": Plant(("Repeats", "RepeatsCount"), extra_repeat),
        "extra repeat, counted": Plant(("Repeats", "RepeatsCount"), extra_repeat_counted),
        "no copies": Plant(("Repeats", "OutputTensor.Sizes", "OutputTensor.DataType"), no_copies),
        "sizes": Plant(("OutputTensor.Sizes",), output_size("sizes.repeat")),
    },
}
VALID: dict[str, st.SearchStrategy[Case]] = {
    "JOIN": joins(),
    "SPLIT": splits(),
    "REVERSE_SUBSEQUENCES": reversals(),
    "GATHER": gathers(),
    "TILE": tiles(),
}


def count_down(planted: Failures) -> Failures:
    """`planted` without what SPEC section 4 says is skipped where another of them fails."""
    ids = {id_ for id_, _ in planted}
    counted = {field.split(".")[0] for id_, field in planted if id_ == "dimension_count.equal"}

    def skipped(id_: str, field: str) -> bool:
        own = field.split(".")[0]
        if "axis.range" in ids and id_ in {"sizes.match", "sizes.sum", "lengths.sizes", "gather.fits", "gather.sizes"}:
            return True
        if "index_dimensions.range" in ids and id_ in {"indices.leading", "gather.fits", "gather.sizes"}:
            return True
        if "gather.fits" in ids and id_ == "gather.sizes":
            return True
        if ids & {"repeats.count", "count.matches"} and id_ == "sizes.repeat":
            return True
        # Sizes of two tensors are compared only where their DimensionCounts agree.
        if id_ == "sizes.sum":
            return bool(counted)
        return own in counted and id_ in {"sizes.match", "lengths.sizes", "sizes.equal", "sizes.repeat", "gather.sizes"}

    return {failure for failure in planted if not skipped(*failure)}


def planted(operator: str, names: Sequence[str], draw: Draw) -> tuple[Any, Failures]:
    base = complete(draw(VALID[operator]).desc)
    now = base
    want: Failures = set()
    for name in PLANTS[operator]:  # in their order, which is the one they may lean on
        if name in names:
            changes, failures = PLANTS[operator][name].edit(now, base, draw)
            now, want = now.replace(changes), want | failures
    return now, count_down(want)


@pytest.mark.parametrize(("operator", "name"), [(o, n) for o in PLANTS for n in PLANTS[o]])
def test_a_planted_mistake_is_reported_once_at_its_root(operator: str, name: str) -> None:
    @settings(max_examples=12)
    @given(st.data())
    def run(data: st.DataObject) -> None:
        desc, want = planted(operator, [name], data.draw)
        report = dml.check(desc)
        assert errors(report) == want
        assert report.lowest_level is None
        assert_sound(report)

    run()


@pytest.mark.parametrize("operator", list(PLANTS))
def test_two_mistakes_are_both_reported(operator: str) -> None:
    plants = PLANTS[operator]
    pairs = [
        (a, b)
        for i, a in enumerate(plants)
        for b in list(plants)[i + 1 :]
        if not set(plants[a].touches) & set(plants[b].touches)
    ]

    @tried(80)
    @given(st.data())
    def run(data: st.DataObject) -> None:
        desc, want = planted(operator, data.draw(st.sampled_from(pairs)), data.draw)
        report = dml.check(desc)
        assert errors(report) == want
        assert_sound(report)

    run()


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
    report = dml.check(desc.replace(changes), feature_level=data.draw(st.sampled_from(LEVELS)))
    assert_sound(report)
