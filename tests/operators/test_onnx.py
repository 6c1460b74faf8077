"""ONNX defines the same five operators independently; its reference evaluator is held against the kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from operator_kit.cases.join import joins
from operator_kit.cases.split import splits
from operator_kit.cases.tile import tiles
from support.effort import tried
from support.pages import random_bits
from support.strategies import TYPES, Case, generators, shapes

import dmlviz as dml

onnx = pytest.importorskip("onnx")
from onnx import helper  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402

OPSET = 18


def evaluate(kind: str, arrays: list[NDArray[Any]], outputs: int = 1, **attributes: Any) -> list[NDArray[Any]]:
    """What ONNX's operator makes of arrays."""
    names = [f"in{i}" for i in range(len(arrays))]
    made = [f"out{i}" for i in range(outputs)]
    node = helper.make_node(kind, names, made, **attributes)
    values = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for name, array in zip(names, arrays, strict=True)
    ]
    unknown = [helper.make_value_info(name, helper.make_tensor_type_proto(1, None)) for name in made]
    model = helper.make_model(
        helper.make_graph([node], "g", values, unknown), opset_imports=[helper.make_opsetid("", OPSET)]
    )
    found: list[NDArray[Any]] = ReferenceEvaluator(model).run(None, dict(zip(names, arrays, strict=True)))
    return found


def same(ours: NDArray[Any], theirs: NDArray[Any]) -> bool:
    return ours.shape == theirs.shape and ours.dtype == theirs.dtype and ours.tobytes() == theirs.tobytes()


@given(st.one_of(joins(), splits(), tiles()))
@tried(120)
def test_concat_split_and_tile(case: Case) -> None:
    desc, x = case.desc, case.arrays[0]
    if isinstance(desc, dml.Join):
        theirs, ours = evaluate("Concat", case.arrays, axis=desc.axis), [dml.join(case.arrays, desc.axis)]
    elif isinstance(desc, dml.Split):
        sizes = [part.sizes[desc.axis] for part in desc.output_tensors]
        theirs = evaluate("Split", [x, np.array(sizes, np.int64)], len(sizes), axis=desc.axis)
        ours = dml.split(x, sizes, desc.axis)
    else:
        theirs, ours = evaluate("Tile", [x, np.array(desc.repeats, np.int64)]), [dml.tile(x, desc.repeats)]
    assert all(same(a, b) for a, b in zip(ours, theirs, strict=True))


@pytest.mark.slow
@given(shapes(40, highest=4), st.data())
@tried(60)
def test_gather(sizes: tuple[int, ...], data: st.DataObject) -> None:
    """Data and indices of any rank, padded to one DimensionCount as SPEC section 7 says."""
    axis = data.draw(st.integers(0, len(sizes) - 1))
    index_sizes = data.draw(st.one_of(st.just(()), shapes(12, highest=9 - len(sizes))))
    generator, n = data.draw(generators()), sizes[axis]
    x = random_bits(generator, data.draw(st.sampled_from(TYPES)), sizes)
    indices = np.asarray(generator.integers(-n, n, index_sizes), data.draw(st.sampled_from(["int32", "int64"])))
    theirs = np.asarray(evaluate("Gather", [x, indices], axis=axis)[0])
    assert same(dml.gather(x, indices, axis), theirs)


@pytest.mark.slow
@given(shapes(60, highest=6).filter(lambda s: len(s) >= 2), st.booleans(), st.data())
@tried(60)
def test_reverse_sequence(sizes: tuple[int, ...], time_first: bool, data: st.DataObject) -> None:
    """ONNX has one length for each entry of a batch axis; DirectML one for each sequence."""
    time, batch = (0, 1) if time_first else (1, 0)
    generator = data.draw(generators())
    x = random_bits(generator, data.draw(st.sampled_from(TYPES)), sizes)
    lengths = generator.integers(0, sizes[time] + 1, sizes[batch]).astype(np.int64)
    theirs = evaluate("ReverseSequence", [x, lengths], batch_axis=batch, time_axis=time)[0]
    along = [1] * len(sizes)
    along[batch] = sizes[batch]
    cells = (*sizes[:time], 1, *sizes[time + 1 :])
    wide = np.broadcast_to(lengths.reshape(along), cells).astype(data.draw(st.sampled_from(["uint32", "uint64"])))
    assert same(dml.reverse_subsequences(x, wide, time), theirs)
