"""An ONNX model: each Concat, Split, Gather, Tile, Pad, ReverseSequence, GatherElements, Slice of known shapes.

They stand in the main graph, in the bodies of If, Loop and Scan, and in functions, once for each call. What the model
declares of an output is held against what its inputs make. A node that can't be read is said to be unchecked.

Ranks are padded as DirectML wants them. n is the largest rank of a node's tensors, Axis moves by what is padded, and
IndexDimensions is the rank of the indices. Small values that the model holds come along. Files that it refers to are
never read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from msgspec.structs import replace

from ...desc.base import Desc
from ...desc.tensors import DataType, TensorDesc, braces
from ...desc.values import Array
from ...errors import plain, quote
from ...formats.json_places import NO_LINE, Places
from ...formats.json_places import Place as FilePlace
from ...formats.onnx_library import onnx_library
from ...operators.gather import Gather
from ...operators.gather_elements import GatherElements
from ...operators.join import Join
from ...operators.padding import NUMPY_MODES, padding_of
from ...operators.reverse_subsequences import ReverseSubsequences
from ...operators.slice1 import Slice1
from ...operators.split import Split
from ...operators.tile import Tile
from ...session.experiments import Experiment
from ...stopping import checked
from ..lib.imported import Imported, ImportFailedError, NothingHereError, NotReadError, Remark, listed
from .bodies import Bodies, Place
from .dims import free_dims, set_dims
from .graph import RESHAPING, TYPES, Graph, Sizes, type_name
from .nodes import Unknown, all_nodes, has, is_standard, number, numbers, real, text
from .shapes import Dims
from .wire import trouble
from .wires import Piece, chained

TITLE = "an ONNX model"
ORDER = 10

MOST_DATA = 4096
"""Elements of data that come along; data may be filled, while indices and lengths are what they are."""
MOST_VALUES = 1 << 22
"""Elements that come along with all the nodes; one tensor may be given to many."""
MOST_EXPERIMENTS = 1000
MOST_PARTS = 1024
"""Tensors of one node."""
MOST_NAME = 200
MOST_HELP = 8
"""Free dimensions that a sentence gives sizes for."""
_SHAPES, _COMPUTED = "a shape isn't known", "it is computed by the model"
_HELPED = frozenset({_SHAPES, _COMPUTED})
"""Reasons that sizes for free dimensions may do away with."""
_FIRST = frozenset(bytes([tag]) for tag in b"\x12\x1a\x22\x28\x32\x3a\x42")
"""What may follow the version of the format: the other fields of a model."""
_STEPS = 8
_STEERING = frozenset({DataType.INT64, DataType.INT32, DataType.UINT64, DataType.UINT32})
_UNSIGNED = frozenset({DataType.UINT64, DataType.UINT32})
Bounds = Callable[[DataType], tuple[int | None, int]]


class _Finding(NamedTuple):
    """What a node becomes: the desc, the values of some of its inputs by path, and what else is to be said."""

    desc: Desc
    values: Mapping[str, Array | None]
    remark: str = ""
    steering: tuple[Graph, str] | None = None
    """The tensor that indices or lengths are read from."""


def knows(data: bytes, name: str) -> bool:
    """True for a file that is called so, and for what begins as a model does: with the version of its format."""
    return name.lower().endswith(".onnx") or (data[:1] == b"\x08" and data[1:2] < b"\x40" and data[2:3] in _FIRST)


def read(data: bytes, name: str, folder: Path | None) -> Imported:
    """The model's nodes as experiments. Raises ImportFailedError where there is none, or onnx isn't installed."""
    return read_with(data, name, folder, {})


def read_with(data: bytes, name: str, folder: Path | None, dims: Mapping[str, int]) -> Imported:
    """As `read`, with sizes for free dimensions, by name or as `INPUT:AXIS`.

    Raises ImportFailedError for one that the model hasn't got too.
    """
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
    except Exception:  # protobuf's own errors
        raise ImportFailedError(f"{name} is damaged, expected an ONNX model.") from None
    try:
        set_dims(model, dims, name)
        bodies = Bodies(model, onnx)
        reader = _Reader(model.producer_name == "dmlviz")
        for place in checked(bodies.places()):
            reader.read(place)
        reader.wire()
        for function in bodies.idle_functions():
            reader.remarks.append(Remark(f"function {plain(function, 40)}", False, "no node calls it."))
        reader.read_training(model)
        free = free_dims(model)
    except UnicodeDecodeError:
        raise ImportFailedError(f"{name} is damaged, expected an ONNX model with names that are text.") from None
    sentence = reader.summary(free)
    if reader.experiments:
        first = [Remark(name, False, f"{sentence}.", unchecked=True)] if sentence else []
        return Imported(tuple(reader.experiments), (*first, *reader.remarks), reader.places)
    if sentence:
        raise NotReadError(f"{name}: {sentence}.")
    nothing = NothingHereError if model.graph.node else ImportFailedError
    raise nothing(f"{name} is a model without a node of {', '.join(_NODES)}, expected at least one.")


class _Unread(NamedTuple):
    """Nodes that could not be checked."""

    where: str
    text: str
    group: str
    kinds: Counter[str]


class _Reader:
    """What was made of the nodes so far."""

    def __init__(self, is_ours: bool) -> None:
        self.experiments: list[Experiment] = []
        self.remarks: list[Remark] = []
        self._is_ours = is_ours
        self._unread: list[_Unread] = []
        self._pieces: list[Piece] = []
        self._told: list[tuple[int, _Finding, Mapping[str, Array | None]]] = []
        """Of each experiment the number of its remark, and what that is made of."""
        self._kinds: Counter[str] = Counter()
        self._values_left = MOST_VALUES

    def read(self, place: Place) -> None:
        """Makes an experiment of a node, or a remark why not."""
        node = place.node
        make = _NODES.get(node.op_type) if is_standard(node) else None
        try:
            if place.lost is not None or make is None:
                self._remark_other(place)
                return
            if len(self.experiments) == MOST_EXPERIMENTS:
                raise Unknown(f"the {MOST_EXPERIMENTS:,} nodes before it are enough")
            _require_form(node)
            finding = make(place.graph, node)
        except Unknown as error:
            self._remark_unchecked(place.label, str(error), error.group, Counter([node.op_type]))
        except UnicodeDecodeError:
            self._remark_unchecked(place.label, "a name in it is no text", "", Counter([node.op_type]))
        else:
            self._take(place, finding)

    def read_training(self, model: Any) -> None:
        """Says what of a model's training isn't looked into."""
        for i, training in enumerate(model.training_info):
            nodes = all_nodes([*training.initialization.node, *training.algorithm.node])
            kinds = Counter(node.op_type for node in nodes if node.op_type in _NODES and is_standard(node))
            remark = "what is for training alone is not looked into"
            if kinds:
                self._remark_unchecked(f"training_info[{i}]", remark, "", kinds)
            else:
                self.remarks.append(Remark(f"training_info[{i}]", False, f"{remark}."))

    def _take(self, place: Place, finding: _Finding) -> None:
        """Adds the experiment of a node, with a remark."""
        node = place.node
        self._kinds[node.op_type] += 1
        values = {path: self._afforded(array) for path, array in finding.values.items()}
        lists = {path: listed(array) for path, array in values.items() if array is not None}
        called = node.doc_string if self._is_ours else node.name
        if not isinstance(called, str) or not called:  # protobuf gives what is no UTF-8 as bytes
            called = f"{node.op_type} {len(self.experiments) + 1}"
        self.experiments.append(Experiment(called[:MOST_NAME], finding.desc, values=lists))
        self._pieces.append(Piece(place.graph, node, finding.desc, finding.steering))
        self._told.append((len(self.remarks), finding, values))
        self.remarks.append(Remark(place.label, True, _sentence(finding, values), experiment=len(self.experiments) - 1))

    def wire(self) -> None:
        """Wires what reads an experiment's output to that, and says so of each in a chain."""
        found, told = chained(self.experiments, self._pieces, named=not self._is_ours)
        self.experiments = list(found)
        for i, (paths, more) in told.items():
            at, finding, values = self._told[i]
            left = {path: array for path, array in values.items() if path not in paths}
            sentence = _sentence(finding._replace(remark=finding.remark + more), left)
            self.remarks[at] = replace(self.remarks[at], text=sentence)

    def places(self) -> Places:
        """What the nodes and the tensors are called that the experiments' fields came of: a model has no lines."""
        found: dict[int, dict[str, FilePlace]] = {}
        for i, piece in enumerate(self._pieces):
            label = f"graph/{self.remarks[self._told[i][0]].where}"
            given = [*zip(piece.desc.inputs, piece.node.input, strict=False)]
            given += zip(piece.desc.outputs, piece.node.output, strict=False)
            found[i] = {part.path: replace(NO_LINE, name=f"{label}: {plain(name, 80)}") for part, name in given}
            found[i][""] = replace(NO_LINE, name=label)
        return found

    def _afforded(self, array: Array | None) -> Array | None:
        """The values, which are counted; None for more than are left for all nodes together."""
        if array is None or array.size > self._values_left:
            return None
        self._values_left -= array.size
        return array

    def _remark_other(self, place: Place) -> None:
        """Remarks on a node of another kind; ones of ours behind it that aren't looked into are unchecked."""
        lost = Counter({kind: count for kind, count in (place.lost or {}).items() if kind in _NODES})
        if lost:
            self._remark_unchecked(place.label, place.remark, "", lost)
        else:
            self.remarks.append(Remark(place.label, False, f"{place.remark or _why_left(place.node)}."))

    def _remark_unchecked(self, where: str, text: str, group: str, kinds: Counter[str]) -> None:
        """Remarks on nodes that could not be checked, and counts them by kind."""
        self._kinds += kinds
        self._unread.append(_Unread(where, text, group or text, kinds))
        self.remarks.append(Remark(where, False, f"{text}.", unchecked=True))

    def summary(self, free: Sequence[str]) -> str:
        """How many nodes were not checked, and the commonest reason; empty where there is none."""
        if not self._unread:
            return ""
        groups: Counter[str] = Counter()
        for remark in self._unread:
            groups[remark.group] += remark.kinds.total()
        group, count = groups.most_common(1)[0]
        first = next(remark for remark in self._unread if remark.group == group)
        bad, total = groups.total(), self._kinds.total()
        kinds = ", ".join(kind for kind in _NODES if self._kinds[kind])
        more = f" (and {count - 1:,} more like it)" if count > 1 else ""
        count_text = f"{bad:,} of {total:,} node{'s' * (total != 1)} of {kinds}"
        sentence = f"{count_text} not checked: {first.where}: {first.text}{more}"
        if not free or group not in _HELPED:
            return sentence
        given = " ".join(f"--dim {plain(dim, 60)}={_usual_size(dim)}" for dim in free[:MOST_HELP])
        more = f" and {len(free) - MOST_HELP:,} more" if len(free) > MOST_HELP else ""
        return f"{sentence}; `{given}`{more} would give the model's free dimensions their sizes"


