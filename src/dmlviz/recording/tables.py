"""The tensors of a picture as tables of rows and columns, and from which step on each of their cells is told."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ..desc.indexing import unravel
from ..desc.tensors import braces
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
from ..teaching.words.catalogue import sentence
from ..tracing import Trace

MOST_CELLS, MOST_TABLES = 512, 16
"""Cells of a table, and tensors of one side; no picture is drawn of a larger desc."""
PAGE = 120, 60
"""Columns and lines for which the directions of axes are asked; tables need no room."""


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
        """The tensor's: `InputTensors[1]`."""
        return self.figure.part.path

    @property
    def type(self) -> str:
        """DataType and sizes: `FLOAT32 {3,2}`."""
        tensor = self.figure.part.tensor
        return f"{tensor.data_type.name} {braces(tensor.sizes)}"

    @property
    def axes(self) -> str:
        """Which axes go down and which across: `axis 0 ↓ · axis 1 →`."""
        sides = ("↓", self.figure.down), ("→", self.figure.across)
        return " · ".join(
            f"{sentence('page.axis' if len(axes) == 1 else 'page.axes', axes=', '.join(map(str, axes)))} {arrow}"
            for arrow, axes in sides
            if axes
        )

    @property
    def heads(self) -> tuple[list[str], list[str]]:
        """The indices of rows and of columns; none along no axis."""
        rows, columns = self.figure.rows, self.figure.columns
        sides = (self.figure.down, rows.count, rows.split), (self.figure.across, columns.count, columns.split)
        down, across = (
            [",".join(map(str, split(n))) for n in range(count * bool(axes))] for axes, count, split in sides
        )
        return down, across

    def index(self, cell: int) -> tuple[int, ...]:
        """The element in a cell, an index an axis."""
        at = unravel(self.contents.flat[cell : cell + 1], self.figure.part.tensor.sizes)
        return tuple(int(axis[0]) for axis in at)

    def cells(self, known: Known = EVERYTHING) -> list[Cell]:
        """The cells as far as they are known, as every picture shows them."""
        return cells_of(self.contents, Look(written=known)).every


def is_large(trace: Trace) -> bool:
    """True where no picture is drawn: there are too many tensors on a side, or elements in one."""
    sides = trace.inputs, trace.outputs
    counts = [part.tensor.element_count for side in sides for part in side]
    return max(map(len, sides)) > MOST_TABLES or max(counts) > MOST_CELLS


def tables_of(trace: Trace, steps: Steps, *, turned: bool = False) -> tuple[list[Table], list[Table]]:
    """The tables of inputs and outputs, with the directions of the upright picture unless `turned`."""
    scene = arrange_page(trace, *PAGE, turned=turned)
    inputs, outputs = ([_table_of(figure, steps) for figure in side.figures] for side in (scene.inputs, scene.outputs))
    return inputs, outputs


def _table_of(figure: Figure, steps: Steps) -> Table:
    """A tensor with the steps at which its cells are told."""
    rows, columns = figure.rows.count, figure.columns.count
    cells = looked_up(replace(figure, shaded=True), [*range(rows)], [*range(columns)])
    trace, place, index = figure.trace, figure.place, cells.index
    if place.is_output:
        told = placed = steps.when(place.number, index)
    else:
        told = _first_told(steps, trace.colours.named_by(trace.desc, place.number, index, trace.read), len(index[0]))
        by_place = trace.operator.placed_by(trace.desc, place.number, index, trace.read)
        placed = np.maximum(told, _first_told(steps, by_place, len(index[0])))
    return Table(figure=figure, contents=cells, told=told, placed=placed)


def _first_told(steps: Steps, readers: Readers | None, count: int) -> Indices:
    """(N,) the step that writes the output element on which something depends; 0 where there is none."""
    steps_of: Indices = np.zeros(count, np.int64)
    if readers is None:
        return steps_of
    for out in np.flatnonzero(np.bincount(readers.output)).tolist():
        here = readers.output == out
        steps_of[here] = steps.when(out, tuple(axis[here] for axis in readers.index))
    return steps_of
