"""`blank`: a field is hidden and the outputs are shown; which number, numbers or choice stand in the field?"""

from __future__ import annotations

import itertools
import math
import string
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ...desc.base import Desc
from ...desc.fields import Field, Role, TensorField
from ...desc.indexing import put
from ...desc.tensors import braces, integer
from ...errors import DmlvizError, quote
from ...operators.desc_edits import with_tensor
from ...operators.wrong_rules import Misreading
from ...session.experiments import Experiment
from ..questions.goals import Attempt, Outputs, all_promised, has_small_tensors, picture_of, with_lists
from ..questions.question import ANYTHING, Answer, Choice, Kind, Picture, Question, Wish
from ..questions.subject import Subject
from .lib.choices import read_choice

MOST_TRIED = 64
"""Values that are tried for a field."""
MOST_LISTED = 8
"""Entries of an answer that is a list, as many as a tensor has axes."""
MOST_CHOICES = 8
"""Choices of a field that is asked about: they are looked over at a glance."""


class BlankKind(Kind):
    """Asks for the number, list or choice of a blank field, given the outputs; any that gives these is right."""

    name = "blank"
    stage = 2

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        if not subject.valid or not has_small_tensors(subject.desc) or not all_promised(subject.trace):
            return None
        goal, dice = picture_of(subject.experiment), self.dice(subject, seed)
        paths = [path for path in _blankable(subject.desc) if wish.field in (None, path)]
        fields = [path for path in paths if _outputs_tell(subject, path)]
        if not fields:
            return None
        questions = [self._question_about(subject, path, seed, goal) for path in fields]
        most = max(len(question.answers) for question in questions)
        return dice.choice([question for question in questions if len(question.answers) == most])

    def _question_about(self, subject: Subject, path: str, seed: int, goal: Picture) -> Question:
        hidden = {path, path.split(".")[0].split("[")[0], "rules", "fixes", "links", "memory"}
        field = _attribute(subject.desc, path)
        names = [choice.name for choice in field.choices()] if field is not None else []
        choices = tuple(map(Choice, string.ascii_lowercase, names))
        prompt = subject.sentence("blank.prompt", path=path)
        return self.pose(subject, seed, prompt, hidden, blank=path, goal=goal, choices=choices)

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        truth = _id_of(question, number_in(question.subject.desc, _field_of(question)))
        if rule is None:
            return truth
        if (renamed := _axis_by(question, rule)) is not None:
            return renamed
        wanted = _wanted(question.subject)
        for value, attempt in _attempts(question.subject, _field_of(question)).items():
            if attempt.gives(rule, wanted, by_sizes=True):
                return truth if attempt.outputs == wanted else _id_of(question, value)
        return None

    def read(self, question: Question, given: object) -> Answer:
        if question.choices:
            return read_choice(question, _id_of(question, given))
        field = _attribute(question.subject.desc, _field_of(question))
        if field is not None and field.is_list:
            if isinstance(given, list) and all(type(n) is int for n in given) and len(given) <= MOST_LISTED:
                return tuple(given)
            raise DmlvizError(f"answer is {quote(given)}, expected a list of integers for {question.blank}, as [1, 2].")
        try:
            return integer(given, "answer") if field is None else field.checked(given)
        except DmlvizError:
            example = "an integer" if field is None else field.example
            raise DmlvizError(f"answer is {quote(given)}, expected {example} for {question.blank}.") from None

    def json(self, answer: Answer) -> Any:
        is_number = not isinstance(answer, float) or math.isfinite(answer)
        return super().json(answer) if is_number else str(answer)

    def score(self, question: Question, answer: Answer) -> float:
        return float(_attempt_of(question, answer).outputs == _wanted(question.subject))

    def rules(self, question: Question, answer: Answer) -> tuple[str, ...]:
        subject = question.subject
        attempt, wanted = _attempt_of(question, answer), _wanted(subject)
        return tuple(
            rule.id
            for rule in subject.rules
            if _axis_by(question, rule) == answer or attempt.gives(rule, wanted, by_sizes=True)
        )

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject = question.subject
        joint = subject.sentence("words.joint")
        inputs = joint.join(braces(p.tensor.sizes) for p in subject.desc.inputs[:3])
        outputs = joint.join(braces(p.tensor.sizes) for p in subject.desc.outputs[:3])
        formula = subject.sentence("blank.formula", inputs=inputs, outputs=outputs, path=question.blank)
        return subject.sentence("blank.look"), subject.title, formula, self.says(question)

    def says(self, question: Question) -> str:
        field = _attribute(question.subject.desc, _field_of(question))
        value = str(question.truth) if field is None else field.shown(_value_of(question, question.truth))
        return question.subject.sentence("blank.says", path=question.blank, value=value)


def _field_of(question: Question) -> str:
    """The path of the field that is blank."""
    assert question.blank is not None
    return question.blank


def _id_of(question: Question, value: Any) -> Answer:
    """The letter of a choice by its name; any other value as it is."""
    return next((choice.id for choice in question.choices if choice.text == value), value)


def _value_of(question: Question, answer: Answer) -> Any:
    """What the field holds by an answer: of a letter the choice's name."""
    return next((choice.text for choice in question.choices if choice.id == answer), answer)


def _wanted(subject: Subject) -> Outputs:
    """The outputs of a small, valid subject."""
    outputs = subject.keep("wanted", lambda: Attempt(subject.experiment).outputs)
    assert outputs is not None
    return outputs