def _usual_size(name: str) -> int:
    """A size that a sentence suggests for a free dimension: 1 for a batch, else 128."""
    return 1 if "batch" in name.lower() or name.lower() in ("n", "b") or name.endswith(":0") else 128


def _why_left(node: Any) -> str:
    """Why a node of another kind is left."""
    if not is_standard(node):
        return f"it is of {plain(node.domain, 40)}, not of ONNX's own operators"
    return "it is none of the operators here"


def _sentence(finding: _Finding, values: Mapping[str, Array | None]) -> str:
    """What a node became, and which values were left."""
    kind = finding.desc.TYPE.removeprefix("DML_OPERATOR_")
    tensors = finding.desc.inputs
    sentence = f"it became {kind} of {tensors[0].tensor}" + (
        f" and {len(tensors) - 1} more" if len(tensors) > 1 else ""
    )
    sentence += finding.remark
    left = [path for path, array in values.items() if array is None]
    return f"{sentence}; filled by default: {', '.join(left[:8])}{' …' * (len(left) > 8)}." if left else f"{sentence}."


# ---- nodes ------------------------------------------------------------------------------------------------------


def _require_form(node: Any) -> None:
    """Raises Unknown for more inputs, outputs or attributes than nodes of that kind have."""
    inputs, outputs, names = _FORMS[node.op_type]
    if len(node.input) > inputs:
        raise Unknown(f"it has {len(node.input):,} inputs, expected at most {inputs:,}")
    if len(node.output) > outputs:
        raise Unknown(f"it has {len(node.output):,} outputs, expected at most {outputs:,}")
    seen: set[str] = set()
    for attribute in node.attribute:
        if attribute.name not in names:
            raise Unknown(
                f"it has the attribute {quote(attribute.name, 40)}, expected {' and '.join(names) or 'none'} alone"
            )
        if attribute.name in seen:
            raise Unknown(f"it has the attribute {quote(attribute.name, 40)} twice, expected once")
        seen.add(attribute.name)


