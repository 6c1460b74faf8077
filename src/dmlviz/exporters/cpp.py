"""C++ on DirectML.h: one function for each experiment, which fills the structs and calls CreateOperator.

The structs follow from the fields that an operator declares, so any operator is written. A desc with an error is
written too, to be shown to somebody. Every rule that it breaks stands above its function, and what no UINT
or INT holds is cast.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..desc.base import Desc
from ..desc.fields import Field, TensorField
from ..desc.levels import FeatureLevel
from ..desc.tensors import TensorDesc, braces
from ..errors import quote
from ..formats.number_text import uint, uint64
from ..operators.registry import operator_of
from ..session.experiments import Experiment, Session
from ..stopping import checked
from .lib.chained import operator_name
from .lib.cpp_text import (
    ASKS,
    array,
    camel,
    comment,
    fill_comments,
    heading,
    listing,
    quoted,
    wrap_comments,
)
from .lib.export import Export

ABOUT = "C++ that fills DirectML's structs and calls CreateOperator."
SUFFIX = ".cpp"
LANGUAGE = "cpp"
RUNS = False

_HEAD = """\
// C++ on DirectML.h, exported by dmlviz: one function for each experiment.
// A device: DMLCreateDevice1(d3d12Device, DML_CREATE_DEVICE_FLAG_NONE, level, IID_PPV_ARGS(&device)), where level is
// the DML_FEATURE_LEVEL that a function asks for. It takes C++14.

#include <DirectML.h>

// True if the device promises all that the feature level has.
static bool Promises(IDMLDevice* device, DML_FEATURE_LEVEL level)
{
    const DML_FEATURE_QUERY_FEATURE_LEVELS query = {1, &level};
    DML_FEATURE_DATA_FEATURE_LEVELS found = {};
    const HRESULT hr = device->CheckFeatureSupport(
        DML_FEATURE_FEATURE_LEVELS, sizeof(query), &query, sizeof(found), &found);
    return SUCCEEDED(hr) && found.MaxSupportedFeatureLevel >= level;
}

// The bytes of a packed tensor, rounded up to a multiple of 4: the least that TotalTensorSizeInBytes may be.
template <UINT N>
constexpr UINT64 PackedBytes(const UINT (&sizes)[N], UINT64 elementBytes)
{
    UINT64 bytes = elementBytes;
    for (UINT i = 0; i < N; ++i)
    {
        bytes *= sizes[i];
    }
    return (bytes + 3) & ~3ull;
}
"""
_MACRO = re.compile(r"^    desc\.[\w.]+ = -?(?:NAN|INFINITY);", re.MULTILINE)
"""A member that is no number: its name is a macro of <cmath>."""


def export(session: Session, stem: str) -> Export:
    """The session's descs as C++, each for the lowest level that accepts it."""
    return export_at(session, stem, None)


def export_at(session: Session, stem: str, level: FeatureLevel | None) -> Export:
    """The session's descs as C++ at `level`, or each at its lowest."""
    lines = [f"// Session {quoted(session.title)}"] if session.title else []
    lines += _HEAD.splitlines()
    for number, experiment in enumerate(checked(session.experiments), 1):
        lines += ["", *_function(number, experiment, level)]
    text = "\n".join(lines) + "\n"
    if _MACRO.search(text):
        text = text.replace("#include <DirectML.h>\n", "#include <DirectML.h>\n\n#include <cmath>\n", 1)
    return Export(text)


def _function(number: int, experiment: Experiment, asked: FeatureLevel | None) -> Iterator[str]:
    """The lines of an experiment's function, which asks for `asked`, or else for the lowest level that is valid."""
    desc, report = experiment.desc, experiment.check()
    asked = asked or report.lowest_level or experiment.feature_level
    level = f"DML_FEATURE_LEVEL_{asked.value}"
    yield from heading(experiment)
    yield f"{ASKS}{level}, for which DML_TARGET_VERSION of DirectML.h has to be at least {_target_version(asked)}."
    yield f"HRESULT {operator_name(desc, number)}(IDMLDevice* device, IDMLOperator** made)"
    yield "{"
    yield f"    if (!Promises(device, {level}))"
    yield "    {"
    yield "        return DXGI_ERROR_UNSUPPORTED;"
    yield "    }"
    yield ""
    yield from fill_comments(experiment)
    for field in desc.FIELDS:
        if isinstance(field, TensorField):
            if field.many:
                yield from _tensors_lines(field.name, desc.get(field.name))
            elif (tensor := desc.get(field.name)) is not None:
                yield from _tensor_lines(field.name, f"{camel(field.name)}Sizes", f"{camel(field.name)}Buffer", tensor)
                name = camel(field.name)
                yield f"    const DML_TENSOR_DESC {name}Desc = {{DML_TENSOR_TYPE_BUFFER, &{name}Buffer}};"
                yield ""
        elif field.is_list and desc.get(field.name):
            yield from wrap_comments(desc.get(field.name), signed=field.signed)
            values = field.c_values(desc.get(field.name))
            yield from listing(f"const {field.c_type} {camel(field.name)}[] =", values)
            yield ""
    yield from _struct_lines(desc)
    yield f"    const DML_OPERATOR_DESC operatorDesc = {{{desc.TYPE}, &desc}};"
    yield ""
    yield "    // E_INVALIDARG says no more than that a rule is broken; the debug layer may say which."
    yield "    return device->CreateOperator(&operatorDesc, IID_PPV_ARGS(made));"
    yield "}"


