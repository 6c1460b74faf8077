"""Any rank, any size: which axes go where, what is sliced, and what is found where in every zoom."""

from __future__ import annotations

import re
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from operator_kit.cases.gather import gathers
from operator_kit.cases.join import joins
from operator_kit.cases.reverse_subsequences import reversals
from operator_kit.cases.split import splits
from support.cursors import into, out
from support.driver import Driver, explore
from support.effort import tried
from support.one_session import one
from support.strategies import Case, cases
from textual import events

import dmlviz as dml
from dmlviz.desc.fields import Role
from dmlviz.operators.maps import Place
from dmlviz.scene.drawing.stack_lines import stack_lines
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.elements.known import EVERYTHING
from dmlviz.scene.elements.partners import Partners, partners
from dmlviz.scene.layout.arrange import Scene, _stack, arrange
from dmlviz.scene.layout.assign import Layout
from dmlviz.scene.layout.cell_widths import cell_widths, usual_widths
from dmlviz.scene.layout.directions import across_of
from dmlviz.scene.layout.figure import Figure
from dmlviz.scene.layout.headings import captions, folded_titles, ranges, slices, tight_slices, titles
from dmlviz.scene.layout.stack import Stack
from dmlviz.scene.layout.zoom import CELL_WIDTHS, SPACINGS, Zoom
from dmlviz.scene.look import Look
from dmlviz.scene.spans import EMPTY, NEUTRAL, PAPER, SHADED, Line, Style, length
from dmlviz.scene.steps.order import Steps
from dmlviz.scene.view_state import view_state_of
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment
from dmlviz.tracing import Trace

RELAXED = tried(40, suppress_health_check=list(HealthCheck))
ROOMS = st.sampled_from([(24, 8), (40, 10), (66, 14), (62, 24), (140, 36), (400, 200)])
ZOOMS = st.sampled_from([None, *Zoom])


def figures(scene: Scene) -> Iterator[tuple[Stack, Figure]]:
    for stack in (scene.inputs, scene.outputs):
        for figure in stack.figures:
            yield stack, figure


def elements(figure: Figure) -> list[tuple[int, ...]]:
    return list(product(*map(range, figure.part.tensor.sizes)))


def sides(trace: Trace) -> tuple[list[Any], list[Any]]:
    return [(Place(False, k), p) for k, p in enumerate(trace.inputs)], [
        (Place(True, k), p) for k, p in enumerate(trace.outputs)
    ]


def text_of(line: Line) -> str:
    return "".join(span.text for span in line)


# ---- which axes go where


def long(sizes: Iterable[int]) -> list[int]:
    return [d for d, n in enumerate(sizes) if n > 1]


@RELAXED
@given(cases(), st.lists(st.tuples(ROOMS, ZOOMS), min_size=1, max_size=4))
def test_every_tensor_stands_upright_in_every_room(
    case: Case, asked: list[tuple[tuple[int, int], Zoom | None]]
) -> None:
    trace = dml.trace(case.desc, case.arrays)
    parts = [part for side in sides(trace) for _, part in side]
    axes = sorted({d for part in parts for d in long(part.tensor.sizes)})
    for room, zoom in asked:
        scene = arrange(trace, *room, zoom)
        layout = scene.layout
        assert layout.across == tuple(axes[-1:])
        assert sorted((*layout.down, *layout.sliced)) == axes[:-1]
        assert list(layout.down) == sorted(layout.down)
        assert not {*axes[-2:]} & {*layout.sliced}
        for _, figure in figures(scene):
            own = long(figure.part.tensor.sizes)
            seen = [d for d in own if d not in layout.sliced]
            # What is as long as one row of the picture is a row; the rest are rows one below the other.
            assert list(figure.across) == [d for d in seen if d == axes[-1]]
            assert list(figure.down) == [d for d in seen if d != axes[-1]]
            if own[-1:] == axes[-1:] and not {*own[-2:-1]} & {*layout.sliced}:
                assert figure.down[-1:] == tuple(own[-2:-1])


@RELAXED
@given(cases(), ROOMS, ZOOMS)
def test_a_row_of_cells_is_a_row_that_numpy_prints(case: Case, room: tuple[int, int], zoom: Zoom | None) -> None:
    """Cells in reading order are elements in row-major order, and a line of cells never holds two rows."""
    scene = unwindowed(arrange(dml.trace(case.desc, case.arrays), *room, zoom))
    for stack, figure in figures(scene):
        every = [i for i in elements(figure) if figure.shows(i)]
        at = [(figure.rows.position(figure.row_of(i)), stack.place(Cursor(figure.place, i))[0]) for i in every]
        assert at == sorted(at)
        last = [*scene.layout.across]
        rows = {
            y: {i[:d] + i[d + 1 :] for i, (v, _) in zip(every, at, strict=True) if v == y for d in last} for y, _ in at
        }
        assert all(len(row) <= 1 for row in rows.values())


@RELAXED
@given(cases(), ROOMS, ZOOMS)
def test_what_the_operator_works_on_is_never_sliced(case: Case, room: tuple[int, int], zoom: Zoom | None) -> None:
    trace = dml.trace(case.desc, case.arrays)
    layout = arrange(trace, *room, zoom).layout
    worked = {d for side in sides(trace) for place, _ in side for d in trace.operator.axis_roles(trace.desc, place)}
    worked |= {d for d, r in enumerate(getattr(trace.desc, "repeats", ())) if r > 1}
    assert not worked & {*layout.sliced}


@RELAXED
@given(cases(), ROOMS, ZOOMS)
def test_turned_pictures_swap_rows_and_columns_of_every_tensor(
    case: Case, room: tuple[int, int], zoom: Zoom | None
) -> None:
    trace = dml.trace(case.desc, case.arrays)
    upright, turned = (arrange(trace, 10**6, 10**6, Zoom.VALUES, turned=each) for each in (False, True))
    assert (turned.layout.down, turned.layout.across) == (upright.layout.across, upright.layout.down)
    scene = arrange(trace, *room, zoom, turned=True)
    assert [*scene.layout.down] == [d for d in upright.layout.across if d not in scene.layout.sliced]
    for _, figure in figures(scene):
        feet = [text_of(foot) for foot in figure.feet(Look())]
        assert all(("turned" in foot) == bool(figure.down or figure.across) for foot in feet)


def widths(trace: Trace, side: list[Any], layout: Layout, *, beside: bool) -> int:
    stack = _stack(trace, side, layout, beside=beside)
    return stack.least if beside else stack.extent


