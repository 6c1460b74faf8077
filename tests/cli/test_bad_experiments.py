"""An experiment that can't be read is refused in one sentence with exit code 2; those beside it are reported."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from support.bad_experiments import MARK, SIZE, among_good, base, one_line, set_at, tensor
from support.commands import call, document, experiment

JOIN = "DML_OPERATOR_JOIN"
NAMES = "FLOAT32, FLOAT16, UINT32, UINT16, UINT8, INT32, INT16, INT8, FLOAT64, UINT64, INT64"
HUGE = str(2**53 + 1)


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
    ("type", "5", "type is 5, expected text."),
    ("feature_level", '"9_9"', 'feature level is "9_9", expected one of 1_0, 2_0, 2_1,'),
    ("feature_level", "5.0", "feature_level is 5.0, expected text."),
    ("notes", "[1]", "notes is [1], expected text."),
    ("desc", "[]", "desc is [], expected an object with the fields of DML_OPERATOR_TILE."),
    ("desc.Axis", "1", 'desc has "Axis", expected only InputTensor, OutputTensor, RepeatsCount, Repeats.'),
    ("desc.repeats", "[2]", 'desc has "repeats", did you mean "Repeats"? expected only InputTensor,'),
    (
        "desc.InputTensor.data_type",
        '"INT8"',
        'InputTensor has "data_type", did you mean "DataType"? expected only DataType, Sizes, Flags',
    ),
    ("values.inputTensor", "[1]", 'values has "inputTensor", did you mean "InputTensor"? expected only InputTensor.'),
    ("desc.InputTensor", "null", "InputTensor is null, expected an object with DataType and"),
    (
        "desc.InputTensor.Alignment",
        "[1]",
        'InputTensor has "Alignment", expected only DataType, Sizes, Strides, Flags, DimensionCount, TotalTensorSizeIn',
    ),
    ("desc.InputTensor.DataType", '"BOOL"', f'InputTensor.DataType is "BOOL", expected one of {NAMES}.'),
    ("desc.InputTensor.DataType", "null", "InputTensor.DataType is null, expected one of"),
    ("desc.InputTensor.Sizes", "null", "InputTensor.Sizes is null, expected a list of integers such as [3, 2]."),
    ("desc.InputTensor.Sizes", '"2"', 'InputTensor.Sizes is "2", expected a list of integers such as [3, 2].'),
    (SIZE, "2.5", "InputTensor.Sizes[0] is 2.5, expected an integer."),
    (SIZE, "true", "InputTensor.Sizes[0] is true, expected an integer."),
    (SIZE, '"2"', 'InputTensor.Sizes[0] is "2", expected an integer.'),
    (SIZE, str(2**64), "InputTensor.Sizes[0] has more than 64 bits, expected an integer of at most 64."),
    ("desc.Repeats.0", str(-(2**63) - 1), "Repeats[0] has more than 64 bits, expected an integer of at most 64."),
    ("desc.Repeats", "2", "Repeats is 2, expected a list of integers."),
    ("desc.Repeats.0", "1.5", "Repeats[0] is 1.5, expected an integer."),
    ("desc.RepeatsCount", '"1"', 'RepeatsCount is "1", expected an integer.'),
    ("values", "[]", "values is [], expected an object with an entry for each input tensor."),
    ("values.Input", "[1]", 'values has "Input", expected only InputTensor.'),
    ("x", "[" * 300 + "]" * 300, "it holds lists more than 100 deep, expected at mos"),
]
"""Places in an experiment, what stands there, and what is said of it."""
MISSING: list[tuple[str, str]] = [
    ("type", "type is missing, expected it in every experiment."),
    ("feature_level", "feature_level is missing, expected it in every experiment."),
    ("desc", "desc is missing, expected it in every experiment."),
    ("desc.Repeats", "Repeats is missing, expected it in a desc of DML_OPERATOR_TILE."),
    ("desc.InputTensor", "InputTensor is missing, expected it in a desc of DML_OPERATOR_"),
    ("desc.InputTensor.DataType", "InputTensor.DataType is missing, expected it in every"),
    ("desc.InputTensor.Sizes", "InputTensor.Sizes is missing, expected it in every tensor"),
]
VALUES: list[tuple[str, str, str]] = [
    ("UINT8", "5", 'values.InputTensor is 5, expected a list, {"fill": ...}, {"npy": ...} or {"from": ...}.'),
    ("UINT8", '{"file": "x"}', 'values.InputTensor is {"file": "x"}, expected a list,'),
    ("UINT8", "[1]", "InputTensor has 1 values, expected 2 for Sizes {2}."),
    ("UINT8", "[[1], [2]]", "InputTensor is nested as {2, 1}, expected {2} or one flat list."),
    ("UINT8", "[[1, 2], [3]]", "values.InputTensor[1] has 1 entries, expected 2 as before it."),
    ("UINT8", "[" * 9 + "1" + "]" * 9, "values.InputTensor is nested deeper than 8 lists,"),
    ("UINT8", "[1, 300]", "InputTensor[1] is 300, expected an integer from 0 to 255 for UINT8."),
    ("UINT64", f"[1, {2**64}]", f"InputTensor[1] is {2**64}, expected an integer from 0 to"),
    ("INT64", f"[{2**63}, 1]", f"InputTensor[0] is {2**63}, expected an integer from -922"),
    ("INT32", f"[{HUGE}, 1]", f"InputTensor[0] is {HUGE}, expected an integer from -2"),
    ("INT8", "[0.5, 1]", "InputTensor[0] is 0.5, expected an integer from -128 to 127 for INT8."),
    ("INT8", '["nan", 1]', 'InputTensor[0] is "nan", expected an integer from -128 to 127'),
    ("INT8", "[true, 1]", "InputTensor[0] is true, expected an integer from -128 to 127"),
    ("FLOAT32", "[1e39, 1]", "InputTensor[0] is 1e+39, expected a number from -3.40282e+38"),
    ("FLOAT16", "[65520, 1]", "InputTensor[0] is 65520, expected a number from -65504 to"),
    ("FLOAT32", "[true, 1]", 'InputTensor[0] is true, expected a number, "nan", "inf" or'),
    ("FLOAT32", '["Infinity", 1]', 'InputTensor[0] is "Infinity", expected a number, "nan"'),
    ("UINT8", '{"fill": "ones"}', 'values.InputTensor.fill is "ones", expected one of iota, con'),
    (
        "UINT8",
        '{"fill": "iota", "seed": 1}',
        'values.InputTensor has "seed", expected only start, step with fill iota.',
    ),
    ("UINT8", '{"fill": "iota", "step": 0.5}', "InputTensor.step is 0.5, expected an integer"),
    ("UINT8", '{"fill": "constant"}', "values.InputTensor.value is missing, expected the val"),
    ("UINT8", '{"fill": "constant", "value": 256}', "InputTensor.value is 256, expected an"),
    ("UINT8", '{"fill": "random", "seed": -1}', "values.InputTensor.seed is -1, expected an int"),
    ("UINT8", '{"npy": 5}', "values.InputTensor.npy is 5, expected the name of a file."),
    ("UINT8", '{"npy": "x", "mode": "r"}', 'values.InputTensor has "mode", expected nothing bes'),
    ("UINT8", '{"npy": "a\\u0000.npy"}', "InputTensor: a\\u0000.npy can't be a file, expected the name of"),
    ("UINT8", '{"npy": "\\ud800.npy"}', "InputTensor: \\ud800.npy can't be a file, expected the"),
]
"""What is given as the two elements of a type."""
NO_TENSOR: list[tuple[str, str]] = [
    (set_at(SIZE, "0").replace("[1, 2]", '[1, {"a": 1}]'), 'InputTensor[1] is {"a": 1}, expected a finite number.'),
    (
        set_at(SIZE, "0").replace("[1, 2]", '{"npy": "../x.npy"}'),
        "InputTensor: ../x.npy lies outside the session's folder, expected a file inside it.",
    ),
]
"""A tensor that can't exist still wants values that can be written back."""
EXPERIMENTS = [
    *((set_at(path, raw), sentence) for path, raw, sentence in WRONG),
    *((without(path), sentence) for path, sentence in MISSING),
    *((typed(data_type, raw), sentence) for data_type, raw, sentence in VALUES),
    *NO_TENSOR,
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
        assert said.startswith(f's.json: experiment "bad": {sentence}')
        assert one_line(said)
        assert len(said) < 500
        assert [(each["name"], each["ok"]) for each in found.json] == [("first", True), ("last", True)]
    assert os.listdir() == ["s.json"]


def test_experiments_without_a_name() -> None:
    said = [
        ("5", "experiment 2: found 5, expected an object with name, type, feature_level and desc."),
        ("null", "experiment 2: found null, expected an object with name,"),
        ("{}", "experiment 2: name is missing, expected it in every experiment."),
        ('{"name": 5, "feature_level": "", "type": "", "desc": ""}', "experiment 2: name is 5, expected text."),
        ('{"name": "a\\nb\\u001b"}', 'experiment "a\\nb\\u001b": feature_level is missing'),
        (
            '{"name": "\\ud800", "feature_level": "", "type": "", "desc": ""}',
            'experiment "\\ud800": name is "\\ud800", which is half of a character, expected text.',
        ),
        ('{"name": "' + "long " * 20_000 + '"}', 'experiment "long long'),
    ]
    for raw, sentence in said:
        found = call("check", "-", stdin=among_good(raw))
        assert found.code == 2
        (line,) = found.said
        assert line.startswith(f"standard input: {sentence}")
        assert one_line(line)
        assert len(line) < 300
        assert found.out.count("✔") == 2


def test_every_experiment_that_can_not_be_read_is_told() -> None:
    found = call("check", "-", stdin=document({"name": "a"}, experiment("fine"), {"name": "b"}, 7))
    assert found.code == 2
    assert [line.split(": ")[1] for line in found.said] == ['experiment "a"', 'experiment "b"', "experiment 4"]
    assert found.out.startswith("✔ fine")
