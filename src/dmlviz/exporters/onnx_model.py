"""An ONNX model: one node for each experiment, or the few that it takes.

What one reads of another is an edge of the graph, with a Reshape where the sizes differ. An input of at most
`MOST_VALUES` elements has its values as default, so that the model runs with nothing given. ONNX pads no ranks: a
tensor has the leading 1s that the node wants, and no others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..desc.base import Part
from ..desc.values import Array, Stored, Values, element_of
from ..errors import DmlvizError, cut
from ..operators import gather, gather_elements, join, padding, reverse_subsequences, slice1, split, tile
from ..operators.scans import SCAN_LIMIT
from ..session.experiments import Experiment, Session
from ..stopping import checked
from .lib.chained import Group, groups, operator_name
from .lib.idioms import idiom
from .lib.writing import Export

ABOUT = "An ONNX model of one node for each experiment, or the nodes it takes, with its values as default inputs."
SUFFIX = ".onnx"
RUNS = True

OPSET, IR_VERSION = 18, 8
"""Read by every runtime of the last years; no later opset says more with these nodes."""
MOST_VALUES = 4096
MOST_GENERATED = 1 << 24
MOST_TEXT = 200
"""Elements of an input that the model itself holds; of fills in .npy files, in all; characters of a name."""
Sizes = tuple[int, ...]


def export(session: Session, stem: str) -> Export:
    """The session as one model. Raises DmlvizError where ONNX has no such operator, or isn't installed."""
    try:
        import onnx  # not everybody has it
    except ImportError:
        said = "ONNX models need onnx: `.venv/bin/pip install '.[onnx]'` in dmlviz's folder installs it."
        raise DmlvizError(said) from None
    model, told = _Model(onnx, stem), []
    every = groups(session)
    for group in checked(every):
        for number, one in group:
            model.add(number, one, group)
        names = " > ".join(group.names.values())
        told.append(f"chain_{group.number}: {names}" if group.is_chain else f"{names} alone")
    if any(group.is_chain for group in every):
        model.graph.doc_string = "; ".join(told)
    opsets = [onnx.helper.make_opsetid("", OPSET)]
    about = {"producer_name": "dmlviz", "doc_string": _shown(session.title)}
    made = onnx.helper.make_model(model.graph, opset_imports=opsets, ir_version=IR_VERSION, **about)
    return Export(made.SerializeToString(deterministic=True), model.files)


