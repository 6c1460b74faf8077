"""`dmlviz export`, `import` and `explain`, and other programs' files and tokens wherever a session file may stand."""

from __future__ import annotations

import io
import json
import os
import stat
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from support.commands import Result, call, document, experiment

import dmlviz as dml
from dmlviz import exporters
from dmlviz.cli.export import run
from dmlviz.explaining import explain
from dmlviz.exporters.lib import exporting, writing
from dmlviz.exporters.lib.writing import Export
from dmlviz.session import examples, tokens
from dmlviz.session.document import Document
from dmlviz.session.writing import dump

GOOD, OTHER, INVALID = experiment("good"), experiment("other"), experiment("invalid", Repeats=[0])
MANY = experiment("many", InputTensor={"DataType": "UINT8", "Sizes": [5000]})
LARGE = document({**MANY, "values": {"InputTensor": [7] * 5000}})
TILE = dml.Tile(dml.TensorDesc("UINT8", (2,)), (2,))
CALLS = "x = np.zeros(2, np.uint8)\nnp.tile(x, 3)\nnp.sort(x)\nnp.tile(x, 1)\n"
BOTH = ["np.tile(x, 3)", "np.tile(x, 1)"]
TOKEN = tokens.to_token(dml.Experiment("shared", TILE))
CUT = TOKEN[:30]
IGNORED = "line 3: ignored: np.sort is no function that is read, "


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "lesson.json"
    path.write_text(document(GOOD, OTHER), "utf-8")
    return path


@pytest.fixture
def words(tmp_path: Path) -> Path:
    path = tmp_path / "words.txt"
    path.write_text(CALLS)
    return path


