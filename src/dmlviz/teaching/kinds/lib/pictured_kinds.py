"""Which kinds are asked in the picture, and of which it can be played before the answer."""

IN_PICTURE = frozenset({"pictures", "cell", "sizes", "dest", "source", "count", "via", "fill", "order", "unread"})
"""The kinds whose question shows the picture; of others it would tell too much, and they show plain tables."""
WITHOUT_OUTPUTS = frozenset({"pictures", "sizes"})
"""Of those the ones in which no output is drawn: choices have its place, or its sizes are asked for."""
PLAYED = IN_PICTURE - WITHOUT_OUTPUTS
"""Kinds whose picture can be shown step by step before the answer: it tells it one after the other, not at once."""
