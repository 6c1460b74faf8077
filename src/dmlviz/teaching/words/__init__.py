"""Sentences in the languages that there are, and texts of authors."""