def fits(trace: Trace, layout: Layout, room: tuple[int, int]) -> bool:
    """By the figures themselves."""
    pairs = [
        (_stack(trace, side, layout, beside=beside), widths(trace, side, layout, beside=beside))
        for side, beside in zip(sides(trace), layout.beside, strict=True)
    ]
    return sum(width for _, width in pairs) <= room[0] and max(stack.height for stack, _ in pairs) <= room[1]


def every_layout(trace: Trace, zoom: Zoom, sliced: tuple[int, ...] = ()) -> Iterator[Layout]:
    """With every width of cells, every spacing and every placement."""
    tensors = [p.tensor for side in sides(trace) for _, p in side]
    axes = [d for d in range(8) if any(d < t.dimension_count and t.sizes[d] > 1 for t in tensors)]
    down, across = (tuple(d for d in each if d not in sliced) for each in (axes[:-1], axes[-1:]))
    many = [len(side) > 1 for side in sides(trace)]  # joined, split, or an index or length tensor beside its input
    for beside in {(False, False), (many[0], False), (False, many[1])}:
        for spacing, (level, cells), folded in product(SPACINGS[zoom], every_cells(trace, zoom), (False, any(beside))):
            yield Layout(zoom, down, across, sliced, cells, level, spacing, True, False, beside, False, folded)


def every_cells(trace: Trace, zoom: Zoom) -> Iterator[tuple[int, tuple[list[int], list[int]]]]:
    """Cells of every width for all tensors; with indices and lengths whole, and with them cut."""
    (inputs, outputs), (usual, _) = cell_widths(trace), usual_widths(trace)
    data = [part.field.role is Role.DATA for part in trace.inputs]
    cut = [own if is_data else min(own, short) for own, short, is_data in zip(inputs, usual, data, strict=True)]
    for widths, (level, width) in product((inputs, cut), enumerate(CELL_WIDTHS[zoom])):
        yield level, ([width.of(each) for each in widths], [width.of(each) for each in outputs])


@RELAXED
@given(cases(), st.integers(16, 160), st.integers(5, 50), st.sampled_from(Zoom))
def test_a_picture_fits_whenever_it_can_upright(case: Case, width: int, height: int, zoom: Zoom) -> None:
    trace = dml.trace(case.desc, case.arrays)
    scene = arrange(trace, width, height, zoom)
    possible = any(fits(trace, layout, (width, height)) for layout in every_layout(trace, zoom))
    assert possible == (scene.layout.fits and not scene.layout.sliced)
    if scene.layout.fits:
        assert scene.inputs.extent + scene.outputs.extent <= width
        assert max(scene.inputs.height, scene.outputs.height) <= height


@RELAXED
@given(cases(), st.integers(16, 100), st.integers(5, 24), st.sampled_from(Zoom))
def test_no_axis_is_sliced_that_needn_t_be(case: Case, width: int, height: int, zoom: Zoom) -> None:
    trace = dml.trace(case.desc, case.arrays)
    layout = arrange(trace, width, height, zoom).layout
    if layout.fits:
        for d in layout.sliced:
            fewer = tuple(each for each in layout.sliced if each != d)
            assert not any(fits(trace, each, (width, height)) for each in every_layout(trace, zoom, fewer))


@RELAXED
@given(st.one_of(joins(), splits()), ROOMS, st.booleans())
def test_joined_tensors_stand_as_they_are_joined_where_that_fits(
    case: Case, room: tuple[int, int], turned: bool
) -> None:
    trace = dml.trace(case.desc, case.arrays)
    scene = arrange(trace, *room, Zoom.VALUES, turned=turned)
    side = 0 if trace.desc.TYPE == "DML_OPERATOR_JOIN" else 1
    stack, many = scene.stack(bool(side)), len(sides(trace)[side]) > 1
    across = case.desc.axis in scene.layout.across
    if scene.layout.beside[side] != (across and many):
        wanted = (across and many and side == 0, across and many and side == 1)
        tight = [replace(each, beside=wanted) for each in every_layout(trace, Zoom.VALUES)]
        tight = [replace(each, down=scene.layout.down, across=scene.layout.across) for each in tight]
        assert scene.layout.sliced or not any(fits(trace, each, room) for each in tight)
    if stack.beside:
        assert scene.layout.fits
        for one, other in pairwise(stack.figures):
            x, y = stack.place(Cursor(one.place, one.index(0, one.columns.count - 1)))
            beyond, level = stack.place(Cursor(other.place, other.index(0, 0)))
            assert y == level or one.head != other.head
            assert x + one.margin + one.cell < beyond + other.margin


def test_the_cursor_walks_through_tensors_side_by_side() -> None:
    desc = dml.Join((dml.TensorDesc("INT32", (3, 2)), dml.TensorDesc("INT32", (3, 1))), 1)
    stack = arrange(Experiment("walk", desc).trace(), 120, 30).inputs
    assert stack.beside
    walk = [stack.first()]
    for _ in range(3):
        walk.append(stack.moved(walk[-1], 0, 1))
    assert walk == [into(0, 0), into(0, 1), into(0, 0, number=1), into(0, 0, number=1)]
    assert stack.moved(walk[2], 2, 0) == into(2, 0, number=1)
    assert stack.moved(walk[2], 0, -1) == into(0, 1)


def test_letters_move_up_before_a_picture_is_scrolled() -> None:
    """TILE's example at 120x36: 6 by 9 values, each with the letter of its copy."""
    desc = dml.Tile(dml.TensorDesc("FLOAT32", (1, 1, 2, 3)), (1, 1, 3, 3))
    scene = arrange(Experiment("tile", desc).trace(), 60, 18)
    assert scene.layout.fits
    assert scene.zoom is Zoom.VALUES
    lines = stack_lines(scene.outputs, 0, 18, 0, 60, Look(), Partners())
    cells = [[span.text for span in line if span.style.kind == "cell"] for line in lines]
    assert any({"A 1", "C 3"} <= {*row} for row in cells)  # three columns of text are in the middle of three


@pytest.mark.parametrize("count", [20, 3000])
def test_many_tensors_are_laid_out_at_once(count: int) -> None:
    desc = dml.Join(tuple(dml.TensorDesc("INT32", (2, 1 + k % 3, 2, 2, 1, 2, 2, 2)) for k in range(count)), 1)
    trace = Experiment("many", desc).trace()
    arrange(trace, 100, 30)
    start = time.process_time()
    scene = arrange(trace, 100, 30)
    assert time.process_time() - start < 2.0
    assert len(scene.inputs.figures) == count
    assert scene.inputs.extent + scene.outputs.extent <= 100


