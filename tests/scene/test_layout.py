"""Any rank, any size: which axes go where, what is sliced, and what has room."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from operator_kit.cases.join import joins
from operator_kit.cases.split import splits
from support.scenes import RELAXED, ROOMS, ZOOMS, figures, text_of
from support.strategies import Case, cases
from support.work import Work

import dmlviz as dml
from dmlviz.operators.maps import Place
from dmlviz.scene.drawing.small_table import CELL_SIZES, SmallTable, placed
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.layout.arrange import Answers, Scene, _picture, arrange
from dmlviz.scene.layout.headings import Words
from dmlviz.scene.layout.zoom import SIZES, Zoom
from dmlviz.scene.look import Look
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment
from dmlviz.tracing import Trace


def sides(trace: Trace) -> tuple[list[Any], list[Any]]:
    return [(Place(False, k), p) for k, p in enumerate(trace.inputs)], [
        (Place(True, k), p) for k, p in enumerate(trace.outputs)
    ]


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


@RELAXED
@given(cases(), st.integers(16, 160), st.integers(5, 50), st.sampled_from(Zoom), st.booleans())
def test_what_fits_is_whole_and_nothing_is_sliced_or_scrolled_that_would_fit(
    case: Case, width: int, height: int, zoom: Zoom, turned: bool
) -> None:
    trace = dml.trace(case.desc, case.arrays)
    scene = arrange(trace, width, height, zoom, turned=turned)
    if scene.layout.fits:
        assert scene.inputs.extent + scene.outputs.extent <= width
        assert max(scene.inputs.height, scene.outputs.height) <= height
    picture = _picture(trace, (width, height), zoom, turned=turned)
    # large cells that would hide indices give way to smaller ones
    sizes = [size for size in SIZES if size.zoom in (zoom, scene.layout.zoom)]
    for sliced in [()] if scene.layout.sliced else []:
        assert not any(picture.fits(picture.layout(size, scene.layout.beside, sliced)) for size in sizes)
    if scene.layout.fits and not scene.layout.sliced:
        here, lines = sizes.index(scene.layout.size), scene.layout.size.lines
        # cells may be one width less than there is room for, where titles have words for it
        larger = [size for at, size in enumerate(sizes[:here]) if size.lines > lines or at < here - 1]
        assert not any(picture.fits(picture.layout(size, scene.layout.beside)) for size in larger)


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
        picture = _picture(trace, room, Zoom.VALUES, turned=turned)
        assert scene.layout.sliced or not picture.fits(picture.layout(SIZES[-2], wanted))
    if stack.beside:
        assert scene.layout.fits
        for one, other in pairwise(stack.figures):
            x, y = stack.locate(Cursor(one.place, one.index(0, one.columns.count - 1)))
            beyond, level = stack.locate(Cursor(other.place, other.index(0, 0)))
            assert y == level or one.head != other.head
            assert x + one.margin + one.cell < beyond + other.margin


def test_eight_dimensions_are_laid_out_with_little_work() -> None:
    desc = dml.Tile(dml.TensorDesc("INT32", (2, 3, 2, 3, 2, 3, 2, 3)), (2,) * 8)
    trace = Experiment("eight", desc).trace()
    arrange(trace, 134, 34)
    with Work() as work:
        arrange(trace, 134, 34)
    assert work.done < 10_000


@pytest.mark.drawn(8)
@pytest.mark.parametrize("room", [(66, 16), (77, 20), (77, 22), (157, 34)], ids=str)
@pytest.mark.parametrize("name", ["gather-2", "join-1", "split-2", "reverse-1", "tile-1"])
def test_a_picture_takes_the_room_that_there_is(name: str, room: tuple[int, int]) -> None:
    """It reaches nearly to an edge, its cells are filled in proportion, and titles have types where lines are left."""
    scene = arrange(examples.example(name).session().experiments[0].trace(), *room, lane=7)
    layout, sides = scene.layout, (scene.inputs, scene.outputs)
    assert layout.fits
    wide = sum(stack.width for stack in sides) + layout.lane
    high = max(stack.height - stack.above for stack in sides)
    assert wide > 0.8 * room[0] or high > 0.8 * room[1] or layout.size is SIZES[0]
    assert layout.words <= Words.TYPED or high + len(scene.inputs.figures) + 1 > room[1] or wide + 10 > room[0]
    assert not any(layout.size.width.tight) or wide + scene.outputs.figures[0].columns.count > room[0]


def test_the_cursor_goes_on_in_the_next_tensor_and_stays_where_there_is_none() -> None:
    def after(name: str, index: tuple[int, ...], rows: int, columns: int, number: int = 0) -> tuple[int, ...]:
        stack = arrange(examples.example(name).session().experiments[0].trace(), 90, 30, Zoom.VALUES).inputs
        at = stack.moved(Cursor(Place(False, number), index), rows, columns)
        return at.place.number, *at.index

    below, beside = "join-2-axis-1", "join-2-axis-3"
    assert after(below, (0, 0, 1, 1), 1, 0) == (1, 0, 0, 0, 0)
    assert after(below, (0, 0, 0, 1), 1, 0) == (0, 0, 0, 1, 1)
    assert after(below, (0, 0, 0, 1), -1, 0, 1) == (0, 0, 0, 1, 0)
    assert after(below, (0, 0, 0, 1), -1, 0) == (0, 0, 0, 0, 1)
    assert after(below, (0, 0, 1, 1), 5, 0, 2) == (2, 0, 0, 1, 1)
    assert after(below, (0, 0, 1, 0), 0, -1, 1) == (1, 0, 0, 1, 0)
    assert after(beside, (0, 0, 1, 1), 0, 1) == (1, 0, 0, 1, 0)
    assert after(beside, (0, 0, 1, 0), 0, -1, 2) == (1, 0, 0, 1, 1)
    assert after(beside, (0, 0, 1, 1), 0, 1, 2) == (2, 0, 0, 1, 1)
    assert after(beside, (0, 0, 1, 0), 0, -1) == (0, 0, 0, 1, 0)
    assert after(beside, (0, 0, 0, 1), 1, 0, 1) == (1, 0, 0, 1, 1)


def test_slices_are_turned_like_the_digits_of_a_number() -> None:
    desc = dml.Tile(dml.TensorDesc("INT32", (4, 3, 9, 12)), (1, 1, 1, 2))
    scene = arrange(Experiment("slices", desc).trace(), 76, 10)
    stack, place = scene.outputs, Place(True, 0)

    def turned(index: tuple[int, ...], by: int, outer: int = 0) -> tuple[int, ...] | None:
        found = stack.turned(Cursor(place, index), by, outer)
        return found.index if found is not None else None

    assert scene.layout.sliced == (0, 1)
    assert turned((2, 1, 7, 3), 1) == (2, 2, 7, 3)
    assert turned((2, 2, 7, 3), 1) == (3, 0, 7, 3)
    assert turned((2, 0, 7, 3), -1) == (1, 2, 7, 3)
    assert turned((2, 1, 7, 3), 1, 1) == (3, 1, 7, 3)
    assert turned((3, 2, 7, 3), 1) == (3, 2, 7, 3)
    assert turned((0, 0, 7, 3), -1) == (0, 0, 7, 3)
    assert turned((0, 0, 7, 3), 1, 2) is None
    there = scene.following(Cursor(place, (2, 1, 7, 15)))
    assert [stack.figures[0].at for stack in (there.inputs, there.outputs)] == [(2, 1, 7, 3), (2, 1, 7, 15)]
    assert there.at_first().outputs.figures[0].at == (0, 0, 0, 0)
    assert there.following(None) is there
    assert scene.following(Cursor(Place(False, 0), (1, 1, 0, 0))).outputs.figures[0].at == (1, 1, 0, 0)


def test_a_question_keeps_columns_for_answers_and_a_line_for_itself() -> None:
    trace = examples.example("gather-2").session().experiments[0].trace()

    def scene(**answers: Any) -> Scene:
        return arrange(trace, 140, 20, Zoom.VALUES, answers=Answers(**answers))

    cells = [[f.cell for f in (*each.inputs.figures, *each.outputs.figures)] for each in (scene(), scene(more=6))]
    assert cells == [[7, 7, 7], [7, 7, 3 + 6 + 2]]
    alone = scene(outputs=False)
    assert not alone.outputs.figures
    assert alone.share == 140
    assert [scene(asked=asked).inputs.above for asked in (True, False)] == [3, 4]


@example([5] * 6, 31, False)
@given(st.lists(st.integers(1, 5), min_size=1, max_size=6), st.integers(4, 60), st.booleans())
def test_tables_stand_in_the_fewest_rows_of_as_many_each(sizes: list[int], width: int, in_row: bool) -> None:
    tables = [SmallTable((((1, n), "7" * n),)) for n in sizes]
    places = placed(tables, CELL_SIZES[-1], width, 2, [0] * len(sizes), in_row=in_row)
    wide = [table.width(CELL_SIZES[-1]) for table in tables]
    if sum(wide) + 2 * (len(wide) - 1) <= width:
        assert places is not None
        assert {y for _, y in places} == {0}
    elif in_row or max(wide) > width:
        assert places is None
    else:
        assert places is not None
        rows = [[x for x, y in places if y == top] for top in sorted({y for _, y in places})]
        assert {len(row) for row in rows[:-1]} == {len(rows[0])} >= {max(map(len, rows))}
        for fewer in range(1, len(rows)):
            most = -(-len(wide) // fewer)
            parts = [wide[at : at + most] for at in range(0, len(wide), most)]
            assert any(sum(part) + 2 * (len(part) - 1) > width for part in parts)
        assert all(x + columns <= width for (x, _), columns in zip(places, wide, strict=True))
