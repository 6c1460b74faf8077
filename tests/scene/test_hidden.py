"""What steps haven't written yet is hidden: a picture follows from the desc, the inputs, and the map of what is."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from support.effort import tried
from support.other_maps import Shown, drawn, pictures, with_other_map
from support.strategies import Case, cases

import dmlviz as dml
from dmlviz.desc.indexing import unravel
from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.elements.partners import partners
from dmlviz.scene.layout.zoom import Zoom
from dmlviz.scene.memory.strip import Memory
from dmlviz.scene.steps.order import UNITS, Steps, Unit
from dmlviz.scene.steps.player import Phase
from dmlviz.scene.words.formulas import terms
from dmlviz.session.experiments import Experiment
from dmlviz.tracing import Trace

RELAXED = tried(80, suppress_health_check=list(HealthCheck))


def everything(trace: Trace) -> list[Cursor]:
    parts = [(Place(True, k), p) for k, p in enumerate(trace.outputs)]
    parts += [(Place(False, k), p) for k, p in enumerate(trace.inputs)]
    return [Cursor(place, index) for place, part in parts for index in product(*map(range, part.tensor.sizes))]


@tried(100, suppress_health_check=list(HealthCheck))
@given(cases(), st.sampled_from(UNITS), st.sampled_from([None, *Zoom]), st.data())
def test_another_map_behind_a_step_draws_the_same_screen(
    case: Case, unit: Unit, zoom: Zoom | None, data: st.DataObject
) -> None:
    """At every zoom, wherever the cursor is."""
    plain = dml.trace(case.desc, case.arrays)
    step = data.draw(st.integers(0, Steps(plain, unit).count))
    cursors = data.draw(st.lists(st.sampled_from(everything(plain)), max_size=4))
    phase = data.draw(st.sampled_from(Phase)) if step else Phase.DONE
    room = data.draw(st.sampled_from([(60, 12), (100, 24), (160, 50)]))
    shown = Shown(
        unit=unit,
        step=step,
        cursors=tuple(cursors),
        phase=phase,
        room=room,
        turned=data.draw(st.booleans()),
    )
    experiment = Experiment("of a test", case.desc)
    other = with_other_map(plain, unit, step, data.draw(st.integers(0, 99)))
    states = [pictures(experiment, trace, shown, zoom) for trace in (plain, other)]
    for one, another in zip(*states, strict=True):
        assert drawn(one) == drawn(another)


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
    """Where it doesn't, a pass is counted in elements."""
    trace = dml.trace(case.desc, case.arrays)
    steps = Steps(trace, unit)
    assert steps.count_is_told == (unit is not Unit.RUN or trace.operator.name != "REVERSE_SUBSEQUENCES")
    for step in range(steps.count + 1):
        done, every = steps.passed(step)
        assert steps.step_at(done / every) == step
        if not steps.count_is_told:
            parts = [(k, p.tensor) for k, p in enumerate(trace.outputs)]
            found = [steps.until(step)(k, unravel(np.arange(t.element_count), t.sizes)).sum() for k, t in parts]
            assert (done, every) == (sum(found), sum(t.element_count for _, t in parts))
