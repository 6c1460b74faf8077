"""The room that a screen needs."""

SMALLEST = (60, 18)
"""Columns and lines that the screen needs."""
TOO_SMALL = f"dmlviz needs {SMALLEST[0]} columns and {SMALLEST[1]} lines.\nMake the terminal larger; nothing is lost."
