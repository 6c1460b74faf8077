"""What dml_dump.h printed, amid the lines of logs and debuggers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import call
from support.compiled_cpp import line_of

import dmlviz as dml
from dmlviz.desc.base import Desc
from dmlviz.exporters import dxdispatch
from dmlviz.importers.lib import importing
from dmlviz.importers.lib.imported import ImportFailedError, Why
from dmlviz.session.experiments import Experiment, Session

GATHER = dml.Gather(dml.TensorDesc("FLOAT32", (3, 2)), dml.TensorDesc("INT32", (1, 4)), 0, 1)
TILE = dml.Tile(dml.TensorDesc("FLOAT16", (2, 2)), (2, 3))
ONE, TWO = line_of(GATHER, "gather at a.cpp:7"), line_of(TILE, "tile at b.cpp:9")


def descs(log: str | bytes, name: str = "a log") -> list[Desc]:
    data = log.encode() if isinstance(log, str) else log
    assert importing.is_known(data, name)
    return [one.desc for one in importing.read(data, name).experiments]


LOGS = {
    "alone": f"{ONE}\n{TWO}\n",
    "timestamps": f"[12:01:02.003] start {{3\n[12:01:02.013] {ONE}\n[12:02:03.004] it's 5\" {TWO} done }}\n",
    "several a line": f"I/app( 312): {ONE}{TWO}, and so on",
    "indented": f"x\n    {ONE}\n    {TWO}",
    "lines of JSON": "\n".join(json.dumps({"time": 1, "message": f"x {line}"}) for line in (ONE, TWO)),
    "JSON in JSON": json.dumps([json.dumps({"message": ONE}), json.dumps({"message": TWO})]),
    "carriage returns": f"{ONE}\r\n{TWO}\r\n",
    "a fence in a report": f"It fails:\n\n```\n12 {ONE}\n13 {TWO}\n```\nWhy?",
    "a quoted report": f"> It fails:\n> {ONE}\n> {TWO}",
}


@pytest.mark.parametrize("kind", LOGS)
def test_descs_are_found_wherever_they_stand(kind: str) -> None:
    assert descs(LOGS[kind]) == [GATHER, TILE]
    assert descs(b"\xff\xfe" + LOGS[kind].encode("utf-16-le")) == [GATHER, TILE]
    assert descs(f"[begin]\n{LOGS[kind]}", "run.json") == [GATHER, TILE]


def test_code_beside_them_is_read_too() -> None:
    assert descs(f"out = np.tile(x, (2, 2))\n{ONE}\n\n```cpp\n#include <x>\n```") == [GATHER]
    cpp = call("export", "tile-1", "--to", "cpp").out
    first, *others = descs(f"// {ONE}\n{cpp}", "a.cpp")
    assert first == GATHER
    assert others


def test_a_session_and_a_model_that_tell_of_one_stay_what_they_are(tmp_path: Path) -> None:
    session = Session((Experiment("mine", TILE, notes=f"It was {ONE}."),))
    dml.save(session, tmp_path / "s.json")
    assert descs((tmp_path / "s.json").read_bytes()) == [TILE]
    model = dxdispatch.export(session, "x").content
    assert isinstance(model, str)
    assert descs(model) == [TILE]


def test_what_is_printed_for_each_frame_is_checked_once() -> None:
    assert descs(f"{ONE}\n{TWO}\n" * 50) == [GATHER, TILE]


def test_one_that_breaks_off_is_told_and_no_verdict() -> None:
    for log in (f"{TWO}\n1 {ONE[:200]}\nmore", f"1 {ONE[:200]}\n{TWO}", f"1 {ONE[:90]}{TWO}"):
        found = call("check", "-", stdin=log)
        assert found.code == 2
        assert "not checked: a desc that dml_dump.h printed begins here, and ends too early." in found.err
        assert "TILE at" in found.out
    with pytest.raises(ImportFailedError, match=r"line 2: a desc that .* begins here, and ends too early"):
        importing.read(f"x\n{ONE[:100]}".encode(), "a log")


NULL = "null pointer"
GAVE = "C:\\a.cpp(7): CreateOperator gave 0x%08X; `dmlviz check -` reads the next line, or all of this, and says why\n"


def broken(desc: Desc, **changes: object) -> str:
    """The line of a desc with other members: of a tensor `Tensor__Member`, else a field."""
    tree = json.loads(line_of(desc, "it"))
    fields = tree["dispatchables"]["it"]["desc"]
    for name, value in changes.items():
        tensor, _, member = name.partition("__")
        if member:
            fields[tensor] |= {member: value}
        else:
            fields[tensor] = value
    return json.dumps(tree, separators=(",", ":"))


TOO_MANY = "not read: DimensionCount is 9, above 8"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            broken(GATHER, InputTensor__DataType=0),
            ["dtype.supported: InputTensor.DataType is 0, expected one of FLOAT64,"],
        ),
        (
            broken(GATHER, IndicesTensor__DataType=12, OutputTensor__Sizes=[9, 9]),
            [
                "dtype.supported: IndicesTensor.DataType is 12, expected one of INT64,",
                "gather.sizes: OutputTensor.Sizes is {9, 9}, expected {4, 2}",
            ],
        ),
        (
            broken(GATHER, IndicesTensor__DimensionCount=9, IndicesTensor__Sizes=TOO_MANY, Axis=5),
            [
                "dimension_count.supported: IndicesTensor.DimensionCount is 9, expected at most 8.",
                "axis.range: Axis is 5, expected 0 to 1 because DimensionCount is 2.",
            ],
        ),
        (broken(GATHER, InputTensor={"Type": 0}), ["dtype.supported: InputTensor.Type is 0, expected 1,"]),
        (broken(GATHER, InputTensor__Sizes=NULL), ["tensor.dimension_count: InputTensor.Sizes is a null pointer,"]),
        (broken(TILE, Repeats=NULL), ["count.matches: Repeats is a null pointer, expected an array of 2."]),
    ],
)
def test_what_no_desc_can_hold_is_invalid_and_so_is_what_fails_all_the_same(line: str, said: list[str]) -> None:
    found = call("check", "-", stdin=f"{ONE}\n{line}")
    assert found.code == 1
    told = [words.strip(" ✘") for words in found.out.split("\n") if words.startswith("    ✘")]
    assert [one.startswith(start) for one, start in zip(told, said, strict=True)] == [True] * len(said)
    assert ("fix 1: OutputTensor {9, 9} → {4, 2}" in found.out) == ("9,9" in line)
    report = json.loads(call("check", "-", "--json", stdin=line).out)["experiments"][0]
    assert (report["verdict"], report["checks"][0]["ok"]) == ("invalid", False)
    made = call("import", "-", stdin=line).out  # which holds something else in its place, and says so
    assert call("check", "-", stdin=made).code != 0


@pytest.mark.parametrize(
    ("kind", "desc", "gave", "code"),
    [
        ("0", "not known here", "", 1),
        ("DML_OPERATOR_TILE", NULL, "", 1),
        ("DML_OPERATOR_GEMM", "not known here", GAVE % 0x80070057, 2),
        ("3", "not known here", "", 2),
    ],
)
def test_an_operator_that_is_none_here(kind: str, desc: str, gave: str, code: int) -> None:
    line = json.dumps({"dml_dump": 1, "dispatchables": {"x": {"type": kind, "desc": desc}}}, separators=(",", ":"))
    for log in (f"{gave}{line}", f"{gave}{line}\n{ONE}"):
        found = call("check", "-", stdin=log)
        assert found.code == code
        assert "dmlviz: " in found.err


def test_what_create_operator_gave_is_told_with_what_to_ask_next() -> None:
    wide = dml.Tile(dml.TensorDesc("INT64", (2, 2)), (2, 3))
    asked = {
        GAVE % 0x80070057 + ONE: "gave 0x80070057, and no check here fails at feature level 6_4; ask",
        GAVE % 0x80004005
        + line_of(wide, "x"): "needs 4_1, and whether it has INT64 (DML_FEATURE_TENSOR_DATA_TYPE_SUPPOR",
        GAVE % 0x887A0005 + ONE: "gave 0x887A0005: the device is gone, which is no fault of this desc;",
        GAVE % 0x80070057 + broken(GATHER, Axis=5): "CreateOperator: gave 0x80070057.\n",
    }
    for log, words in asked.items():
        assert words in call("check", "-", stdin=log).err


def test_the_header_itself_is_no_log(tmp_path: Path) -> None:
    (tmp_path / "dml_dump.h").write_text(call("header").out, "utf-8")
    with pytest.raises(ImportFailedError) as failed:
        importing.read((tmp_path / "dml_dump.h").read_bytes(), "dml_dump.h")
    assert failed.value.why is Why.NOT_FILLED
    assert call("check", tmp_path).code == 0
