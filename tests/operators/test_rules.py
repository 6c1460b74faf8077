"""The rules: what is valid has no error, and each mistake is reported once, at its root, with fixes that mend it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from support.strategies import Case, cases, gathers, joins, reversals, splits, tiles

import dmlviz as dml
from dmlviz import DataType, FeatureLevel, TensorDesc
from dmlviz.operators.evaluation import evaluate
from dmlviz.operators.registry import operator_of
from dmlviz.operators.report import Check, Severity

LEVELS = list(FeatureLevel)
Failures = set[tuple[str, str]]


def errors(report: dml.Report) -> Failures:
    return {(c.id, c.field) for c in report.errors}


def notes(report: dml.Report) -> set[str]:
    return {c.id for c in report.failures if c.severity is Severity.NOTE}


def warnings(report: dml.Report) -> list[Check]:
    return [c for c in report.failures if c.severity is Severity.WARNING]


def evaluated(report: dml.Report) -> set[str]:
    return {c.id for c in report.checks}


def waiting(report: dml.Report) -> dict[str, str]:
    return {w.id: w.on for w in report.waiting}


def tensor(kind: str, *sizes: int) -> TensorDesc:
    return TensorDesc(kind, sizes)


def f32(*sizes: int) -> TensorDesc:
    return TensorDesc("FLOAT32", sizes)


def u32(*sizes: int) -> TensorDesc:
    return TensorDesc("UINT32", sizes)


def bumped(held: TensorDesc, d: int, by: int = 1) -> TensorDesc:
    return held.resized(n + by * (i == d) for i, n in enumerate(held.sizes))


def complete(desc: Any) -> Any:
    """The same desc with its outputs and counts written out, so that edits elsewhere don't move them."""
    return type(desc).build({field.name: desc.get(field.name) for field in desc.FIELDS})


# ---- what is valid ----------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=150)
@given(cases(), st.booleans())
def test_a_valid_desc_has_no_error(case: Case, given_outputs: bool) -> None:
    desc = complete(case.desc) if given_outputs else case.desc
    report = dml.check(desc, case.arrays)
    assert report.ok
    assert not report.waiting
    assert {c.id for c in report.failures} <= {"values.length_clamped", "values.index_range", "note.negative_index"}
    assert report.lowest_level is not None
    assert dml.check(desc, feature_level=report.lowest_level).ok
    below = LEVELS[: LEVELS.index(report.lowest_level)]
    assert not any(dml.check(desc, feature_level=level).ok for level in below[-1:])


@settings(deadline=None, max_examples=100)
@given(cases(), st.sampled_from(LEVELS))
def test_at_a_level_only_what_depends_on_the_level_fails(case: Case, level: FeatureLevel) -> None:
    report = dml.check(case.desc, feature_level=level)
    assert {c.id for c in report.errors} <= {"level.operator", "dtype.supported", "dimension_count.supported"}
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


def assert_sound(report: dml.Report) -> None:
    """What holds of every report: messages, what waits, and fixes that were promised to help."""
    failed = {c.id for c in report.errors}
    for w in report.waiting:
        assert w.on in failed | {x.id for x in report.waiting}, w
        own = w.field.split(".")[0]
        assert not any(c.id == w.id and c.field.split(".")[0] == own for c in report.checks), w
    for c in report.checks:
        assert "\n" not in c.message
        assert c.message.endswith(".")
        assert ". " not in c.message
        assert c.page.startswith("DML_")
        if c.ok:
            assert not c.fixes
        elif c.severity is Severity.ERROR:
            assert c.field.split(".")[0].split("[")[0] in c.message.replace("Feature level", "FeatureLevel")
            last_name = c.field.split(".")[-1].split("[")[0]
            assert last_name in c.message.replace("Feature level", "FeatureLevel"), c.message
            assert "expected" in c.message or " must go" in c.message or "has no axis" in c.message, c.message
            assert_fixes_help(report, c)


def assert_fixes_help(report: dml.Report, broken: Check) -> None:
    labels = [fix.label for fix in broken.fixes]
    assert len(set(labels)) == len(labels)
    for fix in broken.fixes:
        assert fix.label
        assert "\n" not in fix.label
        # `check` would look for fixes again, which nobody asks for here.
        after = evaluate(operator_of(fix.desc), fix.desc, fix.feature_level)
        wrong = [c for c in after.checks if not c.ok]
        still = {(c.id, c.field.split(".")[0]) for c in wrong}
        still |= {(w.id, w.field.split(".")[0]) for w in after.waiting}
        assert (broken.id, broken.field.split(".")[0]) not in still, fix
        assert fix.mends_all is (not wrong), fix
        assert fix.feature_level >= report.feature_level


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
    @settings(deadline=None, max_examples=12)
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

    @settings(deadline=None, max_examples=80)
    @given(st.data())
    def run(data: st.DataObject) -> None:
        desc, want = planted(operator, data.draw(st.sampled_from(pairs)), data.draw)
        report = dml.check(desc)
        assert errors(report) == want
        assert_sound(report)

    run()


