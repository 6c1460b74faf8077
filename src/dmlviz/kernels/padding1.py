"""PADDING1: what PADDING's kernel does, whose constant comes as bits anyway."""

from __future__ import annotations

from .padding import plan, run, textbook, textbook_arguments

__all__ = ["plan", "run", "textbook", "textbook_arguments"]
