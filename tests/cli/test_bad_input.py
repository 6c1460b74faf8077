"""What can't be read or run is refused in one sentence, with the right exit code; what is fine beside it is reported.

1: a desc breaks a rule, which any integer may do. 2: it is no session, or its values don't fit their tensor.
"""

from __future__ import annotations

import codecs
import copy
import io
import json
import os
import pickle
import random
import socket
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.commands import call, document, experiment, process
from support.effort import tried

import dmlviz as dml
from dmlviz.errors import SessionError, quote
from dmlviz.formats import json_text
from dmlviz.session import examples, reading, writing

TILE, GATHER, JOIN = "DML_OPERATOR_TILE", "DML_OPERATOR_GATHER", "DML_OPERATOR_JOIN"
MARK = '"MARK"'


def tensor(data_type: str = "UINT8", *sizes: Any) -> dict[str, Any]:
    return {"DataType": data_type, "Sizes": list(sizes) or [2]}


def base(values: Any = None) -> dict[str, Any]:
    found = experiment("bad")
    return found if values is None else {**found, "values": {"InputTensor": values}}


def set_at(path: str, raw: str) -> str:
    """The experiment "bad" as JSON text, with `raw` at a dotted path."""
    found = base([1, 2])
    *way, last = path.split(".")
    at: Any = found
    for key in way:
        at = at[int(key)] if isinstance(at, list) else at[key]
    at[int(last) if isinstance(at, list) else last] = "MARK"
    return json.dumps(found).replace(MARK, raw)


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


def among_good(raw: str) -> str:
    """A session of the experiment `raw` between two that are fine."""
    return document(experiment("first"), "MARK", experiment("last")).replace(MARK, raw)


def one_line(text: str) -> bool:
    return text.endswith(".") and text.isprintable()


# ---- whole files ------------------------------------------------------------------------------------------------

