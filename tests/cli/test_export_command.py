"""`dmlviz export` and `dml.export`: what is written, where, and that it is written whole or not at all."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from support.commands import call, document, experiment
from support.sources_and_targets import registered

import dmlviz as dml
from dmlviz.cli.export import run
from dmlviz.errors import InvalidDescError
from dmlviz.exporters.lib import exporting, writing
from dmlviz.exporters.lib.writing import Export
from dmlviz.session import tokens

GOOD, OTHER, INVALID = experiment("good"), experiment("other"), experiment("invalid", Repeats=[0])
TILE = dml.Tile(dml.TensorDesc("UINT8", (2,)), (2,))
LINES = "DML_OPERATOR_TILE 4\nDML_OPERATOR_TILE 5\n"


@pytest.fixture(autouse=True)
def targets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with registered(tmp_path_factory.mktemp("targets")):
        yield


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "lesson.json"
    path.write_text(document(GOOD, OTHER), "utf-8")
    return path


def left(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# ---- standard output --------------------------------------------------------------------------------------------


def test_text_goes_to_standard_output_and_targets_are_listed(file: Path) -> None:
    given: list[tuple[list[str | Path], str]] = [
        ([file, "--to", "lines"], LINES),
        ([file, "--to", "lines", "--experiment", "other", "-o", "-"], "DML_OPERATOR_TILE 5\n"),
        ([tokens.to_token(dml.Experiment("abc", TILE)), "--to", "lines"], "DML_OPERATOR_TILE 3\n"),
    ]
    for words, out in given:
        found = call("export", *words)
        assert (found.code, found.out, found.err) == (0, out, "")
    for named in ([], [file]):
        found = call("export", *named, "--to")
        assert (found.code, found.err) == (0, "")
        assert [line.split()[0] for line in found.out.splitlines()] == list(exporting.targets())
    assert "lines        A line for each experiment.\n" in found.out


def test_bytes_need_a_file_or_a_pipe(file: Path) -> None:
    out = io.TextIOWrapper(io.BytesIO(), write_through=True)
    with mock.patch.object(sys, "stdout", out):
        assert run([str(file), "--to", "binary"]) == 0
        assert out.buffer.getvalue() == bytes(range(256))
        with (
            mock.patch.object(out, "isatty", return_value=True, create=True),
            pytest.raises(dml.DmlvizError, match=r"a \.bin file is no text for a terminal, expected -o F, or"),
        ):
            run([str(file), "--to", "binary"])


def test_what_can_not_be_exported_is_told(file: Path, tmp_path: Path) -> None:
    part, bad = tmp_path / "part.json", tmp_path / "bad.json"
    part.write_text(document(GOOD, {"name": "unreadable"}))
    bad.write_text(document(GOOD, INVALID))
    before = left(tmp_path)
    to = ("--to", "lines")
    for argv, code, said in (
        ((file,), 2, f"--to is missing, expected --to and one of {', '.join(exporting.targets())}."),
        ((file, "--to", "x\ny"), 2, f'target is "x\\ny", expected one of {", ".join(exporting.targets())}.'),
        ((file, *to, "--experiment", "x\ny"), 2, 'experiment is "x\\ny", expected one of "good", "other".'),
        ((file, "--to", "arrays"), 2, "the export needs values_1.npy, two.npy beside it, expected -o F to say where."),
        ((file, *to, "-o", tmp_path), 2, f"{tmp_path} is a directory, expected a file to write."),
        ((file, *to, "-o", tmp_path / "no/x"), 2, f"{tmp_path}/no/x can't be written: No such file or directory."),
        ((file, *to, "-o", "a\0b"), 2, "a\\u0000b can't be written: not a file name."),
        ((file, *to, "-o", "/dev/null"), 2, "/dev/null is no regular file, expected a file to write."),
        ((part, *to), 2, f"{part} can't be read whole, expected --experiment NAME for one that can be read."),
        (
            (bad, *to, "-o", tmp_path / "out"),
            1,
            'experiment "invalid" can\'t be exported to lines, which would have to',
        ),
    ):
        found = call("export", *argv)
        assert (found.code, found.out) == (code, "")
        assert found.said[-1].startswith(said)
    assert left(tmp_path) == before
    assert all(call("export", source, *to, "--experiment", "good").code == 0 for source in (part, bad))
    assert call("export", bad, "--to", "binary", "-o", tmp_path / "out").code == 0


# ---- files ------------------------------------------------------------------------------------------------------


def test_files_are_written_and_not_replaced_without_force(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out" / "my script.txt"
    out.parent.mkdir()
    words: list[str | Path] = ["export", file, "--to", "arrays", "-o", out]
    found = call(*words)
    assert (found.code, found.out, found.said) == (0, "", [f"wrote {out}, and 2 .npy files beside it."])
    assert set(left(out.parent)) == {"my script.txt", "my_script_1.npy", "two.npy"}
    assert np.load(out.parent / "my_script_1.npy").tolist() == [[0, 1, 2], [3, 4, 5]]
    assert np.load(out.parent / "two.npy").dtype == np.float32
    assert stat.S_IMODE(out.stat().st_mode) == stat.S_IMODE(file.stat().st_mode)

    def refused(taken: Path) -> None:
        before, found = left(out.parent), call(*words)
        assert (found.code, left(out.parent)) == (2, before)
        assert found.said == [f"{taken} exists already, expected another name, or --force, which replaces it."]

    refused(out)
    out.unlink()
    assert call(*words).code == 0  # the arrays are there and hold the same
    out.unlink()
    np.save(out.parent / "my_script_1.npy", np.zeros(3))
    refused(out.parent / "my_script_1.npy")
    assert call(*words, "--force").code == 0
    assert call("export", file, "--to", "lines", "-o", out, "--force").code == 0
    assert out.read_text() == LINES
    assert np.load(out.parent / "my_script_1.npy").tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("failing", range(1, 4))
def test_whole_or_not_at_all(tmp_path: Path, failing: int) -> None:
    """Whichever file the disk has no room for, everything is as it was."""
    made = Export("new", {"a.npy": np.arange(3), "b.npy": np.arange(4)})
    full = [*[None] * (failing - 1), OSError(28, "No space left on device")]
    for before in ({}, {"out.txt": b"old", "a.npy": b"other"}):
        for name, content in before.items():
            (tmp_path / name).write_bytes(content)
        with (
            mock.patch.object(os, "fsync", side_effect=full),
            pytest.raises(dml.DmlvizError, match=r"can't be written: No space left on device\."),
        ):
            writing.write(made, tmp_path / "out.txt")
        assert left(tmp_path) == before


def test_files_land_where_they_are_named_and_nowhere_else(tmp_path: Path) -> None:
    (inside := tmp_path / "inside").mkdir()
    for name in ("../x.npy", str(tmp_path / "x.npy")):
        with pytest.raises(dml.DmlvizError, match="lies outside"):
            writing.write(Export("new", {name: np.arange(3)}), inside / "out.txt")
    assert left(tmp_path) == {}
    (inside / "link.txt").symlink_to("../real.txt")
    writing.write(Export("new"), inside / "link.txt")
    assert ((inside / "link.txt").is_symlink(), (tmp_path / "real.txt").read_text()) == (True, "new")
    (inside / "loop.txt").symlink_to("loop.txt")
    with pytest.raises(dml.DmlvizError, match=r"loop\.txt can't be written: Too many levels of symbolic links\."):
        writing.write(Export("new"), inside / "loop.txt", unless="--force")
    np.save(tmp_path / "a.npy", np.arange(3))
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")  # an array may lie in the file that is replaced
    writing.write(Export("x", {"a.npy": mapped}), tmp_path / "out.txt", unless="--force")
    assert np.load(tmp_path / "a.npy").tolist() == [0, 1, 2]
    assert [writing.stem_of(name) for name in ("a b/c'd\"e.x.py", "数.py")] == ["c_d_e_x", "values"]
    assert len(writing.stem_of("x" * 5000)) == 60


# ---- the public API ---------------------------------------------------------------------------------------------


def test_a_session_an_experiment_or_a_desc_with_the_files_beside_it(file: Path, tmp_path: Path) -> None:
    session, out = dml.load(file), tmp_path / "own" / "x.txt"
    out.parent.mkdir()
    assert dml.export(session, "lines") == LINES
    assert dml.export(session, "lines", experiment="other") == "DML_OPERATOR_TILE 5\n"
    assert dml.export(session.experiments[0], "lines") == dml.export(TILE, "lines") == "DML_OPERATOR_TILE 4\n"
    assert dml.export(TILE, "binary") == bytes(range(256))
    assert dml.export(TILE, "arrays", out) == "two.npy\nx_1.npy\n"
    assert set(left(out.parent)) == {"x.txt", "x_1.npy", "two.npy"}
    dml.export(TILE, "lines", str(out), force=True)
    assert out.read_text() == "DML_OPERATOR_TILE 4\n"
    wrong: list[tuple[tuple[Any, ...], str]] = [
        ((TILE.replace({"Repeats": (0,)}), "lines"), "can't be exported to lines"),
        ((3, "lines"), "session is 3, expected a Session, an Experiment or a desc"),
        ((TILE, 3), "target is 3, expected one of"),
        ((TILE, "arrays"), "beside it, expected output= to say where"),
        ((TILE, "lines", str(out)), "or force=True, which replaces it"),
        ((TILE, "lines", 3), "output is 3, expected the name of a file"),
    ]
    for given, said in wrong:
        with pytest.raises(dml.DmlvizError, match=said) as caught:
            dml.export(*given)
        assert isinstance(caught.value, InvalidDescError) is (said == wrong[0][1])


@pytest.mark.slow
def test_every_target_exports_an_example_by_the_command(tmp_path: Path) -> None:
    for name in set(exporting.targets()) - {"lines", "binary", "arrays"}:
        found = call("export", "gather-2", "--to", name, "-o", out := tmp_path / name)
        assert (found.code, found.out) == (0, ""), found.err
        piped = call("export", "gather-2", "--to", name) if name != "onnx" else None
        assert piped is None or (piped.out, piped.err) == (out.read_text("utf-8"), "")
