"""The tensors of a picture as tables of rows and columns, and from which step on each of their cells is told."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ..desc.fields import Role
from ..desc.indexing import unravel
from ..desc.values import Indices
from ..operators.maps import Place, Readers
from ..scene.cells.cells import Cell, cells_of
from ..scene.cells.contents import Contents
from ..scene.drawing.grid import looked_up
from ..scene.elements.known import EVERYTHING, Known
from ..scene.layout.arrange import arrange_page
from ..scene.layout.figure import Figure
from ..scene.look import Look
from ..scene.steps.order import Steps
from ..tracing import Trace

MOST_CELLS = 512
"""Cells of a table; of a larger tensor the first ones are shown."""
MOST_COLUMNS = 32
MOST_TABLES = 16
"""Tensors of one side."""
MOST_LISTED = 32
"""Tensors that are listed where no picture is drawn."""
PAGE = 120, 60
"""Columns and lines for which the directions of axes are asked; tables need no room."""


class Table(Struct, frozen=True, kw_only=True):
    """A tensor, or the first rows and columns of a large one: R rows by C columns; arrays are (R * C,) row-major."""

    figure: Figure
    rows: int
    columns: int
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
        """The tensor's: `InputTensors[1]`."""
        return self.figure.part.path

    @property
    def left_out(self) -> tuple[int, int]:
        """Rows and columns of the tensor that the table doesn't show."""
        return self.figure.rows.count - self.rows, self.figure.columns.count - self.columns

    @property
    def is_whole(self) -> bool:
        return not any(self.left_out)

    def row_head(self, row: int) -> str:
        """The indices of a row along the axes that go down; "" where none does."""
        return _indices_text(self.figure.rows.split(row), self.figure.down)

    def column_head(self, column: int) -> str:
        """The indices of a column along the axes that go across; "" where none does."""
        return _indices_text(self.figure.columns.split(column), self.figure.across)

    def index(self, cell: int) -> tuple[int, ...]:
        """The element in a cell, an index an axis."""
        at = unravel(self.contents.flat[cell : cell + 1], self.figure.part.tensor.sizes)
        return tuple(int(axis[0]) for axis in at)

    def cells(self, known: Known = EVERYTHING) -> list[Cell]:
        """The cells as far as they are known, as every picture shows them."""
        return cells_of(self.contents, Look(written=known))[:]


def tables_of(trace: Trace, steps: Steps, *, turned: bool = False) -> tuple[list[Table], list[Table]]:
    """The tables of the first inputs and outputs, with the directions of the upright picture unless `turned`."""
    scene = arrange_page(trace, *PAGE, turned=turned)
    sides = (stack.figures[:MOST_TABLES] for stack in (scene.inputs, scene.outputs))
    inputs, outputs = ([table_of(figure, steps) for figure in side] for side in sides)
    return inputs, outputs


def table_of(figure: Figure, steps: Steps) -> Table:
    """The first rows and columns of a tensor, with the steps at which they are told."""
    columns = min(figure.columns.count, MOST_COLUMNS)
    rows = min(figure.rows.count, max(1, MOST_CELLS // columns))
    contents = looked_up(replace(figure, shaded=True), [*range(rows)], [*range(columns)])
    trace, place, index = figure.trace, figure.place, contents.index
    if place.is_output:
        told = placed = steps.when(place.number, index)
    else:
        told = _first_told(steps, trace.colours.named_by(trace.desc, place.number, index, trace.read), len(index[0]))
        by_place = trace.operator.placed_by(trace.desc, place.number, index, trace.read)
        placed = np.maximum(told, _first_told(steps, by_place, len(index[0])))
    return Table(figure=figure, rows=rows, columns=columns, contents=contents, told=told, placed=placed)


def _first_told(steps: Steps, readers: Readers | None, count: int) -> Indices:
    """(N,) the step that writes the output element on which something depends; 0 where there is none."""
    steps_of: Indices = np.zeros(count, np.int64)
    if readers is None:
        return steps_of
    for output in np.flatnonzero(np.bincount(readers.output)).tolist():
        here = readers.output == output
        steps_of[here] = steps.when(output, tuple(axis[here] for axis in readers.index))
    return steps_of


def is_data(table: Table) -> bool:
    """True for a tensor that is copied from or to; False for indices and lengths."""
    return table.figure.part.field.role in (Role.DATA, Role.OUTPUT)


def _indices_text(positions: Sequence[int], axes: Sequence[int]) -> str:
    return ",".join(map(str, positions)) if axes else ""
