"""The picture of an experiment, and all that stands below it."""
