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