@settings(deadline=None, max_examples=150)
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
            elif isinstance(held, int):
                changes[field.name] = data.draw(numbers)
            else:
                each = tensors if held and isinstance(held[0], TensorDesc) else numbers
                changes[field.name] = data.draw(st.lists(each, max_size=4))
    report = dml.check(desc.replace(changes), feature_level=data.draw(st.sampled_from(LEVELS)))
    assert_sound(report)


# ---- every operator's common rules ------------------------------------------------------------------------------


@settings(deadline=None, max_examples=100)
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


@pytest.mark.parametrize(
    ("repeats", "ok"), [((65535, 65537), True), ((65536, 65536), False), ((2**32 - 1, 1), True), ((2**32, 1), False)]
)
def test_a_tensor_has_at_most_2_32_minus_1_elements(repeats: tuple[int, int], ok: bool) -> None:
    report = dml.check(dml.Tile(f32(1, 1), repeats))
    assert errors(report) == (set() if ok else {("sizes.element_count", "OutputTensor.Sizes")})
    assert_sound(report)


def test_sizes_beyond_any_machine_number_are_held_and_refused() -> None:
    report = dml.check(dml.Tile(f32(10**30, 10**30), (10**30, 1)))
    assert errors(report) == {
        ("sizes.element_count", "InputTensor.Sizes"),
        ("sizes.element_count", "OutputTensor.Sizes"),
    }
    assert_sound(report)


def test_a_missing_level_skips_both_support_rules() -> None:
    desc = dml.ReverseSubsequences(tensor("INT64", 9), tensor("INT8", 1), 0)
    for level in ("1_0", "2_0"):
        report = dml.check(desc, feature_level=level)
        assert errors(report) == {("level.operator", "FeatureLevel")}
        assert waiting(report) == {
            "dtype.supported": "level.operator",
            "dimension_count.supported": "level.operator",
        }
        assert len(report.waiting) == 6
        assert not evaluated(report) & {"dtype.supported", "dimension_count.supported"}


def test_2_0_behaves_as_1_0_and_reverse_is_on_neither() -> None:
    descs: list[Any] = [
        dml.Join((f32(1, 1, 2, 2),), 3),
        dml.Join((tensor("INT8", 1, 1, 2, 2),), 3),
        dml.Split(f32(2, 2), (f32(2, 2),), 1),
        dml.Tile(tensor("INT32", 1, 1, 2, 2), (1, 1, 1, 2)),
        dml.Gather(f32(1, 1, 3, 2), u32(1, 1, 1, 4), 2, 1),
        dml.ReverseSubsequences(f32(1, 1, 2, 2), u32(1, 1, 2, 1), 3),
    ]
    for desc in descs:
        first, second = (dml.check(desc, feature_level=level) for level in ("1_0", "2_0"))
        assert errors(first) == errors(second)
        assert notes(first) == notes(second)
        assert first.lowest_level == second.lowest_level
        exists = not isinstance(desc, dml.ReverseSubsequences)
        assert (("level.operator", "FeatureLevel") not in errors(first)) is exists
    assert dml.check(descs[-1], feature_level="2_1").ok


def test_indices_and_lengths_never_share_the_data_type() -> None:
    gather = dml.check(dml.Gather(tensor("INT8", 3, 2), tensor("INT64", 1, 4), 0, 1, tensor("INT8", 4, 2)))
    reverse = dml.check(dml.ReverseSubsequences(tensor("INT8", 3, 2), tensor("UINT64", 3, 1), 1))
    for report in (gather, reverse):
        assert report.ok
        assert [c.field for c in report.checks if c.id == "dtype.equal"] == ["OutputTensor.DataType"]
        assert len([c for c in report.checks if c.id == "dimension_count.equal"]) == 2


def test_the_two_rules_that_are_dmlvizs_own_say_so() -> None:
    stale = dml.check(dml.Join((f32(2),), 0, input_count=2))
    table = dml.check(dml.Gather(f32(3, 2), u32(2, 2), 0, 1))
    for report, id_ in ((stale, "count.matches"), (table, "indices.leading")):
        assert [c.id for c in report.errors] == [id_]
        assert "dmlviz's own" in report.errors[0].message


