"""Where to look, in the words of a place that has no keys: wrong rules name it by the explorer's."""

from __future__ import annotations

import re

from ...operators.sentences import sentence_of
from ..words.catalogue import sentence
from .subject import Subject

KEYED = re.compile(r"^[mv], ")
"""`m, memory` and `v, the level table`."""
CHECK = re.compile(r"\b[a-z_]+\.[a-z_]+")
"""The id of a check, such as `axis.range`."""


def names_memory(look: str) -> bool:
    """True where a place to look is linear memory."""
    return look.startswith("m,")


def without_formula(sentence: str) -> str:
    """A sentence as it is told where no formula line is: without the words that send somebody there."""
    return re.sub(r"(^| )Look: [^.]*formula line[^.]*\.", "", sentence)


def without_keys(subject: Subject, look: str) -> str:
    """A place to look as a page and a quiz say it, which have no keys and no rules beside the picture."""
    if KEYED.match(look):
        return sentence("words.memory" if names_memory(look) else "words.levels")
    check = CHECK.search(look)
    told = sentence_of(subject.operator, check[0]) if check else ""
    return f"{look}: {told.removesuffix('.')}" if told else look
