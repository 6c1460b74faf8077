"""`dmlviz same`: verdicts and their exit codes, certificates, and what is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.commands import call

from dmlviz.equality import verify

EXAMPLE = "chain-tile-or-join-first"
ENDS = ("tiled, then joined", "joined, then tiled")


def tensor(*sizes: int, of: str = "FLOAT32") -> dict[str, Any]:
    return {"DataType": of, "Sizes": list(sizes)}


def stage(name: str, kind: str, values: dict[str, Any], **desc: Any) -> dict[str, Any]:
    return {
        "name": name,
        "type": f"DML_OPERATOR_{kind}",
        "feature_level": "5_1",
        "desc": desc,
        "values": values,
    }


def turned(*lengths: int) -> list[dict[str, Any]]:
    """x turned round twice by lengths each, and x as it is."""
    own = {"InputTensor": tensor(2, 6), "SequenceLengthsTensor": tensor(2, 1, of="UINT32"), "Axis": 1}
    listed = {"SequenceLengthsTensor": [[n] for n in lengths]}
    return [
        stage("x", "TILE", {}, InputTensor=tensor(2, 6), Repeats=[1, 1]),
        stage("once", "REVERSE_SUBSEQUENCES", {"InputTensor": {"from": "x"}, **listed}, **own),
        stage("twice", "REVERSE_SUBSEQUENCES", {"InputTensor": {"from": "once"}, **listed}, **own),
        stage("halves", "SPLIT", {}, InputTensor=tensor(2, 6), OutputTensors=[tensor(2, 3), tensor(2, 3)], Axis=1),
        stage("long", "TILE", {}, InputTensor=tensor(2**32 - 1), Repeats=[1]),
    ]


def written(tmp_path: Path, experiments: list[dict[str, Any]]) -> Path:
    file = tmp_path / "session.json"
    file.write_text(json.dumps({"dmlviz": 1, "experiments": experiments}), "utf-8")
    return file


def test_a_difference_is_told_with_both_paths() -> None:
    done = call("same", EXAMPLE, *ENDS)
    assert done.code == 1
    assert done.out.splitlines() == [
        "Different: tiled, then joined[0,2] reads InputTensor[0,0] of first twice here and InputTensors[1][0,0] of "
        "joined there: taking InputTensor of first twice and InputTensors[0] of joined for one input, as they "
        "hold the same values, and 1 more likewise.",
        "  tiled, then joined[0,2] ⇠ first twice[0,2] ⇠ InputTensor[0,0] of first twice",
        "  joined, then tiled[0,2] ⇠ joined[0,2] ⇠ InputTensors[1][0,0] of joined",
    ]
    assert call("same", EXAMPLE, "3", "5[0]").out == done.out
    assert "no experiments are called" in call("same", EXAMPLE, "3", "6").said[0]
    told = json.loads(call("same", EXAMPLE, *ENDS, "--json").out)
    assert (told["answer"], told["same"], told["first"]) == ("different", False, [0, 2])
    assert told["right"]["input"] == ["joined", "InputTensors[1]"]


def test_what_is_not_decided_is_told_from_wrong_usage_by_what_is_printed(tmp_path: Path) -> None:
    file = written(tmp_path, turned(4, 5))
    done = call("same", file, "long", "long", "--json")
    assert (done.code, json.loads(done.out)["answer"], json.loads(done.out)["same"]) == (2, "not_decided", None)
    for words in ([], ["x"], ["x", "y"], ["x", "halves"], ["x", "halves[2]"], ["x", "x", "--verify", "none.json"]):
        done = call("same", file, *words, "--json")
        assert (done.code, done.out) == (2, "")
        assert len(done.said) == 1


def test_outputs_are_named_by_number_and_all_meant_without_one(tmp_path: Path) -> None:
    file = written(tmp_path, turned(4, 5))
    assert call("same", file, "halves", "halves").code == 0
    assert call("same", file, "halves[0]", "halves[1]").code == 1
    assert call("same", file, "halves[1]", "halves[1]").code == 0


def test_a_certificate_holds_for_its_file_alone(tmp_path: Path) -> None:
    file, proof = written(tmp_path, turned(4, 5)), tmp_path / "proof.json"
    done = call("same", file, "twice", "x", "--certificate", proof)
    assert (done.code, done.out) == (0, "The same map, for these index values.\n")
    assert call("same", file, "--verify", proof).out == (
        "Holds: twice[0] and x[0] are the same map, for these index values.\n"
    )
    assert call("same", file, "twice", "x", "--verify", proof).code == 0
    assert call("same", file, "twice[0]", "1", "--verify", proof).code == 0
    assert [call("same", file, *names, "--verify", proof).code for names in (("twice", "once"), ("twice[1]",))] == [
        2,
        2,
    ]
    other = tmp_path / "other"
    other.mkdir()
    changed = turned(4, 5)
    changed[2]["values"]["SequenceLengthsTensor"] = [[4], [4]]
    done = call("same", written(other, changed), "--verify", proof)
    assert (done.code, done.out) == (1, "Refused: elements come from elsewhere.\n")
    changed = turned(4, 5)
    changed[0]["desc"]["OutputTensor"] = tensor(2, 7)
    done = call("same", written(other, changed), "--verify", proof)
    assert (done.code, done.out) == (2, "")
    assert call("same", file, "twice", "x", "--certificate", proof).said == [
        f"{proof} is there already, expected another name, or --force."
    ]
    assert call("same", file, "once", "x", "--certificate", tmp_path / "none.json").code == 1
    assert not (tmp_path / "none.json").exists()


def test_a_certificate_is_checked_without_dmlviz(tmp_path: Path) -> None:
    file, proof = written(tmp_path, turned(4, 5)), tmp_path / "proof.json"
    call("same", file, "twice", "x", "--certificate", proof)
    program = Path(verify.__file__)
    text = program.read_text("utf-8")
    assert len(text.splitlines()) <= 200
    assert "dmlviz" not in [line.split()[1].split(".")[0] for line in text.splitlines() if "import " in line]
    for about, code, said in ((file, 0, "the same map\n"), (proof, 1, "")):
        done = subprocess.run([sys.executable, "-I", "-S", program, proof, about], capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (code, said)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"outputs": [["x"]]}', '{"outputs": [["x", 0], ["x", 0]]}', '{"outputs": [["x", Infinity]]}'],
)
def test_what_is_no_certificate_is_refused(tmp_path: Path, text: str) -> None:
    proof = tmp_path / "proof.json"
    proof.write_text(text, "utf-8")
    done = call("same", written(tmp_path, turned(4, 5)), "--verify", proof)
    assert done.code in (1, 2)
    assert done.out.startswith("Refused") or len(done.said) == 1