WHOLE: dict[str, tuple[bytes, str]] = {
    "not UTF-8": (b'{"dmlviz": 1, "title": "\xff"}', " is not UTF-8: found byte 0xff at position 24, expected JSON"),
    "UTF-16": ("{}".encode("utf-16"), ": dmlviz is missing, expected the format's version, 1."),
    "half of UTF-16": (
        "{}".encode("utf-16") + b"x",
        " begins with the mark of UTF-16 and is none at byte 6, expected text in UTF-8 or UTF-16.",
    ),
    "latin 1": (document(experiment("é")).encode().replace(b"\\u00e9", b"\xe9"), " is not UTF-8: found byte 0xe9"),
    "not JSON": (b"hello", ': line 1, column 1: found "hello", expected JSON (expecting value).'),
    "cut off": (b'{"dmlviz": 1, ', ": line 1, column 15: found the end of the file, expected JSON ("),
    "trailing": (b'{"dmlviz": 1} {"a"', ': line 1, column 15: found "{\\"a\\"", expected JSON (extra data).'),
    "second line": (b'{\n "dmlviz": 1,\n oops}', ': line 3, column 2: found "oops}", expected JSON ('),
    "NUL bytes": (b"\0" * 50, ': line 1, column 1: found "\\u0000'),
    "binary": (bytes(range(128)), ': line 1, column 1: found "\\u0000'),
    "single quotes": (b"{'dmlviz': 1}", ": line 1, column 2: found \"'dmlviz': 1}\", expected JSON ("),
    "comment": (b"// lesson\n{}", ': line 1, column 1: found "// lesson'),
    "control character in text": (b'{"a": "\n"}', ": line 1, column 8: found "),
    "empty": (b"", " is empty, expected a session in JSON."),
    "byte order mark": (b"\xef\xbb\xbf", " is empty, expected a session in JSON."),
    "blank": (b" \n\t ", " is empty, expected a session in JSON."),
    "a list": (b"[]", " holds a list, expected an object with dmlviz and experiments."),
    "text": (b'"dmlviz"', " holds a string, expected an object with dmlviz and experiments."),
    "a number": (b"1", " holds a number, expected an object with dmlviz and experiments."),
    "null": (b"null", " holds null, expected an object with dmlviz and experiments."),
    "a boolean": (b"true", " holds a boolean, expected an object with dmlviz and experiments."),
    "no version": (b"{}", ": dmlviz is missing, expected the format's version, 1."),
    "version as text": (b'{"dmlviz": "1"}', ': dmlviz is "1", expected the format\'s version, 1.'),
    "version true": (b'{"dmlviz": true}', ": dmlviz is true, expected the format's version, 1."),
    "version 0": (b'{"dmlviz": 0}', ": dmlviz is 0, expected the format's version, 1."),
    "version 1.5": (b'{"dmlviz": 1.5}', ": dmlviz is 1.5, expected the format's version, 1."),
    "newer version": (b'{"dmlviz": 2}', ": dmlviz is 2, a newer format, expected 1; a newer dmlviz reads it."),
    "experiments in capitals": (
        b'{"dmlviz": 1, "Experiments": []}',
        ': experiments is missing, did you mean "experiments" by "Experiments"? expected a list of experiments.',
    ),
    "no experiments": (b'{"dmlviz": 1}', ": experiments is missing, expected a list of experiments."),
    "experiments null": (b'{"dmlviz": 1, "experiments": null}', ": experiments is null, expected a list of at least"),
    "experiments object": (b'{"dmlviz": 1, "experiments": {}}', ": experiments is {}, expected a list of at least"),
    "experiments empty": (b'{"dmlviz": 1, "experiments": []}', ": experiments is [], expected a list of at least one"),
    "title": (b'{"dmlviz": 1, "title": 5, "experiments": []}', ": title is 5, expected text."),
    "half a character": (b'{"dmlviz": 1, "title": "\\ud800"}', ': title is "\\ud800", which is half of a character'),
    "the same key twice": (b'{"dmlviz": 1, "dmlviz": 1}', ': the key "dmlviz" stands twice in one object, expected'),
    "NaN": (b'{"dmlviz": NaN}', ': NaN is not JSON, expected a number or "nan".'),
    "-Infinity": (b'{"dmlviz": -Infinity}', ': -Infinity is not JSON, expected a number or "-inf".'),
    "lists a million deep": (b"[" * 10**6, ": its lists are nested too deep, expected at most 8 in one tensor."),
    "objects a million deep": (b'{"a":' * 10**6, ": its lists are nested too deep, expected at most 8 in one tensor."),
    "closed lists a million deep": (b"[" * 10**6 + b"]" * 10**6, ": its lists are nested too deep, expected at most 8"),
    "an unknown key too deep": (
        document(experiment()).replace('"dmlviz"', '"x": ' + "[" * 300 + "]" * 300 + ', "dmlviz"').encode(),
        " holds lists more than 100 deep, expected at most 100.",
    ),
    "an unknown key too large": (
        document(experiment()).replace('"dmlviz"', '"x": 1e400, "dmlviz"').encode(),
        ' holds "x", which is no field of a session and can\'t be written back, expected finite numbers',
    ),
    "half a character in an unknown key": (
        document(experiment()).replace('"dmlviz"', '"\\ud800": 1, "dmlviz"').encode(),
        ' holds "\\ud800", which is no field of a session',
    ),
}


@pytest.mark.parametrize("name", list(WHOLE))
def test_a_file_that_is_no_session(tmp_path: Path, name: str) -> None:
    content, sentence = WHOLE[name]
    file = tmp_path / "s.json"
    file.write_bytes(content)
    for argv in (["check", file], ["check", "--json", file], ["run", file], ["run", "--json", file], [file]):
        found = call(*argv)
        assert found.code == 2
        (said,) = found.said
        assert said.startswith(f"{file}{sentence}")
        assert one_line(said)
        assert found.json == [] if "--json" in argv else found.out == ""
    (said,) = call("check", "-", stdin=content).said
    is_json = content.removeprefix(codecs.BOM_UTF8).strip()[:1] in (b"", b"{", b"[", b"\xff")
    assert said.startswith(f"standard input{sentence if is_json else ' is nothing that can be imported, expected a'}")
    with pytest.raises(SessionError) as caught:
        dml.load(file)
    assert str(caught.value).startswith(f"{file}{sentence}")


