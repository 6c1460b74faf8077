"""Sessions with random changes, and random bytes: each is read, checked and saved, or refused in a sentence."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.bad_experiments import one_line
from support.commands import call
from support.effort import tried

from dmlviz.errors import SessionError
from dmlviz.session import examples, reading, writing

SEEDS = [each.path.read_bytes() for each in examples.all_examples() if each.path.stat().st_size < 3000]
TREES = [json.loads(seed) for seed in SEEDS]

ODD: list[Any] = [None, True, False, 0, 1, -1, 2, 8, 9, 2**32, 2**64, 10**400, 0.5, -0.0, 1e308]
ODD += ["", "nan", "FLOAT32", "x\ny", "\ud800", "DML_OPERATOR_TILE", "2_1", "5_0"]
ODD += [[], {}, [[]], [1, 2], [[1], [2, 3]]]
ODD += [{"npy": "x"}, {"npy": ".."}, {"fill": "iota"}, {"fill": "random", "seed": 3}]
ODD += [{"DataType": "INT8", "Sizes": [2]}, {"DataType": "FLOAT64", "Sizes": [0, -1]}]


def held(content: bytes) -> None:
    """Whatever `content` is, reading gives a session that can be checked and saved, or a sentence."""
    try:
        found, errors = reading.parse(content, "it", Path("/nowhere"))
    except SessionError as error:
        found, errors = None, [error]
    for each in errors:
        assert isinstance(each, SessionError)
        assert str(each).startswith("it")
        assert one_line(str(each))
    if found is None or not found.experiments:
        return
    for each_read in found.experiments:
        report = each_read.check()
        assert all(one_line(c.message) for c in report.checks)
        each_read.sources_or_defaults()
    again, none = reading.parse(writing.dump(found).encode(), "it", Path("/nowhere"))
    assert not none
    assert again == found


def mutate(tree: Any, chance: random.Random) -> Any:
    """`tree` with one value somewhere in it replaced, taken away, doubled, renamed or swapped with another."""
    places: list[tuple[Any, Any]] = []
    todo = [tree]
    while todo:
        at = todo.pop()
        for key in at if isinstance(at, dict) else range(len(at)):
            places.append((at, key))
            if isinstance(at[key], (dict, list)):
                todo.append(at[key])
    at, key = chance.choice(places)
    other, other_key = chance.choice(places)
    how = chance.randrange(6)
    if how == 0:
        del at[key]
    elif how == 1:
        at[key] = copy.deepcopy(other[other_key])
    elif how == 2 and isinstance(at, list):
        at.insert(chance.randint(0, len(at)), copy.deepcopy(other[other_key]))
    elif how == 3 and isinstance(at, dict):
        at[chance.choice(["x", "", "\n", "Axis", "npy", "fill", "Sizes", "values", "notes"])] = at.pop(key)
    else:
        at[key] = copy.deepcopy(chance.choice(ODD))
    return tree


@given(st.sampled_from(TREES), st.randoms(use_true_random=False))
@tried(500)
def test_mutated_trees(seed: Any, chance: random.Random) -> None:
    tree = copy.deepcopy(seed)
    for _ in range(chance.randint(1, 4)):
        if tree:
            tree = mutate(tree, chance)
    held(json.dumps(tree, allow_nan=False).encode())


@given(st.sampled_from(TREES), st.randoms(use_true_random=False))
@tried(100)
def test_check_on_mutated_trees(seed: Any, chance: random.Random) -> None:
    tree = mutate(mutate(copy.deepcopy(seed), chance), chance)
    found = call("check", "-", "--json", stdin=json.dumps(tree))
    assert all(one_line(said) and said.startswith("standard input") for said in found.said)
    unchecked = any(each["not_checked"] for each in found.json)
    assert found.said or found.code != 2 or unchecked
    assert found.code or not (found.said or unchecked)
    if found.code != 2:
        whole = json.loads(found.out)
        told = [each.get("task", {}).get("faults") for each in whole["experiments"]]  # examples have tasks
        told += [each.get("lesson", {}).get("faults") for each in whole["files"]]
        assert found.code == int(any(each["ok"] is False for each in whole["experiments"]) or any(told))
