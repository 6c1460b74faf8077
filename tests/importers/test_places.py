"""Where the fields of imported descs stand: the text at a place is what the field was set to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dmlviz import opening
from dmlviz.cli.checking.one_file import nearest
from dmlviz.formats.json_places import Place


def text_at(place: Place, text: str) -> str:
    """What stands at a place, by its lines and columns."""
    lines = text.splitlines(keepends=True)
    start = sum(map(len, lines[: place.line - 1])) + place.column - 1
    return text[start : sum(map(len, lines[: place.end_line - 1])) + place.end_column - 1]


def places_of(file: Path, text: str) -> Any:
    file.write_text(text, "utf-8")
    return opening.open_file(file).locate()


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


def test_a_member_of_cpp_stands_where_it_was_set(tmp_path: Path) -> None:
    text = """UINT sizes[] = {2,
  3}, r[2];
DML_BUFFER_TENSOR_DESC b = {DML_TENSOR_DATA_TYPE_INT8, DML_TENSOR_FLAG_NONE,
  2, sizes};
DML_TENSOR_DESC t = {DML_TENSOR_TYPE_BUFFER, &b};
r[0] = 1;
r[1] = 2;
DML_TILE_OPERATOR_DESC d = {&t, &t};
d.RepeatsCount = 2;
d.Repeats = r;
b.Flags = DML_TENSOR_FLAG_NONE;
"""
    (places,) = places_of(tmp_path / "a.cpp", text).values()
    lines = {path: place.line for path, place in places.items()}
    wanted = {"InputTensor.Sizes": 1, "InputTensor.Sizes[1]": 2, "InputTensor.DimensionCount": 4, "Repeats[1]": 7}
    wanted |= {"InputTensor": 8, "RepeatsCount": 9, "OutputTensor.Flags": 11}
    assert {path: lines[path] for path in wanted} == wanted


def test_what_is_inferred_stands_at_what_it_follows_from() -> None:
    found = opening.find("tile-1")
    desc = found.session.experiments[0].desc
    at = Place(line=1, column=1, end_line=1, end_column=2)
    places = {"Repeats": at, "InputTensor.Sizes": at, "Type": at}
    assert nearest(places, desc, "RepeatsCount") is places["Repeats"]
    assert nearest(places, desc, "InputTensor.DimensionCount") is places["InputTensor.Sizes"]
    assert nearest(places, desc, "OutputTensor.Sizes[1]") is places["Type"]
    assert nearest({}, desc, "OutputTensor") is None
