"""Sources and formulas tell one story, and the kernels tell the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from operator_kit.kit import every
from support.effort import tried
from support.strategies import Case, cases

import dmlviz as dml
from dmlviz import tracing
from dmlviz.desc.fields import Role


@given(cases())
@tried(200)
def test_a_source_holds_what_the_output_holds_as_its_window_and_its_formula_say(case: Case) -> None:
    desc, trace = case.desc, dml.trace(case.desc, case.arrays)
    made = dml.run(desc, case.arrays)
    for k, part in enumerate(desc.outputs):
        assert trace.reference(k).tobytes() == made[k].tobytes()
        found = trace.sources(k, every(part.tensor))
        for i, at in enumerate(np.ndindex(part.tensor.sizes)):
            source, (output, *shown) = trace.source(k, at), trace.formula(k, at)
            assert output == (f"{part.path}[{','.join(map(str, at))}]", "output")
            named = trace.operator.constant_path
            if not source.nowhere:
                named = f"{desc.inputs[source.tensor].path}[{','.join(map(str, source.index))}]"
            assert [text for text, kind in shown if kind == "source"] == [named]
            if source.nowhere:
                assert made[k][at].tobytes() == np.array(trace.constant(k)).tobytes()
                continue
            assert made[k][at].tobytes() == case.arrays[source.tensor][source.index].tobytes()
            assert source.tensor == found.tensor[i]
            assert source.index == tuple(axis[i] for axis in found.index)
            if source.via is None:
                assert (found.via, source.negative, source.clamped) == (None, False, False)
                continue
            assert found.via is not None
            assert source.via.index == tuple(axis[i] for axis in found.via)
            n, value = desc.input_tensor.sizes[desc.axis], source.via.value
            assert value == int(case.arrays[source.via.tensor][source.via.index])
            flags = (-n <= value < 0, not -n <= value < n)
            if desc.inputs[1].field.role is Role.LENGTHS:
                flags = (False, value > n)
            assert (source.negative, source.clamped) == flags


def test_the_page_s_row_gather() -> None:
    desc = dml.Gather(dml.TensorDesc("FLOAT32", (3, 2)), dml.TensorDesc("UINT32", (1, 4)), 0, 1)
    assert dml.trace(desc).reference(0).tolist() == [[1, 2], [3, 4], [5, 6], [1, 2]]
    x = np.arange(1, 7, dtype=np.float32).reshape(3, 2)
    trace = dml.trace(desc, [x, np.array([[0, 1, 1, 2]], np.uint32)])
    source = trace.source(output=0, index=(2, 0))
    assert source == tracing.Source(0, (1, 0), tracing.Via(1, (0, 2), 1), negative=False, clamped=False)
    found = trace.destinations(tensor=0, index=(1, 0))
    assert list(found) == [(0, (1, 0)), (0, (2, 0))]
    assert found[-1] == found[1] == tracing.Destination(0, (2, 0))
    assert found[:1] == [tracing.Destination(0, (1, 0))]
    assert len(trace.destinations(1, (0, 2))) == 2
    with pytest.raises(IndexError):
        found[2]


def test_an_element_without_a_source_holds_the_constant_and_no_other() -> None:
    trace = dml.trace(dml.Padding(dml.TensorDesc("INT8", (2,)), "CONSTANT", 7, (1,), (1,)))
    assert [trace.source(0, (i,)).constant for i in range(4)] == [7, None, None, 7]
    assert [trace.source(0, (i,)).index for i in range(4)] == [(), (0,), (1,), ()]


def test_a_tensor_too_large_to_hold_is_traced_by_coordinate() -> None:
    huge = dml.TensorDesc("INT8", (65535, 65535))
    trace = dml.trace(dml.Split(huge, (huge,), 0))
    assert trace.source(0, (65534, 65534)).index == (65534, 65534)
    single = dml.trace(dml.Tile(dml.TensorDesc("INT8", (1, 1)), (65535, 65535)))
    found = single.destinations(0, (0, 0))
    assert len(found) == 65535**2
    assert found[len(found) - 1].index == (65534, 65534)


def test_too_many_indices_are_not_counted() -> None:
    desc = dml.Gather(dml.TensorDesc("INT8", (5,)), dml.TensorDesc("UINT32", (2**22 + 1,)), 0, 1)
    trace = dml.trace(desc)
    assert not trace.destinations(0, (1,)).counted
    assert trace.counts(0, (np.array([1]),)).tolist() == [-1]
    with pytest.raises(dml.DmlvizError, match="not counted"):
        len(trace.destinations(0, (1,)))


@pytest.mark.parametrize(
    ("output", "index"),
    [(1, (0, 0)), (-1, (0, 0)), (0, (0,)), (0, (4, 0)), (0, (-1, 0)), (0, (True, 0)), (0, (0, 0, 0))],
)
def test_places_outside_are_refused_in_a_sentence(output: int, index: tuple[int, ...]) -> None:
    trace = dml.trace(dml.Tile(dml.TensorDesc("INT8", (2, 2)), (2, 2)))
    with pytest.raises(dml.DmlvizError, match=r"\.$"):
        trace.source(output, index)
