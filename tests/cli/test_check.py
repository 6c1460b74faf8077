"""`dmlviz check`: what is found in folders, what is told of it in each format, and what the pages say of that."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from support.commands import Result, call, document, experiment

from dmlviz.cli.checking import found_files

ROOT = Path(__file__).parents[2]
WARNS = "warning-index-range"
BROKEN = document(experiment("b", Repeats=[0]))
FINE = document(experiment("a"))
CODE = """UINT n[1] = { 16 };
DML_BUFFER_TENSOR_DESC in = { DML_TENSOR_DATA_TYPE_FLOAT16, DML_TENSOR_FLAG_NONE, 1, n, nullptr, 32, 0 };
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to be in, with a session that holds and one that doesn't, and what is none of ours."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
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
        "✘ build/y.json: b · TILE at 5_0: E_INVALIDARG, 1 check failed, no feature level accepts it",
        "✔ fine.json: a · TILE at 5_0: valid, 15 checks pass, lowest feature level 3_1",
        "✘ sub/b.json: b · TILE at 5_0: E_INVALIDARG, 1 check failed, no feature level accepts it",
        "✔ sub/notes.md: a · TILE at 5_0: valid, 15 checks pass, lowest feature level 3_1",
    ]
    assert lines[-1] == "8 files: 4 with descs, 4 descs, 2 invalid, 0 not checked, found by a walk, without git"
    assert told.err == ""


@pytest.mark.skipif(shutil.which("git") is None, reason="it needs git")
def test_git_says_what_is_ignored_and_nothing_of_the_repository_is_run(here: Path) -> None:
    subprocess.run(["git", "init", "-q"], check=True, capture_output=True)
    ran = here / "ran"
    for name in ("fsmonitor", "post-index-change"):
        (hook := here / ".git/hooks" / name).write_text(f"#!/bin/sh\ntouch '{ran}'\n")
        hook.chmod(0o755)
    for setting, value in (("core.fsmonitor", ".git/hooks/fsmonitor"), ("core.pager", f"touch '{ran}'")):
        subprocess.run(["git", "config", setting, value], check=True, capture_output=True)
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
    assert told.said == ["4 files: 2 with descs, 2 descs, 1 invalid, 0 not checked, found by a walk, without git"]
    for name, text in (("empty.json", ""), ("cut.json", "{"), ("none.md", "hello")):
        Path(name).write_text(text)
    counts = "3 files: 0 with descs, 0 descs, 0 invalid, 0 not checked, 3 files could not be read"
    assert call("check", "empty.json", "cut.json", "src/code.cpp").out.splitlines()[-1] == counts


def test_a_folder_may_hold_anything(here: Path) -> None:
    os.mkfifo("sub/pipe.json")
    os.symlink(".", "sub/loop")
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


def test_what_may_not_be_read_is_no_silence(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    for name in ("dmlviz.cli.checking.found_files.open_regular", "dmlviz.session.reading.read_regular"):
        monkeypatch.setattr(name, refused)
    told = call("check", "sub")
    assert (told.code, told.said[0]) == (2, "sub/b.json can't be read: Permission denied.")
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


# ---- formats ------------------------------------------------------------------------------------------------------

UNCHECKED = document(experiment("strides") | {"not_checked": ["line 3: it can't be read."]})
FILES = {
    "broken.json": document(experiment("a"), experiment("b", Repeats=[0, 1])),
    "unchecked.json": UNCHECKED,
    "damaged.json": '{"dmlviz": 1,\n "experiments": [}',
    "code.cpp": "DML_TILE_OPERATOR_DESC d = { Make(), Other(), 0, nullptr };\n",
}


@pytest.fixture
def files(here: Path) -> None:
    for name, text in FILES.items():
        Path(name).write_text(text)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("fine.json", 0),
        ("broken.json", 1),
        ("unchecked.json", 2),
        ("damaged.json", 2),
        ("gone.json", 2),
        ("code.cpp", 2),
        ("broken.json damaged.json", 1),
        (WARNS, 0),
        (".", 1),
        ("fine.json --level 1_0", 1),
    ],
)
def test_no_format_changes_the_exit_code(line: str, code: int) -> None:
    told = {option: call("check", *line.split(), *option) for option in ((), ("--quiet",), ("--json",), ("--github",))}
    assert {option: each.code for option, each in told.items()} == dict.fromkeys(told, code)
    assert "experiments" in json.loads(told["--json",].out)
    assert all(line.startswith("::") for line in told["--github",].out.splitlines())


@pytest.mark.usefixtures("files")
def test_text_says_where_each_field_stands_and_with_quiet_nothing_of_what_is_valid() -> None:
    column = FILES["broken.json"].index("[0, 1]") + 1
    assert call("check", "--quiet", "fine.json", "sub/notes.md") == Result(0, "", "")
    told = call("check", "--quiet", "broken.json").out
    assert told.startswith("✘ b · TILE")
    assert f"\n      broken.json:1:{column}: DML_TILE_OPERATOR_DESC" in told
    assert "✘ dtype.supported: DataType is INT8 in 3 tensors, " in call("check", "rule-dtype-supported").out
    annotated = call("check", "damaged.json", "code.cpp", "--github").out.splitlines()
    assert annotated[0].startswith("::error file=damaged.json,line=2,endLine=2,col=18,endColumn=18,title=unreadable::")
    assert annotated[1].startswith("::notice file=code.cpp,line=1,endLine=1,col=1,endColumn=1,title=not_checked::code.")


