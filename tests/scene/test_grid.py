"""Cells, rulers and the route of a value lie on one grid, at every size of the screen."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from support.effort import FULL, tried
from support.strategies import Case, cases

import dmlviz as dml
from dmlviz.operators.maps import Place
from dmlviz.scene.cells.contents import SMALL_DIGITS
from dmlviz.scene.drawing.stack_lines import stack_lines
from dmlviz.scene.drawing.wires import Route, Wire, route, wired
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.elements.lookup import source_of
from dmlviz.scene.elements.partners import Partners
from dmlviz.scene.layout.arrange import Scene, arrange
from dmlviz.scene.layout.figure import Figure
from dmlviz.scene.layout.margins import place_columns
from dmlviz.scene.layout.stack import Stack
from dmlviz.scene.layout.zoom import Zoom, lettered
from dmlviz.scene.look import Look
from dmlviz.scene.spans import Style
from dmlviz.scene.view_state import view_state_of
from dmlviz.session import examples

RELAXED = tried(30, suppress_health_check=list(HealthCheck))
ROOMS = ((53, 8, 0), (65, 13, 0), (72, 15, 7), (67, 19, 7), (79, 19, 7), (105, 25, 15), (117, 33, 15), (170, 43, 15))
"""(columns, lines, columns that the lane would like) of pictures on screens from 60x18 to 240x60."""
FILLED = ("cell", "nowhere", "empty", "unread", "stale", "broken cell")
NEXT = ((0, 1), (0, -1), (1, 0), (-1, 0))


def drawn(scene: Scene, stack: Stack, height: int) -> list[list[tuple[str, Style]]]:
    """What a window shows, column by column."""
    width = scene.share if stack is scene.inputs else 400
    lines = stack_lines(stack, 0, height, 0, width, Look(), Partners())
    return [[(char, span.style) for span in line for char in span.text] for line in lines]


def room_of(scene: Scene, stack: Stack, room: tuple[int, int, int]) -> int:
    return scene.share if stack is scene.inputs else room[0] - scene.layout.lane - scene.share


def check_grid(scene: Scene, room: tuple[int, int, int]) -> None:
    for stack in (scene.inputs, scene.outputs):
        screen = drawn(scene, stack, room[1])
        taken: dict[tuple[int, int], Place] = {}
        for number, figure in enumerate(stack.figures):
            check_inside(stack, figure, number, room_of(scene, stack, room), room[1])
            for row, column in product(range(figure.rows.count), range(figure.columns.count)):
                check_cell(stack, figure, (row, column), screen, taken)
            check_rulers(stack, figure, screen)


def check_inside(stack: Stack, figure: Figure, number: int, width: int, height: int) -> None:
    """A tensor lies whole in its window, and beside or below the one before."""
    assert stack.lefts[number] + figure.extent <= width
    assert stack.tops[number] + figure.height <= height
    if number and stack.beside:
        before = stack.figures[number - 1]
        assert stack.lefts[number - 1] + before.extent < stack.lefts[number]
    elif number:
        assert stack.tops[number - 1] + stack.figures[number - 1].height <= stack.tops[number]


def check_cell(
    stack: Stack,
    figure: Figure,
    at: tuple[int, int],
    screen: list[list[tuple[str, Style]]],
    taken: dict[tuple[int, int], Place],
) -> None:
    """Every cell of a tensor is filled over the same columns and lines, and no other has one of them."""
    index = figure.index(*at)
    x, y = stack.locate(Cursor(figure.place, index))
    x, top, end = x + figure.margin, y - figure.middle, x + figure.margin + figure.cell
    for line, column in product(range(top, top + figure.lines), range(x, end)):
        assert (column, line) not in taken
        taken[column, line] = figure.place
        assert screen[line][column][1].kind.removesuffix(" edge") in FILLED
        assert stack.hit(column, line, 0, 0) == Cursor(figure.place, index)
    for line in range(top, top + figure.lines):
        assert screen[line][x - 1][1].kind not in FILLED
        assert len(screen[line]) <= end or screen[line][end][1].kind not in FILLED
    middle = "".join(char for char, _ in screen[y][x:end])
    if figure.letters == "cell" and figure.lines > 3:
        assert not middle.strip()[:1].isalpha()  # letters have a line of their own
    high = range(y - 1, y + 2) if figure.lines > 3 and figure.letters != "cell" else range(y, y + 1)
    columns = zip(*([char for char, _ in screen[line][x:end]] for line in high), strict=True)
    text = "".join("".join(column).strip()[:1] or " " for column in columns)  # a large number's lines taken together
    assert not re.search(rf"[^ !{SMALL_DIGITS}][{SMALL_DIGITS}]", text), "a place is read as a part of its value"
    text = "".join(" " if char in SMALL_DIGITS else char for char in text)  # the place in a sequence stands at the edge
    signed = text.strip().endswith(("!", "-")) or text.strip().startswith("∅")  # a sign stands at the edge
    if figure.letters != "cell" and not signed:
        ahead, behind = len(text) - len(text.lstrip()), len(text) - len(text.rstrip())
        assert abs(ahead - behind) <= 1 + place_columns(figure.trace)  # in the middle, with its place in a sequence
    if figure.letters == "cell" and figure.lines <= 3 and not signed and not place_columns(figure.trace):
        # A letter and its value fill their cell, or stand in the middle; as nearly as can be with a blank between.
        assert len(text) - len(text.strip()) != 1 or " " in text.strip()


def check_rulers(stack: Stack, figure: Figure, screen: list[list[tuple[str, Style]]]) -> None:
    """Indices stand over the middle of their columns, and on the line of their rows' values."""
    number = figure.place.number
    if figure.across:
        ruler = stack.tops[number] + figure.head - 1
        labels = "".join(char for char, _ in screen[ruler])
        for column in range(figure.columns.count):
            text = str(figure.columns.split(column)[-1])
            x = stack.lefts[number] + figure.margin + figure.columns.position(column)
            cell = figure.cell
            start = x + max(0, cell - len(text)) // 2
            if len(text) < cell:
                assert labels[start : start + len(text)] == text
                assert abs(2 * start + len(text) - 2 * x - cell) <= 1
    for row in range(figure.rows.count if figure.down else 0):
        _, y = stack.locate(Cursor(figure.place, figure.index(row, 0)))
        before = "".join(char for char, _ in screen[y][stack.lefts[number] :][: figure.margin])
        assert before.split()[-1] == str(figure.rows.split(row)[-1])


