"""Follow-ups: what is asked after a wrong answer, about a desc near the one just seen that tells the wrong rule."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from msgspec import structs

from ...desc.base import Changes, Desc
from ...desc.fields import Role
from ...desc.indexing import put, unravel
from ...desc.tensors import DataType, TensorDesc
from ...errors import DmlvizError
from ...operators.maps import NOWHERE
from ...session.experiments import Experiment
from ..kinds.rules import VALID, is_accepted_by
from ..questions.question import Kind, Question, Wish
from ..questions.subject import Subject
from ..varying import (
    MOST_ELEMENTS,
    SIGNED,
    changed_numbers,
    experiment_with_values,
    likely_faults,
    mended_desc,
    no_counts,
    outputs_as_given,
    varied,
)

TRIES = 160
"""Descs that are tried: nine of ten follow-ups are among the first ten, and one takes about a millisecond."""
EDITS = ((2, 4), (1, 6))
"""Edits of a desc, at least and at most: of the first half of the tries, and of the others."""
RARELY = 0.1
"""How many edits of IndexDimensions are looked at."""
INFERRED = 0.8
"""How many edits have outputs inferred anew; with the others an operator may have outputs that nothing else tells."""
LONGEST, WIDEST = 5, 9
"""The largest size that an edit gives, and the largest of any tensor: a joined or repeated one has more."""
FEWER, MORE = 1 / 3, 3
"""How many elements the tensors of a follow-up have together, for each of the desc's just seen."""
DEEP = 2
"""Axes longer than 1 of a tensor: it is drawn as one table, without slices that are out of sight."""
SLICED = 18
"""Elements of a tensor with one axis more, whose slices stand beside one another."""
MOST_PARTS = 4
"""Tensors, unless the desc just seen has more: those of one side stand below one another."""
COLUMNS, LINES, GAP = 80, 13, 3
"""Columns of a small screen, lines below its picture, and columns between a table's numbers and the next table."""
PICTURES = 4
"""How many pictures are to choose among; an input beside them has at most as many lines."""
AT_A_GLANCE = 4 * MOST_ELEMENTS
"""Elements of a tensor that an author may have drawn whole; what is like a larger one is small all the same."""
TYPES = (DataType.FLOAT32, DataType.FLOAT16, DataType.INT32, DataType.INT8, DataType.INT64, DataType.UINT16)


def follow_up(
    seen: Question, rule: str = "", *, seed: int = 0, believed: Sequence[str] = (), before: Sequence[Question] = ()
) -> Question | None:
    """A question of the same kind about a desc near the one just seen, which tells a wrong rule from the truth.

    `rule` is the id of the one that the answer followed. Without it one of those that are `believed` is told, as far as
    the question just seen tells any; else any other that it tells. Its sizes and numbers are others than those of
    `seen` and `before`. None where there is none to be had: kinds that only an author can ask have none, nor have those
    about chains.
    """
    if seen.kind.authored or seen.kind.of_chains:
        return None
    told = [id_ for id_ in believed if id_ in seen.answers][:1] or list(seen.answers)
    wanted = [rule] if rule and seen.knows(rule) else told
    base = seen.subject.experiment
    known = {_numbers_of(question.subject.desc) for question in (seen, *before)}
    dice = random.Random(f"follow {seen.kind.name} {seed} {base.name} {len(before)}")
    wish = Wish(rules=wanted, field=seen.blank)
    for k, experiment in enumerate(_near(base, dice, seen.kind)):
        desc, is_late = experiment.desc, 2 * k >= TRIES
        if _numbers_of(desc) in known or not is_like(desc, base.desc, deep=DEEP + is_late):
            continue
        if seen.kind.name == "pictures" and not _fits_beside_pictures(desc):
            continue
        if not is_late and _steered_by(desc) != _steered_by(base.desc):
            continue
        subject = Subject(experiment)
        if not something_moves(subject) or (wanted and not any(_may_tell(seen.kind, subject, id_) for id_ in wanted)):
            continue
        question = seen.kind.make(subject, seed, wish)
        if question is not None and _is_about(question, seen, wanted):
            # Of all rules that give an answer, the one that it is asked for is the likeliest.
            first = {id_: question.answers[id_] for id_ in wanted[:1] if id_ in question.answers}
            return structs.replace(question, answers={**first, **question.answers})
    return None


