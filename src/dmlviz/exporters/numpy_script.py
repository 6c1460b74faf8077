"""Target `numpy`: a script that imports nothing but NumPy, and pathlib where arrays lie beside it.

An operator's idiom is registered with `operation`.
"""

from __future__ import annotations

import itertools
from functools import partial, singledispatch

import numpy as np

from ..desc.base import Desc
from ..desc.tensors import DataType
from ..operators.gather import Gather
from ..operators.gather_elements import GatherElements
from ..operators.join import Join
from ..operators.padding import CONSTANT, NUMPY_MODES, Padding
from ..operators.reverse_subsequences import ReverseSubsequences
from ..operators.slice1 import Slice1
from ..operators.split import Split
from ..operators.tile import Tile
from .lib.idioms import along, arguments, no_idiom, outside_text, slices_text
from .lib.python_text import number_text, tuple_text
from .lib.script import Body, Kind, held_by, script
from .lib.script import snippet as script_snippet

ABOUT = "A script in NumPy: inputs, the operation, the expected output, and an assert that compares them."
SUFFIX = ".py"
LANGUAGE = "python"
RUNS = True


def _operate(body: Body) -> None:
    """Writes the operation."""
    operation(body.desc, body)


_KIND = Kind(
    about="Each function makes the inputs, does in NumPy what the operator of DirectML does, and holds the result "
    "against the expected output, bit for bit. Comments say what DirectML does differently.",
    imports=((), ("import numpy as np",)),
    operate=_operate,
    finish=held_by(""),
)


export = partial(script, kind=_KIND)
"""The session as a script in NumPy, .npy files beside it. Raises DmlvizError for values, size, memory or no idiom."""
snippet = partial(script_snippet, kind=_KIND)
"""One experiment in NumPy, in the lines of a slide. Raises DmlvizError as `export` does."""


@singledispatch
def operation(desc: Desc, body: Body) -> None:
    """Writes the statements that make the outputs of `desc`; an operator without an idiom is refused."""
    raise no_idiom(body.experiment.name, desc, "NumPy", operation)


@operation.register
def _join(desc: Join, body: Body) -> None:
    body.say("np.concatenate would also promote mixed dtypes and take a negative axis.")
    body.assign("output_tensor", "np.concatenate([", body.input_names, f"], axis={desc.axis})")


@operation.register
def _split(desc: Split, body: Body) -> None:
    *cuts, _ = itertools.accumulate(tensor.sizes[desc.axis] for tensor in desc.output_tensors)
    body.say("np.split takes the places to cut at, and returns views; DirectML takes sizes, and writes copies.")
    body.assign("output_tensors", "np.split(", ["input_tensor", str(cuts), f"axis={desc.axis}"], ")")


@operation.register
def _tile(desc: Tile, body: Body) -> None:
    body.say("np.repeat, which repeats every element in its place, is another operator.")
    body.put(f"output_tensor = np.tile(input_tensor, {tuple_text(desc.repeats)})")


@operation.register
def _padding(desc: Padding, body: Body) -> None:
    body.say("np.pad takes a pair for each axis; DirectML what stands before all axes, then what stands behind them.")
    more = f'mode="{NUMPY_MODES[desc.mode]}"'
    if desc.mode == CONSTANT:
        constant = body.trace.constant(0)
        more += f", constant_values={number_text(np.int64(0) if constant is None else constant)}"
    pairs = [tuple_text(axis[1:]) for axis in desc.axes]
    body.assign("output_tensor", "np.pad(input_tensor, [", pairs, f"], {more})")


@operation.register
def _slice(desc: Slice1, body: Body) -> None:
    body.say("NumPy cuts a slice that is too long, and returns a view; DirectML refuses one, and writes a copy.")
    body.put(f"output_tensor = input_tensor[{slices_text(desc.input_tensor.sizes, desc.slices)}]")


@operation.register
def _reverse(desc: ReverseSubsequences, body: Body) -> None:
    n = desc.input_tensor.sizes[desc.axis]
    body.say(f"A length above {n}, the size of Axis {desc.axis}, acts as {n}.")
    body.put(
        f"lengths = np.minimum(sequence_lengths_tensor, {n}).astype(np.int64)",
        f"k = np.arange({n}, dtype=np.int64){along(desc)}",
        "source = np.where(k < lengths, lengths - 1 - k, k)",
        f"output_tensor = np.take_along_axis(input_tensor, source, axis={desc.axis})",
    )


@operation.register
def _gather(desc: Gather, body: Body) -> None:
    indices = "indices_tensor"
    if desc.index_sizes != desc.indices_tensor.sizes:
        body.put(f"indices = indices_tensor.reshape({arguments(desc.index_sizes) or '()'})")
        indices = "indices"
    indices = _put_indices(desc, body, indices)
    reshape = f".reshape({arguments(desc.output_sizes())})" if desc.drop else ""
    body.put(f"output_tensor = np.take(input_tensor, {indices}, axis={desc.axis}){reshape}")


@operation.register
def _gather_elements(desc: GatherElements, body: Body) -> None:
    indices = _put_indices(desc, body, "indices_tensor")
    body.put(f"output_tensor = np.take_along_axis(input_tensor, {indices}, axis={desc.axis})")


def _put_indices(desc: Gather | GatherElements, body: Body, indices: str) -> str:
    """Writes the indices as NumPy takes them, where they aren't what it takes; returns their name."""
    n, kind = desc.input_tensor.sizes[desc.axis], desc.indices_tensor.data_type
    clamped, _ = body.flagged()
    body.say(outside_text(desc, clamped))
    if clamped and kind.is_signed:
        body.put(
            f"indices = {indices}.astype(np.int64)",
            f"indices = np.clip(np.where(indices < 0, indices + {n}, indices), 0, {n - 1})",
        )
    elif clamped:
        body.put(f"indices = np.minimum({indices}, {n - 1}).astype(np.int64)")
    elif kind is DataType.UINT64:
        body.put(f"indices = {indices}.astype(np.int64)")
    return "indices" if clamped or kind is DataType.UINT64 else indices
