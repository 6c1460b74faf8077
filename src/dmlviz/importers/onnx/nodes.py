"""The desc of each kind of node that is read, with ranks padded as DirectML wants them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...desc.base import Desc
from ...desc.tensors import DataType, TensorDesc
from ...errors import quote
from ...operators.gather import Gather
from ...operators.gather_elements import GatherElements
from ...operators.join import Join
from ...operators.reverse_subsequences import ReverseSubsequences
from ...operators.slice1 import Slice1
from ...operators.split import Split
from ...operators.tile import Tile
from .graph import KINDS, Node, Tensor, type_text


class Unknown(Exception):  # noqa: N818 (not an error of the model)
    """What a node's desc needs and the model doesn't say; the message is half a sentence."""


def found(node: Node) -> Desc:
    if node.odd or node.kind not in _KINDS:
        raise Unknown(node.odd or f"no {node.kind} is read here, expected a node of {', '.join(_KINDS)}")
    desc = _KINDS[node.kind](node, _desc(node.inputs[0]))
    pairs = [*zip(desc.outputs, node.outputs, strict=False)]  # none of what breaks some rules
    outputs = tuple(_declared(part.tensor, tensor) for part, tensor in pairs)
    if all(part.tensor == output for (part, _), output in zip(pairs, outputs, strict=True)):
        return desc
    field = desc.outputs[0].field
    return desc.replace({field.name: outputs if field.many else outputs[0]})


def _has(node: Node, at: int) -> bool:
    return at < len(node.inputs) and node.inputs[at].name != ""


def _integers(node: Node, at: int, name: str, default: Sequence[int] = ()) -> list[int]:
    if not _has(node, at):
        return list(node.attributes.get(name, default))
    array = node.inputs[at].value
    if array is None or array.dtype.kind not in "iu":
        raise Unknown(f"its {name} are computed by the model, expected constant ones")
    return [int(x) for x in array.reshape(-1)]


def _axis(node: Node, default: int, data: TensorDesc) -> int:
    axis = int(node.attributes.get("axis", default))
    rank = data.dimension_count
    return axis % rank if -rank <= axis < rank else axis


def _desc(tensor: Tensor) -> TensorDesc:
    kind = DataType.__members__.get(KINDS.get(tensor.type[0], ""))
    sizes = tensor.sizes
    if kind is None or sizes is None:
        expected = "a DataType of DirectML" if kind is None else "fixed sizes"
        why = tensor.odd or f"is {type_text(tensor.type)}, expected {expected}"
        raise Unknown(f"{quote(tensor.name, 40)} {why}")
    return TensorDesc(kind, sizes)


def _declared(made: TensorDesc, tensor: Tensor) -> TensorDesc:
    """An output as the model declares it, which rules hold against the inputs. Raises Unknown for another rank."""
    kind, dims = tensor.declared
    if dims is not None and (len(dims) != len(tensor.type[1] or dims) or len(dims) > made.dimension_count):
        raise Unknown(f"its output is declared as {type_text((kind, dims))}, expected {type_text(tensor.type)}")
    own = [None] * (made.dimension_count - len(dims or ())) + (dims or [])  # it may have got leading 1s
    sizes = [a if b is None else b for a, b in zip(made.sizes, own, strict=True)]
    return _desc(Tensor(tensor.name, (kind, [*sizes]))) if kind else made


def _concat(node: Node, data: TensorDesc) -> Desc:
    return Join(tuple(map(_desc, node.inputs)), _axis(node, 1, data))


def _split(node: Node, data: TensorDesc) -> Desc:
    axis = _axis(node, 0, data)
    count = len(node.outputs)
    if None in [each.sizes for each in node.outputs] and not (node.attributes.get("split") or _has(node, 1)):
        parts = f"{data.sizes[axis] if 0 <= axis < data.dimension_count else 'nothing'} into {count} parts"
        raise Unknown(f"it cuts {parts} of sizes that it doesn't say, expected a count that divides it")
    return Split(data, tuple(map(_desc, node.outputs)), axis)


def _tile(node: Node, data: TensorDesc) -> Desc:
    repeats = _integers(node, 1, "repeats")
    # DirectML has no tensor without dimensions.
    return Tile(data, repeats) if data.sizes or repeats else Tile.of_ranks(data, [1])


def _gather(node: Node, data: TensorDesc) -> Desc:
    axis = _axis(node, 0, data)
    desc = Gather.of_ranks(data, _desc(node.inputs[1]), axis)
    # Padding must not make a negative one an axis.
    if axis >= 0:
        return desc
    return Gather(desc.input_tensor, desc.indices_tensor, axis, desc.index_dimensions)


def _gather_elements(node: Node, data: TensorDesc) -> Desc:
    return GatherElements(data, _desc(node.inputs[1]), _axis(node, 0, data))


def _reverse(node: Node, data: TensorDesc) -> Desc:
    counted = _desc(node.inputs[1])
    lengths = node.inputs[1].value
    sizes = data.sizes
    batch = node.attributes.get("batch_axis", 1)
    time = node.attributes.get("time_axis", 0)
    if {batch, time} != {0, 1} or len(sizes) < 2 or counted.dimension_count != 1:
        raise Unknown(f"batch_axis is {batch} and time_axis {time}, expected 0 and 1, and lengths of 1 dimension")
    if lengths is not None and not all(0 <= length < 2**32 for length in lengths.reshape(-1).tolist()):
        raise Unknown("one of its lengths is below 0 or has more than 32 bits, expected none")
    # One length for each entry of the batch becomes one for each sequence; a rule tells where they are too few.
    cells = [*sizes[:time], 1, *sizes[time + 1 :]]
    cells[batch] = counted.sizes[0]
    return ReverseSubsequences(data, TensorDesc(DataType.UINT32, tuple(cells)), time)


def _slice(node: Node, data: TensorDesc) -> Desc:
    starts = _integers(node, 1, "starts")
    ends = _integers(node, 2, "ends")
    rank = data.dimension_count
    axes = _integers(node, 3, "axes", range(len(starts)))
    steps = _integers(node, 4, "steps", [1] * len(starts))
    cuts = [slice(None)] * rank
    if len({len(starts), len(ends), len(axes), len(steps)}) > 1:
        raise Unknown("its starts, ends, axes and steps differ in number, expected as many of each")
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        if not -rank <= axis < rank or cuts[axis] != slice(None) or step == 0:
            raise Unknown(f"it cuts axis {axis} by steps of {step}, expected each of {-rank} to {rank - 1} once, not 0")
        cuts[axis] = slice(start, end, step)
    desc = Slice1.of_slices(data, cuts)
    if min(desc.input_window_sizes, default=0) < 1:
        raise Unknown("it takes nothing along an axis, expected at least 1 element: DirectML has none empty")
    return desc


_KINDS: Mapping[str, Callable[[Node, TensorDesc], Desc]] = {
    "Concat": _concat,
    "Split": _split,
    "Gather": _gather,
    "Tile": _tile,
    "ReverseSequence": _reverse,
    "GatherElements": _gather_elements,
    "Slice": _slice,
}
