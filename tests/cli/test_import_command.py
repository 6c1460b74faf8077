"""`dmlviz import` and `explain`, and files of other programs wherever a session file may stand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from support.commands import Result, call, document, experiment
from support.sources_and_targets import registered

import dmlviz as dml
from dmlviz.explaining import explain
from dmlviz.session import examples, reading, tokens, writing
from dmlviz.session.document import Document

WORDS = "words\ntile 2 3\nsome talk\ntile 4 1\n"
TOKEN = tokens.to_token(dml.Experiment("shared", dml.Tile(dml.TensorDesc("UINT8", (2,)), (2,))))
CUT = TOKEN[:30]
IGNORED = "line 3: ignored: no sizes in words."


@pytest.fixture(autouse=True)
def sources(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with registered(tmp_path_factory.mktemp("sources")):
        yield


@pytest.fixture
def words(tmp_path: Path) -> Path:
    path = tmp_path / "words.txt"
    path.write_text(WORDS)
    return path


def names(found: Result) -> list[str]:
    held, errors = reading.parse(found.out.encode(), "output", None)
    assert not errors
    return [each.name for each in held.experiments]


# ---- import -----------------------------------------------------------------------------------------------------


def test_it_prints_a_session_file_of_all_files_and_says_what_it_took(words: Path, tmp_path: Path) -> None:
    found = call("import", words)
    assert (found.code, names(found), json.loads(found.out)["title"]) == (0, ["line 2", "line 4"], "words.txt")
    taken = [f"taken: TILE is experiment {k}, at feature level 6_4, the newest, as none is said." for k in (1, 2)]
    assert found.said == [f"{words}, line 2: {taken[0]}", f"{words}, {IGNORED}", f"{words}, line 4: {taken[1]}"]
    assert call("import", "-", stdin=WORDS).said == [said.replace(str(words), "standard input") for said in found.said]
    (lesson := tmp_path / "lesson.json").write_text(document(experiment("own")))
    assert names(call("import", lesson, words, TOKEN, "-o", "-")) == ["own", "line 2", "line 4", "shared"]
    alone = call("import", lesson)
    assert (alone.code, names(alone), alone.err) == (0, ["own"], "")
    assert call("import", TOKEN).out == writing.dump(dml.Session((tokens.experiments_of(TOKEN)[-1],)))


def test_what_can_not_be_read_is_said_and_the_rest_is_taken(words: Path, tmp_path: Path) -> None:
    bad, other, gone = tmp_path / "bad.txt", tmp_path / "text.txt", tmp_path / "gone"
    bad.write_text("words\nnothing\n")
    other.write_text("hello")
    found = call("import", bad, gone, CUT, words)
    assert (found.code, names(found)) == (2, ["line 2", "line 4"])
    assert found.said[0] == f"{bad} holds no sizes in words, expected tile and two numbers."
    assert found.said[1] == f"{gone}: no such file, expected a file to open."
    assert found.said[2].startswith("the token is cut or damaged")
    nothing = call("import", bad, "-o", tmp_path / "out.json")
    assert (nothing.code, nothing.out, (tmp_path / "out.json").exists()) == (2, "", False)
    for command in ("import", "check", "explain", "run"):
        (said,) = call(command, other).said
        assert said.startswith(f"{other} is nothing that can be imported, expected ")
        assert all(form in said for form in ("a shared token, ", ", sizes in words"))


def test_it_writes_a_file_and_replaces_none_without_force(words: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    found = call("import", words, "-o", out)
    assert (found.code, found.out, found.said[-1]) == (0, "", f"wrote {out}: 2 experiments.")
    before = out.read_bytes()
    found = call("import", TOKEN, "-o", out)
    assert (found.code, out.read_bytes()) == (2, before)
    assert found.said[-1] == f"{out} exists already, expected another name, or --force, which replaces it."
    assert call("import", TOKEN, "-o", out, "--force").code == 0
    assert [each.name for each in dml.load(out).experiments] == ["shared"]
    assert {call("import", TOKEN, "-o", place).code for place in (tmp_path, tmp_path / "no" / "x.json")} == {2}


def test_npy_files_belong_beside_a_session(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.arange(2, dtype=np.uint8))
    (file := tmp_path / "s.json").write_text(document(experiment() | {"values": {"InputTensor": {"npy": "x.npy"}}}))
    assert call("import", file).said[-1] == "the session needs x.npy beside it, expected -o F to say where."
    assert call("import", file, "-o", tmp_path / "t.json").code == 0
    assert dml.load(tmp_path / "t.json").experiments[0].sources()[0].array().tolist() == [0, 1]


# ---- everywhere else --------------------------------------------------------------------------------------------


def test_check_and_run_take_tokens_and_other_programs_files(words: Path) -> None:
    checked = call("check", words, TOKEN, "--json")
    assert (checked.code, [each["name"] for each in checked.json]) == (0, ["line 2", "line 4", "shared"])
    assert checked.said == [f"{words}, {IGNORED}"]
    many = call("check", "-", stdin=WORDS + "talk\n" * 8)
    assert (many.code, len(many.said)) == (0, 6)
    assert many.said[-1] == "standard input: 4 more ignored; `dmlviz import` tells all."
    assert len(call("import", "-", stdin=WORDS + "talk\n" * 8).said) == 11
    assert call("check", CUT).code == 2
    assert "the token: shared · TILE" in call("check", TOKEN, words).out


def opened(*argv: str | Path, stdin: str = "") -> tuple[Result, Document | None]:
    """What the explorer is opened with."""
    found: list[Document] = []

    def explore(given: Document, *, files: bool, **begins: object) -> int:
        assert files
        assert not any(begins.values()), "neither the course, a presentation nor the ways to begin"
        found.append(given)
        return 0

    with (
        mock.patch("dmlviz.app.explore", explore),
        mock.patch("dmlviz.cli.explore._take_terminal"),
        mock.patch.dict("os.environ", {"TEXTUAL_DRIVER": "x:WebDriver", "DMLVIZ_FILES": "1"}),
    ):
        result = call(*argv, stdin=stdin)
    return result, found[0] if found else None


def test_the_explorer_opens_what_was_imported_without_a_file(words: Path, tmp_path: Path) -> None:
    result, found = opened(words)
    assert result == Result(0, "", "")
    assert found is not None
    assert (found.path, found.session.title, found.saved) == (None, "words.txt", None)
    assert found.notice == f"imported 2 experiments from {words}, ignored line 3: no sizes in words."
    _, found = opened(TOKEN)
    assert found is not None
    assert (found.session, found.saved) == (dml.Session((tokens.experiments_of(TOKEN)[-1],)), None)
    _, found = opened("-", stdin=WORDS)
    assert found is not None
    assert found.path is None
    lesson = tmp_path / "lesson.json"
    lesson.write_text(document(experiment("own")))
    _, found = opened(lesson)
    assert found is not None
    assert (found.session, found.path, found.dirty) == (dml.load(lesson), lesson, False)


# ---- explain ----------------------------------------------------------------------------------------------------


def test_explain_prints_every_experiment_and_an_invalid_one_with_code_1(words: Path, tmp_path: Path) -> None:
    (each,) = examples.example("gather-2").session().experiments
    assert call("explain", "gather-2") == Result(0, explain(each), "")
    two = call("explain", "-", stdin=document(experiment("one"), experiment("two")))
    assert (two.code, two.out.splitlines()[0], two.out.count("by slice")) == (0, "one", 2)
    assert f"\n\n{'=' * 80}\n\ntwo\n" in two.out
    assert call("explain", TOKEN).out.startswith("shared\nTILE at feature level 6_4.")
    found = call("explain", "gather-3-as-printed")
    assert (found.code, found.err) == (1, "")
    assert "Fix 1: change IndexDimensions from 2 to 1" in found.out
    assert call("explain", tmp_path / "gone").code == 2
    heard = call("explain", words)
    assert (heard.code, heard.said) == (0, [f"{words}, {IGNORED}"])
