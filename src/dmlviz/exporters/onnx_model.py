"""An ONNX model: one node for each experiment, or the few that it takes.

Several experiments stand in one graph, each with inputs and outputs of its own, called after operator and number:
`gather_1_InputTensor`. What one reads of another is an edge of the graph, with a Reshape where the sizes differ; the
graph's description says which nodes are one chain. An input of at most `MOST_VALUES` elements has its values as
default, so that the model runs with nothing given. The values of a larger one lie in an .npy file beside it. ONNX pads
no ranks: a tensor has the leading 1s that the node wants, and no others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import singledispatch
from typing import Any

import numpy as np
from msgspec import Struct, field

from ..desc.base import Desc, Part
from ..desc.tensors import DataType
from ..desc.values import Array, Stored, Values, element_of
from ..errors import DmlvizError
from ..formats.onnx_library import onnx_library
from ..operators.gather import Gather
from ..operators.gather_elements import GatherElements
from ..operators.join import Join
from ..operators.padding import CONSTANT, NUMPY_MODES, REFLECTION, SYMMETRIC, Padding
from ..operators.reverse_subsequences import ReverseSubsequences
from ..operators.scans import SCAN_LIMIT
from ..operators.slice1 import Slice1
from ..operators.split import Split
from ..operators.tile import Tile
from ..session.experiments import Experiment, Session
from ..stopping import checked
from .lib.chained import Group, groups, operator_name
from .lib.export import Export
from .lib.idioms import no_idiom

ABOUT = "An ONNX model of one node for each experiment, or the nodes it takes, with its values as default inputs."
SUFFIX = ".onnx"
LANGUAGE = ""
RUNS = True

OPSET, IR_VERSION = 18, 8
"""Read by every runtime of the last years; no later opset says more with these nodes."""
MOST_VALUES = 4096
"""Elements of an input that the model itself holds."""
MOST_GENERATED = 1 << 24
"""Elements of fills that are written to .npy files, in all."""
MOST_TEXT = 200
Sizes = tuple[int, ...]


def export(session: Session, stem: str) -> Export:
    """The session as one model. Raises DmlvizError where ONNX has no such operator, or isn't installed."""
    try:
        onnx = onnx_library()
    except ImportError:
        raise DmlvizError("ONNX models need the package onnx, expected after `pip install 'dmlviz[onnx]'`.") from None
    graph = _Graph(onnx, stem)
    told = []
    every = groups(session)
    for group in checked(every):
        for number, experiment in group:
            _write(experiment.desc, _Piece(graph, experiment, operator_name(experiment.desc, number), group))
        names = " > ".join(group.names.values())
        told.append(f"chain_{group.number}: {names}" if group.is_chain else f"{names} alone")
    about = "; ".join(told) if any(group.is_chain for group in every) else None
    made = onnx.helper.make_graph(
        graph.nodes, "dmlviz", graph.inputs, graph.outputs, graph.initializers, about, value_info=graph.between
    )
    opsets = [onnx.helper.make_opsetid("", OPSET)]
    model = onnx.helper.make_model(
        made, opset_imports=opsets, ir_version=IR_VERSION, producer_name="dmlviz", doc_string=_shown(session.title)
    )
    return Export(model.SerializeToString(deterministic=True), graph.files)


class _Graph(Struct):
    """What the model is made of so far."""

    onnx: Any
    stem: str
    nodes: list[Any] = field(default_factory=list)
    inputs: list[Any] = field(default_factory=list)
    outputs: list[Any] = field(default_factory=list)
    initializers: list[Any] = field(default_factory=list)
    between: list[Any] = field(default_factory=list)
    made: dict[tuple[int, int], tuple[str, Sizes]] = field(default_factory=dict)
    """What is read again: by experiment's id and output, its name and its sizes in the graph."""
    files: dict[str, Array] = field(default_factory=dict)
    generated: int = 0


