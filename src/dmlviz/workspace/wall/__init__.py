"""A session in front of a class."""
