"""What lies behind the nodes of an ONNX model: the branches of If, the bodies of Loop and Scan, and functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any, NamedTuple

from ...errors import plain
from .graph import Graph, dims_of
from .nodes import Unknown, all_nodes, is_standard, number, numbers, subgraphs
from .shapes import Dims

MOST_CALLED = 20_000
"""Nodes of functions that are looked into, at every call again."""
MOST_DEPTH = 24
"""Bodies within each other."""
MOST_INFERRED = 20_000
"""Nodes whose shapes are inferred, in all the graphs of a model."""
_BYTES = 64
"""Bytes of a function that weigh as much as a node."""
_TURNS = 5
"""How often a body is looked at for which sizes stay as they are from turn to turn."""
_INT64, _BOOL = 7, 9
Key = tuple[str, str, str]


class Place(NamedTuple):
    """A node, and where it stands."""

    label: str
    """`node 3 (If).then_branch node 2 (Gather)`"""
    graph: Graph
    node: Any
    remark: str = ""
    """What is to be said of a node that stands for others."""
    lost: Mapping[str, int] | None = None
    """Where it isn't looked into, for the reason in `remark`: how many nodes of each of ONNX's own kinds are behind it,
    itself among them. They may be fewer or more where a function calls others, but never none."""


class _Body(NamedTuple):
    name: str
    graph: Graph
    results: Sequence[str]


class Bodies:
    """The graphs of a model: the main one, and those behind its nodes."""

    def __init__(self, model: Any, onnx: ModuleType) -> None:
        self.left = MOST_INFERRED
        self._onnx = onnx
        self._opset = _standard_opset(model.opset_import, 1)
        self._functions: dict[Key, Any] = {}
        for function in model.functions:
            self._functions.setdefault(_function_key(function, function.name), function)
        self._called: set[Key] = set()
        self._counts: dict[Key, Counter[str]] = {}
        self._largest: Counter[str] | None = None
        self._weights: dict[Key, int] = {}
        self._calls_left = MOST_CALLED
        self._graphs: list[Graph] = []  # which keeps the ids below from naming others
        self._known_bodies: dict[tuple[int, int], list[_Body] | Unknown] = {}
        self.main = self._add_graph(model.graph, self._opset, (), _types(model.graph.input))
        self.left = MOST_INFERRED

    def _add_graph(
        self,
        graph: Any,
        opset: int,
        calls: tuple[Key, ...],
        inputs: Mapping[str, Any],
        outer: Graph | None = None,
        result_of: Mapping[str, tuple[Graph, str]] | None = None,
        depth: int | None = None,
    ) -> Graph:
        """The Graph of a GraphProto, which is kept; its nodes are counted."""
        infos = [*graph.value_info, *graph.output]
        body = Graph(
            self._onnx,
            self,
            graph.node,
            opset,
            initializers=graph.initializer,
            inputs=inputs,
            infos=infos,
            outer=outer,
            result_of=result_of or {},
            calls=calls,
            depth=depth,
        )
        self.left -= len(body.nodes)
        self._graphs.append(body)
        return body

    # ---- every node

    def places(self) -> Iterator[Place]:
        """Every node of the main graph, each followed by the nodes behind it."""
        yield from self._places_in(self.main, "")

    def _places_in(self, graph: Graph, before: str) -> Iterator[Place]:
        """Every node of a graph, each followed by the nodes behind it; labels begin with `before`."""
        for i, node in enumerate(graph.nodes, 1):
            label = f"{before}node {i} ({plain(node.op_type, 40)})"
            if not self._has_bodies(node):
                yield Place(label, graph, node)
                continue
            try:
                bodies = self._bodies(graph, node)
            except Unknown as error:
                yield Place(label=label, graph=graph, node=node, remark=str(error), lost=self._counts_behind(node))
                continue
            is_call = self._call_key(node) in self._functions
            what = "it is a function of the model" if is_call else "it is none of the operators here"
            yield Place(label, graph, node, f"{what}; the nodes behind it are looked into")
            for body in bodies:
                yield from self._places_in(body.graph, f"{label}.{plain(body.name, 40)} ")

    def _call_key(self, node: Any) -> Key:
        """What a function that a node calls would be known by."""
        return _function_key(node, node.op_type)

    def _has_bodies(self, node: Any) -> bool:
        return self._call_key(node) in self._functions or any(
            attribute.HasField("g") or attribute.graphs for attribute in node.attribute
        )

    def _counts_behind(self, node: Any) -> Counter[str]:
        """How many nodes of each kind a node stands for, without being looked into."""
        key = self._call_key(node)
        if key not in self._functions:
            return _kinds([node])
        self._called.add(key)
        return _kinds([node]) + self._function_counts(key)

    def _function_counts(self, key: Key) -> Counter[str]:
        """How many nodes of each kind a function has; where it calls others, those of the largest of them all too."""
        if key not in self._counts:
            nodes = list(all_nodes(self._functions[key].node))
            counts = Counter(str(inner.op_type) for inner in nodes if is_standard(inner))
            calls = any(self._call_key(inner) in self._functions for inner in nodes)
            self._counts[key] = counts | self._largest_counts() if calls else counts
        return self._counts[key]

    def _largest_counts(self) -> Counter[str]:
        """The most nodes of each kind that any function of the model has."""
        if self._largest is None:
            self._largest = Counter()
            for function in self._functions.values():
                self._largest |= _kinds(function.node)
        return self._largest

    def idle_functions(self) -> list[str]:
        """The functions that no node calls, once every place has been seen."""
        return [key[1] for key in self._functions if key not in self._called]

    # ---- one node's

    def _bodies(self, graph: Graph, node: Any) -> list[_Body]:
        """What lies behind a node, which is read once. Raises Unknown for what isn't looked into."""
        at = (id(graph), id(node))
        if at not in self._known_bodies:
            try:
                self._known_bodies[at] = self._read_bodies(graph, node)
            except Unknown as error:
                self._known_bodies[at] = error
        bodies = self._known_bodies[at]
        if isinstance(bodies, Unknown):
            raise bodies
        return bodies

    def _read_bodies(self, graph: Graph, node: Any) -> list[_Body]:
        """Graphs of what lies behind a node. Raises Unknown for what isn't looked into."""
        if graph.depth == MOST_DEPTH:
            raise Unknown(f"it stands in {MOST_DEPTH} bodies within each other, which are enough")
        key = self._call_key(node)
        if key in self._functions:
            return [self._function_body(graph, node, key)]
        if is_standard(node) and node.op_type == "If":
            return [self._branch(graph, node, name, inner) for name, inner in subgraphs(node)]
        if is_standard(node) and (node.op_type == "Loop" or (node.op_type == "Scan" and graph.opset > 8)):
            return [self._repeated(graph, node, name, inner) for name, inner in subgraphs(node)]
        # It isn't known what such a graph is given, so it knows of itself alone.
        return [
            _Body(
                name, self._add_graph(inner, graph.opset, graph.calls, _types(inner.input), depth=graph.depth + 1), []
            )
            for name, inner in subgraphs(node)
        ]

    def _branch(self, graph: Graph, node: Any, name: str, inner: Any) -> _Body:
        """A branch of If, which sees the tensors around it."""
        results = [info.name for info in inner.output]
        outside = {here: (graph, there) for here, there in zip(results, node.output, strict=False) if there}
        body = self._add_graph(inner, graph.opset, graph.calls, _types(inner.input), graph, outside)
        return _Body(name, body, results)

    def _repeated(self, graph: Graph, node: Any, name: str, inner: Any) -> _Body:
        """The body of a Loop or Scan. What is handed from turn to turn has the sizes that no turn changes."""
        results = [info.name for info in inner.output]
        first = self._first_types(graph, node)
        declared = [dims_of(info.type) for info in inner.input]
        states, skip, ahead = _states(node)
        dims = [_filled(sizes, dims_of(first.get(i))) for i, sizes in enumerate(declared)]
        for _ in range(_TURNS):
            body = self._add_graph(inner, graph.opset, graph.calls, self._input_types(inner, first, dims), graph)
            before = list(dims)
            for i in range(skip, min(skip + states, len(dims))):
                at = i - skip + ahead
                after = dims_of(body.type_of(results[at])) if at < len(results) and self.left > 0 else None
                dims[i] = _staying(dims[i], after, declared[i])
            if dims == before:
                return _Body(name, body, results)
        last = [*declared[:skip], *([None] * states), *declared[skip + states :]][: len(declared)]
        return _Body(
            name,
            self._add_graph(inner, graph.opset, graph.calls, self._input_types(inner, first, last), graph),
            results,
        )

    def _input_types(self, inner: Any, first: Mapping[int, Any], dims: Sequence[Dims | None]) -> dict[str, Any]:
        """The types of a body's inputs, of sizes `dims`; element types that it doesn't say are the first turn's."""
        make = self._onnx.helper.make_tensor_type_proto
        types = {}
        for i, (info, sizes) in enumerate(zip(inner.input, dims, strict=True)):
            kind = info.type.tensor_type.elem_type or (first[i].tensor_type.elem_type if i in first else 0)
            types[info.name] = make(kind, sizes) if info.type.HasField("tensor_type") or kind else info.type
        return types

    def _first_types(self, graph: Graph, node: Any) -> dict[int, Any]:
        """The types of a body's inputs at the first turn, by number."""
        make = self._onnx.helper.make_tensor_type_proto
        states, skip, _ = _states(node)
        types = {0: make(_INT64, []), 1: make(_BOOL, [])} if skip else {}
        axes = numbers(node, "scan_input_axes") or []
        for i, name in enumerate(node.input[skip:]):
            kind = graph.type_of(name) if name else None
            if kind is None:
                continue
            dims = dims_of(kind)
            if i >= states and dims is not None:
                axis = axes[i - states] if i - states < len(axes) else 0
                if not -len(dims) <= axis < len(dims):
                    continue
                left = [size for at, size in enumerate(dims) if at != axis % len(dims)]
                kind = make(kind.tensor_type.elem_type, left)
            types[skip + i] = kind
        return types

    def _function_body(self, graph: Graph, node: Any, key: Key) -> _Body:
        """The body of the function at one call. Raises Unknown for a circle, or too many nodes in all."""
        self._called.add(key)
        if is_standard(node):
            raise Unknown("the model has a function of that name too, and runtimes differ about which of them counts")
        function = self._functions[key]
        if key in graph.calls:
            raise Unknown("it calls itself, which ends nowhere")
        if key not in self._weights:
            self._weights[key] = len(function.node) + function.ByteSize() // _BYTES
        weight = self._weights[key]
        if weight > self._calls_left:
            raise Unknown(f"the {MOST_CALLED:,} nodes of functions before it are enough")
        self._calls_left -= weight
        formal = {name: actual for name, actual in zip(function.input, node.input, strict=False) if actual}
        given = {attribute.name: attribute for attribute in [*function.attribute_proto, *node.attribute]}
        absent = set(function.input) - formal.keys()
        nodes = list(function.node)
        if given or function.attribute or absent:
            nodes = [_resolved(inner, given, absent) for inner in nodes]
        outside = {here: (graph, there) for here, there in zip(function.output, node.output, strict=False) if there}
        body = Graph(
            self._onnx,
            self,
            nodes,
            _standard_opset(function.opset_import, self._opset),
            infos=function.value_info,
            bound={name: (graph, actual) for name, actual in formal.items()},
            result_of=outside,
            calls=(*graph.calls, key),
            depth=graph.depth + 1,
        )
        self._graphs.append(body)
        return _Body("function", body, list(function.output))

    # ---- types

    def outputs(self, graph: Graph, node: Any) -> Iterator[tuple[str, Any]]:
        """The types of what a node with bodies makes, as far as they are known."""
        if self.left <= 0 or not self._has_bodies(node):
            return
        try:
            bodies = self._bodies(graph, node)
        except Unknown:
            return
        is_if = is_standard(node) and node.op_type == "If" and len(bodies) == 2
        if self._call_key(node) in self._functions or is_if:
            types = [[body.graph.type_of(name) for name in body.results] for body in bodies]
            for i, name in enumerate(node.output):
                kinds = [of_body[i] if i < len(of_body) else None for of_body in types]
                if name and kinds and all(kind is not None for kind in kinds):
                    yield name, self._common_type(kinds)
        elif is_standard(node) and node.op_type in ("Loop", "Scan") and len(bodies) == 1:
            yield from self._loop_outputs(graph, node, bodies[0])

    def _common_type(self, types: list[Any]) -> Any:
        """The type with what several types have in common."""
        kinds = {proto.tensor_type.elem_type for proto in types}
        kind = kinds.pop() if len(kinds) == 1 else 0
        return self._onnx.helper.make_tensor_type_proto(kind, _shared([dims_of(proto) for proto in types]))

    def _loop_outputs(self, graph: Graph, node: Any, body: _Body) -> Iterator[tuple[str, Any]]:
        """The types of the outputs of a Loop or Scan, by its body."""
        states, skip, ahead = _states(node)
        axes = numbers(node, "scan_output_axes") or []
        for i, name in enumerate(node.output):
            at = i + ahead
            proto = body.graph.type_of(body.results[at]) if name and at < len(body.results) else None
            if proto is None:
                continue
            dims = dims_of(proto)
            if i < states:  # without a turn it is what was given
                before = graph.type_of(node.input[skip + i])
                dims = _shared([dims, dims_of(before)])
            elif dims is not None:
                axis = axes[i - states] if i - states < len(axes) else 0
                dims = (*dims[:axis], None, *dims[axis:]) if 0 <= axis <= len(dims) else None
            yield name, self._onnx.helper.make_tensor_type_proto(proto.tensor_type.elem_type, dims)


