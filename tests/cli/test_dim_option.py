"""`--dim NAME=N`: sizes for what an ONNX model leaves free, wherever a command reads one."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import call, document, experiment

pytest.importorskip("onnx", reason="the package onnx isn't installed")
from onnx import TensorProto, helper

SIZES = ("--dim", "batch=2", "--dim", "x:1=3")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A Concat of what has a named and an unnamed free dimension, and one that has none."""
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", None]),
        helper.make_tensor_value_info("w", TensorProto.FLOAT, [4]),
    ]
    nodes = [
        helper.make_node("Concat", ["w", "w"], ["z"], "fixed", axis=0),
        helper.make_node("Concat", ["x", "x"], ["y"], "free", axis=1),
    ]
    path = tmp_path / "m.onnx"
    graph = helper.make_graph(nodes, "g", inputs, [])
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]).SerializeToString())
    return path


@pytest.mark.parametrize("words", [("import",), ("explain",), ("run",), ("export", "--to", "numpy")])
def test_every_command_that_reads_a_file_takes_sizes(words: tuple[str, ...], model: Path) -> None:
    found = call(words[0], model, *words[1:], *SIZES)
    assert found.code == 0
    assert "free" in found.out
    assert "not checked" not in found.err
    less = call(words[0], model, *words[1:])
    assert less.said[0] == (
        f'{model}: not checked: 1 of 2 nodes not checked: node 2 (Concat): "x" is FLOAT32 {{?, ?}}, '
        "expected fixed sizes; `--dim batch=SIZE --dim x:1=SIZE` gives free dimensions their sizes."
    )


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("batch=x", '--dim "batch" is "x", expected an integer of 1 to 4,294,967,295.'),
        ("batch", '--dim is "batch", expected NAME=N: a free dimension and its size.'),
        ("=3", '--dim is "=3", expected NAME=N: a free dimension and its size.'),
        ("batch=", '--dim "batch" is "", expected an integer of 1 to'),
        ("batch=-1", '--dim "batch" is "-1", expected an integer of 1 to'),
        ("batch=" + "9" * 6000, "expected an integer of 1 to 4,294,967,295."),
        ("batch=0", '--dim "batch" is "0", expected an integer of 1 to 4,294,967,295.'),
        ("n=3", 'has no free dimension "n", expected one of batch, x:1.'),
        ("w:0=3", 'has no free dimension "w:0", expected one of batch, x:1.'),
    ],
)
def test_words_that_are_no_size(word: str, says: str, model: Path) -> None:
    found = call("import", model, "--dim", word)
    assert found.code == 2
    assert found.out == ""
    (said,) = found.said
    assert says in said


def test_a_session_has_nothing_free(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text(document(experiment()))
    found = call("explain", path, "--dim", "n=1")
    assert found.code == 2
    assert found.said == [
        f"{path} is a session, which has no free dimensions to give sizes for, expected an ONNX model."
    ]
