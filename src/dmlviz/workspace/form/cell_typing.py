"""Typing values into cells: which cell it is."""

from __future__ import annotations

from ...desc.tensors import brackets
from ...errors import DmlvizError
from ...operators.maps import Place
from ...scene.elements.cursor import Cursor
from ...scene.elements.known import Known
from ...session.cell_edits import require_typable
from ...session.experiments import Experiment
from ...tracing import Trace


def typable(one: Experiment, trace: Trace, cursor: Cursor, known: Known) -> Cursor:
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
    return cursor


def _element_path(trace: Trace, cursor: Cursor) -> str:
    parts = trace.outputs if cursor.place.is_output else trace.inputs
    return f"{parts[cursor.place.number].path}{brackets(cursor.index)}"
