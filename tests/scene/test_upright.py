"""Upright, always: a row of a picture is a row that NumPy prints, in every window, on the screen and on pages."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from msgspec.structs import replace
from numpy.typing import NDArray
from support.effort import tried
from support.scenes import cell_of, cell_text, figures, whole
from support.strategies import Case, cases

import dmlviz as dml
from dmlviz.formats.page_text import shorts
from dmlviz.scene.cells.contents import NOWHERE_SIGN
from dmlviz.scene.drawing.text_picture import text_picture
from dmlviz.scene.layout.arrange import Scene, arrange, arrange_page, seen_with
from dmlviz.scene.layout.directions import across_of
from dmlviz.scene.layout.figure import Figure
from dmlviz.scene.layout.zoom import Zoom, lettered
from dmlviz.scene.steps.order import Steps
from dmlviz.scene.view_state import view_state_of
from dmlviz.session import examples

RELAXED = tried(40, suppress_health_check=list(HealthCheck))
ROOMS = st.tuples(st.integers(38, 190), st.integers(9, 52))
"""What windows from 80x24 to 240x60 leave to a picture."""
ZOOMS = st.sampled_from([None, *Zoom])
SUBSCRIPTS = "₀₁₂₃₄₅₆₇₈₉"


def values(figure: Figure) -> NDArray[Any]:
    """A tensor's values, by the slow reference."""
    trace, number = figure.trace, figure.place.number
    if figure.place.is_output:
        return trace.reference(number)
    tensor = figure.part.tensor
    return trace.read(number, np.arange(tensor.element_count)).reshape(tensor.sizes)


def printed(figure: Figure) -> list[list[str]]:
    """The rows that NumPy prints of a tensor's slice, where axes of size 1 that all tensors have are left out."""
    found = values(figure)
    found = found[tuple(figure.at[d] if d in figure.sliced else slice(None) for d in range(found.ndim))]
    across = across_of(figure.trace)
    sizes = figure.part.tensor.sizes
    columns = sizes[across] if 0 <= across < len(sizes) else 1
    return [shorts(row) for row in found.reshape(-1, columns)]


def drawn(scene: Scene) -> list[tuple[Figure, list[list[str]]]]:
    """What stands in each tensor's cells, row by row as they are drawn, from left to right."""
    made = []
    for stack, figure in figures(scene):
        lines = whole(stack)
        rows: dict[int, list[tuple[int, str]]] = {}
        for row in range(figure.rows.count):
            for column in range(figure.columns.count):
                index = figure.index(row, column)
                x, y = cell_of(stack, figure, index)
                text = cell_text(lines, x, y, figure.cell)
                rows.setdefault(y, []).append((x, text))
        made.append((figure, [[text for _, text in sorted(row)] for _, row in sorted(rows.items())]))
    return made


def bare(text: str, figure: Figure) -> str:
    """A cell's value without its letter, its place in a sequence and its sign."""
    text = re.sub(r"[!✘-]$", "", re.sub(f"[{SUBSCRIPTS}{NOWHERE_SIGN}]", "", text).strip())
    return re.sub(r"^[A-Z]+ *", "", text) if figure.letters == "cell" and text not in ("inf", "nan") else text


def check_upright(scene: Scene) -> None:
    for figure, rows in drawn(scene):
        expected = printed(figure)
        assert len(rows) == len(expected)
        for row, wanted in zip(rows, expected, strict=True):
            assert len(row) == len(wanted)
            for text, value in zip(row, wanted, strict=True):
                found = bare(text, figure)
                assert found == value or (found.endswith("…") and value.startswith(found[:-1]))


@RELAXED
@given(cases(), ROOMS, st.sampled_from([None, Zoom.VALUES, Zoom.LARGE]))
def test_a_row_on_the_screen_is_a_row_that_numpy_prints(case: Case, room: tuple[int, int], zoom: Zoom | None) -> None:
    trace = dml.trace(case.desc, case.arrays)
    scene = arrange(trace, *room, zoom)
    if lettered(scene.zoom):
        check_upright(unwindowed(scene))


def unwindowed(scene: Scene) -> Scene:
    """Without windows of their own for what is set aside."""
    return replace(scene, inputs=replace(scene.inputs, asides=()), outputs=replace(scene.outputs, asides=()))


@RELAXED
@given(cases(), ROOMS, ZOOMS, ZOOMS)
def test_no_window_and_no_zoom_turns_a_picture(
    case: Case, room: tuple[int, int], zoom: Zoom | None, other: Zoom | None
) -> None:
    """Axes run the same way at any two windows and zooms; fewer of them run down where some are sliced."""
    trace = dml.trace(case.desc, case.arrays)
    one, two = arrange(trace, *room, zoom).layout, arrange(trace, 70, 15, other).layout
    assert one.across == two.across
    assert sorted((*one.down, *one.sliced)) == sorted((*two.down, *two.sliced))
    assert list(one.down) == sorted(one.down)


@RELAXED
@given(cases(), st.integers(60, 200))
def test_a_row_of_text_is_a_row_that_numpy_prints(case: Case, columns: int) -> None:
    """`explain`, Markdown and previews: all rows stand below each other, in NumPy's order."""
    trace = dml.trace(case.desc, case.arrays)
    picture = text_picture(trace, columns, 4000)
    if picture.is_cut:
        return
    scene = arrange_page(trace, columns, 4000)
    text = "\n".join(picture.lines)
    for figure in (*scene.inputs.figures, *scene.outputs.figures):
        at = 0
        for row in printed(figure):
            pattern = r"(?<![\d.])" + rf"!?-?\s+(?:[A-Z]{{1,3}}\s*|{NOWHERE_SIGN}\s*)?".join(
                re.escape(value) for value in row
            )
            found = re.compile(pattern).search(text, at)
            assert found is not None, (row, text)
            at = found.start() + 1


@pytest.mark.drawn(14)
@pytest.mark.parametrize("shipped", examples.all_examples(), ids=lambda shipped: shipped.name)
def test_rows_of_examples_are_rows_in_every_window(shipped: examples.Example) -> None:
    for each in shipped.session().experiments:
        trace = view_state_of(each).trace
        if trace is None:
            continue
        for room in ((65, 15), (40, 21), (60, 20), (90, 33), (170, 43)):
            scene = unwindowed(arrange(trace, *room))
            assert lettered(scene.zoom)  # every shipped example shows its values at every size
            check_upright(scene)


# ---- what the cursor links


@RELAXED
@given(cases(), ROOMS, st.data())
def test_what_the_cursor_links_stands_in_its_slice(case: Case, room: tuple[int, int], data: st.DataObject) -> None:
    trace = dml.trace(case.desc, case.arrays)
    cursor = Steps(trace).element(data.draw(st.integers(1, Steps(trace).count)))
    assert cursor is not None
    scene = arrange(trace, *room).following(cursor)
    if not scene.layout.fits:
        return
    for each in seen_with(trace, cursor):
        stack = scene.stack(each.place.is_output)
        figure = stack.figure(each.place)
        assert figure.shows(each.index)
        x, y = stack.locate(each)
        assert y < room[1]
        assert x + figure.margin + figure.cell <= (room[0] - scene.share if each.place.is_output else scene.share)
