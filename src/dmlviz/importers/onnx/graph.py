"""The nodes of an ONNX model with its functions inlined, and the tensors, as ONNX itself infers them."""

from __future__ import annotations

import contextlib
import math
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any

import numpy as np
from msgspec import Struct, field

from ...desc.values import Array
from ...errors import plain
from ..lib.imported import ImportFailedError

Type = tuple[int, list[int | None] | None]
"""A TensorProto.DataType, or 0; sizes, None for each that is free, or None where not even their number is known."""
UNKNOWN: Type = (0, None)
TWO: Type = (-1, None)
MOST = 4096
MOST_RANK = 32
"""Dimensions of a shape that is used: a gather of a gather of a gather doubles them each time."""
_KINDS = """
unknown FLOAT32 UINT8 INT8 UINT16 INT16 INT32 INT64 STRING BOOL FLOAT16 FLOAT64 UINT32 UINT64 COMPLEX64 COMPLEX128
BFLOAT16
"""
KINDS = {-1: "two types", **dict(enumerate(_KINDS.split()))}
"""What a TensorProto.DataType is called: of those that DirectML has, by its own names."""
_OWN = ("", "ai.onnx")
READ = ("Concat", "Split", "Gather", "Tile", "ReverseSequence", "Pad", "GatherElements", "Slice")
RESHAPING = frozenset({"Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten"})
_SHAPING = """
Constant Shape Size Cast CastLike Transpose Concat Gather Slice Split Add Sub Mul Div Mod Neg Abs Min Max Sum Floor Ceil
Clip Equal Less LessOrEqual Greater GreaterOrEqual Not And Or Where ReduceProd ReduceSum ReduceMin ReduceMax Range
ConstantOfShape Expand Tile Pad
"""
FOLDED = RESHAPING.union(_SHAPING.split())
"""Nodes by which models compute shapes; before opset 7 they broadcast in other ways than NumPy."""


class Tensor(Struct, eq=False):
    name: str
    type: Type = UNKNOWN
    declared: Type = UNKNOWN
    maker: Node | None = None
    odd: str = ""
    """Why its type can't be relied on, as the end of a sentence."""
    value: Array | None = None

    @property
    def sizes(self) -> tuple[int, ...] | None:
        sizes = tuple(dim for dim in self.type[1] or () if dim is not None)
        if self.type[1] is not None and len(sizes) == len(self.type[1]):
            return sizes
        return None


class Node(Struct, eq=False):
    label: str
    name: str
    """As the model has it: the inliner renames those of functions."""
    kind: str
    proto: Any
    inputs: list[Tensor]
    outputs: list[Tensor] = field(default_factory=list)
    odd: str = ""
    attributes: dict[str, Any] = field(default_factory=dict)


Scope = ChainMap[str, Tensor]


def type_text(found: Type) -> str:
    kind, dims = found
    shape = " of unknown shape" if kind else ""
    if dims is not None:
        shape = f" {{{', '.join('?' if dim is None else str(dim) for dim in dims)}}}"
    return plain(KINDS.get(kind, f"type {kind}") + shape, 120)


