"""The main graph of an ONNX model: what tensors there are, and the values of small ones.

Nothing is read from other files, and nothing of a subgraph or a model's own function.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from ...desc.tensors import MAX_DIMENSIONS, DataType
from ...desc.values import Array
from ...errors import quote

Sizes = tuple[int, ...]
MOST_VALUES = 1 << 16
"""Elements of a tensor whose values are read."""
MOST_HINTS = 1024
"""Elements of a tensor that shape inference is told the values of."""
LARGEST_NODE = 1 << 16
"""Bytes of a node whose shapes are inferred."""
MOST_INFERRED = 20_000
"""Nodes whose shapes are inferred."""
MOST_RANK = 64
"""Dimensions of an inferred shape: a gather of a gather of a gather doubles them each time."""
MOST_STEPS = 16
"""Nodes that are followed back from a tensor to its values."""
TYPES = {
    1: "FLOAT32",
    2: "UINT8",
    3: "INT8",
    4: "UINT16",
    5: "INT16",
    6: "INT32",
    7: "INT64",
    10: "FLOAT16",
    11: "FLOAT64",
    12: "UINT32",
    13: "UINT64",
}
"""The DataTypes by TensorProto.DataType."""
OTHERS = {8: "STRING", 9: "BOOL", 14: "COMPLEX64", 15: "COMPLEX128", 16: "BFLOAT16"}
RESHAPING = frozenset({"Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten"})
"""Nodes that keep the elements in their order."""
_KINDS = """
Abs Acos Asin Atan Ceil Cos Elu Erf Exp Floor HardSigmoid HardSwish LeakyRelu Log LogSoftmax Neg Not
Reciprocal Relu Round Selu Sigmoid Sign Sin Softmax Softplus Softsign Sqrt Tan Tanh Gelu Mish Cast Clip
Identity Dropout BatchNormalization InstanceNormalization Add Sub Mul Div Pow And Or Xor Equal Less Greater
LessOrEqual GreaterOrEqual Mod Min Max Mean Sum Where PRelu Reshape Transpose Squeeze Unsqueeze Flatten Shape
Size Constant ConstantOfShape MatMul Gemm Conv MaxPool AveragePool GlobalAveragePool GlobalMaxPool ReduceSum
ReduceMean ReduceMax ReduceMin ArgMax ArgMin Slice Pad Concat Gather Tile ReverseSequence DepthToSpace
SpaceToDepth GatherElements
"""
INFERRED = frozenset(_KINDS.split())
"""Nodes whose shapes ONNX's own inference is asked for: those in which it stands any attribute and any hint. Some
others are known to end the process, or to take all memory, where a model is ill-made."""
LIKE_FIRST = frozenset({"LayerNormalization", "GroupNormalization", "LpNormalization", "RMSNormalization"})
"""Nodes whose first output is as large as their first input."""
LARGEST_SIZE = 2**32
_EXTERNAL = 1


class Unknown(Exception):  # noqa: N818 (not an error of the model)
    """What a node's desc needs and the model doesn't say; the message is half a sentence."""


class Graph:
    """The tensors of a model by name."""

    def __init__(self, model: Any, onnx: ModuleType) -> None:
        self._onnx, self._model = onnx, model
        graph = model.graph
        self.nodes: Sequence[Any] = list(graph.node)
        versions = [each.version for each in model.opset_import if each.domain in ("", "ai.onnx")]
        self.opset: int = max(versions, default=1)
        self._held = {each.name: each for each in graph.initializer}
        self._types = {
            each.name: each.type for group in (graph.value_info, graph.output, graph.input) for each in group
        }
        self._makers = {name: node for node in self.nodes for name in node.output if name}
        self._begun: set[int] = set()
        self._inferred: set[int] = set()

    # ---- types

    def data_type(self, name: str) -> DataType:
        """The DataType of a tensor. Raises Unknown."""
        held = self._held.get(name)
        number = held.data_type if held is not None else self._proto(name).tensor_type.elem_type
        if number in TYPES:
            return DataType[TYPES[number]]
        if not number:
            raise Unknown(f"the type of {_quoted(name)} isn't known, expected a model that says it")
        raise Unknown(f"{_quoted(name)} is of {OTHERS.get(number, f'type {number}')}, expected a DataType of DirectML")

    def sizes(self, name: str) -> Sizes:
        """The sizes of a tensor, all at least 1. Raises Unknown."""
        found = self._sizes(name)
        if found is None:
            raise Unknown(f"the shape of {_quoted(name)} isn't known, expected fixed sizes")
        if len(found) > MAX_DIMENSIONS:
            raise Unknown(f"{_quoted(name)} has {len(found)} dimensions, expected at most {MAX_DIMENSIONS}")
        if min(found, default=1) < 1:
            raise Unknown(f"{_quoted(name)} has a size of {min(found)}, expected at least 1: DirectML has none empty")
        return found

    def _sizes(self, name: str) -> Sizes | None:
        held = self._held.get(name)
        if held is not None:
            return tuple(held.dims)
        found = _fixed(self._types.get(name))
        return found if found is not None else _fixed(self._proto(name))

    def _proto(self, name: str) -> Any:
        """A tensor's type as the model says it, or else as follows from the nodes before it."""
        known = self._types.get(name)
        if _fixed(known) is None and name in self._makers:
            self._infer(self._makers[name])
        return self._types.get(name, self._onnx.TypeProto())

    def _infer(self, last: Any) -> None:
        """Infers the types of what `last` makes, and of all that needs it, one node at a time. No shape then grows
        beyond `MOST_RANK` dimensions before it is looked at."""
        waiting = [last]
        while waiting and len(self._begun) < MOST_INFERRED:
            node = waiting[-1]
            if id(node) not in self._begun:
                self._begun.add(id(node))
                makers = [self._makers[name] for name in node.input if name in self._makers]
                waiting += [each for each in makers if id(each) not in self._begun]
                continue
            waiting.pop()
            if id(node) in self._inferred:
                continue
            self._inferred.add(id(node))
            for name, found in self._outputs(node):
                rank = len(found.tensor_type.shape.dim)
                if rank <= MOST_RANK and _fixed(self._types.get(name)) is None:
                    self._types[name] = found

    def _outputs(self, node: Any) -> Iterator[tuple[str, Any]]:
        """The types of what a node makes, as far as they are known."""
        if not is_standard(node) or node.ByteSize() > LARGEST_NODE:
            return
        known = {name: self._sane_type(name) for name in node.input if name}
        first = known.get(node.input[0]) if node.input else None
        if node.op_type in LIKE_FIRST and first is not None and node.output:
            yield node.output[0], first
        elif node.op_type == "Split" and first is not None:
            yield from self._split_outputs(node, first)
        elif node.op_type in INFERRED and all(known.values()):
            yield from self._inferred_outputs(node, known)

    def _inferred_outputs(self, node: Any, known: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        hints = {name: held for name in node.input if (held := self._constant(name, MOST_HINTS)) is not None}
        onnx = self._onnx
        try:
            schema = onnx.defs.get_schema(node.op_type, min(self.opset, 1 << 20), "")
            opsets = [onnx.helper.make_opsetid("", self.opset)]
            found = onnx.shape_inference.infer_node_outputs(
                schema, node, known, hints, opset_imports=opsets, ir_version=8
            )
        except Exception:  # whatever ONNX has against a node, its outputs stay unknown
            return
        yield from found.items()

    def _split_outputs(self, node: Any, first: Any) -> Iterator[tuple[str, Any]]:
        sizes, axis = _fixed(first), number(node, "axis", 0)
        if sizes is None or not -len(sizes) <= axis < len(sizes):
            return
        parts = self.split_sizes(node, sizes[axis % len(sizes)])
        if parts is None or len(parts) != len(node.output):
            return
        for name, size in zip(node.output, parts, strict=True):
            shape = list(sizes)
            shape[axis] = size
            yield name, self._onnx.helper.make_tensor_type_proto(first.tensor_type.elem_type, shape)

    def split_sizes(self, node: Any, along: int) -> list[int] | None:
        """The sizes of a Split's parts, as many as the node says; None where the model computes them."""
        given = numbers(node, "split")
        if given is not None:
            return given
        if len(node.input) > 1 and node.input[1]:
            return self.whole_numbers(node.input[1])
        count = number(node, "num_outputs", len(node.output))
        if count != len(node.output) or count < 1:
            return []  # a count that the outputs don't have is no reason to make as many parts
        size = -(-along // count)
        return [size] * (count - 1) + [along - size * (count - 1)]

    def _sane_type(self, name: str) -> Any:
        """The type of a tensor that inference may be told of; None for none."""
        held = self._held.get(name)
        found = self._types.get(name) if held is None else None
        if held is not None and len(held.dims) <= MOST_RANK:
            found = self._onnx.helper.make_tensor_type_proto(held.data_type, tuple(held.dims))
        if found is None or not found.HasField("tensor_type"):
            return None
        dims = found.tensor_type.shape.dim
        sane = all(not dim.HasField("dim_value") or 1 <= dim.dim_value <= LARGEST_SIZE for dim in dims)
        return found if len(dims) <= MOST_RANK and sane else None

    # ---- values

    def maker(self, name: str) -> Any:
        """The node, of ONNX's own, that makes a tensor; None for one that comes from outside or is held."""
        node = None if name in self._held else self._makers.get(name)
        return node if node is not None and is_standard(node) else None

    def value(self, name: str, most: int = MOST_VALUES, steps: int = MOST_STEPS) -> Array | None:
        """The values of a tensor that the model holds, or makes of such by moving elements; None where it doesn't, or
        there are more than `most`."""
        held = self._constant(name, most)
        if held is not None:
            return self._array(held)
        node = self.maker(name)
        if node is None or not node.input or not steps:
            return None
        kind = node.op_type
        if kind in RESHAPING:
            found, sizes = self.value(node.input[0], most, steps - 1), self._sizes(name)
            if found is None or sizes is None or len(sizes) > MAX_DIMENSIONS or min(sizes, default=1) < 0:
                return None
            return found.reshape(sizes) if math.prod(sizes) == found.size else None
        if kind == "Transpose":
            found = self.value(node.input[0], most, steps - 1)
            if found is None:
                return None
            order = numbers(node, "perm") or list(range(found.ndim))[::-1]
            return found.transpose(order) if sorted(order) == list(range(found.ndim)) else None
        made: Callable[[Any, int, int], Array | None] | None = {"Cast": self._cast, "Clip": self._clip}.get(kind)
        return made(node, most, steps - 1) if made else None

    def whole_numbers(self, name: str) -> list[int] | None:
        """The values of a tensor of integers in one list; None where they aren't known."""
        held = self.value(name)
        return None if held is None or held.dtype.kind == "f" else [int(each) for each in held.reshape(-1).tolist()]

    def _cast(self, node: Any, most: int, steps: int) -> Array | None:
        found, kind = self.value(node.input[0], most, steps), TYPES.get(number(node, "to", 0))
        if found is None or kind is None or found.dtype.kind == "f" or DataType[kind].is_float:
            return None
        low, high = DataType[kind].integer_range
        outside = found.size and not (low <= int(found.min()) and int(found.max()) <= high)
        return None if outside else found.astype(DataType[kind].dtype)

    def _clip(self, node: Any, most: int, steps: int) -> Array | None:
        found, bounds = self.value(node.input[0], most, steps), self.bounds(node)
        if found is None or bounds is None or found.dtype.kind == "f":
            return None
        info = np.iinfo(found.dtype)
        low, high = (held if held is not None else end for held, end in zip(bounds, (info.min, info.max), strict=True))
        return found.clip(low, high) if info.min <= low <= high <= info.max else None

    def bounds(self, clip: Any) -> tuple[int | None, int | None] | None:
        """The bounds of a Clip of integers, None for one that it lacks; None where they aren't constant."""
        found: list[int | None] = []
        for at in (1, 2):
            name = clip.input[at] if at < len(clip.input) else ""
            held = self._constant(name, 1) if name else None
            array = self._array(held) if held is not None else None
            if name and (array is None or not array.size or array.dtype.kind == "f"):
                return None
            found.append(None if array is None else int(array.reshape(-1)[0]))
        return found[0], found[1]

    def _constant(self, name: str, most: int) -> Any:
        """The TensorProto of an initializer or of a Constant node, if it is a small one."""
        held = self._held.get(name)
        node = self._makers.get(name) if held is None else None
        if node is not None and node.op_type == "Constant" and is_standard(node):
            for each in node.attribute:
                if each.name == "value" and each.HasField("t"):
                    held = each.t
                elif each.name in ("value_int", "value_ints"):
                    given = [each.i] if each.name == "value_int" else list(each.ints[: most + 1])
                    shape = () if each.name == "value_int" else (len(given),)
                    held = self._onnx.numpy_helper.from_array(np.array(given, np.int64).reshape(shape))
        if held is None or len(held.dims) > MAX_DIMENSIONS or min(held.dims, default=1) < 0:
            return None
        return held if math.prod(held.dims) <= most and not is_external(held) else None

    def _array(self, held: Any) -> Array | None:
        if held.data_type not in TYPES:
            return None
        try:
            found: Array = self._onnx.numpy_helper.to_array(held)
        except Exception:  # damaged: too few bytes, a segment, the wrong field
            return None
        return found if found.dtype == DataType[TYPES[held.data_type]].dtype else None


def is_external(held: Any) -> bool:
    return held.data_location == _EXTERNAL or len(held.external_data) > 0


def _fixed(proto: Any) -> Sizes | None:
    """The sizes of a TypeProto, all of them known."""
    if proto is None or not proto.HasField("tensor_type") or not proto.tensor_type.HasField("shape"):
        return None
    dims = proto.tensor_type.shape.dim
    return tuple(d.dim_value for d in dims) if all(d.HasField("dim_value") for d in dims) else None


def number(node: Any, name: str, default: int) -> int:
    """An attribute that is an integer."""
    return next((int(each.i) for each in node.attribute if each.name == name and each.HasField("i")), default)


def numbers(node: Any, name: str) -> list[int] | None:
    """An attribute that is a list of integers; None where there is none."""
    return next((list(each.ints) for each in node.attribute if each.name == name and len(each.ints)), None)


def is_standard(node: Any) -> bool:
    """True for a node of ONNX's own set of operators."""
    return node.domain in ("", "ai.onnx")


def _quoted(name: str) -> str:
    return quote(name, 40)
