"""Where the fields of imported descs stand: the text at a place is what the field was set to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dmlviz import opening
from dmlviz.cli.checking.one_file import nearest
from dmlviz.formats.json_places import Place

CODE = """// é
UINT rows[] = { 1, 1, 6, 4 }; const UINT axis = 2;
std::vector<UINT> picks = {1, 1, 1, 3};
picks[3] = 5;
DML_BUFFER_TENSOR_DESC in{DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, rows, nullptr, 96, 0};
DML_BUFFER_TENSOR_DESC ids = {};
ids.DataType = DML_TENSOR_DATA_TYPE_UINT32;
ids.DimensionCount = 4;
ids.Sizes = picks.data();
ids.TotalTensorSizeInBytes = 20;
UINT made[4] = {1, 1, 5, 4};
DML_BUFFER_TENSOR_DESC out = {DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, made, nullptr, 80, 0};
DML_TENSOR_DESC a = {DML_TENSOR_TYPE_BUFFER, &in}, b = {DML_TENSOR_TYPE_BUFFER, &ids};
DML_TENSOR_DESC c = {DML_TENSOR_TYPE_BUFFER, &out};
DML_GATHER_OPERATOR_DESC gather = {.InputTensor = &a, .IndicesTensor = &b, .OutputTensor = &c, .Axis = axis};
gather.IndexDimensions =
    1 + 0;
"""
SAID = {
    "InputTensor.Sizes": "{ 1, 1, 6, 4 }",
    "InputTensor.Sizes[2]": "6",
    "InputTensor.DataType": "DML_TENSOR_DATA_TYPE_FLOAT32",
    "InputTensor.TotalTensorSizeInBytes": "96",
    "IndicesTensor.DataType": "DML_TENSOR_DATA_TYPE_UINT32",
    "IndicesTensor.Sizes": "{1, 1, 1, 3}",
    "IndicesTensor.Sizes[3]": "5",
    "IndicesTensor.TotalTensorSizeInBytes": "20",
    "OutputTensor.Sizes[2]": "5",
    "OutputTensor": "&c",
    "Axis": "axis",
    "IndexDimensions": "1 + 0",
}


def text_at(place: Place, text: str) -> str:
    """What stands at a place, by its lines and columns."""
    lines = text.splitlines(keepends=True)
    start = sum(map(len, lines[: place.line - 1])) + place.column - 1
    return text[start : sum(map(len, lines[: place.end_line - 1])) + place.end_column - 1]


def places_of(file: Path, text: str, end: str = "\n") -> Any:
    file.write_text(text, "utf-8", newline=end)
    return opening.open_file(file).places


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_field_of_code_stands_where_it_is_set(tmp_path: Path, end: str) -> None:
    (places,) = places_of(tmp_path / "a.cpp", CODE, end).values()
    assert {field: text_at(places[field], CODE) for field in SAID} == SAID
    assert text_at(places[""], CODE).startswith("DML_GATHER_OPERATOR_DESC gather = ")


@pytest.mark.parametrize("mark", ["", "> ", "> > ", "    "])
def test_a_field_of_quoted_code_stands_where_the_page_has_it(tmp_path: Path, mark: str) -> None:
    page = f"Why?\n\n```cpp\n{CODE}```\nThanks\n"
    quoted = "".join(f"{mark}{line}" for line in page.splitlines(keepends=True))
    (places,) = places_of(tmp_path / "a.md", quoted).values()
    assert {field: text_at(places[field], quoted) for field in SAID if field != "IndexDimensions"} == {
        field: said for field, said in SAID.items() if field != "IndexDimensions"
    }
    assert places["IndexDimensions"].line == 3 + CODE.split("\n").index("    1 + 0;") + 1


@pytest.mark.parametrize("mark", ["", "> "])
def test_a_field_of_a_session_in_a_report_stands_there(tmp_path: Path, mark: str) -> None:
    tensor = {"DataType": "UINT8", "Sizes": [2]}
    one: dict[str, Any] = {"name": "n", "feature_level": "5_0", "type": "DML_OPERATOR_TILE"}
    one |= {"desc": {"InputTensor": tensor, "Repeats": [2, 3]}}
    session = json.dumps({"dmlviz": 1, "experiments": [{"name": "lost"}, one]}, indent=1)
    text = "".join(f"{mark}{line}\n" for line in f"# A\n```json\n{session}\n```\n".splitlines())
    places = places_of(tmp_path / "a.md", text)
    assert text_at(places[0]["Repeats[1]"], text) == "3"
    assert text_at(places[0]["InputTensor.DataType"], text) == '"UINT8"'


def test_a_call_stands_at_its_line(tmp_path: Path) -> None:
    text = "import numpy as np\nx = np.zeros((2, 3), np.float32)\n  \ny = np.tile(x, (1, 2))\n"
    (places,) = places_of(tmp_path / "a.py", text).values()
    assert text_at(places[""], text) == "y = np.tile(x, (1, 2))"


def test_what_is_inferred_stands_at_what_it_follows_from() -> None:
    found = opening.find("tile-1")
    desc = found.session.experiments[0].desc
    at = Place(line=1, column=1, end_line=1, end_column=2)
    places = {"Repeats": at, "InputTensor.Sizes": at, "Type": at}
    assert nearest(places, desc, "RepeatsCount") is places["Repeats"]
    assert nearest(places, desc, "InputTensor.DimensionCount") is places["InputTensor.Sizes"]
    assert nearest(places, desc, "OutputTensor.Sizes[1]") is places["Type"]
    assert nearest({}, desc, "OutputTensor") is None
