"""The explorer in a browser tab, by textual-serve."""
