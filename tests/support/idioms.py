"""Which targets of exports have words of their own for an operator."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dmlviz.desc.base import Desc
from dmlviz.exporters import directmlx, numpy_script, onnx_model, torch_script
from dmlviz.exporters.lib.idioms import knows

WRITERS: Mapping[str, Any] = {
    "numpy": numpy_script.operation,
    "torch": torch_script.operation,
    "directmlx": directmlx._expression,
    "onnx": onnx_model._write,
}


def has_idiom(desc: Desc, target: str) -> bool:
    """True if a target has words of its own for a desc's operator, or needs none."""
    return target not in WRITERS or knows(WRITERS[target], type(desc))
