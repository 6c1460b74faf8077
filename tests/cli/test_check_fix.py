"""`check --fix` writes what mends and nothing else, or says why it is left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.commands import call, document, experiment
from support.effort import part
from support.random_sessions import sessions_of_all_kinds

from dmlviz.exporters import dxdispatch
from dmlviz.session import examples, tokens
from dmlviz.session.reading import load
from dmlviz.session.writing import dump

AXIS: dict[str, Any] = {
    "name": "rows",
    "feature_level": "5_0",
    "type": "DML_OPERATOR_JOIN",
    "desc": {
        "InputTensors": [{"DataType": "FLOAT32", "Sizes": [2, 3]}, {"DataType": "FLOAT16", "Sizes": [2, 4]}],
        "OutputTensor": {"DataType": "FLOAT32", "Sizes": [2, 7]},
        "Axis": 2,
    },
}
"""It breaks two rules, of which none mends the other."""


def written(folder: Path, text: str, name: str = "x.json") -> Path:
    (folder / name).write_bytes(text.encode())
    return folder / name


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_two_fixes_of_a_desc_are_made_one_after_the_other_and_the_rest_stays(tmp_path: Path) -> None:
    session = {"dmlviz": 1, "own": [1], "experiments": [{**AXIS, "notes": "n", "x": 5}, experiment("fine")]}
    file = written(tmp_path, f"\ufeff{json.dumps(session)}")
    told = call("check", "--fix", file)
    assert told.code == 0
    assert [said.partition(": fixed: ")[2] for said in told.said] == ["InputTensors[1] FLOAT16 → FLOAT32", "Axis 2 → 1"]
    expected = json.loads(json.dumps(session).replace("FLOAT16", "FLOAT32").replace('"Axis": 2', '"Axis": 1'))
    now = json.loads(file.read_bytes())
    assert [one.pop("values") for one in now["experiments"]] == [{}, {}]
    assert now == {"title": "", **expected}
    before = file.read_bytes()
    assert call("check", "--fix", file).said == []
    assert file.read_bytes() == before


@pytest.mark.drawn(10)
@pytest.mark.parametrize("name", [card for card in examples.examples() if card.startswith("rule-")])
def test_what_is_left_of_each_example_is_what_no_edit_mends_without_loss(tmp_path: Path, name: str) -> None:
    example = examples.example(name)
    for text in (example.path.read_text("utf-8"), dxdispatch.export(example.session(), "x").data.decode()):
        file = written(tmp_path, text)
        call("check", "--fix", file)
        checked = call("check", file, "--json")
        failing = [check for one in checked.json for check in one["checks"] if check["severity"] == "error"]
        fixes = [fix for check in failing for fix in check["fixes"]]
        assert not fixes or all("loses" in fix["label"] for fix in fixes) or '"dispatchables"' in text, (name, fixes)
        assert json.loads(file.read_bytes()).keys() == json.loads(text).keys()


def test_what_is_left_is_left_whole_and_told(tmp_path: Path) -> None:
    def left(file: Path, code: int, said: str) -> None:
        before = file.read_bytes()
        told = call("check", "--fix", file)
        assert (told.code, file.read_bytes(), "fixed" in told.out) == (code, before, False)
        assert told.said[0].endswith(said)

    file = written(tmp_path, examples.example("rule-tensor-strides").path.read_text("utf-8"))
    left(file, 1, " each fix loses something, the first the layout of InputTensor in memory, so it is left.")
    file = written(tmp_path, document(AXIS, {"name": "no desc"}), "half.json")
    left(file, 1, "half.json is left as it is: not all of its experiments can be read.")
    file = written(tmp_path, f"It fails with this:\n\n```json\n{document(AXIS)}\n```\n", "x.md")
    makes_one = f"`dmlviz import {file} -o s.json` makes one."
    left(file, 1, f"x.md is left as it is: no session file and no DxDispatch model; {makes_one}")
    file = written(tmp_path, document(AXIS), "own.json")
    file.chmod(0o444)
    left(file, 1, "own.json is left as it is: it is read-only.")
    file.chmod(0o644)
    (tmp_path / "link.json").symlink_to(file)
    assert call("check", "--fix", tmp_path / "link.json").code == 0
    assert (tmp_path / "link.json").is_symlink()
    assert call("check", file).code == 0
    token = tokens.to_token(load(written(tmp_path, document(AXIS), "t.json")).experiments[0])
    for words, shown in ((["-"], "standard input"), (["rule-axis-range"], "rule-axis-range"), ([token], "the token")):
        told = call("check", "--fix", *words, stdin=document(AXIS))
        assert (told.code, told.said) == (1, [f"{shown} is left as it is: it is no file of yours."])


def test_a_model_keeps_what_is_beside_its_descs(tmp_path: Path) -> None:
    made = {"Type": "JOIN", "Desc": AXIS["desc"]}
    others = {"resources": {"x": 1}, "commands": []}
    model = {**others, "dispatchables": {"a/~b": made, "no": {"type": "hlsl"}}}
    file = written(tmp_path, json.dumps(model).replace('{"x"', '/* a comment */ {"x"'))
    assert call("check", "--fix", file).code == 0
    now = json.loads(file.read_bytes())
    mended = now["dispatchables"].pop("a/~b")
    assert now == {**others, "dispatchables": {"no": {"type": "hlsl"}}}
    assert (mended["Type"], mended["Desc"]["Axis"]) == ("DML_OPERATOR_JOIN", 1)


def test_a_level_is_raised_where_a_model_notes_it(tmp_path: Path) -> None:
    example = examples.example("rule-level-operator")
    model = written(tmp_path, dxdispatch.export(example.session(), "x").data.decode(), "model.json")
    file = written(tmp_path, example.path.read_text("utf-8"))
    call("check", "--fix", model, file)
    noted, kept = json.loads(model.read_bytes())["$dmlviz"]["operators"], json.loads(file.read_bytes())["experiments"]
    before = [one.feature_level.value for one in example.session().experiments]
    assert [one["feature_level"] for one in noted] == [one["feature_level"] for one in kept] != before


def test_what_reads_a_desc_is_mended_after_it(tmp_path: Path) -> None:
    once = experiment("once", OutputTensor={"DataType": "UINT8", "Sizes": [5]})
    reader = experiment("reader", InputTensor={"DataType": "UINT8", "Sizes": [5]})
    file = written(tmp_path, document(once, reader | {"values": {"InputTensor": {"from": "once"}}}))
    told = call("check", "--fix", file)
    assert told.code == 0
    assert [said.partition(": fixed: ")[2] for said in told.said] == ["OutputTensor {5} → {4}", "InputTensor {5} → {4}"]


def test_random_sessions_are_no_worse_after_it_and_what_was_valid_stays(tmp_path: Path) -> None:
    def broken(one: dict[str, Any]) -> int:
        return sum(not check["ok"] and check["severity"] == "error" for check in one["checks"])

    for number, session in enumerate(sessions_of_all_kinds(part(24) // 3, 11, members=0.3)):
        file = written(tmp_path, dump(session), f"{number}.json")
        before = call("check", file, "--json").json
        told = call("check", "--fix", file)
        after = call("check", file, "--json").json
        assert told.code == max(one["verdict"] == "invalid" for one in after) or told.code == 2
        for one, other in zip(before, after, strict=True):
            assert broken(other) <= broken(one), "fixes that lead back to each other are not made"
            assert one["desc"] == other["desc"] or broken(one)
