"""C++ on DirectMLX.h: one function for each experiment, a graph of one expression; for a chain, one of all stages.

DirectMLX works out the output's sizes by itself. Each operator needs an idiom of its own here; where there is none
the target says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import singledispatch

from ..desc.base import Desc, Part
from ..desc.tensors import braces
from ..formats.number_text import uint
from ..operators.gather import Gather
from ..operators.gather_elements import GatherElements
from ..operators.join import Join
from ..operators.padding import Padding
from ..operators.reverse_subsequences import ReverseSubsequences
from ..operators.slice1 import Slice1
from ..operators.split import Split
from ..operators.tile import Tile
from ..session.experiments import Experiment, Session
from ..stopping import checked
from .lib.chained import Group, groups, operator_name
from .lib.cpp_text import array, camel, comment, fill_comments, heading, listing, quoted
from .lib.export import Export
from .lib.idioms import no_idiom

ABOUT = "C++ on DirectMLX.h: the expression, as a graph of one operator."
SUFFIX = ".cpp"
LANGUAGE = "cpp"
RUNS = True
MOST_ON_A_LINE = 120
"""Letters of a line, beyond which an expression takes a line of its own."""

_HEAD = """\
// C++ on DirectMLX.h, exported by dmlviz: one function for each experiment.
// DirectMLX checks some of an operator's rules by assert(), which a release build (NDEBUG) leaves out: a mistake then
// goes on to CompileGraph, which may answer E_INVALIDARG, or writes where it shouldn't. These descs were checked.
// A device: DMLCreateDevice1(d3d12Device, DML_CREATE_DEVICE_FLAG_NONE, level, IID_PPV_ARGS(&device)), where level is
// the DML_FEATURE_LEVEL that stands above a function. It takes C++17.

#include <DirectMLX.h>
"""


def export(session: Session, stem: str) -> Export:
    """The session's descs as DirectMLX expressions. Raises DmlvizError for an operator that has no idiom here."""
    lines = [f"// Session {quoted(session.title)}"] if session.title else []
    lines += _HEAD.splitlines()
    for group in checked(groups(session)):
        lines += ["", *(_chain(group) if group.is_chain else _function(*group[0]))]
    return Export("\n".join(lines) + "\n")


def _function(number: int, experiment: Experiment) -> Iterator[str]:
    """The lines of an experiment's function. Raises DmlvizError for an operator that has no idiom here."""
    body = list(_expression(experiment.desc, experiment.name))
    yield from heading(experiment)
    yield f"Microsoft::WRL::ComPtr<IDMLCompiledOperator> {operator_name(experiment.desc, number)}(IDMLDevice* device)"
    yield "{"
    yield "    dml::Graph graph(device);"
    yield ""
    yield from fill_comments(experiment)
    for i, part in enumerate(experiment.desc.inputs):
        yield f"    const dml::Expression {_variable(part)} ="
        yield f"        {_input(i, part)};"
    yield ""
    yield from body
    for part in experiment.desc.outputs:
        yield from comment(f"{part.path}: {part.tensor.data_type} {braces(part.tensor.sizes)}", "    ")
    yield "    return graph.Compile(DML_EXECUTION_FLAG_NONE, outputs);"
    yield "}"


def _chain(group: Group) -> Iterator[str]:
    """The lines of a chain's function: all stages in one graph. Raises DmlvizError for an operator without an idiom."""
    stages = _Stages(group)
    bodies = [list(stages.lines(number, one)) for number, one in group]
    names = list(group.names.values())
    yield from comment(f"A chain, whose stages read each other's outputs, as one graph: {' > '.join(names)}.")
    yield f"Microsoft::WRL::ComPtr<IDMLCompiledOperator> chain_{group.number}(IDMLDevice* device)"
    yield "{"
    yield "    dml::Graph graph(device);"
    for (_, one), name, body in zip(group, names, bodies, strict=True):
        yield ""
        yield f"    // {name}"
        yield from (f"    {line}" for line in heading(one))
        yield from fill_comments(one)
        yield from body
    yield ""
    for _, one in group.ends:
        for part in one.desc.outputs:
            told = f"{part.path} of {group.names[id(one)]}: {part.tensor.data_type} {braces(part.tensor.sizes)}"
            yield from comment(told, "    ")
    yield from listing("const dml::Expression outputs[] =", stages.outputs)
    yield "    return graph.Compile(DML_EXECUTION_FLAG_NONE, outputs);"
    yield "}"


class _Stages:
    """The stages of a chain while they are written, in order: what an idiom calls its variables has their names here.

    The outputs of `split_1` are the elements of `split1`, which another reads in place of its `inputTensor`.
    """

    def __init__(self, group: Group) -> None:
        self._group = group
        self._inputs = 0
        self._called = {key: _camel(name) for key, name in group.names.items()}
        ends = [(self._called[id(one)], len(one.desc.outputs)) for _, one in group.ends]
        self.outputs = [f"{called}[{k}]" for called, count in ends for k in range(count)]

    def lines(self, number: int, one: Experiment) -> Iterator[str]:
        """The inputs of a stage that none makes, those that it reads with other sizes, and its expression."""
        called = self._called[id(one)]
        names = {"outputs": called}
        for part in one.desc.inputs:
            led, own = self._group.source(one, part), f"{called}{part.path[0]}{_variable(part)[1:]}"
            names[_variable(part)] = own
            if led is None:
                yield from _broken(f"    const auto {own} = {_input(self._inputs, part)};")
                self._inputs += 1
                continue
            source, number = led
            read, sizes = f"{self._called[id(source)]}[{number}]", part.tensor.sizes
            if source.desc.outputs[number].tensor.sizes == sizes:
                names[_variable(part)] = read
                continue
            others = f"dml::TensorDesc::Dimensions{{{', '.join(map(uint, sizes))}}}"
            yield from _broken(f"    const auto {own} = dml::Reinterpret({read}, {others}, dml::NullOpt);")
        body = list(_expression(one.desc, one.name))
        for declared in _DECLARED.findall("\n".join(body)):
            names.setdefault(declared, f"{called}{declared[0].upper()}{declared[1:]}")
        for line in body:
            yield from _broken(_NAME.sub(lambda found: names.get(found[0], found[0]), line))


