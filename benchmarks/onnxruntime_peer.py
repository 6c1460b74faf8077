"""ONNX Runtime's way: a model of one node, its inputs and outputs bound to NumPy's arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import onnxruntime
from msgspec import Struct
from onnx import helper, numpy_helper
from timer import CannotExpressError, Way

from dmlviz.desc.base import Desc
from dmlviz.desc.values import Array
from dmlviz.operators.gather import Gather
from dmlviz.operators.gather_elements import GatherElements
from dmlviz.operators.join import Join
from dmlviz.operators.padding import NUMPY_MODES, SYMMETRIC, Padding
from dmlviz.operators.reverse_subsequences import ReverseSubsequences
from dmlviz.operators.slice1 import Slice1
from dmlviz.operators.split import Split
from dmlviz.operators.tile import Tile

Outs = Sequence[Array] | None
OPSET, IR_VERSION = 17, 8
"""Old enough for every runtime of the last years; no later opset has faster versions of these nodes."""
SAME_SIZE = {
    1: (np.int8, np.uint8),
    2: (np.float16, np.int16, np.uint16),
    4: (np.float32, np.int32, np.uint32),
    8: (np.float64, np.int64, np.uint64),
}
onnxruntime.set_default_logger_severity(3)  # a type it lacks is told by the exception


class Folded(Struct, frozen=True):
    """Sizes in as few dimensions as they need: `outer` blocks of `n` slices, each of `inner` elements."""

    outer: int
    n: int
    inner: int

    @classmethod
    def of(cls, sizes: Sequence[int], axis: int) -> Folded:
        return cls(math.prod(sizes[:axis]), sizes[axis], math.prod(sizes[axis + 1 :]))

    def shape(self, n: int | None = None) -> tuple[int, ...]:
        """The sizes with `n` slices, without an outer or inner 1."""
        slices = self.n if n is None else n
        return (*([self.outer] if self.outer > 1 else []), slices, *([self.inner] if self.inner > 1 else []))

    @property
    def axis(self) -> int:
        """The axis in `shape`."""
        return int(self.outer > 1)


def join_folded(desc: Join) -> tuple[Folded, list[int]]:
    """The output's sizes, and the inputs' ones along the axis."""
    assert desc.output_tensor is not None
    return Folded.of(desc.output_tensor.sizes, desc.axis), [t.sizes[desc.axis] for t in desc.input_tensors]


def split_folded(desc: Split) -> tuple[Folded, list[int]]:
    """The input's sizes, and the outputs' ones along the axis."""
    return Folded.of(desc.input_tensor.sizes, desc.axis), [t.sizes[desc.axis] for t in desc.output_tensors]


def interleaved(sizes: Sequence[int], repeats: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """TILE as a broadcast: the input's shape and the output's, with an axis of repeats before each that has some."""
    source: list[int] = []
    whole: list[int] = []
    for size, times in zip(sizes, repeats, strict=True):
        if times > 1:
            source.append(1)
            whole.append(times)
        if size > 1:
            if times == 1 and whole and source[-1] == whole[-1]:
                source[-1] *= size  # neighbours that are not repeated are one run
                whole[-1] *= size
            else:
                source.append(size)
                whole.append(size)
    return tuple(source) or (1,), tuple(whole) or (1,)


def indices_in_range(indices: Array, n: int) -> bool:
    """True if every index picks a slice that is there, counted from 0."""
    return bool((indices < n).all()) and (indices.dtype.kind == "u" or bool((indices >= 0).all()))


def signed(array: Array) -> Array:
    """The same bytes as signed integers."""
    return array.view(np.dtype(f"i{array.dtype.itemsize}"))


def uniform_length(lengths: Array, n: int) -> int | None:
    """The length that all sequences have; None where they differ."""
    low, high = int(lengths.min()), int(lengths.max())
    return min(high, n) if low == high or low >= n else None


class _Node(NamedTuple):
    """A node and what it is given; all shapes are the folded ones."""

    name: str
    data: list[Array]
    others: dict[str, Array]
    """Inputs that are not data, by name."""
    constants: dict[str, Array]
    out_shapes: list[tuple[int, ...]]
    attributes: dict[str, Any]
    before: Callable[[], object] | None = None
    """What has to be computed from the desc's own inputs at every call."""


