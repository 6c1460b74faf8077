"""Target `numpy`: a script that imports nothing but NumPy, and pathlib where arrays lie beside it."""

from __future__ import annotations

import itertools
from functools import partial

import numpy as np

from ..desc.tensors import DataType
from ..operators import gather, gather_elements, join, padding, reverse_subsequences, slice1, split, tile
from .lib.idioms import along, arguments, slices_text
from .lib.python_text import number_text, tuple_text
from .lib.script import Body, script
from .lib.script import snippet as script_snippet

ABOUT = "A script in NumPy: inputs, the operation, the expected output, and an assert that compares them."
SUFFIX = ".py"
RUNS = True


class _Body(Body):
    LIBRARY = "NumPy"
    ABOUT = (
        "Each function makes the inputs, does in NumPy what the operator of DirectML does, and holds the result "
        "against the expected output, bit for bit."
    )

    def say_join(self, desc: join.Join) -> None:
        self.assign("output_tensor", "np.concatenate([", self.input_names, f"], axis={desc.axis})")

    def say_split(self, desc: split.Split) -> None:
        *cuts, _ = itertools.accumulate(tensor.sizes[desc.axis] for tensor in desc.output_tensors)
        self.assign("output_tensors", "np.split(", ["input_tensor", str(cuts), f"axis={desc.axis}"], ")")

    def say_tile(self, desc: tile.Tile) -> None:
        self.put(f"output_tensor = np.tile(input_tensor, {tuple_text(desc.repeats)})")

    def say_padding(self, desc: padding.Padding) -> None:
        more = f'mode="{padding.NUMPY_MODES[desc.mode]}"'
        if desc.mode == padding.CONSTANT:
            constant = self.trace.constant(0)
            more += f", constant_values={number_text(np.int64(0) if constant is None else constant)}"
        pairs = [tuple_text(axis[1:]) for axis in desc.axes]
        self.assign("output_tensor", "np.pad(input_tensor, [", pairs, f"], {more})")

    def say_slice1(self, desc: slice1.Slice1) -> None:
        self.put(f"output_tensor = input_tensor[{slices_text(desc.input_tensor.sizes, desc.slices)}]")

    def say_reverse_subsequences(self, desc: reverse_subsequences.ReverseSubsequences) -> None:
        n = desc.input_tensor.sizes[desc.axis]
        self.put(
            f"lengths = np.minimum(sequence_lengths_tensor, {n}).astype(np.int64)",
            f"k = np.arange({n}, dtype=np.int64){along(desc)}",
            "source = np.where(k < lengths, lengths - 1 - k, k)",
            f"output_tensor = np.take_along_axis(input_tensor, source, axis={desc.axis})",
        )

    def say_gather(self, desc: gather.Gather) -> None:
        indices = "indices_tensor"
        if desc.index_sizes != desc.indices_tensor.sizes:
            self.put(f"indices = indices_tensor.reshape({arguments(desc.index_sizes) or '()'})")
            indices = "indices"
        indices = self._put_indices(desc, indices)
        reshape = f".reshape({arguments(desc.output_sizes())})" if desc.drop else ""
        self.put(f"output_tensor = np.take(input_tensor, {indices}, axis={desc.axis}){reshape}")

    def say_gather_elements(self, desc: gather_elements.GatherElements) -> None:
        indices = self._put_indices(desc, "indices_tensor")
        self.put(f"output_tensor = np.take_along_axis(input_tensor, {indices}, axis={desc.axis})")

    def _put_indices(self, desc: gather.Gather | gather_elements.GatherElements, indices: str) -> str:
        n = desc.input_tensor.sizes[desc.axis]
        kind = desc.indices_tensor.data_type
        clamped, _ = self.flagged()
        if clamped and kind.is_signed:
            self.put(
                f"indices = {indices}.astype(np.int64)",
                f"indices = np.clip(np.where(indices < 0, indices + {n}, indices), 0, {n - 1})",
            )
        elif clamped:
            self.put(f"indices = np.minimum({indices}, {n - 1}).astype(np.int64)")
        elif kind is DataType.UINT64:
            self.put(f"indices = {indices}.astype(np.int64)")
        return "indices" if clamped or kind is DataType.UINT64 else indices


export = partial(script, kind=_Body)
"""The session as a script in NumPy, .npy files beside it. Raises DmlvizError for values, size, memory or no idiom."""
snippet = partial(script_snippet, kind=_Body)
