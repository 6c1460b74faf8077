"""The nodes of an ONNX model with its functions inlined, and the tensors that they read and make.

ONNX's own inliner, shape inference and reference evaluator say what the tensors are, and the values of small ones.
"""

from __future__ import annotations

import contextlib
import math
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

import numpy as np
from msgspec import Struct, field

from ...desc.values import Array
from ...errors import plain
from ..lib.imported import ImportFailedError
from .dims import is_free, subgraphs

Dims = list[int | None]
"""Sizes, None for each that is free."""
Type = tuple[int, Dims | None]
"""A TensorProto.DataType, or 0; sizes, or None where not even their number is known."""
MOST_VALUES = 1 << 16
"""Elements of a tensor whose values are read."""
MOST = 4096
"""Elements that a node may make to be evaluated, and that inference is told."""
MOST_RANK = 64
"""Dimensions of a shape that is used: a gather of a gather of a gather doubles them each time."""
NEWEST_OPSET = 1000
_KINDS = """
unknown FLOAT32 UINT8 INT8 UINT16 INT16 INT32 INT64 STRING BOOL FLOAT16 FLOAT64 UINT32 UINT64 COMPLEX64 COMPLEX128
BFLOAT16
"""
KINDS = dict(enumerate(_KINDS.split()))
"""What a TensorProto.DataType is called: of those that DirectML has, by its own names."""
READ = ("Concat", "Split", "Gather", "Tile", "ReverseSequence", "Pad", "GatherElements", "Slice")
"""Nodes that become experiments."""
RESHAPING = frozenset({"Identity", "Reshape", "Squeeze", "Unsqueeze", "Flatten"})
"""Nodes that keep the elements in their order."""
_COMBINING = """
Cast CastLike Transpose Concat Gather Slice Split Add Sub Mul Div Mod Neg Abs Min Max Sum Floor Ceil Clip Equal Less
LessOrEqual Greater GreaterOrEqual Not And Or Where ReduceProd ReduceSum ReduceMin ReduceMax Range ConstantOfShape
Expand Tile Pad
"""
FOLDED = RESHAPING.union(_COMBINING.split())
"""Nodes by which models compute shapes."""


class Tensor(Struct, eq=False):
    """A tensor, with what the model declares of it and what follows from the node that makes it."""

    name: str
    kind: int = 0
    dims: Dims | None = None
    declared: list[Type] = []
    maker: Node | None = None
    odd: str = ""
    """Why kind and dims can't be relied on, as the end of a sentence."""
    value: Array | None = None
    other: Any = None
    """The TypeProto of what is no tensor, such as a sequence."""

    @property
    def type(self) -> Type:
        """What can be relied on."""
        return (0, None) if self.odd else (self.kind, self.dims)

    @property
    def sizes(self) -> tuple[int, ...] | None:
        """Its sizes; None where one isn't known."""
        sizes = tuple(dim for dim in self.type[1] or () if dim is not None)
        return sizes if self.type[1] is not None and len(sizes) == len(self.type[1]) else None


class Node(Struct, eq=False):
    """A node."""

    label: str
    """`node 3 (If).then_branch node 2 (Gather)`"""
    kind: str
    """Its op_type; empty for one that isn't ONNX's own."""
    name: str
    """As the model has it: the inliner renames those of functions."""
    proto: Any
    inputs: list[Tensor]
    outputs: list[Tensor] = field(default_factory=list)
    odd: str = ""
    """What ONNX's checker has against it."""

    def integer(self, name: str, default: int) -> int:
        """An attribute that is an integer."""
        return next((int(each.i) for each in self.proto.attribute if each.name == name), default)

    def integers(self, name: str) -> list[int] | None:
        """An attribute that is a list of integers; None where there is none."""
        return next((list(each.ints) for each in self.proto.attribute if each.name == name), None)


Scope = ChainMap[str, Tensor]
NOTHING = Tensor("")
"""What stands for an input or output that is left out."""


def type_text(found: Type) -> str:
    """A type as a sentence has it, `FLOAT32 {?, 3}`."""
    kind, dims = found
    shape = " of unknown shape" if kind else ""
    if dims is not None:
        shape = f" {{{', '.join('?' if dim is None else str(dim) for dim in dims)}}}"
    return plain(KINDS.get(kind, f"type {kind}") + shape, 120)


