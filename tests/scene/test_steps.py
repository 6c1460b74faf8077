"""Steps by element, run, slice and whole, and what plays them: facts of the pure scene, held against the trace."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st
from operator_kit.finding import cases_of
from support.effort import tried
from support.shipped import shipped
from support.strategies import PADDED, Case, cases

import dmlviz as dml
from dmlviz.desc.fields import Role
from dmlviz.desc.indexing import unravel
from dmlviz.desc.values import Indices
from dmlviz.operators.maps import NOWHERE, Place
from dmlviz.scene.elements.cursor import Cursor, flat_of
from dmlviz.scene.memory.runs import run_around, run_of
from dmlviz.scene.steps.order import UNITS, Lit, Steps, Unit
from dmlviz.scene.steps.player import SLOW, SPEEDS, WAYS, Phase, Player
from dmlviz.tracing import Trace

RELAXED = tried(60, suppress_health_check=list(HealthCheck))
ANY_UNIT = st.sampled_from([*Unit])


def trace_of(case: Case) -> Trace:
    return dml.trace(case.desc, case.arrays)


def all_of(trace: Trace, output: int) -> tuple[Indices, ...]:
    tensor = trace.outputs[output].tensor
    return unravel(np.arange(tensor.element_count, dtype=np.int64), tensor.sizes)


def numbers(steps: Steps) -> list[Indices]:
    """The step of each element, output by output, flat."""
    return [steps.when(k, all_of(steps.trace, k)) for k in range(len(steps.trace.outputs))]


def cursors(steps: Steps, step: int) -> list[Cursor]:
    """What a step writes, by `when` alone."""
    found = []
    for k, when in enumerate(numbers(steps)):
        rows = zip(*(axis[when == step].tolist() for axis in all_of(steps.trace, k)), strict=True)
        found += [Cursor(Place(True, k), index) for index in rows]
    return found


def ravelled(index: tuple[int, ...], sizes: tuple[int, ...]) -> int:
    return int(np.ravel_multi_index(index, sizes))


def sources(trace: Trace, output: int) -> tuple[Indices, Indices]:
    """(input tensor, flat element) that each element of an output takes, one by one; (NOWHERE, 0) for a constant."""
    tensors, flats = [], []
    for index in zip(*(axis.tolist() for axis in all_of(trace, output)), strict=True):
        found = trace.source(output, index)
        tensors.append(found.tensor)
        flats.append(0 if found.nowhere else ravelled(found.index, trace.inputs[found.tensor].tensor.sizes))
    return np.array(tensors), np.array(flats)


def owner(trace: Trace, desc: Any, cursor: Cursor) -> tuple[int, ...]:
    """What an output element of a shipped operator belongs to, from the desc's own numbers."""
    found = trace.source(cursor.place.number, cursor.index)
    if trace.operator.name in ("GATHER", "GATHER_ELEMENTS", "REVERSE_SUBSEQUENCES"):
        assert found.via is not None
        return found.via.index
    if trace.operator.name == "TILE":
        return tuple(i // n for i, n in zip(cursor.index, desc.input_tensor.sizes, strict=True))
    if trace.operator.name.startswith("PADDING"):
        ends = zip(cursor.index, desc.start_padding, desc.input_tensor.sizes, strict=True)
        return tuple((i >= start) + (i >= start + size) for i, start, size in ends)
    if trace.operator.name == "SLICE1":  # a position along the axis its colours follow
        return tuple(cursor.index[d] for d in trace.operator.identity_axes(desc, cursor.place))
    return found.tensor, cursor.place.number  # one of them is always 0


# ---- the order of steps


@RELAXED
@given(cases(), ANY_UNIT)
def test_steps_part_all_outputs_and_none_is_empty(case: Case, unit: Unit) -> None:
    steps = Steps(trace_of(case), unit)
    found = np.concatenate(numbers(steps))
    assert np.array_equal(np.unique(found), np.arange(1, steps.count + 1))
    starts = [int(when[0]) for when in numbers(steps)]
    assert starts == sorted(starts)


@RELAXED
@given(cases(), ANY_UNIT)
def test_a_group_is_what_its_step_writes(case: Case, unit: Unit) -> None:
    trace = trace_of(case)
    steps = Steps(trace, unit)
    taken = [sources(trace, k) for k in range(len(trace.outputs))]
    for step in range(1, steps.count + 1):
        group, want = steps.group(step), cursors(steps, step)
        assert group is not None
        assert group.elements(0, group.count) == want
        assert group.count == len(want)
        assert steps.element(step) == want[0]
        assert steps.step_of(want[0]) == step
        links = group.links(0, group.count)
        for i, cursor in enumerate(want):
            k, sizes = cursor.place.number, trace.outputs[cursor.place.number].tensor.sizes
            flat = int(np.ravel_multi_index(cursor.index, sizes))
            assert (links.output[i], links.flat[i]) == (k, flat)
            assert (links.tensor[i], links.source[i]) == (taken[k][0][flat], taken[k][1][flat])
        half = group.count // 2
        assert group.elements(half, half + 3) == want[half : half + 3]
    assert steps.element(0) is None
    assert steps.group(0) is None


@RELAXED
@given(cases())
def test_a_run_is_contiguous_in_the_output_and_in_one_input(case: Case) -> None:
    trace = trace_of(case)
    for k, when in enumerate(numbers(Steps(trace, Unit.RUN))):
        tensor, flat = sources(trace, k)
        assert (np.diff(when) >= 0).all()  # contiguous in the output
        inside = np.diff(when) == 0
        assert (np.diff(tensor)[inside] == 0).all()
        assert (np.diff(flat)[inside] == (tensor[1:] != NOWHERE)[inside]).all()


@RELAXED
@given(cases())
def test_copies_are_the_fewest_that_memory_needs(case: Case) -> None:
    trace = trace_of(case)
    steps = Steps(trace, Unit.COPY)
    for k, when in enumerate(numbers(steps)):
        tensor, flat = sources(trace, k)
        goes_on = (np.diff(tensor) == 0) & (np.diff(flat) == (tensor[1:] != NOWHERE))
        assert np.array_equal(np.diff(when), ~goes_on)
    for step in range(1, steps.count + 1):
        group, cursor = steps.group(step), steps.element(step)
        assert group is not None
        assert cursor is not None
        assert run_of(trace, cursor)[:2] == (flat_of(trace, cursor), group.count)
        # While they are shown, each is told whole, though what comes after it is not known.
        assert run_around(trace, cursor, steps.until(step)) == run_of(trace, cursor)


@RELAXED
@given(st.one_of([cases_of(kind).cases() for kind in shipped()]))
@example(PADDED)
def test_a_slice_is_one_tensor_part_index_sequence_or_copy(case: Case) -> None:
    trace, desc = trace_of(case), case.desc
    steps = Steps(trace, Unit.SLICE)
    owners = [owner(trace, desc, cursor) for step in range(1, steps.count + 1) for cursor in cursors(steps, step)]
    when = [step for step in range(1, steps.count + 1) for _ in cursors(steps, step)]
    pairs = set(zip(owners, when, strict=True))
    assert len(pairs) == len(set(owners)) == steps.count


# ---- any size


def giants() -> dict[str, Trace]:
    huge = dml.TensorDesc("INT8", (65535, 65537))
    half = dml.TensorDesc("INT8", (32767, 65537))
    other = dml.TensorDesc("INT8", (32768, 65537))
    indices = dml.TensorDesc("UINT32", (1, 2**16 - 1))
    descs = {
        "join": dml.Join((half, other), 0),
        "split across": dml.Split(
            huge, (dml.TensorDesc("INT8", (65535, 1)), dml.TensorDesc("INT8", (65535, 65536))), 1
        ),
        "reverse many": dml.ReverseSubsequences(
            dml.TensorDesc("INT8", (2**24, 255, 1)), dml.TensorDesc("UINT32", (2**24, 1, 1)), 1
        ),
        "gather": dml.Gather(dml.TensorDesc("INT8", (9, 65537)), indices, 0, 1),
        "tile both": dml.Tile(dml.TensorDesc("INT8", (3, 5)), (21845, 13107)),
    }
    return {name: dml.trace(desc) for name, desc in descs.items()}


@pytest.mark.parametrize("unit", UNITS)
def test_steps_of_giants_cost_what_a_window_does(unit: Unit) -> None:
    for name, trace in giants().items():
        steps = Steps(trace, unit)
        if name != "reverse many" or unit is not Unit.RUN:  # its lengths are scanned once
            tracemalloc.start()
        count = steps.count
        for step in sorted({min(max(1, n), count) for n in (1, 2, count // 3, count - 1, count)}):
            element, group = steps.element(step), steps.group(step)
            assert element is not None
            assert group is not None
            assert steps.step_of(element) == step, name
            last = group.elements(group.count - 1, group.count)
            assert [steps.step_of(each) for each in last] == [step]
            assert len(group.links(0, 4).source) == min(4, group.count)
            sizes = trace.outputs[element.place.number].tensor.sizes
            ends = zip(element.index, sizes, strict=True)
            window = tuple(np.minimum(np.arange(i, i + 3000), n - 1) for i, n in ends)
            written = steps.until(step)(element.place.number, window)
            assert written[0]
            lit = steps.lit(step)
            if lit is not None:
                flat = np.arange(3000, dtype=np.int64)
                assert lit(element.place, flat).dtype == bool
        if tracemalloc.is_tracing():
            assert tracemalloc.get_traced_memory()[1] < 4 << 20, name
            tracemalloc.stop()


# ---- what a step lights


@RELAXED
@given(cases(), st.sampled_from([Unit.RUN, Unit.SLICE]), st.integers(1, 400))
@example(PADDED, Unit.RUN, 1)
@example(PADDED, Unit.RUN, 2)
def test_a_step_lights_its_elements_its_sources_and_what_sends_them(case: Case, unit: Unit, step: int) -> None:
    trace = trace_of(case)
    steps = Steps(trace, unit)
    step = min(step, steps.count)
    lit = steps.lit(step)
    assert lit is not None
    written = cursors(steps, step)
    want, taken = set(written), set()
    for cursor in written:
        found = trace.source(cursor.place.number, cursor.index)
        if not found.nowhere:
            taken.add(Cursor(Place(False, found.tensor), found.index))
        if found.via is not None:
            want.add(Cursor(Place(False, found.via.tensor), found.via.index))
    assert marked(trace, lit) == want | taken
    # At first the sources alone, then what sends them, then the destination.
    early = steps.lit(step, vias=False, outputs=False)
    assert early is not None
    assert marked(trace, early) == taken
    assert all(trace.inputs[c.place.number].field.role is Role.DATA for c in taken)
    assert steps.lit(0) is None


def marked(trace: Trace, lit: Lit) -> set[Cursor]:
    found = set()
    for is_output, parts in ((True, trace.outputs), (False, trace.inputs)):
        for k, part in enumerate(parts):
            place, sizes = Place(is_output, k), part.tensor.sizes
            flat = np.arange(part.tensor.element_count, dtype=np.int64)
            at = unravel(flat, sizes)
            here = lit(place, flat)
            rows = zip(*(axis[here].tolist() for axis in at), strict=True)
            found |= {Cursor(place, index) for index in rows}
    return found


# ---- playing


def player_of(unit: Unit, step: int | None, steps: Steps) -> Player:
    return Player(unit=unit, step=None if step is None else min(step, steps.count))


@RELAXED
@given(cases(), ANY_UNIT, ANY_UNIT, st.none() | st.integers(0, 400))
def test_another_unit_keeps_the_place(case: Case, one: Unit, other: Unit, step: int | None) -> None:
    trace = trace_of(case)
    steps, new = Steps(trace, one), Steps(trace, other)
    before = player_of(one, step, steps)
    after = before.in_unit(other, trace)
    assert after.unit is other
    if before.step in (None, 0):
        assert after.step == before.step
    elif before.step == steps.count:
        assert after.step == new.count
    else:
        element, group = steps.element(before.now(steps.count)), new.group(after.now(new.count))
        assert group is not None
        assert element in group.elements(0, group.count)


@given(
    st.integers(1, 2**32 - 1),
    st.sampled_from(SPEEDS),
    st.floats(0, 1),
    st.lists(st.floats(0, 70), min_size=1, max_size=20),
)
def test_what_plays_follows_from_the_time_alone(count: int, seconds: float, start: float, times: list[float]) -> None:
    player = Player(seconds=seconds, step=int(start * count)).played(100.0, count)
    assert player.playing
    seen = []
    for time in sorted(times):
        at = player.ticked(100.0 + time, count)
        step = at.now(count)
        assert at.playing == (player.began is not None and 100.0 + time - player.began < seconds)
        assert 1 <= step <= count
        assert at.written(count) == step - (at.phase is not Phase.DONE)
        assert (at.way is None) == (at.phase in (Phase.SOURCE, Phase.RULE)) or seconds / count >= SLOW
        if seconds / count < SLOW:
            assert at.phase is Phase.DONE
        seen.append((step, at.phase, at.way or 0))
        # The ticks before don't matter.
        assert player.ticked(100.0 + time / 2, count).ticked(100.0 + time, count) == at
    assert [step for step, *_ in seen] == sorted(step for step, *_ in seen)
    over = player.ticked(100.0 + seconds + 0.001, count)
    assert (over.playing, over.step, over.phase, over.way) == (False, count, Phase.DONE, WAYS)
