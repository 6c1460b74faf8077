"""Kinds of questions, one file each, named as the kind: what `asking.kinds` finds."""
