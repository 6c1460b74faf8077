"""A graph of an ONNX model: what tensors there are, and the values of small ones.

It is the main graph, one that a node holds, or a function's body at one call. Nothing is read from other files.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType, ModuleType
from typing import Any, Protocol

import numpy as np

from ...desc.tensors import MAX_DIMENSIONS, DataType
from ...desc.values import Array
from ...errors import plain, quote
from .nodes import Unknown, all_nodes, is_standard, number, numbers, subgraphs
from .shapes import KINDS, Dims, made_shapes
from .values import all_known, computed, known

Sizes = tuple[int, ...]
MOST_VALUES = 1 << 16
"""Elements of a tensor whose values are read."""
MOST_HINTS = 1024
"""Elements of a tensor that shape inference is told the values of."""
LARGEST_NODE = 1 << 16
"""Bytes of a node whose shapes are inferred."""
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
SpaceToDepth GatherElements CastLike
"""
INFERRED = frozenset(_KINDS.split())
"""Nodes whose shapes ONNX's own inference is asked for: those in which it stands any attribute and any hint. Some
others are known to end the process, or to take all memory, where a model is ill-made."""
MOVING = frozenset({"Concat", "Split", "Gather", "Tile", "ReverseSequence", "Pad", "GatherElements", "Slice"})
"""Nodes that become experiments: what is declared of their outputs is held against what they make."""
LIKE_FIRST = frozenset(
    {
        "LayerNormalization",
        "GroupNormalization",
        "LpNormalization",
        "RMSNormalization",
        "Trilu",
        "CumSum",
        "ScatterElements",
        "ScatterND",
    }
)
"""Nodes whose first output is as large as their first input."""
LARGEST_SIZE = 2**32
_EXTERNAL = 1
_NO_SHAPES = "a shape isn't known"


class Bodies(Protocol):
    """What a graph asks of the graphs and functions behind its nodes."""

    left: int
    """How many more nodes may be inferred."""

    def outputs(self, graph: Graph, node: Any) -> Iterator[tuple[str, Any]]:
        """The types of what a node with bodies makes, as far as they are known."""
        ...


