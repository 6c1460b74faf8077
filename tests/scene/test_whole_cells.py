"""Cells are whole: hairlines from top to bottom."""

from __future__ import annotations

import pytest

from dmlviz.scene.drawing.stack_lines import stack_lines
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.elements.partners import Partners
from dmlviz.scene.layout.arrange import Scene, arrange
from dmlviz.scene.layout.figure import Figure
from dmlviz.scene.look import Look
from dmlviz.scene.spans import Style
from dmlviz.session import examples

ROOMS = [(72, 13), (84, 17), (84, 24), (150, 30), (150, 44)]


def drawn(scene: Scene, height: int, look: Look) -> list[list[tuple[str, Style]]]:
    """Each character of the outputs, and its style."""
    lines = stack_lines(scene.outputs, 0, height, 0, 200, look, Partners())
    return [[(char, span.style) for span in line for char in span.text] for line in lines]


def cell(scene: Scene, figure: Figure, index: tuple[int, ...], screen: list[list[tuple[str, Style]]]) -> list[str]:
    """The lines of a cell, with a column at either side."""
    x, y = scene.outputs.locate(Cursor(figure.place, index))
    left, top = x + figure.margin, y - figure.middle
    width = figure.cell
    rows = [screen[top + i] for i in range(figure.lines)]
    return ["".join(char for char, _ in row[left : left + width]) for row in rows]


@pytest.mark.parametrize("room", ROOMS, ids=str)
def test_a_cell_without_colour_is_closed_by_hairlines_and_is_never_half_a_block(room: tuple[int, int]) -> None:
    """Half of a line has no place for a hairline at its side, which would break off there."""
    scene = arrange(examples.example("gather-2").session().experiments[0].trace(), *room, lane=7)
    screen = drawn(scene, room[1], Look(stale=True))
    for figure in scene.outputs.figures:
        for row in range(figure.rows.count):
            lines = cell(scene, figure, figure.index(row, 0), screen)
            assert not set(lines[0] + lines[-1]) & {*"▀▄"}
            assert lines[figure.middle].strip()
            if figure.middle:
                assert set(lines[0]) == {"▔" if figure.apart else "▁"}
            if figure.lines > 1:
                assert set(lines[-1]) == {"▁" if figure.apart else "▔"}