def _attempt(subject: Subject, path: str, value: Answer) -> Attempt:
    """The experiment with another value in a field; a single output is inferred anew."""

    def loosened() -> Experiment:
        start = with_lists(subject.experiment)
        return replace(start, desc=_with_output_inferred(start.desc))

    start = subject.keep("loosened", loosened)
    return Attempt(replace(start, desc=with_value(start.desc, path, value)))


def _attempt_of(question: Question, answer: Answer) -> Attempt:
    """The attempt that an answer to a question is."""
    return _attempt(question.subject, _field_of(question), _value_of(question, answer))


def _attempts(subject: Subject, path: str) -> dict[Any, Attempt]:
    """An attempt with each value that is worth trying in a field, by the value."""

    def attempts() -> dict[Any, Attempt]:
        return {value: _attempt(subject, path, value) for value in _values_to_try(subject.desc, path)}

    return subject.keep(("attempts", path), attempts)


def _with_output_inferred(desc: Desc) -> Desc:
    """The desc with a single output left to be inferred; as it was where that changes its sizes."""
    left = desc.replace(desc.inferable)
    return left if [p.tensor.sizes for p in left.outputs] == [p.tensor.sizes for p in desc.outputs] else desc


def _axis_by(question: Question, rule: Misreading[Any]) -> int | None:
    """The Axis that the holder of a rule writes who counts axes otherwise; None for other rules and fields."""
    desc = question.subject.desc
    field = _attribute(desc, _field_of(question))
    if rule.axis is None or field is None or not field.is_axis:
        return None
    axis = rule.axis(desc)
    return axis if axis >= 0 else None


def _attribute(desc: Desc, path: str) -> Field | None:
    """The field at a path that is neither a tensor nor a count; None for the path of a size."""
    return next((field for field in desc.ATTRIBUTES if field.name == path), None)


def _blankable(desc: Desc) -> Iterator[str]:
    """Paths of fields that can be blank: axes, numbers, choices, and sizes along Axis of an array's outputs."""
    for field in desc.FIELDS:
        content = desc.get(field.name)
        if field in desc.ATTRIBUTES:
            # Nobody types what isn't finite.
            if len(field.choices()) <= MOST_CHOICES and (not isinstance(content, float) or math.isfinite(content)):
                yield field.name
        elif isinstance(field, TensorField) and field.role is Role.OUTPUT and field.many and len(content) > 1:
            yield from (f"{part.path}.Sizes[{axis}]" for axis in desc.named_axes[:1] for part in desc.outputs)


def _parsed_size_path(path: str) -> tuple[str, int] | None:
    """(tensor's path, axis) of a path such as `OutputTensors[1].Sizes[2]`; None for any other."""
    tensor, mark, axis = path.partition(".Sizes[")
    return (tensor, int(axis[:-1])) if mark else None


def number_in(desc: Desc, path: str) -> Any:
    """What stands in a field, or at the path of a size."""
    size = _parsed_size_path(path)
    if size is None:
        return desc.get(path)
    return next(p.tensor.sizes[size[1]] for p in desc.parts if p.path == size[0])


def with_value(desc: Desc, path: str, value: Any) -> Desc:
    """The desc with another value in a field, or at the path of a size."""
    size = _parsed_size_path(path)
    if size is None:
        return desc.replace({path: value})
    part = next(p for p in desc.parts if p.path == size[0])
    return desc.replace(with_tensor(desc, part, part.tensor.resized(put(part.tensor.sizes, size[1], value))))


def _values_to_try(desc: Desc, path: str) -> Sequence[Any]:
    """The values that are worth trying in a field, likeliest first."""
    value = number_in(desc, path)
    count = max((p.tensor.dimension_count for p in desc.parts), default=0)
    if _parsed_size_path(path) is not None:
        most = max((n for p in desc.parts for n in p.tensor.sizes), default=1)
        return _nearest_first(value, range(1, min(most, MOST_TRIED) + 1))
    field = _attribute(desc, path)
    assert field is not None
    if not field.is_list:

        def around(number: int) -> list[int]:
            return _nearest_first(number, range(max(-1, number - MOST_TRIED), max(count, number) + 2))

        near = field.exchanged(value, around)
        return list(dict.fromkeys((value, *(near or (0, 1, -value)))))
    # Below 0 of a signed type alone, and 0 where that does nothing.
    least = -max(map(abs, value), default=0) - 1 if field.signed else int(field.neutral != 0)
    options = []
    for d, number in enumerate(value):
        sizes = [p.tensor.sizes[d] for p in desc.parts if d < p.tensor.dimension_count]
        near = {number - 1, number + 1, value[len(value) - 1 - d], 1, *sizes, -number}
        options.append([number, *sorted(n for n in near - {number} if n >= least)])
    ends: set[tuple[int, ...]] = {tuple(reversed(value)), tuple(desc.outputs[0].tensor.sizes)}
    ends.add(tuple(max(least, n - 1) for n in value))
    ends.add(tuple(entries[-1] if n > 1 else n for n, entries in zip(value, options, strict=True)))
    tried = itertools.islice(itertools.product(*options), MOST_TRIED)
    return list(dict.fromkeys((*sorted(ends), *tried)))


def _nearest_first(number: int, numbers: range) -> list[int]:
    """`numbers`, those nearest to `number` first."""
    return sorted(numbers, key=lambda other: (abs(other - number), other))


def _outputs_tell(subject: Subject, path: str) -> bool:
    """True if of the values that are worth trying in a field, only its own gives the desc's outputs."""
    wanted = _wanted(subject)
    return sum(attempt.outputs == wanted for attempt in _attempts(subject, path).values()) == 1


KIND = BlankKind()
