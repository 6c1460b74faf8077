"""The onnx package, which not everybody has: its one import."""

from __future__ import annotations

import importlib
from types import ModuleType


def onnx_library(*modules: str) -> ModuleType:
    """The onnx package, imported now, with these modules of it. Raises ImportError where it isn't installed."""
    import onnx

    for name in modules:
        importlib.import_module(f"onnx.{name}")
    return onnx  # type: ignore[no-any-return]  # it has no types
