"""ONNX models of a few nodes, and what exported ones make of their inputs, in ONNX's reference evaluator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import dropwhile
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from dmlviz.exporters.lib.writing import Export

Arrays = list[NDArray[Any]]
F32, I64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
node = helper.make_node


def parsed(made: Export) -> Any:
    """The model, checked as ONNX checks one."""
    model = onnx.load_model_from_string(made.data)
    onnx.checker.check_model(model, full_check=True)
    return model


def fed(made: Export, model: Any) -> dict[str, NDArray[Any]]:
    """What has no default, from the files beside the model."""
    held = {each.name for each in model.graph.initializer}
    by_name = {name.removesuffix(".npy"): array for name, array in made.files.items()}
    return {
        each.name: next(array for name, array in by_name.items() if name.endswith(each.name))
        for each in model.graph.input
        if each.name not in held
    }


def evaluated(made: Export) -> Arrays:
    """The outputs, by ONNX's reference evaluator."""
    model = parsed(made)
    return [np.asarray(each) for each in ReferenceEvaluator(model).run(None, fed(made, model))]


def same(ours: Arrays, theirs: Arrays) -> bool:
    """True if the arrays have the same bits; leading 1s may be more or fewer."""
    ours, theirs = ([each.reshape([*dropwhile((1).__eq__, each.shape)]) for each in some] for some in (ours, theirs))
    return [(a.dtype, a.shape, a.tobytes()) for a in ours] == [(b.dtype, b.shape, b.tobytes()) for b in theirs]


def model(
    nodes: Sequence[Any],
    inputs: Mapping[str, Any] | None = None,
    held: Mapping[str, NDArray[Any]] | None = None,
    opset: int = 18,
    outputs: Sequence[str] = (),
    *,
    declared: Mapping[str, Sequence[int]] | None = None,
    functions: Sequence[Any] = (),
) -> bytes:
    """A model of nodes; `inputs` are lists of sizes, or a type and such a list; `declared` is what it says of tensors
    that it makes."""
    infos = [
        helper.make_tensor_value_info(name, *(found if isinstance(found, tuple) else (F32, found)))
        for name, found in (inputs or {}).items()
    ]
    made = [helper.make_tensor_value_info(name, F32, None) for name in outputs]
    said = [helper.make_tensor_value_info(name, F32, sizes) for name, sizes in (declared or {}).items()]
    tensors = [numpy_helper.from_array(array, name) for name, array in (held or {}).items()]
    graph = helper.make_graph(list(nodes), "g", infos, made, tensors, value_info=said)
    opsets = [helper.make_opsetid("", opset), *([helper.make_opsetid("own", 1)] if functions else [])]
    data: bytes = helper.make_model(graph, opset_imports=opsets, functions=list(functions)).SerializeToString()
    return data
