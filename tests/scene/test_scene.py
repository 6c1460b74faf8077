"""The picture, asked by coordinate: where elements lie, what stands there, what is marked, and what it costs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st
from support.effort import tried
from support.one_session import experiment_of
from support.scenes import (
    ROOMS,
    as_scrolled,
    cell_of,
    characters,
    elements,
    figures,
    picture,
    stacks,
    whole,
)
from support.strategies import LONG_PADDED, PADDED, Case, cases

from dmlviz.desc.fields import Role
from dmlviz.formats.page_text import short_number
from dmlviz.operators.maps import Place
from dmlviz.scene.cells.contents import NOWHERE_SIGN
from dmlviz.scene.colour.palette import letter
from dmlviz.scene.drawing.stack_lines import stack_lines
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.elements.partners import partners
from dmlviz.scene.layout.figure import Figure
from dmlviz.scene.layout.margins import place_columns
from dmlviz.scene.look import Look
from dmlviz.scene.spans import Style
from dmlviz.scene.steps.order import Steps
from dmlviz.scene.view_state import view_state_of
from dmlviz.session.experiments import Experiment
from dmlviz.tracing import Trace

RELAXED = tried(40, suppress_health_check=list(HealthCheck))
SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉"


def value_at(trace: Trace, place: Place, index: tuple[int, ...]) -> str:
    """What stands for an element, by the trace alone."""
    at = tuple(np.array([i], np.int64) for i in index)
    if place.is_output:
        return short_number(trace.window(place.number, at)[0])
    flat = np.ravel_multi_index(index, trace.inputs[place.number].tensor.sizes)
    return short_number(trace.read(place.number, np.array([flat], np.int64))[0])


def identity_at(trace: Trace, place: Place, index: tuple[int, ...]) -> int:
    return int(trace.identity(place, tuple(np.array([i], np.int64) for i in index))[0])


# ---- where elements lie


@RELAXED
@given(cases(), ROOMS)
def test_every_cell_is_its_own_element_and_nothing_lies_beside_cells(case: Case, room: tuple[int, int]) -> None:
    for stack in stacks(picture(case, room)):
        held: dict[tuple[int, int], Cursor] = {}
        for figure in stack.figures:
            for index in elements(figure):
                x, y = cell_of(stack, figure, index)
                # The empty line below a row belongs to it, up to the last row.
                last = stack.tops[figure.place.number] + figure.head + figure.body
                for column, line in product(range(x, x + figure.cell), range(y, min(y + figure.lines, last))):
                    assert (column, line) not in held
                    held[column, line] = Cursor(figure.place, index)
        right = max(x for x, _ in held) + 4
        for y in range(-1, stack.height + 2):
            for x in range(right):
                assert stack.hit(x, y, 0, 0) == held.get((x, y)), (x, y)


@RELAXED
@given(cases(), ROOMS, st.data())
def test_the_cursor_moves_over_every_element_and_never_outside(
    case: Case, room: tuple[int, int], data: st.DataObject
) -> None:
    scene = picture(case, room)
    stack = data.draw(st.sampled_from(stacks(scene)))
    reached, rows = {stack.upper_left()}, [stack.upper_left()]
    down = stack.upper_left()
    while (below := stack.moved(down, 1, 0)) != down:
        down = below
        rows.append(below)
    for row in rows:
        at = row
        while stack.figure(at.place).locate(at.index)[0] and (left := stack.moved(at, 0, -1)) != at:
            at = left
        reached.add(at)
        while (right := stack.moved(at, 0, 1)) != at:
            at = right
            reached.add(at)
    assert reached == {Cursor(f.place, index) for f in stack.figures for index in elements(f)}


# ---- what stands there


def check_cell(figure: Figure, index: tuple[int, ...], drawn: Sequence[tuple[str, Style]], clamped: bool) -> None:
    """Holds one cell's columns against the trace."""
    trace, place = figure.trace, figure.place
    identity, value = identity_at(trace, place, index), value_at(trace, place, index)
    text = "".join(char for char, _ in drawn)
    styles = {style for _, style in drawn}
    columns = figure.cell
    assert len(text) == columns
    assert len(styles) == 1
    style = styles.pop()
    at = tuple(np.array([i], np.int64) for i in index)
    found = trace.colours.sequence_places(trace.desc, place, at, trace.read)
    nowhere = place.is_output and trace.source(place.number, index).nowhere
    name = NOWHERE_SIGN if nowhere else letter(identity) if figure.letters == "cell" else ""
    number = str(int(found[0][0])) if found is not None and found[0][0] >= 0 else ""
    said, small = re.sub(f"[{SUBSCRIPTS}]", "", text).strip(), "".join(char for char in text if char in SUBSCRIPTS)
    body = re.sub("[!-]$", "", said)
    needs = len(value) + len(name) + place_columns(trace) + 1
    if small or needs <= columns:  # it gives way before it would touch the value
        assert small == "".join(SUBSCRIPTS[int(digit)] for digit in number)
    assert not small or text.rstrip().endswith(small), "at the edge"
    assert not small or text[: text.index(small)][-1:] in (" ", "!"), "apart from the value"
    assert body.startswith(name)
    body = body[len(name) :].strip()
    assert body == value or (body.endswith("…") and value.startswith(body[:-1])), (text, value)
    if len(value) + place_columns(trace) + 2 + len(name) + bool(name) <= columns:
        assert body == value
    unread = False
    if not place.is_output and figure.part.field.role is Role.DATA:
        unread = not len(trace.destinations(place.number, index))
    assert style.kind == ("unread" if unread else "nowhere" if nowhere else "cell")
    assert style.identity == (-1 if unread else identity)
    assert said.endswith("!") == clamped


