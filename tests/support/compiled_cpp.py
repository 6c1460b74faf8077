"""Exported C++ compiled by g++ with a device that prints what it is asked for by dml_dump.h, and run.

Many exports make one program: each stands in a namespace of its own, as its functions are called alike.
"""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tree_sitter_cpp
from tree_sitter import Language, Parser

from dmlviz.desc.base import Desc
from dmlviz.desc.fields import Field, TensorField
from dmlviz.desc.tensors import TensorDesc
from dmlviz.exporters import dxdispatch
from dmlviz.exporters.lib.chained import groups
from dmlviz.exporters.lib.dump_header import dump_header
from dmlviz.session.experiments import Experiment, Session

HEADERS = Path(__file__).parent / "cpp"
COMPILERS = [found for name in ("g++", "clang++") if (found := shutil.which(name)) is not None]
needs_gxx = pytest.mark.skipif(not COMPILERS, reason="there is no C++ compiler here")
UNPLAIN = {
    *("rule-tensor-dimension-count", "rule-tensor-strides"),  # they would have the program read past an array
    *("rule-tensor-alignment", "note-strides"),
}
"""Examples whose tensors aren't as `expected` has them."""
WARNINGS = ("-Wall", "-Wextra", "-pedantic", "-Werror")
STRICT = ("-Wconversion", "-Wshadow")
SANITIZED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g")


_DEVICE = """
#if __cplusplus >= 201703L
#include <dml_dump.h>
#else
inline void dml_dump(const DML_OPERATOR_DESC&, std::FILE*)
{
}
#endif

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
        dml_dump(*desc, stdout);
        return S_OK;
    }
    DML_FEATURE_LEVEL level = {};
    bool old = false;
};
"""


def is_readable(desc: Desc) -> bool:
    """True if each count is that of its array: else the program would read past one."""
    return all(desc.get(count.name) == len(desc.get(name)) for count in desc.COUNTS for name in count.arrays)


def run(
    programs: Sequence[tuple[str, Session]],
    folder: Path,
    *,
    on: str = "DirectML",
    stds: Sequence[str] = ("c++14", "c++17"),
) -> list[Any]:
    """What the functions of programs, exported from sessions, ask of a device: one record for each function, in order.

    `on` is the header that the programs are written on. It compiles for all of `stds`; for the last one it runs.
    """
    parts = [f"#include <{on}.h>\n#include <cstdio>\n#include <cstdlib>", _DEVICE]
    calls: list[str] = []
    for i, (text, session) in enumerate(programs):
        (folder / f"e{i}.cpp").write_text(text, encoding="utf-8")
        parts.append(f'namespace e{i}\n{{\n#include "e{i}.cpp"\n}}')
        functions = re.findall(r"^\S+ (\w+_\d+)\(IDMLDevice\* device", text, re.MULTILINE)
        assert len(functions) == len([*groups(session)] if on == "DirectMLX" else session.experiments)
        calls += [line for function in functions for line in _CALLS[on](f"e{i}::{function}")]
    main = ["int main()", "{", "    Recorder device;", *calls, "}", ""]
    for std in stds:
        binary = compiled(folder, "\n".join([*parts, *main]), COMPILERS[0], std, "-trigraphs")
    done = subprocess.run([str(binary)], capture_output=True, text=True, timeout=60, check=True)
    return [*_records(done.stdout)]


def compiled(folder: Path, text: str, compiler: str, std: str, *more: str) -> Path:
    """A program of a text, which may include dml_dump.h and has to compile without a warning."""
    (folder / "dml_dump.h").write_text(dump_header(), "ascii")
    source, binary = folder / "main.cpp", folder / "main"
    source.write_text(text, "utf-8")
    where = ("-O0", f"-I{folder}", f"-I{HEADERS}", str(source), "-o", str(binary))
    command = [compiler, f"-std={std}", *WARNINGS, *more, *where]
    built = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert built.returncode == 0, built.stderr[:4000]
    return binary


