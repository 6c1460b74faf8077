"""Kinds of questions, those of one matter in a file: what `asking.kinds` finds."""