def _input_tensor(graph: Graph, node: Any, at: int) -> TensorDesc:
    """Input `at` of a node. Raises Unknown."""
    name = _input_name(node, at)
    return TensorDesc(graph.data_type(name), graph.sizes(name))


def _input_name(node: Any, at: int) -> str:
    """The tensor that is input `at` of a node. Raises Unknown for none."""
    name: str = node.input[at] if at < len(node.input) else ""
    if not name:
        raise Unknown(f"it has no input {at + 1}")
    return name


def _known_values(graph: Graph, name: str, sizes: Sizes) -> Array | None:
    """The values of a tensor in the form `sizes`; None where they are unknown, or too many."""
    return _fitting(graph.value(name, MOST_DATA), graph.data_type(name), sizes)


def _fitting(array: Array | None, kind: DataType, sizes: Sizes) -> Array | None:
    """The values of a tensor; None where they aren't such as its type and sizes say."""
    if array is None or not array.size or array.dtype != kind.dtype or array.size != np.prod(sizes, dtype=object):
        return None
    return array.reshape(sizes)


def _declared(
    graph: Graph, node: Any, at: int, kind: DataType, want: Sizes | None, rank: int | None = None
) -> TensorDesc | None:
    """Output `at` as the model declares it; None where that is what follows from the inputs: `want`, of `kind`.

    It gets leading 1s up to `rank`. Raises Unknown where it can't be held against them.
    """
    name = node.output[at] if at < len(node.output) else ""
    if not name or want is None:
        return None
    for element_type, dims in graph.declared(name):
        if element_type and element_type not in TYPES:
            raise Unknown(f"its output is declared as {type_name(element_type)}, expected {kind}")
        declared = DataType[TYPES[element_type]] if element_type else kind
        sizes = want if dims is None else _completed(dims, want)
        if sizes is None:
            raise Unknown(f"its output is declared with {len(dims or ())} dimensions, expected {len(want)}")
        if (declared, sizes) == (kind, want):
            continue
        padded = (1,) * ((rank or len(want)) - len(want)) + sizes if len(sizes) == len(want) else sizes
        if len(sizes) != len(want) and padded == (1,) * ((rank or len(want)) - len(want)) + want:
            raise Unknown(f"its output is declared with {len(sizes)} dimensions, expected {len(want)}")
        return TensorDesc(declared, padded)
    return None


