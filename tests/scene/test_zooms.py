"""Zooms: which is taken, and what each draws of the cursor, of identities and of what is not yet written."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.layouts import RELAXED, ROOMS, elements
from support.scenes import figures
from support.strategies import Case, cases

import dmlviz as dml
from dmlviz.operators.maps import Place
from dmlviz.scene.cells.contents import NOWHERE_SIGN
from dmlviz.scene.drawing.stack_lines import stack_lines
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.elements.known import EVERYTHING
from dmlviz.scene.elements.partners import Partners, partners
from dmlviz.scene.layout.arrange import arrange
from dmlviz.scene.layout.figure import Figure
from dmlviz.scene.layout.stack import Stack
from dmlviz.scene.layout.zoom import Zoom
from dmlviz.scene.look import Look
from dmlviz.scene.spans import Style
from dmlviz.scene.steps.order import Steps


def cell_at(figure: Figure, stack: Stack, index: tuple[int, ...], look: Look, links: Partners) -> tuple[str, Style]:
    x, y = stack.locate(Cursor(figure.place, index))
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
    scene = arrange(trace, *room, zoom).following(cursor)
    links, look = partners(trace, cursor), Look(cursor, written)
    source = trace.source(cursor.place.number, cursor.index)
    wanted = [cursor]
    if not source.nowhere:
        wanted.append(Cursor(Place(False, source.tensor), source.index))
    if source.via is not None:
        wanted.append(Cursor(Place(False, source.via.tensor), source.via.index))
    for each in wanted:
        stack = scene.stack(each.place.is_output)
        figure = stack.figure(each.place)
        text, style = cell_at(figure, stack, each.index, look, links)
        assert style.marked
        if zoom is Zoom.BLOCKS:
            assert text == "▌▐"
    others = [(s, f, i) for s, f in figures(scene) for i in elements(f) if f.shows(i)]
    stack, figure, index = data.draw(st.sampled_from(others))
    if Cursor(figure.place, index) not in wanted:
        assert not cell_at(figure, stack, index, look, links)[1].marked


def step_of(steps: Steps, figure: Figure, index: tuple[int, ...]) -> int:
    """The step that writes an output element."""
    return int(steps.when(figure.place.number, tuple(np.array([i], np.int64) for i in index))[0])


@RELAXED
@given(cases(), ROOMS, st.data())
def test_blocks_have_the_colour_of_their_element(case: Case, room: tuple[int, int], data: st.DataObject) -> None:
    trace = dml.trace(case.desc, case.arrays)
    written = data.draw(st.none() | st.integers(0, Steps(trace).count))
    steps = Steps(trace)
    look = Look(None, EVERYTHING if written is None else steps.until(written))
    for stack, figure in figures(arrange(trace, *room, Zoom.BLOCKS).packed()):
        index = data.draw(st.sampled_from([i for i in elements(figure) if figure.shows(i)]))
        text, style = cell_at(figure, stack, index, look, Partners())
        at = tuple(np.array([i], np.int64) for i in index)
        identity = int(trace.identity(figure.place, at)[0])
        if not figure.place.is_output and not look.written.whole:
            # Which identity an input has is told with what reads it; how often it is read, with all.
            assert style.identity in (-1, identity)
            continue
        filled = figure.place.is_output and trace.source(figure.place.number, index).nowhere
        hidden = figure.place.is_output and written is not None and step_of(steps, figure, index) > written
        unread = not figure.place.is_output and not len(trace.destinations(figure.place.number, index))
        assert style.identity == (-1 if hidden or unread else identity)
        assert ("·" in text) == hidden
        assert (NOWHERE_SIGN in text) == (filled and not hidden)
        assert (text == "×0") == (unread and not hidden)