def _is_about(question: Question, seen: Question, wanted: Sequence[str]) -> bool:
    """True if a question tells one of some rules; without rules, if it is about the fault of the one just seen."""
    if wanted:
        return any(rule in question.answers for rule in wanted)
    return seen.kind is not VALID or question.truth in (seen.truth, ())


def _may_tell(kind: Kind, subject: Subject, id_: str) -> bool:
    """False where a rule gives what the truth gives, as far as that is told without making a question."""
    rule = next(rule for rule in subject.rules if rule.id == id_)
    if kind is VALID:
        return is_accepted_by(subject, rule) not in (None, subject.valid)
    others = (rule.accepts, rule.lowest_level, rule.reads, rule.input_sizes, rule.axis, rule.order)
    if rule.outputs is None or any(other is not None for other in others):
        return True
    return subject.valid and subject.may_differ(rule)


def _numbers_of(desc: Desc) -> tuple[Any, ...]:
    """What tells a desc from others on the screen: its sizes and its numbers."""
    return (*(part.tensor.sizes for part in desc.parts), *desc.attributes.values())


def _steered_by(desc: Desc) -> dict[str, Any]:
    """What its fields hold that are neither Axis nor arrays: IndexDimensions, PaddingMode."""
    steering = (field for field in desc.ATTRIBUTES if not (field.is_axis or field.is_list))
    return {field.name: desc.get(field.name) for field in steering}


# ---- what is no follow-up


def something_moves(subject: Subject) -> bool:
    """False where an operator does nothing: along an axis of size 1, by lengths of 1, by Repeats of 1, for one tensor.

    Also where the output is the input once more. Of a broken desc it is as far as its fields tell.
    """
    desc = subject.desc
    data = [part for part in desc.inputs if part.field.role is Role.DATA]
    if any(field.many and len(desc.get(field.name)) < 2 for field in desc.TENSORS):
        return False
    alone = [part.tensor.sizes for part in data if not part.field.many]
    if any(sizes[axis : axis + 1] == (1,) for axis in desc.named_axes if axis >= 0 for sizes in alone):
        return False
    arrays = [(field.neutral, desc.get(field.name)) for field in desc.ATTRIBUTES if field.is_list]
    if arrays and all(numbers and set(numbers) == {neutral} for neutral, numbers in arrays):
        return False
    sources, _ = subject.experiment.sources_or_defaults()
    for part, values in zip(desc.inputs, sources, strict=True):
        is_read = part.field.role is Role.LENGTHS and part.tensor.can_exist
        if is_read and part.tensor.element_count <= AT_A_GLANCE and max(values.array().flat) < 2:
            return False
    return not (subject.valid and _is_copy(subject))


def _is_copy(subject: Subject) -> bool:
    """True if the only output of a small subject has the only data input's elements in the same order."""
    desc = subject.desc
    data = [part.tensor for part in desc.inputs if part.field.role is Role.DATA]
    outputs = [part.tensor for part in desc.outputs]
    if len(data) != 1 or len(outputs) != 1 or not data[0].element_count == outputs[0].element_count <= AT_A_GLANCE:
        return False
    flat = np.arange(outputs[0].element_count, dtype=np.int64)
    tensor, source = subject.truth.addresses(0, unravel(flat, outputs[0].sizes))
    return bool((source == flat).all() and (tensor != NOWHERE).all())