def _completed(dims: Dims, want: Sizes) -> Sizes | None:
    """Declared sizes, with those of `want` for unknown ones; None where unknown ones are of another rank than that."""
    if len(dims) == len(want):
        return tuple(a if a is not None else b for a, b in zip(dims, want, strict=True))
    return None if None in dims else tuple(size for size in dims if size is not None)


def _declared_dims(graph: Graph, node: Any, at: int) -> Dims | None:
    """The sizes that the model declares of output `at`; None for none."""
    name = node.output[at] if at < len(node.output) else ""
    return next((dims for _, dims in graph.declared(name) if dims is not None), None) if name else None


def _axis(node: Any, default: int, rank: int) -> tuple[int, bool]:
    """The axis from 0, and True; or what the node says and False where the tensor hasn't got it, which a rule tells."""
    axis = number(node, "axis", default)
    is_there = -rank <= axis < rank
    return axis % rank if is_there else axis, is_there


def _concat(graph: Graph, node: Any) -> _Finding:
    if not node.input:
        raise Unknown("it has no inputs, expected at least 1")
    if graph.opset > 3 and not has(node, "axis"):
        raise Unknown("it has no axis, expected one")
    # One tensor may stand for a thousand inputs.
    known = {
        name: _input_tensor(graph, node, at) for name, at in {name: at for at, name in enumerate(node.input)}.items()
    }
    tensors = [known[name] for name in node.input]
    axis, _ = _axis(node, 1, tensors[0].dimension_count)
    whole = Join(tuple(tensors), axis).output_tensor
    desc = Join(
        tuple(tensors),
        axis,
        _declared(graph, node, 0, tensors[0].data_type, whole.sizes if whole is not None else None),
    )
    values = {name: _known_values(graph, name, tensor.sizes) for name, tensor in known.items()}
    return _Finding(desc, {f"InputTensors[{i}]": values[name] for i, name in enumerate(node.input)})


