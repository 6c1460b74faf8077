"""`dmlviz check` for programs: JSON, GitHub's annotations; and that no format changes the exit code."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from support.commands import Result, call, document, experiment

from dmlviz.cli.checking.as_text import coloured

WARNS = "warning-index-range"
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files of every kind, to be in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    strided = experiment("strides") | {"not_checked": ["line 3: it can't be read."]}
    for name, text in {
        "fine.json": document(experiment("a")),
        "broken.json": document(experiment("a"), experiment("b", Repeats=[0, 1])),
        "unchecked.json": document(strided),
        "damaged.json": '{"dmlviz": 1,\n "experiments": [}',
        "nothing.txt": "hello\n",
        "code.cpp": "DML_TILE_OPERATOR_DESC d = { Make(), Other(), 0, nullptr };\n",
    }.items():
        Path(name).write_text(text)
    return tmp_path


# ---- exit codes -----------------------------------------------------------------------------------------------------

CODES = [
    (["fine.json"], 0),
    (["broken.json"], 1),
    (["unchecked.json"], 2),
    (["damaged.json"], 2),
    (["gone.json"], 2),
    (["code.cpp"], 2),
    (["broken.json", "damaged.json"], 1),
    ([WARNS], 0),
    (["."], 1),
    (["fine.json", "--level", "1_0"], 1),
]


@pytest.mark.parametrize(("words", "code"), CODES)
def test_no_format_changes_the_exit_code(words: list[str], code: int) -> None:
    told = {option: call("check", *words, *option) for option in ((), ("--quiet",), ("--json",), ("--github",))}
    assert {option: each.code for option, each in told.items()} == dict.fromkeys(told, code)
    assert "experiments" in json.loads(told["--json",].out)
    assert all(line.startswith("::") for line in told["--github",].out.splitlines())


# ---- text -----------------------------------------------------------------------------------------


def test_a_line_that_cant_be_read_is_annotated_with_its_place() -> None:
    told = call("check", "damaged.json", "code.cpp", "--github").out.splitlines()
    assert told[0].startswith("::error file=damaged.json,line=2,endLine=2,col=18,endColumn=18,title=unreadable::")
    assert told[1].startswith("::notice file=code.cpp,line=1,endLine=1,col=1,endColumn=1,title=not_checked::code.cpp ")


def test_text_says_where_each_field_stands_and_with_quiet_nothing_of_what_is_valid() -> None:
    column = Path("broken.json").read_text().index("[0, 1]") + 1
    assert call("check", "--quiet", "fine.json", "fine.json") == Result(0, "", "")
    told = call("check", "--quiet", "broken.json").out
    assert told.startswith("✘ b · TILE")
    assert f"\n      broken.json:1:{column}: DML_TILE_OPERATOR_DESC" in told
    assert coloured("    ✘ repeats.count: ✔ is") == "    \x1b[31m✘\x1b[0m repeats.count: ✔ is"


# ---- GitHub ---------------------------------------------------------------------------------------------------------


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


# ---- what a stranger copies -----------------------------------------------------------------------------------------

PAGE = (ROOT / "docs" / "every-push.md").read_text()


def block(mark: str) -> str:
    found = re.search(rf"<!-- {mark} -->\n```\w+\n(.*?)```", PAGE, re.DOTALL)
    assert found
    return found[1]


def test_the_workflow_is_ten_lines_whose_command_there_is() -> None:
    text = block("workflow")
    assert len(text.splitlines()) <= 10
    command = re.search(r"dmlviz (check .*)", text)
    assert command is not None
    assert call(*command[1].split(), "fine.json").code == 0


def test_the_hooks_are_silent_of_what_is_none_of_ours() -> None:
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text()
    entries = re.findall(r"entry: dmlviz (.*)", hooks)
    assert len(set(entries)) == 1
    (files,) = set(re.findall(r"files: '(.*)'", hooks))
    assert not re.search(files, "nothing.txt")
    assert re.search(files, "src/a.hpp")
    told = call(*entries[0].split())
    assert (told.code, told.out[:13]) == (1, "✘ broken.json")
    for broken in ("broken.json", "unchecked.json", "damaged.json", "code.cpp"):
        Path(broken).unlink()
    assert call(*entries[0].split()) == Result(0, "", "")