def is_like(desc: Desc, seen: Desc, *, deep: int = DEEP) -> bool:
    """True if a desc has the rank of another one and about its size, and each of its tensors is seen at a glance.

    With at most `deep` axes longer than 1, or as many as the other one has.
    """
    if any(max(part.tensor.sizes, default=1) > WIDEST for part in desc.parts):
        return False
    tensors, others = ([part.tensor for part in one.parts if part.tensor.can_exist] for one in (desc, seen))
    first, other = (
        next((part.tensor for part in one.inputs if part.field.role is Role.DATA), None) for one in (desc, seen)
    )
    if first is None or other is None or first.dimension_count != other.dimension_count:
        return False
    if len(desc.parts) > max(MOST_PARTS, len(seen.parts)):
        return False
    most = max([MOST_ELEMENTS, *(min(tensor.element_count, AT_A_GLANCE) for tensor in others)])
    deep = max([deep, *(min(_depth_of(tensor), DEEP + 1) for tensor in others)])
    for tensor in tensors:
        depth = _depth_of(tensor)
        if depth > deep or tensor.element_count > (most if depth <= DEEP else SLICED):
            return False
    few, many = (  # one index chooses nothing among others
        min([part.tensor.element_count for part in one.inputs if part.field.role is not Role.DATA], default=2)
        for one in (desc, seen)
    )
    if few == 1 < many:
        return False
    count = sum(tensor.element_count for tensor in tensors)
    usual = sum(min(tensor.element_count, MOST_ELEMENTS) for tensor in others)
    return FEWER * usual <= count <= MORE * usual


