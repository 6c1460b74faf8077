"""Screens in front of a class: the wall, and what the speaker alone sees."""
