"""C++ on DirectML.h: one function for each experiment, a broken one too, with every rule that it breaks above it."""

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
from .lib.cpp_text import array, camel, comment, fill_comments, heading, listing, quoted, wrap_comments
from .lib.writing import Export

ABOUT = "C++ that fills DirectML's structs and calls CreateOperator."
SUFFIX = ".cpp"
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
_FLAG = re.compile(r"DML_TENSOR_FLAG_[A-Z0-9_]{1,80}|\d{1,9}")
_MACRO = re.compile(r"^    desc\.[\w.]+ = -?(?:NAN|INFINITY);", re.MULTILINE)
"""A member that is no number: its name is a macro of <cmath>."""


def export(session: Session, stem: str) -> Export:
    """The session's descs as C++, each for the lowest level that accepts it."""
    return export_at(session, stem, None)


def export_at(session: Session, stem: str, level: FeatureLevel | None) -> Export:
    lines = [f"// Session {quoted(session.title)}"] if session.title else []
    lines += _HEAD.splitlines()
    for number, one in enumerate(checked(session.experiments), 1):
        lines += ["", *_function(number, one, level)]
    text = "\n".join(lines) + "\n"
    if _MACRO.search(text):
        text = text.replace("#include <DirectML.h>\n", "#include <DirectML.h>\n\n#include <cmath>\n", 1)
    return Export(text)


def _function(number: int, one: Experiment, asked: FeatureLevel | None) -> Iterator[str]:
    desc = one.desc
    asked = asked or one.check().lowest_level or one.feature_level
    level = f"DML_FEATURE_LEVEL_{asked.value}"
    version = asked.value.replace("_", "")
    yield from heading(one)
    yield f"// It asks for {level}, for which DML_TARGET_VERSION of DirectML.h has to be at least 0x{version}00."
    yield f"HRESULT {operator_name(desc, number)}(IDMLDevice* device, IDMLOperator** made)"
    yield "{"
    yield f"    if (!Promises(device, {level}))"
    yield "    {"
    yield "        return DXGI_ERROR_UNSUPPORTED;"
    yield "    }"
    yield ""
    yield from fill_comments(one)
    for field in desc.FIELDS:
        name = camel(field.name)
        member = desc.get(field.name)
        if isinstance(field, TensorField) and field.many:
            for i, tensor in enumerate(member):
                yield from _tensor_lines(f"{field.name}[{i}]", f"{name}Sizes{i}", f"{name}Buffer{i}", tensor)
                yield ""
            if member:
                items = [f"{{DML_TENSOR_TYPE_BUFFER, &{name}Buffer{i}}}" for i in range(len(member))]
                yield from listing(f"const DML_TENSOR_DESC {name}Descs[] =", items)
                yield ""
        elif isinstance(field, TensorField) and member is not None:
            yield from _tensor_lines(field.name, f"{name}Sizes", f"{name}Buffer", member)
            yield f"    const DML_TENSOR_DESC {name}Desc = {{DML_TENSOR_TYPE_BUFFER, &{name}Buffer}};"
            yield ""
        elif field.is_list and member:
            yield from wrap_comments(member, signed=field.signed)
            yield from listing(f"const {field.c_type} {name}[] =", field.c_values(member))
            yield ""
    yield f"    {operator_of(desc).page} desc = {{}};"
    for field in desc.FIELDS:
        yield from _member_lines(field, desc)
    yield f"    const DML_OPERATOR_DESC operatorDesc = {{{desc.TYPE}, &desc}};"
    yield ""
    yield "    // E_INVALIDARG says no more than that a rule is broken; the debug layer may say which."
    yield "    return device->CreateOperator(&operatorDesc, IID_PPV_ARGS(made));"
    yield "}"


def _tensor_lines(path: str, sizes: str, buffer: str, tensor: TensorDesc) -> Iterator[str]:
    kind = tensor.data_type
    members = tensor.members
    listed = tensor.listed_sizes
    strides = members.get("Strides")
    count = members.get("DimensionCount", tensor.dimension_count)
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
    total = members.get("TotalTensorSizeInBytes", tensor.total_bytes)
    yield f"    DML_BUFFER_TENSOR_DESC {buffer} = {{}};"
    yield f"    {buffer}.DataType = DML_TENSOR_DATA_TYPE_{kind};"
    yield f"    {buffer}.Flags = {_flags_text(members.get('Flags'))};"
    yield f"    {buffer}.DimensionCount = {uint(count)};"
    yield f"    {buffer}.Sizes = {sizes if listed else 'nullptr'};"
    walked = f"{sizes}Strides;" if strides else "nullptr; // packed"
    yield f"    {buffer}.Strides = {walked}"
    yield f"    {buffer}.TotalTensorSizeInBytes = {uint64(total)};"
    if "GuaranteedBaseOffsetAlignment" in members:
        yield f"    {buffer}.GuaranteedBaseOffsetAlignment = {uint(members['GuaranteedBaseOffsetAlignment'])};"
    if listed and "TotalTensorSizeInBytes" not in members and not strides and count == len(listed):
        yield f'    static_assert(PackedBytes({sizes}, {kind.item_size}) == {uint64(total)}, "TotalTensorSizeInBytes");'


def _flags_text(names: tuple[str, ...] | None) -> str:
    """Flags as an expression of C++, without names that are none of DirectML's; NONE where no other is left."""
    known = [name for name in names or () if _FLAG.fullmatch(name)]
    if not known:
        return "DML_TENSOR_FLAG_NONE"
    return " | ".join(f"static_cast<DML_TENSOR_FLAGS>({name})" if name.isdecimal() else name for name in known)


def _member_lines(field: Field, desc: Desc) -> Iterator[str]:
    member = desc.get(field.name)
    name = camel(field.name)
    bounds = field.bounds
    if isinstance(field, TensorField) and not field.many:
        value = "nullptr; // not given, and the rest doesn't tell it" if member is None else f"&{name}Desc;"
    elif field.is_list or isinstance(field, TensorField):
        value = f"{name}{'Descs' * isinstance(field, TensorField)};" if member else "nullptr;"
    else:
        (number,) = field.c_values(member)
        value = f"{number};"
        if bounds is not None and bounds.type in ("UINT", "INT"):
            yield from wrap_comments([member], signed=field.signed)
        elif bounds is not None and not bounds.holds(member):
            yield from comment(f"{quote(member, 40)} is no {bounds.type}: it becomes {number} here.", "    ")
        for counted in field.arrays:
            if member != (there := len(desc.get(counted))):
                yield f"    // {counted} has {there}."
    yield f"    desc.{field.name} = {value}"
