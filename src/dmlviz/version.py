"""The version, alone in a file so that nothing else is loaded to read it."""

__version__ = "0.1.0"
