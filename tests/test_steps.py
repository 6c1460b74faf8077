"""Steps by element, run, slice and whole, and what plays them: facts of the pure scene, held against the trace."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from conftest import Toy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from strategies import Case, cases

import dmlviz as dml
from dmlviz import library
from dmlviz.checks import Place, ravel, unravel
from dmlviz.descs import Role
from dmlviz.scene.figure import Cursor
from dmlviz.scene.player import SLOW, SPEEDS, WAYS, Phase, Player, position, step_at
from dmlviz.scene.steps import UNITS, Lit, Steps, Unit
from dmlviz.tracing import Trace
from dmlviz.values import Indices, Iota, Random

RELAXED = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
ANY_UNIT = st.sampled_from(UNITS)


def trace_of(case: Case) -> Trace:
    return dml.trace(case.desc, case.arrays)


def page(name: str) -> Trace:
    """The trace of an example's first experiment."""
    return library.example(name).session().experiments[0].trace()


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


def sources(trace: Trace, output: int) -> tuple[Indices, Indices]:
    """(input tensor, flat element) that each element of an output takes, one by one."""
    tensors, flats = [], []
    for index in zip(*(axis.tolist() for axis in all_of(trace, output)), strict=True):
        found = trace.source(output, index)
        tensors.append(found.tensor)
        flats.append(int(np.ravel_multi_index(found.index, trace.inputs[found.tensor].tensor.sizes)))
    return np.array(tensors), np.array(flats)


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
@given(cases(), ANY_UNIT, st.integers(0, 400))
def test_what_is_written_is_a_true_partial_result(case: Case, unit: Unit, step: int) -> None:
    """A buffer that is filled step by step from the inputs is, where it is written, the reference."""
    trace = trace_of(case)
    steps = Steps(trace, unit)
    step = min(step, steps.count)
    for k, part in enumerate(trace.outputs):
        made = np.zeros(part.tensor.sizes, part.tensor.data_type.dtype)
        is_there = np.zeros(part.tensor.element_count, bool)
        for n in range(1, step + 1):
            for cursor in cursors(steps, n):
                if cursor.place.number == k:
                    found = trace.source(k, cursor.index)
                    made[cursor.index] = case.arrays[found.tensor].reshape(trace.inputs[found.tensor].tensor.sizes)[
                        found.index
                    ]
                    is_there[np.ravel_multi_index(cursor.index, part.tensor.sizes)] = True
        written = steps.until(step)(k, all_of(trace, k))
        assert np.array_equal(written, is_there)
        both = made.reshape(-1)[written], trace.reference(k).reshape(-1)[written]
        assert both[0].tobytes() == both[1].tobytes()


@RELAXED
@given(cases(), ANY_UNIT, st.data())
def test_when_is_the_same_for_any_window(case: Case, unit: Unit, data: st.DataObject) -> None:
    steps = Steps(trace_of(case), unit)
    k = data.draw(st.integers(0, len(steps.trace.outputs) - 1))
    count = steps.trace.outputs[k].tensor.element_count
    some = np.array(data.draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=9)), np.int64)
    window = unravel(some, steps.trace.outputs[k].tensor.sizes)
    assert np.array_equal(steps.when(k, window), numbers(steps)[k][some])


@RELAXED
@given(cases())
def test_a_run_is_contiguous_in_the_output_and_in_one_input(case: Case) -> None:
    trace = trace_of(case)
    for k, when in enumerate(numbers(Steps(trace, Unit.RUN))):
        tensor, flat = sources(trace, k)
        assert (np.diff(when) >= 0).all()  # contiguous in the output
        inside = np.diff(when) == 0
        assert (np.diff(tensor)[inside] == 0).all()
        assert (np.diff(flat)[inside] == 1).all()


@RELAXED
@given(cases())
def test_neighbouring_runs_that_could_be_one_differ_in_identity(case: Case) -> None:
    trace = trace_of(case)
    name, desc = trace.operator.name, case.desc
    if name == "GATHER" and desc.input_tensor.sizes[desc.axis] == 1:
        return  # the same slice over and over
    if name == "REVERSE_SUBSEQUENCES" and len(np.unique(case.arrays[1])) > 1:
        return  # cut as the longest sequence needs
    for k, when in enumerate(numbers(Steps(trace, Unit.RUN))):
        tensor, flat = sources(trace, k)
        identity = trace.identity(Place(True, k), all_of(trace, k))
        cut = np.diff(when) > 0
        could = (np.diff(tensor) == 0) & (np.diff(flat) == 1)
        assert (np.diff(identity)[cut & could] != 0).all()


@RELAXED
@given(cases())
def test_a_slice_is_one_tensor_part_index_sequence_or_copy(case: Case) -> None:
    trace, desc = trace_of(case), case.desc
    steps = Steps(trace, Unit.SLICE)
    owners: list[Any] = []  # of each output element, from the desc's own numbers
    for k in range(len(trace.outputs)):
        for index in zip(*(axis.tolist() for axis in all_of(trace, k)), strict=True):
            found = trace.source(k, index)
            owners.append(
                {
                    "JOIN": lambda found=found: found.tensor,
                    "SPLIT": lambda k=k: k,
                    "GATHER": lambda found=found: found.via.index,
                    "REVERSE_SUBSEQUENCES": lambda found=found: found.via.index,
                    "TILE": lambda index=index: tuple(
                        i // n for i, n in zip(index, desc.input_tensor.sizes, strict=True)
                    ),
                }[trace.operator.name]()
            )
    when = np.concatenate(numbers(steps)).tolist()
    pairs = set(zip(owners, when, strict=True))
    assert len(pairs) == len(set(owners)) == steps.count


@RELAXED
@given(cases())
def test_by_whole_there_is_one_step_and_by_element_as_many_as_elements(case: Case) -> None:
    trace = trace_of(case)
    total = sum(p.tensor.element_count for p in trace.outputs)
    assert Steps(trace, Unit.WHOLE).count == 1
    assert Steps(trace).count == total
    counts = [Steps(trace, unit).count for unit in UNITS]
    assert counts[0] >= counts[1] >= 1
    assert counts[0] >= counts[2] >= counts[3]


@pytest.mark.parametrize(
    ("name", "runs", "slices"),
    [
        ("gather-2", [2, 2, 2, 2], [2, 2, 2, 2]),
        ("join-2-axis-2", None, None),
        ("reverse-1", None, None),
        ("tile-1", None, None),
    ],
)
def test_the_pages_examples_by_run_and_by_slice(name: str, runs: list[int] | None, slices: list[int] | None) -> None:
    trace = page(name)
    for unit, want in ((Unit.RUN, runs), (Unit.SLICE, slices)):
        steps = Steps(trace, unit)
        print(name, trace.desc, unit, np.bincount(np.concatenate(numbers(steps)))[1:].tolist())
        if want is not None:
            assert np.bincount(np.concatenate(numbers(steps)))[1:].tolist() == want
