"""Screens over the explorer: they take values and return results."""
