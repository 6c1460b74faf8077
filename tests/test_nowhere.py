"""Elements that come from no input: what a trace says of them, and who counts, explains and edits by that."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import dmlviz as dml
from dmlviz.desc.indexing import unravel
from dmlviz.desc.values import element_of
from dmlviz.explaining import explain
from dmlviz.operators.maps import NOWHERE, Place
from dmlviz.scene.elements.cursor import Cursor
from dmlviz.session.document import Document
from dmlviz.session.experiments import Experiment, Session
from dmlviz.timing.sampling import bytes_moved
from dmlviz.workspace.explorer.workspace import Workspace
from dmlviz.workspace.shown.picture import Room


def frame(kind: str = "FLOAT32") -> dml.Padding:
    """2 by 3 elements in a border of 7, one row above and below and two columns on either side."""
    return dml.Padding(dml.TensorDesc(kind, (2, 3)), "CONSTANT", 7, (1, 2), (1, 2))


def test_a_trace_says_what_stands_where_no_source_is() -> None:
    trace = dml.trace(frame())
    source = trace.source(0, (0, 0))
    assert (source.nowhere, source.tensor, source.index, source.constant) == (True, NOWHERE, (), 7)
    inside = trace.source(0, (1, 2))
    assert (inside.nowhere, inside.index, inside.constant) == (False, (0, 0), None)
    tensors, flats = trace.addresses(0, unravel(np.arange(28), (4, 7)))
    assert flats[tensors == 0].tolist() == [*range(6)]
    assert not flats[tensors == NOWHERE].any()
    assert trace.reference(0).tolist() == np.pad([[1, 2, 3], [4, 5, 6]], [(1, 1), (2, 2)], constant_values=7).tolist()


@pytest.mark.parametrize(
    ("number", "kind", "element"),
    [
        (0.1, "FLOAT32", np.float32(0.1)),
        (1e6, "FLOAT16", np.float16(np.inf)),
        (-math.inf, "FLOAT64", np.float64(-np.inf)),
        (2**53 + 1, "FLOAT64", np.float64(2**53)),
        (-1.9, "INT8", np.int8(-1)),
        (300.0, "UINT8", np.uint8(255)),
        (-3, "UINT32", np.uint32(0)),
        (1e30, "INT64", np.int64(2**63 - 1)),
        (2**64 - 1, "UINT64", np.uint64(2**64 - 1)),
        (math.nan, "INT16", np.int16(0)),
    ],
)
def test_a_constant_has_the_type_of_its_tensor(number: float, kind: str, element: Any) -> None:
    converted = element_of(number, dml.DataType[kind])
    assert (converted.dtype, converted.tobytes()) == (element.dtype, element.tobytes())


def test_nan_stays_nan() -> None:
    assert np.isnan(element_of(math.nan, dml.DataType.FLOAT16))


def test_what_is_not_read_is_no_byte_read() -> None:
    assert bytes_moved(frame("INT16")) == (6 * 2, 28 * 2)


def test_it_is_explained() -> None:
    told = explain(Experiment("it", frame()))
    assert "The last element as a formula: OutputTensor[3,6] = PaddingValue = 7" in told


def test_it_has_no_cell_to_type_into() -> None:
    workspace = Workspace(Document(Session((Experiment("it", frame()),))))
    workspace.fit(Room(100, 30))
    workspace.point(Cursor(Place(True, 0), (0, 1)))
    assert workspace.cell_to_type() is None
    assert workspace.notices()[0].startswith("OutputTensor[0,1] comes from no input and holds PaddingValue, expected")
    workspace.point(Cursor(Place(True, 0), (1, 2)))
    assert workspace.cell_to_type() == Cursor(Place(False, 0), (0, 0))
