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


EXPERIMENT: dict[str, tuple[str, str]] = {
    "unknown operator": (set_at("type", '"DML_OPERATOR_SLICE"'), 'operator type is "DML_OPERATOR_SLICE", expected one'),
    "operator in small letters": (set_at("type", '"tile"'), 'operator type is "tile", expected one of DML_OPERATOR_'),
    "type a number": (set_at("type", "5"), 'type is 5, expected text such as "DML_OPERATOR_GATHER".'),
    "type a list": (set_at("type", "[]"), "type is [], expected text such as"),
    "type missing": (without("type"), "type is missing, expected it in every experiment."),
    "level unknown": (set_at("feature_level", '"9_9"'), 'feature level is "9_9", expected one of 1_0, 2_0, 2_1,'),
    "level a number": (set_at("feature_level", "5.0"), 'feature_level is 5.0, expected text such as "5_0".'),
    "level missing": (without("feature_level"), "feature_level is missing, expected it in every experiment."),
    "notes": (set_at("notes", "[1]"), "notes is [1], expected text."),
    "notes half a character": (
        set_at("notes", '"\\udfff"'),
        'notes is "\\udfff", which is half of a character, expect',
    ),
    "desc missing": (without("desc"), "desc is missing, expected it in every experiment."),
    "desc a list": (set_at("desc", "[]"), "desc is [], expected an object with the fields of DML_OPERATOR_TILE."),
    "desc null": (set_at("desc", "null"), "desc is null, expected an object"),
    "field unknown": (
        set_at("desc.Axis", "1"),
        'desc has "Axis", expected only InputTensor, OutputTensor, RepeatsCount, Repeats.',
    ),
    "field in small letters": (
        set_at("desc.repeats", "[2]"),
        'desc has "repeats", did you mean "Repeats"? expected only InputTensor,',
    ),
    "field of a letter more": (set_at("desc.Repeatss", "[2]"), 'desc has "Repeatss", did you mean "Repeats"? '),
    "field of another word": (set_at("desc.Copies", "[2]"), 'desc has "Copies", expected only InputTensor,'),
    "key of a tensor in small letters": (
        set_at("desc.InputTensor.data_type", '"INT8"'),
        'InputTensor has "data_type", did you mean "DataType"? expected only DataType, Sizes, Strides',
    ),
    "values of nearly a field": (
        set_at("values.inputTensor", "[1]"),
        'values has "inputTensor", did you mean "InputTensor"? expected only InputTensor.',
    ),
    "field half a character": (set_at("desc", '{"\\ud800": 1}'), 'desc has "\\ud800", expected only'),
    "field missing": (without("desc.Repeats"), "Repeats is missing, expected it in a desc of DML_OPERATOR_TILE."),
    "tensor missing": (without("desc.InputTensor"), "InputTensor is missing, expected it in a desc of DML_OPERATOR_"),
    "tensor null": (set_at("desc.InputTensor", "null"), "InputTensor is null, expected an object with DataType and"),
    "tensor a list": (set_at("desc.InputTensor", "[2]"), "InputTensor is [2], expected an object with DataType and"),
    "output null": (set_at("desc.OutputTensor", "null"), "OutputTensor is null, expected an object with DataType and"),
    "tensor with more": (
        set_at("desc.InputTensor.Alignment", "[1]"),
        'InputTensor has "Alignment", expected only DataType, Sizes, Strides, Flags, DimensionCount, TotalTensorSizeIn',
    ),
    "DataType missing": (without("desc.InputTensor.DataType"), "InputTensor.DataType is missing, expected it in every"),
    "DataType unknown": (
        set_at("desc.InputTensor.DataType", '"BOOL"'),
        f'InputTensor.DataType is "BOOL", expected one of {NAMES}.',
    ),
    "DataType of NumPy": (set_at("desc.InputTensor.DataType", '"f4"'), 'InputTensor.DataType is "f4", expected one of'),
    "DataType small": (set_at("desc.InputTensor.DataType", '"uint8"'), 'InputTensor.DataType is "uint8", expected one'),
    "DataType code": (set_at("desc.InputTensor.DataType", '"(1,"'), 'InputTensor.DataType is "(1,", expected one of'),
    "DataType null": (set_at("desc.InputTensor.DataType", "null"), "InputTensor.DataType is null, expected one of"),
    "DataType a number": (set_at("desc.InputTensor.DataType", "1"), "InputTensor.DataType is 1, expected one of"),
    "Sizes absent": (without("desc.InputTensor.Sizes"), "InputTensor.Sizes is missing, expected it in every tensor"),
    "Sizes null": (set_at("desc.InputTensor.Sizes", "null"), "InputTensor.Sizes is null, expected a list of integers."),
    "Sizes a number": (set_at("desc.InputTensor.Sizes", "2"), "InputTensor.Sizes is 2, expected a list of integers."),
    "Sizes text": (set_at("desc.InputTensor.Sizes", '"2"'), 'InputTensor.Sizes is "2", expected a list of integers.'),
    "Sizes an object": (set_at("desc.InputTensor.Sizes", '{"0": 2}'), 'InputTensor.Sizes is {"0": 2}, expected a list'),
    "size fractional": (set_at(SIZE, "2.5"), "InputTensor.Sizes[0] is 2.5, expected an integer."),
    "size whole but a float": (set_at(SIZE, "2.0"), "InputTensor.Sizes[0] is 2.0, expected an integer."),
    "size with exponent": (set_at(SIZE, "1e2"), "InputTensor.Sizes[0] is 100.0, expected an integer."),
    "size boolean": (set_at(SIZE, "true"), "InputTensor.Sizes[0] is true, expected an integer."),
    "size text": (set_at(SIZE, '"2"'), 'InputTensor.Sizes[0] is "2", expected an integer.'),
    "size null": (set_at(SIZE, "null"), "InputTensor.Sizes[0] is null, expected an integer."),
    "size a list": (set_at(SIZE, "[2]"), "InputTensor.Sizes[0] is [2], expected an integer."),
    "size beyond every float": (set_at(SIZE, "1e400"), "InputTensor.Sizes[0] is 1e400, expected an integer."),
    "size of a million digits": (
        set_at(SIZE, "9" * 10**6),
        "InputTensor.Sizes[0] is 99999999999999999999… (1,000,000 digits), expected an integer.",
    ),
    "Repeats a number": (set_at("desc.Repeats", "2"), "Repeats is 2, expected a list of integers."),
    "Repeats absent": (set_at("desc.Repeats", "null"), "Repeats is null, expected a list of integers."),
    "repeat boolean": (set_at("desc.Repeats.0", "false"), "Repeats[0] is false, expected an integer."),
    "repeat fractional": (set_at("desc.Repeats.0", "1.5"), "Repeats[0] is 1.5, expected an integer."),
    "count text": (set_at("desc.RepeatsCount", '"1"'), 'RepeatsCount is "1", expected an integer.'),
    "count null": (set_at("desc.RepeatsCount", "null"), "RepeatsCount is null, expected an integer."),
    "values a list": (set_at("values", "[]"), "values is [], expected an object with an entry for each input tensor."),
    "values null": (
        set_at("values", "null"),
        "values is null, expected an object with an entry for each input tensor.",
    ),
    "values of no field": (set_at("values.Input", "[1]"), 'values has "Input", expected only InputTensor.'),
    "values of an output": (
        set_at("values.OutputTensor", "[1]"),
        'values has "OutputTensor", expected only InputTensor',
    ),
    "values a number": (
        typed("UINT8", "5"),
        'values.InputTensor is 5, expected a list, {"fill": ...} or {"npy": ...}.',
    ),
    "values text": (typed("UINT8", '"12"'), 'values.InputTensor is "12", expected a list,'),
    "values of neither kind": (
        typed("UINT8", '{"file": "x"}'),
        'values.InputTensor is {"file": "x"}, expected a list,',
    ),
    "too few": (typed("UINT8", "[1]"), "InputTensor has 1 values, expected 2 for Sizes {2}."),
    "too many": (typed("UINT8", "[1, 2, 3]"), "InputTensor has 3 values, expected 2 for Sizes {2}."),
    "none": (typed("UINT8", "[]"), "InputTensor has 0 values, expected 2 for Sizes {2}."),
    "nested wrongly": (typed("UINT8", "[[1], [2]]"), "InputTensor is nested as {2, 1}, expected {2} or one flat list."),
    "nested unevenly": (
        typed("UINT8", "[[1, 2], [3]]"),
        "values.InputTensor[1] has 1 entries, expected 2 as before it.",
    ),
    "nested in part": (typed("UINT8", "[[1], 2]"), "values.InputTensor[1] is 2, expected a list like its neighbours."),
    "nested nine deep": (typed("UINT8", "[" * 9 + "1" + "]" * 9), "values.InputTensor is nested deeper than 8 lists,"),
    "nested 500 deep": (typed("UINT8", "[" * 500 + "]" * 500), "values.InputTensor is nested deeper than 8 lists,"),
    "300 for UINT8": (
        typed("UINT8", "[1, 300]"),
        "InputTensor[1] is 300, expected an integer from 0 to 255 for UINT8.",
    ),
    "-1 for UINT32": (typed("UINT32", "[-1, 1]"), "InputTensor[0] is -1, expected an integer from 0 to 4294967295 for"),
    "-129 for INT8": (typed("INT8", "[1, -129]"), "InputTensor[1] is -129, expected an integer from -128 to 127 for"),
    "2^64 for UINT64": (typed("UINT64", f"[1, {2**64}]"), f"InputTensor[1] is {2**64}, expected an integer from 0 to"),
    "2^63 for INT64": (typed("INT64", f"[{2**63}, 1]"), f"InputTensor[0] is {2**63}, expected an integer from -922"),
    "beyond 2^53 for INT32": (typed("INT32", f"[{HUGE}, 1]"), f"InputTensor[0] is {HUGE}, expected an integer from -2"),
    "0.5 for INT8": (
        typed("INT8", "[0.5, 1]"),
        "InputTensor[0] is 0.5, expected an integer from -128 to 127 for INT8.",
    ),
    "1.0 for INT8": (
        typed("INT8", "[1.0, 1]"),
        "InputTensor[0] is 1.0, expected an integer from -128 to 127 for INT8.",
    ),
    "nan for an integer": (
        typed("INT8", '["nan", 1]'),
        'InputTensor[0] is "nan", expected an integer from -128 to 127',
    ),
    "true for an integer": (typed("INT8", "[true, 1]"), "InputTensor[0] is true, expected an integer from -128 to 127"),
    "null for an integer": (typed("INT8", "[1, null]"), "InputTensor[1] is null, expected an integer from -128 to 127"),
    "1e400 for an integer": (typed("INT64", "[1e400, 1]"), "InputTensor[0] is 1e400, expected an integer from"),
    "1e400": (typed("FLOAT64", "[1e400, 1]"), "InputTensor[0] is 1e400, expected a number from -1.79769e+308 to"),
    "-1e400": (typed("FLOAT16", "[1, -1e400]"), "InputTensor[1] is -1e400, expected a number from -65504 to 65504 for"),
    "1e39 for FLOAT32": (typed("FLOAT32", "[1e39, 1]"), "InputTensor[0] is 1e+39, expected a number from -3.40282e+38"),
    "65520 for FLOAT16": (typed("FLOAT16", "[65520, 1]"), "InputTensor[0] is 65520, expected a number from -65504 to"),
    "10^400 as an integer": (typed("FLOAT64", f"[{10**400}, 1]"), "InputTensor[0] is 1000000000000000000000000000000"),
    "5000 digits for a float": (
        typed("FLOAT64", f"[1, {'9' * 20_000}]"),
        "InputTensor[1] is 99999999999999999999… (20,000 digits), expected a number from",
    ),
    "true for a float": (typed("FLOAT32", "[true, 1]"), 'InputTensor[0] is true, expected a number, "nan", "inf" or'),
    "Infinity in quotes": (
        typed("FLOAT32", '["Infinity", 1]'),
        'InputTensor[0] is "Infinity", expected a number, "nan"',
    ),
    "NaN in quotes": (typed("FLOAT32", '["NaN", 1]'), 'InputTensor[0] is "NaN", expected a number, "nan", "inf" or'),
    "an object in a list": (typed("FLOAT32", '[{"a": 1}, 1]'), 'InputTensor[0] is {"a": 1}, expected a number,'),
    "a line break in a list": (typed("FLOAT32", '["\\n", 1]'), 'InputTensor[0] is "\\n", expected a number,'),
    "fill unknown": (
        typed("UINT8", '{"fill": "ones"}'),
        'values.InputTensor.fill is "ones", expected one of iota, con',
    ),
    "fill null": (typed("UINT8", '{"fill": null}'), "values.InputTensor.fill is null, expected one of iota, constant,"),
    "fill with more": (
        typed("UINT8", '{"fill": "iota", "seed": 1}'),
        'values.InputTensor has "seed", expected only start, step with fill iota.',
    ),
    "iota of text": (
        typed("UINT8", '{"fill": "iota", "start": "1"}'),
        'values.InputTensor.start is "1", expected a fi',
    ),
    "iota beyond": (
        typed("FLOAT32", '{"fill": "iota", "step": 1e400}'),
        "values.InputTensor.step is 1e400, expected a",
    ),
    "iota huge": (typed("FLOAT32", f'{{"fill": "iota", "step": {10**400}}}'), "InputTensor.step is 1000000000000000"),
    "iota of halves": (typed("UINT8", '{"fill": "iota", "step": 0.5}'), "InputTensor.step is 0.5, expected an integer"),
    "constant missing": (
        typed("UINT8", '{"fill": "constant"}'),
        "values.InputTensor.value is missing, expected the val",
    ),
    "constant beyond": (typed("UINT8", '{"fill": "constant", "value": 256}'), "InputTensor.value is 256, expected an"),
    "constant nan": (typed("UINT8", '{"fill": "constant", "value": "nan"}'), 'InputTensor.value is "nan", expected an'),
    "constant text": (
        typed("FLOAT16", '{"fill": "constant", "value": "x"}'),
        'values.InputTensor.value is "x", expect',
    ),
    "constant huge": (
        typed("FLOAT16", f'{{"fill": "constant", "value": {10**400}}}'),
        "InputTensor.value is 100000000",
    ),
    "seed negative": (
        typed("UINT8", '{"fill": "random", "seed": -1}'),
        "values.InputTensor.seed is -1, expected an int",
    ),
    "seed too large": (
        typed("UINT8", f'{{"fill": "random", "seed": {2**128}}}'),
        "values.InputTensor.seed is 340282366",
    ),
    "seed true": (
        typed("UINT8", '{"fill": "random", "seed": true}'),
        "values.InputTensor.seed is true, expected an in",
    ),
    "npy a number": (typed("UINT8", '{"npy": 5}'), "values.InputTensor.npy is 5, expected the name of a file."),
    "npy empty": (typed("UINT8", '{"npy": ""}'), 'values.InputTensor.npy is "", expected the name of a file.'),
    "npy with more": (
        typed("UINT8", '{"npy": "x", "mode": "r"}'),
        'values.InputTensor has "mode", expected nothing bes',
    ),
    "npy with NUL": (
        typed("UINT8", '{"npy": "a\\u0000.npy"}'),
        "InputTensor: a\\u0000.npy can't be a file, expected the name of",
    ),
    "npy half a character": (
        typed("UINT8", '{"npy": "\\ud800.npy"}'),
        "InputTensor: \\ud800.npy can't be a file, expected the",
    ),
    "npy not a byte": (
        typed("UINT8", '{"npy": "\\udcff.npy"}'),
        "InputTensor: \\udcff.npy can't be a file, expected the name",
    ),
    "an unknown key too deep": (
        set_at("x", "[" * 300 + "]" * 300),
        "it holds lists more than 100 deep, expected at mos",
    ),
    "an unknown key too large": (
        set_at("x", "-1e999"),
        'it holds "x", which is no field of a session and can\'t be wr',
    ),
    # A tensor that can't exist still wants values that can be written back.
    "an object for no tensor": (
        set_at(SIZE, "0").replace("[1, 2]", '[1, {"a": 1}]'),
        'InputTensor[1] is {"a": 1}, expected a finite number.',
    ),
    "1e400 for no tensor": (
        set_at(SIZE, "0").replace("[1, 2]", "[1e400]"),
        "InputTensor[0] is 1e400, expected a finite",
    ),
    "a path for no tensor": (
        set_at(SIZE, "0").replace("[1, 2]", '{"npy": "../x.npy"}'),
        "InputTensor: ../x.npy lies outside the session's folder, expected a file inside it.",
    ),
}