class Graph:
    def __init__(self, onnx: ModuleType, model: Any, name: str) -> None:
        """Raises ImportFailedError for a model that can't be looked into, and what onnx raises."""
        self.nodes: list[Node] = []
        self._onnx = onnx
        opsets = [entry.version for entry in model.opset_import if entry.domain in _OWN]
        self._opset = max(opsets, default=1)
        functions = {(one.domain, one.name, one.overload): one for one in model.functions}
        self._labels = _labels(model.graph.node, functions)
        is_odd = any(domain in _OWN for domain, _, _ in functions)  # of which runtimes make different things
        model = onnx.inliner.inline_local_functions(model) if functions else model
        if model.functions or is_odd:
            raise ImportFailedError(
                f"{name} has functions in ONNX's domain or for another version, expected ones that can be inlined."
            )
        self._read_graph(model.graph, ChainMap(), {})

    def _read_graph(self, graph: Any, outer: Scope, given: Mapping[str, Type]) -> list[Type]:
        scope = outer.new_child()
        declared: dict[str, Type] = {}
        # In a loop that may be so for the first turn only.
        for info in graph.input if given else (*graph.input, *graph.value_info, *graph.output):
            declared[info.name] = _merged(declared.get(info.name, UNKNOWN), type_of(info.type)) or TWO
        for proto in graph.initializer:
            tensor = self._add(scope, proto.name, (proto.data_type, [*proto.dims]), declared)
            is_small = min(proto.dims, default=1) >= 0 and math.prod(proto.dims) <= MOST
            if is_small and not tensor.odd and not proto.data_location:  # a file of its own is never read
                with contextlib.suppress(Exception):  # damaged: too few bytes, a segment, the wrong field
                    tensor.value = self._onnx.numpy_helper.to_array(proto)
        for info in graph.input:
            if info.name not in scope.maps[0]:
                self._add(scope, info.name, given.get(info.name, UNKNOWN), declared)
        for node in graph.node:
            self._read(node, scope, declared)
        return [scope.get(info.name, Tensor("")).type for info in graph.output]

    def _add(
        self, scope: Scope, name: str, made: Type, declared: Mapping[str, Type], maker: Node | None = None
    ) -> Tensor:
        if name in scope.maps[0]:
            tensor = scope[name]
            tensor.odd = "is made twice, or after it is read"
            tensor.type = UNKNOWN
            tensor.value = None
            return tensor
        said = declared.get(name, UNKNOWN)
        tensor = scope[name] = Tensor(name, made, said, maker)
        if maker is None or maker.kind not in READ or not made[0] or tensor.sizes is None:
            both = _merged(made, said)
            if both is None:
                tensor.odd = f"is declared as {type_text(said)} and made as {type_text(made)}, expected one type"
            tensor.type = both or UNKNOWN
        return tensor  # what is declared of another is held against the node itself

    def _read(self, proto: Any, scope: Scope, declared: Mapping[str, Type]) -> None:
        kind = proto.op_type if proto.domain in _OWN else ""
        label, name = next(self._labels)
        for each in proto.input:
            if each not in scope:
                self._add(scope, each, UNKNOWN, declared)
        node = Node(label, name, kind, proto, inputs=[scope[each] for each in proto.input])
        self.nodes.append(node)
        if kind in READ:
            self._check(node)
        made = self._through_bodies(node, scope) if any(subgraphs(proto)) else self._inferred(node)
        for name in proto.output:
            said = {} if kind == "Loop" else declared  # which may be so for its first turn only
            node.outputs.append(self._add(scope, name, made.get(name, UNKNOWN), said, node))
        if not node.odd:
            self._fold(node)

    def _check(self, node: Node) -> None:
        context = self._onnx.checker.C.CheckerContext()
        context.ir_version = 8
        context.opset_imports = {"": self._opset}
        try:
            self._onnx.checker.check_node(node.proto, context)
        except self._onnx.checker.ValidationError as error:
            node.odd = f"it violates a rule of ONNX: {plain(str(error).strip().splitlines()[0].removesuffix('.'))}"
        else:
            node.attributes = {each.name: self._onnx.helper.get_attribute_value(each) for each in node.proto.attribute}

    def _inferred(self, node: Node) -> dict[str, Type]:
        helper = self._onnx.helper
        from_array = self._onnx.numpy_helper.from_array
        types = {each.name: helper.make_tensor_type_proto(*each.type) for each in node.inputs if each.type[0]}
        values = {each.name: from_array(each.value) for each in node.inputs if each.value is not None}
        try:
            schema = self._onnx.defs.get_schema(node.kind, self._opset, "")
            opsets = [helper.make_opsetid("", self._opset)]
            infer = self._onnx.shape_inference.infer_node_outputs
            protos = infer(schema, node.proto, types, values, opset_imports=opsets, ir_version=8)
        except Exception:  # whatever ONNX has against a node, its outputs stay unknown
            return {}
        made = {name: type_of(proto) for name, proto in protos.items()}
        is_empty = any(0 in (dims or ()) for _, dims in made.values())
        return {} if node.odd or (node.kind == "Split" and is_empty) else made  # no part is empty

    def _through_bodies(self, node: Node, scope: Scope) -> dict[str, Type]:
        """Read the graphs that a node holds; the types of its outputs where both branches or all turns agree."""
        at, states = (2, len(node.inputs)) if node.kind == "Loop" else (0, 0)
        if scanned := [each.i for each in node.proto.attribute if each.name == "num_scan_inputs"]:
            states = len(node.inputs) - scanned[0]
        first = [tensor.type for tensor in node.inputs[at:states]]
        before, results = len(self.nodes), []
        for _, body in subgraphs(node.proto):
            given = zip((info.name for info in body.input[at:]), first, strict=False)
            results.append(self._read_graph(body, scope, dict(given)))
        after = results[0][at // 2 :][: len(first)]  # behind a Loop's condition
        if node.kind == "If" and results[0] == results[-1]:
            after = results[0]
        elif after != first:
            for inner in self.nodes[before:]:
                inner.odd = "it is in a loop whose iterations change sizes, expected fixed ones"
            after = []
        return dict(zip(node.proto.output, after, strict=False))

    def _fold(self, node: Node) -> None:
        known = {tensor.name: tensor.value for tensor in node.inputs if tensor.name}
        sizes = node.inputs[0].sizes if node.kind in ("Shape", "Size") and node.inputs else None
        if sizes is not None and math.prod(sizes) < 2**62:
            known = {node.inputs[0].name: np.broadcast_to(np.int8(0), sizes)}
        fits = all(tensor.sizes is not None and math.prod(tensor.sizes) <= MOST for tensor in node.outputs)
        is_out = any(attribute.t.data_location for attribute in node.proto.attribute)
        if self._opset < 7 or node.kind not in FOLDED or is_out or not fits or any(x is None for x in known.values()):
            return
        for tensor, made in zip(node.outputs, self._evaluated(node, known), strict=False):
            if tensor.sizes == made.shape:
                tensor.value = made

    def _evaluated(self, node: Node, known: Mapping[str, Array | None]) -> list[Array]:
        ends = [[self._onnx.ValueInfoProto(name=name) for name in names] for names in (known, node.proto.output)]
        try:
            with np.errstate(all="raise", under="ignore"):
                graph = self._onnx.helper.make_graph([node.proto], "node", *ends)
                evaluator = self._onnx.reference.ReferenceEvaluator(graph, opsets={"": self._opset})
                made = [np.asarray(array) for array in evaluator.run(None, dict(known))]
        except Exception:  # it has no error of its own
            return []
        arrays = [np.asarray(array) for array in known.values()]
        is_whole = bool(made) and made[0].dtype.kind in "iu"
        if node.kind == "Cast":  # what doesn't fit a type differs from runtime to runtime
            if np.array_equal(made[0], np.trunc(arrays[0]) if is_whole else arrays[0]):
                return made
            return []
        # The evaluator rounds down, where ONNX says towards zero.
        is_low = node.kind == "Div" and is_whole and any(array.min(initial=0) < 0 for array in arrays)
        return [] if is_low else made


def subgraphs(node: Any) -> Iterator[tuple[str, Any]]:
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.name, attribute.g


def is_free(dim: Any) -> bool:
    """True for a dimension without a size; some exporters write -1."""
    return not dim.HasField("dim_value") or dim.dim_value < 0


def type_of(proto: Any) -> Type:
    tensor = proto.tensor_type
    is_known = tensor.HasField("shape") and len(tensor.shape.dim) <= MOST_RANK
    return tensor.elem_type, [None if is_free(dim) else dim.dim_value for dim in tensor.shape.dim] if is_known else None


def _labels(nodes: Iterable[Any], functions: Mapping[Any, Any], before: str = "") -> Iterator[tuple[str, str]]:
    """Where each node stands and its name, in the order in which the inliner leaves them."""
    for number, node in enumerate(nodes, 1):
        label = f"{before}node {number} ({plain(node.op_type, 40)})"
        function = functions.get((node.domain, node.op_type, node.overload))
        if function is not None:
            yield from _labels(function.node, functions, f"{label}.function ")
            continue
        yield label, node.name
        for name, inner in subgraphs(node):
            yield from _labels(inner.node, functions, f"{label}.{plain(name, 40)} ")


def _merged(one: Type, other: Type) -> Type | None:
    kind = one[0] or other[0]
    if one[1] is None or other[1] is None:
        if other[0] in (0, kind):
            return kind, other[1] if one[1] is None else one[1]
        return None
    dims = [b if a is None else a for a, b in zip(one[1], other[1], strict=False)]
    fits = len(one[1]) == len(other[1]) and all(b in (None, dim) for b, dim in zip(other[1], dims, strict=True))
    return (kind, dims) if fits and other[0] in (0, kind) else None
