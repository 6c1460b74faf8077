"""Terms and signs that a student hasn't met: each is told in one sentence where it first stands, and under `?`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

WORDS: Mapping[str, str] = {
    "desc": r"(?i)\bdescs?\b",
    "index_dimensions": r"\bIndexDimensions\b",
    "feature_level": r"(?i)\bfeature[ -]?levels?\b",
    "dimension_count": r"\bDimensionCounts?\b",
    "length": r"(?i)SequenceLengths|sequence lengths?|\blengths? \d",
    "run": r"(?i)by run\b|to run\b|\bruns? of\b|“run”",
}
"""Words of DirectML's, by what finds them; their sentences are `term.` and the name."""
FIELDS = frozenset(("index_dimensions", "length"))
"""Those of `WORDS` that are fields of one operator."""
TERMS: Mapping[str, str] = {
    **WORDS,
    "places": r"\[[^]]*\bi\b[^]]*\] = ",
    "starts": r"\bs = ",
    "length_letter": r"\[:L\]|\bL = ",
    "reads": r"×\d",
    "range": r"\b\d+[–-]\d+\b(?! of)",
    "clamped": r"(?<=\d)!|(?<= )!(?=[ .]|$)",
    "warning": r"◁",
    "missed": r"▣",
    "looked_up": r"◧",
    "stage": r"(?i)\bstages?\b",
    "from": r"⇠",
}
"""Words and signs that are told where a lesson first has them, in the same way."""
SIGNS: Mapping[str, str] = {
    "letter": r"(?m)(^|[ ▐▕])[A-H] ?\d",
    "cursor": r"▐|▕",
    "digits": r"[₀-₉]",
    "hidden": r"  ·  ",
    "nowhere": "∅",
    "ruler": r"[↓→] ?(axis )?\d",
    "remainder": r"\d % \d",
    "answer": r"✗|✓|○",
    "lit": r"▶\w",
    "wire": r"─▶",
    "slice": r"‹\[",
    "here": r"(?<!\d)▸",
    "steps": r"\|◀",
    "memory": r"◂\d|\d▸",
    "more": r"▴|▾",
    "auto": r"\bauto\b",
    "stars": r"★",
}
"""Signs that are told under `?` where they are on the screen; sentences are `sign.` and the name."""


@cache
def _finder(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def found(text: str, table: Mapping[str, str] = TERMS) -> tuple[str, ...]:
    """The names of the terms, or of another table's signs, that stand in a text, in the table's order."""
    return tuple(name for name, pattern in table.items() if _finder(pattern).search(text))
