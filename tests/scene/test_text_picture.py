"""Pictures as plain text: every number is its element's whole value, and what is left out is counted."""

from __future__ import annotations

import re
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from support.effort import tried
from support.strategies import Case, cases

import dmlviz as dml
from dmlviz.desc.indexing import ravel
from dmlviz.desc.tensors import braces
from dmlviz.exporters.lib import exporting
from dmlviz.formats.page_text import shorts
from dmlviz.operators.maps import Place
from dmlviz.scene.cells.contents import NOWHERE_SIGN
from dmlviz.scene.drawing.as_it_stands import CLOSE, OPEN, as_it_stands
from dmlviz.scene.drawing.side_by_side import GAP
from dmlviz.scene.drawing.text_picture import Cut, _drawn_side, _heights, text_picture
from dmlviz.scene.layout.arrange import arrange_page
from dmlviz.scene.layout.figure import Figure
from dmlviz.scene.layout.stack import BETWEEN, Stack
from dmlviz.scene.look import Look
from dmlviz.scene.view_state import view_state_of
from dmlviz.session import examples
from dmlviz.session.experiments import Session
from dmlviz.tracing import Trace

RELAXED = tried(60, suppress_health_check=list(HealthCheck))
LEFT_OUT = re.compile(r"… (?:([\d,]+) more rows?)?(?:, )?(?:([\d,]+) more columns?)?$")

Index = tuple[int, ...]


def value(trace: Trace, place: Place, index: Index) -> str:
    """The whole text of an element."""
    at = tuple(np.array([i], np.int64) for i in index)
    if place.is_output:
        return shorts(trace.window(place.number, at))[0]
    return shorts(trace.read(place.number, ravel(at, trace.inputs[place.number].tensor.sizes)))[0]


def lines_of_numpy(trace: Trace, sizes: Index) -> tuple[int, int, Any]:
    """(rows, columns, the element in a row and a column): as NumPy prints arrays whose axes of size 1 are left out."""
    every = [p.tensor.sizes for p in (*trace.inputs, *trace.outputs)]
    long = [d for d in range(8) if any(d < len(s) and s[d] > 1 for s in every)]
    across = long[-1] if long and sizes[long[-1]] > 1 else None
    outer = [d for d in range(len(sizes)) if d != across]

    def element(row: int, column: int) -> Index:
        index = [0] * len(sizes)
        for d in reversed(outer):
            row, index[d] = divmod(row, sizes[d])
        if across is not None:
            index[across] = column
        return tuple(index)

    return prod(sizes[d] for d in outer), sizes[across] if across is not None else 1, element


def tokens(line: str) -> list[str]:
    """The numbers of a row: without letters of identities, signs of constants and of clamped or negative indices, and
    how often read."""
    line = re.sub(r"×[\d,]+$", "", line.rstrip()).replace(NOWHERE_SIGN, " ")
    found = [re.sub(r"^[A-Z]+", "", word) for word in line.split()]
    return [re.sub(r"(?<=.)[!\-]$", "", word) for word in found if word and word not in ("!", "-")]


def check_figure(trace: Trace, figure: Figure, drawn: list[str]) -> None:
    """Every number of one tensor's lines is the value at its place, and what is left out is counted."""
    rows, columns, element = lines_of_numpy(trace, figure.part.tensor.sizes)
    note = next((line for line in drawn if line.startswith("…")), "")
    left_out = LEFT_OUT.fullmatch(note) if note else None
    assert (left_out is not None) == bool(note)
    less = [int((n or "0").replace(",", "")) for n in left_out.groups()] if left_out else [0, 0]
    end = len(drawn) - (2 if note else 1) - figure.counts_below
    body = [line for line in drawn[figure.head : end] if line.strip()]
    assert len(body) == rows - less[0] > 0
    assert less[1] < columns
    for row, line in enumerate(body):
        seen = columns - less[1]
        assert tokens(line)[-seen:] == [value(trace, figure.place, element(row, j)) for j in range(seen)]
        filled = figure.place.is_output and [trace.source(figure.place.number, element(row, j)) for j in range(seen)]
        assert line.count(NOWHERE_SIGN) == sum(source.nowhere for source in filled or ())


def check_side(trace: Trace, stack: Stack, room: int, lines: int) -> list[str]:
    heights = _heights(stack, lines)
    made: list[str] = []
    for figure, height in zip(stack.figures, heights, strict=False):
        cut = Cut.of(figure, room, height, Look())
        drawn = cut.lines(room)
        assert len(drawn) <= height
        check_figure(trace, cut.figure, drawn)
        made += [""] * (BETWEEN if made else 0) + drawn
    if len(heights) < len(stack.figures):
        made.append(
            f"… {len(stack.figures) - len(heights):,} more tensor{'s' * (len(stack.figures) - len(heights) > 1)}"
        )
    assert len(made) <= max(lines, 8)
    assert _drawn_side(stack, room, lines, Look()).lines == made
    return made


@RELAXED
@given(cases(), st.integers(40, 130), st.integers(16, 60))
def test_every_number_is_the_whole_value_at_its_place(case: Case, room: int, lines: int) -> None:
    trace = dml.trace(case.desc, case.arrays)
    scene = arrange_page(trace, 2 * room, lines)
    for stack in (scene.inputs, scene.outputs):
        check_side(trace, stack, room, lines)
    drawn = text_picture(trace, 2 * room, lines)
    assert len(drawn.lines) <= max(lines, 8)
    assert max(map(len, drawn.lines)) <= 2 * room + GAP


# ---- an invalid desc as it stands -------------------------------------------------------------------------------


def marks(text: str) -> list[str]:
    return re.findall(f"{OPEN}([^{CLOSE}]*){CLOSE}", text)


@pytest.mark.drawn(20)
@pytest.mark.parametrize("shipped", examples.all_examples(), ids=lambda shipped: shipped.name)
def test_an_invalid_example_stands_as_it_is_and_its_fix_is_small(shipped: examples.Example) -> None:
    for each in shipped.session().experiments:
        view = view_state_of(each)
        if view.report.ok is not False:
            continue
        drawn = [*as_it_stands(view)]
        assert marks("\n".join(drawn))  # every example breaks a rule that names something
        bare = [line.replace(OPEN, "").replace(CLOSE, "") for line in drawn]
        for part in each.desc.parts:
            assert any(
                line.startswith(f"{part.path} {part.tensor.data_type} {braces(part.tensor.sizes)}") for line in bare
            )
        for check in view.report.errors:
            path, _, axis = check.field.partition(".Sizes[")
            if axis:
                line = next(line for line in drawn if line.startswith(f"{path} "))
                shown = line[line.index("{") + 1 :].split("}")[0].split(", ")[int(axis[:-1])]
                assert shown.startswith(OPEN)
        text = exporting.export(Session((each,)), "markdown").content
        assert isinstance(text, str)
        assert all(line in text for line in drawn)