def expanded(wires: tuple[Wire, ...], width: int) -> set[tuple[int, int]]:
    """Every column and line of a route."""
    return {(x + i, y) for x, y, text in wires for i in range(len(text) or max(0, width - x))}


def body_of(stack: Stack, figure: Figure) -> set[tuple[int, int]]:
    """Every column and line of a tensor's rows: rulers, letters and cells."""
    left, top = stack.lefts[figure.place.number], stack.tops[figure.place.number] + figure.head
    tops = [top + figure.rows.position(row) for row in range(figure.rows.count)]
    lines = {start + line for start in tops for line in range(figure.lines)}
    return set(product(range(left, left + figure.extent), lines))


def check_leaving(scene: Scene, source: Cursor, target: Cursor, found: Route) -> None:
    """A route begins at its source's cell, below it where its row has air, and goes through no other tensor.

    An index or length that sends it has an arrow on that very route, right below it, where it has air.
    """
    stack, number = scene.inputs, source.place.number
    figure, (x, row) = stack.figures[number], stack.locate(source)
    past = stack.figures[number + 1 :] if stack.beside else ()
    left, top = x + figure.margin, row - figure.middle
    assert found.inputs
    start = found.inputs[0][:2]
    is_last = figure.column_of(source.index) == figure.columns.count - 1
    if is_last or not (figure.aired or (figure.apart and figure.rows.count > 1)):
        assert start == (left + figure.cell, row)
    else:
        assert start in [(left + figure.cell // 2, y) for y in (top - 1, top + figure.lines)]
    entered = row if found.enters is None else found.enters
    assert found.inputs[-1][1:] == (entered, "")
    if not past:
        return
    cells = expanded(found.inputs, scene.share)
    assert not any(cells & body_of(stack, other) for other in past)
    reached = {start}
    while grown := {(x + dx, y + dy) for x, y in reached for dx, dy in NEXT} & cells - reached:
        reached |= grown
    assert reached == cells
    via = scene.trace.source(target.place.number, target.index).via
    if via is not None and stack.figures[via.tensor].aired:
        x, y = stack.locate(Cursor(Place(False, via.tensor), via.index))
        figure = stack.figures[via.tensor]
        is_seen = figure.apart or figure.row_of(via.index) == figure.rows.count - 1
        head = x + figure.margin + figure.cell // 2, y - figure.middle + figure.lines, "▲"
        assert not is_seen or head in found.inputs


def check_arriving(scene: Scene, target: Cursor, found: Route) -> None:
    """A route to a tensor behind others ends on its row right before it, and is in none of them."""
    stack, number, row = scene.outputs, target.place.number, scene.outputs.locate(target)[1]
    if not stack.beside or not number:
        assert found.ends is None
        assert all(wire.y == row for wire in found.outputs)
        return
    cells = expanded(found.outputs, stack.lefts[number])
    assert (stack.lefts[number] - 1, row) in cells
    assert found.outputs[-1].text == "▶"
    assert (0, found.ends) in cells
    assert not any(cells & body_of(stack, other) for other in stack.figures[:number])


def check_route(scene: Scene, room: tuple[int, int, int]) -> None:
    """The route to every output element is on the lines of what it joins, crosses no cell, and reaches the lane."""
    for place in {figure.place for figure in scene.outputs.figures}:
        figure = scene.outputs.figure(place)
        for index in {figure.index(0, 0), figure.index(figure.rows.count - 1, figure.columns.count - 1)}:
            target = Cursor(place, index)
            source = source_of(scene.trace, target)
            if source is None:
                continue
            found = route(scene, source, target)
            check_leaving(scene, source, target, found)
            check_arriving(scene, target, found)
            for stack, wires in ((scene.inputs, found.inputs), (scene.outputs, found.outputs)):
                width = room_of(scene, stack, room)
                lines = stack_lines(stack, 0, room[1], 0, width, Look(), Partners())
                for line, other in zip(lines, wired(lines, wires, width), strict=True):
                    text, after = ("".join(span.text for span in each) for each in (line, other))
                    assert len(after) <= max(width, len(text))
                    pairs = {*zip(text, after, strict=False)}
                    assert all(one in (" ", two) for one, two in pairs)


@pytest.mark.drawn(4)
@pytest.mark.parametrize("shipped", examples.all_examples(), ids=lambda shipped: shipped.name)
def test_examples_lie_on_the_grid_at_every_size(shipped: examples.Example) -> None:
    for each in shipped.session().experiments[:2]:
        trace = view_state_of(each).trace
        if trace is None:
            continue
        for room in ROOMS if FULL else ROOMS[::3]:
            scene = arrange(trace, *room[:2], lane=room[2])
            if scene.layout.fits:
                check_grid(scene, room)
                check_route(scene, room)


@RELAXED
@given(cases(), st.sampled_from(ROOMS), st.sampled_from([None, Zoom.LARGE, Zoom.VALUES]))
def test_any_picture_lies_on_the_grid(case: Case, room: tuple[int, int, int], zoom: Zoom | None) -> None:
    scene = arrange(dml.trace(case.desc, case.arrays), *room[:2], zoom, lane=room[2])
    if scene.layout.fits and lettered(scene.zoom):
        check_grid(scene, room)
        check_route(scene, room)
