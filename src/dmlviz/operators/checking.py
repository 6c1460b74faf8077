"""The check of a desc: every rule, notes, and verified fixes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from ..desc.base import Desc
from ..desc.levels import NEWEST, FeatureLevel
from ..desc.values import Values
from ..stopping import checkpoint
from .base import Operator
from .general_rules import evaluate, not_checked
from .level_rules import lowest_level
from .registry import operator_of
from .report import Check, Recorder, Report, Severity


def check(
    desc: Desc,
    values: Sequence[Values | None] | None = None,
    feature_level: FeatureLevel | str = NEWEST,
    *,
    patient: bool = True,
) -> Report:
    """Every rule held against `desc` at `feature_level`, with verified fixes; `values` in field order are optional.

    Where `patient` is False, a rule that needs a scan of many values waits for SCAN.
    """
    checkpoint()
    level = FeatureLevel.of(feature_level)
    op = operator_of(desc)
    record = evaluate(op, desc, level)
    record.patient = patient
    broken = [c for c in record.checks if not c.ok and c.severity is not Severity.NOTE]
    if values is not None:
        op.value_rules(desc, values, record)
    op.level_notes(desc, level, record)
    checks = _with_fixes(op, desc, level, record, broken) if broken else tuple(record.checks)
    there, lowest = record, lowest_level(op, desc, record)
    while lowest is not None and lowest > there.level and any(not c.ok and c.since is not None for c in there.checks):
        there = evaluate(op, desc, lowest)  # what waited for a relation that this level gives up may be broken
        lowest = lowest_level(op, desc, there)
    return Report(checks, tuple(record.waiting), level, lowest, not_checked=not_checked(desc))


def _with_fixes(
    op: Operator[Any], desc: Desc, level: FeatureLevel, record: Recorder, broken: Sequence[Check]
) -> tuple[Check, ...]:
    from .fixes.fixing import Fixer  # a valid desc needs none of it

    fixer = Fixer(op, desc, level, record)
    alike: dict[tuple[str, str], list[Check]] = {}
    for check in broken:
        alike.setdefault((check.id, check.words), []).append(check)
    first: dict[object, Check] = {}
    told: dict[int, Check] = {}
    for group in alike.values():
        fixes = fixer.fixes(group)
        # Sentences that differ have one cause if the same edits mend them; a level alone mends what has none in common.
        edits = frozenset((fix.desc, fix.feature_level) for fix in fixes)
        shared = edits if any(fix.desc != desc for fix in fixes) else group[0].words
        cause = first.setdefault((group[0].id, shared), group[0])
        told |= {id(c): replace(c, same_as=cause.field) for c in group}
        if cause is group[0]:
            told[id(cause)] = replace(cause, fixes=fixes)
    return tuple(told.get(id(c), c) for c in record.checks)
