"""What steps haven't written yet is hidden: a picture follows from the desc, the inputs, and the map of what is."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from support.cursors import into, out
from support.effort import tried
from support.other_maps import Shown, drawn, pictures, with_other_map
from support.strategies import Case, cases

import dmlviz as dml
from dmlviz.desc.indexing import unravel
from dmlviz.operators.maps import Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.elements.known import EVERYTHING
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


# ---- on the page's example: rows 0, 1, 1, 2 of 3 rows of 2


@pytest.fixture
def rows() -> Trace:
    desc = dml.Gather(
        input_tensor=dml.TensorDesc("FLOAT32", (3, 2)),
        indices_tensor=dml.TensorDesc("UINT32", (1, 4)),
        axis=0,
        index_dimensions=1,
    )
    return dml.trace(desc, [np.arange(1, 7, dtype="f4").reshape(3, 2), np.array([[0, 1, 1, 2]], "u4")])


def said(trace: Trace, cursor: Cursor, step: int | None, unit: Unit = Unit.ELEMENT) -> str:
    known = EVERYTHING if step is None else Steps(trace, unit).until(step)
    return "".join(text for term in terms(trace, cursor, known) for text, _ in term)


def test_an_input_element_tells_its_written_readers(rows: Trace) -> None:
    assert said(rows, into(1, 0), 0) == "InputTensor[1,0] =  3    is not read so far"
    assert "OutputTensor[1,0]" in said(rows, into(1, 0), 3)
    assert "OutputTensor[2,0]" not in said(rows, into(1, 0), 3)
    assert "×" not in said(rows, into(1, 0), 7)
    assert "×2" in said(rows, into(1, 0), 8)
    assert "never" not in said(rows, into(2, 0), 6)
    assert said(rows, into(0, 2, number=1), 4).endswith("sends nothing so far")


def headline(trace: Trace, cursor: Cursor, step: int) -> str:
    return "".join(span.text for span in Memory(trace, cursor, 100, Steps(trace).until(step)).headline)


def test_a_run_goes_as_far_as_is_written(rows: Trace) -> None:
    assert "run of at least 1 element " in headline(rows, out(0, 0), 1)
    assert "run of at least 2 elements" in headline(rows, out(0, 0), 2)  # the third may belong to it
    assert "run of at least 3 elements" in headline(rows, out(1, 0), 3)
    assert "run of 4 elements" in headline(rows, out(1, 0), 5)
    assert "not written yet" in headline(rows, out(1, 0), 2)


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
