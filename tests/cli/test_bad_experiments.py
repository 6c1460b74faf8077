"""An experiment that can't be read is exit code 2 with a sentence, one that breaks a rule 1; others are reported."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from support.bad_experiments import MARK, SIZE, among_good, base, one_line, set_at, tensor
from support.commands import call

NAMES = "FLOAT32, FLOAT16, UINT32, UINT16, UINT8, INT32, INT16, INT8, FLOAT64, UINT64, INT64"


def without(path: str) -> str:
    found = base()
    *way, last = path.split(".")
    at: Any = found
    for key in way:
        at = at[key]
    del at[last]
    return json.dumps(found)


def typed(data_type: str, raw: str) -> str:
    """The experiment "bad" with its two elements of `data_type` given as `raw`."""
    found = base("MARK")
    found["desc"]["InputTensor"] = tensor(data_type)
    return json.dumps(found).replace(MARK, raw)


WRONG: list[tuple[str, str, str]] = [
    ("type", '"DML_OPERATOR_SLICE"', 'operator type is "DML_OPERATOR_SLICE", expected one'),
    ("feature_level", '"9_9"', 'feature level is "9_9", expected one of 1_0, 2_0, 2_1,'),
    ("notes", "[1]", "notes is [1], expected text."),
    ("desc", "[]", "desc is [], expected an object with the fields of DML_OPERATOR_TILE."),
    ("desc.repeats", "[2]", 'desc has "repeats", did you mean "Repeats"? expected only InputTensor,'),
    ("values.inputTensor", "[1]", 'values has "inputTensor", did you mean "InputTensor"? expected only InputTensor.'),
    ("desc.InputTensor", "null", "InputTensor is null, expected an object with DataType and"),
    (
        "desc.InputTensor.Alignment",
        "[1]",
        'InputTensor has "Alignment", expected only DataType, Sizes, Flags, DimensionCount, Strides,',
    ),
    ("desc.InputTensor.DataType", '"BOOL"', f'InputTensor.DataType is "BOOL", expected one of {NAMES}.'),
    ("desc.InputTensor.Sizes", '"2"', 'InputTensor.Sizes is "2", expected a list of integers such as [3, 2].'),
    (SIZE, "2.5", "InputTensor.Sizes[0] is 2.5, expected an integer."),
    (SIZE, str(2**64), "InputTensor.Sizes[0] has more than 64 bits, expected an integer of at most 64."),
    ("desc.Repeats.0", str(-(2**63) - 1), "Repeats[0] has more than 64 bits, expected an integer of at most 64."),
    ("desc.RepeatsCount", '"1"', 'RepeatsCount is "1", expected an integer.'),
    ("values", "[]", "values is [], expected an object with an entry for each input tensor."),
    ("x", "[" * 300 + "]" * 300, "it holds lists more than 100 deep, expected at mos"),
]
"""Places in an experiment, what stands there, and what is said of it."""
MISSING: list[tuple[str, str]] = [
    ("feature_level", "feature_level is missing, expected it in every experiment."),
    ("desc.Repeats", "Repeats is missing, expected it in a desc of DML_OPERATOR_TILE."),
    ("desc.InputTensor.DataType", "InputTensor.DataType is missing, expected it in every"),
]
VALUES: list[tuple[str, str, str]] = [
    ("UINT8", "5", 'values.InputTensor is 5, expected a list, {"fill": ...}, {"npy": ...} or {"from": ...}.'),
    ("UINT8", "[1]", "InputTensor has 1 values, expected 2 for Sizes {2}."),
    ("UINT8", "[[1], [2]]", "InputTensor is nested as {2, 1}, expected {2} or one flat list."),
    ("UINT8", "[[1, 2], [3]]", "values.InputTensor[1] has 1 entries, expected 2 as before it."),
    ("UINT8", "[" * 9 + "1" + "]" * 9, "values.InputTensor is nested deeper than 8 lists,"),
    ("UINT8", "[1, 300]", "InputTensor[1] is 300, expected an integer from 0 to 255 for UINT8."),
    ("UINT64", f"[1, {2**64}]", f"InputTensor[1] is {2**64}, expected an integer from 0 to"),
    ("INT8", "[0.5, 1]", "InputTensor[0] is 0.5, expected an integer from -128 to 127 for INT8."),
    ("FLOAT32", "[1e39, 1]", "InputTensor[0] is 1e+39, expected a number from -3.40282e+38"),
    ("FLOAT16", "[65520, 1]", "InputTensor[0] is 65520, expected a number from -65504 to"),
    ("FLOAT32", "[true, 1]", 'InputTensor[0] is true, expected a number, "nan", "inf" or'),
    ("UINT8", '{"fill": "ones"}', 'values.InputTensor.fill is "ones", expected one of iota, con'),
    ("UINT8", '{"fill": "iota", "seed": 1}', 'values.InputTensor has "seed", expected only start, step with'),
    ("UINT8", '{"fill": "constant", "value": 256}', "InputTensor.value is 256, expected an"),
    ("UINT8", '{"fill": "random", "seed": -1}', "values.InputTensor.seed is -1, expected an int"),
    ("UINT8", '{"npy": "x", "mode": "r"}', 'values.InputTensor has "mode", expected nothing bes'),
    ("UINT8", '{"npy": "a\\u0000.npy"}', "InputTensor: a\\u0000.npy can't be a file, expected the name of"),
]
"""What is given as the two elements of a type."""
NAMELESS: list[tuple[str, str]] = [
    ("5", "experiment 2: found 5, expected an object with name, type, feature_level and desc."),
    ("{}", "experiment 2: name is missing, expected it in every experiment."),
    ('{"name": 5, "feature_level": "", "type": "", "desc": ""}', "experiment 2: name is 5, expected text."),
    ('{"name": "a\\nb\\u001b"}', 'experiment "a\\nb\\u001b": feature_level is missing'),
    ('{"name": "\\ud800"}', 'experiment "\\ud800": '),
    ('{"name": "' + "long " * 20_000 + '"}', 'experiment "long long'),
]
NO_TENSOR = set_at(SIZE, "0").replace("[1, 2]", '{"npy": "../x.npy"}')
"""A tensor that can't exist still wants values that can be written back."""
EXPERIMENTS = [
    *((set_at(path, raw), f'experiment "bad": {sentence}') for path, raw, sentence in WRONG),
    *((without(path), f'experiment "bad": {sentence}') for path, sentence in MISSING),
    *((typed(data_type, raw), f'experiment "bad": {sentence}') for data_type, raw, sentence in VALUES),
    *NAMELESS,
    (
        NO_TENSOR,
        'experiment "bad": InputTensor: ../x.npy lies outside the session\'s folder, expected a file inside it.',
    ),
]


