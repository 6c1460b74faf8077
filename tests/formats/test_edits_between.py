"""Edits of a JSON text: held against what `json` reads of the edited text; what isn't edited stays."""

from __future__ import annotations

import copy
import json
import random
from itertools import pairwise
from typing import Any

import pytest

from dmlviz.formats.json_edits import Edit, applied, edits_between
from dmlviz.formats.json_places import spans


def edited(text: str, after: Any) -> str:
    edits = edits_between(text, spans(text), "", json.loads(text), after)
    assert all(one.end <= other.start for one, other in pairwise(edits)), "they overlap"
    return applied(text, edits)


@pytest.mark.parametrize(
    ("text", "after", "expected"),
    [
        ('{"a": [2, 3], "b": 1}', {"a": [1, 2, 3], "b": 1}, '{"a": [1, 2, 3], "b": 1}'),
        ('{"a":[2,3],"b" : 1}', {"a": [2, 3, 4], "b": 1}, '{"a":[2,3,4],"b" : 1}'),
        ("[1,  2,\n 3]", [1, 3], "[1,\n 3]"),
        ("[1,  2,\n 3]", [1, 2], "[1,  2]"),
        ("[1,  2,\n 3]", [3], "[3]"),
        ("[\n  1\n]", [1, 2], "[\n  1,\n  2\n]"),
        ("[ 1 ]", [], "[]"),
        ("[]", [1], "[1]"),
        ('{"a": 1,\n "b": 2}', {"a": 1, "b": 2, "c": [3]}, '{"a": 1,\n "b": 2,\n "c": [3]}'),
        ('{"a": 1,\n "b": 2}', {"b": 2}, '{"b": 2}'),
        ('{"a": 1,\n "b": 2}', {"a": 1}, '{"a": 1}'),
        ('{"a": 1,\n "b": 2}', {"a": 1, "c": 3}, '{"a": 1,\n "c": 3}'),
        ('{"a": 1}', {"c": 3}, '{"c": 3}'),
        ('{"a~/": {"b": 1.0}}', {"a~/": {"b": 1}}, '{"a~/": {"b": 1}}'),
        ("[true, 1]", [1, True], "[1, true]"),
        ('["\\u00e9"]', ["é"], '["\\u00e9"]'),
    ],
)
def test_what_is_written_looks_as_what_stands_beside_it(text: str, after: Any, expected: str) -> None:
    assert edited(text, after) == expected


def test_comments_and_trailing_commas_stay() -> None:
    text = '{ // sizes\n  "a": [1, /* two */ 2, ],\n  "b": 7, // last\n}'
    before = {"a": [1, 2], "b": 7}
    edits = edits_between(text, spans(text), "", before, {"a": [1, 3, 4], "c": 8})
    assert applied(text, edits) == '{ // sizes\n  "a": [1, /* two */ 3, 4, ],\n  "c": 8, // last\n}'


def changed(choose: random.Random, tree: Any) -> Any:
    """A tree with one of its places changed: another value, an item more, an item less."""
    tree = copy.deepcopy(tree)
    node = tree
    while isinstance(node, (dict, list)) and node:
        key = choose.choice([*node] if isinstance(node, dict) else range(len(node)))
        if choose.random() < 0.4 or not isinstance(node[key], (dict, list)):
            match choose.randrange(3):
                case 0:
                    del node[key]
                case 1:
                    node[key] = choose.choice([0, "x", [], [5, 6], {"k": 1}, None])
                case _ if isinstance(node, list):
                    node[key:key] = [choose.randrange(9)] * choose.randrange(3)
                case _:
                    node[f"new{choose.randrange(9)}"] = [key]
            break
        node = node[key]
    return tree


def random_tree(choose: random.Random, deep: int = 0) -> Any:
    match choose.randrange(4 if deep < 3 else 2):
        case 2:
            return [random_tree(choose, deep + 1) for _ in range(choose.randrange(5))]
        case 3:
            return {key: random_tree(choose, deep + 1) for key in choose.sample(["a", "b/", "~c", 'q"', "é\n"], 3)}
        case _:
            return choose.choice([0, 1, -2.5, "say", None, True, [], {}])


def test_every_change_of_a_tree_is_what_the_edited_text_reads_as() -> None:
    choose = random.Random(3)
    for _ in range(2000):
        tree = random_tree(choose)
        text = json.dumps(tree, indent=choose.choice([None, 2]), separators=choose.choice([None, (",", ":")]))
        after = tree
        for _ in range(choose.randrange(1, 4)):
            after = changed(choose, after)
        assert json.dumps(json.loads(edited(text, after)), sort_keys=True) == json.dumps(after, sort_keys=True)


def test_edits_are_applied_in_the_order_of_the_text() -> None:
    assert applied("abcdef", [Edit(4, 5, "X"), Edit(0, 0, "<"), Edit(1, 3, "")]) == "<adXf"