def test_eight_dimensions_are_laid_out_in_some_milliseconds() -> None:
    desc = dml.Tile(dml.TensorDesc("INT32", (2, 3, 2, 3, 2, 3, 2, 3)), (2,) * 8)
    trace = Experiment("eight", desc).trace()
    arrange(trace, 134, 34)
    spent = []
    for _ in range(5):
        start = time.process_time()
        arrange(trace, 134, 34)
        spent.append(time.process_time() - start)
    assert min(spent) < 0.1


# ---- what is found where


@RELAXED
@given(cases(), ROOMS, ZOOMS, st.integers(0, 40), st.integers(0, 40))
def test_what_is_found_is_what_was_put_there(
    case: Case, room: tuple[int, int], zoom: Zoom | None, top: int, left: int
) -> None:
    scene = unwindowed(arrange(dml.trace(case.desc, case.arrays), *room, zoom)).packed()
    for is_output in (False, True):
        for number in range(len(scene.stack(is_output).figures)):
            held: dict[tuple[object, ...], tuple[int, ...]] = {}
            for index in elements(scene.stack(is_output).figures[number]):
                cursor = Cursor(Place(is_output, number), index)
                turned = scene.following(cursor)
                stack = turned.stack(is_output)
                figure = stack.figures[number]
                assert figure.shows(index)
                x, y = stack.place(cursor)
                half = figure.rows.position(figure.row_of(index)) % 2 if figure.zoom is Zoom.OVERVIEW else 0
                assert stack.hit(x + figure.margin, y, 0, 0, half) == cursor
                key = x, y, half, *(index[d] for d in figure.sliced)
                assert key not in held
                held[key] = index
                # And the same through a window that is scrolled.
                start = min(top, y - figure.head)
                if x >= left and start >= 0:
                    found = stack.hit(x - left + figure.margin, y - start, start, left, half)
                    assert found in (cursor, None)
                    assert found == cursor or y - start < max(f.head for f in stack.figures)


@RELAXED
@given(cases(), ROOMS, ZOOMS, st.data())
def test_slices_are_linked_by_the_trace(
    case: Case, room: tuple[int, int], zoom: Zoom | None, data: st.DataObject
) -> None:
    trace = dml.trace(case.desc, case.arrays)
    scene = arrange(trace, *room, zoom)
    step = data.draw(st.integers(1, Steps(trace).count))
    cursor = Steps(trace).element(step)
    assert cursor is not None
    turned = scene.following(cursor)
    assert turned.inputs.family is scene.inputs.family
    assert (turned.inputs.extent, turned.inputs.height) == (scene.inputs.extent, scene.inputs.height)
    source = trace.source(cursor.place.number, cursor.index)
    assert turned.outputs.figure(cursor.place).shows(cursor.index)
    assert turned.inputs.figure(Place(False, source.tensor)).shows(source.index)
    if source.via is not None:
        assert turned.inputs.figure(Place(False, source.via.tensor)).shows(source.via.index)
    # From the input's side: what reads it is seen.
    back = scene.following(Cursor(Place(False, source.tensor), source.index))
    reader = trace.destinations(source.tensor, source.index)[0]
    assert back.outputs.figure(Place(True, reader.output)).shows(reader.index)


@RELAXED
@given(cases(), st.sampled_from([(24, 8), (40, 10)]), st.sampled_from(Zoom))
def test_every_slice_is_reached_by_turning(case: Case, room: tuple[int, int], zoom: Zoom) -> None:
    scene = arrange(dml.trace(case.desc, case.arrays), *room, zoom)
    stack = scene.outputs
    figure = stack.figures[0]
    cursor: Cursor | None = stack.first()
    seen = set()
    while cursor is not None:
        seen.add(tuple(cursor.index[d] for d in figure.sliced))
        following = scene.following(cursor).outputs.turned(cursor, 1, 0)
        if following is None or following == cursor:
            break
        assert following.index > cursor.index
        cursor = following
    assert len(seen) == int(np.prod([figure.part.tensor.sizes[d] for d in figure.sliced]))
    assert cursor is None or stack.turned(cursor, 1, len(figure.sliced)) is None


def test_the_marks_in_the_heading_turn_to_other_slices() -> None:
    desc = dml.Tile(dml.TensorDesc("INT32", (9, 9, 40, 20)), (1, 1, 1, 2))
    scene = arrange(Experiment("slices", desc).trace(), 130, 50, Zoom.BLOCKS)
    assert scene.layout.sliced == (0, 1)
    scene = scene.following(Cursor(Place(True, 0), (2, 0, 7, 30)))
    scene = scene.packed()
    line = text_of(stack_lines(scene.outputs, 0, 2, 0, 80, Look(), Partners())[1])
    assert "axis 0 = 2 of 9" in line
    found = {
        scene.outputs.button(x, 1, 0, 80).index[: len(scene.layout.sliced)]  # type: ignore[union-attr]
        for x, char in enumerate(line)
        if char in "‹›"
    }
    assert found == {(1, 0), (3, 0), (2, 0), (2, 1)}
    assert scene.outputs.button(line.index("2"), 1, 0, 80) is None
    assert scene.inputs.figures[0].at == (2, 0, 7, 10)


@RELAXED
@given(st.one_of(gathers(), reversals()), st.sampled_from([(30, 14), (44, 12), (66, 16)]), ZOOMS, st.data())
def test_what_is_set_aside_stays_in_sight_and_hides_no_other_cell(
    case: Case, room: tuple[int, int], zoom: Zoom | None, data: st.DataObject
) -> None:
    trace = dml.trace(case.desc, case.arrays)
    scene = arrange(trace, *room, zoom)
    if not scene.inputs.asides:
        assert scene.inputs.height <= room[1] or not scene.layout.fits
        return
    cursor = Steps(trace).element(data.draw(st.integers(1, Steps(trace).count)))
    assert cursor is not None
    scene = scene.following(cursor)
    stack, source = scene.inputs, trace.source(cursor.place.number, cursor.index)
    top = data.draw(st.integers(0, max(0, stack.height - room[1])))
    left = data.draw(st.integers(0, max(0, stack.extent - 10)))
    look, links = Look(cursor), partners(trace, cursor)
    lines = stack_lines(stack, top, room[1], left, scene.share, look, links)
    assert stack.ahead < room[1]
    if source.via is not None:
        via = Cursor(Place(False, source.via.tensor), source.via.index)
        figure = stack.figure(via.place)
        x, y = stack.place(via)
        half = figure.rows.position(figure.row_of(via.index)) % 2 if figure.zoom is Zoom.OVERVIEW else 0
        assert 0 <= y < stack.ahead
        assert stack.hit(x + figure.margin, y, top, left, half) == via
        if x + figure.margin < scene.share:
            at = [span.style for span in lines[y] for _ in span.text]
            assert at[x + figure.margin].marked
    for figure in stack.figures:
        if stack.aside(figure.place) is not None:
            continue
        for index in elements(figure):
            each = Cursor(figure.place, index)
            x, y = stack.place(each)
            if not figure.shows(index) or x < left or not 0 <= y - top < room[1]:
                continue
            half = figure.rows.position(figure.row_of(index)) % 2 if figure.zoom is Zoom.OVERVIEW else 0
            found = stack.hit(x - left + figure.margin, y - top, top, left, half)
            assert (found == each) != stack.covers(y - top, top)


