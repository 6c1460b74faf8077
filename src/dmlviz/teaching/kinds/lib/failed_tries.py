"""What is said of a desc that doesn't make a goal: the wrong rule by which it would, or what is wrong with it."""

from __future__ import annotations

from typing import Any

from ....desc.tensors import braces
from ....operators.general_rules import evaluate
from ....operators.registry import operator_of
from ....operators.report import Severity
from ....operators.wrong_rules import Misreading
from ...questions.goals import Attempt
from ...questions.question import Picture
from ...words.catalogue import sentence


def explained_by(attempt: Attempt, rule: Misreading[Any]) -> str:
    """A sentence with the wrong rule by which a try would make the goal, and what its holder is told."""
    return sentence("level.by_rule", rule=rule.name, feedback=rule.says(attempt.desc))


def why_not(attempt: Attempt, goal: Picture, *, marked: bool) -> str:
    """Why a try that no wrong rule explains misses the goal; `marked` if a picture marks what differs."""
    desc = attempt.desc
    if not attempt.valid:
        operator = operator_of(desc)
        checks = evaluate(operator, desc, attempt.experiment.feature_level).checks
        broken = next(check for check in checks if not check.ok and check.severity is Severity.ERROR)
        return sentence("level.broken", rule=broken.id, message=broken.message)
    if not attempt.small:
        return sentence("level.larger")
    own, wanted = [part.tensor.sizes for part in desc.outputs], [sizes for sizes, _ in goal.outputs]
    if own != wanted:
        mine, theirs = (sentence("words.joint").join(map(braces, sizes)) for sizes in (own, wanted))
        if len(own) == 1:
            return sentence("level.sizes_one", found=mine, wanted=theirs)
        return sentence("level.sizes", found=mine, wanted=theirs)
    if attempt.outputs is None:
        return sentence("level.unpromised")
    return sentence("level.marked") if marked else sentence("level.values")