class _Piece:
    """The part of the graph that one experiment becomes; every name in it begins with `prefix`."""

    def __init__(self, graph: _Graph, experiment: Experiment, prefix: str, group: Group) -> None:
        self.name = experiment.name
        self._graph, self._experiment, self._prefix, self._group = graph, experiment, prefix, group
        self.values = experiment.sources()

    def prefixed(self, path: str) -> str:
        """A name in the graph for a tensor of the desc, or a step: `gather_1_InputTensor`, `join_2_InputTensors_0`."""
        return f"{self._prefix}_{path.replace('[', '_').removesuffix(']')}"

    def source(self, number: int) -> tuple[Experiment, int] | None:
        """The experiment, and the number of its output, that fills input `number`."""
        return self._group.source(self._experiment, self._experiment.desc.inputs[number])

    def input(self, number: int, sizes: Sizes | None = None, array: Array | None = None) -> str:
        """Adds a graph input of `sizes` for an input of the desc; `array`, or its own values. Gives its name.

        Of one that another experiment fills it gives that output's, or that of its Reshape.
        """
        part, values = self._experiment.desc.inputs[number], self.values[number]
        shape = part.tensor.sizes if sizes is None else sizes
        name = self.prefixed(part.path)
        if (led := self.source(number)) is not None:
            read, made = self._graph.made[id(led[0]), led[1]]
            if made == shape:
                return read
            wanted = self.constant(f"{part.path}_sizes", np.array(shape, np.int64))
            return self.step("Reshape", [read, wanted], name)
        if math.prod(shape) <= MOST_VALUES:
            self.constant(part.path, (values.array() if array is None else array).reshape(shape))
            remark = "the session's values are its default"
        elif array is not None or self._may_be_written(values):
            file = f"{self._graph.stem}_{name}.npy"
            self._graph.files[file] = (values.array() if array is None else array).reshape(shape)
            remark = "the session's values lie in an .npy file of its name beside the model"
        else:
            remark = "it has to be given"
        self._graph.inputs.append(self._value_info(part, shape, f"; {remark}"))
        return name

    def _may_be_written(self, values: Values) -> bool:
        """True if a file may hold the values; fills are counted, and refused from `MOST_GENERATED` elements on."""
        if isinstance(values, Stored):
            return True
        self._graph.generated += values.tensor.element_count
        return self._graph.generated <= MOST_GENERATED

    def output(self, number: int, sizes: Sizes | None = None) -> str:
        """Adds a graph output for an output of the desc, in `sizes` of its own, and gives its name.

        What others read stays inside; so do outputs beside it that none reads.
        """
        part = self._experiment.desc.outputs[number]
        name, shape = self.prefixed(part.path), part.tensor.sizes if sizes is None else sizes
        self._graph.made[id(self._experiment), number] = name, shape
        is_end = any(end is self._experiment for _, end in self._group.ends)
        (self._graph.outputs if is_end else self._graph.between).append(self._value_info(part, shape, ""))
        return name

    def constant(self, name: str, array: Array) -> str:
        """Adds an array that the graph holds, and gives its name."""
        called = self.prefixed(name)
        held = np.ascontiguousarray(array).reshape(array.shape)
        self._graph.initializers.append(self._graph.onnx.numpy_helper.from_array(held, called))
        return called

    def node(self, kind: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: object) -> None:
        """Adds the node that does what the desc says, called after the experiment's part, and described by its name."""
        about = {**attributes, "name": self._prefix, "doc_string": _shown(self.name)}
        self._graph.nodes.append(self._graph.onnx.helper.make_node(kind, inputs, outputs, **about))

    def step(self, kind: str, inputs: Sequence[str], out: str, **attributes: object) -> str:
        """Adds a node before or behind the desc's own, called after its output `out`, and gives that."""
        about = {**attributes, "name": f"{out}_{kind}"}
        self._graph.nodes.append(self._graph.onnx.helper.make_node(kind, inputs, [out], **about))
        return out

    def _value_info(self, part: Part, sizes: Sizes, remark: str) -> Any:
        """What is said of an input or output of the graph."""
        helper, about = self._graph.onnx.helper, f"{part.path}, {part.tensor} in DirectML{remark}."
        element = helper.np_dtype_to_tensor_dtype(part.tensor.data_type.dtype)
        return helper.make_tensor_value_info(self.prefixed(part.path), element, sizes, doc_string=about)


def _shown(text: str) -> str:
    """A name or a title without control characters and marks of direction, and cut."""
    kept = text if len(text) <= MOST_TEXT else f"{text[: MOST_TEXT - 1]}…"
    return "".join(c if c.isprintable() else " " for c in kept)


# ---- operators --------------------------------------------------------------------------------------------------


@singledispatch
def _write(desc: Desc, piece: _Piece) -> None:
    """Adds the nodes of an operator. Raises DmlvizError for one that ONNX lacks."""
    raise no_idiom(piece.name, desc, "ONNX", _write)


