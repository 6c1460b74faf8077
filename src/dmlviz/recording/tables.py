"""The tensors of a picture as tables of rows and columns, and from which step on each of their cells is told."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ..desc.fields import Role
from ..desc.indexing import unravel
from ..desc.values import Indices
from ..formats.uncompared import Cache
from ..operators.maps import CLAMPED, NEGATIVE, Place, Readers
from ..scene.colour.palette import letter
from ..scene.drawing.grid import Grid, known_of, looked_up
from ..scene.elements.known import Known
from ..scene.layout.arrange import arrange
from ..scene.layout.figure import Figure
from ..scene.layout.zoom import Zoom
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
UNWRITTEN = "·"
"""What a cell shows that is not written yet."""


class Cell(Struct, frozen=True):
    """A cell at one step."""

    text: str
    identity: int
    """What its colour stands for; -1 for none."""
    shade: int
    """Of that colour, see `colour.palette`; -1 for the colour itself."""
    sign: str
    """`!` where an index or length was clamped, `-` where an index counts from the end, or nothing."""
    is_known: bool
    """False where it is an output's that is not written yet."""

    @property
    def letter(self) -> str:
        """What stands for the colour where there is none."""
        return letter(self.identity) if self.identity >= 0 else ""


class Table(Struct, frozen=True):
    """A tensor, or the first rows and columns of a large one: R rows by C columns; arrays are (R * C,) row-major."""

    figure: Figure
    grid: Grid
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
    def columns(self) -> int:
        return len(self.grid.columns)

    @property
    def rows(self) -> int:
        return len(self.grid.rows)

    @property
    def left_out(self) -> tuple[int, int]:
        """Rows and columns of the tensor that the table doesn't show."""
        return self.figure.rows.count - self.rows, self.figure.columns.count - self.columns

    @property
    def is_whole(self) -> bool:
        return not any(self.left_out)

    def row_head(self, row: int) -> str:
        """The indices of a row along the axes that go down; "" where none does."""
        return _head(self.figure.rows.split(self.grid.rows[row][0]), self.figure.down)

    def column_head(self, column: int) -> str:
        """The indices of a column along the axes that go across; "" where none does."""
        return _head(self.figure.columns.split(self.grid.columns[column][0]), self.figure.across)

    def index(self, cell: int) -> tuple[int, ...]:
        """The element in a cell, an index an axis."""
        at = unravel(self.grid.flat[cell : cell + 1], self.figure.part.tensor.sizes)
        return tuple(int(axis[0]) for axis in at)

    def at(self, known: Known) -> list[Cell]:
        """The cells as far as they are known, as the scene tells them."""
        grid, _ = known_of(self.figure, self.grid, known)
        is_output = self.place.is_output
        count = len(grid.texts)
        here = np.ones(count, bool)
        if is_output and not known.whole:
            here = known(self.place.number, unravel(grid.flat, self.figure.part.tensor.sizes))
        shades, signs = grid.shades or [-1] * count, signs_of(grid, is_output)
        return [
            Cell(
                text=grid.texts[n] if here[n] else UNWRITTEN,
                identity=int(grid.identity[n]),
                shade=shades[n] if grid.identity[n] >= 0 else -1,
                sign=signs[n],
                is_known=bool(here[n]),
            )
            for n in range(count)
        ]


def signs_of(grid: Grid, is_output: bool) -> list[str]:
    """The sign of each cell: see `Cell.sign`."""
    if grid.flags is None:
        return [""] * len(grid.texts)
    return ["!" if flags & CLAMPED else "-" if flags & NEGATIVE and is_output else "" for flags in grid.flags.tolist()]


def tables_of(trace: Trace, steps: Steps, *, turned: bool = False) -> tuple[list[Table], list[Table]]:
    """The tables of the inputs and of the outputs, with the directions of the upright picture."""
    scene = arrange(trace, *PAGE, Zoom.VALUES, turned=turned, page=True)
    sides = (stack.figures[:MOST_TABLES] for stack in (scene.inputs, scene.outputs))
    inputs, outputs = ([table_of(figure, steps) for figure in side] for side in sides)
    return inputs, outputs


def table_of(figure: Figure, steps: Steps) -> Table:
    """The first rows and columns of a tensor, with the steps at which they are told."""
    figure = replace(figure, zoom=Zoom.VALUES, shaded=True, drawn=Cache())
    columns = min(figure.columns.count, MOST_COLUMNS)
    rows = min(figure.rows.count, max(1, MOST_CELLS // columns))
    grid = looked_up(figure, [(n, 0) for n in range(rows)], [(n, 0) for n in range(columns)])
    trace, place = figure.trace, figure.place
    at = unravel(grid.flat, figure.part.tensor.sizes)
    if place.is_output:
        told = steps.when(place.number, at)
        return Table(figure, grid, told, told)
    named = trace.colours.named_by(trace.desc, place.number, at, trace.read)
    placed = trace.operator.placed_by(trace.desc, place.number, at, trace.read)
    told = _first_told(steps, named, len(grid.flat))
    return Table(figure, grid, told, np.maximum(told, _first_told(steps, placed, len(grid.flat))))


def _first_told(steps: Steps, readers: Readers | None, count: int) -> Indices:
    """(N,) the step that writes the output element on which something depends; 0 where there is none."""
    made: Indices = np.zeros(count, np.int64)
    if readers is None:
        return made
    for output in np.flatnonzero(np.bincount(readers.output)).tolist():
        here = readers.output == output
        made[here] = steps.when(output, tuple(axis[here] for axis in readers.index))
    return made


def is_data(table: Table) -> bool:
    """True for a tensor that is copied from or to; False for indices and lengths."""
    return table.figure.part.field.role in (Role.DATA, Role.OUTPUT)


def _head(positions: Sequence[int], axes: Sequence[int]) -> str:
    return ",".join(map(str, positions)) if axes else ""
