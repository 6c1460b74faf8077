"""An ONNX model: each Concat, Split, Gather, Tile and ReverseSequence of its main graph whose shapes are known.

Ranks are padded as DirectML wants them. n is the largest rank of a node's tensors, Axis moves by what is padded, and
IndexDimensions is the rank of the indices. Small values that the model holds come along. Files that it refers to are
never read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ..desc.base import Desc
from ..desc.tensors import MAX_DIMENSIONS, DataType, TensorDesc
from ..desc.values import Array
from ..errors import plain
from ..formats.onnx_library import onnx_library
from ..operators.gather import Gather
from ..operators.join import Join
from ..operators.reverse_subsequences import ReverseSubsequences
from ..operators.split import Split
from ..operators.tile import Tile
from ..session.experiments import Experiment
from .lib.imported import Imported, ImportFailedError, Remark
from .lib.onnx_graph import RESHAPING, Graph, Sizes, Unknown, is_standard, number
from .lib.onnx_wire import trouble
from .lib.value_lists import listed

TITLE = "an ONNX model"
ORDER = 10

MOST_DATA = 4096
"""Elements of data that come along; data may be filled, while indices and lengths are what they are."""
MOST_EXPERIMENTS = 1000
MOST_PARTS = 1024
"""Tensors of one node."""
MOST_NAME = 200
_FIRST = frozenset(bytes([tag]) for tag in b"\x12\x1a\x22\x28\x32\x3a\x42")
"""What may follow the version of the format: the other fields of a model."""
_STEPS = 8
_STEERING = frozenset({DataType.INT64, DataType.INT32, DataType.UINT64, DataType.UINT32})
_UNSIGNED = frozenset({DataType.UINT64, DataType.UINT32})
Bounds = Callable[[DataType], tuple[int | None, int]]


class _Found(NamedTuple):
    """What a node becomes: the desc, and the values of some of its inputs by path."""

    desc: Desc
    values: Mapping[str, Array | None]


def knows(data: bytes, name: str) -> bool:
    """True for a file that is called so, and for what begins as a model does: with the version of its format."""
    return name.lower().endswith(".onnx") or (data[:1] == b"\x08" and data[1:2] < b"\x40" and data[2:3] in _FIRST)


def read(data: bytes, name: str, folder: Path | None) -> Imported:
    """The model's nodes as experiments. Raises ImportFailedError where there is none, or onnx isn't installed."""
    try:
        onnx = onnx_library()
    except ImportError:
        raise ImportFailedError(
            f"{name} is an ONNX model, expected the package onnx to read it: `pip install 'dmlviz[onnx]'`."
        ) from None
    if why := trouble(data):
        raise ImportFailedError(f"{name} {why}, expected an ONNX model.")
    try:
        model = onnx.ModelProto.FromString(data)
        graph = Graph(model, onnx)
        ours = model.producer_name == "dmlviz"
        labels = [f"node {i + 1} ({plain(node.op_type, 40)})" for i, node in enumerate(graph.nodes)]
    except Exception:  # protobuf's own errors; text that isn't UTF-8
        raise ImportFailedError(f"{name} is damaged, expected an ONNX model.") from None
    experiments: list[Experiment] = []
    remarks: list[Remark] = []
    ill: Remark | None = None
    for label, node in zip(labels, graph.nodes, strict=True):
        make = _NODES.get(node.op_type) if is_standard(node) else None
        try:
            if make is None:
                raise Unknown(_left(node))
            if len(experiments) == MOST_EXPERIMENTS:
                raise Unknown(f"the {MOST_EXPERIMENTS} nodes before it are enough")
            found = make(graph, node)
        except Unknown as error:
            remarks.append(Remark(label, False, f"{error}."))
            ill = ill or (remarks[-1] if make is not None else None)
            continue
        except UnicodeDecodeError:
            remarks.append(Remark(label, False, "a name in it is no text."))
            continue
        held = {path: listed(array) for path, array in found.values.items() if array is not None}
        called = node.doc_string if ours else node.name
        if not isinstance(called, str) or not called:  # protobuf gives what is no UTF-8 as bytes
            called = f"{node.op_type} {len(experiments) + 1}"
        experiments.append(Experiment(called[:MOST_NAME], found.desc, values=held))
        remarks.append(Remark(label, True, _said(found)))
    if not experiments:
        if ill is not None:
            raise ImportFailedError(f"{name}: {ill.where}: {ill.text}")
        raise ImportFailedError(f"{name} is a model without a node of {', '.join(_NODES)}, expected at least one.")
    return Imported(tuple(experiments), tuple(remarks))


def _left(node: Any) -> str:
    """Why a node of another kind is left."""
    if any(each.HasField("g") or each.graphs for each in node.attribute):
        return "its subgraphs are not looked into"
    if not is_standard(node):
        return f"it is of {plain(node.domain, 40)}, not of ONNX's own operators"
    return "it is none of the operators here"


def _said(found: _Found) -> str:
    """What a node became, and which values were left."""
    kind = found.desc.TYPE.removeprefix("DML_OPERATOR_")
    tensors = found.desc.inputs
    said = f"it became {kind} of {tensors[0].tensor}" + (f" and {len(tensors) - 1} more" if len(tensors) > 1 else "")
    left = [path for path, array in found.values.items() if array is None]
    return f"{said}; filled by default: {', '.join(left[:8])}{' …' * (len(left) > 8)}." if left else f"{said}."


# ---- nodes ------------------------------------------------------------------------------------------------------


def _tensor(graph: Graph, node: Any, at: int) -> TensorDesc:
    """Input `at` of a node. Raises Unknown."""
    name = _input(node, at)
    return TensorDesc(graph.data_type(name), graph.sizes(name))


def _input(node: Any, at: int) -> str:
    name: str = node.input[at] if at < len(node.input) else ""
    if not name:
        raise Unknown(f"it has no input {at + 1}")
    return name


def _data(graph: Graph, name: str, sizes: Sizes) -> Array | None:
    return _fitting(graph.value(name, MOST_DATA), sizes)


def _fitting(array: Array | None, sizes: Sizes) -> Array | None:
    return array.reshape(sizes) if array is not None and array.size == np.prod(sizes, dtype=object) else None


def _axis(node: Any, default: int, rank: int) -> int:
    """The axis from 0. Raises Unknown where the tensor hasn't got it."""
    axis = number(node, "axis", default)
    if not rank:
        raise Unknown("its input has no dimensions, expected at least 1 for an axis")
    if not -rank <= axis < rank:
        raise Unknown(f"axis is {axis}, expected {-rank} to {rank - 1}")
    return axis % rank


