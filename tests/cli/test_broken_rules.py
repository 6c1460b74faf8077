"""Descs that break a rule, which any integer may do: exit code 1; and outputs that no memory holds."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.bad_experiments import SIZE, among_good, one_line, set_at, tensor
from support.commands import call

TILE, GATHER = "DML_OPERATOR_TILE", "DML_OPERATOR_GATHER"

RULES: dict[str, tuple[str, str]] = {
    "size negative": (set_at(SIZE, "-2"), "sizes.positive"),
    "size 0": (set_at(SIZE, "0"), "sizes.positive"),
    "size beyond 2^32": (set_at(SIZE, str(2**64 - 1)), "sizes.element_count"),
    "2^32 elements": (set_at("desc.InputTensor.Sizes", "[65536, 65536]"), "sizes.element_count"),
    "no sizes": (set_at("desc.InputTensor.Sizes", "[]"), "dimension_count.supported"),
    "nine dimensions": (set_at("desc.InputTensor.Sizes", "[1, 1, 1, 1, 1, 1, 1, 1, 1]"), "dimension_count.supported"),
    "a thousand dimensions": (set_at("desc.InputTensor.Sizes", str([1] * 1000)), "dimension_count.supported"),
    "repeat 0": (set_at("desc.Repeats.0", "0"), "repeats.positive"),
    "repeat negative": (set_at("desc.Repeats.0", "-1"), "repeats.positive"),
    "no repeats": (set_at("desc.Repeats", "[]"), "repeats.count"),
    "more repeats": (set_at("desc.Repeats", "[1, 1]"), "repeats.count"),
    "count 0": (set_at("desc.RepeatsCount", "0"), "count.matches"),
    "count negative": (set_at("desc.RepeatsCount", "-1"), "count.matches"),
}


@pytest.mark.drawn(5)
@pytest.mark.parametrize("name", list(RULES))
def test_any_integer_is_held_and_checked(name: str) -> None:
    raw, rule = RULES[name]
    text = among_good(raw.replace("[1, 2]", '{"fill": "iota"}'))
    found = call("check", "-", "--json", stdin=text)
    assert (found.code, found.said) == (1, [])
    assert [each["ok"] for each in found.json] == [True, False, True]
    assert rule in {c["id"] for c in found.json[1]["checks"] if not c["ok"]}
    assert all(one_line(c["message"]) for c in found.json[1]["checks"])
    assert call("check", "-", stdin=text).code == 1
    ran = call("run", "-", "--json", stdin=text)
    assert ran.code == 1
    (said,) = ran.said
    assert said.startswith('standard input: experiment "bad": ')
    assert one_line(said)
    assert [each["ok"] for each in ran.json] == [True, False, True]


@pytest.mark.parametrize("name", ["Axis", "IndexDimensions"])
@pytest.mark.parametrize("digits", ["-1", "9", str(2**32), str(2**64 - 1)], ids=len)
def test_any_axis_is_held_and_checked(name: str, digits: str) -> None:
    desc: dict[str, Any] = {"InputTensor": tensor("FLOAT32", 3, 2), "IndicesTensor": tensor("UINT32", 1, 4)}
    desc |= {"Axis": 0, "IndexDimensions": 1, name: 7}
    held = {"name": "bad", "feature_level": "5_0", "type": GATHER, "desc": desc}
    text = json.dumps(held).replace(": 7", f": {digits}")
    found = call("check", "-", "--json", stdin=among_good(text))
    assert (found.code, found.said) == (1, [])
    broken = {c["id"] for c in found.json[1]["checks"] if not c["ok"]}
    assert broken == {"axis.range" if name == "Axis" else "index_dimensions.range"}


def test_outputs_larger_than_memory() -> None:
    desc = {"InputTensor": tensor("INT64", 65535, 1), "Repeats": [1, 65535]}
    held = {"name": "bad", "feature_level": "5_0", "type": TILE, "desc": desc}
    assert call("check", "-", stdin=json.dumps({"dmlviz": 1, "experiments": [held]})).code == 0
    found = call("run", "-", "--json", stdin=among_good(json.dumps(held)))
    if found.code:  # a machine with room for 32 GiB may do it
        assert found.code == 2
        assert [each["ok"] for each in found.json] == [True, False, True]
        (said,) = found.said
        assert said.startswith('standard input: experiment "bad": running TILE needs 32.0 GiB of memory, but only ')
        assert one_line(said)