# ---- the specification's own statements -------------------------------------------------------------------------


def test_lowest_levels_that_the_specification_names() -> None:
    six = dml.Join((f32(1, 1, 1, 1, 2, 2), f32(1, 1, 1, 1, 2, 3)), 5)
    for level in LEVELS:
        found = dml.check(six, feature_level=level).lowest_level
        assert found is FeatureLevel.of("4_1")
        assert (
            dml.check(dml.Tile(tensor("FLOAT64", 1, 1, 2, 2), (1, 1, 1, 2)), feature_level=level).lowest_level is None
        )


def test_a_broken_rule_that_no_level_mends_leaves_no_lowest_level() -> None:
    assert dml.check(dml.Join((f32(1, 1, 2, 2),), 4)).lowest_level is None
    assert dml.check(dml.Tile(f32(2), (2,), f32(5))).lowest_level is None


def test_warnings_and_notes_do_not_count_for_the_lowest_level() -> None:
    clamped = dml.ReverseSubsequences(f32(1, 1, 1, 2), u32(1, 1, 1, 1), 3)
    report = dml.check(clamped, [np.zeros((1, 1, 1, 2), np.float32), np.full((1, 1, 1, 1), 9, np.uint32)])
    assert warnings(report)
    assert report.ok
    assert report.lowest_level is FeatureLevel.of("2_1")
    early = dml.check(dml.Gather(f32(1, 1, 3, 2), u32(1, 1, 1, 4), 2, 1), feature_level="1_0")
    assert notes(early)
    assert early.lowest_level is FeatureLevel.of("1_0")


def test_6_and_minus_2_add_up_to_4_and_are_still_wrong() -> None:
    report = dml.check(dml.Split(f32(1, 1, 4, 2), (f32(1, 1, 6, 2), f32(1, 1, -2, 2)), 2))
    assert errors(report) == {("sizes.positive", "OutputTensors[1].Sizes[2]")}
    assert "sizes.sum" in evaluated(report)
    (broken,) = report.errors
    assert broken.found == [1, 1, -2, 2]
    assert any(fix.mends_all for fix in broken.fixes)


def test_one_input_or_output_is_a_copy() -> None:
    assert dml.check(dml.Join((f32(2, 3),), 0, f32(2, 3), 1)).ok
    assert dml.check(dml.Split(f32(2, 3), (f32(2, 3),), 1, 1)).ok


def test_nothing_to_join_and_nothing_to_split_into() -> None:
    for desc, field in (
        (dml.Join((), 0, f32(2, 3)), "InputCount"),
        (dml.Join((), 0), "InputCount"),
        (dml.Split(f32(2, 3), (), 0), "OutputCount"),
    ):
        report = dml.check(desc)
        assert errors(report) == {("count.positive", field)}
        assert waiting(report)["sizes.sum"] == "count.positive"
        assert_sound(report)
    stale = dml.check(dml.Join((), 0, f32(2, 3), 2))
    assert errors(stale) == {("count.matches", "InputCount")}
    assert_sound(stale)


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


@settings(deadline=None, max_examples=100)
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


def test_the_first_fix_is_the_likely_one() -> None:
    def first(desc: Any, level: str = "6_4") -> str:
        (broken, *_) = dml.check(desc, feature_level=level).errors
        assert broken.fixes[0].mends_all
        return broken.fixes[0].label

    assert first(dml.Gather(f32(3, 2), u32(1, 2), 1, 2, f32(3, 2))) == "IndexDimensions 2 → 1"
    assert first(dml.Join((f32(1, 1, 2, 3), f32(1, 1, 2, 4)), -1)) == "Axis -1 → 3"
    assert first(dml.Gather(f32(3, 2), u32(4), 0, 1, f32(4, 2))) == "IndicesTensor {4} → {1, 4}"
    lengths = first(dml.ReverseSubsequences(f32(2, 4), u32(2), 1, f32(2, 4)))
    assert lengths == "SequenceLengthsTensor {2} → {2, 1}"
    assert first(dml.ReverseSubsequences(f32(1, 1, 2, 4), u32(1, 1, 2, 1), 3), "2_0") == "feature level 2_0 → 2_1"
    assert first(dml.Tile(f32(2, 3), (2, 2), f32(4, 5))) == "OutputTensor {4, 5} → {4, 6}"


# ---- notes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [level.value for level in LEVELS])
@pytest.mark.parametrize("dimensions_", range(1, 9))
def test_the_join_note_stands_exactly_where_sources_disagree(level: str, dimensions_: int) -> None:
    report = dml.check(dml.Join((f32(*(1,) * dimensions_),), 0), feature_level=level)
    disagree = level in ("3_1", "4_0") and dimensions_ not in (4, 5)
    assert notes(report) == ({"note.join_dimensions"} if disagree else set())
    if disagree:  # the page decides: it is an error all the same
        assert "dimension_count.supported" in {c.id for c in report.errors}


