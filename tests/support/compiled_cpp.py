"""Exported C++ compiled by g++ with a device that records what it is asked for, and run.

Many exports make one program: each stands in a namespace of its own, as its functions are called alike.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dmlviz.desc.base import Desc
from dmlviz.desc.fields import Field, TensorField
from dmlviz.desc.tensors import DataType, TensorDesc
from dmlviz.exporters.lib.chained import groups
from dmlviz.exporters.lib.dump_header import dump_header
from dmlviz.operators.registry import operator_of
from dmlviz.session.experiments import Experiment, Session

HEADERS = Path(__file__).parent / "cpp"
GXX = shutil.which("g++")
needs_gxx = pytest.mark.skipif(GXX is None, reason="there is no g++ here")
UNPLAIN = {
    *("rule-tensor-dimension-count", "rule-tensor-strides"),  # they would have the program read past an array
    *("rule-tensor-alignment", "note-strides"),
}
"""Examples whose tensors the program doesn't print."""
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-pedantic", "-trigraphs")


@dataclass(frozen=True)
class Program:
    """One exported file, and the session it was made of."""

    text: str
    session: Session


_RECORDER = """
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

static const UINT* lengths; // of the arrays of the desc that comes next, in field order

template <class N>
inline void PrintNumbers(const N* numbers, UINT count)
{
    std::printf("[");
    for (UINT i = 0; i < count; ++i)
    {
        std::printf("%s%lld", i ? "," : "", static_cast<long long>(numbers[i]));
    }
    std::printf("]");
}

template <class T>
inline void PrintNumber(T number)
{
    std::printf("%lld", static_cast<long long>(number));
}

template <class T>
inline void PrintBits(const T& bits)
{
    unsigned long long number = 0;
    std::memcpy(&number, &bits, sizeof(bits));
    std::printf("%llu", number);
}

inline void PrintNumber(FLOAT number)
{
    PrintBits(number);
}

inline void PrintTensor(const DML_TENSOR_DESC* tensor)
{
    if (!tensor)
    {
        std::printf("null");
        return;
    }
    const DML_BUFFER_TENSOR_DESC& buffer = *static_cast<const DML_BUFFER_TENSOR_DESC*>(tensor->Desc);
    const bool plain = !buffer.Flags && !buffer.Strides && !buffer.GuaranteedBaseOffsetAlignment;
    if (tensor->Type != DML_TENSOR_TYPE_BUFFER || !plain)
    {
        std::abort();
    }
    std::printf("{\\"DataType\\":%d,\\"TotalTensorSizeInBytes\\":%llu,\\"Sizes\\":", buffer.DataType,
        buffer.TotalTensorSizeInBytes);
    PrintNumbers(buffer.Sizes, buffer.DimensionCount);
    std::printf("}");
}

inline void PrintTensors(const DML_TENSOR_DESC* tensors)
{
    std::printf("[");
    for (UINT i = 0; i < *lengths; ++i)
    {
        std::printf(i ? "," : "");
        PrintTensor(&tensors[i]);
    }
    ++lengths;
    std::printf("]");
}
"""

_DEVICE = """
struct Recorder : IDMLDevice
{
    HRESULT CheckFeatureSupport(DML_FEATURE feature, UINT size, const void* query, UINT, void* found) override
    {
        if (feature != DML_FEATURE_FEATURE_LEVELS || size != sizeof(DML_FEATURE_QUERY_FEATURE_LEVELS))
        {
            return E_INVALIDARG;
        }
        const auto* asked = static_cast<const DML_FEATURE_QUERY_FEATURE_LEVELS*>(query);
        if (asked->RequestedFeatureLevelCount != 1)
        {
            return E_INVALIDARG;
        }
        level = asked->RequestedFeatureLevels[0];
        static_cast<DML_FEATURE_DATA_FEATURE_LEVELS*>(found)->MaxSupportedFeatureLevel =
            old ? DML_FEATURE_LEVEL_1_0 : level;
        return S_OK;
    }
    HRESULT CreateOperator(const DML_OPERATOR_DESC* desc, REFIID riid, void**) override
    {
        if (riid.number != IDMLOperator::id.number)
        {
            std::abort();
        }
        std::printf("{\\"level\\":%d,\\"struct\\":", level);
        Print(desc);
        dml_dump(*desc, stderr);
        return S_OK;
    }
    DML_FEATURE_LEVEL level = {};
    bool old = false;
};
"""


