"""Pictures of random cases, asked cell by cell, and cursors on elements."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from hypothesis import HealthCheck
from hypothesis import strategies as st
from msgspec.structs import replace

import dmlviz as dml
from dmlviz.operators.maps import Place
from dmlviz.scene.drawing.stack_lines import stack_lines
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.scene.elements.partners import Partners
from dmlviz.scene.layout.arrange import Scene, arrange
from dmlviz.scene.layout.figure import Figure
from dmlviz.scene.layout.stack import Stack
from dmlviz.scene.layout.zoom import Zoom
from dmlviz.scene.look import Look
from dmlviz.scene.spans import Line, Style
from support.effort import tried
from support.strategies import Case

RELAXED = tried(40, suppress_health_check=list(HealthCheck))
ROOMS = st.sampled_from([(24, 8), (40, 10), (66, 14), (62, 24), (140, 36), (400, 200)])
ZOOMS = st.sampled_from([None, *Zoom])


def picture(case: Case, room: tuple[int, int]) -> Scene:
    return arrange(dml.trace(case.desc, case.arrays), *room, Zoom.VALUES)


def as_scrolled(scene: Scene) -> Scene:
    """A picture as it is scrolled: what fits stands in the middle, side by side on one line, and is never scrolled."""
    if not scene.layout.fits:
        return scene
    inputs, outputs = (replace(stack, beside=False) for stack in stacks(scene.packed()))
    return replace(scene, inputs=inputs, outputs=outputs)


def stacks(scene: Scene) -> list[Stack]:
    return [scene.inputs, scene.outputs]


def elements(figure: Figure) -> list[tuple[int, ...]]:
    """Those of the slice that is shown."""
    return [index for index in product(*map(range, figure.part.tensor.sizes)) if figure.shows(index)]


def text_of(line: Line) -> str:
    return "".join(span.text for span in line)


def characters(line: Line) -> list[tuple[str, Style]]:
    """A line column by column."""
    return [(char, span.style) for span in line for char in span.text]


def whole(
    stack: Stack, look: Look | None = None, links: Partners | None = None, width: int = 0
) -> list[list[tuple[str, Style]]]:
    """Every line of a stack that is not scrolled, column by column; the first of them where a width is given."""
    width = width or max(stack.width, stack.extent) + 20
    return [
        characters(line) for line in stack_lines(stack, 0, stack.height, 0, width, look or Look(), links or Partners())
    ]


def cell_of(stack: Stack, figure: Figure, index: tuple[int, ...]) -> tuple[int, int]:
    """(x, y) of an element's first column in a stack that is not scrolled, with the ruler."""
    x, y = stack.locate(Cursor(figure.place, index))
    return x + figure.margin, y


def figures(scene: Scene) -> Iterator[tuple[Stack, Figure]]:
    for stack in stacks(scene):
        for figure in stack.figures:
            yield stack, figure


def out(*index: int, number: int = 0) -> Cursor:
    return Cursor(Place(True, number), index)


def into(*index: int, number: int = 0) -> Cursor:
    return Cursor(Place(False, number), index)
