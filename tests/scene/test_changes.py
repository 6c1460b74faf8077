"""What an edit made of the outputs, against the slow reference; and what is drawn and said of it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from operator_kit.finding import cases_of
from support.effort import tried
from support.scenes import cell_of, whole
from support.strategies import Case, generators
from support.work import Work

import dmlviz as dml
from dmlviz.operators.registry import operators
from dmlviz.scene.changes import Changes, Counts
from dmlviz.scene.layout.arrange import arrange
from dmlviz.scene.layout.zoom import Zoom
from dmlviz.scene.look import Look
from dmlviz.scene.words.diffs import changes_words
from dmlviz.tracing import Trace

RELAXED = tried(80, suppress_health_check=list(HealthCheck))


@dataclass(frozen=True)
class Edit:
    """Two descs of one operator with their inputs."""

    before: Trace
    after: Trace


@st.composite
def edits(draw: st.DrawFn) -> Edit:
    """Any two of an operator, or the same desc with other values in one input."""
    kind = draw(st.sampled_from(sorted(operators())))
    one: Case = draw(cases_of(kind).cases())
    if draw(st.booleans()):
        other: Case = draw(cases_of(kind).cases())
        return Edit(dml.trace(one.desc, one.arrays), dml.trace(other.desc, other.arrays))
    arrays, k = [*one.arrays], draw(st.integers(0, len(one.arrays) - 1))
    dice = draw(generators())
    where = dice.random(arrays[k].shape) < 0.3
    arrays[k] = np.where(where, np.flip(arrays[k]), arrays[k])
    return Edit(dml.trace(one.desc, one.arrays), dml.trace(one.desc, arrays))


def places(trace: Trace) -> dict[tuple[int, tuple[int, ...]], tuple[Any, ...]]:
    """{(output, coordinate): (input, coordinate there, value)} by the slow reference."""
    found = {}
    for k, part in enumerate(trace.outputs):
        values = trace.reference(k)
        for at in product(*map(range, part.tensor.sizes)):
            source = trace.source(k, at)
            found[k, at] = source.tensor, source.index, values[at]
    return found


def expected(edit: Edit) -> dict[tuple[int, tuple[int, ...]], bool]:
    """Which elements are new, come from elsewhere, or hold another value."""
    before = places(edit.before)
    found = {}
    for at, (tensor, index, value) in places(edit.after).items():
        was = before.get(at)
        same = was is not None and was[2] == value and (value != 0 or np.signbit(was[2]) == np.signbit(value))
        same = same or (was is not None and was[2] != was[2] and value != value)
        found[at] = was is None or was[:2] != (tensor, index) or not same
    return found


@RELAXED
@given(edits())
def test_every_element_became_what_the_reference_says(edit: Edit) -> None:
    changes, wanted = Changes(edit.before, edit.after), expected(edit)
    for k, part in enumerate(edit.after.outputs):
        flat = np.arange(part.tensor.element_count, dtype=np.int64)
        assert changes.changed(k, flat).tolist() == [wanted[k, at] for at in product(*map(range, part.tensor.sizes))]
    before, changed = places(edit.before), sum(wanted.values())
    assert changes.counts() == Counts(before=len(before), after=len(wanted), changed=changed)


@pytest.mark.parametrize("zoom", [Zoom.LARGE, Zoom.VALUES, Zoom.BLOCKS])
def test_what_changed_is_marked_and_nothing_else(zoom: Zoom) -> None:
    before, after = rows([0, 1, 1, 2]), rows([0, 1, 2, 2])
    scene = arrange(after, 200, 60, zoom)
    plain, marked = (whole(scene.outputs, look) for look in (Look(), Look(changes=Changes(before, after))))
    figure = scene.outputs.figures[0]
    for row, column in product(range(4), range(2)):
        x, y = cell_of(scene.outputs, figure, (row, column))
        columns = slice(x, x + figure.cell)
        assert (plain[y][columns] != marked[y][columns]) is (row == 2)
    assert whole(scene.inputs, Look()) == whole(scene.inputs, Look(changes=Changes(before, after)))


def rows(indices: list[int], data: list[float] | None = None, axis: int = 0) -> Trace:
    desc = dml.Gather(
        input_tensor=dml.TensorDesc("FLOAT32", (3, 2)),
        indices_tensor=dml.TensorDesc("UINT32", (1, len(indices))),
        axis=axis,
        index_dimensions=1,
    )
    values = np.array(data if data is not None else range(1, 7), "f4").reshape(3, 2)
    return dml.trace(desc, [values, np.array([indices], "u4")])


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (rows([0, 1, 1, 2]), rows([0, 1, 2, 1]), "4 of 8 changed"),
        (rows([0, 1]), rows([0, 1], [1, 9, 3, 4, 5, 6]), "1 of 4 changed"),
        (rows([0, 1]), rows([0, 1, 2]), "4 elements are now 6: 2 of 6 changed"),
        (rows([0, 1, 2]), rows([1, 1]), "6 elements are now 4: 2 of 4 changed"),
    ],
)
def test_the_words_say_how_many(before: Trace, after: Trace, said: str) -> None:
    words = changes_words(Changes(before, after).counts())
    assert words[0] == said
    assert [*map(len, words)] == sorted(map(len, words), reverse=True)


def test_a_huge_tensor_costs_its_window_and_is_not_counted() -> None:
    def huge(axis: int) -> Trace:
        desc = dml.ReverseSubsequences(
            input_tensor=dml.TensorDesc("INT8", (65535, 65535)),
            sequence_lengths_tensor=dml.TensorDesc("UINT32", (1, 65535) if axis == 0 else (65535, 1)),
            axis=axis,
        )
        return Trace(desc, dml_values(desc), patient=False)

    changes = Changes(huge(0), huge(1))
    flat = np.arange(4000, dtype=np.int64)
    with Work() as work:
        counts, changed = changes.counts(), changes.changed(0, flat)
    assert work.done < 1 << 20
    assert counts == Counts(before=65535**2, after=65535**2, changed=None)
    assert changes_words(counts)[0] == "not counted"
    assert changed.sum() > 3000
    grown = dml.trace(dml.Tile(input_tensor=dml.TensorDesc("INT8", (256, 256)), repeats=(2, 2)))
    small = dml.trace(dml.Tile(input_tensor=dml.TensorDesc("INT8", (256, 256)), repeats=(2, 1)))
    said = changes_words(Changes(small, grown).counts())
    assert said[0] == "131,072 elements are now 262,144: not counted"


def dml_values(desc: Any) -> list[Any]:
    from dmlviz.session.experiments import Experiment

    return Experiment("of a test", desc).sources_or_defaults()[0]
