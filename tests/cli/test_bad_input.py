"""What can't be read is told in a sentence with exit code 2, what breaks a rule is 1, and the rest is reported."""

from __future__ import annotations

import io
import json
import os
import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.commands import among_good, call, experiment, one_line, set_at

import dmlviz as dml
from dmlviz.errors import SessionError

ALL = "values.InputTensor"
NAMES = "FLOAT32, FLOAT16, UINT32, UINT16, UINT8, INT32, INT16, INT8, FLOAT64, UINT64, INT64"
WRONG: list[tuple[str, str, str]] = [
    ("type", '"DML_OPERATOR_SLICE"', 'operator type is "DML_OPERATOR_SLICE", expected one'),
    ("feature_level", '"9_9"', 'feature level is "9_9", expected one of 1_0, 2_0, 2_1,'),
    ("desc.repeats", "[2]", 'desc has "repeats", did you mean "Repeats"? expected only InputTensor,'),
    ("desc.InputTensor", '{"Sizes": [2]}', "InputTensor.DataType is missing, expected it in every"),
    ("desc.InputTensor.DataType", '"BOOL"', f'InputTensor.DataType is "BOOL", expected one of {NAMES}.'),
    ("desc.InputTensor.Sizes", '"2"', 'InputTensor.Sizes is "2", expected a list of integers such as [3, 2].'),
    (
        "desc.InputTensor.Sizes",
        f"[{2**64}]",
        "InputTensor.Sizes[0] has more than 64 bits, expected an integer of at most 64.",
    ),
    ("values.inputTensor", "[1]", 'values has "inputTensor", did you mean "InputTensor"? expected only InputTensor.'),
    (ALL, "[1]", "InputTensor has 1 values, expected 2 for Sizes {2}."),
    (ALL, "[[1, 2], [3]]", "values.InputTensor[1] is a list of 1, expected a list of 2 as before it."),
    (ALL, "[" * 9 + "1" + "]" * 9, "values.InputTensor is nested deeper than 8 lists,"),
    (ALL, '{"fill": "ones"}', 'values.InputTensor.fill is "ones", expected one of iota, con'),
    (ALL, '{"npy": "a\\u0000.npy"}', "InputTensor: a\\u0000.npy can't be a file, expected the name of"),
    ("x", "[" * 300 + "]" * 300, "it holds lists more than 100 deep, expected at mos"),
]
"""Places in an experiment, what stands there, and what is said of it."""
NAMELESS: list[tuple[str, str]] = [
    ("5", "experiment 2: found 5, expected an object with name, type, feature_level and desc."),
    ('{"name": 5, "feature_level": "", "type": "", "desc": ""}', "experiment 2: name is 5, expected text."),
    ('{"name": "a\\nb\\u001b"}', 'experiment "a\\nb\\u001b": feature_level is missing, expected it in every'),
    ('{"name": "\\ud800"}', 'experiment "\\ud800": '),
    ('{"name": "' + "long " * 20_000 + '"}', 'experiment "long long'),
]
EXPERIMENTS = [*((set_at(path, raw), f'experiment "bad": {said}') for path, raw, said in WRONG), *NAMELESS]


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


# ---- whole files --------------------------------------------------------------------------------------------------

WHOLE: dict[str, tuple[bytes, str]] = {
    "not UTF-8": (b'{"dmlviz": 1, "title": "\xff"}', " is not UTF-8: found byte 0xff at position 24, expected JSON"),
    "not JSON": (b"hello", ': line 1, column 1: found "hello", expected JSON (expecting value).'),
    "empty": (b" \n", " is empty, expected a session in JSON, or a log."),
}


@pytest.mark.drawn(12)
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
    told = " has nothing to import, expected a" if name == "not JSON" else sentence.removesuffix(".")
    assert said.startswith(f"standard input{told}")
    dump = "a log has no desc if CreateOperator accepted every one."
    assert said.endswith(dump) is (name in ("not JSON", "empty"))
    with pytest.raises(SessionError) as caught:
        dml.load(file)
    assert str(caught.value).startswith(f"{file}{sentence}")