class Graph:
    """A model's nodes."""

    def __init__(self, onnx: ModuleType, model: Any, name: str) -> None:
        """Raises ImportFailedError for a model that can't be looked into, and what onnx raises."""
        self.nodes: list[Node] = []
        self._made: list[Tensor] = []
        self._onnx = onnx
        opsets = [entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")]
        self._opset: int = max(1, min(max(opsets, default=1), NEWEST_OPSET))
        functions = {_key(function, function.name): function for function in model.functions}
        self._labels = _labels(model.graph.node, functions)
        if functions:
            model = onnx.inliner.inline_local_functions(model)
        # The inliner leaves the latter; runtimes differ about those that are called like ONNX's own.
        if model.functions or any(not domain for domain, _, _ in functions):
            raise ImportFailedError(
                f"{name} has functions in the domain of ONNX's own operators, or for another version of them, expected "
                "ones that can be inlined."
            )
        self._read_graph(model.graph, ChainMap({"": NOTHING}), [type_of(info.type) for info in model.graph.input])

    def _read_graph(self, graph: Any, outer: Scope, given: Sequence[Type]) -> list[Tensor]:
        """Read a graph, with the types of its inputs. Its outputs."""
        scope = outer.new_child()
        declared: dict[str, list[Type]] = {}
        for info in (*graph.input, *graph.value_info, *graph.output):
            declared.setdefault(info.name, []).append(type_of(info.type))
        for proto in graph.initializer:
            self._hold(
                self._add(scope, proto.name, (proto.data_type, [*proto.dims]), declared.get(proto.name, [])), proto
            )
        for info, found in zip(graph.input, given, strict=False):
            if info.name not in scope.maps[0]:
                self._add(scope, info.name, found, declared[info.name])
        for node in graph.node:
            self._read(node, scope, declared)
        return [scope.get(info.name, NOTHING) for info in graph.output]

    def _add(self, scope: Scope, name: str, made: Type, declared: list[Type], maker: Node | None = None) -> Tensor:
        """A new tensor of type `made`."""
        if not name:
            return NOTHING
        if name in scope.maps[0]:
            tensor = scope[name]
            tensor.odd, tensor.value = "is made twice, or after it is read, expected once and before", None
            return tensor
        tensor = scope[name] = Tensor(name, *made, declared=declared, maker=maker)
        self._made.append(tensor)
        if maker is not None and maker.kind in READ and tensor.kind and tensor.sizes is not None:
            return tensor  # what is declared is held against the node itself
        for each in declared:
            both = _merged((tensor.kind, tensor.dims), each)
            if both is None:
                now = type_text((tensor.kind, tensor.dims))
                tensor.odd = f"is declared as {type_text(each)} and made as {now}, expected one type"
                break
            tensor.kind, tensor.dims = both
        return tensor

    def _hold(self, tensor: Tensor, proto: Any) -> None:
        """Keep the values of a TensorProto that isn't large, and not in a file of its own."""
        is_small = min(proto.dims, default=1) >= 0 and math.prod(proto.dims) <= MOST_VALUES
        if is_small and not tensor.odd and proto.data_location != 1 and not proto.external_data:
            with contextlib.suppress(Exception):  # damaged: too few bytes, a segment, the wrong field
                tensor.value = self._onnx.numpy_helper.to_array(proto)

    # ---- nodes

    def _read(self, proto: Any, scope: Scope, declared: Mapping[str, list[Type]]) -> None:
        """Add a node, with what it makes."""
        label, source = next(self._labels)
        if source.op_type != proto.op_type:
            raise ImportFailedError(f"{label} isn't where its function is called, expected one that can be inlined.")
        for name in proto.input:
            if name not in scope:
                self._add(scope, name, (0, None), declared.get(name, []))
        kind = proto.op_type if proto.domain in ("", "ai.onnx") else ""
        node = Node(label, kind, source.name, proto, inputs=[scope[name] for name in proto.input])
        self.nodes.append(node)
        if node.kind in READ:
            node.odd = self._trouble(proto)
        has_bodies = any(True for _ in subgraphs(proto))
        made = self._through_bodies(node, scope) if has_bodies else self._inferred(node)
        for name in proto.output:
            own = made.get(name)
            found = type_of(own) if own is not None else (0, None)
            node.outputs.append(self._add(scope, name, found, declared.get(name, []), node))
            if own is not None and not own.HasField("tensor_type"):
                node.outputs[-1].other = own
        if not node.odd:
            self._fold(node)

    def _trouble(self, proto: Any) -> str:
        """What ONNX's checker has against a node; empty for nothing."""
        context = self._onnx.checker.C.CheckerContext()
        context.ir_version, context.opset_imports = 8, {"": self._opset}
        try:
            self._onnx.checker.check_node(proto, context)
        except self._onnx.checker.ValidationError as error:
            first = str(error).strip().partition("\n")[0]
            return f"it breaks a rule of ONNX: {plain(first.removesuffix('.'))}"
        names = [attribute.name for attribute in proto.attribute]
        return "" if len({*names}) == len(names) else "it has an attribute twice, expected once"

    def _inferred(self, node: Node) -> dict[str, Any]:
        """The types of a node's outputs as ONNX infers them, by name; none where it can't."""
        types: dict[str, Any] = {}
        values: dict[str, Any] = {}
        for tensor, name in zip(node.inputs, node.proto.input, strict=True):
            if tensor.type[0] or tensor.other:
                types[name] = tensor.other or self._proto(tensor.type)
                if tensor.value is not None and tensor.value.size <= MOST:
                    values[name] = self._onnx.numpy_helper.from_array(tensor.value)
        if not node.kind or node.odd:
            return {}
        try:
            schema = self._onnx.defs.get_schema(node.kind, self._opset, "")
            opsets = [self._onnx.helper.make_opsetid("", self._opset)]
            infer = self._onnx.shape_inference.infer_node_outputs
            made: dict[str, Any] = infer(schema, node.proto, types, values, opset_imports=opsets, ir_version=8)
        except Exception:  # whatever ONNX has against a node, its outputs stay unknown
            return {}
        is_empty = any(0 in (type_of(proto)[1] or ()) for proto in made.values())
        return {} if node.kind == "Split" and is_empty else made  # no part is empty

    def _proto(self, found: Type) -> Any:
        return self._onnx.helper.make_tensor_type_proto(*found)

    def _through_bodies(self, node: Node, scope: Scope) -> dict[str, Any]:
        """Read the graphs that a node holds; the types of its outputs, by name."""
        turns = node.kind == "Loop" or (node.kind == "Scan" and self._opset > 8)
        skip, ahead = (2, 1) if node.kind == "Loop" else (0, 0)
        states = max(0, len(node.inputs) - skip - node.integer("num_scan_inputs", 0)) if turns else 0
        first = [tensor.type for tensor in node.inputs[skip : skip + states]]
        results: list[list[Type]] = []
        for _, body in subgraphs(node.proto):
            given = [type_of(info.type) for info in body.input]
            given[skip : skip + states] = first
            before = len(self._made)
            after = [tensor.type for tensor in self._read_graph(body, scope, given)][ahead:]
            # A turn that leaves the sizes that it was given shows that all of them do.
            if any(
                one[1] is not None and one[1] != _common(one, other)[1]
                for one, other in zip(first, after, strict=False)
            ):
                after = []
                for tensor in self._made[before:]:
                    tensor.odd = tensor.odd or "is made in a loop whose turns change sizes, expected fixed ones"
            results.append(after[:states] if turns else after)
        made: list[Type] = []
        if turns and len(results) == 1:
            made = results[0]
        elif node.kind == "If" and len(results) == 2:
            made = [_common(*both) for both in zip(*results, strict=False)]
        return {name: self._proto(found) for name, found in zip(node.proto.output, made, strict=False)}

    # ---- values

    def _fold(self, node: Node) -> None:
        """Work out the values of a small node's outputs, where its inputs' are known."""
        known = {name: tensor.value for name, tensor in zip(node.proto.input, node.inputs, strict=True) if name}
        if node.kind == "Constant":
            for attribute in node.proto.attribute:
                if attribute.HasField("t"):
                    self._hold(node.outputs[0], attribute.t)
                    return
        elif node.kind in ("Shape", "Size"):
            sizes = node.inputs[0].sizes if node.inputs else None
            if sizes is not None and math.prod(sizes) < 2**62:
                known[node.proto.input[0]] = np.broadcast_to(np.int8(0), sizes)
        elif self._opset < 7 or node.kind not in FOLDED:  # before opset 7 nothing is broadcast as NumPy does
            return
        arrays = {name: array for name, array in known.items() if array is not None}
        fits = all(tensor.sizes is not None and math.prod(tensor.sizes) <= MOST for tensor in node.outputs)
        if len(arrays) == len(known) and fits:
            for tensor, made in zip(node.outputs, self._evaluated(node, arrays), strict=False):
                if tensor.sizes == made.shape:
                    tensor.value = made

    def _evaluated(self, node: Node, known: Mapping[str, Array]) -> list[Array]:
        """What ONNX's reference evaluator makes of values; nothing where that is in doubt."""
        info = self._onnx.ValueInfoProto
        try:
            with np.errstate(all="raise", under="ignore"):
                ends = [[info(name=name) for name in names] for names in (known, node.proto.output)]
                graph = self._onnx.helper.make_graph([node.proto], "node", *ends)
                evaluator = self._onnx.reference.ReferenceEvaluator(graph, opsets={"": self._opset})
                made = [np.asarray(array) for array in evaluator.run(None, dict(known))]
        except Exception:  # it has no error of its own
            return []
        arrays, is_whole = list(known.values()), bool(made) and made[0].dtype.kind in "iu"
        if node.kind == "Cast":  # what doesn't fit a type differs from runtime to runtime
            return made if np.array_equal(made[0], np.trunc(arrays[0]) if is_whole else arrays[0]) else []
        # The evaluator rounds down, where ONNX says towards zero.
        is_low = node.kind == "Div" and is_whole and any(array.min(initial=0) < 0 for array in arrays)
        return [] if is_low else made


def type_of(proto: Any) -> Type:
    """What a TypeProto says of a tensor; of another kind of value it is nothing."""
    tensor = proto.tensor_type
    if not tensor.HasField("shape") or len(tensor.shape.dim) > MOST_RANK:
        return tensor.elem_type, None
    return tensor.elem_type, [d.dim_value if not is_free(d) else None for d in tensor.shape.dim]


def _key(of: Any, name: str) -> tuple[str, str, str]:
    """What functions are told apart by."""
    return "" if of.domain == "ai.onnx" else of.domain, name, of.overload


def _labels(nodes: Iterable[Any], functions: Mapping[Any, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Each node with its place, in the order in which the inliner leaves them."""
    for number, node in enumerate(nodes, 1):
        label = f"{before}node {number} ({plain(node.op_type, 40)})"
        function = functions.get(_key(node, node.op_type))
        if function is not None:
            yield from _labels(function.node, functions, f"{label}.function ")
            continue
        yield label, node
        for name, inner in subgraphs(node):
            yield from _labels(inner.node, functions, f"{label}.{plain(name, 40)} ")


def _merged(one: Type, other: Type) -> Type | None:
    """What two types say together; None where they contradict each other."""
    kind, dims = one[0] or other[0], other[1] if one[1] is None else one[1]
    if one[1] is not None and other[1] is not None:
        if len(one[1]) != len(other[1]) or any(
            None not in pair and len({*pair}) > 1 for pair in zip(*(one[1], other[1]), strict=True)
        ):
            return None
        dims = [b if a is None else a for a, b in zip(one[1], other[1], strict=True)]
    return (kind, dims) if other[0] in (0, kind) else None


def _common(one: Type, other: Type) -> Type:
    """What two types have in common."""
    kind = one[0] if one[0] == other[0] else 0
    if one[1] is None or other[1] is None or len(one[1]) != len(other[1]):
        return kind, None
    return kind, [a if a == b else None for a, b in zip(one[1], other[1], strict=True)]
