"""Target `torch`: a script in PyTorch, with NumPy for the inputs and for comparing bytes."""

from __future__ import annotations

from functools import partial, singledispatch

import numpy as np

from ..desc.base import Desc, Part
from ..desc.fields import Role
from ..desc.tensors import DataType, TensorDesc
from ..operators.gather import Gather
from ..operators.gather_elements import GatherElements
from ..operators.join import Join
from ..operators.padding import CONSTANT, EDGE, SYMMETRIC, Padding
from ..operators.reverse_subsequences import ReverseSubsequences
from ..operators.slice1 import Slice1
from ..operators.split import Split
from ..operators.tile import Tile
from .lib.idioms import along, arguments, no_idiom, outside_text, slices_text
from .lib.python_text import number_text, tuple_text
from .lib.script import Body, Kind, held_by, script, variable
from .lib.script import snippet as script_snippet

ABOUT = "A script in PyTorch: inputs, the operation, the expected output, and an assert that compares them."
SUFFIX = ".py"
LANGUAGE = "python"
RUNS = True


def _operate(body: Body) -> None:
    """Writes the operation."""
    operation(body.desc, body)


_KIND = Kind(
    about="Each function makes the inputs in NumPy, does in PyTorch what the operator of DirectML does, and holds the "
    "result against the expected output, bit for bit. Comments say what DirectML does differently.",
    imports=((), ("import numpy as np", "import torch")),
    operate=_operate,
    finish=held_by(".numpy()"),
)
_SIGNED = {DataType.UINT16: "int16", DataType.UINT32: "int32", DataType.UINT64: "int64"}
_INTEGERS = {DataType.FLOAT16: "int16", DataType.FLOAT32: "int32", DataType.FLOAT64: "int64"}


export = partial(script, kind=_KIND)
"""The session as a script in PyTorch, .npy files beside it. Raises DmlvizError for values, size, memory or no idiom."""
snippet = partial(script_snippet, kind=_KIND)
"""One experiment in PyTorch, in the lines of a slide. Raises DmlvizError as `export` does."""


@singledispatch
def operation(desc: Desc, body: Body) -> None:
    """Writes the statements that make the outputs of `desc`; an operator without an idiom is refused."""
    raise no_idiom(body.experiment.name, desc, "PyTorch", operation)


def _put_data(body: Body) -> None:
    """Writes the statement that makes `data`, the data input as PyTorch's tensor, or a list of them."""
    parts = [part for part in body.inputs if part.field.role is Role.DATA]
    kind = parts[0].tensor.data_type
    view = ""
    if body.holds_signalling:
        view = f".view(torch.{_INTEGERS[kind]})"
        body.say(f"An operation on {kind} may set the quiet bit of signalling NaNs; one on the bytes does not.")
    elif kind in _SIGNED:
        view = f".view(torch.{_SIGNED[kind]})"
        body.say(f"PyTorch lacks operations for {kind}: the same bytes are moved as {_SIGNED[kind]}.")
    if any(map(body.is_wired, parts)) and parts[0].field.many:
        body.assign("data", "[", [f"{_tensor(body, part)}{view}" for part in parts], "]")
    elif parts[0].field.many:
        body.assign("arrays", "[", [*map(variable, parts)], "]")
        body.put(f"data = [torch.from_numpy(array){view} for array in arrays]")
    else:
        body.put(f"data = {_tensor(body, parts[0])}{view}")


def _tensor(body: Body, part: Part) -> str:
    """An input as PyTorch's tensor, which other stages make already."""
    return variable(part) if body.is_wired(part) else f"torch.from_numpy({variable(part)})"


def _view_back(body: Body) -> str:
    """The call behind a result that gives it its own type again; empty where it has that."""
    kind = body.outputs[0].tensor.data_type
    return f".view(torch.{kind.name.lower()})" if kind in _SIGNED or body.holds_signalling else ""


@operation.register
def _join(desc: Join, body: Body) -> None:
    _put_data(body)
    body.say("torch.cat would also promote mixed dtypes and take a negative dim.")
    body.put(f"output_tensor = torch.cat(data, dim={desc.axis}){_view_back(body)}")


@operation.register
def _split(desc: Split, body: Body) -> None:
    _put_data(body)
    sizes = [tensor.sizes[desc.axis] for tensor in desc.output_tensors]
    body.say("torch.split takes the sizes of the parts, as DirectML does, and returns views; DirectML writes copies.")
    back = _view_back(body)
    body.assign("output_tensors", "torch.split(", ["data", str(sizes), f"dim={desc.axis}"], ")")
    if back:
        body.put(f"output_tensors = [part{back} for part in output_tensors]")


@operation.register
def _tile(desc: Tile, body: Body) -> None:
    _put_data(body)
    body.say("torch.repeat_interleave, which repeats every element in its place, is another operator.")
    body.put(f"output_tensor = torch.tile(data, {tuple_text(desc.repeats)}){_view_back(body)}")