class _Model:
    def __init__(self, onnx: Any, stem: str) -> None:
        self._onnx, self._stem = onnx, stem
        self.graph = onnx.GraphProto(name="dmlviz")
        self.files: dict[str, Array] = {}
        self._made: dict[tuple[int, int], tuple[str, Sizes]] = {}
        """What is read again: by experiment's id and output, its name and its sizes in the graph."""
        self._generated = 0

    def add(self, number: int, one: Experiment, group: Group) -> None:
        """Adds the nodes of an experiment; every name begins with operator and number. Raises DmlvizError for none."""
        self._experiment = one
        self._group = group
        self.values = one.sources()
        self._prefix = operator_name(one.desc, number)
        idiom(self, "ONNX", one)(one.desc)

    def prefixed(self, path: str) -> str:
        return f"{self._prefix}_{path.replace('[', '_').removesuffix(']')}"

    def source(self, number: int) -> tuple[Experiment, int] | None:
        return self._group.source(self._experiment, self._experiment.desc.inputs[number])

    def input(self, number: int, sizes: Sizes | None = None, array: Array | None = None) -> str:
        """Adds a graph input for an input of the desc and gives its name; of one that a wire fills, that output's."""
        part = self._experiment.desc.inputs[number]
        values = self.values[number]
        shape = part.tensor.sizes if sizes is None else sizes
        name = self.prefixed(part.path)
        if (led := self.source(number)) is not None:
            read, made = self._made[id(led[0]), led[1]]
            if made == shape:
                return read
            wanted = self.constant(f"{part.path}_sizes", np.array(shape, np.int64))
            return self.step("Reshape", [read, wanted], name)
        count = math.prod(shape)
        remark = "it has to be given"
        is_made = array is None and not isinstance(values, Stored)
        self._generated += count if is_made and count > MOST_VALUES else 0
        if count <= MOST_VALUES:
            self.constant(part.path, (values.array() if array is None else array).reshape(shape))
            remark = "the session's values are its default"
        elif not is_made or self._generated <= MOST_GENERATED:
            file = f"{self._stem}_{name}.npy"
            self.files[file] = (values.array() if array is None else array).reshape(shape)
            remark = "the session's values lie in an .npy file of its name beside the model"
        self.graph.input.append(self._value_info(part, shape, f"; {remark}"))
        return name

    def output(self, number: int, sizes: Sizes | None = None) -> str:
        """Adds a graph output and gives its name; what others read stays inside, and what none reads beside it."""
        part = self._experiment.desc.outputs[number]
        name = self.prefixed(part.path)
        shape = part.tensor.sizes if sizes is None else sizes
        self._made[id(self._experiment), number] = name, shape
        is_end = any(end is self._experiment for _, end in self._group.ends)
        told = self.graph.output if is_end else self.graph.value_info
        told.append(self._value_info(part, shape, ""))
        return name

    def constant(self, name: str, array: Array) -> str:
        called = self.prefixed(name)
        held = np.ascontiguousarray(array).reshape(array.shape)
        self.graph.initializer.append(self._onnx.numpy_helper.from_array(held, called))
        return called

    def node(self, kind: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: object) -> None:
        about = {**attributes, "name": self._prefix, "doc_string": _shown(self._experiment.name)}
        self.graph.node.append(self._onnx.helper.make_node(kind, inputs, outputs, **about))

    def step(self, kind: str, inputs: Sequence[str], out: str, **attributes: object) -> str:
        about = {**attributes, "name": f"{out}_{kind}"}
        self.graph.node.append(self._onnx.helper.make_node(kind, inputs, [out], **about))
        return out

    def _value_info(self, part: Part, sizes: Sizes, remark: str) -> Any:
        helper = self._onnx.helper
        about = f"{part.path}, {part.tensor} in DirectML{remark}."
        element = helper.np_dtype_to_tensor_dtype(part.tensor.data_type.dtype)
        return helper.make_tensor_value_info(self.prefixed(part.path), element, sizes, doc_string=about)

    def say_join(self, desc: join.Join) -> None:
        names = [self.input(k) for k in range(len(desc.input_tensors))]
        self.node("Concat", names, [self.output(0)], axis=desc.axis)

    def say_split(self, desc: split.Split) -> None:
        sizes = np.array([tensor.sizes[desc.axis] for tensor in desc.output_tensors], np.int64)
        names = [self.input(0), self.constant("sizes", sizes)]
        self.node("Split", names, [self.output(k) for k in range(len(sizes))], axis=desc.axis)

    def say_tile(self, desc: tile.Tile) -> None:
        repeats = self.constant("Repeats", np.array(desc.repeats, np.int64))
        self.node("Tile", [self.input(0), repeats], [self.output(0)])

    def say_slice1(self, desc: slice1.Slice1) -> None:
        """ONNX's ends are NumPy's stops, but for none at all: walked back to the first of n, one is below -n."""
        slices = list(zip(desc.slices, desc.input_tensor.sizes, strict=True))
        numbers = {
            "starts": [cut.start for cut, _ in slices],
            "ends": [-n - 1 if cut.stop is None else cut.stop for cut, n in slices],
            "axes": range(len(slices)),
            "steps": [cut.step for cut, _ in slices],
        }
        names = [self.constant(name, np.array(entries, np.int64)) for name, entries in numbers.items()]
        self.node("Slice", [self.input(0), *names], [self.output(0)])

    def say_gather(self, desc: gather.Gather) -> None:
        """DirectML drops leading 1s of the result, one for each index dimension but the first; ONNX none, so the data
        comes without them. A scalar index gives a result without DirectML's leading 1."""
        drop = max(desc.drop, 0)
        data = self.input(0, desc.input_tensor.sizes[drop:])
        indices = self._indices(desc, self.input(1, desc.index_sizes))
        sizes = desc.full_sizes()[drop:]
        self.node("Gather", [data, indices], [self.output(0, sizes)], axis=desc.axis - drop)

    def say_gather_elements(self, desc: gather_elements.GatherElements) -> None:
        names = [self.input(0), self._indices(desc, self.input(1))]
        self.node("GatherElements", names, [self.output(0)], axis=desc.axis)

    def _indices(self, desc: gather.Gather | gather_elements.GatherElements, name: str) -> str:
        """The indices `name` as ONNX takes them: clamped where they have to be, and of a type with a sign."""
        kind = desc.indices_tensor.data_type
        n = desc.input_tensor.sizes[desc.axis]
        lowest, highest = kind.integer_range
        low = max(lowest, -n) if kind.is_signed else None
        name = self._clamped(name, self.values[1], "indices", low, min(highest, n - 1))
        return name if kind.is_signed else self._as_int64(name, "indices")

    def say_padding(self, desc: padding.Padding) -> None:
        """Pad has no mode with the edge mirrored, and runtimes mirror no more than there is: Gather does it there."""
        axes = desc.axes
        data = self.input(0)
        kind = desc.input_tensor.data_type
        large = any(max(axis.start, axis.end) >= axis.size for axis in axes)
        if desc.mode == padding.SYMMETRIC or (desc.mode == padding.REFLECTION and large):
            padded = [d for d, axis in enumerate(axes) if axis.is_padded] or [0]
            for d in padded:
                places = np.arange(-axes[d].start, axes[d].size + axes[d].end, dtype=np.int64)
                picked = self.constant(f"source_{d}", axes[d].folded(desc.mode, places))
                if d == padded[-1]:
                    self.node("Gather", [data, picked], [self.output(0)], axis=d)
                else:
                    data = self.step("Gather", [data, picked], self.prefixed(f"padded_{d}"), axis=d)
            return
        names = [data, self.constant("pads", np.array([*desc.start_padding, *desc.end_padding], np.int64))]
        if desc.mode == padding.CONSTANT:
            names.append(self.constant("PaddingValue", np.array(element_of(desc.value, kind))))
        self.node("Pad", names, [self.output(0)], mode=padding.NUMPY_MODES[desc.mode])

    def say_reverse_subsequences(self, desc: reverse_subsequences.ReverseSubsequences) -> None:
        """ReverseSequence has its sequences along axis 0 or 1 and one length for each entry of the other of the two."""
        sizes = desc.input_tensor.sizes
        axis = desc.axis
        n = sizes[axis]
        outer = math.prod(sizes[:axis])
        inner = math.prod(sizes[axis + 1 :])
        one_node = self._one_node(desc)
        if one_node is not None:
            shape, time, own = one_node
            data = self.input(0, shape)
            lengths = self._int64_lengths(self.input(1, (shape[1 - time],), own), n)
            self.node("ReverseSequence", [data, lengths], [self.output(0, shape)], batch_axis=1 - time, time_axis=time)
            return
        # A row for each sequence, or a column: the axes apart from Axis become one.
        data = self.input(0)
        batch = outer * inner
        lengths = self.input(1)
        across = outer > 1 and inner > 1
        if across:
            order = (axis, *(d for d in range(len(sizes)) if d != axis))
            data = self.step("Transpose", [data], self.prefixed("turned"), perm=order)
        time = 1 if inner == 1 else 0
        shape = (batch, n) if time else (n, batch)
        flat = self.constant("flat_sizes", np.array(shape, np.int64))
        data = self.step("Reshape", [data, flat], self.prefixed("flat"))
        count = self.constant("lengths_sizes", np.array([batch], np.int64))
        lengths = self.step("Reshape", [lengths, count], self.prefixed("flat_lengths"))
        lengths = self._int64_lengths(lengths, n)
        result = self.prefixed("reversed")
        self.node("ReverseSequence", [data, lengths], [result], batch_axis=1 - time, time_axis=time)
        whole = tuple(sizes[d] for d in order) if across else sizes
        back = self.constant("sizes", np.array(whole, np.int64))
        out = self.output(0)
        result = self.step("Reshape", [result, back], self.prefixed("unflat") if across else out)
        if across:
            self.step("Transpose", [result], out, perm=tuple(int(d) for d in np.argsort(order)))

    def _one_node(self, desc: reverse_subsequences.ReverseSubsequences) -> tuple[Sizes, int, Array | None] | None:
        """Sizes, axis and lengths (None for the desc's own) for one ReverseSequence without nodes around it."""
        sizes = desc.input_tensor.sizes
        axis = desc.axis
        lengths = self.values[1]
        if len(sizes) == 1:
            return (1, *sizes), 1, None
        cells = desc.sequence_lengths_tensor.sizes
        for batch, first, time in ((axis - 1, axis - 1, 1), (axis + 1, axis, 0)):
            if not 0 <= batch < len(sizes) or math.prod(sizes[:first]) != 1:
                continue
            if math.prod(cells) == cells[batch]:
                return sizes[first:], time, None
            if self.source(1) is None and lengths.tensor.element_count <= SCAN_LIMIT:
                rows = np.moveaxis(lengths.array(), batch, 0).reshape(cells[batch], -1)
                if (rows == rows[:, :1]).all():
                    return sizes[first:], time, rows[:, 0]
        return None

    def _int64_lengths(self, name: str, n: int) -> str:
        return self._as_int64(self._clamped(name, self.values[1], "lengths", None, n), "lengths")

    def _clamped(self, name: str, values: Values, what: str, low: int | None, high: int) -> str:
        """The tensor `name`, or a Clip of it where `values` leave the bounds, or are too many to be looked at."""
        kind = values.tensor.data_type.dtype
        if values.tensor.element_count <= SCAN_LIMIT:
            chunks = [chunk for _, chunk in values.chunks()]
            is_above = any((chunk > high).any() for chunk in chunks)
            is_below = low is not None and any((chunk < low).any() for chunk in chunks)
            if not is_above and not is_below:
                return name
        least = "" if low is None else self.constant(f"least_of_{what}", np.array(low, kind))
        most = self.constant(f"most_of_{what}", np.array(high, kind))
        return self.step("Clip", [name, least, most], self.prefixed(f"clamped_{what}"))

    def _as_int64(self, name: str, what: str) -> str:
        return self.step("Cast", [name], self.prefixed(f"{what}_as_INT64"), to=7)  # TensorProto.INT64


def _shown(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in cut(text, MOST_TEXT))