# ---- what is drawn


def unwindowed(scene: Scene) -> Scene:
    """One tensor below the other: what is set aside is seen through a window of its own, which may hide elements."""
    return replace(scene, inputs=replace(scene.inputs, asides=()), outputs=replace(scene.outputs, asides=()))


def cell_at(figure: Figure, stack: Stack, index: tuple[int, ...], look: Look, links: Partners) -> tuple[str, Style]:
    x, y = stack.place(Cursor(figure.place, index))
    line = stack_lines(stack, 0, stack.height, 0, stack.before + max(stack.width, 20) + 20, look, links)[y]
    columns = [(char, span.style) for span in line for char in span.text]
    cell = columns[x + figure.margin : x + figure.margin + figure.cell]
    assert len({style for _, style in cell}) == 1
    return "".join(char for char, _ in cell), cell[0][1]


@RELAXED
@given(cases(), ROOMS, st.sampled_from(Zoom), st.data())
def test_the_cursor_and_what_belongs_to_it_are_seen_in_every_zoom(
    case: Case, room: tuple[int, int], zoom: Zoom, data: st.DataObject
) -> None:
    trace = dml.trace(case.desc, case.arrays)
    step = data.draw(st.integers(1, Steps(trace).count))
    written = data.draw(st.sampled_from([EVERYTHING, Steps(trace).until(step)]))
    cursor = Steps(trace).element(step)
    assert cursor is not None
    scene = unwindowed(arrange(trace, *room, zoom).following(cursor))
    links, look = partners(trace, cursor), Look(cursor, written)
    source = trace.source(cursor.place.number, cursor.index)
    wanted = [cursor, Cursor(Place(False, source.tensor), source.index)]
    if source.via is not None:
        wanted.append(Cursor(Place(False, source.via.tensor), source.via.index))
    for each in wanted:
        stack = scene.stack(each.place.is_output)
        figure = stack.figure(each.place)
        text, style = cell_at(figure, stack, each.index, look, links)
        assert style.marked
        if zoom is Zoom.OVERVIEW:
            upper = figure.rows.position(figure.row_of(each.index)) % 2 == 0
            assert text in ("◓" if upper else "◒", "●")  # seen without colour
        elif zoom is Zoom.BLOCKS:
            assert text == "▌▐"
    others = [(s, f, i) for s, f in figures(scene) for i in elements(f) if f.shows(i)]
    stack, figure, index = data.draw(st.sampled_from(others))
    if Cursor(figure.place, index) not in wanted and zoom is not Zoom.OVERVIEW:
        assert not cell_at(figure, stack, index, look, links)[1].marked


def test_what_is_set_aside_shows_the_rows_that_fit_and_the_cursors() -> None:
    """The lengths have room for two of their four rows: the others come into sight with the cursor."""
    data = dml.TensorDesc("FLOAT32", (4, 4, 6, 1, 1, 1, 1))
    desc = dml.ReverseSubsequences(data, dml.TensorDesc("UINT32", (4, 4, 1, 1, 1, 1, 1)), 2)
    trace = Experiment("aside", desc).trace()
    scene = arrange(trace, 40, 14, Zoom.BLOCKS)
    lengths = Place(False, 1)
    for row in range(4):
        cursor = Cursor(lengths, (0, row, 0, 0, 0, 0, 0))
        turned = scene.following(cursor)
        aside = turned.inputs.aside(lengths)
        assert aside is not None
        y = turned.inputs.place(cursor)[1]
        assert 0 <= y < aside.height
        lines = stack_lines(turned.inputs, 0, 14, 0, 60, Look(cursor), partners(trace, cursor))
        assert text_of(lines[y]).split()[0] == str(row)
        assert any(span.style.marked for span in lines[y])


def step_of(steps: Steps, figure: Figure, index: tuple[int, ...]) -> int:
    """The step that writes an output element."""
    return int(steps.when(figure.place.number, tuple(np.array([i], np.int64) for i in index))[0])


@RELAXED
@given(cases(), ROOMS, st.data())
def test_halves_and_blocks_have_the_colour_of_their_element(
    case: Case, room: tuple[int, int], data: st.DataObject
) -> None:
    trace = dml.trace(case.desc, case.arrays)
    written = data.draw(st.none() | st.integers(0, Steps(trace).count))
    steps = Steps(trace)
    look = Look(None, EVERYTHING if written is None else steps.until(written))
    for zoom in (Zoom.BLOCKS, Zoom.OVERVIEW):
        for stack, figure in figures(unwindowed(arrange(trace, *room, zoom)).packed()):
            index = data.draw(st.sampled_from([i for i in elements(figure) if figure.shows(i)]))
            text, style = cell_at(figure, stack, index, look, Partners())
            at = tuple(np.array([i], np.int64) for i in index)
            identity = int(trace.identity(figure.place, at)[0])
            if not figure.place.is_output and not look.written.whole:
                # Which identity an input has is told with what reads it; how often it is read, with all.
                assert style.identity in (-1, identity) if zoom is Zoom.BLOCKS else text in "▀▄"
                continue
            hidden = figure.place.is_output and written is not None and step_of(steps, figure, index) > written
            unread = not figure.place.is_output and not len(trace.destinations(figure.place.number, index))
            if zoom is Zoom.BLOCKS:
                assert style.identity == (-1 if hidden or unread else identity)
                assert ("·" in text) == hidden
                assert (text == "×0") == (unread and not hidden)
                continue
            if text == "·":
                assert hidden or unread
                continue
            lower = figure.rows.position(figure.row_of(index)) % 2
            code = style.below if lower and text == "▀" else style.identity
            if code >= SHADED:  # where it is in its sequence
                assert trace.sequence_places(figure.place, tuple(np.array([i], np.int64) for i in index)) is not None
                code = identity if (code - SHADED) % 8 == identity % 8 else code
            assert text in "▀▄"
            assert code == (EMPTY if hidden or unread else identity if identity >= 0 else NEUTRAL)
            assert style.below >= EMPTY or style.below == PAPER


