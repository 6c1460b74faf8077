"""A JSON Patch as edits of a text, held against a patch of what the text holds."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from dmlviz.formats.json_edits import Edit, applied, edits_of
from dmlviz.formats.json_places import JsonPlaces
from dmlviz.session.report_json import json_patch

BEFORE = {"e": [{"level": "1_0", "desc": {"A": {"Sizes": [1, 2], "Flags": "x"}, "Axis": 3}, "values": {"a/b": [1]}}]}


def changed(choose: random.Random, tree: Any) -> Any:
    """A tree like another: members that are other, gone, or new."""
    if isinstance(tree, dict):
        made = {key: changed(choose, value) for key, value in tree.items() if choose.random() < 0.8}
        return made | ({choose.choice(["n", "~/"]): [True, "é"]} if choose.random() < 0.3 else {})
    if isinstance(tree, list):
        return [changed(choose, item) for item in tree] + [7] * (choose.random() < 0.3)
    return choose.choice([tree, 5, "five"])


@pytest.mark.parametrize("indent", [None, 2])
def test_a_patch_by_edits_is_the_patch(indent: int | None) -> None:
    choose = random.Random(3)
    text, made = json.dumps(BEFORE, indent=indent), 0
    for _ in range(300):
        after = changed(choose, BEFORE["e"][0])
        edits = edits_of(text, JsonPlaces(text), "/e/0", json_patch(BEFORE["e"][0], after))
        if edits is not None:  # two members that stand side by side can't both be taken out
            assert json.loads(applied(text, edits)) == {"e": [after]}
            made += 1
    assert made > 150


def test_what_is_not_edited_stays_byte_for_byte() -> None:
    text = '{ "e" : [ {"desc": {\r\n\t"Axis":3,\r\n\t"K" : 1e0 } } ] }'
    replace = {"op": "replace", "path": "/desc/Axis", "value": 2}
    add = {"op": "add", "path": "/desc/M", "value": [1]}
    edits = edits_of(text, JsonPlaces(text), "/e/0", [replace, add])
    assert edits is not None
    assert applied(text, edits) == text.replace(":3", ":2").replace("1e0", '1e0,\r\n\t"M": [1]')


def test_descs_as_dxdispatch_writes_them_are_edited_where_they_stand() -> None:
    text = '{"d": {"g": {"Type": "T", "X": {"Type": "BUFFER", "Desc": {"Sizes": [1, 2]}}, "Axis": 0}}}'
    patch: list[dict[str, Any]] = [
        {"op": "replace", "path": "/desc/X/Sizes/1", "value": 5},
        {"op": "replace", "path": "/desc/Axis", "value": 1},
        {"op": "replace", "path": "/desc/Y/Sizes", "value": [3]},  # it isn't there, so it is inferred
        {"op": "add", "path": "/desc/X/Flags", "value": "f"},
    ]
    edits = edits_of(text, JsonPlaces(text), "/d/g", patch)
    assert edits is not None
    assert json.loads(applied(text, edits))["d"]["g"] == {
        "Type": "T",
        "X": {"Type": "BUFFER", "Desc": {"Sizes": [1, 5], "Flags": "f"}},
        "Axis": 1,
    }


def test_edits_that_would_reach_into_each_other_are_none() -> None:
    text = '{"e": [{"a": 1, "b": 2}]}'
    patch = [{"op": "remove", "path": "/a"}, {"op": "remove", "path": "/b"}]
    assert edits_of(text, JsonPlaces(text), "/e/0", patch) is None
    assert edits_of(text, JsonPlaces(text), "/e/0", patch[:1]) == (Edit(8, 16, ""),)