def test_what_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").write_text("")
    monkeypatch.chdir(tmp_path)
    server = socket.socket(socket.AF_UNIX)
    server.bind("socket")
    server.close()
    said = {
        ".": ". is a directory, expected a session file.",
        "missing": "missing: no such file, expected a session file.",
        "": ". is a directory, expected a session file.",
        "loop": "loop can't be read: Too many levels of symbolic links.",
        "file/x": "file/x can't be read: Not a directory.",
        "x" * 300: f"{'x' * 200}… can't be read: File name too long.",
        "nul\0": "nul\\u0000 can't be read: not a file name.",
        "line\nbreak \x1b[31m": "line\\nbreak \\u001b[31m: no such file, expected a session file.",
        "socket": "socket can't be read: No such device or address.",
    }
    for path, sentence in said.items():
        for command in (["check", path], ["run", path], [path]):
            found = call(*command)
            assert (found.code, found.out) == (2, "")
            assert [x.replace("xx…", "x…") for x in found.said] == [sentence.replace("xx…", "x…")]
    with pytest.raises(SessionError, match=r"^path is 5, expected the name of a session file\.$"):
        dml.load(5)  # type: ignore[arg-type]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    file.write_text(document(experiment()))
    file.chmod(0)
    found = call("check", file)
    assert (found.code, found.said) == (2, [f"{file} can't be read: Permission denied."])


# ---- one experiment ---------------------------------------------------------------------------------------------

NAMES = "FLOAT32, FLOAT16, UINT32, UINT16, UINT8, INT32, INT16, INT8, FLOAT64, UINT64, INT64"
SIZE = "desc.InputTensor.Sizes.0"
HUGE = str(2**53 + 1)

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


# ---- descs that break a rule ------------------------------------------------------------------------------------

LONG = "1" + "0" * 4999
RULES: dict[str, tuple[str, str]] = {
    "size negative": (set_at(SIZE, "-2"), "sizes.positive"),
    "size 0": (set_at(SIZE, "0"), "sizes.positive"),
    "size beyond 2^64": (set_at(SIZE, str(2**64)), "sizes.element_count"),
    "size beyond every float": (set_at(SIZE, str(10**400)), "sizes.element_count"),
    "size of 5000 digits": (set_at(SIZE, LONG), "sizes.element_count"),
    "size of -5000 digits": (set_at(SIZE, "-" + LONG), "sizes.positive"),
    "2^32 elements": (set_at("desc.InputTensor.Sizes", "[65536, 65536]"), "sizes.element_count"),
    "sizes of 5000 digits": (set_at("desc.InputTensor.Sizes", f"[{', '.join([LONG] * 8)}]"), "sizes.element_count"),
    "no sizes": (set_at("desc.InputTensor.Sizes", "[]"), "dimension_count.supported"),
    "nine dimensions": (set_at("desc.InputTensor.Sizes", "[1, 1, 1, 1, 1, 1, 1, 1, 1]"), "dimension_count.supported"),
    "a thousand dimensions": (set_at("desc.InputTensor.Sizes", str([1] * 1000)), "dimension_count.supported"),
    "repeat 0": (set_at("desc.Repeats.0", "0"), "repeats.positive"),
    "repeat negative": (set_at("desc.Repeats.0", "-1"), "repeats.positive"),
    "repeat of 5000 digits": (set_at("desc.Repeats.0", LONG), "sizes.element_count"),
    "no repeats": (set_at("desc.Repeats", "[]"), "repeats.count"),
    "more repeats": (set_at("desc.Repeats", "[1, 1]"), "repeats.count"),
    "count 0": (set_at("desc.RepeatsCount", "0"), "count.matches"),
    "count negative": (set_at("desc.RepeatsCount", "-1"), "count.matches"),
    "count of 5000 digits": (set_at("desc.RepeatsCount", LONG), "count.matches"),
    "output of 5000 digits": (
        set_at("desc.OutputTensor", json.dumps(tensor()).replace("2", LONG)),
        "sizes.repeat",
    ),
}


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
@pytest.mark.parametrize("digits", ["-1", "9", str(2**32), str(2**64), "-" + "9" * 400, "9" * 400, LONG], ids=len)
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


# ---- .npy files -------------------------------------------------------------------------------------------------


def saved(array: Any, **how: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array, **how)
    return out.getvalue()


def headed(header: str) -> bytes:
    """An .npy file with a header of its own."""
    text = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(64)


def zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("x.npy", saved(RIGHT))
    return out.getvalue()