@pytest.mark.drawn(30)
@pytest.mark.parametrize(("raw", "sentence"), EXPERIMENTS, ids=[sentence[:60] for _, sentence in EXPERIMENTS])
def test_an_experiment_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, raw: str, sentence: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.json").write_text(among_good(raw))
    for command in ("check", "run"):
        found = call(command, "s.json", "--json")
        assert found.code == 2
        (said,) = found.said
        assert said.startswith(f"s.json: {sentence}")
        assert one_line(said)
        assert len(said) < 500
        assert [(each["name"], each["ok"]) for each in found.json] == [("first", True), ("last", True)]
    assert os.listdir() == ["s.json"]


def given(sizes: str = "[2]", repeats: str = "[2]", **more: str) -> str:
    """The experiment "bad" with these fields as JSON text."""
    fields = {"InputTensor": f'{{"DataType": "UINT8", "Sizes": {sizes}}}', "Repeats": repeats, **more}
    desc = ", ".join(f'"{name}": {raw}' for name, raw in fields.items())
    return f'{{"name": "bad", "feature_level": "5_0", "type": "DML_OPERATOR_TILE", "desc": {{{desc}}}}}'


def axis(name: str, digits: int) -> str:
    desc: dict[str, Any] = {"InputTensor": tensor("FLOAT32", 3, 2), "IndicesTensor": tensor("UINT32", 1, 4)}
    desc |= {"Axis": 0, "IndexDimensions": 1, name: digits}
    return json.dumps({"name": "bad", "feature_level": "5_0", "type": "DML_OPERATOR_GATHER", "desc": desc})


@pytest.mark.drawn(5)
@pytest.mark.parametrize(
    ("raw", "rule"),
    [
        (given("[-2]"), "sizes.positive"),
        (given("[0]"), "sizes.positive"),
        (given(f"[{2**64 - 1}]"), "sizes.element_count"),
        (given("[65536, 65536]", "[1, 1]"), "sizes.element_count"),
        (given("[]"), "dimension_count.supported"),
        (given(str([1] * 1000)), "dimension_count.supported"),
        (given(repeats="[0]"), "repeats.positive"),
        (given(repeats="[]"), "repeats.count"),
        (given(RepeatsCount="-1"), "count.matches"),
        *((axis("Axis", digits), "axis.range") for digits in (-1, 9, 2**64 - 1)),
        *((axis("IndexDimensions", digits), "index_dimensions.range") for digits in (-1, 9, 2**32)),
    ],
)
def test_any_integer_is_held_and_checked(raw: str, rule: str) -> None:
    text = among_good(raw)
    found = call("check", "-", "--json", stdin=text)
    assert (found.code, found.said) == (1, [])
    assert [each["ok"] for each in found.json] == [True, False, True]
    assert rule in {c["id"] for c in found.json[1]["checks"] if not c["ok"]}
    assert all(one_line(c["message"]) for c in found.json[1]["checks"])
    ran = call("run", "-", "--json", stdin=text)
    assert (ran.code, [each["ok"] for each in ran.json]) == (1, [True, False, True])
    (said,) = ran.said
    assert said.startswith('standard input: experiment "bad": ')
    assert one_line(said)
