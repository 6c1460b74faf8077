"""A tick and exit code 0 are for what was held against the rules whole; everything else gets neither."""

from __future__ import annotations

import copy
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.commands import call, document, experiment
from support.random_sessions import sessions_of_all_kinds

import dmlviz as dml
from dmlviz.desc.levels import LEVELS
from dmlviz.desc.value_sources import dump_source
from dmlviz.exporters.lib.exporting import export
from dmlviz.operators.registry import operator_of
from dmlviz.session.experiments import Session
from dmlviz.session.reading import parse_desc
from dmlviz.session.report_json import report_json
from dmlviz.session.tokens import experiments_of, to_token
from dmlviz.session.writing import dump_desc

SEEDS = st.integers(0, 10**6)


def only(seed: int) -> Session:
    (session,) = sessions_of_all_kinds(1, seed, wrong=0)
    return Session(session.experiments[:1])


BYTES = "TotalTensorSizeInBytes = "
FAULTS = [
    ("cpp", r"DimensionCount = \d+", r"\g<0>1"),
    ("cpp", r"DimensionCount = \d+", "DimensionCount = Rank(shape)"),
    ("cpp", rf"{BYTES}\d+", f"{BYTES}resource->GetDesc().Width"),
    ("cpp", rf"\w+\.{BYTES}\d+;", ""),
    ("cpp", "DML_TENSOR_FLAG_NONE;", "DML_TENSOR_FLAG_OWNED_BY_DML;"),
    ("cpp", r"\{DML_TENSOR_TYPE_BUFFER,", "{DML_TENSOR_TYPE_INVALID,"),
    ("cpp", r"operatorDesc = \{\w+,", "operatorDesc = {DML_OPERATOR_RESAMPLE,"),
    ("cpp", r"\Z", "DML_TILE_OPERATOR_DESC more = {&unseen, &unseen, 1, a};"),
    ("cpp", r"\Z", "auto more = dml::Tile(unseen, {1, 2});"),
    ("dxdispatch", '"Sizes": ', '"DimensionCount": 9, "Sizes": '),
    ("dxdispatch", r'"OutputTensors?": (?=\[?\s*\{)', '"Elsewhere": '),
    ("dxdispatch", r'"dispatchables": \{', r'\g<0>"more": {"type": "DML_OPERATOR_JOIN", "desc": {"Axis": 0}}, '),
]
"""What stands in an export, and what in its place can't be held against the rules."""


@pytest.mark.drawn(2)
@pytest.mark.parametrize(("target", "found", "instead"), [("cpp", "", ""), ("dxdispatch", "", ""), *FAULTS])
def test_a_tick_for_what_is_exported_and_none_for_a_fault_outside_the_fields(
    target: str, found: str, instead: str
) -> None:
    @given(SEEDS)
    def run(seed: int) -> None:
        text = export(only(seed), target).data.decode()
        place = random.Random(seed).choice(list(re.finditer(found, text)))
        text = text[: place.start()] + place.expand(instead) + text[place.end() :]
        told = call("check", "-", stdin=text)
        if not found:
            assert (told.code, told.out[:2]) == (0, "✔ ")
        else:
            assert told.code in (1, 2), (text, told)
            assert "✔" not in told.out or "more" in instead, (text, told)

    run()


# ---- what `check` says ------------------------------------------------------------------------------------------


