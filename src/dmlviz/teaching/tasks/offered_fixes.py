"""Edits that are offered for a desc that is broken: some mend it, others don't. Each is tried on a copy."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from ...desc.base import Desc
from ...desc.fields import TensorField
from ...desc.indexing import put
from ...errors import DmlvizError
from ...operators.fixes.differences import changes_between
from ..questions.goals import is_valid
from ..questions.question import Question

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
    subject = question.subject
    level = subject.experiment.feature_level
    edits: dict[str, Offered] = {}
    for broken in subject.report.errors:
        for fix in broken.fixes:
            same = fix.feature_level is level and not fix.turned
            if fix.mends_all and same and len(edits) < MENDING and fix.label not in edits:
                answer = question.kind.read(question, question.kind.json(type(question.truth)(fix.desc)))
                if question.kind.score(question, answer) == 1:
                    edits[fix.label] = Offered(fix.label, fix.desc, True)
    dice = random.Random(f"offered {subject.experiment.name} {question.seed}")
    tried = [edited for edited in _descs_one_off(subject.desc) if not is_valid(edited, level)]
    dice.shuffle(tried)
    tried.sort(key=lambda desc: not all(part.tensor.can_exist for part in desc.parts))  # a size of 0 tempts nobody
    for desc in tried:
        if len(edits) == MENDING + FAILING:
            break
        text = ", ".join(map(str, changes_between(subject.desc, desc, level, level)))
        if text and text not in edits:
            edits[text] = Offered(text, desc, False)
    shuffled = list(edits.values())
    dice.shuffle(shuffled)
    return tuple(shuffled)


def _descs_one_off(desc: Desc) -> Iterator[Desc]:
    """Descs with one number changed by one, or another choice."""
    for field in desc.FIELDS:
        member = desc.get(field.name)
        for by in (1, -1):
            if field in desc.ATTRIBUTES:
                for other in field.exchanged(member, _plus(by)):
                    yield from _with_member(desc, field.name, other)
            elif isinstance(field, TensorField) and member:
                tensors = list(member) if field.many else [member]
                for k, tensor in enumerate(tensors):
                    for d, size in enumerate(tensor.sizes):
                        longer = tensor.resized(put(tensor.sizes, d, size + by))
                        yield from _with_member(desc, field.name, put(tensors, k, longer) if field.many else longer)


def _plus(by: int) -> Callable[[int], Iterable[int]]:
    return lambda number: (number + by,)


def _with_member(desc: Desc, name: str, member: object) -> Iterator[Desc]:
    """The desc with another member in a field; nothing where that can't be a desc."""
    try:
        yield desc.replace({name: member})
    except DmlvizError:
        return