RIGHT = np.array([[1, 2, 3], [4, 5, 6]], np.int16)
WHOLE_NPY = saved(RIGHT)

NPY: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is no .npy file, expected an array written by numpy.save."),
    "text": (b"1 2 3 4 5 6", "is no .npy file, expected an array written by numpy.save."),
    "truncated": (WHOLE_NPY[:-1], "is truncated or damaged, expected INT16 {2, 3}."),
    "header only": (WHOLE_NPY[:128], "is truncated or damaged, expected INT16 {2, 3}."),
    "cut in the header": (WHOLE_NPY[:40], "is truncated or damaged, expected INT16 {2, 3}."),
    "cut in the version": (WHOLE_NPY[:7], "is truncated or damaged, expected INT16 {2, 3}."),
    "version 9": (WHOLE_NPY.replace(b"NUMPY\x01", b"NUMPY\x09"), "is truncated or damaged, expected INT16 {2, 3}."),
    "code as header": (headed("__import__('os').abort()"), "is truncated or damaged, expected INT16 {2, 3}."),
    "brackets as header": (headed("(" * 100), "is truncated or damaged, expected INT16 {2, 3}."),
    "header without shape": (headed("{'descr': '<i2'}"), "is truncated or damaged, expected INT16 {2, 3}."),
    "negative shape": (
        headed("{'descr': '<i2', 'fortran_order': False, 'shape': (-2, 3)}"),
        "is truncated or damaged, expected INT16 {2, 3}.",
    ),
    "huge shape": (
        headed(f"{{'descr': '<i2', 'fortran_order': False, 'shape': ({2**62}, 8)}}"),
        "is truncated or damaged, expected INT16 {2, 3}.",
    ),
    "another type": (saved(RIGHT.astype(np.int32)), "holds int32, expected INT16 (int16)."),
    "a type of the same size": (saved(RIGHT.astype(np.float16)), "holds float16, expected INT16 (int16)."),
    "booleans": (saved(RIGHT > 2), "holds bool, expected INT16 (int16)."),
    "text elements": (saved(np.array([["a"] * 3] * 2)), "holds <U1, expected INT16 (int16)."),
    "records": (saved(np.zeros((2, 3), [("a\nb", "<i2")])), "holds [('a\\\\nb', '<i2')], expected INT16 (int16)."),
    "another shape": (saved(RIGHT.T.copy()), "has shape {3, 2}, expected {2, 3}."),
    "flat": (saved(RIGHT.reshape(-1)), "has shape {6}, expected {2, 3}."),
    "more dimensions": (saved(RIGHT[None]), "has shape {1, 2, 3}, expected {2, 3}."),
    "a scalar": (saved(np.int16(5)), "has shape {}, expected {2, 3}."),
    "Fortran order": (
        saved(np.asfortranarray(RIGHT)),
        "is in Fortran order, expected C order; save numpy.ascontiguousarray(x).",
    ),
    "big-endian": (
        saved(RIGHT.astype(">i2")),
        "is big-endian (>i2), expected little-endian <i2; save it again with .astype(x.dtype.newbyteorder('=')).",
    ),
    "an array of objects": (
        saved(np.array([[1, 2, 3], [4, 5, None]], object), allow_pickle=True),
        "holds pickled objects, which are never read; expected INT16 {2, 3}.",
    ),
    "a pickle": (pickle.dumps(RIGHT), "is a pickle, which is never read, expected an array written by numpy.save."),
    "an .npz": (zipped(), "is no .npy file, expected an array written by numpy.save."),
}


def npy_session(file: str) -> str:
    held = base({"npy": file})
    held["desc"] = {"InputTensor": tensor("INT16", 2, 3), "Repeats": [1, 1]}
    return among_good(json.dumps(held))


def refused(folder: Path, file: str) -> str:
    """What is said of `{"npy": file}` in a session in `folder`."""
    path = folder / "s.json"
    path.write_text(npy_session(file))
    found = call("run", path, "--json")
    assert found.code == 2
    assert [each["name"] for each in found.json] == ["first", "last"]
    (said,) = found.said
    assert one_line(said)
    assert call("check", path).said == [said]
    return said.removeprefix(f'{path}: experiment "bad": InputTensor: ')