def _target_version(level: FeatureLevel) -> str:
    """The DML_TARGET_VERSION of the first header that has a feature level: 0x6400 for 6_4."""
    major, minor = level.value.split("_")
    return f"0x{major}{minor}00"


def _tensors_lines(name: str, tensors: tuple[TensorDesc, ...]) -> Iterator[str]:
    """The lines that make an array of tensor descs for a field of many; none for an empty one."""
    base = camel(name)
    for i, tensor in enumerate(tensors):
        yield from _tensor_lines(f"{name}[{i}]", f"{base}Sizes{i}", f"{base}Buffer{i}", tensor)
        yield ""
    if tensors:
        items = [f"{{DML_TENSOR_TYPE_BUFFER, &{base}Buffer{i}}}" for i in range(len(tensors))]
        yield from listing(f"const DML_TENSOR_DESC {base}Descs[] =", items)
        yield ""


def _tensor_lines(path: str, sizes: str, buffer: str, tensor: TensorDesc) -> Iterator[str]:
    """The lines that make one DML_BUFFER_TENSOR_DESC, called `buffer`, and its array of `sizes`."""
    kind, members = tensor.data_type, tensor.members
    listed, strides = tensor.listed_sizes, members.strides
    count = tensor.dimension_count if members.dimension_count is None else members.dimension_count
    yield from comment(f"{path}: {kind} {braces(quote(size, 40) for size in listed)}", "    ")
    yield from wrap_comments([*listed, count])
    if 0 in listed:
        yield "    // 0 is no legal size, and there are no bytes to count."
    if listed:
        yield from array(f"constexpr UINT {sizes}[]", listed)
    else:
        yield "    // It has no dimensions, and C++ no array without elements."
    if strides:
        yield from wrap_comments(strides)
        yield from array(f"constexpr UINT {sizes}Strides[]", strides)
    total = members.total_tensor_size_in_bytes
    implied = total is None
    total = tensor.total_bytes if total is None else total
    yield f"    DML_BUFFER_TENSOR_DESC {buffer} = {{}};"
    yield f"    {buffer}.DataType = DML_TENSOR_DATA_TYPE_{kind};"
    yield f"    {buffer}.Flags = {_flags_text(members.flags)};"
    yield f"    {buffer}.DimensionCount = {uint(count)};"
    yield f"    {buffer}.Sizes = {sizes if listed else 'nullptr'};"
    yield f"    {buffer}.Strides = {f'{sizes}Strides' if strides else 'nullptr'};{'' if strides else ' // packed'}"
    yield f"    {buffer}.TotalTensorSizeInBytes = {uint64(total)};"
    if members.guaranteed_base_offset_alignment is not None:
        yield f"    {buffer}.GuaranteedBaseOffsetAlignment = {uint(members.guaranteed_base_offset_alignment)};"
    if listed and implied and not strides and count == len(listed):
        yield f'    static_assert(PackedBytes({sizes}, {kind.item_size}) == {uint64(total)}, "TotalTensorSizeInBytes");'


def _flags_text(names: tuple[str, ...] | None) -> str:
    """Flags as an expression of C++, without names that are none of DirectML's; NONE where no other is left."""
    known = [name for name in names or () if re.fullmatch(r"DML_TENSOR_FLAG_[A-Z0-9_]{1,80}|\d{1,9}", name)]
    if not known:
        return "DML_TENSOR_FLAG_NONE"
    return " | ".join(f"static_cast<DML_TENSOR_FLAGS>({name})" if name.isdecimal() else name for name in known)


def _struct_lines(desc: Desc) -> Iterator[str]:
    """The lines that fill the operator's struct."""
    yield f"    {operator_of(desc).page} desc = {{}};"
    for field in desc.FIELDS:
        member, name = desc.get(field.name), camel(field.name)
        if isinstance(field, TensorField):
            if field.many:
                yield f"    desc.{field.name} = {f'{name}Descs' if member else 'nullptr'};"
            elif member is None:
                yield f"    desc.{field.name} = nullptr; // not given, and the rest doesn't tell it"
            else:
                yield f"    desc.{field.name} = &{name}Desc;"
        elif field.is_list:
            yield f"    desc.{field.name} = {name if member else 'nullptr'};"
        else:
            yield from _scalar_lines(field, desc)


def _scalar_lines(field: Field, desc: Desc) -> Iterator[str]:
    """The lines that fill a member which is neither a tensor nor an array."""
    content, bounds = desc.get(field.name), field.bounds
    (value,) = field.c_values(content)
    if bounds is not None and bounds.type in ("UINT", "INT"):
        yield from wrap_comments([content], signed=field.signed)
    elif bounds is not None and not bounds.holds(content):
        yield from comment(f"{quote(content, 40)} is no {bounds.type}: it becomes {value} here.", "    ")
    for name in field.arrays:
        if content != (there := len(desc.get(name))):
            yield f"    // {name} has {there}."
    yield f"    desc.{field.name} = {value};"
