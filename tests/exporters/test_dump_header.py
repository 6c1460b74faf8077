"""dml_dump.h: compiled without a warning, run under the sanitizers, and what it prints is read as the same desc."""

from __future__ import annotations

import subprocess
from math import inf, nan
from pathlib import Path

import pytest
from support import compiled_cpp

import dmlviz as dml
from dmlviz.errors import DmlvizError
from dmlviz.importers.lib import importing

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(not compiled_cpp.COMPILERS, reason="there is no C++ compiler here"),
]


_STRANGE = r"""
#include <dml_dump.h>

#include <limits>
#include <vector>

static const std::vector<UINT> sizes = {2, 3}, strides = {0, 7}, ones = {1, 1}; // each as long as it is, and no longer

static void Tile(const DML_BUFFER_TENSOR_DESC& buffer, UINT count, const UINT* repeats)
{
    const DML_TENSOR_DESC tensor = {DML_TENSOR_TYPE_BUFFER, &buffer}, none = {DML_TENSOR_TYPE_BUFFER, nullptr};
    const DML_TILE_OPERATOR_DESC tile = {buffer.Flags ? &none : &tensor, &tensor, count, repeats};
    dml_dump(DML_OPERATOR_DESC{DML_OPERATOR_TILE, &tile}, stdout);
}

int main()
{
    const UINT* none = nullptr;
    const auto kind = DML_TENSOR_DATA_TYPE_FLOAT32;
    const DML_BUFFER_TENSOR_DESC plain = {kind, DML_TENSOR_FLAG_NONE, 2, sizes.data(), nullptr, 24, 0};
    Tile({kind, DML_TENSOR_FLAG_NONE, 2, sizes.data(), strides.data(), 100, 256}, 2, ones.data());
    Tile(plain, 1, ones.data());
    Tile({kind, DML_TENSOR_FLAG_NONE, 2, none, nullptr, 24, 0}, 2, ones.data());
    Tile({kind, DML_TENSOR_FLAG_NONE, 9, sizes.data(), nullptr, 24, 0}, 2, ones.data());
    Tile(plain, 2, none);
    Tile(plain, 5000, ones.data());
    Tile({kind, DML_TENSOR_FLAG_OWNED_BY_DML, 2, sizes.data(), nullptr, 24, 0}, 2, ones.data());
    const DML_TENSOR_DESC tensor = {DML_TENSOR_TYPE_BUFFER, &plain};
    for (const FLOAT value : {std::numeric_limits<FLOAT>::quiet_NaN(), -std::numeric_limits<FLOAT>::infinity(), 0.1f})
    {
        DML_PADDING_OPERATOR_DESC padding = {&tensor, &tensor, {}, value, 2, ones.data(), ones.data()};
        std::memcpy(&padding.PaddingMode, "\x63\0\0", 4); // 99, which is no enumerator
        dml_dump(DML_OPERATOR_DESC{DML_OPERATOR_PADDING, &padding}, stdout);
    }
    DML_OPERATOR_DESC empty = {DML_OPERATOR_TILE, nullptr};
    dml_dump(empty, stdout);
}
"""


def test_strange_descs_are_read_as_they_were_in_memory_or_it_is_said(tmp_path: Path) -> None:
    for compiler in compiled_cpp.COMPILERS:
        program = compiled_cpp.compiled(
            tmp_path, _STRANGE, compiler, "c++17", *compiled_cpp.STRICT, *compiled_cpp.SANITIZED
        )
        done = subprocess.run([str(program)], capture_output=True, text=True, timeout=60, check=True)
        assert not done.stderr
        told = [_told(line) for line in done.stdout.splitlines()]
        assert told[0] == str(dml.Tile(_STRIDED, (1, 1), _STRIDED, 2))
        assert told[1:3] == [
            str(dml.Tile(_PLAIN, (1,), _PLAIN, 1)),
            "InputTensor.Sizes is a null pointer, expected an array of 2.",
        ]
        assert told[3:] == [
            "InputTensor.DimensionCount is 9, expected at most 8.",
            "Repeats is a null pointer, expected an array of 2.",
            'a log: line 1, tile: Repeats is "not read: RepeatsCount is 5000, above 4096", expected a list of integers '
            "such as [3, 2].",
            "InputTensor.Desc is a null pointer, expected a DML_BUFFER_TENSOR_DESC.",
            *(str(dml.Padding(_PLAIN, 99, held, (1, 1), (1, 1), _PLAIN, 2)) for held in (nan, -inf, 0.100000001)),
            "a log: line 1, tile: Desc of the DML_OPERATOR_DESC is a null pointer, expected that of an operator.",
        ]


_PLAIN = dml.TensorDesc("FLOAT32", (2, 3))
_STRIDED = dml.TensorDesc(
    "FLOAT32", (2, 3), strides=(0, 7), total_tensor_size_in_bytes=100, guaranteed_base_offset_alignment=256
)


def _told(line: str) -> str:
    """The desc that is read of a line, or the first sentence why it isn't whole."""
    try:
        found = importing.read(line.encode(), "a log")
    except DmlvizError as error:
        return str(error)
    said = [remark.text for remark in found.remarks if remark.check is not None]
    return said[0] if said else str(found.experiments[0].desc)