@operation.register
def _padding(desc: Padding, body: Body) -> None:
    _put_data(body)
    constant, back = body.trace.constant(0), _view_back(body)
    if desc.mode == CONSTANT:
        body.say("torch.nn.functional.pad takes its constant as a double; a tensor of that constant holds any.")
        element = np.array(np.int64(0) if constant is None else constant)
        if back:
            element = element.view(f"i{element.itemsize}")
        sizes = tuple_text([axis.full for axis in desc.axes])
        inside = ", ".join(f"{axis.start}:{axis.start + axis.size}" for axis in desc.axes)
        body.put(
            f"output_tensor = torch.full({sizes}, {number_text(element.reshape(1)[0])}, dtype=data.dtype)",
            f"output_tensor[{inside}] = data",
        )
    else:
        body.say("torch.nn.functional.pad mirrors no more than there is; elements are picked along each axis instead.")
        for d, axis in enumerate(desc.axes):
            if axis.is_padded:
                last, period = axis.size - 1, axis.period(desc.mode)
                body.put(f"source = torch.arange({-axis.start}, {axis.size + axis.end})")
                if desc.mode == EDGE or last == 0:
                    body.put(f"source = source.clamp(0, {last})")
                else:
                    folded = f"{period - (desc.mode == SYMMETRIC)} - source"
                    body.put(f"source = source % {period}", f"source = torch.minimum(source, {folded})")
                body.put(f"data = torch.index_select(data, {d}, source)")
        body.put("output_tensor = data")
    if back:
        body.put(f"output_tensor = output_tensor{back}")


@operation.register
def _slice(desc: Slice1, body: Body) -> None:
    _put_data(body)
    body.say("PyTorch cuts a slice that is too long, and returns a view; DirectML refuses one, and writes a copy.")
    turned = [axis for axis, stride in enumerate(desc.input_window_strides) if stride < 0]
    slices = desc.slices
    for axis in turned:
        start, step = desc.starts[axis], desc.input_window_strides[axis]
        last = start + step * (desc.outputs[0].tensor.sizes[axis] - 1)
        slices[axis] = slice(last, start + 1, -step)
    taken = f"data[{slices_text(desc.input_tensor.sizes, slices)}]"
    if turned:
        body.say("PyTorch has no negative steps: what DirectML walks backwards is turned round behind it.")
        taken = f"torch.flip({taken}, {tuple_text(turned)})"
    body.put(f"output_tensor = {taken}{_view_back(body)}")


@operation.register
def _reverse(desc: ReverseSubsequences, body: Body) -> None:
    n, lengths = desc.input_tensor.sizes[desc.axis], desc.sequence_lengths_tensor
    _put_data(body)
    body.say(f"A length above {n}, the size of Axis {desc.axis}, acts as {n}.")
    counts = f"{_tensor(body, body.inputs[1])}{_as_int64(lengths)}"
    if body.flagged()[0] and lengths.data_type is DataType.UINT64:
        body.put(f"lengths = {counts}")
        counts = f"torch.where(lengths < 0, {n}, lengths)"
    body.put(
        f"lengths = {counts}.clamp(max={n})",
        f"k = torch.arange({n}){along(desc)}",
        "source = torch.where(k < lengths, lengths - 1 - k, k)",
        f"output_tensor = torch.gather(data, {desc.axis}, source){_view_back(body)}",
    )


@operation.register
def _gather(desc: Gather, body: Body) -> None:
    _put_data(body)
    body.say("torch.index_select takes the indices in one dimension. (torch.gather is another operator.)")
    _put_indices(desc, body, ".reshape(-1)")
    picked = f"torch.index_select(data, {desc.axis}, indices)"
    body.put(f"output_tensor = {picked}.reshape({arguments(desc.output_sizes())}){_view_back(body)}")


@operation.register
def _gather_elements(desc: GatherElements, body: Body) -> None:
    _put_data(body)
    body.say("torch.gather also takes fewer indices than the input has lines; DirectML wants them for each.")
    _put_indices(desc, body, "")
    body.put(f"output_tensor = torch.gather(data, {desc.axis}, indices){_view_back(body)}")


def _put_indices(desc: Gather | GatherElements, body: Body, shaped: str) -> None:
    """Writes `indices` as PyTorch takes them: int64, none of them negative or outside."""
    n, kind = desc.input_tensor.sizes[desc.axis], desc.indices_tensor.data_type
    clamped, negative = body.flagged()
    body.put(f"indices = {_tensor(body, body.inputs[1])}{shaped}{_as_int64(desc.indices_tensor)}")
    body.say(outside_text(desc, clamped))
    if negative or (clamped and kind.is_signed):
        body.say("PyTorch refuses negative indices, which count from the end in DirectML.")
        body.put(f"indices = torch.where(indices < 0, indices + {n}, indices)")
    if clamped and kind is DataType.UINT64:
        body.put(f"indices = torch.where(indices < 0, {n - 1}, indices)")
    if clamped:
        body.put(f"indices = indices.clamp(0, {n - 1})")


def _as_int64(tensor: TensorDesc) -> str:
    """The call that makes indices or lengths int64: by their bits where they have as many; empty for INT64."""
    if tensor.data_type is DataType.INT64:
        return ""
    return ".view(torch.int64)" if tensor.data_type is DataType.UINT64 else ".to(torch.int64)"