@RELAXED
@given(cases(), ROOMS)
@example(PADDED, (40, 10))
def test_a_cell_shows_its_value_and_its_identity(case: Case, room: tuple[int, int]) -> None:
    scene = picture(case, room)
    trace = scene.trace
    for stack in stacks(scene):
        lines = whole(stack)
        for figure in stack.figures:
            for index in elements(figure):
                clamped = False
                if figure.place.is_output:
                    clamped = trace.source(figure.place.number, index).clamped
                elif figure.part.field.role is not Role.DATA:
                    reads = trace.destinations(figure.place.number, index)
                    clamped = any(trace.source(d.output, d.index).clamped for d in list(reads)[:1])
                x, y = cell_of(stack, figure, index)
                check_cell(figure, index, lines[y][x : x + figure.cell], clamped)


@RELAXED
@given(cases(), ROOMS, st.integers(0, 400))
def test_exactly_what_is_not_written_yet_is_empty(case: Case, room: tuple[int, int], step: int) -> None:
    scene = picture(case, room)
    steps = Steps(scene.trace)
    step = min(step, steps.count)
    written = {steps.element(n) for n in range(1, step + 1)}
    for look in (Look(written=steps.until(step)), Look(written=steps.until(step), stale=True)):
        for stack, figure in figures(scene):
            lines = whole(stack, look)
            for index in elements(figure):
                x, y = cell_of(stack, figure, index)
                drawn = lines[y][x : x + figure.cell]
                text = "".join(char for char, _ in drawn)
                empty = figure.place.is_output and Cursor(figure.place, index) not in written
                assert (text.strip() == "·") == empty
                assert ({style.kind for _, style in drawn} == {"empty"}) == empty


@RELAXED
@given(
    case=cases(),
    room=ROOMS,
    top=st.integers(0, 80),
    left=st.integers(0, 80),
    count=st.integers(1, 30),
    width=st.integers(24, 70),
    side=st.sampled_from([0, 1]),
    step=st.integers(0, 400),
)
@example(case=LONG_PADDED, room=(40, 10), top=0, left=23, count=9, width=14, side=1, step=7)
def test_scrolling_never_changes_what_is_there(
    case: Case, room: tuple[int, int], top: int, left: int, count: int, width: int, side: int, step: int
) -> None:
    scene = as_scrolled(picture(case, room))
    stack, steps = stacks(scene)[side], Steps(scene.trace)
    cursor = steps.element(step % (steps.count + 1))
    links = partners(scene.trace, cursor)
    top, left = min(top, stack.height - 1), min(left, stack.extent - 1)
    all_lines = whole(stack, Look(cursor), links)
    window = [characters(line) for line in stack_lines(stack, top, count, left, width, Look(cursor), links)]
    assert len(window) == count
    first = stack.figure_at(top)
    start = top - stack.tops[first]
    head = stack.figures[first].head
    pinned = head if 0 < start < stack.figures[first].height - head - 1 else 0

    def goes_on(line: int, x: int) -> bool:
        """True if a number stands on both sides of the right edge of column `x`."""
        both = "".join(char for char, _ in all_lines[top + line][x : x + 2])
        return re.fullmatch(f"[{SUBSCRIPTS}0-9a-z.+−…-]{{2}}", both) is not None

    for i, line in enumerate(window):
        number = stack.figure_at(top + i)
        figure = stack.figures[number]
        local = top + i - stack.tops[number] - figure.head
        if i < pinned:
            if i == 0:
                leftmost = stack.figures[stack.tops.index(stack.tops[number])]  # of those that stand side by side
                text = "".join(span.text for span in leftmost.title(Look(cursor), width)[0])[:width]
                assert "".join(char for char, _ in line).startswith(text)
            continue
        if top + i >= stack.height:
            assert not line
            continue
        if figure.rows.at(local) is None or local != figure.rows.position(figure.rows.at(local) or 0):
            continue
        end = min(width, figure.margin + figure.columns.length - 1 - left)  # the last cell's end
        blank = (" ", Style("", -1))
        for x in range(figure.margin, end):
            mine, other = (
                each[at] if at < len(each) else blank for each, at in ((line, x), (all_lines[top + i], x + left))
            )
            where = stack.hit(x, i, top, left)
            assert where == stack.hit(x + left, top + i, 0, 0)
            if where is not None:
                cut = (x == figure.margin and goes_on(i, x + left - 1)) or (x == width - 1 and goes_on(i, x + left))
                assert mine == (("…", other[1]) if cut else other)
            elif x > figure.margin:  # half blocks beside a cell that is out of sight go with it
                assert mine[0] == other[0] or mine[0] in " ▌▐█"
        inner = str(figure.rows.split(figure.rows.at(local) or 0)[-1])
        assert inner in "".join(char for char, _ in line[: figure.margin]).split() or not figure.down


# ---- what is shown of a desc that is refused


def broken(experiment: Experiment, **changes: Any) -> Experiment:
    return replace(experiment, desc=experiment.desc.replace(changes))


def test_the_last_valid_picture_stays_through_any_number_of_mistakes() -> None:
    first = view_state_of(experiment_of("gather-2"))
    once = view_state_of(broken(first.experiment, Axis=7), first)
    twice = view_state_of(broken(first.experiment, Axis=8), once)
    for shown in (once, twice):
        assert not shown.live
        assert shown.trace is first.trace
        assert shown.caption == "the last valid picture"
        assert [c.id for c in shown.report.errors] == ["axis.range"]
    again = view_state_of(first.experiment, twice)
    assert again.live
