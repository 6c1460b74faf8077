"""Typing values into cells: which cell it is, and what becomes of the text."""

from __future__ import annotations

from ...desc.indexing import index_in
from ...desc.tensors import brackets
from ...errors import DmlvizError
from ...operators.maps import Place
from ...scene.elements.cursor import Cursor, flat_of
from ...scene.elements.known import Known
from ...scene.elements.lookup import value_of
from ...session.cell_edits import require_typable
from ...session.experiments import Experiment
from ...tracing import Trace
from ..shown.state import CellState


def opened(one: Experiment, trace: Trace, cursor: Cursor, serial: int, known: Known) -> CellState:
    """The cell to type into: the cursor's, or its source's where the cursor is on an output element.

    Raises DmlvizError where the tensor's values can't be typed one by one, the source isn't known yet, or is nowhere.
    """
    if not known.tells(cursor):
        name = _element_path(trace, cursor)
        raise DmlvizError(f"{name} is not written yet at this step, expected one that is, or an input's element.")
    if cursor.place.is_output:
        name, source = _element_path(trace, cursor), trace.source(cursor.place.number, cursor.index)
        if source.nowhere:
            field = trace.operator.constant_path
            raise DmlvizError(f"{name} comes from no input and holds {field}, expected an element that has a source.")
        cursor = Cursor(Place(False, source.tensor), source.index)
    require_typable(one, trace.inputs[cursor.place.number].path)
    return CellState(cursor, value_of(trace, cursor)[0], serial)


def beside(trace: Trace, cursor: Cursor, by: int) -> Cursor | None:
    """The element `by` further in its tensor, row-major; None behind its ends."""
    part = trace.inputs[cursor.place.number]
    flat = flat_of(trace, cursor) + by
    is_there = 0 <= flat < part.tensor.element_count
    return Cursor(cursor.place, index_in(flat, part.tensor.sizes)) if is_there else None


def _element_path(trace: Trace, cursor: Cursor) -> str:
    parts = trace.outputs if cursor.place.is_output else trace.inputs
    return f"{parts[cursor.place.number].path}{brackets(cursor.index)}"
