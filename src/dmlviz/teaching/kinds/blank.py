"""`blank`: a field is hidden and the outputs are shown; which number, numbers or choice stand in the field?"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ...desc.base import Desc
from ...desc.fields import Field
from ...desc.tensors import braces
from ...errors import DmlvizError, quote
from ...operators.wrong_rules import Misreading
from ...session.experiments import Experiment
from ..questions.answers import LETTERS, Answer, typed_numbers
from ..questions.goals import Attempt, Outputs, all_promised, has_small_tensors, picture_of, with_lists
from ..questions.question import ANYTHING, Choice, Form, Kind, Quantity, Question, Wish
from ..questions.subject import Subject
from .lib.forms import CHOICE

MOST_TRIED = 64
"""Values that are tried for a field."""
MOST_LISTED = 8
"""Entries of an answer that is a list, as many as a tensor has axes."""
MOST_CHOICES = 8
"""Choices of a field that is asked about: they are looked over at a glance."""


class FieldForm(Form):
    """What a blank field holds: one of its choices by letter, a list, or a number."""

    name, how = "field", "type"

    def typed_as(self, question: Question) -> str:
        return "choice" if question.choices else "numbers" if isinstance(question.truth, tuple) else "number"

    def read(self, question: Question, given: object) -> Answer:
        if question.choices:
            return CHOICE.read(question, _id_of(question, given))
        field = _field_of(question)
        if field.is_list:
            if isinstance(given, list) and all(type(n) is int for n in given) and len(given) <= MOST_LISTED:
                return tuple(given)
            raise DmlvizError(f"answer is {quote(given)}, expected a list of integers for {question.blank}, as [1, 2].")
        try:
            return field.checked(given)
        except DmlvizError:
            raise DmlvizError(f"answer is {quote(given)}, expected {field.example} for {question.blank}.") from None

    def json(self, answer: Answer) -> Any:
        is_number = not isinstance(answer, float) or math.isfinite(answer)
        return super().json(answer) if is_number else str(answer)

    def text(self, question: Question, answer: Answer) -> str:
        return " ".join(map(str, answer)) if isinstance(answer, tuple) else str(answer)

    def typed(self, question: Question, text: str) -> Any:
        if question.choices:
            return CHOICE.typed(question, text)
        numbers = typed_numbers(text)
        return numbers[0] if len(numbers) == 1 and not isinstance(question.truth, tuple) else numbers


class BlankKind(Kind):
    """Asks for the number, list or choice of a blank field, given the outputs; any that gives these is right."""

    name, form = "blank", FieldForm()
    stage = 2

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        if not subject.valid or not has_small_tensors(subject.desc) or not all_promised(subject.trace):
            return None
        fields = [field for field in subject.desc.ATTRIBUTES if wish.field in (None, field.name)]
        questions = [self._question_about(subject, field, seed) for field in fields if _is_told(subject, field)]
        most = max((len(question.answers) for question in questions), default=0)
        telling = [question for question in questions if len(question.answers) == most]
        return self.dice(subject, seed).choice(telling) if telling else None

    def _question_about(self, subject: Subject, field: Field, seed: int) -> Question:
        hidden, goal = {field.name, "rules", "fixes", "links", "memory"}, picture_of(subject.experiment)
        choices = tuple(map(Choice, LETTERS, (choice.name for choice in field.choices())))
        prompt = subject.sentence("blank.prompt", path=field.name)
        return self.pose(subject, seed, prompt, hidden, blank=field.name, goal=goal, choices=choices)

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        subject, field = question.subject, _field_of(question)
        truth, wanted = _id_of(question, subject.desc.get(field.name)), _wanted(subject)
        if rule is None:
            return truth
        if (renamed := _axis_by(question, rule)) is not None:
            return renamed
        for value, attempt in _attempts(subject, field).items():
            if attempt.gives(rule, wanted, by_sizes=True):
                return truth if attempt.outputs == wanted else _id_of(question, value)
        return None

    def asks(self, question: Question) -> Iterator[Quantity]:
        yield Quantity("field", _field_of(question).name)

    def score(self, question: Question, answer: Answer) -> float:
        return float(_attempt_of(question, answer).outputs == _wanted(question.subject))

    def rules(self, question: Question, answer: Answer) -> tuple[str, ...]:
        rules, wanted, attempt = question.subject.rules, _wanted(question.subject), _attempt_of(question, answer)
        gives = (rule for rule in rules if attempt.gives(rule, wanted, by_sizes=True))
        by_axis = {rule.id for rule in rules if _axis_by(question, rule) == answer} | {rule.id for rule in gives}
        return tuple(rule.id for rule in rules if rule.id in by_axis)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject, say = question.subject, question.subject.sentence
        inputs, outputs = (
            say("words.joint").join(braces(part.tensor.sizes) for part in parts[:3])
            for parts in (subject.desc.inputs, subject.desc.outputs)
        )
        formula = say("blank.formula", inputs=inputs, outputs=outputs, path=question.blank)
        return say("blank.look"), subject.title, formula, self.says(question)

    def says(self, question: Question) -> str:
        value = _field_of(question).shown(_value_of(question, question.truth))
        return question.subject.sentence("blank.says", path=question.blank, value=value)


def _field_of(question: Question) -> Field:
    """The field that is blank."""
    return next(field for field in question.subject.desc.ATTRIBUTES if field.name == question.blank)


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


def _attempt(subject: Subject, field: Field, value: Any) -> Attempt:
    """The experiment with another value in a field; a single output is inferred anew, where that gives its sizes."""

    def loosened() -> Experiment:
        start = with_lists(subject.experiment)
        left = start.desc.replace(start.desc.inferable)
        same = [p.tensor.sizes for p in left.outputs] == [p.tensor.sizes for p in start.desc.outputs]
        return replace(start, desc=left) if same else start

    start = subject.keep("loosened", loosened)
    return Attempt(replace(start, desc=start.desc.replace({field.name: value})))


def _attempt_of(question: Question, answer: Answer) -> Attempt:
    """The attempt that an answer to a question is."""
    return _attempt(question.subject, _field_of(question), _value_of(question, answer))


def _attempts(subject: Subject, field: Field) -> dict[Any, Attempt]:
    """An attempt with each value that is worth trying in a field, by the value."""
    values = _values_to_try(subject.desc, field)
    return subject.keep(("attempts", field.name), lambda: {value: _attempt(subject, field, value) for value in values})


def _axis_by(question: Question, rule: Misreading[Any]) -> int | None:
    """The Axis that the holder of a rule writes who counts axes otherwise; None for other rules and fields."""
    is_axis = rule.axis is not None and _field_of(question).is_axis
    axis = rule.axis(question.subject.desc) if rule.axis is not None and is_axis else -1
    return axis if axis >= 0 else None


def _is_told(subject: Subject, field: Field) -> bool:
    """True if of the values that are worth trying in a field, only its own gives the desc's outputs."""
    content, wanted = subject.desc.get(field.name), _wanted(subject)
    if len(field.choices()) > MOST_CHOICES or (isinstance(content, float) and not math.isfinite(content)):
        return False  # nobody types what isn't finite
    return sum(attempt.outputs == wanted for attempt in _attempts(subject, field).values()) == 1


