"""The operators that are shipped. Of them more is held than the kit asks of one that is added.

An example for each rule and a map in one line of code are optional for that one until its name stands here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dmlviz.operators.base import Operator
from dmlviz.operators.registry import operators

SHIPPED = (
    *("JOIN", "SPLIT", "REVERSE_SUBSEQUENCES", "GATHER", "TILE"),
    *("SLICE1", "GATHER_ELEMENTS", "PADDING"),
)


def shipped() -> Mapping[str, Operator[Any]]:
    """Those operators by type, as `operators` has them."""
    found = {kind: operator for kind, operator in operators().items() if operator.name in SHIPPED}
    assert len(found) == len(SHIPPED)
    return found


# As DirectML's pages print their examples' outputs; TILE's with the commas and the label that its page leaves out.
PRINTED: dict[str, list[Any]] = {
    "join-1": [[[[[1, 2, 3, 7, 8, 9, 10], [4, 5, 6, 11, 12, 13, 14]]]]],
    "join-2-axis-1": [[[[[1, 2], [3, 4]], [[5, 6], [7, 8]], [[9, 10], [11, 12]]]]],
    "join-2-axis-2": [[[[[1, 2], [3, 4], [5, 6], [7, 8], [9, 10], [11, 12]]]]],
    "join-2-axis-3": [[[[[1, 2, 5, 6, 9, 10], [3, 4, 7, 8, 11, 12]]]]],
    "split-1": [[[[[1, 2], [3, 4]]]], [[[[5, 6]]]], [[[[7, 8], [9, 10], [11, 12]]]]],
    "split-2": [[[[[1], [3], [5], [7], [9], [11]]]], [[[[2], [4], [6], [8], [10], [12]]]]],
    "reverse-1": [[[[[2, 1, 3, 4], [8, 7, 6, 5], [11, 10, 9, 12]]]]],
    "reverse-2": [[[[[5, 10, 3, 4], [1, 6, 7, 8], [9, 2, 11, 12]]]]],
    "gather-1": [[14, 12, 14, 11, 13]],
    "gather-2": [[[1, 2], [3, 4], [3, 4], [5, 6]]],
    "gather-3-corrected": [[[2, 1], [4, 3], [6, 5]]],
    "gather-4": [[[[1, 3]], [[4, 6]], [[7, 9]]]],
    "gather-5": [[[[1, 2], [3, 4]], [[3, 4], [5, 6]]]],
    "gather-elements-1": [[[4, 8, 3], [7, 2, 3]]],
    "tile-1": [[[[[1, 2, 3] * 3, [4, 5, 6] * 3] * 3]]],
}
