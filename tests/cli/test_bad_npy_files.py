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


def saved(array: Any, **how: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array, **how)
    return out.getvalue()


def headed(header: str) -> bytes:
    """An .npy file with a header of its own."""
    text = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes(64)


RIGHT = np.array([[1, 2, 3], [4, 5, 6]], np.int16)
WHOLE_NPY = saved(RIGHT)
DAMAGED = "is truncated or damaged, expected INT16 {2, 3}."

NPY: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is no .npy file, expected an array written by numpy.save."),
    "truncated": (WHOLE_NPY[:-1], DAMAGED),
    "version 9": (WHOLE_NPY.replace(b"NUMPY\x01", b"NUMPY\x09"), DAMAGED),
    "code as header": (headed("__import__('os').abort()"), DAMAGED),
    "huge shape": (headed(f"{{'descr': '<i2', 'fortran_order': False, 'shape': ({2**62}, 8)}}"), DAMAGED),
    "another type": (saved(RIGHT.astype(np.int32)), "holds int32, expected INT16 (int16)."),
    "records": (saved(np.zeros((2, 3), [("a\nb", "<i2")])), "holds [('a\\nb', '<i2')], expected INT16 (int16)."),
    "another shape": (saved(RIGHT.T.copy()), "has shape {3, 2}, expected {2, 3}."),
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
    for file in ("x.npy", "./x.npy", "inside.npy", "a/../x.npy"):
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


def test_npy_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "lesson"
    (folder / "sub").mkdir(parents=True)
    np.save(tmp_path / "x.npy", RIGHT)
    (folder / "link.npy").symlink_to("../x.npy")
    (folder / "out").symlink_to("..")
    (folder / "loop.npy").symlink_to("loop.npy")
    (folder / "dangling.npy").symlink_to("gone.npy")
    os.mkfifo(folder / "pipe.npy")
    outside = "lies outside the session's folder, expected a file inside it."
    real, looked = os.lstat, list[str]()

    def lstat(path: Any, **how: Any) -> os.stat_result:
        looked.append(os.path.normpath(os.fspath(path)))
        return real(path, **how)

    monkeypatch.setattr(os, "lstat", lstat)
    for file in ("../x.npy", str(tmp_path / "x.npy"), "sub/../../x.npy", "link.npy", "out/x.npy", "..", "/etc/passwd"):
        looked.clear()
        assert refused(folder, file) == f"{file} {outside}"
        named = os.path.normpath(folder / file)  # to look there may already do something: mount a disk, say
        assert named not in looked or named == str(tmp_path) or named.startswith(f"{folder}/")
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
