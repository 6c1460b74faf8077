"""Zooms: which is taken, and what each draws of the cursor, of identities and of what is not yet written."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.layouts import RELAXED, ROOMS, elements
from support.scenes import figures
from support.strategies import Case, cases

import dmlviz as dml
from dmlviz.operators.maps import Place
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
