"""Numbers that grow with their cells: in all tensors alike, whole, and as their cells are drawn."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.scenes import as_scrolled, cell_of, cell_text, characters, figures, grown_number, whole

import dmlviz as dml
from dmlviz.formats.page_text import shorts
from dmlviz.operators.maps import Place
from dmlviz.scene.digits import GLYPHS, HIGH, columns_of, digit_lines
from dmlviz.scene.drawing.stack_lines import spotlit, stack_lines
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.elements.partners import Partners
from dmlviz.scene.layout.arrange import Scene, arrange
from dmlviz.scene.layout.zoom import Zoom
from dmlviz.scene.look import Entry, EntryKind, Look
from dmlviz.scene.spans import Span, Style
from dmlviz.session import examples

ROOM = 150, 40
ELEMENT = Cursor(Place(True, 0), (1, 0))


def rows(*values: float) -> Scene:
    """A GATHER of rows in a room for large cells; `values` are its data."""
    data = np.array(values, np.float32).reshape(-1, 2)
    desc = dml.Gather(dml.TensorDesc("FLOAT32", data.shape), dml.TensorDesc("UINT32", (1, 2)), 0, 1)
    return arrange(dml.trace(desc, [data, np.array([[1, 0]], np.uint32)]), *ROOM)


def text_at(scene: Scene, cursor: Cursor, look: Look | None = None) -> str:
    figure = scene.outputs.figure(cursor.place)
    x, y = cell_of(scene.outputs, figure, cursor.index)
    return cell_text(whole(scene.outputs, look), figure, x, y, figure.cell)


@given(st.text(st.sampled_from([*GLYPHS]), min_size=1, max_size=12))
def test_a_number_is_read_back_from_its_lines(text: str) -> None:
    lines = digit_lines(text)
    assert lines is not None
    assert len(lines) == HIGH
    assert {len(line) for line in lines} == {len(lines[0])}
    assert len(lines[0]) <= columns_of(len(text))
    assert grown_number([f"  {line}  " for line in lines]) == text


def test_what_has_no_glyph_is_no_number() -> None:
    assert [digit_lines(text) for text in ("", "10.0k", "1…", "·")] == [None] * 4


@pytest.mark.parametrize(
    ("values", "grows"),
    [((1, 2, 3, 4), True), ((-7, 10, 99, 0.5), True), ((1e-5, 2, 3, 4), False), ((1, 2, 3, 123456.789), False)],
)
def test_all_tensors_grow_or_none_does(values: tuple[float, ...], grows: bool) -> None:
    scene = rows(*values)
    assert scene.zoom is Zoom.LARGE
    assert {figure.grown for _, figure in figures(scene)} == {grows}
    assert text_at(scene, ELEMENT).strip() == shorts(np.array(values[:1], np.float32))[0]


def test_low_cells_and_small_rooms_have_text_and_a_zoom_keeps_what_it_is_called() -> None:
    trace = examples.example("gather-2").session().experiments[0].trace()
    seen = {(width, height): arrange(trace, width, height) for width, height in ((53, 8), (79, 19), (117, 33), ROOM)}
    assert [any(figure.grown for _, figure in figures(scene)) for scene in seen.values()] == [False, False, True, True]
    for scene in seen.values():
        for _, figure in figures(scene):
            assert not figure.grown or figure.lines >= HIGH + 2
    assert not any(figure.grown for _, figure in figures(arrange(trace, *ROOM, page=True)))


def test_an_answer_and_what_is_not_written_are_text() -> None:
    scene = rows(1, 2, 3, 4)
    flat = {Place(True, 0): {2: Entry(EntryKind.WRONG, "5")}}
    assert text_at(scene, ELEMENT, Look(entries=flat)).split() == ["✗5", "✓1"]
    assert text_at(scene, Cursor(Place(True, 0), (1, 1)), Look(entries=flat)) == "2"


def test_a_number_out_of_the_spotlight_stays_and_its_cell_s_edges_go() -> None:
    (line, *_) = digit_lines("8") or ()
    dimmed = spotlit([Span("▐", Style("edge")), Span(line, Style("cell", 0)), Span("▄▄", Style("cell edge", 0))], [])
    assert "".join(span.text for span in dimmed) == f" {line}  "


@pytest.mark.parametrize("text", ["18", "-7", "0.5", "41"])
@pytest.mark.parametrize("beside", [True, False])
def test_a_number_that_a_window_s_edge_goes_through_says_that_it_goes_on(text: str, beside: bool) -> None:
    """In each window that shows a part of its columns, and in no other."""
    scene = rows(1, 2, float(text), 4)
    stack = (scene if beside else as_scrolled(scene)).inputs
    element = Cursor(Place(False, 0), (1, 0))
    figure = stack.figure(element.place)
    assert (stack.beside, figure.grown) == (beside, True)
    x, y = cell_of(stack, figure, element.index)
    end, ruler = x + figure.cell, 0 if beside else figure.margin
    drawn = whole(stack)[y - 1 : y + 2]
    blocks = [at for line in drawn for at in range(x, end) if line[at][0] in "█▀▄"]
    parts = set()
    for left, right in combinations(range(ruler, end + 1), 2):
        lines = stack_lines(stack, 0, stack.height, left - ruler, right - left + ruler, Look(), Partners())
        seen = [characters(line)[ruler:][max(0, x - left) :] for line in lines[y - 1 : y + 2]]
        is_part = left <= max(blocks) and min(blocks) < right and not left <= min(blocks) <= max(blocks) < right
        assert any(char == "…" for line in seen for char, _ in line) == is_part, (left, right, seen)
        parts.add(is_part)
    assert parts == {True, False}
