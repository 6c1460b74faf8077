"""docs/for-agents.md: every key that the JSON has is named in its row, and no other; its words run as they stand."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from support.commands import call

from dmlviz.cli.entry import COMMANDS

PAGE = (Path(__file__).parents[2] / "docs" / "for-agents.md").read_text("utf-8")


def named(section: str, row: str) -> set[str]:
    """The words in backticks of a table's row that are keys: what stands in brackets are values."""
    own = PAGE.split(f"## {section}\n")[1].split("\n## ")[0]
    found = re.search(rf"^\| {re.escape(row)} \| (.*) \|$", own, re.MULTILINE)
    assert found, row
    return set(re.findall(r"`(\w+)`", re.sub(r"\([^()]*\)", "", found[1])))


def keys(entries: list[dict[str, Any]]) -> set[str]:
    return {key for entry in entries for key in entry}


def test_every_key_of_check_is_named(tmp_path: Path) -> None:
    told = [
        json.loads(call("check", *files, "--json").out)
        for files in (["rule-gather-fits", "rule-sizes-sum"], ["chain-transpose", "rule-dtype-equal"])
    ]
    broken = json.loads(call("rule", "gather.fits", "--json").out)[0]["broken_by"]
    (file := tmp_path / "a.json").write_text(json.dumps(broken))
    told.append(json.loads(call("check", file, "--json").out))
    experiments = [one for each in told for one in each["experiments"]]
    checks = [check for one in experiments for check in one["checks"]]
    assert keys(told) == {"experiments", "files"}
    assert named("1. check", "`experiments`") == keys(experiments)
    assert named("1. check", "`checks`") == keys(checks)
    assert named("1. check", "`fixes`") == keys([fix for check in checks for fix in check["fixes"]])
    assert named("1. check", "`waiting`") == keys([one for each in experiments for one in each["waiting"]])
    assert named("1. check", "`files`") >= keys([file for each in told for file in each["files"]])


def test_every_key_of_rule_and_run_is_named() -> None:
    assert named("2. rule", "each entry") == keys(json.loads(call("rule", "gather.fits", "--json").out))
    ran = json.loads(call("run", "join-1", "--json").out)["experiments"]
    assert named("5. run", "`experiments`") == keys(ran)
    assert {"name", "data_type", "sizes", "values"} == keys(ran[0]["outputs"]) <= named("5. run", "`outputs`")


def test_it_is_six_commands_that_there_are_and_its_words_run() -> None:
    sections = re.findall(r"^## \d\. (\w+)$", PAGE, re.MULTILINE)
    assert len(sections) == 6
    assert set(sections) <= COMMANDS.keys()
    lines = re.findall(r"`dmlviz ((?:rule|examples|export)[^`]*)`", PAGE)
    assert len(lines) == 5
    for line in lines:
        assert call(*line.replace("FILE", "join-1").split()).code == 0
    (command,) = re.findall(r"^\$ dmlviz (.*)$", PAGE, re.MULTILINE)
    broken = call(*command.split())
    assert broken.code == 1
    first = next(check for check in broken.json[0]["checks"] if not check["ok"])
    assert first["message"]
    assert first["fixes"]
