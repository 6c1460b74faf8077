"""Edits that are offered for a desc that is broken: some mend it, others don't. Each is tried on a copy."""

from __future__ import annotations

import itertools
import random
from contextlib import suppress

from msgspec import Struct

from ...desc.base import Desc
from ...errors import DmlvizError
from ...operators.fixes.differences import changes_between
from ...session.reading import parse_desc
from ...session.writing import dump_desc
from ..questions.goals import first_error
from ..questions.question import Question
from .changed_descs import one_off

MENDING, FAILING = 2, 2
"""How many are offered that mend, and how many that don't."""


class Offered(Struct, frozen=True):
    """One edit."""

    text: str
    """`Axis 4 → 3`."""
    desc: Desc
    mends: bool


def offered(question: Question) -> tuple[Offered, ...]:
    """Edits to choose among in a `fixes` question: some mend the desc, some don't; the seed gives the order."""
    subject, edits = question.subject, dict[str, Offered]()
    level, tree = subject.experiment.feature_level, dump_desc(subject.desc)
    for fix in (fix for broken in subject.report.errors for fix in broken.fixes):
        same = fix.mends_all and fix.feature_level is level and not fix.turned
        if same and len(edits) < MENDING and question.kind.is_right(question, type(question.truth)(fix.desc)):
            edits.setdefault(fix.label, Offered(fix.label, fix.desc, True))
    dice, tried = random.Random(f"offered {subject.experiment.name} {question.seed}"), list[Desc]()
    names = [name for name in tree if name not in {count.name for count in subject.desc.COUNTS}]
    for name, numbers in itertools.product(names, (lambda n: [n + 1], lambda n: [n - 1])):
        for other in one_off(tree[name], numbers):
            with suppress(DmlvizError):
                edited = parse_desc(subject.desc.TYPE, {**tree, name: other})
                tried += [edited] if first_error(edited, level) else []
    dice.shuffle(tried)
    tried.sort(key=lambda desc: not all(part.tensor.can_exist for part in desc.parts))  # a size of 0 tempts nobody
    for desc in tried:
        text = ", ".join(map(str, changes_between(subject.desc, desc, level, level)))
        if text and len(edits) < MENDING + FAILING:
            edits.setdefault(text, Offered(text, desc, False))
    shuffled = list(edits.values())
    dice.shuffle(shuffled)
    return tuple(shuffled)