def version() -> str:
    return str(onnxruntime.__version__)


def ways(desc: Desc, arrays: Sequence[Array], outs: Outs) -> list[Way]:
    """`run_with_iobinding` into `outs`, or `run`."""
    node_of = _NODES.get(type(desc))
    if node_of is None:
        raise CannotExpressError("has no such node")
    node = node_of(desc, arrays)
    own = node.data[0].dtype
    trouble = ""
    for kind in dict.fromkeys((own, *map(np.dtype, SAME_SIZE[own.itemsize]))):
        try:
            session = _session(node, kind)
        except Exception as error:  # its exceptions have no common base
            trouble = trouble or str(error).strip().splitlines()[0][:80]
            continue
        return [_bound(session, node, kind, outs) if outs is not None else _run(session, node, kind, own)]
    raise CannotExpressError(f"refuses {node.name} of {own}: {trouble}")


def _session(node: _Node, kind: np.dtype[Any]) -> Any:
    element = helper.np_dtype_to_tensor_dtype(kind)
    names = [f"x{k}" for k in range(len(node.data))]
    inputs = [
        helper.make_tensor_value_info(name, element, array.shape) for name, array in zip(names, node.data, strict=True)
    ]
    for name, array in node.others.items():
        inputs.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape))
    outputs = [helper.make_tensor_value_info(f"y{k}", element, shape) for k, shape in enumerate(node.out_shapes)]
    the_node = helper.make_node(
        node.name, [*names, *node.others, *node.constants], [o.name for o in outputs], **node.attributes
    )
    initial = [numpy_helper.from_array(array, name) for name, array in node.constants.items()]
    graph = helper.make_graph([the_node], "one", inputs, outputs, initial)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def _inputs(node: _Node, kind: np.dtype[Any]) -> dict[str, Array]:
    return {**{f"x{k}": array.view(kind) for k, array in enumerate(node.data)}, **node.others}


def _bound(session: Any, node: _Node, kind: np.dtype[Any], outs: Sequence[Array]) -> Way:
    binding = session.io_binding()
    inputs = _inputs(node, kind)
    for name, array in inputs.items():
        element = helper.np_dtype_to_tensor_dtype(array.dtype)
        binding.bind_input(name, "cpu", 0, element, array.shape, array.ctypes.data)
    element = helper.np_dtype_to_tensor_dtype(kind)
    for k, (out, shape) in enumerate(zip(outs, node.out_shapes, strict=True)):
        binding.bind_output(f"y{k}", "cpu", 0, element, shape, out.ctypes.data)
    run, before = session.run_with_iobinding, node.before

    def call() -> None:
        if before is not None:
            before()
        run(binding)

    def outputs() -> Sequence[Array]:
        call()
        assert inputs  # the binding knows only where they lie
        return outs

    return Way(node.name, call if before is not None else partial(run, binding), outputs)


def _run(session: Any, node: _Node, kind: np.dtype[Any], own: np.dtype[Any]) -> Way:
    feeds, run, before = _inputs(node, kind), session.run, node.before

    def call() -> Any:
        if before is not None:
            before()
        return run(None, feeds)

    return Way(node.name, call, lambda: [array.view(own) for array in call()])


def _join(desc: Join, arrays: Sequence[Array]) -> _Node:
    folded, sizes = join_folded(desc)
    parts = [array.reshape(folded.shape(size)) for array, size in zip(arrays, sizes, strict=True)]
    return _Node(
        name="Concat",
        data=parts,
        others={},
        constants={},
        out_shapes=[folded.shape()],
        attributes={"axis": folded.axis},
    )


def _split(desc: Split, arrays: Sequence[Array]) -> _Node:
    folded, sizes = split_folded(desc)
    data = [arrays[0].reshape(folded.shape())]
    shapes = [folded.shape(size) for size in sizes]
    return _Node(
        name="Split",
        data=data,
        others={},
        constants={"sizes": np.array(sizes)},
        out_shapes=shapes,
        attributes={"axis": folded.axis},
    )


def _gather(desc: Gather, arrays: Sequence[Array]) -> _Node:
    folded = Folded.of(desc.input_tensor.sizes, desc.axis)
    if not indices_in_range(arrays[1], folded.n):
        raise CannotExpressError("takes no index out of range")
    indices = signed(arrays[1].reshape(-1))
    data = [arrays[0].reshape(folded.shape())]
    return _Node(
        name="Gather",
        data=data,
        others={"at": indices},
        constants={},
        out_shapes=[folded.shape(len(indices))],
        attributes={"axis": folded.axis},
    )