class Graph:
    """The tensors by name of a model's main graph, of a graph in a node, or of a function's body at one call."""

    def __init__(
        self,
        onnx: ModuleType,
        bodies: Bodies,
        nodes: Iterable[Any],
        opset: int,
        *,
        initializers: Iterable[Any] = (),
        inputs: Mapping[str, Any] = MappingProxyType({}),
        infos: Iterable[Any] = (),
        outer: Graph | None = None,
        bound: Mapping[str, tuple[Graph, str]] = MappingProxyType({}),
        result_of: Mapping[str, tuple[Graph, str]] = MappingProxyType({}),
        calls: tuple[Any, ...] = (),
        depth: int | None = None,
    ) -> None:
        """`inputs` are types. `outer` is the graph whose tensors `nodes` see too, `bound` what a call gives for a
        function's inputs, and `result_of` what an output of the body is called outside of it. `calls` are the functions
        that it is in, and `depth` counts the bodies."""
        self._onnx, self._bodies, self._outer, self._bound, self._result_of = onnx, bodies, outer, bound, result_of
        self.nodes: Sequence[Any] = list(nodes)
        self.opset, self.calls = opset, calls
        self.depth: int = depth if depth is not None else outer.depth + 1 if outer is not None else 0
        self._initializers = {tensor.name: tensor for tensor in initializers}
        self._declared: dict[str, list[Any]] = {}
        for name, info in (*((info.name, info.type) for info in infos), *inputs.items()):
            if len(info.tensor_type.shape.dim) <= MOST_RANK:
                self._declared.setdefault(name, []).append(info)
        self._types = {name: types[-1] for name, types in self._declared.items()}
        self._inferred_types: dict[str, Any] = {}
        self._makers: dict[str, Any] = {}
        self._twice: set[str] = set()
        for node in self.nodes:
            for name in node.output:
                if name in self._makers or name in self._initializers or name in inputs:
                    self._twice.add(name)
                if name:
                    self._makers[name] = node
        self._own = self._initializers.keys() | inputs.keys() | self._makers.keys()
        self._known: dict[str, Array | None] = {}
        self._constants: dict[str, Any] = {}
        self._begun: set[int] = set()
        self._inferred: set[int] = set()
        self._is_inferring = False

    def home(self, name: str) -> tuple[Graph, str]:
        """The graph that a tensor is of, and what it is called there."""
        at: Graph | None = self
        while at is not None:
            if name in at._bound:
                at, name = at._bound[name]
            elif name in at._own:
                return at, name
            else:
                at = at._outer
        return self, name

    def names(self, name: str) -> Iterator[tuple[Graph, str]]:
        """What a tensor that is made here is called, also where the function is called that this is the body of."""
        yield self, name
        outside = self._result_of.get(name)
        if outside is not None and len(outside[0].calls) < len(self.calls):
            yield from outside[0].names(outside[1])

    def about(self, name: str) -> str:
        """Where a tensor comes from, as the end of a sentence."""
        home, inner = self.home(name)
        node = home._makers.get(inner)
        if inner in home._initializers or (node is not None and node.op_type == "Constant"):
            return "which the model holds"
        return f"which {plain(node.op_type, 40)} makes" if node is not None else "which is given"

    # ---- types

    def data_type(self, name: str) -> DataType:
        """The DataType of a tensor. Raises Unknown."""
        number = self.element_type(name)
        if number in TYPES:
            return DataType[TYPES[number]]
        if not number:
            why = f"the type of {_quoted(name)} isn't known, expected a model that says it"
            raise Unknown(why, _NO_SHAPES)  # which goes with it
        raise Unknown(f"{_quoted(name)} is of {type_name(number)}, expected a DataType of DirectML")

    def element_type(self, name: str) -> int:
        """The TensorProto.DataType of a tensor; 0 where it isn't known."""
        home, inner = self.home(name)
        tensor = home._initializers.get(inner)
        element_type: int = tensor.data_type if tensor is not None else home._own_type(inner).tensor_type.elem_type
        return element_type

    def sizes(self, name: str) -> Sizes:
        """A tensor's sizes, which may break rules. Raises Unknown, also where model and nodes disagree."""
        self._require_one(name)
        sizes = self._fixed_sizes_of(name)
        if sizes is None:
            home, inner = self.home(name)
            partly = dims_of(home._types.get(inner))
            if not partly or len(partly) > MAX_DIMENSIONS:
                raise Unknown(f"the shape of {_quoted(name)} isn't known, expected fixed sizes", _NO_SHAPES)
            shape = plain(", ".join(_dim_text(dim) for dim in home._types[inner].tensor_type.shape.dim))
            raise Unknown(f"the shape of {_quoted(name)} is {{{shape}}}, expected fixed sizes", _NO_SHAPES)
        return sizes

    def _require_one(self, name: str) -> None:
        """Raises Unknown for a tensor of which different things are known."""
        home, inner = self.home(name)
        if inner in home._twice:
            raise Unknown(f"{_quoted(name)} is made twice, expected once")
        tensor = home._initializers.get(inner)
        if inner in home._makers:
            home._infer(home._makers[inner])
            if _is_told(home._makers[inner], home._inferred_types.get(inner)):
                return
        proto = home.type_of(inner) if tensor is not None else home._inferred_types.get(inner)
        if proto is None:
            return
        kind, dims = proto.tensor_type.elem_type, dims_of(proto)
        for declared in home._declared.get(inner, ()):
            other, sizes = declared.tensor_type.elem_type, dims_of(declared)
            if other and kind and other != kind:
                types = f"declared as {type_name(other)} and made as {type_name(kind)}"
                raise Unknown(f"{_quoted(name)} is {types}, expected one type")
            if dims is None or sizes is None:
                continue
            if len(dims) != len(sizes) or any(None not in (a, b) and a != b for a, b in zip(dims, sizes, strict=True)):
                shapes = f"declared as {_sizes_text(sizes)} and made as {_sizes_text(dims)}"
                raise Unknown(f"the shape of {_quoted(name)} is {shapes}, expected one")

    def _fixed_sizes_of(self, name: str) -> Sizes | None:
        """The sizes of a tensor; None where one of them isn't known."""
        home, inner = self.home(name)
        tensor = home._initializers.get(inner)
        if tensor is not None:
            return tuple(tensor.dims) if len(tensor.dims) <= MOST_RANK else None
        return _fixed_sizes(home._own_type(inner))

    def type_of(self, name: str) -> Any:
        """The TypeProto of a tensor, as far as it is known; None where nothing is."""
        home, inner = self.home(name)
        tensor = home._initializers.get(inner)
        if tensor is not None:
            sizes = tuple(tensor.dims[:MOST_RANK]) if len(tensor.dims) <= MOST_RANK else None
            return self._onnx.helper.make_tensor_type_proto(tensor.data_type, sizes)
        proto = home._own_type(inner)
        return proto if proto.HasField("tensor_type") else None

    def declared(self, name: str) -> list[tuple[int, Dims | None]]:
        """What the model says of a tensor made here, TensorProto.DataType or 0, and sizes; several for bodies."""
        types = list(self._declared.get(name, ()))
        at: tuple[Graph, str] | None = (self, name)
        while at is not None and (at := at[0]._result_of.get(at[1])) is not None:
            types += at[0]._declared.get(at[1], ())
        return [(proto.tensor_type.elem_type, dims_of(proto)) for proto in types]

    def _own_type(self, name: str) -> Any:
        """The type of a tensor of this graph as the model says it, or else as follows from the nodes before it."""
        if _fixed_sizes(self._types.get(name)) is None and name in self._makers:
            self._infer(self._makers[name])
        return self._types.get(name, self._onnx.TypeProto())

    def _infer(self, last: Any) -> None:
        """Infers the types of all that `last` needs, node by node, so that no shape outgrows `MOST_RANK` unseen."""
        if self._is_inferring:  # a body asks for what is made after it: a circle
            return
        self._is_inferring = True
        try:
            self._infer_all([last])
        finally:
            self._is_inferring = False

    def _infer_all(self, waiting: list[Any]) -> None:
        """Infers what these nodes make, with all that they need, until `left` of the bodies is used up."""
        while waiting and self._bodies.left > 0:
            node = waiting[-1]
            if id(node) not in self._begun:
                self._begun.add(id(node))
                self._bodies.left -= 1
                makers = [self._makers[name] for name in _needed_names(node) if name in self._makers]
                waiting += [maker for maker in makers if id(maker) not in self._begun]
                continue
            waiting.pop()
            if id(node) in self._inferred:
                continue
            self._inferred.add(id(node))
            for name, proto in self._outputs(node):
                if len(proto.tensor_type.shape.dim) <= MOST_RANK:
                    self._inferred_types[name] = proto
                    told = proto if _is_told(node, proto) else self._merged_type(self._types.get(name), proto)
                    self._types[name] = told
            if (
                node.output
                and node.output[0]
                and node.output[0] not in self._initializers
                and node.op_type != "Constant"
            ):
                self._known[node.output[0]] = self._computed_output(node)

    def _merged_type(self, declared: Any, inferred: Any) -> Any:
        """What the model says of a tensor, and what follows from its inputs where it says nothing."""
        if _fixed_sizes(declared) is not None:
            return declared
        dims, others = dims_of(declared), dims_of(inferred)
        if dims is None or others is None or len(dims) != len(others):
            return inferred if others is not None or declared is None else declared
        shape = [a if a is not None else b for a, b in zip(dims, others, strict=True)]
        kind = declared.tensor_type.elem_type or inferred.tensor_type.elem_type
        return self._onnx.helper.make_tensor_type_proto(kind, shape)

    def _outputs(self, node: Any) -> Iterator[tuple[str, Any]]:
        """The types of what a node makes, as far as they are known."""
        try:
            yield from self._bodies.outputs(self, node)
            if not is_standard(node) or node.ByteSize() > LARGEST_NODE:
                return
            known = {name: self._sane_type(name) for name in dict.fromkeys(node.input) if name}
            first = known.get(node.input[0]) if node.input else None
            if node.op_type in LIKE_FIRST and first is not None and node.output:
                yield node.output[0], first
            elif node.op_type == "Split" and first is not None:
                yield from self._split_outputs(node, first)
            elif node.op_type in KINDS:
                yield from self._shaped_outputs(node, known)
            elif node.op_type in INFERRED and all(known.values()):
                yield from self._inferred_outputs(node, known)
        except Unknown:
            return

    def _inferred_outputs(self, node: Any, known: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        """The types of a node's outputs as ONNX's own inference tells them; nothing where it fails."""
        hints = {name: hint for name in dict.fromkeys(node.input) if (hint := self._hint(name)) is not None}
        onnx = self._onnx
        try:
            schema = onnx.defs.get_schema(node.op_type, min(self.opset, 1 << 20), "")
            opsets = [onnx.helper.make_opsetid("", self.opset)]
            types = onnx.shape_inference.infer_node_outputs(
                schema, node, known, hints, opset_imports=opsets, ir_version=8
            )
        except Exception:  # whatever ONNX has against a node, its outputs stay unknown
            return
        yield from types.items()

    def _hint(self, name: str) -> Any:
        """The values of a small tensor as a TensorProto; None where they aren't known."""
        if not name:
            return None
        tensor = self._constant(name, MOST_HINTS)
        if tensor is not None:
            return tensor
        home, inner = self.home(name)
        array, kind = home._known.get(inner), TYPES.get(self.element_type(name), "")
        if array is None or not all_known(array) or kind not in ("INT64", "INT32"):
            return None
        try:
            return self._onnx.numpy_helper.from_array(array.astype(DataType[kind].dtype))
        except OverflowError:
            return None

    def _split_outputs(self, node: Any, first: Any) -> Iterator[tuple[str, Any]]:
        """The types of a Split's outputs; nothing where its parts aren't known."""
        sizes, axis = dims_of(first), number(node, "axis", 0)
        if sizes is None or not -len(sizes) <= axis < len(sizes):
            return
        along = sizes[axis]
        parts = self.split_sizes(node, along) if along is not None else None
        if parts is None or len(parts) != len(node.output):
            return
        for name, size in zip(node.output, parts, strict=True):
            shape = list(sizes)
            shape[axis] = size
            yield name, self._onnx.helper.make_tensor_type_proto(first.tensor_type.elem_type, shape)

    def split_sizes(self, node: Any, along: int) -> list[int] | None:
        """The sizes of a Split's parts; None where the model computes them, [] for a count that isn't the outputs'."""
        given = numbers(node, "split")
        if given is not None:
            return given
        if len(node.input) > 1 and node.input[1]:
            return self.whole_numbers(node.input[1])
        count = number(node, "num_outputs", len(node.output))
        if count != len(node.output) or count < 1:
            return []  # a count that the outputs don't have is no reason to make as many parts
        if self.opset < 18:
            return [along // count] * count  # equal parts, which have to fill the whole
        size = -(-along // count)
        return [size] * (count - 1) + [along - size * (count - 1)]

    def _shaped_outputs(self, node: Any, known: dict[str, Any]) -> Iterator[tuple[str, Any]]:
        """The types of a node's outputs as `made_shapes` tells them."""
        kind = self.element_type(node.input[0]) if node.input else 0
        dims = [dims_of(known.get(name)) for name in node.input]
        for at, own, shape in made_shapes(node, dims, [self._small_integers(name) for name in node.input]):
            if (own or kind) and at < len(node.output) and node.output[at]:
                yield node.output[at], self._onnx.helper.make_tensor_type_proto(own or kind, shape)

    def _sane_type(self, name: str) -> Any:
        """The type of a tensor with which ONNX's own inference is safe; None for any other."""
        home, inner = self.home(name)
        tensor = home._initializers.get(inner)
        proto = home._own_type(inner) if tensor is None else None
        if tensor is not None and len(tensor.dims) <= MOST_RANK:
            proto = self._onnx.helper.make_tensor_type_proto(tensor.data_type, tuple(tensor.dims))
        if proto is None or not proto.HasField("tensor_type"):
            return None
        dims = proto.tensor_type.shape.dim
        sane = all(not dim.HasField("dim_value") or 1 <= dim.dim_value <= LARGEST_SIZE for dim in dims)
        return proto if len(dims) <= MOST_RANK and sane else None

    # ---- values

    def maker(self, name: str) -> tuple[Graph, Any] | None:
        """ONNX's own node that makes a tensor, and its graph; None for one that comes from outside or is held."""
        home, inner = self.home(name)
        node = None if inner in home._initializers else home._makers.get(inner)
        return (home, node) if node is not None and is_standard(node) else None

    def value(self, name: str, most: int = MOST_VALUES, steps: int = MOST_STEPS) -> Array | None:
        """Values of a tensor that the model holds, moves or computes from shapes; None for others, or over `most`."""
        tensor = self._constant(name, most)
        if tensor is not None:
            return self._array_in(tensor)
        source = self.maker(name)
        if source is None or not source[1].input or not steps:
            return None
        home, node = source
        kind = node.op_type
        array: Array | None = None
        if kind in RESHAPING:
            array, sizes = home.value(node.input[0], most, steps - 1), self._fixed_sizes_of(name)
            if array is not None and sizes is not None and len(sizes) <= MAX_DIMENSIONS and min(sizes, default=1) >= 0:
                array = array.reshape(sizes) if math.prod(sizes) == array.size else None
            else:
                array = None
        elif kind == "Transpose":
            array = home.value(node.input[0], most, steps - 1)
            if array is not None:
                order = numbers(node, "perm") or list(range(array.ndim))[::-1]
                array = array.transpose(order) if sorted(order) == list(range(array.ndim)) else None
        elif kind in ("Cast", "Clip"):
            array = (home._cast_values if kind == "Cast" else home._clip_values)(node, most, steps - 1)
        return array if array is not None else self._computed_value(name, most)

    def _computed_value(self, name: str, most: int) -> Array | None:
        """The values of a tensor that follow from shapes; None unless all of them are known, and at most `most`."""
        array, kind = self._small_integers(name), TYPES.get(self.element_type(name))
        if array is None or kind is None or array.size > most or not all_known(array):
            return None
        try:
            return array.astype(DataType[kind].dtype)
        except OverflowError:
            return None

    def _small_integers(self, name: str) -> Array | None:
        """The values of a small tensor of integers, None for each unknown one; None where nothing is known."""
        if not name:
            return None
        home, inner = self.home(name)
        if inner not in home._known:
            tensor = home._constant(inner, MOST_HINTS)
            if tensor is not None:
                home._known[inner] = self._integers_in(tensor)
            elif inner in home._makers:
                home._infer(home._makers[inner])
        return home._known.get(inner)

    def _computed_output(self, node: Any) -> Array | None:
        """The values of a node's first output that follow from shapes; None where nothing is known."""
        if not is_standard(node) or not node.input or node.output[0] in self._twice:
            return None
        if node.op_type in ("Shape", "Size"):
            dims = dims_of(self.type_of(node.input[0]))
            if dims is None:
                return None
            if node.op_type == "Size":
                return known(math.prod(dims)) if None not in dims else None
            try:
                return known(list(dims[number(node, "start", 0) : number(node, "end", len(dims))]))
            except Unknown:
                return None
        return computed(node, [self._small_integers(name) for name in node.input], self.opset)

    def _integers_in(self, tensor: Any) -> Array | None:
        """The integers, or booleans as 0 and 1, of a TensorProto; None for other types and damaged ones."""
        if tensor.data_type == 9:  # BOOL
            try:
                return known(self._onnx.numpy_helper.to_array(tensor).astype(np.int64))
            except Exception:  # damaged, as below
                return None
        array = self._array_in(tensor)
        return known(array) if array is not None and array.dtype.kind in "iu" else None

    def whole_numbers(self, name: str) -> list[int] | None:
        """The values of a tensor of integers in one list; None where they aren't known."""
        array = self.value(name)
        return (
            None
            if array is None or array.dtype.kind == "f"
            else [int(element) for element in array.reshape(-1).tolist()]
        )

    def _cast_values(self, node: Any, most: int, steps: int) -> Array | None:
        """The values of a Cast of integers; None where they aren't known, or one doesn't fit."""
        array, kind = self.value(node.input[0], most, steps), TYPES.get(number(node, "to", 0))
        if array is None or kind is None or array.dtype.kind == "f" or DataType[kind].is_float:
            return None
        low, high = DataType[kind].integer_range
        outside = array.size and not (low <= int(array.min()) and int(array.max()) <= high)
        return None if outside else array.astype(DataType[kind].dtype)

    def _clip_values(self, node: Any, most: int, steps: int) -> Array | None:
        """The values of a Clip of integers; None where they or its bounds aren't known."""
        array, bounds = self.value(node.input[0], most, steps), self.clip_bounds(node)
        if array is None or bounds is None or array.dtype.kind == "f":
            return None
        info = np.iinfo(array.dtype)
        low, high = (
            bound if bound is not None else end for bound, end in zip(bounds, (info.min, info.max), strict=True)
        )
        return array.clip(low, high) if info.min <= low <= high <= info.max else None

    def clip_bounds(self, clip: Any) -> tuple[int | None, int | None] | None:
        """The bounds of a Clip of integers, None for one that it lacks; None where they aren't constant."""
        ends: list[int | None] = []
        for at in (1, 2):
            name = clip.input[at] if at < len(clip.input) else ""
            tensor = self._constant(name, 1) if name else None
            array = self._array_in(tensor) if tensor is not None else None
            if name and (array is None or not array.size or array.dtype.kind == "f"):
                return None
            ends.append(None if array is None else int(array.reshape(-1)[0]))
        return ends[0], ends[1]

    def _constant(self, name: str, most: int) -> Any:
        """The TensorProto of an initializer or Constant node of at most `most` elements; None for other tensors."""
        home, inner = self.home(name)
        tensor = home._initializers.get(inner)
        if inner in home._twice:
            return None
        if tensor is None:
            if inner not in home._constants:
                home._constants[inner] = home._made_constant(home._makers.get(inner))
            tensor = home._constants[inner]
        if tensor is None or len(tensor.dims) > MAX_DIMENSIONS or min(tensor.dims, default=1) < 0:
            return None
        return tensor if math.prod(tensor.dims) <= most and not is_external(tensor) else None

    def _made_constant(self, node: Any) -> Any:
        """The TensorProto of a Constant node; None for another, and for one that is larger than anybody asks for."""
        if node is None or node.op_type != "Constant" or not is_standard(node):
            return None
        tensor = None
        for attribute in node.attribute:
            if attribute.name == "value" and attribute.HasField("t"):
                tensor = attribute.t
            elif attribute.name in ("value_int", "value_ints") and len(attribute.ints) <= MOST_VALUES:
                given = np.array(attribute.i if attribute.name == "value_int" else list(attribute.ints), np.int64)
                tensor = self._onnx.numpy_helper.from_array(given)
        return tensor

    def _array_in(self, tensor: Any) -> Array | None:
        """The elements of a TensorProto; None for a type that DirectML lacks, and a damaged one."""
        if tensor.data_type not in TYPES:
            return None
        try:
            array: Array = self._onnx.numpy_helper.to_array(tensor)
        except Exception:  # damaged: too few bytes, a segment, the wrong field
            return None
        return array if array.dtype == DataType[TYPES[tensor.data_type]].dtype else None


def _is_told(node: Any, made: Any) -> bool:
    """True if what a model declares against the type that a node makes is told of the node, and of no reader of it."""
    return node.op_type in MOVING and is_standard(node) and bool(_fixed_sizes(made) and made.tensor_type.elem_type)


def is_external(tensor: Any) -> bool:
    """True for a tensor whose data lies in another file."""
    return tensor.data_location == _EXTERNAL or len(tensor.external_data) > 0


def type_name(number: int) -> str:
    """What a TensorProto.DataType is called."""
    return TYPES.get(number) or OTHERS.get(number, f"type {number}")


def _needed_names(node: Any) -> Iterator[str]:
    """The inputs of a node, and of the nodes in its graphs."""
    yield from node.input
    for _, graph in subgraphs(node):
        yield from (info.name for info in graph.output)
        for inner in all_nodes(graph.node):
            yield from inner.input


def dims_of(proto: Any) -> Dims | None:
    """The sizes of a TypeProto, as far as they are known; None where their number isn't."""
    if proto is None or not proto.HasField("tensor_type") or not proto.tensor_type.HasField("shape"):
        return None
    # Some exporters write -1 for a size that is free.
    return tuple(
        d.dim_value if d.HasField("dim_value") and d.dim_value >= 0 else None for d in proto.tensor_type.shape.dim
    )


def _fixed_sizes(proto: Any) -> Sizes | None:
    """The sizes of a TypeProto; None where one of them isn't known."""
    sizes = dims_of(proto)
    return None if sizes is None or None in sizes else sizes  # type: ignore[return-value]


def _sizes_text(dims: Dims) -> str:
    return plain("{" + ", ".join("?" if size is None else str(size) for size in dims) + "}", 120)


def _dim_text(dim: Any) -> str:
    if dim.HasField("dim_value") and dim.dim_value >= 0:
        return str(dim.dim_value)
    return plain(dim.dim_param, 24) if dim.dim_param else "?"


def _quoted(name: str) -> str:
    return quote(name, 40)
