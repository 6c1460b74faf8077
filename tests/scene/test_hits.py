"""What is found where in every zoom: in slices, scrolled, and beside what stays in a window."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from operator_kit.cases.gather import gathers
from operator_kit.cases.reverse_subsequences import reversals
from support.scenes import RELAXED, ROOMS, ZOOMS, elements, text_of
from support.strategies import Case, cases

import dmlviz as dml
from dmlviz.operators.maps import Place
from dmlviz.scene.drawing.stack_lines import stack_lines
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.elements.partners import Partners
from dmlviz.scene.layout.arrange import arrange
from dmlviz.scene.layout.zoom import Zoom
from dmlviz.scene.look import Look
from dmlviz.scene.steps.order import Steps
from dmlviz.session.experiments import Experiment


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
    if source.nowhere:
        return  # no input has anything to show
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
    cursor: Cursor | None = stack.upper_left()
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
    line = stack_lines(scene.outputs, 0, 2, 0, 80, Look(), Partners())[1]
    assert "axis 0 = 2 of 9" in text_of(line)
    marks = [(span.text.strip(), span.action) for span in line if span.action]
    assert marks == [(mark, f"turn(0, {axis}, {by})") for axis in (0, 1) for mark, by in (("‹", -1), ("›", 1))]
    (figure,) = scene.outputs.figures
    assert [figure.turned(axis, by)[:2] for axis in (0, 1) for by in (-1, 1)] == [(1, 0), (3, 0), (2, 0), (2, 1)]
    assert scene.inputs.figures[0].at == (2, 0, 7, 10)


@RELAXED
@given(st.one_of(gathers(), reversals()), st.sampled_from([(30, 14), (44, 12), (66, 16)]), ZOOMS, st.data())
def test_a_cell_is_found_unless_a_ruler_lies_over_it(
    case: Case, room: tuple[int, int], zoom: Zoom | None, data: st.DataObject
) -> None:
    trace = dml.trace(case.desc, case.arrays)
    stack = arrange(trace, *room, zoom).inputs
    top = data.draw(st.integers(0, max(0, stack.height - room[1])))
    left = data.draw(st.integers(0, max(0, stack.extent - 10)))
    for figure in stack.figures:
        for index in elements(figure):
            each = Cursor(figure.place, index)
            x, y = stack.locate(each)
            if x < left or not 0 <= y - top < room[1]:
                continue
            found = stack.hit(x - left + figure.margin, y - top, top, left)
            assert (found == each) != stack.covers(y - top, top)