def _records(text: str) -> Iterator[Any]:
    """Of each function the lines that dml_dump.h printed, and what was printed behind them."""
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith('{"dml_dump"'):
            lines.append(line)
        else:
            yield {"lines": lines, "structs": [*map(_struct, lines)], **json.loads(line)}
            lines = []


def _struct(line: str) -> Any:
    (held,) = json.loads(line)["dispatchables"].values()
    return held


def _call_directml(function: str) -> list[str]:
    return [
        "    {",
        "        IDMLOperator* made = nullptr;",
        f"        const HRESULT hr = {function}(&device, &made);",
        '        std::printf("{\\"level\\":%d,\\"hr\\":%d}\\n", device.level, hr);',
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
        '    std::printf("{\\"told\\":[");',
        "    for (std::size_t i = 0; i < dml::Graph::Outputs().size(); ++i)",
        "    {",
        '        std::printf("%s\\"%s\\"", i ? "," : "", dml::Graph::Outputs()[i].Impl()->told.c_str());',
        "    }",
        '    std::printf("]}\\n");',
    ]


_CALLS = {"DirectML": _call_directml, "DirectMLX": _call_directmlx}


def expected(desc: Desc) -> dict[str, Any]:
    """The struct that a desc should fill, as dml_dump.h prints it: whatever is no UINT, or no INT, wraps."""
    return {"type": desc.TYPE, "desc": {field.name: _printed(desc.get(field.name), field) for field in desc.FIELDS}}


def _printed(held: Any, field: Field) -> Any:
    if isinstance(field, TensorField):
        return [_tensor(tensor) for tensor in held] if field.many else _tensor(held)
    if field.is_list:
        return [_wrapped(number, field) for number in held]
    if field.choices():
        return held
    if field.c_type == "FLOAT":
        number = float(f"{np.float32(held):.9g}")
        return number if np.isfinite(number) else str(number)
    return _wrapped(held, field)


def _wrapped(number: int, field: Field) -> int:
    low = -(2**31) if field.signed else 0
    return (number - low) % 2**32 + low


def _tensor(tensor: TensorDesc | None) -> Any:
    if tensor is None:
        return "null pointer"
    sizes = [size % 2**32 for size in tensor.sizes]
    total = math.prod(sizes) * tensor.data_type.item_size
    said = tensor.members.get("TotalTensorSizeInBytes")
    return {
        "DataType": tensor.data_type.name,
        "Flags": "DML_TENSOR_FLAG_NONE",
        "DimensionCount": len(sizes),
        "Sizes": sizes,
        "Strides": None,
        "TotalTensorSizeInBytes": -(-(total % 2**64) // 4) * 4 % 2**64 if said is None else said,
        "GuaranteedBaseOffsetAlignment": 0,
    }


def level_number(each: Experiment) -> int:
    """The value of the DML_FEATURE_LEVEL that an experiment's function asks for."""
    high, low = (each.check().lowest_level or each.feature_level).value.split("_")
    return int(high) * 0x1000 + int(low) * 0x100


def line_of(desc: Desc, name: str) -> str:
    """The line that dml_dump.h prints of a desc, without a compiler."""
    model = json.loads(dxdispatch.export(Session((Experiment("", desc),)), "x").content)
    (made,) = model["dispatchables"].values()
    return json.dumps({"dml_dump": 1, "dispatchables": {name: made}}, separators=(",", ":"))


def tokens(text: str) -> Iterator[str]:
    """Words and signs of C++ in order, without comments; a directive's body and a string are one each."""
    waiting = [Parser(Language(tree_sitter_cpp.language())).parse(text.encode()).root_node]
    while waiting:
        node = waiting.pop()
        if not node.children and node.type != "comment":
            assert node.text is not None
            yield node.text.decode()
        waiting += reversed(node.children)