def _values_to_try(desc: Desc, field: Field) -> list[Any]:
    """The values that are worth trying in a field, likeliest first."""
    value = desc.get(field.name)
    if not field.is_list:
        most = max(*(part.tensor.dimension_count for part in desc.parts), value if isinstance(value, int) else 0)

        def around(number: int) -> list[int]:
            every = range(max(-1, number - MOST_TRIED), max(most, number) + 2)
            return sorted(every, key=lambda other: (abs(other - number), other))

        return [*dict.fromkeys((value, *(field.exchanged(value, around) or (0, 1, -value))))]
    # Below 0 of a signed type alone, and 0 where that does nothing.
    least = -max(map(abs, value), default=0) - 1 if field.signed else int(field.neutral != 0)
    options = []
    for d, number in enumerate(value):
        sizes = [part.tensor.sizes[d] for part in desc.parts if d < part.tensor.dimension_count]
        near = {number - 1, number + 1, value[len(value) - 1 - d], 1, *sizes, -number}
        options.append([number, *sorted(n for n in near - {number} if n >= least)])
    ends = {value[::-1], desc.outputs[0].tensor.sizes, tuple(max(least, n - 1) for n in value)}
    ends.add(tuple(entries[-1] if n > 1 else n for n, entries in zip(value, options, strict=True)))
    tried = itertools.islice(itertools.product(*options), MOST_TRIED)
    return [*dict.fromkeys((*sorted(ends), *tried))]


KINDS = (BlankKind(),)
