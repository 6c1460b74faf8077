"""What steps haven't written yet is hidden: a picture follows from the desc, the inputs, and the map of what is."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from msgspec.structs import replace
from support.effort import tried
from support.other_maps import with_other_map
from support.strategies import Case, cases

import dmlviz as dml
from dmlviz.operators.maps import NOWHERE, Place
from dmlviz.scene.cells.cells import cells_of
from dmlviz.scene.cells.contents import HIDDEN
from dmlviz.scene.drawing.grid import looked_up
from dmlviz.scene.drawing.stack_lines import stack_lines
from dmlviz.scene.drawing.text_picture import text_picture
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.elements.partners import partners
from dmlviz.scene.layout.arrange import arrange
from dmlviz.scene.layout.zoom import Zoom
from dmlviz.scene.look import Look
from dmlviz.scene.memory.strip import Memory
from dmlviz.scene.steps.order import UNITS, Steps, Unit
from dmlviz.scene.steps.player import Player
from dmlviz.scene.view_state import view_state_of
from dmlviz.scene.words.formulas import tallest, terms
from dmlviz.session.experiments import Experiment
from dmlviz.tracing import Trace
from dmlviz.workspace.shown.picture import Picture, Room

RELAXED = tried(80, suppress_health_check=list(HealthCheck))


def everything(trace: Trace) -> list[Cursor]:
    parts = [(Place(True, k), p) for k, p in enumerate(trace.outputs)]
    parts += [(Place(False, k), p) for k, p in enumerate(trace.inputs)]
    return [Cursor(place, index) for place, part in parts for index in product(*map(range, part.tensor.sizes))]


def drawn(experiment: Experiment, trace: Trace, unit: Unit, step: int, zoom: Zoom | None, at: Cursor) -> list[object]:
    """All that a picture draws after a step, with a cursor, part by part."""
    picture = Picture(Player(unit=unit), zoom)
    picture.look_at(replace(view_state_of(experiment), trace=trace))
    picture.fit(Room(100, 24))
    picture.go(step)
    picture.point(at)
    state = picture.state()
    assert state.scene is not None
    made: list[object] = [state.scene.share, state.scene.layout, state.moving, state.count_is_told]
    for stack in (state.scene.inputs, state.scene.outputs):
        made.append((stack.width, stack.extent, stack.height, stack.tops))
        made += stack_lines(stack, 0, stack.height, 0, max(stack.width, stack.extent), state.look, state.links)
    made += Memory(trace, at, 100, state.known).lines(state.look)
    made += [terms(trace, at, state.known), state.known.identity(trace, at), tallest(trace, 60)]
    return [*made, text_picture(trace, 160, 60, look=state.look).lines]


@tried(100, suppress_health_check=list(HealthCheck))
@given(cases(), st.sampled_from(UNITS), st.sampled_from([None, *Zoom]), st.data())
def test_another_map_behind_a_step_draws_the_same_picture(
    case: Case, unit: Unit, zoom: Zoom | None, data: st.DataObject
) -> None:
    """At every zoom, wherever the cursor is."""
    plain = dml.trace(case.desc, case.arrays)
    step = data.draw(st.integers(0, Steps(plain, unit).count))
    other = with_other_map(plain, unit, step, data.draw(st.integers(0, 99)))
    experiment = Experiment("of a test", case.desc)
    for at in data.draw(st.lists(st.sampled_from(everything(plain)), min_size=1, max_size=3)):
        one, another = (drawn(experiment, trace, unit, step, zoom, at) for trace in (plain, other))
        assert one == another


@RELAXED
@given(cases())
def test_once_all_is_written_all_is_told(case: Case) -> None:
    trace = dml.trace(case.desc, case.arrays)
    last = Steps(trace).until(Steps(trace).count)
    assert last.whole
    for cursor in everything(trace)[:40]:
        assert partners(trace, cursor, last) == partners(trace, cursor)
        assert terms(trace, cursor, last) == terms(trace, cursor)
        assert Memory(trace, cursor, 90, last).headline == Memory(trace, cursor, 90).headline


@RELAXED
@given(cases(), st.sampled_from(UNITS))
def test_how_many_steps_there_are_is_told_where_it_follows_from_sizes(case: Case, unit: Unit) -> None:
    trace = dml.trace(case.desc, case.arrays)
    steps = Steps(trace, unit)
    assert steps.count_is_told == (unit is not Unit.RUN or trace.operator.name != "REVERSE_SUBSEQUENCES")


@pytest.mark.parametrize("unit", UNITS)
def test_what_comes_from_nowhere_is_not_told_before_it_is_written(unit: Unit) -> None:
    """Constants of a border look like all that isn't written; a box of them is a step of its own, by slice too."""
    desc = dml.Padding(dml.TensorDesc("FLOAT32", (2, 3)), "CONSTANT", 7, (1, 2), (1, 2))
    trace = dml.Experiment("frame", desc).trace()
    steps, scene = Steps(trace, unit), arrange(trace, 120, 36, Zoom.VALUES)
    figure = scene.outputs.figures[0]
    places = [*product(range(figure.rows.count), range(figure.columns.count))]
    kinds: set[bool] = set()
    for step in range(steps.count + 1):
        look = Look(written=steps.until(step))
        table = looked_up(figure, [*range(figure.rows.count)], [*range(figure.columns.count)])
        for place, cell in zip(places, cells_of(table, look).every, strict=True):
            cursor = Cursor(Place(True, 0), figure.index(*place))
            written = steps.step_of(cursor) <= step
            assert cell.is_nowhere == (written and trace.source(0, cursor.index).nowhere)
            if not written:
                assert (cell.text, cell.letter, cell.style.kind) == (HIDDEN, "", "empty")
                said = "".join(text for term in terms(trace, cursor, look.written) for text, _ in term)
                memory = Memory(trace, cursor, 100, look.written).lines(look)
                said += "".join(span.text for line in memory for span in line)
                assert "PaddingValue" not in said
                assert "nowhere" not in said
        group = steps.group(step)
        if group is not None and unit is not Unit.WHOLE:
            filled = group.links(0, group.count).tensor == NOWHERE
            kinds |= {*map(bool, filled)}
            assert filled.all() or not filled.any()
            assert steps.moved(step, 4)[1] == (0 if filled[0] else group.count)
    assert unit is Unit.WHOLE or kinds == {True, False}
