"""Widgets, one class a file. They know the scene and the trace, never the app."""
