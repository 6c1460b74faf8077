"""Which targets of exports have words of their own for an operator."""

from __future__ import annotations

import dmlviz as dml
from dmlviz.desc.base import Desc
from dmlviz.exporters import directmlx, numpy_script, onnx_model, torch_script
from dmlviz.operators.registry import operator_of

WRITERS = {
    "numpy": numpy_script._Body,
    "torch": torch_script._Body,
    "directmlx": directmlx._Idioms,
    "onnx": onnx_model._Model,
}


def has_idiom(desc: Desc, target: str) -> bool:
    """True if a target has words of its own for a desc's operator, or needs none."""
    if target == "dmlviz":
        return getattr(dml, type(desc).__name__, None) is type(desc)
    return target not in WRITERS or hasattr(WRITERS[target], f"say_{operator_of(desc).name.lower()}")
