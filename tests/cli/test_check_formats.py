"""`dmlviz check` for programs: SARIF, GitHub's annotations, concise lines; and that no format changes the exit code."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support import sarif_bars
from support.commands import Result, call, document, experiment

WARNS = "warning-index-range"
FORMATS = ("text", "concise", "json", "sarif", "github")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files of every kind, to be in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
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
    (["unchecked.json", "--allow-unchecked"], 0),
    (["code.cpp", "--allow-unchecked"], 0),
    (["damaged.json", "--allow-unchecked"], 2),
    (["broken.json", "unchecked.json", "--allow-unchecked"], 1),
    (["broken.json", "--ignore", "repeats"], 0),
    (["broken.json", "--select", "gather"], 0),
    (["broken.json", "--select", "TILE"], 1),
    (["unchecked.json", "--ignore", "not_checked"], 0),
    ([WARNS], 0),
    ([WARNS, "--fail-on", "warning"], 1),
    ([WARNS, "--fail-on", "note"], 1),
    ([WARNS, "--fail-on", "warning", "--ignore", "values.index_range"], 0),
    (["nothing.txt", "--found"], 0),
    (["."], 1),
    ([".", "--exclude", "broken*", "--exclude", "damaged.json", "--allow-unchecked"], 0),
    (["fine.json", "--level", "1_0"], 1),
    ([".", "--exclude", "*.json"], 2),
]


@pytest.mark.parametrize(("words", "code"), CODES)
def test_no_format_and_no_other_output_changes_the_exit_code(words: list[str], code: int) -> None:
    told = {format_: call("check", *words, "--format", format_) for format_ in FORMATS}
    assert {format_: each.code for format_, each in told.items()} == dict.fromkeys(FORMATS, code)
    for more in (["--quiet"], ["--errors-only"], ["--json", "-o", "out.txt"]):
        assert call("check", *words, *more).code == code
    assert "experiments" in json.loads(told["json"].out)
    assert json.loads(told["sarif"].out)["runs"][0]["invocations"][0]["exitCode"] == code
    assert all(line.startswith("::") for line in told["github"].out.splitlines())
    assert all(re.match(r"\S+:\d+:\d+: (error|warning|note) \S+: ", line) for line in told["concise"].out.splitlines())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--select", "gahter"], 'there is no rule "gahter"; '),
        (["--ignore", "repeats,nothing.at.all"], 'there is no rule "nothing.at.all"'),
        (["--format", "xml"], "argument --format: invalid choice: 'xml'"),
        (["--json", "--format", "sarif"], "--json is given beside --format sarif, expected one of them."),
        (["--fail-on", "never"], "argument --fail-on: invalid choice: 'never'"),
        (["--select", ","], "--select names no rule, expected at least one"),
        (["-o", "./fine.json"], "-o is ./fine.json, which is checked itself, expected another file."),
        (["-o", "gone/out.json"], "gone/out.json can't be written: No such file or directory."),
    ],
)
def test_wrong_words_are_one_sentence_and_exit_code_2(words: list[str], sentence: str) -> None:
    told = call("check", "fine.json", *words)
    assert told.code == 2
    assert told.said[0].startswith(sentence)


# ---- text and concise lines -----------------------------------------------------------------------------------------


def test_text_says_where_each_field_stands() -> None:
    text = Path("broken.json").read_text()
    column = text.index("[0, 1]") + 1
    assert f"\n      broken.json:1:{column}: DML_TILE_OPERATOR_DESC" in call("check", "broken.json").out
    assert f"\nbroken.json:1:{column}: error repeats.count: " in f"\n{call('check', '--format', 'concise', '.').out}"


def test_a_line_that_cant_be_read_is_told_with_its_place() -> None:
    told = call("check", "damaged.json", "code.cpp", "--format", "concise").out.splitlines()
    assert told[0].startswith("damaged.json:2:18: error unreadable: damaged.json: line 2, column 18: ")
    assert told[1].startswith("code.cpp:1:1: note not_checked: code.cpp holds no desc that can be read: line 1: ")


def test_what_is_ignored_is_counted_so_that_no_tick_hides_it() -> None:
    assert ", 1 ignored\n" in call("check", "broken.json", "--ignore", "repeats.count").out
    told = call("check", "rule-axis-range", "--ignore", "axis.range").out
    assert told.startswith("– ")
    assert " checks hold, no feature level accepts it, 1 ignored\n" in told
    assert "✔" not in told
    assert "ignored" not in call("check", "fine.json", "--ignore", "repeats").out


def test_quiet_says_nothing_of_what_is_valid() -> None:
    assert call("check", "--quiet", "fine.json", "fine.json") == Result(0, "", "")
    told = call("check", "--quiet", "broken.json").out
    assert told.startswith("✘ b · TILE")


def test_a_format_goes_into_a_file_and_text_stays_on_the_terminal() -> None:
    told = call("check", "broken.json", "--format", "sarif", "-o", "out.sarif")
    assert told.out == call("check", "broken.json").out
    assert Path("out.sarif").read_text() == call("check", "broken.json", "--format", "sarif").out
    assert sorted(path.name for path in Path().glob("out*")) == ["out.sarif"]


@pytest.mark.integration
@pytest.mark.parametrize("format_", FORMATS)
def test_a_reader_that_has_enough_is_no_error(format_: str) -> None:
    Path("many.json").write_text(document(*(experiment(f"n{i}", Repeats=[0, 1]) for i in range(300))))
    line = f'"{sys.executable}" -m dmlviz check many.json --format {format_} | head -c 10'
    made = subprocess.run(["bash", "-c", line], capture_output=True, check=True)
    assert (len(made.stdout), made.stderr) == (10, b"")


# ---- SARIF ----------------------------------------------------------------------------------------------------------


def test_logs_of_mutated_sessions_are_valid(here: Path) -> None:
    assert sarif_bars.try_logs(here, 60, 4, each=30) > 50


@pytest.mark.slow
def test_a_log_of_all_examples_and_real_texts_is_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(sarif_bars.ROOT)
    assert sarif_bars.try_shipped() > 200


def test_fixes_out_of_a_log_alone_mend_what_they_say(here: Path) -> None:
    done, _ = sarif_bars.try_fixes(here, 25, 5)
    assert done == 25


def test_fingerprints_stay_where_lines_and_experiments_come_before_them(here: Path) -> None:
    assert sarif_bars.try_fingerprints(here, 20, 6) > 10


def test_the_text_in_a_region_is_the_value_of_its_field(here: Path) -> None:
    assert sarif_bars.try_regions(here, 400, 7) == 400


def test_equal_names_have_fingerprints_of_their_own(here: Path) -> None:
    twins = document(*[experiment("twin", Repeats=[0, 1])] * 3)
    told = sarif_bars.told_of(here / "twins.json", twins)
    assert sarif_bars.require_valid(sarif_bars.log_of([told])) == 3 * len(told.descs[0].findings)


def test_paths_are_those_of_the_repository_wherever_we_are(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / ".git").mkdir()
    (here / "sub dir").mkdir()
    (here / "sub dir" / "é %.json").write_bytes((here / "broken.json").read_bytes())
    logs = []
    for folder, word in ((here, "sub dir"), (here / "sub dir", "."), (here / "sub dir", "é %.json")):
        monkeypatch.chdir(folder)
        logs.append(json.loads(call("check", word, "--format", "sarif").out)["runs"][0]["results"])
    assert logs[0] == logs[1] == logs[2]
    where = logs[0][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert where == {"uri": "sub%20dir/%C3%A9%20%25.json", "uriBaseId": "SRCROOT"}


# ---- GitHub ---------------------------------------------------------------------------------------------------------


def unescaped(text: str) -> str:
    for code, sign in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, sign)
    return text


@pytest.mark.parametrize("name", ["100%", "a\nb", "x::error::y", "a,b:c", "%0A", "::set-output name=a::b"])
def test_an_annotation_is_one_line_whatever_a_name_holds(name: str) -> None:
    Path("odd,%3A:.json").write_text(document(experiment(name, Repeats=[0, 1])))
    (line,) = call("check", "odd,%3A:.json", "--format", "github").out.splitlines()
    match = re.fullmatch(r"::error ([^:]*)::(.*)", line)
    assert match is not None
    given = dict(part.split("=", 1) for part in match[1].split(","))
    assert unescaped(given["file"]) == "odd,%3A:.json"
    assert given["title"].startswith("repeats.")
    assert int(given["endLine"]) >= int(given["line"]) >= 1
    assert unescaped(match[2]).startswith(f"{name}: ")


def test_an_annotation_holds_nothing_that_a_terminal_acts_on() -> None:
    Path("b.json").write_text(document(experiment("\x1b[31mred", Repeats=[0, 1])))
    assert "::\\u001b[31mred: " in call("check", "b.json", "--format", "github").out


def test_what_stands_in_several_lines_is_annotated_without_columns() -> None:
    text = json.dumps(json.loads(document(experiment("long", Repeats=[0, 1]))), indent=1)
    Path("long.json").write_text(text)
    line = text[: text.index('"Repeats": [')].count("\n") + 1
    (told,) = call("check", "long.json", "--format", "github").out.splitlines()
    assert told.startswith(f"::error file=long.json,line={line},endLine={line + 3},title=repeats.")


def test_at_most_ten_annotations_of_a_kind_and_the_tenth_says_how_many_are_left() -> None:
    Path("many.json").write_text(document(*(experiment(f"n{i}", Repeats=[0, 1]) for i in range(24))))
    lines = call("check", "many.json", "--format", "github").out.splitlines()
    assert len(lines) == 10
    assert [" … 14 more like this in the log" in line for line in lines] == [False] * 9 + [True]


def test_a_job_summary_is_a_table_that_names_no_markup(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(here / "summary.md"))
    Path("odd.json").write_text(document(experiment("<b>|`x`\n# no", Repeats=[0, 1])))
    call("check", "odd.json", "--format", "github")
    call("check", "odd.json", "--format", "concise")
    text = (here / "summary.md").read_text()
    assert text.count("### dmlviz check") == 1
    rows = [line for line in text.splitlines() if line.startswith("| odd")]
    assert rows
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 6 for row in rows)
    assert "<b>" not in text.replace("\\<b\\>", "")


def test_a_summary_stays_within_its_bytes() -> None:
    from dmlviz.cli.checking.as_github import MOST_SUMMARY, summary
    from dmlviz.cli.checking.findings import FileTold, Finding

    found = tuple(Finding(id="a.b", level="error", message="m" * 900) for _ in range(3_000))
    text = summary([FileTold(name="f.json", codes=frozenset({1}), findings=found)], "1 file")
    assert MOST_SUMMARY - 5_000 < len(text.encode()) <= MOST_SUMMARY
    assert re.search(r"… [\d,]+ more in the log\n$", text)


# ---- what a stranger copies -----------------------------------------------------------------------------------------

PAGE = (sarif_bars.ROOT / "docs" / "every-push.md").read_text()


def block(mark: str) -> str:
    found = re.search(rf"<!-- {mark} -->\n```\w+\n(.*?)```", PAGE, re.DOTALL)
    assert found
    return found[1]


def test_the_problem_matcher_takes_concise_lines_apart() -> None:
    (matcher,) = json.loads(block("matcher"))["problemMatcher"]
    (pattern,) = matcher["pattern"]
    for line in call("check", ".", "--format", "concise").out.splitlines():
        match = re.search(pattern["regexp"], line)
        assert match is not None
        assert Path(match[pattern["file"]]).exists()
        assert match[pattern["severity"]] in ("error", "note")


def test_the_workflow_is_ten_lines_whose_command_there_is() -> None:
    text = block("workflow")
    assert len(text.splitlines()) <= 10
    command = re.search(r"dmlviz (check .*)", text)
    assert command is not None
    assert call(*command[1].split(), "fine.json").code == 0
    assert json.loads(Path("dmlviz.sarif").read_text())["version"] == "2.1.0"


def test_the_hooks_are_silent_of_what_is_none_of_ours() -> None:
    hooks = (sarif_bars.ROOT / ".pre-commit-hooks.yaml").read_text()
    entries = re.findall(r"entry: dmlviz (.*)", hooks)
    assert len(set(entries)) == 1
    (files,) = set(re.findall(r"files: '(.*)'", hooks))
    assert not re.search(files, "nothing.txt")
    assert re.search(files, "src/a.hpp")
    assert call(*entries[0].split(), "nothing.txt", "fine.json") == Result(0, "", "")
    assert call(*entries[0].split(), "broken.json").code == 1
