"""Where the values of a JSON text stand: held against what `json` itself reads."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from dmlviz import opening
from dmlviz.formats.json_places import JsonPlaces, Places, spans

EXAMPLES = Path(__file__).parents[2] / "examples"

MESSY = """{ // a comment with "quotes" and [
  "a/b~\\u00e9" : [1,2 , {"x": "}]\\"", }, ], /* ] */
\t"c": null,\r\n "d": {}, "e": [[], [-1.5e3]], "c": 7
}"""


def pointers(tree: Any, at: str = "") -> dict[str, Any]:
    """Every value of a tree by its pointer."""
    found = {at: tree}
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        found |= pointers(value, f"{at}/{str(key).replace('~', '~0').replace('/', '~1')}")
    return found


def random_tree(choose: random.Random, deep: int = 0) -> Any:
    kind = choose.choice("ldsnb" if deep < 4 else "snb")
    if kind == "l":
        return [random_tree(choose, deep + 1) for _ in range(choose.randrange(4))]
    if kind == "d":
        return {choose.choice(["a", "b/", "~c", 'q"', "é\n", "\\"]): random_tree(choose, deep + 1) for _ in range(3)}
    return choose.choice(["", 'say "', "}{", "\\", "😀", "//", "/*"]) if kind == "s" else choose.choice([0, -1.5, None])


def test_the_text_at_each_pointer_is_the_value_at_it() -> None:
    choose = random.Random(5)
    for _ in range(300):
        tree = random_tree(choose)
        text = json.dumps(tree, indent=choose.choice([None, 1]), ensure_ascii=choose.random() < 0.5)
        found = {pointer: json.loads(text[start:end]) for pointer, (start, end) in spans(text).items()}
        assert found == pointers(tree)


def test_comments_trailing_commas_and_escaped_keys_are_passed() -> None:
    found = {pointer: MESSY[start:end] for pointer, (start, end) in spans(MESSY).items()}
    assert found["/a~1b~0é/1"] == "2"
    assert found["/a~1b~0é/2/x"] == '"}]\\""'
    assert found["/c"] == "null"  # the first of two
    assert found["/e/1/0"] == "-1.5e3"
    assert "/a~1b~0é/3" not in found


def test_lines_and_columns_begin_at_one_at_the_start_of_a_text() -> None:
    places = JsonPlaces(MESSY)
    place = places.at("/a~1b~0é/1")
    assert place is not None
    assert (place.line, place.column, place.end_line, place.end_column) == (2, 21, 2, 22)
    d = places.at("/d")
    assert d is not None
    assert (d.line, d.column) == (4, 7)  # `\r\n` is one line's end
    assert places.at("/nowhere") is None


@pytest.mark.parametrize("text", ["", "[", "]", "{", '{"a"', '{"a":', "[1,", '"', "\\", "nul", "[" * 100_000, ",,}{"])
def test_what_is_no_json_raises_nothing(text: str) -> None:
    spans(text)


def test_long_lists_of_numbers_are_passed_as_a_whole() -> None:
    text = f'{{"values": [{"1.5, " * 40_000}2], "b": [3]}}'
    found = spans(text)
    assert sorted(found) == ["", "/b", "/b/0", "/values"]


def found_at(places: Places, number: int, field: str, text: str) -> Any:
    place = places[number][field]
    lines = text.splitlines(keepends=True)
    start, end = (
        sum(map(len, lines[: line - 1])) + column - 1
        for line, column in ((place.line, place.column), (place.end_line, place.end_column))
    )
    return json.loads(text[start:end])


def test_fields_of_a_session_stand_where_its_file_has_them(tmp_path: Path) -> None:
    text = (EXAMPLES / "gather-2.json").read_text()
    tree = json.loads(text)
    tree["experiments"].insert(0, {"name": "lost"})
    tree["experiments"][1]["values"]["IndicesTensor"] = [[0, 1, 1, 2]]
    file = tmp_path / "a.json"
    file.write_text(text := "\ufeff" + json.dumps(tree, indent=3))
    places, text = opening.open_file(file).places, text[1:]
    desc = tree["experiments"][1]["desc"]
    assert found_at(places, 0, "Axis", text) == desc["Axis"]
    assert found_at(places, 0, "InputTensor.Sizes[1]", text) == desc["InputTensor"]["Sizes"][1]
    assert found_at(places, 0, "FeatureLevel", text) == tree["experiments"][1]["feature_level"]
    assert found_at(places, 0, "IndicesTensor[0,3]", text) == 2
    assert places[0][""].pointer == "/experiments/1"
    assert found_at(places, -1, "", text) == {"name": "lost"}


def test_fields_of_a_dxdispatch_model_stand_where_its_file_has_them(tmp_path: Path) -> None:
    text = """{ "resources": {}, "commands": [], "dispatchables": { "no": {"type": "hlsl"},
      "a/b": {"type": "DML_OPERATOR_GATHER", /* [ */ "desc": {
        "InputTensor": {"Type": "BUFFER", "Desc": {"DataType": "FLOAT32", "Sizes": [1, 1, 4, 3]}},
        "IndicesTensor": {"DataType": "UINT32", "Sizes": [1, 1, 1, 2]},
        "OutputTensor": {"DataType": "FLOAT32", "Sizes": [1, 1, 2, 3]},
        "Axis": 2, "IndexDimensions": 1, }}}}"""
    file = tmp_path / "model.json"
    file.write_text(text)
    places = opening.open_file(file).places
    assert found_at(places, 0, "Axis", text) == 2
    assert found_at(places, 0, "InputTensor.Sizes[2]", text) == 4
    assert found_at(places, 0, "IndicesTensor.Sizes", text) == [1, 1, 1, 2]
    assert places[0][""].pointer == "/dispatchables/a~1b"
    assert places[0]["Axis"].line == 6


def test_all_experiments_have_places_and_long_lists_only_their_first_items() -> None:
    found = spans(f'{{"experiments": [{"{}, " * 5000}{{"values": [{"[0], " * 5000}[0]]}}]}}')
    assert {"/experiments/5000", "/experiments/5000/values/4095/0"} <= found.keys()
    assert "/experiments/5000/values/4096" not in found