@RELAXED
@given(cases(), ROOMS, ZOOMS, st.integers(0, 60), st.integers(0, 60), st.integers(1, 30), st.integers(8, 70))
def test_no_line_is_wider_than_its_window_but_for_what_scrolls(
    case: Case, room: tuple[int, int], zoom: Zoom | None, top: int, left: int, count: int, width: int
) -> None:
    scene = arrange(dml.trace(case.desc, case.arrays), *room, zoom).packed()
    for stack in (scene.inputs, scene.outputs):
        lines = stack_lines(
            stack, min(top, stack.height - 1), count, min(left, stack.extent - 1), width, Look(), Partners()
        )
        assert len(lines) == count
        for figure in stack.figures:
            for y, line in enumerate(stack_lines(stack, 0, stack.height, 0, width, Look(), Partners())):
                low = stack.tops[figure.place.number]
                if y in (low, low + figure.height - 1) and figure.rows.at(y - low - figure.head) is None:
                    assert length(line) <= width  # titles and names of axes are shortened, not cut
    del figure


# ---- words


def test_a_title_keeps_its_number_and_its_braces() -> None:
    found = ["".join(each) for each in titles("OutputTensors[12]", "FLOAT32", (3, 2))]
    assert found == [
        "OutputTensors[12] FLOAT32 {3, 2}",
        "OutputTensors[12] FLOAT32 {3,2}",
        "Outputs[12] FLOAT32 {3,2}",
        "OutputTensors[12] {3,2}",
        "Outputs[12] {3,2}",
        "[12] {3,2}",
        "OutputTensors[12]",
        "Outputs[12]",
        "[12]",
    ]
    found = ["".join(each) for each in titles("SequenceLengthsTensor", "UINT32", (1,))]
    assert list(dict.fromkeys(found)) == [
        "SequenceLengthsTensor UINT32 {1}",
        "Lengths UINT32 {1}",  # DataType stays, where a word needn't
        "SequenceLengthsTensor {1}",
        "Lengths {1}",
        "SequenceLengthsTensor",
        "Lengths",
    ]


def test_a_title_in_two_lines_tells_as_much() -> None:
    found = folded_titles("SequenceLengthsTensor", "UINT32", (3, 1))
    assert found[0] == ("SequenceLengthsTensor", "UINT32 {3, 1}")
    assert found[3] == ("Lengths", "UINT32 {3,1}")
    assert found[-1] == ("Lengths", "{3,1}")
    assert folded_titles("InputTensors[2]", "INT8", (3, 1))[-1] == ("[2]", "{3,1}")


def test_what_is_seen_is_said_as_long_as_there_is_room() -> None:
    rows, columns = (0, 23, 65535), (0, 9, 65535)
    assert ranges(rows, columns, 60) == "rows 0–23 of 65,535 · columns 0–9 of 65,535"
    assert ranges(rows, columns, 42) == "rows 0–23 of 65535 · cols 0–9 of 65535"
    assert ranges(rows, columns, 34) == "rows 0–23/65535 cols 0–9/65535"
    assert ranges(rows, columns, 24) == "↓0–23/65535 →0–9/65535"
    assert ranges(rows, columns, 13) == "↓0–23 →0–9"
    assert ranges(rows, columns, 8) == "↓0… →0…"
    assert ranges((0, 4, 5), columns, 60) == "columns 0–9 of 65,535"
    assert ranges(rows, columns, 5) == ""


def test_axes_are_called_axes_as_long_as_there_is_room() -> None:
    """An arrow and a number alone mean nothing to whoever sees them first."""
    axes = [("↓", 2, "", Style("ruler")), ("→", 3, "Axis", Style("axis"))]
    found = [text_of(line) for line in captions(axes, [], "×3", "")]
    assert found[0].split() == ["↓", "axis", "2", "→", "axis", "3", "=", "Axis", "each", "read", "×3"]
    assert all(text.startswith("axes ") for text in found[1:4])
    assert len(found[3]) == len("axes ") + len(found[-1])
    assert found[-1] == "↓2 →3=Axis ×3"
    assert [text_of(line) for line in captions(axes[:1], [], "", "")][1].split() == ["axis", "↓", "2"]
    assert captions([], [], "", "")[-1] == []


def test_slices_are_said_as_long_as_there_is_room() -> None:
    axes = [(0, 2, 5), (1, 0, 3)]
    assert text_of(slices(axes, 60)) == "slice ‹ axis 0 = 2 of 5 › · ‹ axis 1 = 0 of 3 ›"
    assert text_of(slices(axes, 30)) == "fixed axes ‹0 at 2› ‹1 at 0›"  # in words before it goes without them
    assert text_of(slices(axes, 23)) == "axes ‹0 at 2› ‹1 at 0›"
    assert text_of(slices([(4, 1, 3)], 20)) == "slice ‹ 4 = 1 of 3 ›"
    assert text_of(slices([(4, 1, 3)], 19)) == "fixed axis ‹4 at 1›"
    assert text_of(slices(axes, 20)) == "‹0=2/5› ‹1=0/3›"
    assert text_of(slices(axes, 14)) == "‹0=2/5›‹1=0/3›"
    assert text_of(slices(axes, 13, 4)) == "‹[2,0,:,:]›"  # as NumPy writes it
    assert [span.button for span in slices(axes, 11, 4) if span.button] == [(1, -1), (0, 1), (1, 1), (1, 1)]
    assert [span.button for span in slices([(0, 4, 5)], 6, 2)][:3] == [(0, -1), None, (0, -4)]  # and round again
    assert tight_slices(axes, 4) == 11


def test_an_index_over_narrow_columns_stands_whole_or_not_at_all() -> None:
    desc = dml.Tile(dml.TensorDesc("INT8", (3, 120)), (1, 1))
    for zoom in Zoom:
        scene = arrange(Experiment("ruler", desc).trace(), 300, 30, zoom).packed()
        figure = scene.outputs.figures[0]
        ruler = text_of(stack_lines(scene.outputs, 0, figure.head, 0, 900, Look(), Partners())[-1])
        words = ruler.split()
        assert words == sorted(words, key=int)
        assert set(words) <= {str(n) for n in range(120)}
        assert len(words) >= 10
        for word in words:
            x, _ = figure.locate((0, int(word)))
            assert abs(ruler.index(f" {word}") + 1 - figure.margin - x) <= figure.cell


# ---- any size