def _fits_beside_pictures(desc: Desc) -> bool:
    """True if a valid desc's inputs and four pictures of its outputs are seen at once on a small screen."""
    inputs, outputs = ([(1, *part.tensor.sizes)[-2:] for part in parts] for parts in (desc.inputs, desc.outputs))
    digits = len(str(sum(part.tensor.element_count for part in desc.inputs if part.field.role is Role.DATA)))
    wide = max(columns for _, columns in outputs) * (digits + 1) + 2 * GAP
    lines = sum(lines + 1 for lines, _ in outputs) + 1
    rows = -(-PICTURES // max(1, COLUMNS // wide))
    return rows * lines + 2 <= LINES and all(lines <= PICTURES for lines, _ in inputs)


def _depth_of(tensor: TensorDesc) -> int:
    """How many axes are longer than 1."""
    return sum(size > 1 for size in tensor.sizes)


# ---- descs near another


def _near(base: Experiment, dice: random.Random, kind: Kind) -> Iterator[Experiment]:
    """Experiments a few edits away from one; of a kind that asks about broken descs, broken ones too."""
    breaks = kind.of_any_desc
    is_large = any(part.tensor.can_exist and part.tensor.element_count > AT_A_GLANCE for part in base.desc.parts)
    sound = None if is_large else mended_desc(base.desc)
    indices = [part.tensor.data_type for part in base.desc.inputs if part.field.role is Role.INDICES]
    is_signed = any(data_type.dtype.kind == "i" for data_type in indices)
    for k in range(TRIES):
        keeps = breaks and not is_large and dice.random() < 0.5  # what is broken stays as it is
        if is_large:
            small = varied(base, dice)
            start = None if small is None else small.desc
        else:
            start = base.desc if keeps else sound
        if start is None:
            return
        desc = start if is_large else _edited(start, dice, dice.randint(*EDITS[2 * k >= TRIES]), mends=not keeps)
        try:
            if kind.name == "lowest" and dice.random() < 0.7:
                desc = _retyped(desc, dice.choice(TYPES))
            if breaks and not keeps and dice.random() < 0.6:
                faults = list(likely_faults(desc, dice))
                desc = desc.replace({**outputs_as_given(desc), **dice.choice(faults)}) if faults else desc
        except DmlvizError:
            continue
        experiment = experiment_with_values(
            base, desc, dice, outside=breaks, signed=SIGNED * (is_signed or 2 * k >= TRIES)
        )
        if experiment is not None:
            yield replace(experiment, feature_level=base.feature_level)


def _edited(desc: Desc, dice: random.Random, count: int, *, mends: bool) -> Desc:
    """A desc after so many edits: of a size wherever it stands, of two axes, or of numbers where it is mended then."""
    anew = desc.inferable
    for _ in range(count):
        edits = [_resized, _exchanged] if not mends else [_resized, _resized, _exchanged, _renumbered]
        try:
            changes = dice.choice(edits)(desc, dice)
            if changes is None:
                continue
            infers = mends and dice.random() < INFERRED
            changed = desc.replace({**changes, **anew} if infers else changes)
        except DmlvizError:
            continue
        other = mended_desc(changed, dice) if mends else changed
        desc = desc if other is None else other
    return desc


def _resized(desc: Desc, dice: random.Random) -> Changes | None:
    """One size changed wherever it stands along the same axis, in every tensor."""
    part = dice.choice(desc.parts)
    long = [d for d, size in enumerate(part.tensor.sizes) if size > 1]
    if not long:
        return None
    axis = dice.choice(long)
    old, new = part.tensor.sizes[axis], dice.randint(2, LONGEST)
    rank = part.tensor.dimension_count

    def anew(tensor: TensorDesc) -> TensorDesc:
        if tensor.dimension_count != rank or tensor.sizes[axis] != old:
            return tensor
        return tensor.resized(put(tensor.sizes, axis, new))

    return _each_tensor(desc, anew)


def _exchanged(desc: Desc, dice: random.Random) -> Changes | None:
    """Two axes exchanged everywhere: in sizes, in numbers for each axis, and in Axis."""
    rank = max((part.tensor.dimension_count for part in desc.parts), default=0)
    long = sorted({d for part in desc.parts for d, size in enumerate(part.tensor.sizes) if size > 1})
    if len(long) < 2:
        return None
    one, other = dice.sample(long, 2)
    swapped = {one: other, other: one}

    def moved(numbers: Sequence[int]) -> tuple[int, ...]:
        return tuple(numbers[swapped.get(d, d)] for d in range(len(numbers)))

    changes = dict(
        _each_tensor(
            desc, lambda tensor: tensor.resized(moved(tensor.sizes)) if tensor.dimension_count == rank else tensor
        )
    )
    for field in desc.ATTRIBUTES:
        if field.per_axis and len(desc.get(field.name)) == rank:
            changes[field.name] = moved(desc.get(field.name))
        elif field.is_axis:
            changes[field.name] = swapped.get(desc.get(field.name), desc.get(field.name))
    return changes


def _renumbered(desc: Desc, dice: random.Random) -> Changes | None:
    """One of its numbers or choices changed, or one tensor of several left out."""
    others = _steered_by(desc).keys()
    # What Axis and sizes can do alone is done by them, most often.
    edits = [edit for edit in changed_numbers(desc, dice) if not others & edit.keys() or dice.random() < RARELY]
    for field in desc.TENSORS:
        if field.many and len(desc.get(field.name)) > 2:
            tensors, at = desc.get(field.name), dice.randrange(len(desc.get(field.name)))
            edits.append({field.name: [*tensors[:at], *tensors[at + 1 :]], **no_counts(desc)})
    return dice.choice(edits) if edits else None


def _retyped(desc: Desc, data_type: DataType) -> Desc:
    """The desc with another type of its data and outputs."""
    return desc.replace(
        _each_tensor(
            desc,
            lambda tensor: tensor.changed(data_type=data_type),
            roles=(Role.DATA, Role.OUTPUT),
        )
    )


def _each_tensor(desc: Desc, anew: Callable[[TensorDesc], TensorDesc], roles: Sequence[Role] = tuple(Role)) -> Changes:
    """Changes that give each tensor of some roles another one; what is inferred stays so."""
    changes: dict[str, Any] = {}
    for field in desc.TENSORS:
        member = desc.get(field.name)
        if field.role in roles and member and field.name not in desc.inferred:
            changes[field.name] = [anew(tensor) for tensor in member] if field.many else anew(member)
    return changes