@_write.register
def _join(desc: Join, piece: _Piece) -> None:
    names = [piece.input(k) for k in range(len(desc.input_tensors))]
    piece.node("Concat", names, [piece.output(0)], axis=desc.axis)


@_write.register
def _split(desc: Split, piece: _Piece) -> None:
    sizes = np.array([tensor.sizes[desc.axis] for tensor in desc.output_tensors], np.int64)
    names = [piece.input(0), piece.constant("sizes", sizes)]
    piece.node("Split", names, [piece.output(k) for k in range(len(sizes))], axis=desc.axis)


@_write.register
def _tile(desc: Tile, piece: _Piece) -> None:
    repeats = piece.constant("Repeats", np.array(desc.repeats, np.int64))
    piece.node("Tile", [piece.input(0), repeats], [piece.output(0)])


@_write.register
def _slice(desc: Slice1, piece: _Piece) -> None:
    """ONNX's ends are NumPy's stops, but for none at all: walked back to the first of n elements, one is below -n."""
    slices = list(zip(desc.slices, desc.input_tensor.sizes, strict=True))
    numbers = {
        "starts": [cut.start for cut, _ in slices],
        "ends": [-n - 1 if cut.stop is None else cut.stop for cut, n in slices],
        "axes": range(len(slices)),
        "steps": [cut.step for cut, _ in slices],
    }
    names = [piece.constant(name, np.array(entries, np.int64)) for name, entries in numbers.items()]
    piece.node("Slice", [piece.input(0), *names], [piece.output(0)])


@_write.register
def _gather(desc: Gather, piece: _Piece) -> None:
    """DirectML drops leading 1s of the result, one for each index dimension but the first; ONNX none, so the data comes
    without them. A scalar index gives a result without DirectML's leading 1."""
    drop = max(desc.drop, 0)
    data = piece.input(0, desc.input_tensor.sizes[drop:])
    indices = _indices(desc, piece, piece.input(1, desc.index_sizes))
    sizes = desc.full_sizes()[drop:]
    piece.node("Gather", [data, indices], [piece.output(0, sizes)], axis=desc.axis - drop)


@_write.register
def _gather_elements(desc: GatherElements, piece: _Piece) -> None:
    names = [piece.input(0), _indices(desc, piece, piece.input(1))]
    piece.node("GatherElements", names, [piece.output(0)], axis=desc.axis)


def _indices(desc: Gather | GatherElements, piece: _Piece, name: str) -> str:
    """The indices `name` as ONNX takes them: clamped where they have to be, and of a type with a sign."""
    kind = desc.indices_tensor.data_type
    low, high = index_bounds(kind, desc.input_tensor.sizes[desc.axis])
    name = _clamped(piece, name, piece.values[1], "indices", low, high)
    return name if kind.is_signed else _as_int64(piece, name, "indices")


def index_bounds(kind: DataType, n: int) -> tuple[int | None, int]:
    """What DirectML's clamping of indices comes to as bounds; None where the type has nothing lower."""
    lowest, highest = kind.integer_range
    return (max(lowest, -n) if kind.is_signed else None), min(highest, n - 1)


@_write.register
def _padding(desc: Padding, piece: _Piece) -> None:
    """Pad has no mode with the edge mirrored, and runtimes mirror no more than there is: Gather does it there."""
    axes, data, kind = desc.axes, piece.input(0), desc.input_tensor.data_type
    large = any(max(axis.start, axis.end) >= axis.size for axis in axes)
    if desc.mode == SYMMETRIC or (desc.mode == REFLECTION and large):
        padded = [d for d, axis in enumerate(axes) if axis.is_padded] or [0]
        for d in padded:
            places = np.arange(-axes[d].start, axes[d].size + axes[d].end, dtype=np.int64)
            picked = piece.constant(f"source_{d}", axes[d].folded(desc.mode, places))
            if d == padded[-1]:
                piece.node("Gather", [data, picked], [piece.output(0)], axis=d)
            else:
                data = piece.step("Gather", [data, picked], piece.prefixed(f"padded_{d}"), axis=d)
        return
    pads = piece.constant("pads", np.array([*desc.start_padding, *desc.end_padding], np.int64))
    names = [data, pads]
    if desc.mode == CONSTANT:
        names.append(piece.constant("PaddingValue", np.array(element_of(desc.value, kind))))
    piece.node("Pad", names, [piece.output(0)], mode=NUMPY_MODES[desc.mode])


