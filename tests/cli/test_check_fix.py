"""`check --fix` writes what mends and nothing else, or says why it is left; `--diff` shows the same as a patch."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.commands import Result, call, document, experiment
from support.dumped_cpp import line_of
from support.random_sessions import sessions_of_all_kinds

from dmlviz.cli import fixing
from dmlviz.exporters import dxdispatch
from dmlviz.session import examples
from dmlviz.session.reading import read_file
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
CPP = """\
UINT sizes[4] = { 1u, 1u, 2u, 3u };
UINT out_sizes[4] = { 1, 1, 6, 9 };
UINT repeats[] = { 1, 1, 3 };  // one is missing
DML_BUFFER_TENSOR_DESC a = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, sizes, nullptr, 24, 0 };
DML_BUFFER_TENSOR_DESC b = { DML_TENSOR_DATA_TYPE_FLOAT32, DML_TENSOR_FLAG_NONE, 4, out_sizes, nullptr, 216, 0 };
DML_TENSOR_DESC x = { DML_TENSOR_TYPE_BUFFER, &a };
DML_TENSOR_DESC y = { DML_TENSOR_TYPE_BUFFER, &b };
DML_TILE_OPERATOR_DESC tile = { &x, &y, 3, repeats };
"""


def written(folder: Path, text: str, name: str = "x.json") -> Path:
    (folder / name).write_bytes(text.encode())
    return folder / name


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def patched(file: Path, diff: str) -> bytes:
    """The file after `patch` has applied a diff to it."""
    if shutil.which("patch") is None:
        pytest.skip("there is no patch")
    made = subprocess.run(
        ["patch", "-p1", "-s"], input=diff.encode(), cwd=file.parent, check=False, capture_output=True
    )
    assert made.returncode == 0, made.stdout
    return file.read_bytes()


@pytest.mark.parametrize("ending", ["\n", "\r\n", ""])
def test_two_fixes_of_a_desc_are_made_one_after_the_other_and_the_rest_stays(tmp_path: Path, ending: str) -> None:
    text = json.dumps({"dmlviz": 1, "experiments": [AXIS, experiment("fine")]}, indent=1).replace("\n", ending or "\n")
    file = written(tmp_path, f"\ufeff{text}{ending}")
    told = call("check", "--fix", file)
    assert told.code == 0
    assert [said.partition(": fixed: ")[2] for said in told.said] == ["InputTensors[1] FLOAT16 → FLOAT32", "Axis 2 → 1"]
    expected = f"\ufeff{text}{ending}".replace("FLOAT16", "FLOAT32").replace('"Axis": 2', '"Axis": 1')
    assert file.read_bytes() == expected.encode()
    assert call("check", "--fix", file).said == []
    assert file.read_bytes() == expected.encode()


@pytest.mark.parametrize("ending", ["\n", ""])
def test_the_diff_is_a_patch_that_does_what_the_fix_does(tmp_path: Path, ending: str) -> None:
    file = written(tmp_path, json.dumps({"dmlviz": 1, "experiments": [AXIS]}, indent=2) + ending)
    file = file.rename(file.with_stem("with a blank"))
    before = file.read_bytes()
    shown = call("check", file.name, "--diff")
    assert (shown.code, shown.said, file.read_bytes()) == (1, [], before)
    after = patched(file, shown.out)
    file.write_bytes(before)
    call("check", file, "--fix")
    assert file.read_bytes() == after != before


@pytest.mark.parametrize("name", [card for card in examples.examples() if card.startswith("rule-")])
def test_what_is_left_of_each_example_is_what_no_edit_mends_without_loss(tmp_path: Path, name: str) -> None:
    example = examples.example(name)
    for text in (example.path.read_text("utf-8"), dxdispatch.export(example.session(), "x").data.decode()):
        file = written(tmp_path, text)
        call("check", "--fix", file)
        checked = call("check", file, "--json", "--errors-only")
        fixes = [fix for one in checked.json for check in one["checks"] for fix in check["fixes"]]
        assert not fixes or all("loses" in fix["label"] for fix in fixes) or '"dispatchables"' in text, (name, fixes)
        assert json.loads(file.read_bytes()).keys() == json.loads(text).keys()


def test_a_fix_by_its_number_is_that_one_or_none(tmp_path: Path) -> None:
    file = written(tmp_path, examples.example("rule-sizes-match").path.read_text("utf-8"))
    before = file.read_bytes()
    told = call("check", "--fix", "2", file)
    assert told.code == 1
    assert any("fix 2 loses 3 of 9 elements of InputTensors[1], so it is left." in said for said in told.said)
    told = call("check", "--fix", "7", file)
    assert any("it has no fix 7, only 2, so it is left." in said for said in told.said)
    assert file.read_bytes() == before
    assert [call("check", f"--fix={n}", file).code for n in ("-1", "x")] == [2, 2]
    assert file.read_bytes() == before


def test_the_sizes_that_a_rule_expects_are_the_first_fix_and_axis_stays(tmp_path: Path) -> None:
    desc = {
        "InputTensor": {"DataType": "FLOAT16", "Sizes": [1, 1, 50, 8]},
        "IndicesTensor": {"DataType": "UINT32", "Sizes": [1, 1, 1, 6]},
        "OutputTensor": {"DataType": "FLOAT16", "Sizes": [1, 1, 8, 6]},
    }
    rows = AXIS | {"type": "DML_OPERATOR_GATHER", "desc": {**desc, "Axis": 2, "IndexDimensions": 1}}
    file = written(tmp_path, document(rows))
    assert call("check", "--fix", file).code == 0
    desc["OutputTensor"]["Sizes"] = [1, 1, 6, 8]
    assert json.loads(file.read_bytes())["experiments"][0]["desc"] == {**desc, "Axis": 2, "IndexDimensions": 1}


def test_only_what_counts_is_mended(tmp_path: Path) -> None:
    file = written(tmp_path, document(AXIS))
    call("check", "--fix", "--ignore", "axis", file)
    assert '"Axis": 2' in file.read_text()
    assert "FLOAT16" not in file.read_text()


def left(file: Path) -> Result:
    """What is told of a file whose bytes `--fix` leaves as they are."""
    before = file.read_bytes()
    told = call("check", "--fix", file)
    assert (told.code, file.read_bytes()) == (1, before)
    assert len(told.said) == 1
    assert "fixed" not in told.out
    return told


def test_a_file_that_is_linked_or_read_only_is_left_and_told(tmp_path: Path) -> None:
    file = written(tmp_path, document(AXIS))
    (tmp_path / "link.json").symlink_to(file)
    assert left(tmp_path / "link.json").said[0].endswith("link.json is left as it is: it is a link to another file.")
    os.link(file, tmp_path / "other.json")
    assert left(file).said[0].endswith("it has another name, a hard link.")
    (tmp_path / "other.json").unlink()
    file.chmod(0o444)
    assert left(file).said[0].endswith("it is read-only.")


def test_a_file_that_changes_while_it_is_read_is_left_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path, document(AXIS))

    def changed_behind(path: Path) -> Any:
        found = read_file(path)
        file.write_text(document(AXIS) + "\n")
        return found

    monkeypatch.setattr(fixing, "read_file", changed_behind)
    told = call("check", "--fix", file)
    assert file.read_text() == document(AXIS) + "\n"
    assert told.said == [f"{file} is left as it is: it has changed since it was read."]


def test_a_full_disk_leaves_the_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = written(tmp_path, document(AXIS))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(fixing, "write_whole", full)
    assert left(file).said == [f"{file} can't be written: No space left on device."]


def test_standard_input_examples_and_tokens_are_left_and_told() -> None:
    told = call("check", "--fix", "-", stdin=document(AXIS))
    assert (told.code, told.said) == (1, ["standard input is left as it is: it is no file of yours."])
    told = call("check", "--fix", "rule-axis-range")
    assert (told.code, told.said) == (1, ["the example rule-axis-range is left as it is: it is no file of yours."])
    assert call("check", "--diff", "rule-axis-range").out.startswith("--- a/rule-axis-range.json\n")


def test_cpp_is_shown_as_literals_and_never_written(tmp_path: Path) -> None:
    file = written(tmp_path, CPP, "x.cpp")
    assert left(file).said == [f"{file} is left as it is: C++ is never written, `--diff` shows it."]
    shown = call("check", "--diff", file.name)
    assert (shown.code, shown.said, file.read_text()) == (1, [], CPP)
    after = patched(file, shown.out).decode()
    edits = ("1, 1, 6, 9", "1, 1, 6, 3"), ("{ 1, 1, 3 }", "{ 1, 1, 3, 1 }"), ("216", "72"), ("3, repeats", "4, repeats")
    expected = CPP
    for old, new in edits:
        expected = expected.replace(old, new)
    assert after == expected
    assert call("check", file).code == 0


def test_cpp_whose_literals_say_something_else_too_gets_no_diff(tmp_path: Path) -> None:
    shared = (
        CPP.replace("UINT out_sizes[4] = { 1, 1, 6, 9 };\n", "")
        .replace("out_sizes, nullptr", "sizes, nullptr")
        .replace("216", "24")
        .replace("{ 1, 1, 3 }", "{ 1, 1, 3, 1 }")
    )
    file = written(tmp_path, shared.replace("&y, 3", "&y, 4"), "x.cpp")
    shown = call("check", "--diff", file.name, "--fix", "2")
    assert (shown.code, shown.out) == (1, "")
    why = "no literal of its own says what OutputTensor.Sizes is, so no diff is shown."
    assert shown.said == [f'x.cpp: experiment "tile": sizes.repeat: {why}']


def test_a_file_of_another_kind_is_left_and_told(tmp_path: Path) -> None:
    file = written(tmp_path, f"It fails with this:\n\n```json\n{document(AXIS)}\n```\n", "x.md")
    assert left(file).said[0].endswith("x.md is left as it is: no session file and no DxDispatch model.")


def test_a_log_is_left_and_what_makes_a_session_of_it_is_told(tmp_path: Path) -> None:
    line = line_of(examples.example("rule-axis-range").session().experiments[0].desc, "join at a.cpp:7")
    (said,) = left(written(tmp_path, f"start\n12:01 {line}\nend\n", "run.log")).said
    assert (
        f"run.log is left as it is: a log; `dmlviz import {tmp_path}/run.log -o s.json` makes a session of it" in said
    )


def test_a_diff_is_data_and_no_format_beside_it() -> None:
    assert call("check", "--diff", "--json", "join-1").code == 2
    assert call("check", "--diff", "join-1").out == ""


def test_what_reads_a_desc_is_mended_after_it(tmp_path: Path) -> None:
    once = experiment("once", OutputTensor={"DataType": "UINT8", "Sizes": [5]})
    reader = experiment("reader", InputTensor={"DataType": "UINT8", "Sizes": [5]})
    file = written(tmp_path, document(once, reader | {"values": {"InputTensor": {"from": "once"}}}))
    told = call("check", "--fix", file)
    assert told.code == 0
    assert [said.partition(": fixed: ")[2] for said in told.said] == ["OutputTensor {5} → {4}", "InputTensor {5} → {4}"]


def test_random_sessions_are_no_worse_after_it_and_what_was_valid_stays(tmp_path: Path) -> None:
    for number, session in enumerate(sessions_of_all_kinds(8, 11, members=True)):
        file = written(tmp_path, dump(session), f"{number}.json")
        before = call("check", file, "--json").json
        told = call("check", "--fix", file)
        after = call("check", file, "--json").json
        assert told.code == max(one["verdict"] == "invalid" for one in after) or told.code == 2
        for one, other in zip(before, after, strict=True):
            broken = [
                sum(not check["ok"] and check["severity"] == "error" for check in each["checks"])
                for each in (one, other)
            ]
            assert broken[1] <= broken[0], "fixes that lead back to each other are not made"
            assert one["desc"] == other["desc"] or broken[0]