def _gather_elements(desc: GatherElements, arrays: Sequence[Array]) -> _Node:
    folded, rows = Folded.of(desc.input_tensor.sizes, desc.axis), desc.indices_tensor.sizes[desc.axis]
    if not indices_in_range(arrays[1], folded.n):
        raise CannotExpressError("takes no index out of range")
    return _Node(
        name="GatherElements",
        data=[arrays[0].reshape(folded.shape())],
        others={"at": signed(arrays[1]).reshape(folded.shape(rows))},
        constants={},
        out_shapes=[folded.shape(rows)],
        attributes={"axis": folded.axis},
    )


def _padding(desc: Padding, arrays: Sequence[Array]) -> _Node:
    if desc.mode == SYMMETRIC or any(max(axis.start, axis.end) >= axis.size for axis in desc.axes if axis.is_padded):
        raise CannotExpressError("has no mode that mirrors the edge, and mirrors no more than there is")
    constant = np.array(desc.value, arrays[0].dtype)
    return _Node(
        name="Pad",
        data=[arrays[0]],
        others={},
        constants={"pads": np.array([*desc.start_padding, *desc.end_padding]), "value": constant},
        out_shapes=[tuple(axis.full for axis in desc.axes)],
        attributes={"mode": NUMPY_MODES[desc.mode]},
    )


def _tile(desc: Tile, arrays: Sequence[Array]) -> _Node:
    assert desc.output_tensor is not None
    return _Node(
        name="Tile",
        data=[arrays[0]],
        others={},
        constants={"times": np.array(desc.repeats)},
        out_shapes=[desc.output_tensor.sizes],
        attributes={},
    )


def _slice(desc: Slice1, arrays: Sequence[Array]) -> _Node:
    cuts = list(zip(desc.slices, desc.input_tensor.sizes, strict=True))
    return _Node(
        name="Slice",
        data=[arrays[0]],
        others={},
        constants={
            "starts": np.array([cut.start for cut, _ in cuts]),
            "ends": np.array([-n - 1 if cut.stop is None else cut.stop for cut, n in cuts]),
            "axes": np.arange(len(cuts)),
            "steps": np.array(desc.input_window_strides),
        },
        out_shapes=[desc.outputs[0].tensor.sizes],
        attributes={},
    )


def _reverse(desc: ReverseSubsequences, arrays: Sequence[Array]) -> _Node:
    folded = Folded.of(desc.input_tensor.sizes, desc.axis)
    outer, n, inner = folded.outer, folded.n, folded.inner
    lengths = arrays[1].reshape(outer, inner)
    if not indices_in_range(lengths, n + 1):
        raise CannotExpressError("takes no length beyond the axis")
    if outer == 1:
        shape, own, attributes = (n, inner), lengths[0], {"time_axis": 0, "batch_axis": 1}
    elif inner == 1 or uniform_length(lengths, n) is not None:
        # One length for all that lies behind the batch; ReverseSequence knows no more than two axes.
        shape = (outer, n, inner) if inner > 1 else (outer, n)  # type: ignore[assignment]
        own, attributes = lengths[:, 0], {"time_axis": 1, "batch_axis": 0}
    else:
        raise CannotExpressError("has one length for each batch only")
    wide = signed(own) if own.dtype.itemsize == 8 and own.flags.c_contiguous else np.empty(own.shape, np.int64)
    before = None if wide.base is not None else lambda: np.copyto(wide, own, casting="unsafe")
    if before is not None:
        before()
    data = [arrays[0].reshape(shape)]
    return _Node(
        name="ReverseSequence",
        data=data,
        others={"lengths": wide},
        constants={},
        out_shapes=[shape],
        attributes=attributes,
        before=before,
    )


_NODES: Mapping[type[Desc], Callable[[Any, Sequence[Array]], _Node]] = MappingProxyType(
    {
        Join: _join,
        Split: _split,
        Gather: _gather,
        Tile: _tile,
        ReverseSubsequences: _reverse,
        GatherElements: _gather_elements,
        Padding: _padding,
        Slice1: _slice,
    }
)
