"""The onnx package, which not everybody has: its one import."""

from __future__ import annotations

import importlib.util
from types import ModuleType


def has_onnx() -> bool:
    """True if the onnx package is installed."""
    return importlib.util.find_spec("onnx") is not None


def onnx_library() -> ModuleType:
    """The onnx package, imported now. Raises ImportError where it isn't installed."""
    import onnx

    return onnx  # type: ignore[no-any-return]  # it has no types


def onnx_tools() -> ModuleType:
    """The same, with what reads models: its checker, inliner, shape inference and reference evaluator."""
    import onnx.checker
    import onnx.inliner
    import onnx.reference
    import onnx.shape_inference

    return onnx  # type: ignore[no-any-return]
