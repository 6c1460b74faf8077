"""C++ on DirectMLX.h, which works out output sizes by itself: one function for each experiment or chain."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping

from ..desc.base import Part
from ..desc.tensors import braces
from ..formats.number_text import uint
from ..operators import gather, gather_elements, join, padding, reverse_subsequences, slice1, split, tile
from ..session.experiments import Experiment, Session
from ..stopping import checked
from .lib.chained import Group, groups, operator_name
from .lib.cpp_text import array, camel, comment, fill_comments, heading, listing, quoted
from .lib.idioms import idiom
from .lib.writing import Export

ABOUT = "C++ on DirectMLX.h: the expression, as a graph of one operator."
SUFFIX = ".cpp"
RUNS = True
MOST_ON_A_LINE = 120

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


def _function(number: int, one: Experiment) -> Iterator[str]:
    yield from heading(one)
    yield f"Microsoft::WRL::ComPtr<IDMLCompiledOperator> {operator_name(one.desc, number)}(IDMLDevice* device)"
    yield "{"
    yield "    dml::Graph graph(device);"
    yield ""
    yield from fill_comments(one)
    for i, part in enumerate(one.desc.inputs):
        yield f"    const dml::Expression {_variable(part)} ="
        yield f"        {_input(i, part)};"
    yield ""
    yield from idiom(_Idioms(), "DirectMLX", one)(one.desc)
    for part in one.desc.outputs:
        yield from comment(f"{part.path}: {part.tensor.data_type} {braces(part.tensor.sizes)}", "    ")
    yield "    return graph.Compile(DML_EXECUTION_FLAG_NONE, outputs);"
    yield "}"


def _chain(group: Group) -> Iterator[str]:
    called = {key: re.sub("_(.)", lambda found: found[1].upper(), name) for key, name in group.names.items()}
    numbers = itertools.count()
    names = " > ".join(group.names.values())
    yield from comment(f"A chain, whose stages read each other's outputs, as one graph: {names}.")
    yield f"Microsoft::WRL::ComPtr<IDMLCompiledOperator> chain_{group.number}(IDMLDevice* device)"
    yield "{"
    yield "    dml::Graph graph(device);"
    for _, one in group:
        yield ""
        yield f"    // {group.names[id(one)]}"
        yield from (f"    {line}" for line in heading(one))
        yield from fill_comments(one)
        yield from _stage(group, one, called, numbers)
    yield ""
    outputs = []
    for _, one in group.ends:
        for k, part in enumerate(one.desc.outputs):
            told = f"{part.path} of {group.names[id(one)]}: {part.tensor.data_type} {braces(part.tensor.sizes)}"
            yield from comment(told, "    ")
            outputs.append(f"{called[id(one)]}[{k}]")
    yield from listing("const dml::Expression outputs[] =", outputs)
    yield "    return graph.Compile(DML_EXECUTION_FLAG_NONE, outputs);"
    yield "}"


def _stage(group: Group, one: Experiment, called: Mapping[int, str], numbers: Iterator[int]) -> Iterator[str]:
    """A stage's expression in the chain's names: `split1` is the array of the outputs of `split_1`."""
    stage = called[id(one)]
    names = {"outputs": stage}
    for part in one.desc.inputs:
        led = group.source(one, part)
        variable = _variable(part)
        sizes = part.tensor.sizes
        names[variable] = own = f"{stage}{part.path[0]}{variable[1:]}"
        if led is None:
            yield from _broken(f"    const auto {own} = {_input(next(numbers), part)};")
            continue
        read = f"{called[id(led[0])]}[{led[1]}]"
        if led[0].desc.outputs[led[1]].tensor.sizes == sizes:
            names[variable] = read
        else:
            others = f"dml::TensorDesc::Dimensions{{{', '.join(map(uint, sizes))}}}"
            yield from _broken(f"    const auto {own} = dml::Reinterpret({read}, {others}, dml::NullOpt);")
    body = list(idiom(_Idioms(), "DirectMLX", one)(one.desc))
    for declared in _DECLARED.findall("\n".join(body)):
        names.setdefault(declared, f"{stage}{declared[0].upper()}{declared[1:]}")
    for line in body:
        yield from _broken(_NAME.sub(lambda found: names.get(found[0], found[0]), line))


_DECLARED = re.compile(r"^ *const [\w:<>]+ (\w+)(?:\[\])? = ?", re.MULTILINE)
_NAME = re.compile(r"(?<![\w:.])[a-z]\w*")


def _broken(line: str) -> list[str]:
    head, equals, tail = line.partition(" = ")
    if len(line) <= MOST_ON_A_LINE or not equals:
        return [line]
    return [f"{head} =", f"        {tail}"]


def _input(number: int, part: Part) -> str:
    sizes = ", ".join(uint(size) for size in part.tensor.sizes)
    return (
        f"dml::InputTensor(graph, {number}, dml::TensorDesc(DML_TENSOR_DATA_TYPE_{part.tensor.data_type}, {{{sizes}}}))"
    )


class _Idioms:
    """Lines that make the array `outputs` of what `_variable` calls the inputs."""

    def say_join(self, desc: join.Join) -> Iterator[str]:
        yield from listing("const dml::Expression inputs[] =", [_variable(part) for part in desc.inputs])
        yield from _single_output(f"dml::Join(inputs, /*axis*/ {desc.axis})")

    def say_split(self, desc: split.Split) -> Iterator[str]:
        yield from array(
            "const uint32_t outputAxisSizes[]", [tensor.sizes[desc.axis] for tensor in desc.output_tensors]
        )
        expression = f"dml::Split(inputTensor, /*axis*/ {desc.axis}, outputAxisSizes)"
        yield f"    const std::vector<dml::Expression> outputs = {expression};"

    def say_tile(self, desc: tile.Tile) -> Iterator[str]:
        yield from array("const uint32_t repeats[]", desc.repeats)
        yield from _single_output("dml::Tile(inputTensor, repeats)")

    def say_padding(self, desc: padding.Padding) -> Iterator[str]:
        yield from array("const uint32_t startPadding[]", desc.start_padding)
        yield from array("const uint32_t endPadding[]", desc.end_padding)
        given = [expression for field in desc.ATTRIBUTES[:2] for expression in field.c_values(desc.get(field.name))]
        yield from _single_output(f"dml::Padding(inputTensor, {', '.join(given)}, startPadding, endPadding)")

    def say_slice1(self, desc: slice1.Slice1) -> Iterator[str]:
        """DirectMLX copies all that strides reach: where the output is smaller, the window is, too."""
        strides = desc.input_window_strides
        counts = [*desc.outputs[0].tensor.sizes]
        sizes = [*desc.input_window_sizes]
        if counts != desc.most():
            sizes = [1 + abs(step) * (n - 1) for step, n in zip(strides, counts, strict=True)]
        first = [*desc.starts]
        for d, size in enumerate(sizes):
            if strides[d] < 0:
                first[d] += 1 - size
        yield from array("const uint32_t inputWindowOffsets[]", first)
        yield from array("const uint32_t inputWindowSizes[]", sizes)
        yield from array("const int32_t inputWindowStrides[]", strides, signed=True)
        yield from _single_output("dml::Slice(inputTensor, inputWindowOffsets, inputWindowSizes, inputWindowStrides)")

    def say_reverse_subsequences(self, desc: reverse_subsequences.ReverseSubsequences) -> Iterator[str]:
        yield from _single_output(f"dml::ReverseSubsequences(inputTensor, sequenceLengthsTensor, /*axis*/ {desc.axis})")

    def say_gather(self, desc: gather.Gather) -> Iterator[str]:
        numbers = f"/*axis*/ {desc.axis}, /*indexDimensions*/ {desc.index_dimensions}"
        yield from _single_output(f"dml::Gather(inputTensor, indicesTensor, {numbers})")

    def say_gather_elements(self, desc: gather_elements.GatherElements) -> Iterator[str]:
        yield from _single_output(f"dml::GatherElements(inputTensor, indicesTensor, /*axis*/ {desc.axis})")


def _single_output(expression: str) -> Iterator[str]:
    line = f"    const dml::Expression outputs[] = {{{expression}}};"
    yield from [line] if len(line) <= MOST_ON_A_LINE else line.replace("{", "{\n        ", 1).split("\n")


def _variable(part: Part) -> str:
    """What the expression of an input is called: `inputTensor`, `inputTensors1`."""
    return camel(part.path).replace("[", "").replace("]", "")