def _states(node: Any) -> tuple[int, int, int]:
    """How many tensors a turn hands to the next; how many body inputs, and results, stand before these."""
    if node.op_type == "Loop":
        return max(0, len(node.input) - 2), 2, 1
    return max(0, len(node.input) - max(0, number(node, "num_scan_inputs", 0))), 0, 0


def _filled(declared: Dims | None, inferred: Dims | None) -> Dims | None:
    """Sizes as the model says them, and as they are inferred where it says nothing."""
    if declared is None or inferred is None or len(declared) != len(inferred):
        return inferred if declared is None else declared
    return tuple(a if a is not None else b for a, b in zip(declared, inferred, strict=True))


def _staying(before: Dims | None, after: Dims | None, declared: Dims | None) -> Dims | None:
    """Sizes that a turn leaves as they are, None for others; declared ones stay while those after it are unknown."""
    if before is None or (after is not None and len(after) != len(before)):
        return None
    others = after if after is not None else (None,) * len(before)
    sure = declared if declared is not None and len(declared) == len(before) else (None,) * len(before)
    return tuple(
        a if a == b or (b is None and s is not None) else None for a, b, s in zip(before, others, sure, strict=True)
    )


def _shared(shapes: list[Dims | None]) -> Dims | None:
    """The sizes that are the same in all of them; None where not all have as many."""
    known = [shape for shape in shapes if shape is not None]
    if not known or len(known) < len(shapes) or len({len(shape) for shape in known}) > 1:
        return None
    return tuple(sizes[0] if len(set(sizes)) == 1 else None for sizes in zip(*known, strict=True))


