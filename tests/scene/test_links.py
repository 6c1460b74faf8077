"""Links both ways and three ways, runs of memory, what is said of elements: by coordinate and by real keys."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st
from support.effort import tried
from support.scenes import ROOMS, elements, figures, into, out, picture
from support.strategies import LONG_PADDED, PADDED, Case, cases

import dmlviz as dml
from dmlviz.desc.fields import Role
from dmlviz.formats.page_text import short_number
from dmlviz.operators.checking import check
from dmlviz.operators.maps import COUNTING, NOWHERE, Place
from dmlviz.operators.scans import SCAN
from dmlviz.scene.cells.cells import cells_of
from dmlviz.scene.cells.contents import NOWHERE_SIGN, contents_of
from dmlviz.scene.elements.cursor import Cursor, flat_of
from dmlviz.scene.elements.partners import partners
from dmlviz.scene.look import Look
from dmlviz.scene.memory import HEIGHT
from dmlviz.scene.memory.runs import Run, run_of
from dmlviz.scene.memory.strip import Memory
from dmlviz.scene.view_state import scan, view_state_of
from dmlviz.scene.words.formulas import tallest, terms, wrapped
from dmlviz.session.experiments import Experiment
from dmlviz.tracing import Trace

RELAXED = tried(50, suppress_health_check=list(HealthCheck))
GIANT = dml.TensorDesc("INT8", (65535, 65535))
MANY = 2**16 + 1
"""More indices than are sorted within a frame."""


def everything(trace: Trace) -> list[Cursor]:
    """Every element of a trace, on both sides."""
    return [
        Cursor(Place(is_output, k), index)
        for is_output, parts in ((False, trace.inputs), (True, trace.outputs))
        for k, part in enumerate(parts)
        for index in product(*map(range, part.tensor.sizes))
    ]


def belonging(trace: Trace, cursor: Cursor) -> set[Cursor]:
    """The element and all that belongs to it, from `Trace.source` of every output element alone."""
    links: dict[Cursor, set[Cursor]] = {}
    for k, part in enumerate(trace.outputs):
        for index in product(*map(range, part.tensor.sizes)):
            found = trace.source(k, index)
            both = (None if found.nowhere else found, found.via)
            links[Cursor(Place(True, k), index)] = {Cursor(Place(False, e.tensor), e.index) for e in both if e}
    if cursor.place.is_output:
        return {cursor, *links[cursor]}
    readers = {output for output, both in links.items() if cursor in both}
    others = {each for reader in readers for each in links[reader]}
    role = trace.inputs[cursor.place.number].field.role
    roles = {each: trace.inputs[each.place.number].field.role for each in others}
    thirds = {each for each, other in roles.items() if (other is Role.DATA) != (role is Role.DATA)}
    return {cursor, *readers, *thirds}


def is_filled(trace: Trace, cursor: Cursor) -> bool:
    return cursor.place.is_output and trace.source(cursor.place.number, cursor.index).nowhere


@RELAXED
@given(cases(), ROOMS, st.integers(0, 999))
@example(PADDED, (40, 10), 0)
@example(LONG_PADDED, (40, 10), 15)
def test_marks_are_exactly_what_belongs_to_the_cursor(case: Case, room: tuple[int, int], number: int) -> None:
    scene = picture(case, room)
    trace, every = scene.trace, everything(scene.trace)
    cursor = every[number % len(every)]
    want, links = belonging(trace, cursor), partners(trace, cursor)
    for _, figure in figures(scene):
        indices = elements(figure)
        contents = contents_of(
            trace, figure.place, tuple(np.array(axis, np.int64) for axis in zip(*indices, strict=True))
        )
        marked = [cell.is_marked for cell in cells_of(contents, Look(cursor), links).every]
        assert marked == [Cursor(figure.place, each) in want for each in indices]


# ---- runs


def slow_run(trace: Trace, cursor: Cursor) -> tuple[int, int]:
    """The run around an output's element, one element at a time; one constant that fills neighbours is a run too."""
    k, sizes = cursor.place.number, trace.outputs[cursor.place.number].tensor.sizes

    def address(flat: int) -> tuple[int, int]:
        found = trace.source(k, tuple(int(i) for i in np.unravel_index(flat, sizes)))
        if found.nowhere:
            return NOWHERE, flat  # where it stands itself: it goes on wherever its neighbour is filled too
        return found.tensor, int(np.ravel_multi_index(found.index, trace.inputs[found.tensor].tensor.sizes))

    def linked(flat: int) -> bool:
        (tensor, here), (other, before) = address(flat), address(flat - 1)
        return tensor == other and here == before + 1

    flat = flat_of(trace, cursor)
    start, stop = flat, flat + 1
    while start > 0 and linked(start):
        start -= 1
    while stop < trace.outputs[k].tensor.element_count and linked(stop):
        stop += 1
    return start, stop - start