GIANTS: dict[str, Callable[[Any], Any]] = {
    "join": lambda t: dml.Join((t("INT8", (32767, 65535)), t("INT8", (32768, 65535))), 0),
    "split": lambda t: dml.Split(t("INT8", (65535, 65535)), (t("INT8", (65535, 1)), t("INT8", (65535, 65534))), 1),
    "tile": lambda t: dml.Tile(t("INT8", (255, 65535)), (257, 1)),
    "gather": lambda t: dml.Gather(t("INT8", (65535, 65535)), t("UINT32", (1, 65535)), 0, 1),
    "reverse": lambda t: dml.ReverseSubsequences(t("INT8", (65535, 65535)), t("UINT32", (65535, 1)), 1),
    "join of eight": lambda t: dml.Join((t("INT8", (16,) * 7 + (7,)), t("INT8", (16,) * 7 + (8,))), 7),
    "split of eight": lambda t: dml.Split(
        t("INT8", (15,) + (16,) * 7), (t("INT8", (7,) + (16,) * 7), t("INT8", (8,) + (16,) * 7)), 0
    ),
    "tile of eight": lambda t: dml.Tile(t("INT8", (8,) * 7 + (15,)), (2,) * 7 + (1,)),
    "gather of eight": lambda t: dml.Gather(t("INT8", (16,) * 7 + (15,)), t("UINT32", (1,) * 7 + (16,)), 2, 1),
    "reverse of eight": lambda t: dml.ReverseSubsequences(
        t("INT8", (16,) * 7 + (15,)), t("UINT32", (16,) * 3 + (1,) + (16,) * 3 + (15,)), 3
    ),
    "a line": lambda t: dml.ReverseSubsequences(t("INT8", (2**32 - 1,)), t("UINT64", (1,)), 0),
    "three": lambda t: dml.Tile(t("INT8", (255, 257, 65535)), (1, 1, 1)),
}


