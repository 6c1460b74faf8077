"""Target `torch`: a script in PyTorch, with NumPy for the inputs and for comparing bytes."""

from __future__ import annotations

from functools import cached_property, partial

import numpy as np

from ..desc.base import Part
from ..desc.fields import Role
from ..desc.tensors import DataType, TensorDesc
from ..desc.values import Stored
from ..operators import gather, gather_elements, join, padding, reverse_subsequences, slice1, split, tile
from .lib.idioms import along, arguments, idiom, slices_text
from .lib.python_text import number_text, tuple_text
from .lib.script import Body, script, variable
from .lib.script import snippet as script_snippet

ABOUT = "A script in PyTorch: inputs, the operation, the expected output, and an assert that compares them."
SUFFIX = ".py"
RUNS = True
_WITHOUT_OPERATIONS = (DataType.UINT16, DataType.UINT32, DataType.UINT64)


class _Body(Body):
    LIBRARY = "PyTorch"
    ABOUT = (
        "Each function makes the inputs in NumPy, does in PyTorch what the operator of DirectML does, and holds the "
        "result against the expected output, bit for bit."
    )
    IMPORTS = (("import numpy as np", "import torch"),)
    AS_ARRAY = ".numpy()"

    def operate(self) -> None:
        say = idiom(self, self.LIBRARY, self.experiment)
        parts = [part for part in self.inputs if part.field.role is Role.DATA]
        view = f".view(torch.{self._integers})" if self._integers else ""
        if parts[0].field.many and any(part.path in self.sources for part in parts):
            self.assign("data", "[", [f"{self._tensor(part)}{view}" for part in parts], "]")
        elif parts[0].field.many:
            self.assign("arrays", "[", [*map(variable, parts)], "]")
            self.put(f"data = [torch.from_numpy(array){view} for array in arrays]")
        else:
            self.put(f"data = {self._tensor(parts[0])}{view}")
        say(self.desc)

    def say_join(self, desc: join.Join) -> None:
        self.put(f"output_tensor = torch.cat(data, dim={desc.axis}){self._view_back()}")

    def say_split(self, desc: split.Split) -> None:
        sizes = [tensor.sizes[desc.axis] for tensor in desc.output_tensors]
        back = self._view_back()
        self.assign("output_tensors", "torch.split(", ["data", str(sizes), f"dim={desc.axis}"], ")")
        if back:
            self.put(f"output_tensors = [part{back} for part in output_tensors]")

    def say_tile(self, desc: tile.Tile) -> None:
        self.put(f"output_tensor = torch.tile(data, {tuple_text(desc.repeats)}){self._view_back()}")

    def say_padding(self, desc: padding.Padding) -> None:
        constant = self.trace.constant(0)
        back = self._view_back()
        if desc.mode == padding.CONSTANT:
            element = np.array(np.int64(0) if constant is None else constant)
            if back:
                element = element.view(f"i{element.itemsize}")
            sizes = tuple_text([axis.full for axis in desc.axes])
            inside = ", ".join(f"{axis.start}:{axis.start + axis.size}" for axis in desc.axes)
            self.put(
                f"output_tensor = torch.full({sizes}, {number_text(element.reshape(1)[0])}, dtype=data.dtype)",
                f"output_tensor[{inside}] = data",
            )
        else:
            for d, axis in enumerate(desc.axes):
                if axis.is_padded:
                    last = axis.size - 1
                    period = axis.period(desc.mode)
                    self.put(f"source = torch.arange({-axis.start}, {axis.size + axis.end})")
                    if desc.mode == padding.EDGE or last == 0:
                        self.put(f"source = source.clamp(0, {last})")
                    else:
                        folded = f"{period - (desc.mode == padding.SYMMETRIC)} - source"
                        self.put(f"source = source % {period}", f"source = torch.minimum(source, {folded})")
                    self.put(f"data = torch.index_select(data, {d}, source)")
            self.put("output_tensor = data")
        if back:
            self.put(f"output_tensor = output_tensor{back}")

    def say_slice1(self, desc: slice1.Slice1) -> None:
        turned = [axis for axis, stride in enumerate(desc.input_window_strides) if stride < 0]
        slices = desc.slices
        for axis in turned:
            start = desc.starts[axis]
            step = desc.input_window_strides[axis]
            last = start + step * (desc.outputs[0].tensor.sizes[axis] - 1)
            slices[axis] = slice(last, start + 1, -step)
        taken = f"data[{slices_text(desc.input_tensor.sizes, slices)}]"
        if turned:
            taken = f"torch.flip({taken}, {tuple_text(turned)})"
        self.put(f"output_tensor = {taken}{self._view_back()}")

    def say_reverse_subsequences(self, desc: reverse_subsequences.ReverseSubsequences) -> None:
        n = desc.input_tensor.sizes[desc.axis]
        lengths = desc.sequence_lengths_tensor
        counts = f"{self._tensor(self.inputs[1])}{_as_int64(lengths)}"
        if self.flagged()[0] and lengths.data_type is DataType.UINT64:
            self.put(f"lengths = {counts}")
            counts = f"torch.where(lengths < 0, {n}, lengths)"
        self.put(
            f"lengths = {counts}.clamp(max={n})",
            f"k = torch.arange({n}){along(desc)}",
            "source = torch.where(k < lengths, lengths - 1 - k, k)",
            f"output_tensor = torch.gather(data, {desc.axis}, source){self._view_back()}",
        )

    def say_gather(self, desc: gather.Gather) -> None:
        self._put_indices(desc, ".reshape(-1)")
        picked = f"torch.index_select(data, {desc.axis}, indices)"
        self.put(f"output_tensor = {picked}.reshape({arguments(desc.output_sizes())}){self._view_back()}")

    def say_gather_elements(self, desc: gather_elements.GatherElements) -> None:
        self._put_indices(desc, "")
        self.put(f"output_tensor = torch.gather(data, {desc.axis}, indices){self._view_back()}")

    def _put_indices(self, desc: gather.Gather | gather_elements.GatherElements, shaped: str) -> None:
        n = desc.input_tensor.sizes[desc.axis]
        kind = desc.indices_tensor.data_type
        clamped, negative = self.flagged()
        self.put(f"indices = {self._tensor(self.inputs[1])}{shaped}{_as_int64(desc.indices_tensor)}")
        if negative or (clamped and kind.is_signed):
            self.put(f"indices = torch.where(indices < 0, indices + {n}, indices)")
        if clamped and kind is DataType.UINT64:
            self.put(f"indices = torch.where(indices < 0, {n - 1}, indices)")
        if clamped:
            self.put(f"indices = indices.clamp(0, {n - 1})")

    def _tensor(self, part: Part) -> str:
        if part.path in self.sources:
            return variable(part)
        return f"torch.from_numpy({variable(part)})"

    def _view_back(self) -> str:
        if self._integers:
            return f".view(torch.{self.outputs[0].tensor.data_type.name.lower()})"
        return ""

    @cached_property
    def _integers(self) -> str:
        """The type as which bytes are moved that PyTorch has no operations for, or whose NaNs these might change."""
        kind = self.outputs[0].tensor.data_type
        if kind in _WITHOUT_OPERATIONS or self._signals:
            return f"int{8 * kind.item_size}"
        return ""

    @cached_property
    def _signals(self) -> bool:
        """True if data of the stage, or of one that it reads, holds a signalling NaN: one without the quiet bit."""
        arrays = [values.array() for values in self.values if isinstance(values, Stored)]
        for array in (array for array in arrays if array.dtype.kind == "f"):
            quiet = 1 << (np.finfo(array.dtype).nmant - 1)
            if (np.isnan(array) & (array.view(f"u{array.itemsize}") & quiet == 0)).any():
                return True
        return any(source._signals for source, _ in self.sources.values())


def _as_int64(tensor: TensorDesc) -> str:
    """The call that makes indices or lengths int64: by their bits where they have as many; empty for INT64."""
    calls = {DataType.INT64: "", DataType.UINT64: ".view(torch.int64)"}
    return calls.get(tensor.data_type, ".to(torch.int64)")


export = partial(script, kind=_Body)
"""The session as a script in PyTorch, .npy files beside it. Raises DmlvizError for values, size, memory or no idiom."""
snippet = partial(script_snippet, kind=_Body)