def _split(graph: Graph, node: Any) -> _Finding:
    whole = _input_tensor(graph, node, 0)
    axis, is_there = _axis(node, 0, whole.dimension_count)
    values = {"InputTensor": _known_values(graph, node.input[0], whole.sizes)}
    if not is_there:
        return _Finding(Split(whole, (whole,) * len(node.output), axis), values)
    along = whole.sizes[axis]
    if (len(node.input) > 1 and node.input[1] != "") + has(node, "split") + has(node, "num_outputs") > 1:
        raise Unknown("its parts are given in two ways, expected one")
    given, remark = graph.split_sizes(node, along), ""
    if given is None:
        declared = [_declared_dims(graph, node, at) for at in range(len(node.output))]
        given = [dims[axis] or 0 for dims in declared if dims is not None and len(dims) == whole.dimension_count]
        if not given or len(given) < len(declared) or 0 in given:
            raise Unknown("its sizes are computed by the model, expected constant ones", _COMPUTED)
        remark = "; its parts are those that the model declares"
    if len(given) != len(node.output):
        raise Unknown(f"it has {len(node.output):,} outputs and sizes for {len(given):,}, expected as many")
    if len(given) > MOST_PARTS:
        raise Unknown(f"it has {len(given):,} parts, expected at most {MOST_PARTS:,}")
    parts = []
    for at, size in enumerate(given):
        sizes = (*whole.sizes[:axis], size, *whole.sizes[axis + 1 :])
        parts.append(_declared(graph, node, at, whole.data_type, sizes) or whole.resized(sizes))
    return _Finding(Split(whole, tuple(parts), axis), values, remark)


def _tile(graph: Graph, node: Any) -> _Finding:
    tensor = _input_tensor(graph, node, 0)
    if graph.opset < 6 or len(node.input) != 2:
        raise Unknown("it is a Tile of before opset 6 or has no repeats, expected a later one")
    repeats, remark = graph.whole_numbers(node.input[1]), ""
    if repeats is None:
        repeats, remark = _declared_repeats(graph, node, tensor.sizes), "; its repeats are those of its declared output"
    if len(repeats) != tensor.dimension_count:
        raise Unknown(
            f"its repeats are {plain(str(repeats[:8]))}, expected one for each of {tensor.dimension_count} dimensions"
        )
    # DirectML has no tensor without dimensions.
    desc = Tile.of_ranks(tensor, repeats or [1])
    want = tuple(size * repeat for size, repeat in zip(tensor.sizes, repeats, strict=True))
    declared = _declared(graph, node, 0, tensor.data_type, want, desc.input_tensor.dimension_count)
    if declared is not None:
        desc = Tile(desc.input_tensor, desc.repeats, declared)
    return _Finding(desc, {"InputTensor": _known_values(graph, node.input[0], desc.input_tensor.sizes)}, remark)


