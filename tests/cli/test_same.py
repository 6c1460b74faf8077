"""`dmlviz same`: verdicts and their exit codes, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from support.commands import call, document


def tensor(*sizes: int, of: str = "FLOAT32") -> dict[str, Any]:
    return {"DataType": of, "Sizes": list(sizes)}


def stage(name: str, kind: str, values: dict[str, Any], **desc: Any) -> dict[str, Any]:
    return {"name": name, "type": f"DML_OPERATOR_{kind}", "feature_level": "5_1", "desc": desc, "values": values}


def turned(*lengths: int) -> str:
    """x turned round twice by lengths each, and x as it is."""
    own = {"InputTensor": tensor(2, 6), "SequenceLengthsTensor": tensor(2, 1, of="UINT32"), "Axis": 1}
    listed = {"SequenceLengthsTensor": [[n] for n in lengths]}
    return document(
        stage("x", "TILE", {}, InputTensor=tensor(2, 6), Repeats=[1, 1]),
        stage("once", "REVERSE_SUBSEQUENCES", {"InputTensor": {"from": "x"}, **listed}, **own),
        stage("twice", "REVERSE_SUBSEQUENCES", {"InputTensor": {"from": "once"}, **listed}, **own),
        stage("halves", "SPLIT", {}, InputTensor=tensor(2, 6), OutputTensors=[tensor(2, 3), tensor(2, 3)], Axis=1),
        stage("long", "TILE", {}, InputTensor=tensor(2**32 - 1), Repeats=[1]),
    )


def test_a_difference_is_told_with_both_paths() -> None:
    example = "chain-tile-or-join-first"
    done = call("same", example, "tiled, then joined", "joined, then tiled")
    assert done.code == 1
    assert done.out.splitlines() == [
        "Different: of all 8 elements the first that differs is tiled, then joined[0,2], which reads InputTensor[0,0] "
        "of first twice here and InputTensors[1][0,0] of joined there, taking InputTensor of first twice and "
        "InputTensors[0] of joined for one input, as they hold the same values, and 1 more likewise.",
        "  tiled, then joined[0,2] ⇠ first twice[0,2] ⇠ InputTensor[0,0] of first twice",
        "  joined, then tiled[0,2] ⇠ joined[0,2] ⇠ InputTensors[1][0,0] of joined",
    ]
    assert call("same", example, "3", "5[0]").out == done.out


@pytest.mark.parametrize(
    ("left", "right", "code", "said"),
    [
        ("halves", "halves", 0, "The same map: "),
        ("halves[1]", "4[1]", 0, "The same map: "),
        ("halves[0]", "halves[1]", 1, "Different: of all 6 elements the first that differs is halves[0][0,0], "),
        ("once", "x", 1, "Different: of all 12 elements the first that differs is once[0,0], which reads "),
        ("twice", "x", 2, "The same for these index values: "),
        ("long", "long", 2, "Not decided: "),
        ("x", "y", 2, "no experiments are called"),
        ("x", "6", 2, "no experiments are called"),
        ("x", "halves", 2, '"x" has 1 outputs and "halves" 2, expected as many, or one of each, such as NAME[0].'),
        ("x", "halves[2]", 2, '"halves[2]" is no output, expected halves[0] to [1].'),
    ],
)
def test_verdicts_have_their_exit_codes(left: str, right: str, code: int, said: str) -> None:
    done = call("same", "-", left, right, stdin=turned(4, 5))
    assert (done.code, bool(done.said)) == (code, not done.out)
    assert (done.out or done.said[0]).startswith(said)
    assert ("\n  twice[" in done.out) is (left == "twice")
