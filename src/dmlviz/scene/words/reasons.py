"""What is said about a desc that breaks rules: reasons, fixes, and what in the picture each reason concerns."""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import Any, NamedTuple

from msgspec import Struct

from ...desc.base import Desc
from ...desc.tensors import braces
from ...operators.report import Cause, Check, Fix, Report, Severity

KEYS = 9
"""Fixes that a digit applies."""


class Row(NamedTuple):
    """A field that a rule names: what stands there, and what would have to."""

    field: str
    found: str
    expected: str


class Reason(Struct, frozen=True):
    """One cause of failures, in words."""

    cause: Cause
    fixes: tuple[int, ...]
    """Numbers, from 0, of the fixes that mend it."""

    @property
    def checks(self) -> tuple[Check, ...]:
        return self.cause.checks

    @property
    def first(self) -> Check:
        return self.cause.first

    @property
    def is_error(self) -> bool:
        return self.first.severity is Severity.ERROR

    @property
    def rows(self) -> list[Row]:
        """A row for each check."""
        return [row_of(check) for check in self.checks]


class Why(Struct, frozen=True):
    """Everything there is to say about what a report found."""

    reasons: tuple[Reason, ...]
    """Broken rules first, then warnings."""
    fixes: tuple[Fix, ...]
    """Each verified fix once, by key: those that mend all first, each without loss and of the same operator first."""

    @property
    def errors(self) -> tuple[Reason, ...]:
        """The broken rules, without warnings."""
        return tuple(reason for reason in self.reasons if reason.is_error)


def why(desc: Desc, report: Report) -> Why:
    """A report's failures by cause, and each fix once."""
    targets: dict[Hashable, Fix] = {}
    for check in report.errors:
        for fix in check.fixes:
            targets.setdefault(_target(fix), fix)
    ordered = sorted(targets.items(), key=lambda pair: (not pair[1].mends_all, bool(pair[1].loses), pair[1].turned))
    number = {target: i for i, (target, _) in enumerate(ordered)}
    for_all = {number[target] for target, fix in targets.items() if fix.mends_all}
    reasons = []
    warnings = (cause for cause in report.causes if cause.first.severity is Severity.WARNING)
    for cause in (*report.broken, *warnings):
        own = {number[_target(fix)] for fix in cause.first.fixes}
        numbers = sorted(own | for_all) if cause.first.severity is Severity.ERROR else []
        reasons.append(Reason(cause, tuple(numbers)))
    return Why(tuple(reasons), tuple(fix for _, fix in ordered))


def _target(fix: Fix) -> Hashable:
    return fix.desc, fix.feature_level


def row_of(check: Check) -> Row:
    """A check's field, found and expected as a person would write them; of one size where the field names one."""
    found, expected = check.found, check.expected
    at = re.search(r"\[(\d+)\]$", check.field)
    if at is not None:
        d = int(at[1])
        found = found[d] if is_sizes(found) and d < len(found) else found
        expected = expected[d] if is_sizes(expected) and d < len(expected) else expected
    if check.id == "dimension_count.supported":
        low, high = check.expected
        expected = low if low == high else f"{low} to {high}"
    if isinstance(expected, str):
        expected = expected.split(" for ", 1)[0]  # the sentence says for what
    elif ", expected at most " in check.message:
        expected = f"at most {_text_of(expected)}"
    return Row(check.field, _text_of(found), _text_of(expected))


def is_sizes(sizes: Any) -> bool:
    """True for a list of whole numbers."""
    return isinstance(sizes, list) and all(isinstance(size, int) for size in sizes)


def _text_of(held: Any) -> str:
    """What was found or expected as text, – for None."""
    if held is None:
        return "–"
    if is_sizes(held):
        return braces(held)
    if isinstance(held, list):
        return held[0] if len(held) == 1 else f"{', '.join(map(str, held[:-1]))} or {held[-1]}"
    return f"{held:,}" if isinstance(held, int) and abs(held) >= 10**6 else str(held)