def _printers(kinds: Sequence[type[Desc]]) -> str:
    """Code that prints the struct of any of `kinds`, from their fields."""
    lines = ["static void Print(const DML_OPERATOR_DESC* described)", "{", "    switch (described->Type)", "    {"]
    for kind in kinds:
        lines += [f"    case {kind.TYPE}:", "    {"]
        name = operator_of(kind.TYPE).page
        lines += [f"        const auto& desc = *static_cast<const {name}*>(described->Desc);"]
        lines += [f'        std::printf("{{\\"Type\\":\\"{kind.TYPE}\\"");']
        for field in kind.FIELDS:
            lines.append(f'        std::printf(",\\"{field.name}\\":");')
            if isinstance(field, TensorField):
                lines.append(f"        {'PrintTensors' if field.many else 'PrintTensor'}(desc.{field.name});")
            elif field.is_list:
                lines.append(f"        PrintNumbers(desc.{field.name}, *lengths++);")
            else:
                lines.append(f"        PrintNumber(desc.{field.name});")
        lines += ['        std::printf("}");', "        return;", "    }"]
    return "\n".join([*lines, "    default: std::abort();", "    }", "}", ""])


def _header(kinds: Sequence[type[Desc]]) -> str:
    """The header, with the structs that it lacks as their fields tell them: operators may come from outside."""
    text = (HEADERS / "DirectML.h").read_text("utf-8")
    for kind in kinds:
        name = operator_of(kind.TYPE).page
        for field in kind.ATTRIBUTES:
            if field.choices() and f"enum {field.c_type}\n" not in text:
                members = "".join(f"    {field.c_type}_{choice.name} = {choice.value},\n" for choice in field.choices())
                text = text.replace("struct DML_FLIP_", f"enum {field.c_type}\n{{\n{members}}};\n\nstruct DML_FLIP_")
        if f"struct {name}\n" not in text:
            members = "".join(f"    {_member(field)} {field.name};\n" for field in kind.FIELDS)
            text = text.replace("    DML_OPERATOR_FLIP,", f"    {kind.TYPE},\n    DML_OPERATOR_FLIP,")
            text = text.replace("struct DML_FLIP_", f"struct {name}\n{{\n{members}}};\n\nstruct DML_FLIP_")
    return text


def _member(field: Field) -> str:
    if isinstance(field, TensorField):
        return "const DML_TENSOR_DESC*"
    return f"const {field.c_type}*" if field.is_list else field.c_type


def _lengths(desc: Desc) -> list[int]:
    arrays = [field for field in desc.FIELDS if field.is_list or field.many]
    return [len(desc.get(field.name)) for field in arrays]


def run(
    programs: Sequence[Program],
    folder: Path,
    *,
    on: str = "DirectML",
    std: str = "c++14",
    dumped: list[str] | None = None,
) -> list[Any]:
    """What the functions of the programs ask of a device: one record for each function, in order.

    `on` is the header that the programs are written on. The record of a chain has one of each stage, in `stages`.
    `dumped` gets the lines that dml_dump.h, which wants C++17, prints of each struct.
    """
    assert GXX is not None
    kinds = {each.desc.TYPE: type(each.desc) for program in programs for each in program.session.experiments}
    device = _DEVICE if dumped is not None else _DEVICE.replace("        dml_dump(*desc, stderr);\n", "")
    header = "\n#include <dml_dump.h>" if dumped is not None else ""
    parts = [f"#include <{on}.h>{header}", _RECORDER, _printers(list(kinds.values())), device]
    calls: list[str] = []
    for i, program in enumerate(programs):
        (folder / f"e{i}.cpp").write_text(program.text, encoding="utf-8")
        parts.append(f'namespace e{i}\n{{\n#include "e{i}.cpp"\n}}')
        functions = re.findall(r"^\S+ (\w+_\d+)\(IDMLDevice\* device", program.text, re.MULTILINE)
        every = [[one for _, one in group] for group in groups(program.session)]
        written = every if on == "DirectMLX" else [[one] for one in program.session.experiments]
        assert len(functions) == len(written)
        for function, stages in zip(functions, written, strict=True):
            counts = ", ".join(map(str, [*(n for each in stages for n in _lengths(each.desc)), 0]))
            calls.append(f"    {{ static const UINT l[] = {{{counts}}}; lengths = l; }}")
            calls += _CALLS[on](f"e{i}::{function}")
    main = ["int main()", "{", "    Recorder device;", *calls, "}", ""]
    (folder / "dml_dump.h").write_text(dump_header(), "ascii")
    (folder / "DirectML.h").write_text(_header(list(kinds.values())), encoding="utf-8")
    source, binary = folder / "main.cpp", folder / "main"
    source.write_text("\n".join([*parts, *main]), encoding="utf-8")
    command = [GXX, f"-std={std}", *WARNINGS, "-O0", f"-I{folder}", f"-I{HEADERS}", str(source), "-o", str(binary)]
    built = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert built.returncode == 0, built.stderr[:4000]
    done = subprocess.run([str(binary)], capture_output=True, text=True, timeout=60, check=True)
    if dumped is not None:
        dumped += done.stderr.splitlines()
    return list(map(_record, done.stdout.splitlines()))


