"""The onnx package, which not everybody has: its one import."""

from __future__ import annotations

from types import ModuleType


def onnx_library() -> ModuleType:
    """The onnx package, imported now. Raises ImportError where it isn't installed."""
    import onnx

    return onnx  # type: ignore[no-any-return]  # it has no types
