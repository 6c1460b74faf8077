"""The check of a desc: every rule, notes, and verified fixes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..desc.base import Desc
from ..desc.levels import NEWEST, FeatureLevel
from ..desc.values import Values
from ..stopping import checkpoint
from .evaluation import evaluate
from .fixing import Fixer
from .general_rules import not_checked
from .level_rules import lowest_level
from .registry import operator_of
from .report import Report, Severity


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
    operator = operator_of(desc)
    record = evaluate(operator, desc, level)
    record.patient = patient
    broken = [c for c in record.checks if not c.ok and c.severity is not Severity.NOTE]
    if values is not None:
        operator.value_rules(desc, values, record)
    operator.level_notes(desc, level, record)
    fixer = Fixer(operator, desc, level, record)
    fixes = {id(c): fixer.fixes(c) for c in broken}
    checks = tuple(replace(c, fixes=fixes[id(c)]) if id(c) in fixes else c for c in record.checks)
    return Report(checks, tuple(record.waiting), level, lowest_level(operator, desc, record), not_checked(desc))