@pytest.mark.drawn(30)
@pytest.mark.parametrize("name", list(EXPERIMENT))
def test_an_experiment_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    raw, sentence = EXPERIMENT[name]
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
        ("5", "experiment 2: found a number, expected an object with name, type, feature_level and desc."),
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


def test_values_of_a_list_of_tensors() -> None:
    held = {"name": "bad", "feature_level": "5_0", "type": JOIN}
    desc = {"InputTensors": [tensor(), tensor()], "Axis": 0}
    said: list[tuple[Any, str]] = [
        ([[1, 2]], "values.InputTensors is [[1, 2]], expected a list of 2 entries, one for each tensor."),
        ({"fill": "iota"}, 'values.InputTensors is {"fill": "iota"}, expected a list of 2 entries'),
        ([[1, 2], [3]], "InputTensors[1] has 1 values, expected 2 for Sizes {2}."),
        ([None, 5], "values.InputTensors[1] is 5, expected a list,"),
        ([[1, 300], None], "InputTensors[0][1] is 300, expected an integer from 0 to 255 for UINT8."),
    ]
    for values, sentence in said:
        found = call("check", "-", stdin=document({**held, "desc": desc, "values": {"InputTensors": values}}))
        assert (found.code, len(found.said)) == (2, 1)
        assert found.said[0].startswith(f'standard input: experiment "bad": {sentence}')
    found = call("check", "-", stdin=document({**held, "desc": {"InputTensors": {"0": tensor()}, "Axis": 0}}))
    assert (found.code, len(found.said)) == (2, 1)
    assert 'InputTensors is {"0": {"DataType": "UINT8", "Sizes": [2]}}, expected a list of tensor' in found.said[0]