@pytest.mark.parametrize("kind", list(GIANTS))
@pytest.mark.parametrize("zoom", [None, *Zoom])
def test_a_giant_costs_no_more_than_its_window(kind: str, zoom: Zoom | None) -> None:
    shown = view_state_of(Experiment("giant", GIANTS[kind](dml.TensorDesc)))
    trace = shown.trace
    assert shown.live
    assert trace is not None
    arrange(trace, 108, 26, zoom)
    tracemalloc.start()
    scene = arrange(trace, 108, 26, zoom)
    seen = {*scene.layout.down, *scene.layout.across}
    assert scene.layout.fits or len(seen) <= 3 or kind == "tile of eight"  # Axis stays, and the two innermost
    steps = Steps(trace)
    for step in (1, steps.count // 2, steps.count):
        cursor = steps.element(step)
        assert cursor is not None
        scene = scene.following(cursor)
        links = partners(trace, cursor)
        source = trace.source(cursor.place.number, cursor.index)
        for each in (cursor, Cursor(Place(False, source.tensor), source.index)):
            stack = scene.stack(each.place.is_output)
            figure = stack.figure(each.place)
            x, y = stack.place(each)
            top, left = (0, 0) if stack.aside(each.place) is not None else (max(0, y - 22), max(0, x - 20))
            assert len(stack_lines(stack, top, 26, left, 54, Look(cursor), links)) == 26
            cell = stack_lines(stack, top, 26, left, 54, Look(cursor), links)[y - top]
            marked = {i for i, (_, style) in enumerate((c, s.style) for s in cell for c in s.text) if style.marked}
            assert marked >= {x - left + figure.margin}
        turned = scene.outputs.turned(cursor, 1, 0)
        assert (turned is None) == (not scene.outputs.figure(cursor.place).sliced)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6
    assert scene.layout.spacing in SPACINGS[scene.zoom]
    if any(part.field.role is not Role.DATA for part in trace.inputs) and not scene.layout.fits:
        assert len(scene.inputs.asides) == 1  # indices or lengths are seen, wherever the cursor is


BIG: dict[str, Any] = {
    "join of three": dml.Join((dml.TensorDesc("INT8", (300, 200)),) * 3, 0),
    "join of three, across": dml.Join((dml.TensorDesc("INT8", (300, 200)),) * 3, 1),
    "split in three": dml.Split(dml.TensorDesc("INT8", (300, 200)), (dml.TensorDesc("INT8", (100, 200)),) * 3, 0),
    "a low one before two": dml.Join((dml.TensorDesc("INT8", (1, 200)), *(dml.TensorDesc("INT8", (300, 200)),) * 2), 0),
}


@pytest.mark.parametrize("kind", list(BIG))
@pytest.mark.parametrize("zoom", list(Zoom))
def test_each_of_several_large_tensors_has_a_share_of_the_window(kind: str, zoom: Zoom) -> None:
    """That there are several is seen, wherever the cursor is; and so is what the cursor's element belongs to."""
    trace, (width, height) = Experiment("big", BIG[kind]).trace(), (170, 43)
    scene = arrange(trace, width, height, zoom)
    steps = Steps(trace)
    for step in (1, steps.count // 2, steps.count):
        cursor = steps.element(step)
        assert cursor is not None
        scene = scene.following(cursor)
        links = partners(trace, cursor)
        found = trace.source(cursor.place.number, cursor.index)
        for each in (cursor, Cursor(Place(False, found.tensor), found.index)):
            stack = scene.stack(each.place.is_output)
            x, y = stack.place(each)
            is_aside = stack.aside(each.place) is not None
            top = 0 if is_aside else max(0, y - height + 2)
            lines = stack_lines(stack, top, height, 0 if is_aside else max(0, x - 20), 400, Look(cursor), links)
            seen = [n for n, f in enumerate(stack.figures) if any(f.part.path in text_of(line) for line in lines)]
            assert seen == [*range(len(stack.figures))]
            assert any(span.style.marked for span in lines[y - top])
            if len(stack.figures) == 3 and not scene.layout.fits:
                assert all(
                    aside.height >= min(height // 4, stack.figures[aside.number].height) for aside in stack.asides
                )


@pytest.mark.parametrize("kind", ["gather", "a line"])
def test_a_picture_that_is_cut_says_how_much_of_it_is_seen(kind: str) -> None:
    trace = view_state_of(Experiment("giant", GIANTS[kind](dml.TensorDesc))).trace
    assert trace is not None
    scene = arrange(trace, 108, 26, Zoom.VALUES)
    for at in (0, 1000):
        top, left = (0, at) if kind == "a line" else (at, 0)
        text = "\n".join(text_of(line) for line in stack_lines(scene.outputs, top, 26, left, 54, Look(), Partners()))
        assert f"rows {at}–" in text.replace(",", "") or "–" in text
        assert "of 65,535" in text or "of 65535" in text or "4,294,967,295" in text


def test_the_zooms_go_round() -> None:
    assert [Zoom.LARGE.turned(n) for n in range(5)] == [*Zoom, Zoom.LARGE]
    assert Zoom.LARGE.turned(-1) is Zoom.OVERVIEW


def test_the_largest_zoom_that_fits_is_taken() -> None:
    desc = dml.Tile(dml.TensorDesc("INT8", (12, 12)), (1, 2))
    trace = Experiment("zoom", desc).trace()
    found = [arrange(trace, w, h).zoom for w, h in ((400, 60), (290, 24), (110, 20), (50, 12))]
    assert found == list(Zoom)
    few = Experiment("few", dml.Tile(dml.TensorDesc("INT8", (2, 2)), (1, 2))).trace()
    assert arrange(few, 20, 5).zoom is Zoom.VALUES
    assert arrange(few, 20, 6, Zoom.OVERVIEW).layout.fits


def test_values_are_sliced_before_they_become_colours() -> None:
    """72 elements have room as half characters in a window, and as values in slices."""
    desc = dml.Join((dml.TensorDesc("FLOAT32", (2, 1, 2, 2, 3)), dml.TensorDesc("FLOAT32", (2, 2, 2, 2, 3))), 1)
    trace = Experiment("five", desc).trace()
    assert arrange(trace, 90, 33, Zoom.OVERVIEW).layout.sliced == ()
    layout = arrange(trace, 90, 33).layout
    assert (layout.zoom, layout.sliced, layout.fits) == (Zoom.VALUES, (0,), True)


FIVE = dml.Join((dml.TensorDesc("FLOAT32", (2, 2, 2, 2, 3)), dml.TensorDesc("FLOAT32", (2, 2, 2, 2, 2))), 4)
EIGHT = dml.Join((dml.TensorDesc("FLOAT32", (2,) * 7 + (3,)), dml.TensorDesc("FLOAT32", (2,) * 8)), 7)


@pytest.mark.parametrize("desc", [FIVE, EIGHT], ids=["five", "eight"])
def test_many_dimensions_show_values_in_every_window_and_never_lose_axis(desc: dml.Join) -> None:
    """What windows from 80x24 to 240x60 leave to a picture; titles and slices are whole, or shortened in words."""
    trace = Experiment("many", desc).trace()
    outer = set()
    for room in product(range(40, 200, 20), range(12, 52, 6)):
        for zoom in (None, Zoom.VALUES):
            scene = arrange(trace, *room, zoom)
            assert scene.zoom in (Zoom.VALUES, Zoom.LARGE)
            assert desc.axis in scene.layout.across
            assert list(scene.layout.sliced) == list(range(len(scene.layout.sliced)))  # the outermost first
            outer.add(scene.layout.across)
            whole = scene.packed()
            for stack, columns in ((whole.inputs, scene.share), (whole.outputs, room[0] - scene.share)):
                room_of = stack.columns[0] if stack.beside and stack.columns else columns
                lines = stack_lines(stack, 0, stack.height, 0, columns, Look(), Partners())
                figure = stack.figures[0]
                for y in range(figure.titled):
                    title = text_of(lines[y])[:room_of].strip()
                    assert not title.endswith("…"), title
                if figure.sliced:
                    line = text_of(lines[figure.titled])[:room_of]
                    assert "…" not in line, line
                    assert line.count("‹") == line.count("›") >= 1
    assert len(outer) == 1


# ---- keys and the mouse


def sliced() -> Any:
    return one(dml.Tile(dml.TensorDesc("INT32", (3, 4, 25, 30)), (2, 1, 1, 1)))


def test_page_keys_turn_slices_on_both_sides() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        await driver.press("z")
        driver.zoom(Zoom.VALUES)
        await driver.settle()
        scene = screen.state.picture.scene
        assert scene is not None
        assert scene.layout.sliced[:2] == (0, 1) or 1 in scene.layout.sliced
        innermost = scene.layout.sliced[-1]
        await driver.press("pagedown")
        assert screen.state.picture.cursor is not None
        assert screen.state.picture.cursor.index[innermost] == 1
        assert "1 of" in driver.text("#outputs") or "=1/" in driver.text("#outputs")
        source = screen.state.picture.scene.inputs.figures[0]  # type: ignore[union-attr]
        assert source.at[innermost] == 1
        if len(scene.layout.sliced) > 1:
            await driver.press("shift+pagedown")
            assert screen.state.picture.cursor.index[scene.layout.sliced[-2]] == 1
            await driver.press("shift+pageup")
        await driver.press("pageup", "pageup")
        assert screen.state.picture.cursor == out(0, 0, 0, 0)

    explore(script, sliced())


def test_a_click_on_a_mark_turns_a_slice() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        driver.zoom(Zoom.VALUES)
        await driver.settle()
        x, y = driver.find("›", "#outputs")
        await driver.click("#outputs", x, y)
        assert screen.state.picture.cursor is not None
        assert sum(screen.state.picture.cursor.index) == 1
        x, y = driver.find("‹", "#inputs")
        before = screen.state.picture.cursor
        await driver.click("#inputs", x, y)
        assert not screen.state.picture.cursor.place.is_output
        assert screen.state.picture.cursor.index <= before.index

    explore(script, sliced())


def test_z_goes_through_the_zooms_and_a_choice_sticks() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        assert screen.state.picture.scene is not None
        first = screen.state.picture.scene.zoom
        for n in range(1, 5):
            await driver.press("z")
            assert screen.state.picture.scene.zoom is first.turned(n)
            cursor = screen.state.picture.cursor
            assert cursor == out(0, 0)
            if screen.state.picture.scene.zoom is not Zoom.OVERVIEW:  # where another click is for the element below
                await driver.click("#outputs", *driver.cell(cursor))
        await driver.press("Z")
        chosen = first.turned(-1)
        assert screen.state.picture.scene.zoom is chosen
        field = await driver.focus("Axis")
        await driver.press("z")
        assert field.value == "z"  # a field keeps its letters
        await driver.press("backspace", "0")
        assert screen.state.picture.scene.zoom is chosen
        driver.side(True).focus()
        driver.open(one(dml.Tile(dml.TensorDesc("INT8", (2, 2)), (1, 2))))
        await driver.settle()
        assert screen.workspace.picture.zoom is None

    explore(script, size=(200, 50))


def test_a_zoom_that_would_hide_what_sends_an_element_is_left_out_both_ways() -> None:
    async def script(driver: Driver) -> None:
        scene = driver.screen.workspace.picture.scene
        assert scene is not None
        assert arrange(scene.trace, 60, 14, Zoom.LARGE).zoom is Zoom.VALUES
        seen = []
        for key in (*["z"] * 4, *["Z"] * 4):
            await driver.press(key)
            scene = driver.screen.workspace.picture.scene
            assert scene is not None
            seen.append(scene.zoom)
        three = [Zoom.BLOCKS, Zoom.OVERVIEW, Zoom.VALUES]
        assert seen == [*three, Zoom.BLOCKS, Zoom.VALUES, Zoom.OVERVIEW, Zoom.BLOCKS, Zoom.VALUES]

    explore(script, size=(70, 20))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gather of eight", "reverse of eight", "a line", "three", "join", "split"])
def test_a_giant_is_walked_in_every_zoom(kind: str) -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        for _ in Zoom:
            await driver.press("home", "full_stop", "down", "right", "pagedown", "shift+pagedown", "end", "pageup", "z")
            assert screen.state.picture.cursor is not None
            assert screen.state.view.trace is not None
            assert screen.state.picture.scene is not None
            assert screen.state.picture.scene.outputs.figure(screen.state.picture.cursor.place).shows(
                screen.state.picture.cursor.index
            )
            side = driver.side(True)
            line = side.line_of(screen.state.picture.cursor)
            assert line is not None
            assert any(segment.style.bold for segment in side.render_line(line) if segment.style)

    explore(script, one(GIANTS[kind](dml.TensorDesc)))


def test_another_click_on_half_a_character_is_for_the_lower_element() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        driver.zoom(Zoom.OVERVIEW)
        await driver.settle()
        side = driver.side(False)
        assert side.stack is not None
        x, y = side.stack.place(into(0, 0))
        at = x + side.stack.figures[0].margin, y
        found = []
        for _ in range(2):
            await driver.click("#inputs", *at)
            found.append(screen.state.picture.cursor)
        assert found == [into(0, 0), into(1, 0)]
        await driver.click("#inputs", *at)
        assert screen.state.picture.cursor == into(0, 0)

    explore(script)


def test_only_lines_that_changed_are_drawn_again() -> None:
    async def script(driver: Driver) -> None:
        side = driver.side(True)
        await driver.press("down")
        before = side._window
        assert before is not None
        rows = [side.render_line(y) for y in range(side.size.height)]
        await driver.press("down")
        after = [side.render_line(y) for y in range(side.size.height)]
        same = [one is other for one, other in zip(rows, after, strict=True)]
        assert 2 <= same.count(False) <= 6  # the row that was left and the one that was reached
        assert all(one == other for one, other, kept in zip(rows, after, same, strict=True) if kept)

    explore(script, "reverse-1")


def test_the_wheel_scrolls_and_the_cursor_stays() -> None:
    async def script(driver: Driver) -> None:
        side, screen = driver.side(True), driver.screen
        cursor = screen.state.picture.cursor
        side._on_mouse_scroll_down(_wheel(side))
        await driver.settle()
        await driver.pilot.pause(0.5)
        assert side.scroll_offset.y > 0
        side._on_mouse_scroll_down(_wheel(side, shift=True))
        await driver.pilot.pause(0.5)
        assert side.scroll_offset.x > 0
        assert screen.state.picture.cursor == cursor

    giant = dml.Gather(dml.TensorDesc("INT8", (65535, 65535)), dml.TensorDesc("UINT32", (1, 65535)), 0, 1)
    explore(script, one(giant))


def _wheel(widget: Any, *, shift: bool = False) -> events.MouseScrollDown:
    return events.MouseScrollDown(widget, 1, 1, 0, 1, 0, shift, meta=False, ctrl=False)


# ---- turned on request


def test_t_turns_every_tensor_and_says_so_until_it_is_pressed_again() -> None:
    async def script(driver: Driver) -> None:
        screen = driver.screen
        scene = screen.state.picture.scene
        assert scene is not None
        upright = scene.layout
        await driver.press("T")
        await driver.settle()
        assert screen.state.view.turned
        assert "turned" in driver.text("#inputs")
        assert "turned" in driver.text("#outputs")
        turned = screen.state.picture.scene
        assert turned is not None
        assert (turned.layout.down, turned.layout.across) == (upright.across, upright.down)
        await driver.press("z", "Z")  # no zoom and no edit turns it back
        field = await driver.focus("Axis")
        await driver.press("backspace", "7")
        await driver.settle()
        assert not screen.state.view.report.ok
        assert screen.state.view.turned
        await driver.press("T")
        assert field.value == "7T"  # a field keeps its letters
        await driver.press("backspace", "backspace", "2")
        await driver.settle()
        screen.action_turn_picture()
        await driver.settle()
        assert not screen.state.view.turned
        assert "turned" not in driver.text("#inputs")
        assert "Turn the picture" in {offer.title for offer in screen.offers()}

    explore(script, "reverse-2")


@pytest.mark.parametrize("shipped", examples.all_examples(), ids=lambda shipped: shipped.name)
def test_an_example_stands_alike_in_every_window(shipped: examples.Example) -> None:
    """Rows are rows and columns are columns, as its notes call them, at 80x24, 100x30, 120x36 and 200x50."""
    for each in shipped.session().experiments:
        trace = view_state_of(each).trace
        if trace is None:
            continue
        found = [arrange(trace, *room).layout for room in ((65, 15), (40, 21), (60, 20), (90, 33))]
        assert len({(tuple(sorted((*layout.down, *layout.sliced))), layout.across) for layout in found}) == 1
        assert found[0].across == (across_of(trace),)


@pytest.mark.parametrize(
    ("zoom", "said"), [(Zoom.BLOCKS, "a block is one element"), (Zoom.OVERVIEW, "half a block is")]
)
@pytest.mark.parametrize("room", [(76, 22), (110, 34)], ids=str)
def test_blocks_of_a_giant_say_what_they_stand_for(zoom: Zoom, said: str, room: tuple[int, int]) -> None:
    desc = dml.Tile(dml.TensorDesc("INT8", (65535, 4)), (1, 65535 // 4))
    scene = arrange(dml.trace(desc), *room, zoom, lane=7)
    lines = stack_lines(scene.outputs, 0, room[1], 0, room[0] - 7 - scene.share, Look(), Partners())
    head = [text_of(line) for line in lines[: scene.outputs.figures[0].head]]
    note = next(line for line in head if said in line)
    assert re.search(r"0–\d+", note), "and which of them are seen"
