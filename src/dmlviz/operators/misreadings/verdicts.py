"""The verdict on a desc, for wrong rules that would let another one pass."""

from __future__ import annotations

from ...desc.base import Desc
from ...desc.levels import NEWEST
from ..general_rules import evaluate
from ..registry import operator_of
from ..report import Severity


def broken_rules(desc: Desc) -> frozenset[str]:
    """The ids of the errors that `desc` has at the newest level; values break none."""
    record = evaluate(operator_of(desc), desc, NEWEST)
    return frozenset(check.id for check in record.checks if not check.ok and check.severity is Severity.ERROR)


def is_valid(desc: Desc) -> bool:
    """True if no rule of severity error is broken at the newest level; values break none."""
    return not broken_rules(desc)


def lets_pass(desc: Desc, *rules: str) -> bool | None:
    """True, the verdict of a rule's holder who overlooks these ids; None where others are broken, which are seen."""
    return True if broken_rules(desc) <= {*rules} else None