@pytest.mark.parametrize("name", list(NPY))
def test_npy_files_that_do_not_fit(tmp_path: Path, name: str) -> None:
    content, sentence = NPY[name]
    (tmp_path / "x.npy").write_bytes(content)
    assert refused(tmp_path, "x.npy") == f"x.npy {sentence}"
    assert sorted(os.listdir(tmp_path)) == ["s.json", "x.npy"]


def test_an_npy_file_that_fits(tmp_path: Path) -> None:
    (tmp_path / "x.npy").write_bytes(WHOLE_NPY)
    (tmp_path / "inside.npy").symlink_to("x.npy")
    for file in ("x.npy", "./x.npy", "inside.npy"):
        (tmp_path / "s.json").write_text(npy_session(file))
        found = call("run", tmp_path / "s.json", "--json")
        assert (found.code, found.said) == (0, [])
        assert found.json[1]["outputs"][0]["values"] == RIGHT.tolist()


class Trap:
    """Unpickling this writes a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def test_pickles_are_never_run(tmp_path: Path) -> None:
    trap = tmp_path / "ran"
    (tmp_path / "raw.npy").write_bytes(pickle.dumps(Trap(trap)))
    held = np.empty((2, 3), object)
    held[0, 0] = Trap(trap)
    np.save(tmp_path / "held.npy", held, allow_pickle=True)
    for file in ("raw.npy", "held.npy"):
        assert "pickle" in refused(tmp_path, file)
    assert not trap.exists()


def test_npy_paths(tmp_path: Path) -> None:
    folder = tmp_path / "lesson"
    (folder / "sub").mkdir(parents=True)
    np.save(tmp_path / "x.npy", RIGHT)
    (folder / "link.npy").symlink_to("../x.npy")
    (folder / "out").symlink_to("..")
    (folder / "loop.npy").symlink_to("loop.npy")
    (folder / "dangling.npy").symlink_to("gone.npy")
    os.mkfifo(folder / "pipe.npy")
    outside = "lies outside the session's folder, expected a file inside it."
    for file in ("../x.npy", str(tmp_path / "x.npy"), "sub/../../x.npy", "link.npy", "out/x.npy", "..", "/etc/passwd"):
        assert refused(folder, file) == f"{file} {outside}"
    for file in ("missing.npy", "sub/missing.npy", "dangling.npy"):
        assert refused(folder, file) == f"{file} is missing, expected an .npy file there."
    (folder / "sub.npy").mkdir()
    for file in ("sub", ".", "x.json"):
        assert refused(folder, file) == f"{file} is no name of an .npy file, expected one that ends in .npy."
    for file in ("sub.npy", "pipe.npy"):
        assert refused(folder, file) == f"{file} is no regular file, expected an array written by numpy.save."
    assert refused(folder, "loop.npy") == "loop.npy can't be a file, expected the name of an .npy file."
    assert refused(folder, "s.json/x.npy") == "s.json/x.npy can't be read: Not a directory."
    assert refused(folder, "x" * 300 + ".npy").endswith("… can't be read: File name too long.")


def test_npy_paths_of_a_session_on_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", RIGHT)
    assert call("check", "-", stdin=npy_session("x.npy")).code == 0
    assert "lies outside" in call("check", "-", stdin=npy_session("../x.npy")).err


# ---- numbers and text -------------------------------------------------------------------------------------------


def test_numbers_that_no_float_holds_are_quoted_as_they_were_written() -> None:
    assert quote(json_text.parse_json("-1.5e999")) == "-1.5e999"
    assert quote(json_text.parse_json("1" * 50_000)) == "11111111111111111111… (50,000 digits)"


def test_quotes_are_safe_inside_a_sentence() -> None:
    for found in (
        "a\nb",
        "\x1b[2J",
        "\u2028",
        "\x7f\x9b",
        "\ud800",
        "\u202e",
        {"\n": "\r"},
        ["\0"],
        object(),
        float,
        {1},
    ):
        assert quote(found).isprintable()
    loop: list[Any] = []
    loop.append(loop)
    assert quote(loop) == "'list'"
    assert quote(float("nan")) == "nan"
    assert len(quote("x" * 10**6)) == 60


def test_many_keys_are_looked_through_quickly() -> None:
    keys = ", ".join(f'"k{i}": 0' for i in range(100_000))
    with pytest.raises(dml.DmlvizError, match=r'^the key "k99999" stands twice'):
        json_text.parse_json(f'{{{keys}, "k99999": 1}}')


# ---- anything ---------------------------------------------------------------------------------------------------

SEEDS = [each.path.read_bytes() for each in examples.all_examples() if each.path.stat().st_size < 3000]
TREES = [json.loads(seed) for seed in SEEDS]
ODD: list[Any] = [
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        2,
        8,
        9,
        2**32,
        2**64,
        10**400,
        0.5,
        -0.0,
        1e308,
        "",
        "nan",
        "FLOAT32",
        "x\ny",
        "\ud800",
    ),
    *(
        [],
        {},
        [[]],
        [1, 2],
        [[1], [2, 3]],
        {"npy": "x"},
        {"npy": ".."},
        {"fill": "iota"},
        {"fill": "random", "seed": 3},
    ),
    *({"DataType": "INT8", "Sizes": [2]}, {"DataType": "FLOAT64", "Sizes": [0, -1]}, "DML_OPERATOR_TILE", "2_1", "5_0"),
]


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


@given(st.sampled_from(SEEDS), st.randoms(use_true_random=False))
@tried(250)
def test_mutated_bytes(seed: bytes, chance: random.Random) -> None:
    content = bytearray(seed)
    for _ in range(chance.randint(1, 4)):
        at, length = chance.randrange(len(content)), chance.choice([1, 1, 1, 4, 30])
        piece = chance.choice(
            [b"", bytes([chance.randrange(256)]), b"9", b"-", b"[", b"}", b'"', bytes(content[at : at + 20])]
        )
        content[at : at + chance.choice([0, length])] = piece
        if not content:
            break
    held(bytes(content))


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


@given(st.binary(max_size=60))
@tried(100)
def test_random_bytes(content: bytes) -> None:
    held(content)


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
        assert found.code == int(any(each["ok"] is False for each in found.json))


@pytest.mark.slow
def test_no_traceback_leaves_the_program(tmp_path: Path) -> None:
    (tmp_path / "deep.json").write_bytes(b"[" * 10**6)
    for file in (tmp_path, tmp_path / "deep.json", tmp_path / "missing"):
        found = process("check", file)
        assert (found.code, found.out, len(found.said)) == (2, "", 1)


# ---- the Python API ---------------------------------------------------------------------------------------------

T = dml.TensorDesc("FLOAT32", (2, 3))
INDICES = dml.TensorDesc("UINT32", (1, 3))
X = np.zeros((2, 3), np.float32)
any_dml: Any = dml

PYTHON: list[tuple[Callable[[], Any], str]] = [
    (lambda: any_dml.TensorDesc("FLOAT31", (1,)), 'DataType is "FLOAT31", expected one of FLOAT32,'),
    (lambda: any_dml.TensorDesc(np.complex64, (1,)), "DataType is"),
    (lambda: any_dml.TensorDesc(5, (1,)), "DataType is 5, expected one of FLOAT32,"),
    (lambda: any_dml.TensorDesc("FLOAT32", 5), "Sizes is 5, expected a list of integers."),
    (lambda: any_dml.TensorDesc("FLOAT32", None), "Sizes is null, expected a list of integers."),
    (lambda: any_dml.TensorDesc("FLOAT32", "12"), 'Sizes is "12", expected a list of integers.'),
    (lambda: any_dml.TensorDesc("FLOAT32", [1, 2.0]), "Sizes[1] is 2.0, expected an integer."),
    (lambda: any_dml.TensorDesc("FLOAT32", [True]), "Sizes[0] is true, expected an integer."),
    (lambda: any_dml.TensorDesc("FLOAT32", [np.True_]), "Sizes[0] is "),
    (lambda: any_dml.TensorDesc("FLOAT32", [None]), "Sizes[0] is null, expected an integer."),
    (lambda: any_dml.Join(5, 0), "InputTensors is 5, expected a list of tensor descs."),
    (lambda: any_dml.Join(T, 0), "InputTensors is "),
    (lambda: any_dml.Join("ab", 0), 'InputTensors is "ab", expected a list of tensor descs.'),
    (lambda: any_dml.Join([T, 5], 0), "InputTensors[1] is 5, expected a TensorDesc."),
    (lambda: any_dml.Join([T], "0"), 'Axis is "0", expected an integer.'),
    (lambda: any_dml.Join([T], None), "Axis is null, expected an integer."),
    (lambda: any_dml.Join([T], 0, 5), "OutputTensor is 5, expected a TensorDesc."),
    (lambda: any_dml.Join([T], 0, input_count=1.0), "InputCount is 1.0, expected an integer."),
    (lambda: any_dml.Split(T, None, 0), "OutputTensors is null, expected a list of tensor descs."),
    (lambda: any_dml.Split(None, [T], 0), "InputTensor is null, expected a TensorDesc."),
    (lambda: any_dml.Tile(T, 5), "Repeats is 5, expected a list of integers."),
    (lambda: any_dml.Tile(T, "22"), 'Repeats is "22", expected a list of integers.'),
    (lambda: any_dml.Tile(T, [2, 0.5]), "Repeats[1] is 0.5, expected an integer."),
    (lambda: any_dml.ReverseSubsequences(T, (2, 1), 0), "SequenceLengthsTensor is [2, 1], expected a TensorDesc."),
    (lambda: any_dml.Gather(X, INDICES, 0, 1), "InputTensor is "),
    (lambda: any_dml.Gather(T, INDICES, 0, 1.0), "IndexDimensions is 1.0, expected an integer."),
    (lambda: any_dml.Tile(T, [1, 1]).replace({"Axis": 1}), '"Axis" is no field of DML_OPERATOR_TILE, expected one of'),
    (lambda: any_dml.check("DML_OPERATOR_TILE"), 'desc is "DML_OPERATOR_TILE", expected a desc such as'),
    (lambda: any_dml.check(None), "desc is null, expected a desc such as dmlviz.Tile(...)."),
    (lambda: any_dml.run({}, [X]), "desc is {}, expected a desc such as dmlviz.Tile(...)."),
    (lambda: any_dml.bind([], [X]), "desc is [], expected a desc such as dmlviz.Tile(...)."),
    (lambda: any_dml.trace(5), "desc is 5, expected a desc such as dmlviz.Tile(...)."),
    (lambda: any_dml.check(any_dml.Tile(T, [1, 1]), feature_level="5.0"), 'feature level is "5.0", expected one of'),
    (lambda: any_dml.check(any_dml.Tile(T, [1, 1]), feature_level=5), "feature level is 5, expected one of 1_0,"),
    (lambda: any_dml.run(any_dml.Tile(T, [1, 1]), X), "arrays is of type ndarray, expected a list of arrays for"),
    (
        lambda: any_dml.run(any_dml.Tile(T, [1, 1]), [[1, 2]]),
        "InputTensor is [1, 2], expected a NumPy array of FLOAT32",
    ),
    (lambda: any_dml.run(any_dml.Tile(T, [0, 1]), [X]), "Repeats[0] is 0, expected more than 0."),
    (lambda: any_dml.join(5, 0), "arrays is 5, expected a list of arrays."),
    (lambda: any_dml.join(np.float32(5), 0), "arrays is "),
    (lambda: any_dml.join("ab", 0), 'arrays is "ab", expected a list of arrays.'),
    (lambda: any_dml.join(None, 0), "arrays is null, expected a list of arrays."),
    (lambda: any_dml.split(X, None, 0), "sizes is null, expected an integer."),
    (lambda: any_dml.tile(X, {"a": 1}), 'repeats[0] is "a", expected an integer.'),
    (lambda: any_dml.gather(X, "abc", 0), "indices has dtype <U3, expected one of FLOAT32,"),
    (lambda: any_dml.gather(X, [0], None), "axis is null, expected an integer."),
    (lambda: any_dml.load(None), "path is null, expected the name of a session file."),
    (lambda: any_dml.save(None, "x.json"), "session is null, expected a Session."),
]


@pytest.mark.parametrize(("wrong", "sentence"), PYTHON, ids=[sentence[:50] for _, sentence in PYTHON])
def test_the_wrong_kind_of_thing_in_python(wrong: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(dml.DmlvizError) as caught:
        wrong()
    assert str(caught.value).startswith(sentence)
    assert one_line(str(caught.value))
