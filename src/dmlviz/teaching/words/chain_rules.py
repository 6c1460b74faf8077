"""Wrong rules that people hold about chains; `kinds/lib/chain_maps.py` has where elements come from by each."""

from __future__ import annotations

from typing import Any

from ...operators.wrong_rules import Misreading


def _rule(id_: str, name: str, feedback: str, look: str) -> Misreading[Any]:
    """A rule of which no single operator knows."""
    return Misreading(id=id_, name=name, feedback=feedback, lights=(look,))


CHAIN_RULES: tuple[Misreading[Any], ...] = (
    _rule(
        "Q2",
        "the second GATHER picks from the first one's input",
        "The second GATHER picks from what the first one has written: x[i][j] is x[i[j]], and not x[j].",
        "the first GATHER's indices",
    ),
    _rule(
        "Q3",
        "TILE and JOIN may change places",
        "TILE of a JOIN gives a b a b; only a JOIN of TILEs gives a a b b.",
        "which of JOIN and TILE is the later stage",
    ),
    _rule(
        "Q4",
        "SPLIT cuts first, and each part is reversed for itself",
        "The whole is reversed before SPLIT cuts it, so the first part begins with what stood last.",
        "REVERSE_SUBSEQUENCES stands before SPLIT",
    ),
    _rule(
        "Q5",
        "a SPLIT's parts are read in their order",
        "Each wire says which part it is from: an input may read any part, in any order.",
        "the numbers of the parts at the wires",
    ),
    _rule(
        "Q1",
        "the order of two stages doesn't matter",
        "Two stages may not change places: each moves what the one before it has written, "
        "so go back through the last one first.",
        "the last two stages",
    ),
)
"""The more particular ones first: who holds one of those would often change two stages, too."""
