"""The desc of each kind of node that is read.

Ranks are padded as DirectML wants them. n is the largest rank of a node's tensors, Axis moves by what is padded, and
IndexDimensions is the rank of the indices.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from msgspec import Struct

from ...desc.base import Desc
from ...desc.tensors import DataType, TensorDesc
from ...desc.values import Array
from ...errors import plain, quote
from ...operators.gather import Gather
from ...operators.gather_elements import GatherElements
from ...operators.join import Join
from ...operators.padding import NUMPY_MODES, padding_of
from ...operators.reverse_subsequences import ReverseSubsequences
from ...operators.slice1 import Slice1
from ...operators.split import Split
from ...operators.tile import Tile
from .graph import KINDS, MOST, NOTHING, RESHAPING, Node, Tensor, type_text

MOST_STEPS = 16
"""Nodes that are followed back from a tensor."""
MOST_PARTS = 1024
"""Tensors of one node."""
_STEERING = (DataType.INT32, DataType.UINT32, DataType.INT64, DataType.UINT64)


class Unknown(Exception):  # noqa: N818 (not an error of the model)
    """What a node's desc needs and the model doesn't say; the message is half a sentence."""


class Finding(Struct):
    """What a node becomes."""

    desc: Desc
    reads: list[Tensor]
    """The tensor that each input of the desc is."""
    note: str = ""
    """What had to change, as the end of a sentence."""
    lengths: Array | None = None


def found(node: Node, *, is_ours: bool) -> Finding:
    """What a node of a model becomes; `is_ours` where dmlviz has written that. Raises Unknown."""
    if node.odd:
        raise Unknown(node.odd)
    if max(len(node.inputs), len(node.outputs)) > MOST_PARTS:
        raise Unknown(f"it has more than {MOST_PARTS:,} inputs or outputs, expected at most as many")
    finding = _KINDS[node.kind](_Reader(node, is_ours))
    finding.desc = _with_declared(finding.desc, node.outputs)
    return finding


def data_type(tensor: Tensor) -> DataType:
    """The DataType of a tensor. Raises Unknown."""
    kind = DataType.__members__.get(KINDS.get(tensor.kind, ""))
    if kind is None:
        raise Unknown(f"{quote(tensor.name, 40)} is {type_text(tensor.type)}, expected a DataType of DirectML")
    return kind


def _desc(tensor: Tensor) -> TensorDesc:
    """A tensor desc, which may break rules. Raises Unknown."""
    if tensor.odd:
        raise Unknown(f"{quote(tensor.name, 40)} {tensor.odd}")
    kind, sizes = data_type(tensor), tensor.sizes
    if sizes is None:
        raise Unknown(f"{quote(tensor.name, 40)} is {type_text(tensor.type)}, expected fixed sizes")
    return TensorDesc(kind, sizes)


def origin(tensor: Tensor, passed: Container[str] = RESHAPING) -> Tensor:
    """The tensor that stands before nodes of kinds that are `passed` over."""
    for _ in range(MOST_STEPS):
        if tensor.maker is None or tensor.maker.kind not in passed or not tensor.maker.inputs:
            break
        tensor = tensor.maker.inputs[0]
    return tensor


class _Reader(Struct):
    """A node while it is read."""

    node: Node
    is_ours: bool

    def has(self, at: int) -> bool:
        """True if there is an input `at`."""
        return at < len(self.node.inputs) and self.node.inputs[at] is not NOTHING

    def tensor(self, at: int) -> Tensor:
        """Input `at`. Raises Unknown for none."""
        if not self.has(at):
            raise Unknown(f"it has no input {at + 1}")
        return self.node.inputs[at]

    def integers(self, at: int, name: str) -> list[int] | None:
        """Integers that are input `at`, or else an attribute; None for neither. Raises Unknown for unknown ones."""
        if not self.has(at):
            return self.node.integers(name)
        array = self.tensor(at).value
        if array is None or array.dtype.kind not in "iu":
            raise Unknown(f"its {name} are computed by the model, expected constant ones")
        return [int(x) for x in array.reshape(-1)]

    def axis(self, default: int, rank: int) -> int:
        """The axis from 0; as the node says it where the tensor hasn't got it, which a rule tells."""
        axis = self.node.integer("axis", default)
        return axis % rank if -rank <= axis < rank else axis

    def steering(self, at: int) -> Tensor:
        """The tensor that indices or lengths are read from.

        Passed over are the casts and the clamps by which dmlviz writes what DirectML does by itself.
        """
        return origin(self.node.inputs[at], RESHAPING | {"Cast", "Clip"} if self.is_ours else ())