def test_what_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "loop").symlink_to("loop")
    monkeypatch.chdir(tmp_path)
    server = socket.socket(socket.AF_UNIX)
    server.bind("socket")
    server.close()
    said = {
        "": ". is a directory, expected a file to open.",
        "loop": "loop can't be read: Too many levels of symbolic links.",
        "x" * 300: f"{'x' * 200}… can't be read: File name too long.",
        "nul\0": "nul\\u0000 can't be read: not a file name.",
        "line\nbreak \x1b[31m": "line\\nbreak \\u001b[31m: no such file, expected a file to open.",
        "socket": "socket can't be read: it is a socket, expected a file.",
        "/dev/zero": "/dev/zero can't be read: it is a device, expected a file.",
    }
    for path, sentence in said.items():
        for command in (["check", path], ["run", path], [path]):
            found = call(*command)
            assert (found.code, found.out) == (2, "")
            assert [x.replace("xx…", "x…") for x in found.said] == [sentence.replace("xx…", "x…")]


# ---- files of values ------------------------------------------------------------------------------------------------


def saved(array: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def headed(header: str) -> bytes:
    """An .npy file with a header of its own."""
    text = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(64)


RIGHT = np.array([[1, 2, 3], [4, 5, 6]], np.int16)
DAMAGED = "is damaged or no array of numbers, expected one of numpy.save."
HUGE = f"{{'descr': '<i2', 'fortran_order': False, 'shape': ({2**62}, 8)}}"
OUTSIDE = "is outside the session's folder, expected a file inside it."
MISSING = "is missing, expected an .npy file there."
SAID: dict[str, tuple[str | bytes, str]] = {
    "truncated": (saved(RIGHT)[:-1], f"x.npy {DAMAGED}"),
    "code as header": (headed("__import__('os').abort()"), f"x.npy {DAMAGED}"),
    "huge shape": (headed(HUGE), f"x.npy {DAMAGED}"),
    **{name: (name, f"{name} {OUTSIDE}") for name in ("link.npy", "out/x.npy")},
    **{name: (name, f"{name} {MISSING}") for name in ("sub/missing.npy", "dangling.npy")},
    "sub.npy": ("sub.npy", "sub.npy can't be read: Is a directory."),
    "loop.npy": ("loop.npy", "loop.npy can't be a file, expected the name of an .npy file."),
}
"""What x.npy holds, or the name of another file, and what is said of it."""


def held(file: str) -> str:
    """A session whose second experiment has the values of a file."""
    bad = experiment("bad", InputTensor={"DataType": "INT16", "Sizes": [2, 3]}, Repeats=[1, 1])
    return among_good(json.dumps({**bad, "values": {"InputTensor": {"npy": file}}}))


@pytest.mark.parametrize("name", SAID)
def test_a_file_that_does_not_fit_or_lies_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    (tmp_path / "in" / "sub.npy").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "in")
    np.save("../x.npy", RIGHT)
    links = {"link.npy": "../x.npy", "out": "..", "loop.npy": "loop.npy", "dangling.npy": "gone.npy", "sub": "sub.npy"}
    for link, target in links.items():
        Path(link).symlink_to(target)
    given, sentence = SAID[name]
    if isinstance(given, bytes):
        Path("x.npy").write_bytes(given)
    file = given if isinstance(given, str) else "x.npy"
    Path("s.json").write_text(held(file))
    found = call("run", "s.json", "--json")
    assert (found.code, [each["name"] for each in found.json]) == (2, ["first", "last"])
    assert found.said == [f's.json: experiment "bad": InputTensor: {sentence}'] == call("check", "s.json").said
    assert one_line(sentence)
    np.save("right.npy", RIGHT)
    Path("inside.npy").symlink_to("right.npy")
    ran = call("run", "-", "--json", stdin=held("inside.npy"))
    assert (ran.code, ran.said, ran.json[1]["outputs"][0]["values"]) == (0, [], RIGHT.tolist())