def _resolved(node: Any, given: Mapping[str, Any], absent: set[str]) -> Any:
    """A node of a function as it is at one call: with the call's attributes, and without what the call leaves out."""
    copy = type(node)()
    copy.CopyFrom(node)
    for inner in all_nodes([copy]):
        for i, name in enumerate(inner.input):
            if name in absent:
                inner.input[i] = ""
        for i in reversed(range(len(inner.attribute))):
            attribute = inner.attribute[i]
            if not attribute.ref_attr_name:
                continue
            actual, name = given.get(attribute.ref_attr_name), attribute.name
            if actual is None:
                del inner.attribute[i]
            else:
                attribute.CopyFrom(actual)
                attribute.name = name
    return copy


def _kinds(nodes: Iterable[Any]) -> Counter[str]:
    """How many nodes of each of ONNX's own kinds there are, those in graphs too."""
    return Counter(str(node.op_type) for node in all_nodes(nodes) if is_standard(node))


def _types(infos: Any) -> dict[str, Any]:
    return {info.name: info.type for info in infos}


def _function_key(of: Any, name: str) -> Key:
    """What functions are told apart by: domain, name and overload."""
    return "" if of.domain == "ai.onnx" else of.domain, name, getattr(of, "overload", "")


def _standard_opset(imports: Any, default: int) -> int:
    """The version of ONNX's own operators that is imported; `default` where none is."""
    return max((opset.version for opset in imports if opset.domain in ("", "ai.onnx")), default=default)
