"""Follow-ups: what is asked after a wrong answer, about a desc near the one just seen that tells the wrong rule."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from msgspec import structs

from ...desc.base import Desc
from ...session.experiments import Experiment
from ..questions.question import Kind, Question, Wish
from ..questions.subject import Subject
from ..varying import (
    AT_A_GLANCE,
    MOST_ELEMENTS,
    edited,
    edits,
    experiment_with_values,
    mended_desc,
    varied,
)

TRIES = 160
"""Descs that are tried, the first half of them after fewer edits than the others."""
WIDEST = 9
"""The largest size of any tensor: a joined or repeated one has more than an edit gives."""
FEWER, MORE = 1 / 3, 3
"""How many elements the tensors of a follow-up have together, for each of the desc's just seen."""
DEEP = 2
"""Axes longer than 1 of a tensor, or one more where the other has more: it is drawn as one table."""


def follow_up(
    seen: Question, rule: str = "", *, seed: int = 0, believed: Sequence[str] = (), before: Sequence[Question] = ()
) -> Question | None:
    """A question of the same kind about a desc near the one just seen, which tells a wrong rule from the truth.

    `rule` is the id of the one that the answer followed. Without it one of those that are `believed` is told, as far as
    the question just seen tells any; else any other that it tells. Its desc is another one than those of `seen` and
    `before`. None where there is none: what only an author can ask has none, nor have chains.
    """
    if seen.kind.authored or seen.kind.of_chains:
        return None
    told = [id_ for id_ in believed if id_ in seen.answers][:1] or list(seen.answers)
    wanted = [rule] if rule and seen.knows(rule) else told
    base, desc = seen.subject.experiment, seen.subject.desc
    known = [question.subject.desc for question in (seen, *before)]
    dice = random.Random(f"follow {seen.kind.name} {seed} {base.name} {len(before)}")
    for experiment in _near(base, dice, seen.kind):
        subject, near = Subject(experiment), experiment.desc
        if near in known or not _is_like(near, desc) or not subject.moves:
            continue
        question = seen.kind.make(subject, seed, Wish(rules=wanted, field=seen.blank))
        if question is not None and (not wanted or not question.answers.keys().isdisjoint(wanted)):
            # Of all rules that give an answer, the one that it is asked for is the likeliest.
            first = {id_: question.answers[id_] for id_ in wanted[:1] if id_ in question.answers}
            return structs.replace(question, answers={**first, **question.answers})
    return None


def _is_like(desc: Desc, seen: Desc) -> bool:
    """True if a desc has the rank of another one and about its size, and each of its tensors is seen at a glance."""
    tensors, others = ([part.tensor for part in one.parts if part.tensor.can_exist] for one in (desc, seen))
    ranks = {next((part.tensor.dimension_count for part in one.inputs), 0) for one in (desc, seen)}
    count = sum(tensor.element_count for tensor in tensors)
    usual = sum(min(tensor.element_count, MOST_ELEMENTS) for tensor in others)
    if len(ranks) > 1 or not FEWER * usual <= count <= MORE * usual:
        return False
    most = max([MOST_ELEMENTS, *(min(tensor.element_count, AT_A_GLANCE) for tensor in others)])
    if any(tensor.element_count > most or max(tensor.sizes, default=1) > WIDEST for tensor in tensors):
        return False
    depth, own = (max([sum(n > 1 for n in tensor.sizes) for tensor in each] or [0]) for each in (tensors, others))
    return depth <= max(DEEP, min(own, DEEP + 1))


def _near(base: Experiment, dice: random.Random, kind: Kind) -> Iterator[Experiment]:
    """Experiments a few edits away from one; of a kind that asks about broken descs, broken ones too."""
    breaks = kind.of_any_desc
    is_large = any(part.tensor.can_exist and part.tensor.element_count > AT_A_GLANCE for part in base.desc.parts)
    sound = None if is_large else mended_desc(base.desc)
    for k in range(TRIES):
        keeps = sound is None or (breaks and dice.random() < 0.5)  # what is broken stays as it is
        if not is_large:
            start = base.desc if keeps or sound is None else sound
            most = (1 if keeps else 4) if 2 * k < TRIES else 6
            desc = edited(start, dice, dice.randint(1, most), edits, mends=not keeps)
        elif (small := varied(base, dice)) is not None:
            desc = small.desc
        else:
            return
        if breaks and dice.random() < 0.6 and (is_large or not keeps):
            desc = edited(desc, dice, 1, partial(edits, breaks=True))
        experiment = experiment_with_values(base, desc, dice, outside=breaks)
        if experiment is not None:
            yield replace(experiment, feature_level=base.feature_level)
