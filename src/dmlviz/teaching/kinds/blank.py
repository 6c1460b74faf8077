"""`blank`: a field is hidden and the outputs are shown; which number stands in the field?"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ...desc.base import Desc
from ...desc.fields import NumberField, NumbersField, Role, TensorField
from ...desc.indexing import put
from ...desc.tensors import braces
from ...errors import DmlvizError, quote
from ...operators.desc_edits import with_tensor
from ...operators.wrong_rules import Misreading
from ..goals import all_promised, by_rule, is_small, outputs_of, picture_of, with_lists
from ..question import Answer, Kind, Question
from ..subject import Subject

MOST_TRIED = 256
"""Values that are tried for a field."""
MOST_LISTED = 8
"""Entries of an answer that is a list, as many as a tensor has axes."""


class BlankKind(Kind):
    name = "blank"
    stage = 2

    def make(self, subject: Subject, seed: int) -> Question | None:
        if not subject.valid or not is_small(subject.desc) or not all_promised(subject.trace):
            return None
        shown = picture_of(subject.experiment)
        dice = self.dice(subject, seed)
        fields = [path for path in _fields(subject.desc) if _tells(subject, path)]
        if not fields:
            return None
        made = []
        for path in fields:
            prompt = f"{path} is blank. Which value gives the outputs that are shown?"
            hidden = frozenset({path, path.split(".")[0].split("[")[0], "rules", "fixes", "links", "memory"})
            asked = Question(self, subject, seed, prompt, None, blank=path, goal=shown, hidden=hidden)
            made.append(self.finished(asked))
        most = max(len(each.answers) for each in made)
        return dice.choice([each for each in made if len(each.answers) == most])

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        truth = held_in(question.subject.desc, _path(question))
        if rule is None:
            return truth
        wanted = outputs_of(question.subject.experiment)
        start = with_lists(question.subject.experiment)
        for value in _domain(question.subject.desc, _path(question)):
            tried = replace(start, desc=with_value(start.desc, _path(question), value))
            if by_rule(tried, rule) == wanted:
                return truth if outputs_of(tried) == wanted else value
        return None

    def read(self, question: Question, given: object) -> Answer:
        if isinstance(held_in(question.subject.desc, _path(question)), int):
            if type(given) is not int:
                raise DmlvizError(f"answer is {quote(given)}, expected an integer for {question.blank}.")
            return given
        if not isinstance(given, list) or not all(type(each) is int for each in given) or len(given) > MOST_LISTED:
            raise DmlvizError(f"answer is {quote(given)}, expected a list of integers for {question.blank}, as [1, 2].")
        return tuple(given)

    def score(self, question: Question, answer: Answer) -> float:
        wanted = outputs_of(question.subject.experiment)
        return float(outputs_of(_with(question, answer)) == wanted)

    def rules(self, question: Question, answer: Answer) -> tuple[str, ...]:
        wanted, tried = outputs_of(question.subject.experiment), _with(question, answer)
        return tuple(rule.id for rule in question.subject.rules if by_rule(tried, rule) == wanted)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject = question.subject
        inputs = " and ".join(braces(p.tensor.sizes) for p in subject.desc.inputs[:3])
        outputs = " and ".join(braces(p.tensor.sizes) for p in subject.desc.outputs[:3])
        return (
            "Sizes of the inputs and of the outputs",
            subject.operator.title,
            f"{inputs} becomes {outputs} with {question.blank} = ?",
            self.says(question),
        )

    def says(self, question: Question) -> str:
        return f"{question.blank} is {_shown(question.truth)}: it gives the outputs that are shown."


def _path(question: Question) -> str:
    assert question.blank is not None
    return question.blank


def _shown(value: Answer) -> str:
    return braces(value) if isinstance(value, tuple) else str(value)


def _with(question: Question, value: Answer) -> Any:
    start = with_lists(question.subject.experiment)
    return replace(start, desc=with_value(start.desc, _path(question), value))


def _fields(desc: Desc) -> Iterator[str]:
    """Fields that can be blank: axes, numbers, and where outputs are an array the size that tells them apart."""
    for field in desc.FIELDS:
        if isinstance(field, (NumberField, NumbersField)):
            yield field.name
        elif isinstance(field, TensorField) and field.role is Role.OUTPUT and field.many:
            axis = next((f.name for f in desc.FIELDS if isinstance(f, NumberField) and f.is_axis), None)
            if axis is not None and len(desc.outputs) > 1:
                for part in desc.outputs:
                    yield f"{part.path}.Sizes[{desc.get(axis)}]"


def _split(path: str) -> tuple[str, int] | None:
    """(path of the tensor, axis) of `OutputTensors[1].Sizes[2]`."""
    tensor, mark, axis = path.partition(".Sizes[")
    return (tensor, int(axis[:-1])) if mark else None


def held_in(desc: Desc, path: str) -> Any:
    """What a field holds, or a tensor's size along an axis."""
    if (found := _split(path)) is None:
        return desc.get(path)
    return next(p.tensor.sizes[found[1]] for p in desc.parts if p.path == found[0])


def with_value(desc: Desc, path: str, value: Any) -> Desc:
    """The desc with another value in a field."""
    if (found := _split(path)) is None:
        return desc.replace({path: value})
    part = next(p for p in desc.parts if p.path == found[0])
    return desc.replace(with_tensor(desc, part, part.tensor.resized(put(part.tensor.sizes, found[1], value))))


def _domain(desc: Desc, path: str) -> Sequence[Any]:
    """The values that are worth trying, likeliest first."""
    held = held_in(desc, path)
    count = max((p.tensor.dimension_count for p in desc.parts), default=0)
    if _split(path) is not None:
        most = max((n for p in desc.parts for n in p.tensor.sizes), default=1)
        return _near(held, range(1, min(most, MOST_TRIED) + 1))
    if isinstance(held, int):
        return _near(held, range(-1, max(count, held) + 2))
    each = []
    for d, number in enumerate(held):
        sizes = [p.tensor.sizes[d] for p in desc.parts if d < p.tensor.dimension_count]
        near = {number - 1, number + 1, held[len(held) - 1 - d], 1, *sizes}
        each.append([number, *sorted(n for n in near - {number} if n >= 1)])
    ends: set[tuple[int, ...]] = {tuple(reversed(held)), tuple(desc.outputs[0].tensor.sizes)}
    ends.add(tuple(max(1, n - 1) for n in held))
    ends.add(tuple(options[-1] if n > 1 else n for n, options in zip(held, each, strict=True)))
    tried = itertools.islice(itertools.product(*each), MOST_TRIED)
    return list(dict.fromkeys((*sorted(ends), *tried)))


def _near(held: int, values: range) -> list[int]:
    return sorted(values, key=lambda value: (abs(value - held), value))


def _tells(subject: Subject, path: str) -> bool:
    """True if the outputs tell the field: most values that are worth trying give others."""
    start, wanted = with_lists(subject.experiment), outputs_of(subject.experiment)
    if wanted is None:
        return False
    domain = _domain(subject.desc, path)
    giving = sum(outputs_of(replace(start, desc=with_value(start.desc, path, value))) == wanted for value in domain)
    return giving == 1


KIND = BlankKind()
