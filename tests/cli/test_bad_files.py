"""Files that are no session are refused in one sentence with exit code 2, by every command and by `dmlviz.load`."""

from __future__ import annotations

import codecs
import os
import socket
from pathlib import Path

import pytest
from support.bad_experiments import one_line
from support.commands import call, document, experiment

import dmlviz as dml
from dmlviz.errors import SessionError

WHOLE: dict[str, tuple[bytes, str]] = {
    "not UTF-8": (b'{"dmlviz": 1, "title": "\xff"}', " is not UTF-8: found byte 0xff at position 24, expected JSON"),
    "UTF-16": ("{}".encode("utf-16"), ": dmlviz is missing, expected the format's version, 1."),
    "half of UTF-16": (
        "{}".encode("utf-16") + b"x",
        " begins with the mark of UTF-16 and is none at byte 6, expected text in UTF-8 or UTF-16.",
    ),
    "not JSON": (b"hello", ': line 1, column 1: found "hello", expected JSON (expecting value).'),
    "second line": (b'{\n "dmlviz": 1,\n oops}', ': line 3, column 2: found "oops}", expected JSON ('),
    "empty": (b"", " is empty, expected a session in JSON."),
    "a list": (b"[]", " holds [], expected an object with dmlviz and experiments."),
    "no version": (b"{}", ": dmlviz is missing, expected the format's version, 1."),
    "newer version": (b'{"dmlviz": 2}', ": dmlviz is 2, expected the format's version, 1; a newer dmlviz may read it."),
    "experiments in capitals": (
        b'{"dmlviz": 1, "Experiments": []}',
        ": experiments is missing, expected a list of experiments.",
    ),
    "experiments empty": (b'{"dmlviz": 1, "experiments": []}', ": experiments is [], expected a list of at least one"),
    "half a character": (b'{"dmlviz": 1, "title": "\\ud800"}', ': title is "\\ud800", which is half of a character'),
    "the same key twice": (b'{"dmlviz": 1, "dmlviz": 1}', ': the key "dmlviz" stands twice in one object, expected'),
    "lists a million deep": (b"[" * 10**6, ": its lists are nested too deep, expected at most 8 in one tensor."),
    "an unknown key too deep": (
        document(experiment()).replace('"dmlviz"', '"x": ' + "[" * 300 + "]" * 300 + ', "dmlviz"').encode(),
        " holds lists more than 100 deep, expected at most 100.",
    ),
    "an integer of many digits": (
        document(experiment()).replace('"dmlviz"', f'"x": {"9" * 5000}, "dmlviz"').encode(),
        ": found 99999999999999999999… (5,000 characters), expected an integer of 64 bits.",
    ),
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
    is_json = content.removeprefix(codecs.BOM_UTF8).strip()[:1] in (b"", b"{", b"[", b"\xff")
    told = sentence.removesuffix(".")
    assert said.startswith(f"standard input{told if is_json else ' is nothing that can be imported, expected a'}")
    is_told = not is_json or not content.removeprefix(codecs.BOM_UTF8).strip()
    assert is_told is said.endswith(
        "it has no desc that dml_dump.h prints, and none is printed where CreateOperator accepts them all."
    )
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
    os.mkfifo("pipe")
    said = {
        ".": ". is a directory, expected a file to open.",
        "missing": "missing: no such file, expected a file to open.",
        "": ". is a directory, expected a file to open.",
        "loop": "loop can't be read: Too many levels of symbolic links.",
        "file/x": "file/x can't be read: Not a directory.",
        "x" * 300: f"{'x' * 200}… can't be read: File name too long.",
        "nul\0": "nul\\u0000 can't be read: not a file name.",
        "line\nbreak \x1b[31m": "line\\nbreak \\u001b[31m: no such file, expected a file to open.",
        "socket": "socket can't be read: it is a socket, expected a file.",
        "pipe": "pipe can't be read: it is a FIFO, expected a file.",
        "/dev/zero": "/dev/zero can't be read: it is a device, expected a file.",
    }
    for path, sentence in said.items():
        for command in (["check", path], ["run", path], [path]):
            if command == ["check", "."]:  # a folder, whose files it looks at
                continue
            found = call(*command)
            assert (found.code, found.out) == (2, "")
            assert [x.replace("xx…", "x…") for x in found.said] == [sentence.replace("xx…", "x…")]
    with pytest.raises(SessionError, match=r"^path is 5, expected the name of a session file\.$"):
        dml.load(5)  # type: ignore[arg-type]
