"""Target `numpy`: a script that imports nothing but NumPy, and pathlib where arrays lie beside it.

An operator's idiom is registered with `operation`; one without any is done by the indices that its own map gives.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import singledispatch

import numpy as np

from ..desc.base import Desc
from ..desc.fields import Role
from ..desc.indexing import unravel
from ..desc.tensors import DataType
from ..desc.values import CHUNK, Indices
from ..errors import DmlvizError, quote
from ..operators.gather import Gather
from ..operators.gather_elements import GatherElements
from ..operators.join import Join
from ..operators.padding import CONSTANT, NUMPY_MODES, Padding
from ..operators.reverse_subsequences import ReverseSubsequences
from ..operators.slice1 import Slice1
from ..operators.split import Split
from ..operators.tile import Tile
from ..session.experiments import Experiment, Session
from .lib.comments import (
    along,
    arguments,
    fitted_text,
    index_dimensions_text,
    lengths_text,
    outside_text,
    slices_text,
)
from .lib.export import Export
from .lib.python_text import WIDTH, call, listed, number_text, numbers, tuple_text
from .lib.script import Body, Kind, label, script
from .lib.script import snippet as script_snippet

ABOUT = "A script in NumPy: inputs, the operation, the expected output, and an assert that compares them."
SUFFIX = ".py"
LANGUAGE = "python"
RUNS = True
MOST_TERMS = 12
"""Numbers that a comment lists."""


def export(session: Session, stem: str) -> Export:
    """The session as a script in NumPy, .npy files beside it. Raises DmlvizError for values, sizes or memory."""
    return script(session, stem, _KIND)


def snippet(experiment: Experiment, stem: str) -> Export:
    """One experiment in NumPy, in the lines of a slide."""
    return script_snippet(experiment, stem, _KIND)


def _operate(body: Body) -> None:
    """Writes the operation."""
    operation(body.desc, body)


def _finish(bodies: Sequence[Body], ends: Sequence[Body]) -> None:
    """Writes what the outputs are held against."""
    for body in ends:
        body.expect(lambda name: name)


_KIND = Kind(
    about="Each function makes the inputs, does in NumPy what the operator of DirectML does, and holds the result "
    "against the expected output, bit for bit. Comments say what DirectML does differently.",
    imports=((), ("import numpy as np",)),
    operate=_operate,
    finish=_finish,
)


@singledispatch
def operation(desc: Desc, body: Body) -> None:
    """Writes the statements that make the outputs of `desc`; this is for an operator without an idiom."""
    elements = [k for k, part in enumerate(body.inputs) if part.field.role is Role.DATA]
    if len({body.inputs[k].tensor.data_type for k in elements}) != 1:
        raise DmlvizError(
            f"experiment {quote(body.experiment.name)}: type is {desc.TYPE}, whose inputs have several DataTypes and "
            f"for which no function of NumPy's is known, expected an operator with one DataType."
        )
    body.say(
        "No function of NumPy's does this. `source` has the place of the element that each output element takes: its "
        f"row-major number in {'the input' if len(elements) == 1 else 'the inputs, one after the other'}."
    )
    for k, part in enumerate(body.inputs):
        if k not in elements and not body.is_snippet:
            body.say(f"`source` was worked out from {body.input_names[k]}.")
            body.put(f"assert {body.input_names[k]}.shape == {tuple_text(part.tensor.sizes)}")
    names = [f"{body.input_names[k]}.reshape(-1)" for k in elements]
    constants = [body.trace.constant(k) for k in range(len(body.outputs))]
    if any(constant is not None for constant in constants):
        body.say(f"Behind the elements stands {body.operator.constant_path}, in their type.")
        body.array("constants", np.array([c for c in constants if c is not None]), "Constants")
        names.append("constants")
    if len(names) == 1:
        body.put(f"data = {names[0]}")
    else:
        body.assign("data", call("np.concatenate", listed(names)))
    output = body.output_name()
    many = body.outputs[0].field.many
    for k, part in enumerate(body.outputs):
        body.array("source", _source_numbers(body, k, elements).reshape(part.tensor.sizes), f"{label(part)}Source")
        body.put(f"{output}_{k} = data[source]" if many else f"{output} = data[source]")
    if many:
        body.assign(output, listed([f"{output}_{k}" for k in range(len(body.outputs))]))


def _source_numbers(body: Body, output: int, elements: list[int]) -> Indices:
    """(N,) where each element of an output stands in the inputs `elements`, and the constants behind, in a row."""
    tensors = [body.inputs[k].tensor for k in elements]
    starts = dict(zip(elements, itertools.accumulate((t.element_count for t in tensors), initial=0), strict=False))
    tensor = body.outputs[output].tensor
    constants = sum(body.trace.constant(k) is not None for k in range(output))
    places = np.full(tensor.element_count, sum(t.element_count for t in tensors) + constants, np.int64)
    for start in range(0, len(places), CHUNK):
        stop = min(start + CHUNK, len(places))
        index = unravel(np.arange(start, stop, dtype=np.int64), tensor.sizes)
        numbers, flat = body.trace.addresses(output, index)
        for k in elements:
            here = numbers == k
            places[start:stop][here] = flat[here] + starts[k]
    return places


@operation.register
def _join(desc: Join, body: Body) -> None:
    body.say(
        "np.concatenate would also promote mixed dtypes and take a negative axis; DirectML has one DataType for all "
        "tensors and counts Axis from 0."
    )
    body.assign("output_tensor", call("np.concatenate", listed(body.input_names), f"axis={desc.axis}"))


@operation.register
def _split(desc: Split, body: Body) -> None:
    sizes = [tensor.sizes[desc.axis] for tensor in desc.output_tensors]
    cuts = list(itertools.accumulate(sizes))[:-1]
    body.say(
        f"np.split takes the places to cut at{_cuts(sizes, cuts)}; DirectML takes the sizes of the parts. np.split "
        f"returns views of the input; DirectML writes copies."
    )
    body.assign(
        "output_tensors",
        call("np.split", "input_tensor", numbers([str(c) for c in cuts], WIDTH - 40), f"axis={desc.axis}"),
    )


def _cuts(sizes: list[int], cuts: list[int]) -> str:
    """The places to cut at, as running sums of the sizes, in words; without numbers where there are many."""
    if not cuts or len(sizes) > MOST_TERMS:
        return ", the running sums of the sizes"
    return f", {', '.join(map(str, cuts))}, the running sums of the sizes {', '.join(map(str, sizes))}"


@operation.register
def _tile(desc: Tile, body: Body) -> None:
    body.say(
        "np.repeat, which repeats every element in its place, is another operator. DirectML wants one repeat for each "
        "axis, and none that is 0."
    )
    body.put(f"output_tensor = np.tile(input_tensor, {tuple_text(desc.repeats)})")


@operation.register
def _padding(desc: Padding, body: Body) -> None:
    body.say(
        "np.pad takes a pair for each axis, of what stands before and behind it; DirectML takes what stands before "
        "all axes, and then what stands behind them."
    )
    more = [f'mode="{NUMPY_MODES[desc.mode]}"']
    if desc.mode == CONSTANT:
        constant = body.trace.constant(0)
        more.append(f"constant_values={number_text(np.int64(0) if constant is None else constant)}")
    pairs = [tuple_text(axis[1:]) for axis in desc.axes]
    body.assign("output_tensor", call("np.pad", "input_tensor", listed(pairs), *more))


@operation.register
def _slice(desc: Slice1, body: Body) -> None:
    body.say(
        "NumPy takes start:stop:step, DirectML the offset and the size of a window and a stride, which begins at the "
        "window's end where it is negative. NumPy cuts a slice that is too long, and returns a view; DirectML refuses "
        "such a window, and writes a copy."
    )
    body.put(f"output_tensor = input_tensor[{slices_text(desc.input_tensor.sizes, desc.slices)}]")


@operation.register
def _reverse(desc: ReverseSubsequences, body: Body) -> None:
    n = desc.input_tensor.sizes[desc.axis]
    body.say(lengths_text(desc, body))
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
        body.say(index_dimensions_text(desc))
        body.put(f"indices = indices_tensor.reshape({arguments(desc.index_sizes) or '()'})")
        indices = "indices"
    indices = _put_indices(desc, body, indices, "np.take")
    _, negative = body.flagged()
    if negative:
        some = f"{negative:,} of {desc.indices_tensor.element_count:,} indices {'counts' if negative == 1 else 'count'}"
        body.say(f'{some} from the end, as in DirectML; np.take with mode="clip" would make negative ones 0.')
    reshape = ""
    if desc.drop:
        body.say(fitted_text(desc))
        reshape = f".reshape({arguments(desc.output_sizes())})"
    body.put(f"output_tensor = np.take(input_tensor, {indices}, axis={desc.axis}){reshape}")


def _put_indices(desc: Gather | GatherElements, body: Body, indices: str, function: str) -> str:
    """Writes the indices as `function` takes them, where they aren't what it takes; returns their name."""
    n, kind = desc.input_tensor.sizes[desc.axis], desc.indices_tensor.data_type
    clamped, _ = body.flagged()
    if clamped or kind is not DataType.UINT64:
        refuses = f"{function} would raise IndexError"
        body.say(outside_text(desc, clamped, f"where {refuses}", refuses))
    if clamped and kind.is_signed:
        body.put(
            f"indices = {indices}.astype(np.int64)",
            f"indices = np.clip(np.where(indices < 0, indices + {n}, indices), 0, {n - 1})",
        )
    elif clamped:
        body.put(f"indices = np.minimum({indices}, {n - 1}).astype(np.int64)")
    elif kind is DataType.UINT64:
        body.say(f"{function} has no unsigned 64-bit indices; these are all in range.")
        body.put(f"indices = {indices}.astype(np.int64)")
    return "indices" if clamped or kind is DataType.UINT64 else indices


@operation.register
def _gather_elements(desc: GatherElements, body: Body) -> None:
    indices = _put_indices(desc, body, "indices_tensor", "np.take_along_axis")
    body.say("np.take, which picks whole slices, is another operator.")
    body.put(f"output_tensor = np.take_along_axis(input_tensor, {indices}, axis={desc.axis})")