def _with_declared(desc: Desc, outputs: Sequence[Tensor]) -> Desc:
    """The desc with the outputs that the model declares. Raises Unknown where they can't be held against it."""
    parts = []
    for part, tensor in zip(desc.outputs, outputs, strict=False):
        made = part.tensor
        parts.append(made)
        for kind, dims in tensor.declared if tensor.dims is not None else ():
            if dims is not None and len(dims) != len(tensor.dims or ()):
                raise Unknown(f"its output is declared as {type_text((kind, dims))}, expected {type_text(tensor.type)}")
            of_kind = data_type(Tensor("its output", kind)) if kind else made.data_type
            own = [None] * (made.dimension_count - len(dims or ())) + (dims or [])  # it may have got leading 1s
            sizes = tuple(a if b is None else b for a, b in zip(made.sizes, own, strict=True))
            if parts[-1] == made:
                parts[-1] = TensorDesc(of_kind, sizes)
    if all(part.tensor == declared for part, declared in zip(desc.outputs, parts, strict=True)):
        return desc
    output = desc.outputs[0].field
    return desc.replace({output.name: tuple(parts) if output.many else parts[0]})


def _concat(reader: _Reader) -> Finding:
    parts = tuple(_desc(reader.tensor(at)) for at in range(len(reader.node.inputs)))
    return Finding(Join(parts, reader.axis(1, parts[0].dimension_count)), reader.node.inputs)


def _split(reader: _Reader) -> Finding:
    whole, count = _desc(reader.tensor(0)), len(reader.node.outputs)
    axis = reader.axis(0, whole.dimension_count)
    size = whole.sizes[axis] if 0 <= axis < whole.dimension_count else 0
    if size % count and None in [each.sizes for each in reader.node.outputs] and reader.integers(1, "split") is None:
        raise Unknown(
            f"it cuts {size} into {count} parts of sizes that it doesn't say, expected a count that divides it"
        )
    return Finding(Split(whole, tuple(map(_desc, reader.node.outputs)), axis), reader.node.inputs[:1])


def _tile(reader: _Reader) -> Finding:
    data, repeats = _desc(reader.tensor(0)), reader.integers(1, "repeats") or []
    if len(repeats) != data.dimension_count:
        shown = plain(str(repeats[:8]))
        raise Unknown(f"its repeats are {shown}, expected one for each of {data.dimension_count} dimensions")
    # DirectML has no tensor without dimensions.
    return Finding(Tile.of_ranks(data, repeats or [1]), reader.node.inputs[:1])


def _pad(reader: _Reader) -> Finding:
    data, node = _desc(reader.tensor(0)), reader.node
    rank, modes = data.dimension_count, {name: mode for mode, name in NUMPY_MODES.items() if name != "symmetric"}
    attributes = {attribute.name: attribute for attribute in node.proto.attribute}
    mode = attributes["mode"].s.decode(errors="replace") if "mode" in attributes else "constant"
    if mode not in modes:
        why = "no page says what DirectML makes of others"
        raise Unknown(f"its mode is {quote(mode, 40)}, expected one of {', '.join(modes)}: {why}")
    pads, axes = reader.integers(1, "pads") or [], reader.integers(3, "axes")
    constant = float(attributes["value"].f) if "value" in attributes else 0.0
    if reader.has(2):
        array = reader.tensor(2).value
        if array is None or array.size != 1:
            raise Unknown("its constant is computed by the model, expected one that it holds")
        constant = array.item()
    axes = [*range(rank)] if axes is None else axes
    if len(pads) != 2 * len(axes) or not all(-rank <= axis < rank for axis in axes):
        raise Unknown(f"it has {len(pads)} pads for {len(axes)} of {rank} axes, expected two for each")
    if min(pads, default=0) < 0:
        raise Unknown(f"it pads by {min(pads)}, expected at least 0: that cuts, which is SLICE1")
    if rank == 0:
        raise Unknown("its data have no dimensions, expected at least 1")
    start, end = [0] * rank, [0] * rank
    for k, axis in enumerate(axes):
        start[axis], end[axis] = pads[k], pads[len(axes) + k]
    desc = padding_of(data, modes[mode], constant, start, end)
    if desc is None:
        raise Unknown(f"its constant is {constant!r}, expected one that a FLOAT holds, as PaddingValue is")
    return Finding(desc, node.inputs[:1])