@_write.register
def _reverse(desc: ReverseSubsequences, piece: _Piece) -> None:
    """ReverseSequence has its sequences along axis 0 or 1 and one length for each entry of the other of the two."""
    sizes, axis = desc.input_tensor.sizes, desc.axis
    n, outer, inner = sizes[axis], math.prod(sizes[:axis]), math.prod(sizes[axis + 1 :])
    one_node = _one_node(desc, piece.values[1] if piece.source(1) is None else None)
    if one_node is not None:
        shape, time, own = one_node
        data = piece.input(0, shape)
        lengths = _int64_lengths(piece, piece.input(1, (shape[1 - time],), own), n)
        piece.node("ReverseSequence", [data, lengths], [piece.output(0, shape)], batch_axis=1 - time, time_axis=time)
        return
    # A row for each sequence, or a column: the axes apart from Axis become one.
    data, batch = piece.input(0), outer * inner
    lengths = piece.input(1)
    across = outer > 1 and inner > 1
    if across:
        order = (axis, *(d for d in range(len(sizes)) if d != axis))
        data = piece.step("Transpose", [data], piece.prefixed("turned"), perm=order)
    time = 1 if inner == 1 else 0
    shape = (batch, n) if time else (n, batch)
    flat = piece.constant("flat_sizes", np.array(shape, np.int64))
    data = piece.step("Reshape", [data, flat], piece.prefixed("flat"))
    count = piece.constant("lengths_sizes", np.array([batch], np.int64))
    lengths = piece.step("Reshape", [lengths, count], piece.prefixed("flat_lengths"))
    lengths = _int64_lengths(piece, lengths, n)
    result = piece.prefixed("reversed")
    piece.node("ReverseSequence", [data, lengths], [result], batch_axis=1 - time, time_axis=time)
    whole = tuple(sizes[d] for d in order) if across else sizes
    back = piece.constant("sizes", np.array(whole, np.int64))
    out = piece.output(0)
    result = piece.step("Reshape", [result, back], piece.prefixed("unflat") if across else out)
    if across:
        piece.step("Transpose", [result], out, perm=tuple(int(d) for d in np.argsort(order)))


def _int64_lengths(piece: _Piece, name: str, n: int) -> str:
    """The lengths `name`, clamped to `n` where they may be larger, as INT64."""
    return _as_int64(piece, _clamped(piece, name, piece.values[1], "lengths", None, n), "lengths")


def _one_node(desc: ReverseSubsequences, values: Values | None) -> tuple[Sizes, int, Array | None] | None:
    """Sizes, the sequences' axis and the lengths for a ReverseSequence without nodes around it; None for no such.

    The lengths, (batch,), are None where they are the desc's own as they lie. `values` are None where a stage makes
    them: then what they are decides nothing.
    """
    sizes, axis = desc.input_tensor.sizes, desc.axis
    if len(sizes) == 1:
        return (1, *sizes), 1, None
    cells = desc.sequence_lengths_tensor.sizes
    for batch, first, time in ((axis - 1, axis - 1, 1), (axis + 1, axis, 0)):
        if not 0 <= batch < len(sizes) or math.prod(sizes[:first]) != 1:
            continue
        if math.prod(cells) == cells[batch]:
            return sizes[first:], time, None
        if values is not None and values.tensor.element_count <= SCAN_LIMIT:
            rows = np.moveaxis(values.array(), batch, 0).reshape(cells[batch], -1)
            if (rows == rows[:, :1]).all():
                return sizes[first:], time, rows[:, 0]
    return None


def _clamped(piece: _Piece, name: str, values: Values, what: str, low: int | None, high: int) -> str:
    """The tensor `name`, or a Clip of it where `values` leave the bounds, or are too many to be looked at."""
    kind = values.tensor.data_type.dtype
    if values.tensor.element_count <= SCAN_LIMIT and not any(
        bool((chunk > high).any()) or (low is not None and bool((chunk < low).any())) for _, chunk in values.chunks()
    ):
        return name
    least = "" if low is None else piece.constant(f"least_of_{what}", np.array(low, kind))
    most = piece.constant(f"most_of_{what}", np.array(high, kind))
    return piece.step("Clip", [name, least, most], piece.prefixed(f"clamped_{what}"))


def _as_int64(piece: _Piece, name: str, what: str) -> str:
    """Adds a Cast of `name` to INT64, whose output is called after `what`, and gives its name."""
    return piece.step("Cast", [name], piece.prefixed(f"{what}_as_INT64"), to=7)  # TensorProto.INT64
