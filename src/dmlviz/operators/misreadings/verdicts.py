"""The verdict on a desc, for wrong rules that would let another one pass."""

from __future__ import annotations

from ...desc.base import Desc
from ...desc.levels import NEWEST
from ..evaluation import evaluate
from ..registry import operator_of
from ..report import Severity


def is_valid(desc: Desc) -> bool:
    """True if no rule of severity error is broken at the newest level; values break none."""
    record = evaluate(operator_of(desc), desc, NEWEST)
    return all(check.ok or check.severity is not Severity.ERROR for check in record.checks)