_DECLARED = re.compile(r"^ *const [\w:<>]+ (\w+)(?:\[\])? = ?", re.MULTILINE)
_NAME = re.compile(r"(?<![\w:.])[a-z]\w*")


def _broken(line: str) -> list[str]:
    """A statement on a line, or its expression on one of its own."""
    head, equals, tail = line.partition(" = ")
    return [line] if len(line) <= MOST_ON_A_LINE or not equals else [f"{head} =", f"        {tail}"]


def _camel(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(part.capitalize() for part in others)


def _input(number: int, part: Part) -> str:
    """The expression of an input."""
    sizes = ", ".join(uint(size) for size in part.tensor.sizes)
    return (
        f"dml::InputTensor(graph, {number}, dml::TensorDesc(DML_TENSOR_DATA_TYPE_{part.tensor.data_type}, {{{sizes}}}))"
    )


@singledispatch
def _expression(desc: Desc, name: str) -> Iterator[str]:
    """Lines that make the array `outputs` of what `_variable` calls the inputs."""
    raise no_idiom(name, desc, "DirectMLX", _expression)


@_expression.register
def _join(desc: Join, name: str) -> Iterator[str]:
    yield from listing("const dml::Expression inputs[] =", [_variable(part) for part in desc.inputs])
    yield from _single_output(f"dml::Join(inputs, /*axis*/ {desc.axis})")


@_expression.register
def _split(desc: Split, name: str) -> Iterator[str]:
    yield from array("const uint32_t outputAxisSizes[]", [tensor.sizes[desc.axis] for tensor in desc.output_tensors])
    expression = f"dml::Split(inputTensor, /*axis*/ {desc.axis}, outputAxisSizes)"
    yield f"    const std::vector<dml::Expression> outputs = {expression};"


@_expression.register
def _tile(desc: Tile, name: str) -> Iterator[str]:
    yield from array("const uint32_t repeats[]", desc.repeats)
    yield from _single_output("dml::Tile(inputTensor, repeats)")


@_expression.register
def _padding(desc: Padding, name: str) -> Iterator[str]:
    yield from array("const uint32_t startPadding[]", desc.start_padding)
    yield from array("const uint32_t endPadding[]", desc.end_padding)
    given = [expression for field in desc.ATTRIBUTES[:2] for expression in field.c_values(desc.get(field.name))]
    yield from _single_output(f"dml::Padding(inputTensor, {', '.join(given)}, startPadding, endPadding)")


@_expression.register
def _slice(desc: Slice1, name: str) -> Iterator[str]:
    """DirectMLX copies all that strides reach: where the output is smaller, the window is, too."""
    rows = list(zip(desc.starts, desc.input_window_strides, desc.outputs[0].tensor.sizes, strict=True))
    whole = [*desc.outputs[0].tensor.sizes] == desc.most()
    sizes = [*desc.input_window_sizes] if whole else [1 + abs(stride) * (count - 1) for _, stride, count in rows]
    first = [start if stride > 0 else start - size + 1 for (start, stride, _), size in zip(rows, sizes, strict=True)]
    yield from array("const uint32_t inputWindowOffsets[]", first)
    yield from array("const uint32_t inputWindowSizes[]", sizes)
    yield from array("const int32_t inputWindowStrides[]", desc.input_window_strides, signed=True)
    yield from _single_output("dml::Slice(inputTensor, inputWindowOffsets, inputWindowSizes, inputWindowStrides)")


@_expression.register
def _reverse(desc: ReverseSubsequences, name: str) -> Iterator[str]:
    yield from _single_output(f"dml::ReverseSubsequences(inputTensor, sequenceLengthsTensor, /*axis*/ {desc.axis})")


@_expression.register
def _gather(desc: Gather, name: str) -> Iterator[str]:
    numbers = f"/*axis*/ {desc.axis}, /*indexDimensions*/ {desc.index_dimensions}"
    yield from _single_output(f"dml::Gather(inputTensor, indicesTensor, {numbers})")


@_expression.register
def _gather_elements(desc: GatherElements, name: str) -> Iterator[str]:
    yield from _single_output(f"dml::GatherElements(inputTensor, indicesTensor, /*axis*/ {desc.axis})")


def _single_output(expression: str) -> Iterator[str]:
    """The line that makes `outputs` of one expression, or the two that it takes."""
    line = f"    const dml::Expression outputs[] = {{{expression}}};"
    if len(line) <= MOST_ON_A_LINE:
        yield line
    else:
        yield "    const dml::Expression outputs[] = {"
        yield f"        {expression}}};"


def _variable(part: Part) -> str:
    """What the expression of an input is called: `inputTensor`, `inputTensors1`."""
    return camel(part.path).replace("[", "").replace("]", "")