def left(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def names(found: Result) -> list[str]:
    return [each["name"] for each in found.json]


# ---- export --------------------------------------------------------------------------------------------------------


def test_text_goes_to_standard_output_and_targets_are_listed(file: Path) -> None:
    session = dml.load(file)
    given: list[tuple[list[str | Path], object]] = [
        ([file, "--to", "cpp"], dml.export(session, "cpp")),
        ([file, "--to", "cpp", "--experiment", "other", "-o", "-"], dml.export(session, "cpp", experiment="other")),
        ([TOKEN, "--to", "cpp"], dml.export(dml.Session((dml.Experiment("shared", TILE),)), "cpp")),
    ]
    for words, out in given:
        found = call("export", *words)
        assert (found.code, found.out, found.err) == (0, out, "")
    for named in ([], [file]):
        found = call("export", *named, "--to")
        assert (found.code, found.err) == (0, "")
        assert [line.split()[0] for line in found.out.splitlines()] == list(exporting.targets())


def test_a_target_of_another_folder_gives_bytes_which_need_a_file_or_a_pipe(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = (
        "from dmlviz.exporters.lib.writing import Export",
        'ABOUT, SUFFIX, RUNS = "Bytes.", ".bin", False',
        "def export(session, stem):",
        "    return Export(bytes(range(256)))",
    )
    (tmp_path / "binary.py").write_text("\n".join(lines))
    monkeypatch.setattr(exporters, "__path__", [*exporters.__path__, str(tmp_path)])
    monkeypatch.setattr(exporting, "_modules_by_target", exporting._modules_by_target.__wrapped__)
    assert "binary       Bytes.\n" in call("export", "--to").out
    out = io.TextIOWrapper(io.BytesIO(), write_through=True)
    monkeypatch.setattr(sys, "stdout", out)
    assert run([str(file), "--to", "binary"]) == 0
    assert out.buffer.getvalue() == bytes(range(256))
    monkeypatch.setattr(out, "isatty", lambda: True, raising=False)
    with pytest.raises(dml.DmlvizError, match=r"a \.bin file is no text for a terminal, expected -o F, or"):
        run([str(file), "--to", "binary"])


def test_what_can_not_be_exported_is_told(file: Path, tmp_path: Path) -> None:
    part, bad, large = (tmp_path / name for name in ("part.json", "bad.json", "large.json"))
    large.write_text(LARGE)
    part.write_text(document(GOOD, {"name": "unreadable"}))
    bad.write_text(document(GOOD, INVALID))
    before = left(tmp_path)
    to = ("--to", "numpy")
    for argv, code, said in (
        ((file,), 2, f"--to is missing, expected --to and one of {', '.join(exporting.targets())}."),
        ((file, "--to", "x\ny"), 2, f'target is "x\\ny", expected one of {", ".join(exporting.targets())}.'),
        ((file, *to, "--experiment", "x\ny"), 2, 'experiment is "x\\ny", expected one of "good", "other".'),
        (
            (large, *to),
            2,
            "the export needs values-1-InputTensor.npy, values-1-OutputTensor.npy next to it, expected -o",
        ),
        ((file, *to, "-o", tmp_path), 2, f"{tmp_path} is a directory, expected a file to write."),
        ((file, *to, "-o", tmp_path / "no/x"), 2, f"{tmp_path}/no/x can't be written: No such file or directory."),
        ((file, *to, "-o", "a\0b"), 2, "a\\u0000b can't be written: not a file name."),
        ((file, *to, "-o", "/dev/null"), 2, "/dev/null is no regular file, expected a file to write."),
        ((part, *to), 2, f"{part} can't be read whole, expected --experiment NAME for one that can be read."),
        ((bad, *to, "-o", tmp_path / "out"), 1, 'experiment "invalid" can\'t be exported to numpy: repeats'),
    ):
        found = call("export", *argv)
        assert (found.code, found.out) == (code, "")
        assert found.said[-1].startswith(said)
    assert left(tmp_path) == before
    assert all(call("export", source, *to, "--experiment", "good").code == 0 for source in (part, bad))


# ---- files ------------------------------------------------------------------------------------------------------


def test_files_are_written_and_not_replaced_without_force(file: Path, tmp_path: Path) -> None:
    file.write_text(LARGE)
    out, array = tmp_path / "out" / "my script.txt", tmp_path / "out" / "my_script-1-InputTensor.npy"
    out.parent.mkdir()
    words: list[str | Path] = ["export", file, "--to", "numpy", "-o", out]
    assert call(*words) == Result(0, "", f"dmlviz: wrote {out}, and 2 .npy files next to it.\n")
    assert set(left(out.parent)) == {"my script.txt", array.name, "my_script-1-OutputTensor.npy"}
    assert stat.S_IMODE(out.stat().st_mode) == stat.S_IMODE(file.stat().st_mode)

    def refused(taken: Path) -> None:
        before = left(out.parent)
        assert call(*words).said == [f"{taken} exists already, expected another name, or --force, which replaces it."]
        assert left(out.parent) == before

    refused(out)
    out.unlink()
    assert call(*words).code == 0  # the arrays are there and hold the same
    out.unlink()
    np.save(array, np.zeros(3))
    refused(array)
    assert call(*words, "--force").code == 0
    assert np.load(array).tolist() == [7] * 5000


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
        with pytest.raises(dml.DmlvizError, match="is outside"):
            writing.write(Export("new", {name: np.arange(3)}), inside / "out.txt")
    assert left(tmp_path) == {}
    (inside / "link.txt").symlink_to("../real.txt")
    writing.write(Export("new"), inside / "link.txt")
    assert ((inside / "link.txt").is_symlink(), (tmp_path / "real.txt").read_text()) == (True, "new")
    np.save(tmp_path / "a.npy", np.arange(3))
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")  # an array may lie in the file that is replaced
    writing.write(Export("x", {"a.npy": mapped}), tmp_path / "out.txt", unless="--force")
    assert np.load(tmp_path / "a.npy").tolist() == [0, 1, 2]


# ---- import -----------------------------------------------------------------------------------------------------


def test_it_prints_a_session_file_of_all_files_and_says_what_it_took(words: Path, file: Path) -> None:
    found = call("import", words)
    assert (found.code, names(found), json.loads(found.out)["title"]) == (0, BOTH, "words.txt")
    taken = [f"taken: np.tile is experiment {k}, at feature level 6_4, the newest, as none is given." for k in (1, 2)]
    first, ignored, last = found.said
    assert [first, last] == [f"{words}, line 2: {taken[0]}", f"{words}, line 4: {taken[1]}"]
    assert ignored.startswith(f"{words}, {IGNORED}")
    assert call("import", "-", stdin=CALLS).said == [said.replace(str(words), "standard input") for said in found.said]
    assert names(call("import", file, words, TOKEN, "-o", "-")) == ["good", "other", *BOTH, "shared"]
    alone = call("import", file)
    assert (alone.code, names(alone), alone.err) == (0, ["good", "other"], "")
    assert call("import", TOKEN).out == dump(dml.Session((dml.Experiment("shared", TILE),)))


def test_what_can_not_be_read_is_said_and_the_rest_is_taken(words: Path, tmp_path: Path) -> None:
    bad, other, gone = tmp_path / "bad.txt", tmp_path / "text.txt", tmp_path / "gone"
    bad.write_text("np.tile(y, 3)")
    other.write_text("hello")
    found = call("import", bad, gone, CUT, words)
    assert (found.code, names(found)) == (2, BOTH)
    assert found.said[0].startswith(f"{bad}: line 1: np.tile isn't read: y has no shape here, ")
    assert found.said[1] == f"{gone}: no such file, expected a file to open."
    assert found.said[2].startswith("the token is cut or damaged")
    nothing = call("import", bad, "-o", tmp_path / "out.json")
    assert (nothing.code, nothing.out, (tmp_path / "out.json").exists()) == (2, "", False)
    for command in ("import", "check", "explain", "run"):
        (said,) = call(command, other).said
        assert said.startswith(f"{other} has nothing to import, expected ")
        assert "a shared token, " in said


def test_it_writes_a_file_and_replaces_none_without_force(words: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    found = call("import", words, "-o", out)
    assert (found.code, found.out, found.said[-1]) == (0, "", f"wrote {out}: 2 experiments.")
    taken = f"{out} exists already, expected another name, or --force, which replaces it."
    assert call("import", TOKEN, "-o", out).said[-1] == taken
    assert call("import", TOKEN, "-o", out, "--force").code == 0
    assert [each.name for each in dml.load(out).experiments] == ["shared"]


def test_check_and_run_take_tokens_and_other_programs_files(words: Path) -> None:
    checked = call("check", words, TOKEN, "--json")
    assert (checked.code, [each["name"] for each in checked.json]) == (0, [*BOTH, "shared"])
    (said,) = checked.said
    assert said.startswith(f"{words}, {IGNORED}")
    more = CALLS + "np.sort(x)\n" * 8
    many = call("check", "-", stdin=more)
    assert (many.code, len(many.said)) == (0, 6)
    assert many.said[-1] == "standard input: 4 more ignored; `dmlviz import` lists all."
    assert len(call("import", "-", stdin=more).said) == 11
    assert call("check", CUT).code == 2
    assert "the token: shared · TILE" in call("check", TOKEN, words).out


def test_the_explorer_opens_what_was_imported_without_a_file(
    words: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[Document] = []

    def explore(given: Document, *, files: bool, **begins: object) -> int:
        assert files
        assert not any(begins.values()), "neither the course, a presentation nor the ways to begin"
        found.append(given)
        return 0

    monkeypatch.setattr("dmlviz.app.explore", explore)
    monkeypatch.setattr("dmlviz.cli.explore._take_terminal", lambda: None)
    monkeypatch.setenv("TEXTUAL_DRIVER", "x:WebDriver")
    monkeypatch.setenv("DMLVIZ_FILES", "1")
    assert [call(word, stdin=CALLS) for word in (words, TOKEN, "-", file)] == [Result(0, "", "")] * 4
    of_words, of_token, piped, own = found
    assert (of_words.path, of_words.session.title, of_words.saved, piped.path) == (None, "words.txt", None, None)
    assert of_words.notice.startswith(f"imported 2 experiments from {words}, ignored line 3: np.sort is no function")
    assert (of_token.session, of_token.saved) == (dml.Session((tokens.experiments_of(TOKEN)[-1],)), None)
    assert (own.session, own.path, own.dirty) == (dml.load(file), file, False)


# ---- explain ----------------------------------------------------------------------------------------------------


def test_explain_prints_every_experiment_and_an_invalid_one_with_code_1(words: Path, tmp_path: Path) -> None:
    (each,) = examples.example("gather-2").session().experiments
    assert call("explain", "gather-2") == Result(0, explain(each), "")
    two = call("explain", "-", stdin=document(experiment("one"), experiment("two")))
    assert f"\n\n{'=' * 80}\n\ntwo\n" in two.out
    found = call("explain", "gather-3-as-printed")
    assert (found.code, found.err) == (1, "")
    assert "Fix 1: IndexDimensions 2 → 1" in found.out
    assert call("explain", tmp_path / "gone").code == 2
    heard = call("explain", words)
    assert (heard.code, len(heard.said)) == (0, 1)


def test_every_command_that_reads_a_file_takes_sizes(tmp_path: Path) -> None:
    made_onnx: Any = pytest.importorskip("support.onnx_models", reason="onnx isn't installed", exc_type=ImportError)
    nodes = [made_onnx.node("Concat", ["x", "x"], ["y"], "free", axis=1)]
    (model := tmp_path / "m.onnx").write_bytes(made_onnx.model(nodes, {"x": ["batch", None]}))
    for words in (("import",), ("explain",), ("run",), ("export", "--to", "numpy")):
        found = call(words[0], model, *words[1:], "--dim", "batch=2", "--dim", "x:1=3")
        assert (found.code, "free" in found.out, found.said) == (0, True, found.said if words == ("import",) else [])