def _declared_repeats(graph: Graph, node: Any, sizes: Sizes) -> list[int]:
    """How often a Tile repeats each axis, by the output that the model declares. Raises Unknown."""
    dims = _declared_dims(graph, node, 0)
    if dims is None or None in dims:
        raise Unknown("its repeats are computed by the model, expected constant ones", _COMPUTED)
    out = [size for size in dims if size is not None]
    if len(out) != len(sizes) or any(not b or a < b or a % b for a, b in zip(out, sizes, strict=True)):
        raise Unknown(
            f"its repeats are computed by the model, and its declared output {plain(braces(out))} is no multiple of "
            f"{braces(sizes)}"
        )
    return [a // b for a, b in zip(out, sizes, strict=True)]


def _pad(graph: Graph, node: Any) -> _Finding:
    tensor = _input_tensor(graph, node, 0)
    rank, modes = tensor.dimension_count, {name: mode for mode, name in NUMPY_MODES.items() if name != "symmetric"}
    mode = text(node, "mode", "constant")
    if mode not in modes:
        why = "no page says what DirectML makes of others"
        raise Unknown(f"its mode is {quote(mode, 40)}, expected one of {', '.join(modes)}: {why}")
    given = [*node.input[1:4], "", "", ""]
    pads = numbers(node, "pads") if graph.opset < 11 else graph.whole_numbers(_input_name(node, 1))
    axes = list(range(rank)) if not given[2] else graph.whole_numbers(given[2])
    value: Array | None = np.array(real(node, "value", 0.0))
    if graph.opset >= 11 and given[1]:
        value = graph.value(given[1], 1)
    if pads is None or axes is None or value is None or value.size != 1:
        raise Unknown("its pads, axes or constant are computed by the model, expected constant ones", _COMPUTED)
    if len(pads) != 2 * len(axes) or not all(-rank <= axis < rank for axis in axes):
        raise Unknown(f"it has {len(pads)} pads for {len(axes)} of {rank} axes, expected two for each")
    if min(pads, default=0) < 0:
        raise Unknown(f"it pads by {min(pads)}, expected at least 0: that cuts, which is SLICE1")
    if rank == 0:
        raise Unknown("its data have no dimensions, expected at least 1")
    start, end = [0] * rank, [0] * rank
    for k, axis in enumerate(axes):
        start[axis], end[axis] = pads[k], pads[len(axes) + k]
    want = tuple(map(sum, zip(start, tensor.sizes, end, strict=True)))
    declared = _declared(graph, node, 0, tensor.data_type, want)
    constant = value.reshape(-1)[0].item()
    desc = padding_of(tensor, modes[mode], constant, start, end, declared)
    if desc is None:
        raise Unknown(f"its constant is {constant!r}, expected one that a FLOAT holds, as PaddingValue is")
    return _Finding(desc, {"InputTensor": _known_values(graph, node.input[0], tensor.sizes)})


def _gather(graph: Graph, node: Any) -> _Finding:
    data = _input_tensor(graph, node, 0)
    axis, is_there = _axis(node, 0, data.dimension_count)
    sizes = graph.sizes(_input_name(node, 1))
    kind, picks, at = _indices(graph, node, data.sizes[axis] if is_there else 0)
    desc = Gather.of_ranks(data, TensorDesc(kind, sizes), axis)
    if not is_there and axis < 0:  # padding must not make it an axis
        desc = Gather(desc.input_tensor, desc.indices_tensor, axis, desc.index_dimensions)
    rank = desc.input_tensor.dimension_count
    want = (*data.sizes[:axis], *sizes, *data.sizes[axis + 1 :]) if is_there else None
    declared = _declared(graph, node, 0, data.data_type, want, rank)
    if declared is not None:
        desc = Gather(
            input_tensor=desc.input_tensor,
            indices_tensor=desc.indices_tensor,
            axis=desc.axis,
            index_dimensions=desc.index_dimensions,
            output_tensor=declared,
        )
    return _Finding(
        desc,
        {
            "InputTensor": _known_values(graph, node.input[0], desc.input_tensor.sizes),
            "IndicesTensor": _fitting(picks, kind, desc.indices_tensor.sizes),
        },
        steering=at,
    )


def _indices(graph: Graph, node: Any, n: int) -> tuple[DataType, Array | None, tuple[Graph, str]]:
    """The DataType, the values and the tensor of indices into an axis of size `n`. Raises Unknown."""

    def bounds(kind: DataType) -> tuple[int | None, int]:
        """The bounds that DirectML clamps indices of a type to; None for no lower one."""
        low, high = kind.integer_range
        return (max(low, -n) if kind.is_signed else None), min(high, n - 1)

    kind, picks, at = _steering(graph, node.input[1], bounds)
    if kind not in _STEERING:
        raise Unknown(f"its indices are {kind}, expected one of {', '.join(sorted(map(str, _STEERING)))}")
    return kind, picks, at


def _gather_elements(graph: Graph, node: Any) -> _Finding:
    data = _input_tensor(graph, node, 0)
    axis, is_there = _axis(node, 0, data.dimension_count)
    sizes = graph.sizes(_input_name(node, 1))
    kind, picks, at = _indices(graph, node, data.sizes[axis] if is_there else 0)
    declared = _declared(graph, node, 0, data.data_type, sizes)
    desc = GatherElements(data, TensorDesc(kind, sizes), axis, declared)
    values = {
        "InputTensor": _known_values(graph, node.input[0], data.sizes),
        "IndicesTensor": _fitting(picks, kind, sizes),
    }
    return _Finding(desc, values, steering=at)


def _reverse(graph: Graph, node: Any) -> _Finding:
    data = _input_tensor(graph, node, 0)
    sizes, (batch, time) = data.sizes, (number(node, "batch_axis", 1), number(node, "time_axis", 0))
    outside = [axis for axis in (time, batch) if not 0 <= axis < len(sizes)]
    if outside:  # there are no sequences that lengths could be of
        counts = TensorDesc(DataType.UINT32, graph.sizes(_input_name(node, 1)))
        remark = f"; batch_axis is {batch} and time_axis {time} of {len(sizes)} dimensions"
        return _Finding(ReverseSubsequences(data, counts, outside[0]), {"InputTensor": None}, remark)
    if {batch, time} != {0, 1}:
        raise Unknown(
            f"batch_axis is {batch} and time_axis {time} of {len(sizes)} dimensions, expected 0 and 1 or 1 and 0"
        )
    n = sizes[time]
    kind, lengths, at = _steering(graph, _input_name(node, 1), lambda kind: (None, n))
    if kind.is_float:
        raise Unknown(f"its lengths are {kind}, expected INT64")
    if lengths is not None and lengths.size and int(lengths.min()) < 0:
        raise Unknown(f"one of its lengths is {int(lengths.min())}, expected none below 0")
    own = kind
    if kind not in _UNSIGNED:
        kind = DataType.UINT32 if lengths is None or int(lengths.max(initial=0)) < 2**32 else DataType.UINT64
    along = [1] * len(sizes)
    along[batch] = sizes[batch]
    counted = graph.sizes(node.input[1])
    cells = (*sizes[:time], 1, *sizes[time + 1 :])
    flat = _fitting(lengths, own, tuple(along))
    # One length for each entry of the batch becomes one for each sequence.
    spread = np.broadcast_to(flat.astype(kind.dtype), cells) if flat is not None else None
    if spread is not None and spread.size > MOST_DATA:
        spread = None
    if len(counted) != 1:
        raise Unknown(f"its lengths have {len(counted)} dimensions, expected 1")
    if counted[0] != sizes[batch]:  # which a rule tells
        cells, spread = (*cells[:batch], counted[0], *cells[batch + 1 :]), None
    desc = ReverseSubsequences(data, TensorDesc(kind, cells), time, _declared(graph, node, 0, data.data_type, sizes))
    values = {"InputTensor": _known_values(graph, node.input[0], sizes), "SequenceLengthsTensor": spread}
    return _Finding(desc, values, steering=at)


def _slice(graph: Graph, node: Any) -> _Finding:
    """Starts, ends, axes and steps, which older models have as attributes."""
    data = _input_tensor(graph, node, 0)
    rank, lists = data.dimension_count, []
    for at, name in enumerate(("starts", "ends", "axes", "steps"), 1):
        tensor = node.input[at] if at < len(node.input) else ""
        entries = graph.whole_numbers(tensor) if tensor else numbers(node, name)
        if entries is None and (tensor or at < 3):
            raise Unknown(f"its {name} are computed by the model, or not there", _COMPUTED)
        lists.append(entries)
    starts, ends = lists[0] or [], lists[1] or []
    axes, steps = lists[2] or [*range(len(starts))], lists[3] or [1] * len(starts)
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
    declared = _declared(graph, node, 0, data.data_type, tuple(desc.most()))
    if declared is not None:
        desc = desc.replace({"OutputTensor": declared})
    return _Finding(desc, {"InputTensor": _known_values(graph, node.input[0], data.sizes)})


_NODES: Mapping[str, Callable[[Graph, Any], _Finding]] = MappingProxyType(
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


_FORMS: Mapping[str, tuple[int, int, tuple[str, ...]]] = MappingProxyType(
    {
        "Concat": (MOST_PARTS, 1, ("axis",)),
        "Split": (2, MOST_PARTS, ("axis", "split", "num_outputs")),
        "Gather": (2, 1, ("axis",)),
        "Pad": (4, 1, ("mode", "pads", "value")),
        "GatherElements": (2, 1, ("axis",)),
        "Tile": (2, 1, ()),
        "ReverseSequence": (2, 1, ("batch_axis", "time_axis")),
        "Slice": (5, 1, ("starts", "ends", "axes")),
    }
)
"""Inputs and outputs that there may be, and attributes."""


def _steering(graph: Graph, name: str, bounds: Bounds) -> tuple[DataType, Array | None, tuple[Graph, str]]:
    """The DataType and the values of indices or lengths, and the tensor that they are read from.

    A cast that changes no value is passed over, and so is a Clip that clamps just as DirectML does by itself. What
    stands before it is taken instead of `name`: DirectML has types for it that the node lacks.
    """
    kind, at = graph.data_type(name), name
    for _ in range(_STEPS):
        source = graph.maker(at)
        if source is None or not source[1].input or not source[1].input[0]:
            break
        home, node = source
        before = node.input[0]
        if node.op_type not in RESHAPING | {"Cast", "Clip"}:
            break
        if node.op_type in ("Cast", "Clip") and home.data_type(before).is_float:
            break
        if node.op_type == "Cast" and not _cast_keeps(home, before, number(node, "to", 0), bounds):
            break
        if node.op_type == "Clip" and home.clip_bounds(node) != bounds(home.data_type(before)):
            break
        graph, at, kind = home, before, home.data_type(before)
    array = graph.value(at)
    return kind, array if array is not None and array.dtype == kind.dtype else None, (graph, at)


def _cast_keeps(graph: Graph, name: str, to: int, bounds: Bounds) -> bool:
    """True if a cast of `name` to a TensorProto type changes none of its values."""
    kind = graph.data_type(name)
    if to != 7:  # INT64
        return False
    if kind is not DataType.UINT64:
        return kind in _STEERING
    source, array = graph.maker(name), graph.value(name)
    clamped = source is not None and source[1].op_type == "Clip" and source[0].clip_bounds(source[1]) == bounds(kind)
    return clamped or (array is not None and int(array.max(initial=0)) < 2**63)