@RELAXED
@given(cases(), st.sets(st.integers(0, 999), min_size=1, max_size=4))
@example(PADDED, {0, 4, 5, 6, 8, 15})
def test_a_run_is_as_long_as_sources_lie_side_by_side(case: Case, some: set[int]) -> None:
    trace = dml.trace(case.desc, case.arrays)
    outputs = [cursor for cursor in everything(trace) if cursor.place.is_output]
    for cursor in (outputs[number % len(outputs)] for number in some):
        assert run_of(trace, cursor) == Run(*slow_run(trace, cursor))


@pytest.mark.parametrize(
    ("desc", "at", "want"),
    [
        (dml.Join([dml.TensorDesc("INT8", (n, 65535)) for n in (32767, 32768)], 0), (32767, 5), (32767, 32768)),
        (dml.Split(GIANT, [GIANT], 1), (9, 9), (0, 65535)),
        (dml.Tile(dml.TensorDesc("INT8", (255, 65535)), (257, 1)), (255, 0), (255, 255)),
        (dml.Gather(GIANT, dml.TensorDesc("UINT32", (1, 65535)), 0, 1), (7, 7), (0, 65535)),
    ],
    ids=["join", "split", "tile", "gather"],
)
def test_the_runs_of_giants_are_found_by_their_blocks(desc: Any, at: tuple[int, int], want: tuple[int, int]) -> None:
    """In rows of 65,535 elements."""
    row, rows = want
    assert run_of(dml.trace(desc), out(*at)) == Run(row * 65535, rows * 65535)


def test_a_run_beyond_the_horizon_says_so() -> None:
    desc = dml.Join([dml.TensorDesc("INT8", (n,)) for n in (2**31 - 1, 2**31)], 0)
    trace = dml.trace(desc)
    found = run_of(trace, out(2**30))
    assert not found.whole
    assert found.length > 30_000
    text = "".join(span.text for span in Memory(trace, out(2**30), 100).headline)
    assert f"at least {found.length:,} elements" in text
    near = run_of(trace, out(5))
    assert near.start == 0
    assert not near.whole


# ---- the memory strip


def texts(memory: Memory, look: Look | None = None) -> list[str]:
    return ["".join(span.text for span in line) for line in memory.lines(look or Look())]


@RELAXED
@given(cases(), st.integers(44, 160), st.integers(0, 999))
@example(PADDED, 100, 4)
@example(PADDED, 44, 15)
def test_the_strip_shows_memory_around_the_element_and_its_run(case: Case, width: int, chosen: int) -> None:
    trace = dml.trace(case.desc, case.arrays)
    cursor = everything(trace)[chosen % len(everything(trace))]
    memory = Memory(trace, cursor, width)
    lines = memory.lines(Look(cursor))
    belonging_to_cursor = {cursor, *(each for each in memory.pair if each is not None)}
    if not cursor.place.is_output:
        found = trace.destinations(cursor.place.number, cursor.index)
        belonging_to_cursor |= {Cursor(Place(True, each.output), each.index) for each in found}
        if len(found) > 1:
            assert width < 110 or f"the first of {len(found):,}" in texts(memory)[0]
    assert len(lines) == HEIGHT
    assert all(len(text) <= width for text in texts(memory)), texts(memory)
    for number, row in enumerate(memory.rows):
        y = 1 + 2 * number
        if row is None:
            words = "".join(span.text for span in lines[y]).split()
            if is_filled(trace, cursor):  # the constant stands where its source would
                assert trace.operator.constant_path.startswith(words[0].rstrip("…"))
                assert words[1:] == [NOWHERE_SIGN, short_number(trace.constant(cursor.place.number))]
                assert not any(memory.hit(x, y) for x in range(width))
            else:
                assert not words
            continue
        drawn = [(char, span.style) for span in lines[y] for char in span.text]
        assert row.flat in row.shown
        hits = {x: memory.hit(x, y) for x in range(-1, width + 2)}
        assert len({hit for hit in hits.values() if hit is not None}) == len(row.shown)
        for x, hit in hits.items():
            if hit is None:
                continue
            assert hit.place == row.cursor.place
            assert drawn[x][1].marked == (hit in belonging_to_cursor)
            assert drawn[x][1].kind in (("nowhere",) if is_filled(trace, hit) else ("cell", "unread"))
            flat = flat_of(trace, hit)
            if row.run is not None:  # a bracket below every cell of the run, and below no other
                under = texts(memory)[y + 1].ljust(width)[x]
                assert (under in "╰─╯◂▸") == (row.run[0] <= flat < sum(row.run))
        before, behind = row.shown.start, row.part.tensor.element_count - row.shown.stop
        said = "".join(char for char, _ in drawn)
        assert (f"◂{before}" in said) == (before > 0)
        assert (f"{behind}▸" in said) == (behind > 0)
    source, output = memory.rows
    if is_filled(trace, cursor):
        assert source is None
        assert output is not None
        assert output.run is not None
        assert f"filled run of {output.run[1]:,} element" in texts(memory)[0]
    if source is not None and source.run is not None:
        assert output is not None
        assert output.run is not None
        item = output.part.tensor.data_type.item_size
        assert f"run of {output.run[1]:,} element" in texts(memory)[0]
        if width >= 80:
            begin, end = f"{source.run[0] * item:,}", f"{output.run[0] * item:,}"
            said = texts(memory)[0]
            assert f"= {output.run[1] * item:,} byte" in said
            assert f"byte {begin} → {end}" in said or f"input byte {begin} → output byte {end}" in said