def _indices(reader: _Reader) -> tuple[Tensor, TensorDesc]:
    """The tensor and the desc of indices. Raises Unknown."""
    _, tensor = reader.tensor(1), reader.steering(1)
    kind = data_type(tensor)
    if kind not in _STEERING:
        raise Unknown(f"its indices are {kind}, expected one of {', '.join(map(str, _STEERING))}")
    return tensor, TensorDesc(kind, _desc(reader.tensor(1)).sizes)


def _gather(reader: _Reader) -> Finding:
    data, (tensor, indices) = _desc(reader.tensor(0)), _indices(reader)
    axis = reader.axis(0, data.dimension_count)
    desc = Gather.of_ranks(data, indices, axis)
    if axis < 0:  # padding must not make it an axis
        desc = Gather(desc.input_tensor, desc.indices_tensor, axis, desc.index_dimensions)
    return Finding(desc, [reader.node.inputs[0], tensor])


def _gather_elements(reader: _Reader) -> Finding:
    data, (tensor, indices) = _desc(reader.tensor(0)), _indices(reader)
    desc = GatherElements(data, indices, reader.axis(0, data.dimension_count))
    return Finding(desc, [reader.node.inputs[0], tensor])


def _reverse(reader: _Reader) -> Finding:
    data, counted, tensor = _desc(reader.tensor(0)), _desc(reader.tensor(1)), reader.steering(1)
    sizes, batch, time = data.sizes, reader.node.integer("batch_axis", 1), reader.node.integer("time_axis", 0)
    if {batch, time} != {0, 1} or len(sizes) < 2:
        raise Unknown(f"batch_axis is {batch} and time_axis {time} of {len(sizes)} dimensions, expected 0 and 1")
    if counted.dimension_count != 1:
        raise Unknown(f"its lengths have {counted.dimension_count} dimensions, expected 1")
    own, lengths = data_type(tensor), tensor.value
    if own not in _STEERING:
        raise Unknown(f"its lengths are {own}, expected INT64")
    if lengths is not None and int(lengths.min(initial=0)) < 0:
        raise Unknown(f"one of its lengths is {int(lengths.min())}, expected none below 0")
    kind = own
    if own.is_signed:
        kind = DataType.UINT32 if lengths is None or int(lengths.max(initial=0)) < 2**32 else DataType.UINT64
    # One length for each entry of the batch becomes one for each sequence; a rule tells where they are too few.
    cells = [*sizes[:time], 1, *sizes[time + 1 :]]
    cells[batch] = counted.sizes[0]
    desc = ReverseSubsequences(data, TensorDesc(kind, tuple(cells)), time)
    finding = Finding(desc, [reader.node.inputs[0], tensor])
    if kind is not own:
        finding.note = f"its lengths are {own}, and became {kind}, one for each sequence"
    if lengths is not None and lengths.size == sizes[batch] == cells[batch] and 0 < math.prod(cells) <= MOST:
        along = [-1 if axis == batch else 1 for axis in range(len(sizes))]
        finding.lengths = np.broadcast_to(lengths.astype(kind.dtype).reshape(along), cells)
    return finding


def _slice(reader: _Reader) -> Finding:
    """Starts, ends, axes and steps, which older models have as attributes."""
    data = _desc(reader.tensor(0))
    rank, names = data.dimension_count, ("starts", "ends", "axes", "steps")
    starts, ends, axes, steps = (reader.integers(at, name) for at, name in enumerate(names, 1))
    starts, ends = starts or [], ends or []
    axes, steps = [*range(len(starts))] if axes is None else axes, [1] * len(starts) if steps is None else steps
    if len({len(starts), len(ends), len(axes), len(steps)}) > 1:
        raise Unknown("its starts, ends, axes and steps differ in number, expected as many of each")
    cuts = [slice(None)] * rank
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        if not -rank <= axis < rank or cuts[axis] != slice(None):
            raise Unknown(f"axis {axis} is among its axes, expected each of {-rank} to {rank - 1} once")
        if step == 0:
            raise Unknown("one of its steps is 0, expected another")
        cuts[axis] = slice(start, end, step)
    desc = Slice1.of_slices(data, cuts)
    if min(desc.input_window_sizes, default=0) < 1:
        raise Unknown("it takes nothing along an axis, expected at least 1 element: DirectML has none empty")
    return Finding(desc, reader.node.inputs[:1])


_KINDS: Mapping[str, Callable[[_Reader], Finding]] = MappingProxyType(
    {
        "Concat": _concat,
        "Split": _split,
        "Gather": _gather,
        "Tile": _tile,
        "ReverseSequence": _reverse,
        "Pad": _pad,
        "GatherElements": _gather_elements,
        "Slice": _slice,
    }
)
