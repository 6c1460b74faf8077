"""`dmlviz same`: verdicts and their exit codes, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support.commands import call

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
        "Different: of all 8 elements the first that differs is tiled, then joined[0,2], which reads InputTensor[0,0] "
        "of first twice here and InputTensors[1][0,0] of joined there, taking InputTensor of first twice and "
        "InputTensors[0] of joined for one input, as they hold the same values, and 1 more likewise.",
        "  tiled, then joined[0,2] ⇠ first twice[0,2] ⇠ InputTensor[0,0] of first twice",
        "  joined, then tiled[0,2] ⇠ joined[0,2] ⇠ InputTensors[1][0,0] of joined",
    ]
    assert call("same", EXAMPLE, "3", "5[0]").out == done.out
    assert "no experiments are called" in call("same", EXAMPLE, "3", "6").said[0]


def test_what_is_not_decided_is_told_from_wrong_usage_by_what_is_printed(tmp_path: Path) -> None:
    file = written(tmp_path, turned(4, 5))
    done = call("same", file, "long", "long")
    assert (done.code, done.out.startswith("Not decided: ")) == (2, True)
    for words in ([], ["x"], ["x", "y"], ["x", "halves"], ["x", "halves[2]"]):
        done = call("same", file, *words)
        assert (done.code, done.out) == (2, "")
        assert len(done.said) == 1


def test_outputs_are_named_by_number_and_all_meant_without_one(tmp_path: Path) -> None:
    file = written(tmp_path, turned(4, 5))
    assert call("same", file, "halves", "halves").code == 0
    assert call("same", file, "halves[0]", "halves[1]").code == 1
    assert call("same", file, "halves[1]", "halves[1]").code == 0


def test_what_is_the_same_for_some_index_values_alone_is_no_plain_same(tmp_path: Path) -> None:
    done = call("same", written(tmp_path, turned(4, 5)), "twice", "x")
    assert (done.code, done.out.startswith("The same for these index values: ")) == (2, True)
    assert "  twice[" in done.out
    done = call("same", written(tmp_path, turned(4, 5)), "once", "x")
    assert done.code == 1
    assert done.out.startswith("Different: of all 12 elements the first that differs is once[0,0], which reads ")
