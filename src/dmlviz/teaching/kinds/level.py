"""`level`: make these outputs; any desc of any operator that does will do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...desc.base import Desc
from ...desc.tensors import braces
from ...errors import DmlvizError
from ...operators.registry import operator_of
from ...operators.wrong_rules import Misreading
from ...session.experiments import Experiment
from ..questions.answers import Answer
from ..questions.goals import MOST_ELEMENTS, Attempt, Outputs, explained_by, flowed, outputs_in, why_not
from ..questions.question import ANYTHING, Kind, Picture, Quantity, Question, Wish
from ..questions.subject import Subject
from .lib.desc_answers import DescAnswer, DescForm, desc_json


class LevelKind(Kind):
    """Asks for a desc, of any operator, whose outputs are those of a level's goal."""

    name, form = "level", DescForm(any_operator=True)
    authored, of_any_desc = True, True
    stage = 2

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        return None  # without a goal there is nothing to reach

    def of_goal(
        self,
        subject: Subject,
        goal: Picture,
        solution: Desc,
        steering: dict[str, tuple[int, ...]] | None = None,
        prompt: str = "",
        seed: int = 0,
    ) -> Question:
        """The question to reach `goal` from the subject's desc, which may be invalid.

        `solution` is a desc that reaches it, with index and length values where they differ from the subject's. Raises
        DmlvizError for inputs of more than `MOST_ELEMENTS`: all of them flow into every answer.
        """
        for part in subject.desc.inputs:
            if part.tensor.can_exist and part.tensor.element_count > MOST_ELEMENTS:
                raise DmlvizError(
                    f"{part.path} has {part.tensor.element_count:,} elements, expected at most {MOST_ELEMENTS}: "
                    "a level shows all of them."
                )
        level = subject.experiment.feature_level
        return Question(
            kind=self,
            subject=subject,
            seed=seed,
            prompt=prompt or subject.sentence("level.prompt", sizes=_goal_sizes(subject, goal), level=level),
            truth=DescAnswer(solution, tuple(sorted((steering or {}).items()))),
            goal=goal,
            hidden=frozenset({"fixes"}),
        )

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        if rule is None:
            return question.truth
        start = DescAnswer(question.subject.desc)  # what looks won already is left as it is
        return start if rule.id in self.rules(question, start) else None

    def asks(self, question: Question) -> Iterator[Quantity]:
        yield from ()

    def score(self, question: Question, answer: DescAnswer) -> float:
        """1 if the desc's outputs are the goal's, whatever its operator, else 0."""
        tried = _experiment_of(question, answer)
        return float(isinstance(tried, Experiment) and Attempt(tried).outputs == _wanted_outputs(question))

    def rules(self, question: Question, answer: DescAnswer) -> tuple[str, ...]:
        tried = _experiment_of(question, answer)
        return () if isinstance(tried, str) else Attempt(tried).explaining_rules(_wanted_outputs(question))

    def explanation(self, question: Question, answer: DescAnswer, rule_id: str) -> tuple[str, str, tuple[str, ...]]:
        tried = _experiment_of(question, answer)
        assert isinstance(tried, Experiment)
        rule = next(rule for rule in operator_of(answer.desc).misreadings() if rule.id == rule_id)
        return explained_by(Attempt(tried), rule), rule.look, rule.lights

    def remarks(self, question: Question, answer: DescAnswer) -> str:
        tried = _experiment_of(question, answer)
        if self.score(question, answer) == 1:
            return question.subject.sentence("level.won")
        if isinstance(tried, str):
            return tried
        assert question.goal is not None
        return why_not(Attempt(tried), question.goal, marked=False)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        assert question.goal is not None
        subject, operator = question.subject, operator_of(question.truth.desc)
        look = subject.sentence("level.look", sizes=_goal_sizes(subject, question.goal))
        formula = subject.sentence("level.formula", operator=operator.name)
        return look, operator.title, formula, self.says(question)

    def says(self, question: Question) -> str:
        desc, fields = question.truth.desc, []
        for name, value in desc_json(question.truth)["desc"].items():
            parts = [part for part in desc.parts if part.field.name == name]
            fields += [f"{part.path} {braces(part.tensor.sizes)}" for part in parts if part.field.many]
            if not parts:
                fields.append(f"{name} {braces(value) if isinstance(value, list) else value}")
        fields += [f"{path} {braces(items)}" for path, items in question.truth.steering]
        name = operator_of(question.truth.desc).name
        return question.subject.sentence("level.says", operator=name, fields=", ".join(fields))


def _goal_sizes(subject: Subject, goal: Picture) -> str:
    """The sizes of all outputs of a goal, as text."""
    return subject.sentence("words.joint").join(braces(sizes) for sizes, _ in goal.outputs)


def _wanted_outputs(question: Question) -> Outputs:
    """The goal's outputs in the form that is compared."""
    assert question.goal is not None
    return outputs_in(question.goal, question.subject.desc.inputs[0].tensor.data_type)


def _experiment_of(question: Question, answer: DescAnswer) -> Experiment | str:
    """The experiment that an answer is; a sentence on why the elements don't fit where they don't."""
    return flowed(question.subject.experiment, answer.desc, dict(answer.steering))


LEVEL = LevelKind()
KINDS = (LEVEL,)