def test_what_is_not_checked_is_neither_valid_nor_invalid(tmp_path: Path) -> None:
    flagged = {"InputTensor": {"DataType": "UINT8", "Sizes": [2], "Flags": ["DML_TENSOR_FLAG_OWNED_BY_DML"]}}
    (file := tmp_path / "s.json").write_text(document(experiment("flagged", **flagged)))
    found = call("check", file)
    assert found.code == 2
    assert found.out.startswith("? flagged · TILE at 5_0: 1 thing not checked, ")
    assert "    ? InputTensor.Flags is DML_TENSOR_FLAG_OWNED_BY_DML and not checked: no rule about flags" in found.out
    (each,) = call("check", file, "--json").json
    assert (each["ok"], each["verdict"]) == (None, "not checked")
    assert [(n["field"], n["found"]) for n in each["not_checked"]] == [
        ("InputTensor.Flags", flagged["InputTensor"]["Flags"])
    ]
    assert call("check", "-", stdin=document(experiment("broken", **flagged, Repeats=[0]))).code == 1
    assert [each["ok"] for each in call("run", file, "--json").json] == [None]
    report = dml.check(dml.load(file).experiments[0].desc)
    assert (report.ok, bool(report), report.verdict) == (None, False, "not checked")
    codes = {level.value: call("check", "gather-2", "--level", level.value).code for level in LEVELS}
    assert codes == {level: int(level < "3_0") for level in codes}


def test_what_is_not_checked_goes_along_into_a_session(tmp_path: Path) -> None:
    text = export(only(3), "cpp").data.decode()
    file, session = tmp_path / "a.cpp", tmp_path / "a.json"
    file.write_text(re.sub(rf"{BYTES}\d+", f"{BYTES}resource->GetDesc().Width", text, count=1))
    told = call("check", file, "--json").json[0]["not_checked"]
    assert "TotalTensorSizeInBytes is not read: line 48 calls GetDesc()" in told[0]["message"]
    assert call("import", file, "-o", session).code == 0
    checked = call("check", session, "--json")
    assert (checked.code, checked.json[0]["not_checked"]) == (2, told)
    (each,) = dml.load(session).experiments
    assert experiments_of(to_token(each))[-1].not_checked == each.not_checked != ()


def test_an_invalid_desc_is_said_on_export() -> None:
    for target in ("dxdispatch", "cpp"):
        said = call("export", "rule-gather-fits", "--to", target).said
        assert ["is invalid: " in one for one in said] == [True] * 2
        assert call("export", "gather-2", "--to", target).said == []


def test_other_operators_alone_are_no_trouble() -> None:
    cpp = "DML_ABS_OPERATOR_DESC d = {}; auto y = dml::Relu(x); // dml::Join(x)"
    for text in (cpp, '{"dispatchables": {"g": {"type": "hlsl", "sourcePath": "a.hlsl"}}}'):
        found = call("check", "-", stdin=text)
        assert (found.code, found.out) == (0, "")
        said = ("isn't supported, expected one of", "expected the type of an operator")
        assert any(words in found.said[0] for words in said)
        whole = json.loads(call("check", "-", "--json", stdin=text).out)
        assert (whole["experiments"], whole["files"][0]["error"]) == ([], None)
        assert whole["files"][0]["remarks"][0]["kind"] == "ignored"
    assert "no such file" in json.loads(call("check", "missing", "--json").out)["files"][0]["error"]


def test_what_is_not_read_is_no_verdict(tmp_path: Path) -> None:
    text, other = "auto t = dml::Gather(a, b, 0, 1);", "DML_ABS_OPERATOR_DESC d = {};"
    good = export(only(3), "cpp").data.decode()
    fenced = f"```cpp\n{other}\n```\nand\n```cpp\n{text}\n```\n"
    for number, whole in enumerate([text, good + text, f"{other}\n{text}\n", fenced]):
        (file := tmp_path / f"{number}{'.md' if '```' in whole else '.cpp'}").write_text(whole)
        found = call("check", file)
        assert (found.code, "E_INVALIDARG" in found.out + found.err) == (2, False)
        assert any("Gather" in said for said in found.said)
        assert ("valid" in found.out) == (number == 1), "what can be read is checked"


@pytest.mark.drawn(1)
@pytest.mark.parametrize(
    ("redirected", "codes"),
    [(">&-", (0, 1)), ("2>&-", (0, 1)), ("<&-", (0, 1)), (">&- 2>&- <&-", (0, 1)), ("- <&-", (2, 2))],
)
@pytest.mark.skipif(sys.platform == "win32", reason="a shell of Unix")
def test_closed_streams_change_no_verdict(redirected: str, codes: tuple[int, int], tmp_path: Path) -> None:
    for code, held in zip(codes, (experiment("good"), experiment("invalid", Repeats=[0])), strict=True):
        (file := tmp_path / "s.json").write_text(document(held))
        line = f'"{sys.executable}" -m dmlviz check {"" if redirected.startswith("-") else file} {redirected}'
        made = subprocess.run(["sh", "-c", line], capture_output=True, check=False)
        assert made.returncode == code, made
        assert b"Traceback" not in made.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
