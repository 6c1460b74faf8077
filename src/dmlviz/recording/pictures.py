"""What is recorded of a valid desc: its tensors as tables of cells, its steps, and what is said of both."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ..desc.indexing import unravel
from ..desc.values import Indices
from ..operators.maps import Place
from ..scene.cells.cells import Cell, cells_of
from ..scene.cells.contents import Contents
from ..scene.colour.palette import CONSTANT, MUTED, fill, ink, rgb, shaded, toned
from ..scene.drawing.grid import looked_up
from ..scene.elements.known import EVERYTHING, Known
from ..scene.layout.arrange import arrange_page
from ..scene.layout.figure import Figure
from ..scene.look import Look
from ..scene.steps.order import Steps, Unit
from ..scene.words.sentences import example
from ..scene.words.sentences import sentence as sentence_on
from ..teaching.words.catalogue import sentence
from ..tracing import Trace

MOST_CELLS, MOST_TABLES = 512, 16
"""Cells of a table, and tensors of one side; no picture is drawn of a larger desc."""
MOST_STEPS = 256
"""Steps of a recording by element or by run; larger descs are told by slice, or at once."""
MUTED_LIGHTNESS = 88
"""CIELAB's L* of the tint of what stays where it is."""
FROM_NOWHERE = 1 << 40
"""Stands among identities for what comes from nowhere: no identity is as large."""


class Table(Struct, frozen=True, kw_only=True):
    """A tensor of R rows and C columns; arrays are (R * C,) row-major."""

    figure: Figure
    contents: Contents
    told: Indices
    """The step from which on a cell's colour is told, and of an output its value and source; 0 from the start."""
    placed: Indices
    """The same of its place in its sequence, which its shade stands for."""

    @property
    def place(self) -> Place:
        return self.figure.place

    @property
    def path(self) -> str:
        return self.figure.part.path

    def index(self, cell: int) -> tuple[int, ...]:
        at = unravel(self.contents.flat[cell : cell + 1], self.figure.part.tensor.sizes)
        return tuple(int(axis[0]) for axis in at)

    def cells(self, known: Known = EVERYTHING) -> list[Cell]:
        """The cells as far as they are known, as every picture shows them."""
        return cells_of(self.contents, Look(written=known)).every


class Picture(Struct, frozen=True, kw_only=True):
    """The tables of a valid desc, and the steps that write its outputs."""

    trace: Trace
    steps: Steps
    tables: Sequence[Table]
    """Of inputs, then of outputs."""

    def known(self, step: int) -> Known:
        """What is known after `step` steps, 0 to `steps.count`."""
        return EVERYTHING if step >= self.steps.count else self.steps.until(step)

    def caption(self, step: int) -> str:
        """What a step writes and where that comes from; "" of step 0."""
        group = self.steps.group(step)
        first = self.steps.element(step)
        if group is None or first is None:
            return ""
        formula = example(self.trace, first.place.number, first.index)
        if group.count == 1:
            return formula
        said = sentence_on(group) if len(group.boxes) == 1 else None
        return said or sentence("record.one_step", count=f"{group.count:,}", first=formula)


def picture_of(trace: Trace, wanted: str = "", *, turned: bool = False) -> Picture | None:
    """The tables of a trace, by the unit of steps that is `wanted` where there aren't too many; None of a large one."""
    sides = trace.inputs, trace.outputs
    counts = [part.tensor.element_count for side in sides for part in side]
    if max(map(len, sides)) > MOST_TABLES or max(counts) > MOST_CELLS:
        return None
    units = ([Unit(wanted)] if wanted else []) + [Unit.ELEMENT, Unit.SLICE]
    unit = next((each for each in units if Steps(trace, each).count <= MOST_STEPS), Unit.WHOLE)
    steps = Steps(trace, unit)
    # For the directions of axes alone.
    scene = arrange_page(trace, 120, 60, turned=turned)
    figures = (*scene.inputs.figures, *scene.outputs.figures)
    return Picture(trace=trace, steps=steps, tables=[_table_of(figure, steps) for figure in figures])


def _table_of(figure: Figure, steps: Steps) -> Table:
    """A tensor with the steps at which its cells are told: before them the scene shows less of a cell."""
    rows, columns = [*range(figure.rows.count)], [*range(figure.columns.count)]
    contents = looked_up(replace(figure, paged=False), rows, columns)
    last = cells_of(contents, Look(written=EVERYTHING)).every
    told, placed = np.zeros((2, len(last)), np.int64)
    for step in range(steps.count):
        now = [*zip(cells_of(contents, Look(written=steps.until(step))).every, last, strict=True)]
        told += [identity_of(cell) != identity_of(whole) or not cell.is_known for cell, whole in now]
        placed += [cell.shade != whole.shade for cell, whole in now]
    return Table(figure=figure, contents=contents, told=told, placed=np.maximum(told, placed))


def identity_of(cell: Cell) -> int:
    """What a cell's colour stands for: its identity, `FROM_NOWHERE`, or -1 for no colour."""
    return FROM_NOWHERE if cell.is_nowhere else cell.identity


def cell_colours(id_: int, shade: int = -1) -> tuple[str, str]:
    """(fill, ink) of a cell with an identity, or from nowhere, as #rrggbb; the same on light and on dark ground."""
    if id_ == FROM_NOWHERE:
        colour = rgb(CONSTANT)
    elif shade == MUTED:
        colour = toned(fill(id_), MUTED_LIGHTNESS)
    else:
        colour = shaded(id_, shade) if shade >= 0 else fill(id_)
    return f"#{bytes(colour).hex()}", f"#{bytes(ink(colour)).hex()}"
