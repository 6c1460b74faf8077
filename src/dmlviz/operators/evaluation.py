"""The evaluation of a desc's rules, without values, notes and fixes."""

from __future__ import annotations

from typing import Any

from ..desc.base import Desc
from ..desc.levels import FeatureLevel
from .base import Operator
from .general_rules import equal_rules, has_its_sizes, tensor_rules
from .level_rules import level_rules
from .report import Recorder
from .rules import range_rule


def evaluate(operator: Operator[Any], desc: Desc, level: FeatureLevel) -> Recorder:
    """The rules that hold for every operator, then the operator's own: no values, no notes, no fixes."""
    record = Recorder(operator.page, level)
    record_rules(operator, desc, record)
    return record


def record_rules(operator: Operator[Any], desc: Desc, record: Recorder) -> None:
    """Has `record` told of each rule in turn, at its level."""
    level_rules(operator, desc, desc.parts, record)
    long_enough = [has_its_sizes(part, record) for part in desc.parts]
    equal_rules(operator, desc, record)
    for part, is_long in zip(desc.parts, long_enough, strict=True):
        tensor_rules(part, is_long, record)
    operator.rules(desc, record)
    for field in desc.FIELDS:
        range_rule(record, field, desc)
