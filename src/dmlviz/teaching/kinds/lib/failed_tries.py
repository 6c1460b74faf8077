"""What is said of a desc that doesn't make a goal: the wrong rule by which it would, or what is wrong with it."""

from __future__ import annotations

from typing import Any

from ....desc.tensors import braces
from ....operators.evaluation import evaluate
from ....operators.registry import operator_of
from ....operators.report import Severity
from ....operators.wrong_rules import Misreading
from ...questions.goals import Attempt
from ...questions.question import Picture
from ...words.catalogue import check_says, rule_feedback, rule_text, sentence


def explained_by(lang: str, attempt: Attempt, rule: Misreading[Any]) -> str:
    """A sentence with the wrong rule by which a try would make the goal, and what its holder is told."""
    name = rule_text(lang, rule, "name", operator_of(attempt.desc).name)
    feedback = rule_feedback(lang, rule, attempt.desc, attempt.trace.read)
    return sentence(lang, "level.by_rule", rule=name, feedback=feedback)


def why_not(lang: str, attempt: Attempt, goal: Picture, *, marked: bool) -> str:
    """Why a try that no wrong rule explains misses the goal; `marked` if a picture marks what differs."""
    desc = attempt.desc
    if not attempt.valid:
        operator = operator_of(desc)
        checks = evaluate(operator, desc, attempt.experiment.feature_level).checks
        broken = next(check for check in checks if not check.ok and check.severity is Severity.ERROR)
        return sentence(lang, "level.broken", rule=broken.id, message=check_says(lang, operator, broken))
    if not attempt.small:
        return sentence(lang, "level.larger")
    own, wanted = [part.tensor.sizes for part in desc.outputs], [sizes for sizes, _ in goal.outputs]
    if own != wanted:
        mine, theirs = (sentence(lang, "words.joint").join(map(braces, sizes)) for sizes in (own, wanted))
        if len(own) == 1:
            return sentence(lang, "level.sizes_one", found=mine, wanted=theirs)
        return sentence(lang, "level.sizes", found=mine, wanted=theirs)
    if attempt.outputs is None:
        return sentence(lang, "level.unpromised")
    return sentence(lang, "level.marked") if marked else sentence(lang, "level.values")
