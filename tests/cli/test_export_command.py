"""`dmlviz export` and `dml.export`: what is written, where, and that it is written whole or not at all."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from support.commands import call, document, experiment, process
from support.sources_and_targets import registered

import dmlviz as dml
from dmlviz.errors import InvalidDescError
from dmlviz.exporters.lib import exporting, writing
from dmlviz.exporters.lib.writing import Export
from dmlviz.session import examples, tokens

GOOD, OTHER, INVALID = experiment("good"), experiment("other"), experiment("invalid", Repeats=[0])
TILE = dml.Tile(dml.TensorDesc("UINT8", (2,)), (2,))


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


def test_text_goes_to_standard_output(file: Path) -> None:
    found = call("export", file, "--to", "lines")
    assert (found.code, found.out, found.err) == (0, "DML_OPERATOR_TILE 4\nDML_OPERATOR_TILE 5\n", "")
    assert call("export", "-", "--to", "lines", stdin=document(GOOD)).out == "DML_OPERATOR_TILE 4\n"
    token = tokens.to_token(dml.Experiment("abc", TILE))
    assert call("export", token, "--to", "lines").out == "DML_OPERATOR_TILE 3\n"


def test_one_experiment_can_be_chosen(file: Path) -> None:
    assert call("export", file, "--to", "lines", "--experiment", "other").out == "DML_OPERATOR_TILE 5\n"
    found = call("export", file, "--to", "lines", "--experiment", "x\ny")
    assert (found.code, found.out) == (2, "")
    assert found.said == ['experiment is "x\\ny", expected one of "good", "other".']


def test_targets_are_listed(file: Path) -> None:
    for words in (["--to"], [file, "--to"]):
        found = call("export", *words)
        assert (found.code, found.err) == (0, "")
        assert [line.split()[0] for line in found.out.splitlines()] == list(exporting.targets())
    assert "lines        A line for each experiment.\n" in found.out


def test_bytes_need_a_file_or_a_pipe(file: Path) -> None:
    out = io.TextIOWrapper(io.BytesIO(), write_through=True)
    with mock.patch.object(sys, "stdout", out):
        assert exporting.export(dml.load(file), "binary").data == bytes(range(256))
        from dmlviz.cli.export import run as export

        assert export([str(file), "--to", "binary"]) == 0
        assert out.buffer.getvalue() == bytes(range(256))
        with (
            mock.patch.object(out, "isatty", return_value=True, create=True),
            pytest.raises(dml.DmlvizError, match=r"a \.bin file is no text for a terminal, expected -o F, or"),
        ):
            export([str(file), "--to", "binary"])


def test_what_can_not_be_exported_is_told(file: Path, tmp_path: Path) -> None:
    for argv, said in (
        ((file,), f"--to is missing, expected --to and one of {', '.join(exporting.targets())}."),
        ((file, "--to", "x\ny"), f'target is "x\\ny", expected one of {", ".join(exporting.targets())}.'),
        (
            (file, "--to", "arrays"),
            "the export needs values_1.npy, two.npy beside it, expected -o F to say where.",
        ),
        ((file, "--to", "lines", "-o", tmp_path), f"{tmp_path} is a directory, expected a file to write."),
        (
            (file, "--to", "lines", "-o", tmp_path / "no" / "x"),
            f"{tmp_path / 'no' / 'x'} can't be written: No such file or directory.",
        ),
        ((file, "--to", "lines", "-o", "a\0b"), "a\\u0000b can't be written: not a file name."),
        ((file, "--to", "lines", "-o", "/dev/null"), "/dev/null is no regular file, expected a file to write."),
    ):
        found = call("export", *argv)
        assert (found.code, found.out, found.said) == (2, "", [said])
    assert set(left(tmp_path)) == {"lesson.json"}


def test_an_invalid_desc_is_code_1_where_it_would_run(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text(document(GOOD, INVALID))
    found = call("export", bad, "--to", "lines", "-o", tmp_path / "out")
    assert (found.code, found.out) == (1, "")
    assert found.said[0].startswith(
        'experiment "invalid" can\'t be exported to lines, which would have to run: repeats'
    )
    assert not (tmp_path / "out").exists()
    assert call("export", bad, "--to", "lines", "--experiment", "good").code == 0
    assert call("export", bad, "--to", "binary", "-o", tmp_path / "out").code == 0


def test_a_session_is_not_exported_in_part(tmp_path: Path) -> None:
    part = tmp_path / "part.json"
    part.write_text(document(GOOD, {"name": "unreadable"}))
    found = call("export", part, "--to", "lines")
    assert (found.code, found.out) == (2, "")
    assert 'experiment "unreadable": feature_level is missing' in found.said[0]
    assert "can't be read whole, expected --experiment NAME" in found.said[1]
    found = call("export", part, "--to", "lines", "--experiment", "good")
    assert (found.code, found.out) == (0, "DML_OPERATOR_TILE 4\n")


# ---- files ------------------------------------------------------------------------------------------------------


def test_files_are_written_and_not_replaced_without_force(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out" / "my script.txt"
    out.parent.mkdir()
    found = call("export", file, "--to", "arrays", "-o", out)
    assert (found.code, found.out) == (0, "")
    assert found.said == [f"wrote {out}, and 2 .npy files beside it."]
    assert set(left(out.parent)) == {"my script.txt", "my_script_1.npy", "two.npy"}
    assert np.load(out.parent / "my_script_1.npy").tolist() == [[0, 1, 2], [3, 4, 5]]
    assert np.load(out.parent / "two.npy").dtype == np.float32
    assert stat.S_IMODE(out.stat().st_mode) == stat.S_IMODE(file.stat().st_mode)

    before = left(out.parent)
    found = call("export", file, "--to", "arrays", "-o", out)
    assert (found.code, left(out.parent)) == (2, before)
    assert found.said == [f"{out} exists already, expected another name, or --force, which replaces it."]
    out.unlink()
    assert call("export", file, "--to", "arrays", "-o", out).code == 0  # the arrays are there and hold the same
    assert left(out.parent) == before

    out.unlink()
    np.save(out.parent / "my_script_1.npy", np.zeros(3))
    before = left(out.parent)
    found = call("export", file, "--to", "arrays", "-o", out)
    assert (found.code, left(out.parent)) == (2, before)
    assert found.said == [
        f"{out.parent / 'my_script_1.npy'} exists already, expected another name, or --force, which replaces it."
    ]
    assert call("export", file, "--to", "arrays", "-o", out, "--force").code == 0
    assert call("export", file, "--to", "lines", "-o", out, "--force").code == 0
    assert out.read_text() == "DML_OPERATOR_TILE 4\nDML_OPERATOR_TILE 5\n"
    assert np.load(out.parent / "my_script_1.npy").tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("failing", range(1, 4))
@pytest.mark.parametrize("there", [False, True])
def test_whole_or_not_at_all(tmp_path: Path, failing: int, there: bool) -> None:
    """Whichever file the disk has no room for, everything is as it was."""
    made = Export("new", {"a.npy": np.arange(3), "b.npy": np.arange(4)})
    if there:
        (tmp_path / "out.txt").write_text("old")
        np.save(tmp_path / "a.npy", np.zeros(9))
    before = left(tmp_path)
    full = [*[None] * (failing - 1), OSError(28, "No space left on device")]
    with (
        mock.patch.object(os, "fsync", side_effect=full),
        pytest.raises(dml.DmlvizError, match=r"(out\.txt|b\.npy|a\.npy) can't be written: No space left on device\."),
    ):
        writing.write(made, tmp_path / "out.txt")
    assert left(tmp_path) == before
    writing.write(made, tmp_path / "out.txt")
    assert set(left(tmp_path)) == {"out.txt", "a.npy", "b.npy"}


def test_no_file_lands_outside(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    for name in ("../x.npy", str(tmp_path / "x.npy")):
        with pytest.raises(dml.DmlvizError, match="lies outside"):
            writing.write(Export("new", {name: np.arange(3)}), inside / "out.txt")
    assert left(tmp_path) == {}


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    writing.write(Export("new"), tmp_path / "link.txt")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_a_link_that_leads_to_itself_is_no_place_to_write(tmp_path: Path) -> None:
    (tmp_path / "loop.txt").symlink_to("loop.txt")
    with pytest.raises(dml.DmlvizError, match=r"loop\.txt can't be written: Too many levels of symbolic links\."):
        writing.write(Export("new"), tmp_path / "loop.txt", unless="--force")
    assert (tmp_path / "loop.txt").is_symlink()


def test_an_array_may_lie_in_the_file_that_is_replaced(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(3))
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    writing.write(Export("x", {"a.npy": mapped}), tmp_path / "out.txt", unless="--force")
    assert np.load(tmp_path / "a.npy").tolist() == [0, 1, 2]


# ---- the public API ---------------------------------------------------------------------------------------------


def test_a_session_an_experiment_or_a_desc(file: Path) -> None:
    session = dml.load(file)
    assert dml.export(session, "lines") == "DML_OPERATOR_TILE 4\nDML_OPERATOR_TILE 5\n"
    assert dml.export(session, "lines", experiment="other") == "DML_OPERATOR_TILE 5\n"
    assert dml.export(session.experiments[0], "lines") == dml.export(TILE, "lines") == "DML_OPERATOR_TILE 4\n"
    assert dml.export(TILE, "binary") == bytes(range(256))
    with pytest.raises(InvalidDescError, match="can't be exported to lines"):
        dml.export(TILE.replace({"Repeats": (0,)}), "lines")
    with pytest.raises(dml.DmlvizError, match="session is 3, expected a Session, an Experiment or a desc"):
        dml.export(3, "lines")  # type: ignore[arg-type]
    with pytest.raises(dml.DmlvizError, match="target is 3, expected one of"):
        dml.export(TILE, 3)  # type: ignore[arg-type]


def test_output_takes_the_files_beside_it(tmp_path: Path) -> None:
    with pytest.raises(dml.DmlvizError, match="beside it, expected output= to say where"):
        dml.export(TILE, "arrays")
    made = dml.export(TILE, "arrays", tmp_path / "x.txt")
    assert made == "two.npy\nx_1.npy\n"
    assert set(left(tmp_path)) == {"x.txt", "x_1.npy", "two.npy"}
    with pytest.raises(dml.DmlvizError, match="or force=True, which replaces it"):
        dml.export(TILE, "lines", str(tmp_path / "x.txt"))
    dml.export(TILE, "lines", str(tmp_path / "x.txt"), force=True)
    assert (tmp_path / "x.txt").read_text() == "DML_OPERATOR_TILE 4\n"
    with pytest.raises(dml.DmlvizError, match="output is 3, expected the name of a file"):
        dml.export(TILE, "lines", 3)  # type: ignore[arg-type]


def test_names_beside_an_export_are_plain() -> None:
    assert writing.stem_of("a b/c'd\"e.x.py") == "c_d_e_x"
    assert writing.stem_of("数.py") == "values"
    assert len(writing.stem_of("x" * 5000)) == 60


def test_targets_are_loaded_when_they_are_asked_for() -> None:
    code = "import sys, dmlviz; print([m for m in sys.modules if 'dmlviz.exporters.' in m and '.lib' not in m])"
    from subprocess import run

    made = run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert made.stdout.strip() == "[]"


# ---- the targets that come with it ------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_target_exports_an_example_by_the_command(tmp_path: Path) -> None:
    gather = examples.example("gather-2").path
    for name in set(exporting.targets()) - {"lines", "binary", "arrays"}:
        out = tmp_path / f"{name}{exporting.target_of(name).SUFFIX}"
        found = process("export", gather, "--to", name, "-o", out)
        assert (found.code, found.out) == (0, ""), found.err
        assert out.stat().st_size
        piped = process("export", gather, "--to", name) if name != "onnx" else None
        assert piped is None or (piped.out, piped.err) == (out.read_text("utf-8"), "")
