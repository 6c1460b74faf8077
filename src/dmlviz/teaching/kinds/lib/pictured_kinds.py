"""Which kinds are asked in the picture, and of which it can be played before the answer."""

IN_PICTURE = frozenset({"pictures", "cell", "sizes", "dest", "source", "count", "via", "fill", "order", "unread"})
"""The kinds whose question shows the picture; of others it would tell too much, and they show plain tables."""
WITHOUT_OUTPUTS = frozenset({"pictures", "sizes"})
"""Of those the ones in which no output is drawn: choices have its place, or its sizes are asked for."""
MEMORY = frozenset({"order", "runs"})
"""Kinds about linear memory: their answer is shown in address order, and copy by copy."""
PLAYED = frozenset({"cell", "source", "via", "fill", "order"})
"""Kinds whose picture can be shown step by step before the answer: of output elements, which stay hidden meanwhile.

Of an input's element the steps would tell how often it is read, and where it goes.
"""
