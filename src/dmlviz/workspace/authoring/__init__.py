"""A task that is written."""
