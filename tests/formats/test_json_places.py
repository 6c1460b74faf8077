"""Where the values of a JSON text stand: held against what `json` itself reads."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from dmlviz import opening
from dmlviz.formats.json_places import Place, json_places
from dmlviz.formats.tolerant_json import parse_tolerant

ROOT = "/experiments/0"


def text_at(place: Place, text: str) -> str:
    lines = text.splitlines(keepends=True)
    ends = (place.line, place.column), (place.end_line, place.end_column)
    start, end = (sum(map(len, lines[: line - 1])) + column - 1 for line, column in ends)
    return text[start:end]


def pointers(tree: Any, at: str) -> dict[str, Any]:
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
        tree = {"experiments": [random_tree(choose)]}
        text = json.dumps(tree, indent=choose.choice([None, 1]), ensure_ascii=choose.random() < 0.5)
        text = text.replace("]", choose.choice(["]", ", /* ] */]", '// "quotes" and [\n, ]']))
        text = text.replace("\n", choose.choice(["\n", "\r\n", "\r"]))
        (places,) = json_places(text).values()
        found = {place.pointer: parse_tolerant(text_at(place, text).encode()) for place in places.values()}
        assert found == pointers(tree["experiments"][0], ROOT)


def test_long_lists_have_places_as_a_whole_or_for_their_first_items_and_what_lies_less_deep_has_none() -> None:
    held = f'{{"desc": {{"Axis": [{"1.5, " * 40_000}2]}}, "values": {{"A": [{"[0], " * 5000}[0]]}}}}'
    found = json_places(f'{{"experiments": [\n{held}]}}')[ROOT]
    assert {"Axis", "A[4095,0]"} <= found.keys()
    assert not found.keys() & {"Axis[0]", "A[4096]", "A[4096,0]"}
    assert [json_places(text) for text in ('{"a": "b", "c": {}}', "[1]", "3")] == [{}, {}, {}]


def test_fields_stand_where_files_have_them(tmp_path: Path) -> None:
    session = json.loads((Path(__file__).parents[2] / "examples/gather-2.json").read_text())
    session["experiments"] = [{"name": "lost"}, session["experiments"][0] | {"feature_level": "5_0"}]
    file, text = tmp_path / "a.json", json.dumps(session, indent=3)
    file.write_text("\ufeff" + text)
    found_at, desc = opening.open_file(file).locate(), session["experiments"][1]["desc"]
    found = {name: json.loads(text_at(place, text)) for name, place in found_at[0].items()}
    assert (found["Axis"], found["InputTensor.Sizes[1]"]) == (desc["Axis"], desc["InputTensor"]["Sizes"][1])
    assert (found["FeatureLevel"], found_at[0][""].pointer) == ("5_0", "/experiments/1")
    assert json.loads(text_at(found_at[-1][""], text)) == {"name": "lost"}
    text = """{ "resources": {}, "commands": [], "dispatchables": { "no": {"type": "hlsl"},
      "a/b": {"type": "DML_OPERATOR_TILE", /* [ */ "desc": {
        "InputTensor": {"Type": "BUFFER", "Desc": {"DataType": "FLOAT32", "Sizes": [4, 3]}}, "Repeats": [2, 1], }}}}"""
    file.write_text(text)
    (places,) = opening.open_file(file).locate().values()
    assert (text_at(places["InputTensor.Sizes[0]"], text), text_at(places["Repeats"], text)) == ("4", "[2, 1]")
    assert (places[""].pointer, places["Repeats"].line) == ("/dispatchables/a~1b", 3)
