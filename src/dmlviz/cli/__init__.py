"""The command line: its entry, what its commands share, and one file a command."""

from .entry import main

__all__ = ["main"]
