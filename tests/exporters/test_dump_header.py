"""dml_dump.h: compiled without a warning, run under the sanitizers, and what it prints is read as the same desc."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from support import dumped_cpp

from dmlviz.errors import DmlvizError
from dmlviz.importers.lib import importing
from dmlviz.importers.lib.imported import checked

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(not dumped_cpp.COMPILERS, reason="there is no C++ compiler here"),
]


def test_random_descs_are_read_as_they_were_in_memory(tmp_path: Path) -> None:
    given = dumped_cpp.drawn(300, seed=34)
    for compiler in dumped_cpp.COMPILERS:
        printed = dumped_cpp.printed(dumped_cpp.build(tmp_path, compiler), given)
        assert len(printed) == len(given)
        read, made = set(), set()
        for one, line in zip(given, printed, strict=True):
            json.loads(line)
            if one.desc is None:
                try:
                    found = importing.read(line.encode(), "a log")
                except DmlvizError as error:
                    said = [str(error)]
                else:
                    said = [remark.text for remark in found.remarks if remark.check is not None]
                    assert checked(found.experiments[0], [r.check for r in found.remarks if r.check]).ok is False
                    made.add(line)
                assert any(why in text for why in one.why for text in said), (one.why, said)
                continue
            imported = importing.read(line.encode(), "a log")
            assert list(dumped_cpp.held(imported.experiments[0].desc)) == list(dumped_cpp.held(one.desc)), line
            assert all(remark.taken for remark in imported.remarks)
            read.add(line)
        assert 150 < len(read) < 280  # of both kinds there are many
        logged = "\n".join(f"[{i:>8}.5] {line} end" for i, line in enumerate(printed))
        assert len(importing.read(logged.encode(), "a log").experiments) == len(read | made)


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
    for compiler in dumped_cpp.COMPILERS:
        dumped_cpp.compiled(tmp_path, f"{first}\nint main() {{}}\n", compiler, std, *flags, str(tmp_path / "other.cpp"))


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
    for compiler in dumped_cpp.COMPILERS:
        program = dumped_cpp.compiled(tmp_path, _FAILING, compiler, "c++17")
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
