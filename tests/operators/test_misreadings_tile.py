"""Wrong rules about TILE, each held against NumPy's own function that does what its holder believes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.effort import tried
from support.misreadings import (
    Arrays,
    Oracle,
    all_hold,
    distinct,
    prove_outputs,
    prove_verdict,
    rules_of,
    source_at,
    told,
)

import dmlviz as dml
from dmlviz.desc.values import Filled, Iota
from dmlviz.operators.maps import Reader
from dmlviz.tracing import Trace

RULES = rules_of(dml.Tile)


def f32(*sizes: int) -> dml.TensorDesc:
    return dml.TensorDesc("FLOAT32", sizes)


def traced(sizes: tuple[int, ...], repeats: tuple[int, ...]) -> Trace:
    desc = dml.Tile(f32(*sizes), repeats)
    return dml.trace(desc, [distinct(desc.input_tensor)])


@st.composite
def tiles(draw: st.DrawFn) -> Trace:
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    repeats = draw(st.lists(st.integers(1, 3), min_size=len(sizes), max_size=len(sizes)))
    return traced(tuple(sizes), tuple(repeats))


def repeated(desc: dml.Tile, arrays: Arrays) -> Arrays:
    (x,) = arrays
    for axis, r in enumerate(desc.repeats):
        x = np.repeat(x, r, axis)
    return [x]


def mirrored(desc: dml.Tile, arrays: Arrays) -> Arrays:
    (x,) = arrays
    for axis, r in enumerate(desc.repeats):
        x = np.concatenate([np.flip(x, axis) if copy % 2 else x for copy in range(r)], axis)
    return [x]


def end_to_end(desc: dml.Tile, arrays: Arrays) -> Arrays:
    return [np.resize(arrays[0], [n * r for n, r in zip(arrays[0].shape, desc.repeats, strict=True)])]


ORACLES: dict[str, Oracle] = {"T1": repeated, "T5": mirrored, "T6": end_to_end}


@tried(400)
@given(tiles())
def test_a_rule_differs_just_where_its_outputs_do(trace: Trace) -> None:
    all_hold(RULES, trace)
    for name, oracle in ORACLES.items():
        prove_outputs(RULES[name], trace, oracle)


@tried(200)
@given(tiles())
def test_sizes_on_top_and_sizes_wanted(trace: Trace) -> None:
    sizes, repeats = trace.inputs[0].tensor.sizes, trace.desc.repeats  # type: ignore[attr-defined]
    pairs = list(zip(sizes, repeats, strict=True))
    wanted = {"T2": [n + n * r if r > 1 else n for n, r in pairs], "T4": [r if r > 1 else n for n, r in pairs]}
    for name, want in wanted.items():
        found = told(RULES[name], trace)
        assert found is not None
        assert found.source is None
        assert found.sizes == (tuple(want),)


@tried(200)
@given(tiles())
def test_reads_are_added_where_they_multiply(trace: Trace) -> None:
    rule, counted = RULES["T7"], trace.counts(0, tuple(np.zeros(1, np.int64) for _ in trace.inputs[0].tensor.sizes))
    assert rule.reads is not None
    found = rule.reads(trace.desc, trace.read, 0, (0,) * len(trace.inputs[0].tensor.sizes))
    factors = [r for r in trace.desc.repeats if r > 1]  # type: ignore[attr-defined]
    assert found == (sum(factors) if factors else 1)
    assert rule.differs(trace.desc, trace.read) == (found != counted[0])


@st.composite
def perhaps_broken(draw: st.DrawFn) -> dml.Tile:
    """Repeats of any number, sizes of any kind, at times another thing broken too."""
    sizes = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    count = draw(st.sampled_from([len(sizes), len(sizes), len(sizes) - 1, len(sizes) + 1, 1]))
    repeats = tuple(draw(st.lists(st.integers(draw(st.sampled_from([1, 1, 0])), 3), min_size=count, max_size=count)))
    ones = (1,) * (len(sizes) - count)
    padded = draw(st.sampled_from([ones + repeats, repeats + ones]))
    whole = [n * max(1, r) for n, r in zip(sizes, padded, strict=False)]
    kind = draw(st.sampled_from(["FLOAT32", "FLOAT32", "FLOAT32", "INT8"]))
    output = dml.TensorDesc(kind, [max(1, n - draw(st.sampled_from([0, 0, 0, 1, 2, -1]))) for n in whole])
    given_count = draw(st.sampled_from([None, None, None, len(sizes)]))
    return dml.Tile(f32(*sizes), repeats, draw(st.sampled_from([output, output, None])), given_count)


@tried(400)
@given(perhaps_broken())
def test_a_rule_of_the_verdict_differs_just_where_the_verdict_does(desc: dml.Tile) -> None:
    read = Reader([Filled(desc.input_tensor, Iota(1, 1))])
    for name in ("T3", "T8"):
        prove_verdict(RULES[name], desc, read)
        assert RULES[name].says(desc, read)


@pytest.mark.parametrize(
    ("sizes", "repeats", "output", "passes"),
    [
        ((2, 3), (2,), (2, 6), True),  # 1s in front
        ((2, 3), (2,), (4, 3), True),  # or behind
        ((2, 3), (2,), None, True),
        ((2, 3), (2,), (2, 5), False),
        ((3,), (1, 2), (6,), False),  # too many are no matter of filling up
        ((2, 3), (2, 2), None, False),
    ],
)
def test_repeats_are_padded_on_either_side(
    sizes: tuple[int, ...], repeats: tuple[int, ...], output: tuple[int, ...] | None, passes: bool
) -> None:
    desc = dml.Tile(f32(*sizes), repeats, f32(*output) if output else None)
    rule, read = RULES["T3"], Reader([])
    assert rule.accepts is not None
    assert bool(rule.accepts(desc, read)) == passes
    assert rule.differs(desc, read) == passes


@pytest.mark.parametrize(("size", "passes"), [(0, False), (1, True), (6, True), (8, True), (9, True), (10, False)])
def test_the_last_copies_may_be_cut(size: int, passes: bool) -> None:
    desc, rule = dml.Tile(f32(2, 3), (1, 3), f32(2, size)), RULES["T8"]
    assert rule.accepts is not None
    assert bool(rule.accepts(desc, Reader([]))) == passes
    assert rule.differs(desc, Reader([])) == (passes and size != 9)


def test_a_huge_tile_costs_what_is_asked() -> None:
    desc = dml.Tile(dml.TensorDesc("INT8", (255, 65535)), (257, 1))
    read = Reader([Filled(desc.input_tensor, Iota(1, 1))])
    assert {source_at(RULES[name], desc, read, (65534, 65534)) for name in ORACLES} == {(0, 254, 65534)}
    own = [name for name in RULES if name.startswith("T")]
    assert [name for name in own if RULES[name].differs(desc, read)] == ["T1", "T2", "T4", "T5"]
