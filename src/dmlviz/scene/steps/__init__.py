"""The order in which elements are written, and which step is shown at what time."""