@pytest.mark.parametrize("name", ["100%", "a\nb", "x::error::y", "a,b:c", "%0A", "::set-output name=a::b"])
def test_an_annotation_is_one_line_whatever_a_name_holds(name: str) -> None:
    Path("odd,%3A:.json").write_text(document(experiment(name, Repeats=[0, 1])))
    (line,) = call("check", "odd,%3A:.json", "--github").out.splitlines()
    match = re.fullmatch(r"::error ([^:]*)::(.*)", line)
    assert match is not None
    given = dict(part.split("=", 1) for part in match[1].split(","))
    assert unquote(given["file"]) == "odd,%3A:.json"
    assert given["title"].startswith("repeats.")
    assert int(given["endLine"]) >= int(given["line"]) >= 1
    assert unquote(match[2]).startswith(f"{name}: ")


def test_each_desc_is_annotated_once_and_the_gravest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.dumps(json.loads(document(*(experiment(f"n{i}", Repeats=[0, 1]) for i in range(12)))), indent=1)
    Path("many.json").write_text(text)
    line = text[: text.index('"Repeats": [')].count("\n") + 1
    monkeypatch.setenv("GITHUB_WORKSPACE", str(Path.cwd().parent))
    lines = call("check", WARNS, "many.json", "--github").out.splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::error"] * 12 + ["::warning"] * 2
    place = f"file={Path.cwd().name}/many.json,line={line},endLine={line + 3}"
    assert lines[0].startswith(f"::error {place},title=repeats."), "what has several lines has no columns"
    assert lines[0].endswith(" (and 1 more of this desc)")


# ---- the pages that tell of it ------------------------------------------------------------------------------------


@pytest.mark.usefixtures("files")
def test_the_workflow_and_the_hooks_run_and_are_silent_of_what_is_none_of_ours() -> None:
    text = (ROOT / "docs" / "checking.md").read_text().split("<!-- workflow -->\n```yaml\n")[1].split("```")[0]
    assert len(text.splitlines()) <= 10
    (command,) = re.findall(r"dmlviz (check .*)", text)
    assert call(*command.split(), "fine.json").code == 0
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text()
    (entry,), (mine,) = ({*re.findall(pattern, hooks)} for pattern in (r"entry: dmlviz (.*)", r"files: '(.*)'"))
    assert [bool(re.search(mine, name)) for name in ("nothing.txt", "src/a.hpp")] == [False, True]
    told = call(*entry.split())
    assert (told.code, told.out[:13]) == (1, "✘ broken.json")
    for broken in (*FILES, "sub/b.json", "build/y.json"):
        Path(broken).unlink()
    assert call(*entry.split()) == Result(0, "", "")


PAGE = (ROOT / "docs" / "reference.md").read_text("utf-8")


def named(section: str, row: str) -> set[str]:
    """The words in backticks of a table's row that are keys: what stands in brackets are values."""
    own = PAGE.split(f"### {section}\n")[1].split("\n##")[0]
    found = re.search(rf"^\| {re.escape(row)} \| (.*) \|$", own, re.MULTILINE)
    assert found, row
    return set(re.findall(r"`(\w+)`", re.sub(r"\([^()]*\)", "", found[1])))


def keys(entries: list[dict[str, Any]]) -> set[str]:
    return {key for entry in entries for key in entry}


def test_every_key_of_json_is_named_in_its_row_and_no_other() -> None:
    Path("a.json").write_text(json.dumps(json.loads(call("rule", "gather.fits", "--json").out)[0]["broken_by"]))
    told = [
        json.loads(call("check", *files, "--json").out)
        for files in (["rule-gather-fits", "rule-sizes-sum"], ["chain-transpose", "rule-dtype-equal"], ["a.json"])
    ]
    experiments = [one for each in told for one in each["experiments"]]
    checks = [check for one in experiments for check in one["checks"]]
    ran = json.loads(call("run", "join-1", "--json").out)["experiments"]
    assert keys(told) == {"experiments", "files"}
    assert named("check", "`experiments`") == keys(experiments)
    assert named("check", "`checks`") == keys(checks)
    assert named("check", "`fixes`") == keys([fix for check in checks for fix in check["fixes"]])
    assert named("check", "`waiting`") == keys([one for each in experiments for one in each["waiting"]])
    assert named("check", "`files`") >= keys([file for each in told for file in each["files"]])
    assert named("rule", "each entry") == keys(json.loads(call("rule", "gather.fits", "--json").out))
    assert named("run", "`experiments`") == keys(ran)
    assert {"name", "data_type", "sizes", "values"} == keys(ran[0]["outputs"]) <= named("run", "`outputs`")
