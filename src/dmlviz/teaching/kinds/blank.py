"""`blank`: a field is hidden and the outputs are shown; which number or numbers stand in the field?"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

from ...desc.base import Desc
from ...desc.fields import Field
from ...desc.tensors import braces
from ..questions.goals import Attempt, picture_of, with_lists
from ..questions.question import ANYTHING, Hints, Kind, Question, Wish
from ..questions.subject import Answer, Rule, Subject
from ..questions.wording import listed
from ..words.catalogue import sentence
from .lib.forms import FIELD

MOST_TRIED = 64


class Trials:
    """A small, valid subject with other values in one of its fields: which give the same outputs?"""

    def __init__(self, subject: Subject, field: Field) -> None:
        self.field = field
        start = with_lists(subject.experiment)
        left = start.desc.replace(start.desc.inferable)  # outputs follow, where that gives their sizes
        same = [p.tensor.sizes for p in left.outputs] == [p.tensor.sizes for p in start.desc.outputs]
        self._start = replace(start, desc=left) if same else start
        self.wanted = Attempt(subject.experiment).outputs or ()
        self.attempts = {value: self.attempt(value) for value in _values_to_try(subject.desc, field)}

    def attempt(self, value: Any) -> Attempt:
        """The experiment with another value in the field. Raises DmlvizError for one that no desc holds."""
        desc = self._start.desc.replace({self.field.name: value})
        return Attempt(replace(self._start, desc=desc))

    @property
    def is_told(self) -> bool:
        return sum(attempt.outputs == self.wanted for attempt in self.attempts.values()) == 1

    def axis_by(self, rule: Rule) -> int | None:
        """The Axis that the holder of a rule writes who counts axes otherwise; None for other rules and fields."""
        if rule.axis is None or not self.field.is_axis:
            return None
        axis = rule.axis(self._start.desc)
        return axis if axis >= 0 else None


def _trials(subject: Subject, name: str | None) -> Trials:
    field = next(field for field in subject.desc.ATTRIBUTES if field.name == name)
    return subject.keep(("trials", name), lambda: Trials(subject, field))


class BlankKind(Kind):
    name = "blank"
    form = FIELD
    quantity = "field"
    needs = "a number that follows from the outputs"

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        if not subject.valid or Attempt(subject.experiment).outputs is None:
            return None
        held = {field.name: subject.desc.get(field.name) for field in subject.desc.ATTRIBUTES}
        names = [name for name, content in held.items() if isinstance(content, int | tuple)]
        asked = [name for name in names if wish.field in (None, name) and _trials(subject, name).is_told]
        questions = [self._about(subject, name, seed) for name in asked]
        most = max((len(question.answers) for question in questions), default=0)
        telling = [question for question in questions if len(question.answers) == most]
        return self.dice(subject, seed).choice(telling) if telling else None

    def _about(self, subject: Subject, name: str, seed: int) -> Question:
        hidden = {name, "rules", "fixes", "links", "memory"}
        goal = picture_of(subject.experiment)
        return self.pose(subject, seed, sentence("blank.prompt", path=name), hidden, blank=name, goal=goal)

    def answer(self, question: Question, rule: Rule | None) -> Answer | None:
        trials = _trials(question.subject, question.blank)
        truth = question.subject.desc.get(question.blank or "")
        if rule is None:
            return truth
        if (axis := trials.axis_by(rule)) is not None:
            return axis
        for value, attempt in trials.attempts.items():
            if attempt.gives(rule, trials.wanted, by_sizes=True):
                return truth if attempt.outputs == trials.wanted else value
        return None

    def is_right(self, question: Question, answer: Answer) -> bool:
        trials = _trials(question.subject, question.blank)
        return trials.attempt(answer).outputs == trials.wanted

    def rules(self, question: Question, answer: Answer) -> tuple[str, ...]:
        trials = _trials(question.subject, question.blank)
        tried = trials.attempt(answer)
        rules = question.subject.rules
        found = [rule.id for rule in rules if tried.gives(rule, trials.wanted, by_sizes=True)]
        found += [rule.id for rule in rules if trials.axis_by(rule) == answer]
        return tuple(rule.id for rule in rules if rule.id in found)

    def hints(self, question: Question) -> Hints:
        desc = question.subject.desc
        sides = [[braces(part.tensor.sizes) for part in parts[:3]] for parts in (desc.inputs, desc.outputs)]
        inputs, outputs = map(listed, sides)
        formula = sentence("blank.formula", inputs=inputs, outputs=outputs, path=question.blank)
        return sentence("blank.look"), question.subject.title, formula, self.says(question)

    def says(self, question: Question) -> str:
        value = _trials(question.subject, question.blank).field.shown(question.truth)
        return sentence("blank.says", path=question.blank, value=value)


def _values_to_try(desc: Desc, field: Field) -> list[Any]:
    value = desc.get(field.name)
    if not field.is_list:
        most = max(value, *(part.tensor.dimension_count for part in desc.parts))
        others = range(max(-1, value - MOST_TRIED), most + 2)
        return sorted(others, key=lambda other: (abs(other - value), other))
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