# ---- counting behind the screen


def in_a_hurry(count: int, values: Any = None) -> tuple[Experiment, Any]:
    desc = dml.Gather(dml.TensorDesc("INT8", (5, 2)), dml.TensorDesc("INT32", (1, count)), 0, 1)
    return Experiment("many", desc, values=values or {}), desc


def test_a_trace_in_a_hurry_counts_when_it_is_told_to() -> None:
    experiment, desc = in_a_hurry(MANY)
    shown = view_state_of(experiment)
    hurried, patient = shown.trace, dml.trace(desc)
    assert hurried is not None
    at = tuple(np.array([i], np.int64) for i in (1, 1))
    assert shown.waits
    assert [w.id for w in shown.report.waiting if w.on == SCAN] == ["values.index_range"]
    assert hurried.counts(0, at).tolist() == [COUNTING]
    assert not hurried.destinations(0, (1, 1)).counted
    assert hurried.source(0, (7, 1)) == patient.source(0, (7, 1))  # sources need no scan
    assert "counting" in "".join(text for term in terms(hurried, into(1, 1)) for text, _ in term)
    assert "counting" in texts(Memory(hurried, into(1, 1), 90))[0]
    whole_report = scan(shown)
    assert not whole_report.waiting
    assert whole_report == check(desc, experiment.sources(), experiment.feature_level)
    assert hurried.counts(0, at).tolist() == patient.counts(0, at).tolist() == [MANY // 5 + 1]
    assert hurried.destinations(0, (1, 1))[:50] == patient.destinations(0, (1, 1))[:50]
    again = view_state_of(replace_level(experiment), shown)
    assert not again.waits  # neither counts nor rules are worked out anew for an edit that leaves the values
    assert again.trace is hurried


def replace_level(experiment: Experiment) -> Experiment:
    return Experiment("many", experiment.desc, dml.FeatureLevel.of("4_1"))


# ---- formulas


@RELAXED
@given(cases(), st.integers(30, 120), st.data())
def test_a_formula_loses_nothing_when_it_is_wrapped(case: Case, width: int, data: st.DataObject) -> None:
    trace = dml.trace(case.desc, case.arrays)
    cursor = data.draw(st.sampled_from(everything(trace)))
    found = terms(trace, cursor)
    lines = wrapped(found, width)
    assert all(sum(len(text) for text, _ in line) <= width for line in lines)
    flat = "".join(text for term in found for text, _ in term)
    assert "".join("".join(text for text, _ in line) for line in lines).replace(" ", "") == flat.replace(" ", "")
    kinds = {kind for term in found for _, kind in term}
    assert {"output", "value"} <= kinds
    if cursor.place.is_output:
        source = trace.source(cursor.place.number, cursor.index)
        assert ("clamped" in flat) == source.clamped
        assert ("negative" in flat) == source.negative
    else:
        count = len(trace.destinations(cursor.place.number, cursor.index))
        assert f"×{count:,}" in flat
        if count and trace.inputs[cursor.place.number].field.role is Role.DATA:
            vias = [
                trace.source(d.output, d.index).via for d in trace.destinations(cursor.place.number, cursor.index)[:3]
            ]
            for via in vias:
                assert via is None or f"{trace.inputs[via.tensor].path}[{','.join(map(str, via.index))}]" in flat
    assert tallest(trace, width) >= 1
