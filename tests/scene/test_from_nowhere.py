"""Elements from nowhere: how they are drawn, worded and stepped, asked of the picture by coordinate."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from support.colour_distance import apart, chroma, ciede2000, lab
from textual.color import Color

import dmlviz as dml
from dmlviz.operators.maps import NOWHERE, Place
from dmlviz.scene.cells.cells import Cell, cells_of
from dmlviz.scene.cells.contents import HIDDEN
from dmlviz.scene.colour.palette import CONSTANT, SHADES, contrast, fill, ink, rgb, shaded
from dmlviz.scene.drawing.grid import looked_up
from dmlviz.scene.drawing.wires import route
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.elements.lookup import source_of
from dmlviz.scene.elements.partners import partners
from dmlviz.scene.layout.arrange import Scene, arrange
from dmlviz.scene.layout.zoom import Zoom
from dmlviz.scene.look import Look
from dmlviz.scene.memory.strip import Memory
from dmlviz.scene.steps.order import UNITS, Steps, Unit
from dmlviz.scene.words.formulas import terms
from dmlviz.themes import DARK, LIGHT
from dmlviz.tracing import Trace

CORNER, INSIDE = (0, 0), (1, 2)


def frame(
    value: int = 7, sizes: tuple[int, ...] = (2, 3), borders: tuple[int, ...] = (1, 2), kind: str = "FLOAT32"
) -> Any:
    return dml.Padding(dml.TensorDesc(kind, sizes), "CONSTANT", value, borders, borders)


def traced(*args: Any, **more: Any) -> Trace:
    return dml.Experiment("frame", frame(*args, **more)).trace()


def at(index: tuple[int, ...]) -> Cursor:
    return Cursor(Place(True, 0), index)


def cells_by_index(scene: Scene, look: Look) -> dict[tuple[int, ...], Cell]:
    """The output's cells, as far as they are known, by coordinate."""
    figure = scene.outputs.figures[0]
    rows, columns = range(figure.rows.count), range(figure.columns.count)
    cells = cells_of(looked_up(figure, [*rows], [*columns]), look).every
    return {figure.index(row, column): cells[row * len(columns) + column] for row in rows for column in columns}


def is_filled(trace: Trace, index: tuple[int, ...]) -> bool:
    return trace.source(0, index).nowhere


@pytest.mark.parametrize("unit", UNITS)
def test_nothing_gives_it_away_before_it_is_written(unit: Unit) -> None:
    """A box of constants is a step of its own, by slice too."""
    trace = traced()
    steps, scene = Steps(trace, unit), arrange(trace, 120, 36, Zoom.VALUES)
    told: set[bool] = set()
    for step in range(steps.count + 1):
        look = Look(written=steps.until(step))
        for index, cell in cells_by_index(scene, look).items():
            written = steps.step_of(at(index)) <= step
            assert cell.is_nowhere == (written and is_filled(trace, index))
            assert (cell.text == HIDDEN) == (not written)
            assert written or (cell.letter, cell.style.kind) == ("", "empty")
            if not written:
                said = "".join(text for term in terms(trace, at(index), look.written) for text, _ in term)
                assert not re.search("PaddingValue|nowhere", said)
                strip = Memory(trace, at(index), 100, look.written).lines(look)
                assert "nowhere" not in "".join(span.text for line in strip for span in line)
        group = steps.group(step)
        if group is not None and unit is not Unit.WHOLE:
            filled = group.links(0, group.count).tensor == NOWHERE
            assert filled.all() or not filled.any()
            told.add(bool(filled[0]))
            moved, count = steps.moved(step, 4)
            assert (count, len(moved)) == ((0, 0) if filled[0] else (group.count, min(4, group.count)))
    assert unit is Unit.WHOLE or told == {True, False}


def test_it_has_no_wire_no_source_and_no_partner() -> None:
    trace = traced()
    assert source_of(trace, at(CORNER)) is None
    assert partners(trace, at(CORNER)).wires == []
    assert source_of(trace, at(INSIDE)) == Cursor(Place(False, 0), (0, 0))
    scene = arrange(trace, 120, 36, Zoom.VALUES)
    assert scene.following(at(CORNER)).inputs == scene.inputs
    source = source_of(trace, at(INSIDE))
    assert source is not None
    assert route(scene, source, at(INSIDE)).inputs
    counts = trace.counts(0, tuple(np.array(axis) for axis in ((0, 1), (0, 2))))
    assert counts.tolist() == [1, 1]


def test_its_tone_keeps_away_from_what_has_a_meaning() -> None:
    tone = rgb(CONSTANT)
    identities = [fill(k) for k in range(16)] + [shaded(k, shade) for k in range(8) for shade in range(SHADES)]
    assert min(apart(tone, other) for other in identities) >= 12
    themes = [(theme, Color.parse(theme.background or ""), theme.foreground or "") for theme in (DARK, LIGHT)]
    accents = [
        Color.parse(name or "").rgb for theme, *_ in themes for name in (theme.accent, theme.warning, theme.error)
    ]
    assert min(ciede2000(lab(tone), lab(other)) for other in accents) >= 15
    grounds = [ground.blend(Color.parse(ink), share).rgb for _, ground, ink in themes for share in (0, 0.1, 0.16)]
    assert min(apart(tone, ground) for ground in grounds) >= 6
    assert chroma(tone) > 25  # it is no grey
    assert contrast(ink(tone), tone) > 4.5
