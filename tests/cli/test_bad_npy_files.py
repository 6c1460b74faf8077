"""Files of values that don't fit their tensor, lie elsewhere, or hold code: one sentence each, and none is run."""

from __future__ import annotations

import io
import json
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.bad_experiments import among_good, base, one_line, tensor
from support.commands import call


class Trap:
    """Unpickling this writes a file where the test is."""

    def __reduce__(self) -> Any:
        return Path.touch, (Path("ran"),)


def saved(array: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array, allow_pickle=True)
    return out.getvalue()


def headed(header: str) -> bytes:
    """An .npy file with a header of its own."""
    text = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(64)


RIGHT = np.array([[1, 2, 3], [4, 5, 6]], np.int16)
DAMAGED = "is truncated or damaged, expected INT16 {2, 3}."
BIG = "is big-endian (>i2), expected little-endian <i2; save it again with .astype(x.dtype.newbyteorder('='))."
HUGE = f"{{'descr': '<i2', 'fortran_order': False, 'shape': ({2**62}, 8)}}"
OUTSIDE = "lies outside the session's folder, expected a file inside it."
MISSING = "is missing, expected an .npy file there."
ARRAY = "an array written by numpy.save"
IRREGULAR = f"is no regular file, expected {ARRAY}."
FORTRAN = "is in Fortran order, expected C order; save numpy.ascontiguousarray(x)."
SAID: dict[str, tuple[str | bytes, str]] = {
    "empty": (b"", "x.npy is no .npy file, expected an array written by numpy.save."),
    "truncated": (saved(RIGHT)[:-1], f"x.npy {DAMAGED}"),
    "version 9": (saved(RIGHT).replace(b"NUMPY\x01", b"NUMPY\x09"), f"x.npy {DAMAGED}"),
    "code as header": (headed("__import__('os').abort()"), f"x.npy {DAMAGED}"),
    "huge shape": (headed(HUGE), f"x.npy {DAMAGED}"),
    "another type": (saved(RIGHT.astype(np.int32)), "x.npy holds int32, expected INT16 (int16)."),
    "records": (saved(np.zeros(6, [("a\nb", "<i2")])), "x.npy holds [('a\\nb', '<i2')], expected INT16 (int16)."),
    "another shape": (saved(RIGHT.T.copy()), "x.npy has shape {3, 2}, expected {2, 3}."),
    "Fortran order": (saved(np.asfortranarray(RIGHT)), f"x.npy {FORTRAN}"),
    "big-endian": (saved(RIGHT.astype(">i2")), f"x.npy {BIG}"),
    "objects": (saved(np.array([Trap()])), "x.npy holds pickled objects, which are never read; expected INT16 {2, 3}."),
    "a pickle": (pickle.dumps(Trap()), f"x.npy is a pickle, which is never read, expected {ARRAY}."),
    **{
        name: (name, f"{name} {OUTSIDE}") for name in ("../x.npy", "sub/../../x.npy", "link.npy", "out/x.npy", "/etc/x")
    },
    **{name: (name, f"{name} {MISSING}") for name in ("missing.npy", "sub/missing.npy", "dangling.npy")},
    **{name: (name, f"{name} {IRREGULAR}") for name in ("sub.npy", "pipe.npy")},
    "x.json": ("x.json", "x.json is no name of an .npy file, expected one that ends in .npy."),
    "loop.npy": ("loop.npy", "loop.npy can't be a file, expected the name of an .npy file."),
    "s.json/x.npy": ("s.json/x.npy", "s.json/x.npy can't be read: Not a directory."),
}
"""What x.npy holds, or the name of another file, and what is said of it."""


def held(file: str) -> str:
    """A session whose second experiment has the values of a file."""
    experiment = base({"npy": file}) | {"desc": {"InputTensor": tensor("INT16", 2, 3), "Repeats": [1, 1]}}
    return among_good(json.dumps(experiment))


@pytest.mark.parametrize("name", SAID)
def test_a_file_that_does_not_fit_or_lies_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    (tmp_path / "in" / "sub.npy").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "in")
    np.save("../x.npy", RIGHT)
    links = {"link.npy": "../x.npy", "out": "..", "loop.npy": "loop.npy", "dangling.npy": "gone.npy", "sub": "sub.npy"}
    for link, target in links.items():
        Path(link).symlink_to(target)
    os.mkfifo("pipe.npy")
    given, sentence = SAID[name]
    if isinstance(given, bytes):
        Path("x.npy").write_bytes(given)
    file = given if isinstance(given, str) else "x.npy"
    Path("s.json").write_text(held(file))
    before, looked, real = {*os.listdir()}, list[str](), os.lstat

    def lstat(path: Any, **how: Any) -> os.stat_result:
        looked.append(os.path.normpath(os.path.join(os.getcwd(), os.fspath(path))))
        return real(path, **how)

    monkeypatch.setattr(os, "lstat", lstat)
    found = call("run", "s.json", "--json")
    assert (found.code, [each["name"] for each in found.json]) == (2, ["first", "last"])
    assert found.said == [f's.json: experiment "bad": InputTensor: {sentence}'] == call("check", "s.json").said
    assert one_line(sentence)
    assert {*os.listdir()} == before, "no code was run"
    there = os.path.normpath(os.path.join(os.getcwd(), file))  # to look there may already do something: mount a disk
    assert there not in looked or there.startswith(os.getcwd())
    np.save("right.npy", RIGHT)
    Path("inside.npy").symlink_to("right.npy")
    for right in ("./right.npy", "inside.npy", "a/../right.npy"):
        ran = call("run", "-", "--json", stdin=held(right))
        assert (ran.code, ran.said, ran.json[1]["outputs"][0]["values"]) == (0, [], RIGHT.tolist())
