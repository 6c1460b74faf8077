"""ONNX models of a few nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

F32, I64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
node = helper.make_node


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
