"""Levels: reach a goal by changing a desc."""
