"""`dmlviz import` and `explain`, and files of other programs wherever a session file may stand."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from support.commands import Result, call, document, experiment
from support.sources_and_targets import registered

import dmlviz as dml
from dmlviz import opening
from dmlviz.app import DmlvizApp
from dmlviz.explaining import explain
from dmlviz.screens.explorer.explorer import Explorer
from dmlviz.session import examples, reading, tokens, writing
from dmlviz.session.recent_files import Opened

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


def test_it_prints_a_session_file_and_says_what_it_took(words: Path) -> None:
    found = call("import", words)
    assert (found.code, names(found)) == (0, ["line 2", "line 4"])
    assert json.loads(found.out)["title"] == "words.txt"
    assert found.said == [
        f"{words}, line 2: taken: TILE is experiment 1, at feature level 6_4, the newest, as none is said.",
        f"{words}, {IGNORED}",
        f"{words}, line 4: taken: TILE is experiment 2, at feature level 6_4, the newest, as none is said.",
    ]
    piped = call("import", "-", stdin=WORDS)
    assert names(piped) == ["line 2", "line 4"]
    assert piped.said[1] == f"standard input, {IGNORED}"


def test_several_files_make_one_session(words: Path, tmp_path: Path) -> None:
    lesson = tmp_path / "lesson.json"
    lesson.write_text(document(experiment("own")))
    found = call("import", lesson, words, TOKEN)
    assert (found.code, names(found)) == (0, ["own", "line 2", "line 4", "shared"])
    alone = call("import", lesson)
    assert (alone.code, names(alone), alone.err) == (0, ["own"], "")
    assert call("import", TOKEN).out == writing.dump(dml.Session((tokens.experiments_of(TOKEN)[-1],)))


def test_what_can_not_be_read_is_said_and_the_rest_is_taken(words: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("words\nnothing\n")
    found = call("import", bad, tmp_path / "gone", CUT, words)
    assert (found.code, names(found)) == (2, ["line 2", "line 4"])
    assert found.said[0] == f"{bad} holds no sizes in words, expected tile and two numbers."
    assert found.said[1] == f"{tmp_path / 'gone'}: no such file, expected a file to open."
    assert found.said[2].startswith("the token is cut or damaged")
    nothing = call("import", bad, "-o", tmp_path / "out.json")
    assert (nothing.code, nothing.out) == (2, "")
    assert not (tmp_path / "out.json").exists()
    other = tmp_path / "text.txt"
    other.write_text("hello")
    for command in ("import", "check", "explain", "run"):
        (said,) = call(command, other).said
        assert said.startswith(f"{other} is nothing that can be imported, expected ")
        assert "a shared token, " in said
        assert ", sizes in words" in said
    assert names(call("import", TOKEN, "-o", "-")) == ["shared"]


def test_it_writes_a_file_and_replaces_none_without_force(words: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    found = call("import", words, "-o", out)
    assert (found.code, found.out, found.said[-1]) == (0, "", f"wrote {out}: 2 experiments.")
    assert [each.name for each in dml.load(out).experiments] == ["line 2", "line 4"]
    before = out.read_bytes()
    found = call("import", TOKEN, "-o", out)
    assert (found.code, out.read_bytes()) == (2, before)
    assert found.said[-1] == f"{out} exists already, expected another name, or --force, which replaces it."
    assert call("import", TOKEN, "-o", out, "--force").code == 0
    assert [each.name for each in dml.load(out).experiments] == ["shared"]
    found = call("import", TOKEN, "-o", tmp_path)
    assert found.code == 2
    assert call("import", TOKEN, "-o", tmp_path / "no" / "x.json").code == 2


def test_npy_files_come_along_and_need_a_place(tmp_path: Path) -> None:
    home, away = tmp_path / "home", tmp_path / "away"
    home.mkdir()
    away.mkdir()
    np.save(home / "x.npy", np.arange(2, dtype=np.uint8))
    (home / "lesson.json").write_text(document({**experiment(), "values": {"InputTensor": {"npy": "x.npy"}}}))
    found = call("import", home / "lesson.json")
    assert (found.code, found.out) == (2, "")
    assert found.said == ["the session needs x.npy beside it, expected -o F to say where."]
    assert call("import", home / "lesson.json", TOKEN, "-o", away / "out.json").code == 0
    assert np.load(away / "x.npy").tolist() == [0, 1]
    assert dml.load(away / "out.json").experiments[0].sources()[0].array().tolist() == [0, 1]


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


@pytest.mark.slow
def test_run_takes_a_token() -> None:
    assert call("run", TOKEN, "--json").json[0]["outputs"][0]["values"] == [1, 2, 1, 2]


def opened(*argv: str | Path, stdin: str = "") -> tuple[Result, Opened | None]:
    """What the explorer is opened with."""
    found: list[Opened] = []

    def explore(given: Opened, *, files: bool, **begins: object) -> int:
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
    assert (found.path, found.session.title, found.saved) == (None, "words.txt", False)
    assert found.notice == f"imported 2 experiments from {words}, ignored line 3: no sizes in words."
    _, found = opened(TOKEN)
    assert found == Opened(dml.Session((tokens.experiments_of(TOKEN)[-1],)), saved=False)
    _, found = opened("-", stdin=WORDS)
    assert found is not None
    assert found.path is None
    lesson = tmp_path / "lesson.json"
    lesson.write_text(document(experiment("own")))
    _, found = opened(lesson)
    assert found == Opened(dml.load(lesson), lesson)


def test_what_no_file_holds_is_unsaved_in_the_explorer() -> None:
    held = dml.Session((tokens.experiments_of(TOKEN)[-1],))
    for saved in (True, False):
        screen = DmlvizApp(held, opened=Opened(held, saved=saved)).get_default_screen()
        assert isinstance(screen, Explorer)
        assert screen.state.document.dirty is not saved


def test_standard_input_is_read_as_bytes() -> None:
    with mock.patch("sys.stdin", io.TextIOWrapper(io.BytesIO(b"words\ntile 1 1\n"))):
        assert opening.find("-").session.experiments[0].name == "line 2"


# ---- explain ----------------------------------------------------------------------------------------------------


def test_explain_prints_every_experiment() -> None:
    path = examples.example("gather-2").path
    (each,) = dml.load(path).experiments
    found = call("explain", path)
    assert found == Result(0, explain(each), "")
    assert call("explain", "-", stdin=path.read_text("utf-8")).out == found.out
    two = call("explain", "-", stdin=document(experiment("one"), experiment("two")))
    assert (two.code, two.out.count("by slice")) == (0, 2)
    assert two.out.splitlines()[0] == "one"
    assert f"\n\n{'=' * 80}\n\ntwo\n" in two.out
    assert call("explain", TOKEN).out.startswith("shared\nTILE at feature level 6_4.")


def test_explain_tells_an_invalid_desc_with_code_1(words: Path, tmp_path: Path) -> None:
    found = call("explain", examples.example("gather-3-as-printed").path)
    assert (found.code, found.err) == (1, "")
    assert "Fix 1: change IndexDimensions from 2 to 1" in found.out
    assert call("explain", tmp_path / "gone").code == 2
    heard = call("explain", words)
    assert (heard.code, heard.said) == (0, [f"{words}, {IGNORED}"])