def _concat(graph: Graph, node: Any) -> _Found:
    if not 1 <= len(node.input) <= MOST_PARTS:
        raise Unknown(f"it has {len(node.input):,} inputs, expected 1 to {MOST_PARTS:,}")
    tensors = [_tensor(graph, node, at) for at in range(len(node.input))]
    desc = Join(tuple(tensors), _axis(node, 1, tensors[0].dimension_count))
    values = [_data(graph, name, tensor.sizes) for name, tensor in zip(node.input, tensors, strict=True)]
    return _Found(desc, {f"InputTensors[{i}]": each for i, each in enumerate(values)})


def _split(graph: Graph, node: Any) -> _Found:
    whole = _tensor(graph, node, 0)
    axis = _axis(node, 0, whole.dimension_count)
    along = whole.sizes[axis]
    given = graph.split_sizes(node, along)
    if given is None:
        raise Unknown("its sizes are computed by the model, expected constant ones")
    if len(given) > MOST_PARTS:
        raise Unknown(f"it has {len(given):,} parts, expected at most {MOST_PARTS:,}")
    if not given or min(given) < 1:
        raise Unknown(f"it cuts {along} into parts {plain(str(given[:8]))}, expected parts of at least 1")
    parts = tuple(whole.resized((*whole.sizes[:axis], size, *whole.sizes[axis + 1 :])) for size in given)
    return _Found(Split(whole, parts, axis), {"InputTensor": _data(graph, node.input[0], whole.sizes)})


def _tile(graph: Graph, node: Any) -> _Found:
    tensor = _tensor(graph, node, 0)
    if graph.opset < 6 or len(node.input) != 2:
        raise Unknown("it is a Tile of before opset 6 or has no repeats, expected a later one")
    repeats = graph.whole_numbers(node.input[1])
    if repeats is None:
        raise Unknown("its repeats are computed by the model, expected constant ones")
    if len(repeats) != tensor.dimension_count or min(repeats, default=1) < 1:
        raise Unknown(
            f"its repeats are {plain(str(repeats[:8]))}, expected one of at least 1 for each of "
            f"{tensor.dimension_count} dimensions"
        )
    # DirectML has no tensor without dimensions.
    desc = Tile.of_ranks(tensor, repeats or [1])
    return _Found(desc, {"InputTensor": _data(graph, node.input[0], desc.input_tensor.sizes)})