@pytest.mark.parametrize("level", [level.value for level in LEVELS])
@pytest.mark.parametrize("kind", ["FLOAT64", "INT64", "FLOAT32"])
def test_the_tile_note_stands_exactly_for_doubles_from_4_1(level: str, kind: str) -> None:
    report = dml.check(dml.Tile(tensor(kind, 1, 1, 2, 2), (1, 1, 1, 2)), feature_level=level)
    noted = kind == "FLOAT64" and FeatureLevel.of(level) >= FeatureLevel.of("4_1")
    assert notes(report) == ({"note.tile_float64"} if noted else set())
    if kind == "FLOAT64":
        assert "dtype.supported" in {c.id for c in report.errors}


@pytest.mark.parametrize("level", [level.value for level in LEVELS])
def test_the_gather_note_stands_exactly_at_1_0_and_2_0(level: str) -> None:
    report = dml.check(dml.Gather(f32(1, 1, 3, 2), u32(1, 1, 1, 4), 2, 1), feature_level=level)
    assert notes(report) == ({"note.gather_shapes"} if level in ("1_0", "2_0") else set())
    assert report.ok


def test_other_operators_have_no_notes() -> None:
    for level in LEVELS:
        for desc in (
            dml.Split(tensor("FLOAT64", 2, 2), (tensor("FLOAT64", 2, 2),), 0),
            dml.ReverseSubsequences(tensor("FLOAT64", 2, 2), u32(2, 1), 1),
        ):
            assert not notes(dml.check(desc, feature_level=level))


# ---- index and length values ------------------------------------------------------------------------------------


def gathered(kind: str, picks: list[int]) -> dml.Report:
    """A check of indices into an axis of 3."""
    data = np.arange(6, dtype=np.float32).reshape(3, 2)
    indices: NDArray[Any] = np.array([picks], DataType[kind].dtype)
    return dml.check(dml.Gather(f32(3, 2), tensor(kind, 1, len(picks)), 0, 1), [data, indices])


@pytest.mark.parametrize("kind", ["UINT32", "UINT64"])
def test_an_unsigned_index_is_in_range_from_0_to_the_size(kind: str) -> None:
    report = gathered(kind, [0, 2, 3, 1, 0xFFFFFFFF])
    (warning,) = warnings(report)
    assert (warning.id, warning.field, warning.found) == ("values.index_range", "IndicesTensor[0,2]", 3)
    assert "2 of 5" in warning.message
    assert "IndicesTensor[0,2]" in warning.message
    assert "[0, 3)" in warning.message
    assert report.ok
    assert not notes(report)


def test_unsigned_ffffffff_is_out_of_range_and_not_minus_1() -> None:
    report = gathered("UINT32", [1, 0xFFFFFFFF])
    assert [(w.id, w.field, w.found) for w in warnings(report)] == [
        ("values.index_range", "IndicesTensor[0,1]", 0xFFFFFFFF)
    ]
    assert not notes(report)


@pytest.mark.parametrize("kind", ["INT32", "INT64"])
def test_a_negative_index_counts_from_the_end_and_is_noted(kind: str) -> None:
    report = gathered(kind, [0, -1, -3, 2])
    assert not warnings(report)
    assert notes(report) == {"note.negative_index"}
    (note,) = report.failures
    assert (note.field, note.found) == ("IndicesTensor[0,1]", -1)
    assert "2 of 4" in note.message
    assert "IndicesTensor[0,1] is 2" in note.message


@pytest.mark.parametrize("kind", ["INT32", "INT64"])
def test_a_signed_index_is_in_range_from_minus_the_size(kind: str) -> None:
    low, high = DataType[kind].integer_range
    report = gathered(kind, [0, -4, -3, 3, low, high])
    (warning,) = warnings(report)
    assert (warning.field, warning.found) == ("IndicesTensor[0,1]", -4)
    assert "4 of 6" in warning.message
    assert "[-3, 3)" in warning.message
    assert notes(report) == {"note.negative_index"}  # -3 alone is one that counts from the end


def test_indices_in_range_have_neither_warning_nor_note() -> None:
    report = gathered("INT64", [0, 1, 2])
    assert not report.failures
    assert "values.index_range" in evaluated(report)


