"""`dmlviz check` of folders: what is found, what is told of it, and what a folder may hold that nobody wants run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from support.commands import call, document, experiment

from dmlviz.cli.checking import found_files

BROKEN = document(experiment("b", Repeats=[0]))
FINE = document(experiment("a"))
CODE = """UINT n[1] = { 16 };
DML_BUFFER_TENSOR_DESC in = { DML_TENSOR_DATA_TYPE_FLOAT16, DML_TENSOR_FLAG_NONE, 1, n, nullptr, 32, 0 };
"""


def git(*words: str) -> None:
    subprocess.run(["git", *words], check=True, capture_output=True)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to be in, with a session that holds and one that doesn't, and what is none of ours."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    for name, text in {
        "fine.json": FINE,
        "sub/b.json": BROKEN,
        "sub/other.json": '{"name": "package", "scripts": 5}',
        "sub/notes.md": f"# Desc\n\n```json\n{FINE}\n```\n",
        "sub/plain.md": "`DML_GATHER_OPERATOR_DESC` is a struct, in prose\n",
        "src/code.cpp": CODE,
        "src/lines.py": "import numpy as np\ny = np.tile(np.zeros((2,)), 2)\n",
        "node_modules/x.json": BROKEN,
        "build/y.json": BROKEN,
    }.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text)
    return tmp_path


def found(*words: str) -> list[str]:
    """The files whose descs are told, in order."""
    return list(dict.fromkeys(one["file"] for one in call("check", "--json", *words).json))


def test_a_walk_finds_what_is_ours_and_says_that_it_was_one(here: Path) -> None:
    told = call("check")
    assert told.code == 1
    lines = told.out.splitlines()
    assert [line for line in lines if line[0] in "✔✘"] == [
        "✘ build/y.json: b · TILE at 5_0: E_INVALIDARG, 1 rule broken, no feature level accepts it",
        "✔ fine.json: a · TILE at 5_0: valid, 15 checks hold, lowest level 3_1",
        "✘ sub/b.json: b · TILE at 5_0: E_INVALIDARG, 1 rule broken, no feature level accepts it",
        "✔ sub/notes.md: a · TILE at 5_0: valid, 15 checks hold, lowest level 3_1",
    ]
    assert lines[-1] == "8 files: 4 with descs, 4 descs, 2 broken, 0 not checked, found by a walk, without git"
    assert told.err == ""


@pytest.mark.skipif(shutil.which("git") is None, reason="it needs git")
def test_git_says_what_is_ignored_and_nothing_of_the_repository_is_run(here: Path) -> None:
    git("init", "-q")
    ran = here / "ran"
    for name in ("fsmonitor", "post-index-change"):
        hook = here / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch '{ran}'\n")
        hook.chmod(0o755)
    git("config", "core.fsmonitor", ".git/hooks/fsmonitor")
    git("config", "core.pager", f"touch '{ran}'")
    Path(".gitignore").write_text("build/\nnode_modules\n")
    assert found() == ["fine.json", "sub/b.json", "sub/notes.md"]
    assert "without git" not in call("check").out
    assert not ran.exists()
    subprocess.run(["git", "ls-files", "-o"], check=True, capture_output=True)
    assert ran.exists(), "git would have run it"


def test_what_is_named_is_told_of_once_and_what_is_found_is_no_failure(here: Path) -> None:
    assert found("src/lines.py", "sub", "./sub/b.json") == ["src/lines.py", "sub/b.json", "sub/notes.md"]
    assert found(str(here / "sub" / "b.json")) == [str(here / "sub" / "b.json")]
    assert call("check", "sub/other.json").code == 2
    told = call("check", "src")
    assert (told.code, told.err) == (0, "")
    assert told.out.startswith("2 files: 0 with descs")
    told = call("check", "--json", "sub")
    assert json.loads(told.out)["files"][0]["file"] == "sub/b.json"
    assert told.said == ["4 files: 2 with descs, 2 descs, 1 broken, 0 not checked, found by a walk, without git"]
    for name, text in (("empty.json", ""), ("cut.json", "{"), ("none.md", "hello")):
        Path(name).write_text(text)
    counts = "3 files: 0 with descs, 0 descs, 0 broken, 0 not checked, 3 files could not be read"
    assert call("check", "empty.json", "cut.json", "src/code.cpp").out.splitlines()[-1] == counts


def test_a_folder_may_hold_anything(here: Path) -> None:
    os.mkfifo("sub/pipe.json")
    os.symlink(".", "sub/loop")
    os.symlink("sub/gone.json", "dangling.json")
    os.symlink("b.json", "sub/link.json")
    Path("sub/line\nbreak \x1b[31m.json").write_text(BROKEN)
    Path(os.fsdecode(b"sub/\xff.json")).write_text(BROKEN)
    Path("deep.json").write_text('{"dmlviz": 1, "experiments": ' + "[" * 100_000)
    told = call("check")
    assert told.code == 1
    assert "\x1b" not in told.out + told.err
    assert sum("sub/line\\nbreak" in line for line in told.out.splitlines()) >= 1
    assert told.err.count("deep.json") == 1
    assert "link.json" not in told.out


def test_what_vanishes_is_nothing_and_what_may_not_be_read_is_no_silence(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    def vanishing(path: str) -> bool:
        Path(path).unlink()
        return True

    for name in ("dmlviz.cli.checking.found_files.open_regular", "dmlviz.session.reading.read_regular"):
        monkeypatch.setattr(name, refused)
    told = call("check", "sub")
    assert (told.code, told.said[0]) == (2, "sub/b.json can't be read: Permission denied.")
    monkeypatch.setattr(found_files, "may_hold", vanishing)
    told = call("check", "sub")
    assert (told.code, told.err) == (0, "")
    monkeypatch.setattr(os, "scandir", refused)
    told = call("check", "src", "--quiet")
    assert (told.code, told.said[0][:4]) == (2, "src ")


@pytest.mark.integration
@pytest.mark.parametrize(("where", "text"), [("bin", "touch '{ran}'"), ("../{name}-bin", "exec sleep 30"), ("", "")])
def test_a_folder_is_walked_where_git_is_planted_or_slow_or_refuses_it(
    here: Path, monkeypatch: pytest.MonkeyPatch, where: str, text: str
) -> None:
    program = here / where.format(name=here.name) / "git"
    if where:
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\n{text.format(ran=here / 'ran')}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", str(program.parent.resolve()), prepend=os.pathsep)
        monkeypatch.setattr(found_files, "GIT_SECONDS", 0.2)
    else:
        (here / ".git").write_text("no repository\n")
    assert call("check").out.splitlines()[-1].endswith("found by a walk, without git")
    assert not (here / "ran").exists()