def _record(line: str) -> Any:
    *before, last = [f"{_FIRST}{piece}" for piece in line.split(_FIRST)[1:]]
    record = json.loads(last)
    if before:
        record["stages"] = [json.loads(piece + "}")["struct"] for piece in before] + [record.pop("struct")]
    return record


_FIRST = '{"level":'


def _call_directml(function: str) -> list[str]:
    return [
        "    {",
        "        IDMLOperator* made = nullptr;",
        f"        const HRESULT hr = {function}(&device, &made);",
        '        std::printf(",\\"hr\\":%d}\\n", hr);',
        "        device.old = device.level > DML_FEATURE_LEVEL_1_0;",
        # A device that is too old is asked for nothing: it would print a line of its own.
        f"        if (device.old && {function}(&device, &made) != DXGI_ERROR_UNSUPPORTED)",
        "        {",
        "            std::abort();",
        "        }",
        "        device.old = false;",
        "    }",
    ]


def _call_directmlx(function: str) -> list[str]:
    return [
        "    dml::Graph::Inputs().clear();",
        f"    {function}(&device);",
        '    std::printf(",\\"inputs\\":[");',
        "    for (std::size_t i = 0; i < dml::Graph::Inputs().size(); ++i)",
        "    {",
        '        std::printf("%s%u", i ? "," : "", dml::Graph::Inputs()[i].Impl()->output);',
        "    }",
        '    std::printf("],\\"outputs\\":[");',
        "    for (std::size_t i = 0; i < dml::Graph::Outputs().size(); ++i)",
        "    {",
        '        std::printf("%s%u", i ? "," : "", dml::Graph::Outputs()[i].Impl()->output);',
        "    }",
        '    std::printf("],\\"told\\":[");',
        "    for (std::size_t i = 0; i < dml::Graph::Outputs().size(); ++i)",
        "    {",
        '        std::printf("%s\\"%s\\"", i ? "," : "", dml::Graph::Outputs()[i].Impl()->told.c_str());',
        "    }",
        '    std::printf("]}\\n");',
    ]


_CALLS = {"DirectML": _call_directml, "DirectMLX": _call_directmlx}


def expected(desc: Desc) -> dict[str, Any]:
    """The struct that a desc should fill, as programs print it: whatever is no UINT, or no INT, wraps."""
    made: dict[str, Any] = {"Type": desc.TYPE}
    for field in desc.FIELDS:
        held = desc.get(field.name)
        if field.many:
            made[field.name] = [_tensor(tensor) for tensor in held]
        elif field in desc.TENSORS:
            made[field.name] = None if held is None else _tensor(held)
        elif field.is_list:
            made[field.name] = [_wrapped(number, field) for number in held]
        else:
            made[field.name] = _scalar(held, field)
    return made


def _scalar(held: Any, field: Field) -> int:
    """A choice as its number; the bits of a FLOAT."""
    if field.choices():
        return next((choice.value for choice in field.choices() if choice.name == held), held)
    if field.c_type == "FLOAT":
        return _bits(held, DataType.FLOAT32)
    return _wrapped(held, field)


def _bits(held: float, kind: DataType) -> int:
    with np.errstate(over="ignore"):
        element = np.array([held if kind.is_float else int(held) % 2**64]).astype(kind.dtype)
    return int.from_bytes(element.tobytes(), "little")


def _wrapped(number: int, field: Field) -> int:
    low = -(2**31) if field.signed else 0
    return (number - low) % 2**32 + low


def _tensor(tensor: TensorDesc) -> dict[str, Any]:
    sizes, total = [size % 2**32 for size in tensor.sizes], tensor.data_type.item_size
    for size in sizes:
        total *= size
    said = tensor.members.get("TotalTensorSizeInBytes")
    return {
        "DataType": tensor.data_type.value,
        "TotalTensorSizeInBytes": -(-(total % 2**64) // 4) * 4 % 2**64 if said is None else said,
        "Sizes": sizes,
    }


def level_number(each: Experiment) -> int:
    """The value of the DML_FEATURE_LEVEL that an experiment's function asks for."""
    high, low = (each.check().lowest_level or each.feature_level).value.split("_")
    return int(high) * 0x1000 + int(low) * 0x100