@pytest.mark.parametrize("std", ["c++17", "c++20"])
@pytest.mark.parametrize("version", ["0x6400", "0x5000", "0x2100", "0x1000", ""])
def test_any_header_of_directml_will_do_and_several_files_may_include_it(
    std: str, version: str, tmp_path: Path
) -> None:
    lines = ["#include <DirectML.h>", *["#undef DML_TARGET_VERSION"] * (not version), "#include <dml_dump.h>"]
    lines += ['#include "dml_dump.h"', "HRESULT Make(IDMLDevice& device, const DML_OPERATOR_DESC* desc, void** made)"]
    lines += ["{ return DML_CREATE_OPERATOR(&device, desc, IDMLOperator::id, made); }"]
    first, flags = "\n".join(lines), [f"-DDML_TARGET_VERSION={version}"] if version else []
    (tmp_path / "other.cpp").write_text(first.replace("Make", "MakeToo"), "utf-8")
    for compiler in compiled_cpp.COMPILERS:
        compiled_cpp.compiled(
            tmp_path,
            f"{first}\nint main() {{}}\n",
            compiler,
            std,
            *compiled_cpp.STRICT,
            *flags,
            str(tmp_path / "other.cpp"),
        )


_FAILING = r"""
static void Record(const char* text);
#define DML_DUMP_TO_DEBUGGER(text) Record(text)
#include <dml_dump.h>

#include <cstdlib>
#include <vector>

static bool counts = false;
static int allocated = 0;
static char debugged[1 << 20];

extern "C" void* __libc_malloc(std::size_t);
extern "C" void* malloc(std::size_t size)
{
    allocated += counts ? 1 : 0;
    return __libc_malloc(size);
}

static void Record(const char* text)
{
    if (std::strlen(text) > 4095)
    {
        std::abort();
    }
    std::strcat(debugged, text);
    std::strcat(debugged, "\n[41] "); // as a debugger begins a line for each piece
}

struct Device : IDMLDevice
{
    HRESULT CheckFeatureSupport(DML_FEATURE, UINT, const void*, UINT, void*) override
    {
        return S_OK;
    }
    HRESULT CreateOperator(const DML_OPERATOR_DESC*, REFIID, void**) override
    {
        counts = true;
        return result;
    }
    HRESULT result = E_INVALIDARG;
};

struct Pointer // as ComPtr
{
    Device* operator->() const
    {
        return device;
    }
    Device* device;
};

int main()
{
    Device device;
    const Pointer pointer = {&device};
    const UINT sizes[] = {1, 2};
    const DML_BUFFER_TENSOR_DESC buffer = {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 2, sizes, nullptr, 0, 0};
    const std::vector<DML_TENSOR_DESC> inputs(60, {DML_TENSOR_TYPE_BUFFER, &buffer});
    const DML_JOIN_OPERATOR_DESC join = {60, inputs.data(), inputs.data(), 0};
    const DML_OPERATOR_DESC desc = {DML_OPERATOR_JOIN, &join};
    IDMLOperator* made = nullptr;
    int asked = 0;
#line 12 "some\\path/cr\"eate.cpp"
    HRESULT hr = DML_CREATE_OPERATOR(pointer, (++asked, &desc), IID_PPV_ARGS(&made));
    hr = DML_CREATE_OPERATOR(&device, desc, IDMLOperator::id, nullptr);
    const DML_OPERATOR_DESC* none = nullptr;
    DML_CREATE_OPERATOR(&device, none, IID_PPV_ARGS(&made));
    DML_OPERATOR_DESC unknown = desc;
    std::memcpy(&unknown.Type, "\x39\x30\0", 4);
    DML_CREATE_OPERATOR(&device, unknown, IID_PPV_ARGS(&made));
    device.result = S_OK;
    DML_CREATE_OPERATOR(&device, desc, IID_PPV_ARGS(&made));
    counts = false;
    std::printf("%s", debugged);
    return hr == E_INVALIDARG && asked == 1 && allocated == 0 ? 0 : 1;
}
"""


def test_a_refused_desc_is_printed_with_its_place_and_nothing_is_allocated(tmp_path: Path) -> None:
    for compiler in compiled_cpp.COMPILERS:
        program = compiled_cpp.compiled(tmp_path, _FAILING, compiler, "c++17", *compiled_cpp.STRICT)
        done = subprocess.run([str(program)], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0
        lines = done.stderr.splitlines()
        assert lines[0].startswith('some\\path/cr"eate.cpp(12): CreateOperator gave 0x80070057; ')
        assert len(lines) == 8  # four are refused
        assert lines[5] == "the DML_OPERATOR_DESC is a null pointer"
        imported = importing.read(done.stderr.encode(), "a log")
        assert [one.name for one in imported.experiments] == ["join at cr?eate.cpp:12", "join at cr?eate.cpp:13"]
        null, told = (remark for remark in imported.remarks if remark.experiment is None)
        assert null.check is not None
        assert null.text.startswith("the DML_OPERATOR_DESC is a null pointer, expected ")
        assert told.at == "operator 12345 at cr?eate.cpp:18"
        assert 'gave 0x80070057; operator "12345" is none that dmlviz knows' in told.text
        broken = {check.id for check in imported.experiments[0].check().errors}
        assert "tensor.total_size" in broken  # 0 bytes, as whoever forgets them has
        assert "sizes.sum" in broken
