"""`--dim NAME=N`: sizes for what an ONNX model leaves free, wherever a command reads one."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import call

pytest.importorskip("onnx", reason="the package onnx isn't installed")
from onnx import TensorProto, helper


def test_every_command_that_reads_a_file_takes_sizes(tmp_path: Path) -> None:
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", None]),
        helper.make_tensor_value_info("w", TensorProto.FLOAT, [4]),
    ]
    nodes = [
        helper.make_node("Concat", ["w", "w"], ["z"], "fixed", axis=0),
        helper.make_node("Concat", ["x", "x"], ["y"], "free", axis=1),
    ]
    model, graph = tmp_path / "m.onnx", helper.make_graph(nodes, "g", inputs, [])
    model.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]).SerializeToString())
    for words in (("import",), ("explain",), ("run",), ("export", "--to", "numpy")):
        found = call(words[0], model, *words[1:], "--dim", "batch=2", "--dim", "x:1=3")
        assert (found.code, "free" in found.out, "not checked" in found.err) == (0, True, False)
        assert call(words[0], model, *words[1:]).said[0] == (
            f'{model}: not checked: 1 of 2 nodes not checked: node 2 (Concat): "x" is FLOAT32 {{?, ?}}, '
            "expected fixed sizes; `--dim batch=SIZE --dim x:1=SIZE` gives free dimensions their sizes."
        )
    for name in ("n", "w:0"):
        (said,) = call("import", model, "--dim", f"{name}=3").said
        assert f'has no free dimension "{name}", expected one of batch, x:1.' in said