@pytest.mark.parametrize(
    ("state", "end", "fault"),
    [
        (".", "its details are in ", "raise errors.FaultError('') from ZeroDivisionError()"),
        ("/dev/null", "its details are above.", "1 / 0"),
    ],
)
def test_a_fault_of_its_own_is_no_verdict_wherever_it_can_be_told(
    state: str, end: str, fault: str, tmp_path: Path
) -> None:
    """With a place for its details, and without; in the explorer, where nothing is unsaved, and elsewhere."""
    program = "from dmlviz import errors\nfrom dmlviz.cli import entry\ndef dispatch(words):\n"
    program += f"    {fault}\nentry.dispatch = dispatch\nentry.main([])"
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path / state)}
    command = [sys.executable, "-c", program]
    made = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert made.returncode == 70
    told = "dmlviz: ZeroDivisionError is an internal error, and doesn't mean that the files are wrong; "
    assert made.stderr.splitlines()[-1].startswith(f"{told}{end}")
    assert ("Traceback" in made.stderr) is (state != ".")
    with open("/dev/full", "w") as full:
        assert subprocess.run(command, stderr=full, env=environment, check=False).returncode == 70


def apply(document: Any, edits: list[Any]) -> Any:
    """A JSON Patch applied, as RFC 6902 tells it."""
    made = copy.deepcopy(document)
    for edit in edits:
        *way, last = [step.replace("~1", "/").replace("~0", "~") for step in edit["path"].split("/")[1:]]
        held = made
        for step in way:
            held = held[int(step)] if isinstance(held, list) else held[step]
        key: Any = int(last) if isinstance(held, list) else last
        if edit["op"] == "remove":
            del held[key]
        else:
            assert edit["op"] in ("add", "replace")
            assert (edit["op"] == "replace") == (isinstance(held, list) or key in held)
            held[key] = edit["value"]
    return made


def test_a_program_can_apply_the_fixes() -> None:
    applied = 0
    for session in sessions_of_all_kinds(40, seed=5, members=0.3):
        for each in session.experiments:
            report = each.check()
            made = json.loads(json.dumps(report_json(each, report)))
            for check, said in zip(report.checks, made["checks"], strict=True):
                for fix, edits in zip(check.fixes, (f["edits"] for f in said["fixes"]), strict=True):
                    values = {path: dump_source(source) for path, source in each.values.items()}
                    found = {key: made[key] for key in ("feature_level", "type", "desc")}
                    fixed = apply({**found, "values": values}, edits)
                    assert fixed["feature_level"] == fix.feature_level.value
                    assert parse_desc(fixed["type"], fixed["desc"]) == parse_desc(each.desc.TYPE, dump_desc(fix.desc))
                    assert fixed["type"] == operator_of(fix.desc).desc.TYPE
                    applied += 1
    assert applied > 50


def test_no_name_reaches_the_terminal_raw(tmp_path: Path) -> None:
    """U+009B begins an escape sequence, and U+202E turns what stands behind it."""
    name = "a\x9b31m\u202eb\x1b[31m\U000e0001é\nend"
    (file := tmp_path / "s.json").write_text(document(experiment(name)))
    for first, *rest in (("check",), ("check", "--json"), ("run", "--json"), ("import",)):
        found = call(first, file, *rest)
        assert all(c.isprintable() or c == "\n" for c in found.out + found.err), first
        assert not rest or json.loads(found.out)["experiments"][0]["name"] == name
    dml.save(dml.load(file), tmp_path / "t.json")
    assert dml.load(tmp_path / "t.json").experiments[0].name == name
