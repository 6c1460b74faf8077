"""Linear memory at a step: the tensor that is read and the one that is written, in address order."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from ..desc.base import Part
from ..desc.fields import Role
from ..desc.indexing import unravel
from ..operators.maps import Place
from ..scene.cells.cells import Cell, cells_of
from ..scene.cells.contents import Contents, contents_of
from ..scene.elements.cursor import Cursor, flat_of, part_of
from ..scene.elements.known import Known
from ..scene.elements.lookup import source_of
from ..scene.layout.cell_widths import value_width
from ..scene.look import Look
from ..scene.memory.runs import Run, run_around
from ..scene.spans import cut
from ..tracing import Trace
from .pictures import Picture


class MemoryRow(Struct, frozen=True, kw_only=True):
    """Elements of one tensor that lie side by side, and those of them that the step moves."""

    part: Part
    contents: Contents
    """Of the elements in sight."""
    run: range
    """The flat indices of what moves, in sight or not; empty where nothing does."""

    @property
    def left_out(self) -> tuple[int, int]:
        """How many elements lie before those in sight, and behind them."""
        shown = self.contents.flat
        return int(shown[0]), self.part.tensor.element_count - 1 - int(shown[-1])

    @property
    def bytes_moved(self) -> tuple[int, int]:
        """The first byte of what moves, and the last."""
        size = self.part.tensor.data_type.item_size
        return self.run.start * size, self.run.stop * size - 1

    def cells(self, known: Known) -> list[Cell]:
        """The cells in sight as far as they are known; values that no sample had are cut to the others' width."""
        columns = value_width(self.contents.trace, is_data=True) - 2
        cells = cells_of(self.contents, Look(written=known))[:]
        return [cell._replace(text=cut(cell.text, columns)) for cell in cells]


def memory_rows(picture: Picture, step: int, whole: int, part: int) -> tuple[MemoryRow | None, MemoryRow]:
    """The rows of what is read and of what is written: `part` elements of a tensor that has more than `whole`.

    None for the first where the step fills and reads nothing. Before the first step nothing moves.
    """
    trace, output = picture.trace, picture.steps.element(step)
    if output is None:
        first = next(k for k, tensor in enumerate(trace.inputs) if tensor.field.role is Role.DATA)
        input_row, output_row = (
            _row(trace, place, Run(0, 0), whole, part) for place in (Place(False, first), Place(True, 0))
        )
        return input_row, output_row
    source, run = source_of(trace, output), _run_of(picture, step, output)
    written = _row(trace, output.place, run, whole, part)
    if source is None:
        return None, written
    start = flat_of(trace, source) - (flat_of(trace, output) - run.start)
    return _row(trace, source.place, run._replace(start=start), whole, part), written


def _run_of(picture: Picture, step: int, output: Cursor) -> Run:
    """What a step by run or copy moves; by other units the run around the first element that it writes."""
    group = picture.steps.group(step)
    if group is not None and picture.steps.unit.is_memory:
        return Run(flat_of(picture.trace, output), group.count)
    return run_around(picture.trace, output, picture.known(step))


def _row(trace: Trace, place: Place, run: Run, whole: int, part: int) -> MemoryRow:
    """The row of a tensor with a run in its middle, or with where that begins if it is longer."""
    tensor = part_of(trace, place)
    count = tensor.tensor.element_count
    room = count if count <= whole else part
    start = min(max(0, run.start - max(1, (room - run.length) // 2)), count - room)
    contents = contents_of(trace, place, unravel(np.arange(start, start + room, dtype=np.int64), tensor.tensor.sizes))
    return MemoryRow(part=tensor, contents=contents, run=range(run.start, run.start + run.length))