def _gather(graph: Graph, node: Any) -> _Found:
    data = _tensor(graph, node, 0)
    axis = _axis(node, 0, data.dimension_count)
    sizes = graph.sizes(_input(node, 1))
    n = data.sizes[axis]

    def bounds(kind: DataType) -> tuple[int | None, int]:
        low, high = kind.integer_range
        return (max(low, -n) if kind.is_signed else None), min(high, n - 1)

    kind, picks = _steering(graph, node.input[1], bounds)
    if kind not in _STEERING:
        raise Unknown(f"its indices are {kind}, expected one of {', '.join(sorted(map(str, _STEERING)))}")
    desc = Gather.of_ranks(data, TensorDesc(kind, sizes), axis)
    rank = desc.input_tensor.dimension_count
    if rank > MAX_DIMENSIONS:
        raise Unknown(f"its tensors need {rank} dimensions, expected at most {MAX_DIMENSIONS}")
    return _Found(
        desc,
        {
            "InputTensor": _data(graph, node.input[0], desc.input_tensor.sizes),
            "IndicesTensor": _fitting(picks, desc.indices_tensor.sizes),
        },
    )


def _reverse(graph: Graph, node: Any) -> _Found:
    data = _tensor(graph, node, 0)
    sizes, (batch, time) = data.sizes, (number(node, "batch_axis", 1), number(node, "time_axis", 0))
    if {batch, time} != {0, 1} or len(sizes) < 2:
        raise Unknown(
            f"batch_axis is {batch} and time_axis {time} of {len(sizes)} dimensions, expected 0 and 1 or 1 and 0"
        )
    n = sizes[time]
    kind, lengths = _steering(graph, _input(node, 1), lambda kind: (None, n))
    if kind.is_float:
        raise Unknown(f"its lengths are {kind}, expected INT64")
    if lengths is not None and lengths.size and int(lengths.min()) < 0:
        raise Unknown(f"one of its lengths is {int(lengths.min())}, expected none below 0")
    if kind not in _UNSIGNED:
        kind = DataType.UINT32 if lengths is None or int(lengths.max(initial=0)) < 2**32 else DataType.UINT64
    along = [1] * len(sizes)
    along[batch] = sizes[batch]
    cells = (*sizes[:time], 1, *sizes[time + 1 :])
    held = _fitting(lengths, tuple(along))
    # One length for each entry of the batch becomes one for each sequence.
    spread = np.broadcast_to(held.astype(kind.dtype), cells) if held is not None else None
    if spread is not None and spread.size > MOST_DATA:
        spread = None
    desc = ReverseSubsequences(data, TensorDesc(kind, cells), time)
    return _Found(desc, {"InputTensor": _data(graph, node.input[0], sizes), "SequenceLengthsTensor": spread})


_NODES: Mapping[str, Callable[[Graph, Any], _Found]] = MappingProxyType(
    {"Concat": _concat, "Split": _split, "Gather": _gather, "Tile": _tile, "ReverseSequence": _reverse}
)


def _steering(graph: Graph, name: str, bounds: Bounds) -> tuple[DataType, Array | None]:
    """The DataType and the values of indices or lengths.

    A cast that changes no value is passed over, and so is a Clip that clamps just as DirectML does by itself. What
    stands before it is taken instead of `name`: DirectML has types for it that the node lacks.
    """
    kind, at = graph.data_type(name), name
    for _ in range(_STEPS):
        node = graph.maker(at)
        if node is None or not node.input or not node.input[0]:
            break
        before = node.input[0]
        if node.op_type in ("Cast", "Clip") and graph.data_type(before).is_float:
            break
        if node.op_type == "Cast" and not _keeps(graph, before, number(node, "to", 0), bounds):
            break
        if node.op_type == "Clip" and graph.bounds(node) != bounds(graph.data_type(before)):
            break
        if node.op_type not in RESHAPING | {"Cast", "Clip"}:
            break
        at, kind = before, graph.data_type(before)
    return kind, graph.value(at)


def _keeps(graph: Graph, name: str, to: int, bounds: Bounds) -> bool:
    """True if a cast of `name` to a TensorProto type changes none of its values."""
    kind = graph.data_type(name)
    if to != 7:  # INT64
        return False
    if kind is not DataType.UINT64:
        return kind in _STEERING
    node, held = graph.maker(name), graph.value(name)
    clamped = node is not None and node.op_type == "Clip" and graph.bounds(node) == bounds(kind)
    return clamped or (held is not None and int(held.max(initial=0)) < 2**63)