def test_a_length_beyond_the_axis_acts_as_its_size() -> None:
    desc = dml.ReverseSubsequences(f32(2, 2, 3), u32(2, 2, 1), 2)
    lengths = np.array([[[3], [4]], [[0], [2**32 - 1]]], np.uint32)
    report = dml.check(desc, [np.zeros((2, 2, 3), np.float32), lengths])
    (warning,) = warnings(report)
    assert (warning.id, warning.field) == ("values.length_clamped", "SequenceLengthsTensor[0,1,0]")
    assert "2 of 4" in warning.message
    assert str(2**32 - 1) in warning.message
    assert report.ok
    fine = dml.check(desc, [np.zeros((2, 2, 3), np.float32), np.minimum(lengths, 3)])
    assert not fine.failures
    assert "values.length_clamped" in evaluated(fine)


def test_values_are_looked_at_only_where_they_are_given_and_the_desc_makes_sense() -> None:
    desc = dml.Gather(f32(3, 2), u32(1, 4), 0, 1)
    assert "values.index_range" not in evaluated(dml.check(desc))
    assert "values.index_range" not in evaluated(dml.check(desc, [None, None]))
    broken = dml.Gather(f32(3, 2), u32(1, 4), 2, 1)
    report = dml.check(broken, [None, np.full((1, 4), 9, np.uint32)])
    assert "values.index_range" not in evaluated(report)


def test_values_of_a_type_that_indices_and_lengths_cannot_have_do_no_harm() -> None:
    odd = np.array([np.nan, np.inf], np.float32)
    gather = dml.check(dml.Gather(f32(3), f32(2), 0, 1), [None, odd])
    assert errors(gather) == {("dtype.supported", "IndicesTensor.DataType")}
    reverse = dml.check(dml.ReverseSubsequences(f32(2, 3), f32(2, 1), 1), [None, odd.reshape(2, 1)])
    assert errors(reverse) == {("dtype.supported", "SequenceLengthsTensor.DataType")}
    small = np.full(2, 255, np.uint8)
    assert warnings(dml.check(dml.Gather(f32(3), tensor("UINT8", 2), 0, 1), [None, small]))
    assert not warnings(dml.check(dml.Gather(f32(300), tensor("UINT8", 2), 0, 1), [None, small]))


def test_values_are_checked_beside_what_else_is_broken() -> None:
    """SPEC section 4: all failures are reported together, and none hides another."""
    f32, i64 = dml.TensorDesc("FLOAT32", (3, 2)), dml.TensorDesc("INT64", (1, 3))
    x = np.zeros((3, 2), np.float32)
    wrong_output = dml.Gather(f32, i64, 0, 1, dml.TensorDesc("FLOAT32", (2, 2)))
    found = dml.check(wrong_output, [x, np.array([[-1, 2, 3]])])
    assert {c.id for c in found.failures} == {"gather.sizes", "values.index_range", "note.negative_index"}
    lengths = np.array([[9], [1], [1]], np.uint32)
    mixed = dml.ReverseSubsequences(f32, dml.TensorDesc("UINT32", (3, 1)), 1, dml.TensorDesc("FLOAT16", (3, 2)))
    assert {c.id for c in dml.check(mixed, [x, lengths]).failures} == {"dtype.equal", "values.length_clamped"}
    no_axis = dml.check(dml.Gather(f32, i64, 7, 1), [x, np.array([[-1, 2, 3]])])
    assert {c.id for c in no_axis.failures} == {"axis.range"}
    assert ("values.index_range", "axis.range") in {(w.id, w.on) for w in no_axis.waiting}


def test_the_odd_one_out_is_named() -> None:
    f32, f16 = dml.TensorDesc("FLOAT32", (2, 2)), dml.TensorDesc("FLOAT16", (2, 2))
    odd_output = dml.check(dml.Join([f32, f32, f32], 0, dml.TensorDesc("FLOAT16", (6, 2))))
    assert [c.field for c in odd_output.errors] == ["OutputTensor.DataType"]
    odd_input = dml.check(dml.Join([f32, f16, f32], 0))
    assert [(c.field, c.message) for c in odd_input.errors] == [
        ("InputTensors[1].DataType", "InputTensors[1].DataType is FLOAT16, expected FLOAT32 as InputTensors[0] has.")
    ]


def test_arrays_for_a_tensor_that_cannot_exist_hide_no_rule() -> None:
    desc = dml.Gather(dml.TensorDesc("FLOAT32", (3, -1)), dml.TensorDesc("UINT32", (1, 4)), 0, 1)
    found = dml.check(desc, [np.zeros((3, 2), np.float32), np.zeros((1, 4), np.uint32)])
    assert [c.id for c in found.errors] == ["sizes.positive"]
