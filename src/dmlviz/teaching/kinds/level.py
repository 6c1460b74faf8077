"""`level`: make these outputs; any desc of any operator that does will do."""

from __future__ import annotations

from typing import Any

from ...desc.base import Desc
from ...desc.tensors import braces
from ...errors import DmlvizError
from ...operators.registry import operator_of
from ...operators.wrong_rules import Misreading
from ...session.experiments import Experiment
from ..desc_answers import DescAnswer, desc_json, read_desc
from ..goals import MOST_ELEMENTS, Attempt, Made, flowed, made_from, outputs_of
from ..question import Answer, Kind, Picture, Question, Verdict
from ..subject import Subject


class LevelKind(Kind):
    name = "level"
    stage = 2

    def make(self, subject: Subject, seed: int) -> Question | None:
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

        `solution` is one desc that does, with index and length values where they differ from the subject's. Raises
        DmlvizError for inputs of more than `MOST_ELEMENTS`: all of them flow into every answer.
        """
        for part in subject.desc.inputs:
            if part.tensor.can_exist and part.tensor.element_count > MOST_ELEMENTS:
                found = f"{part.path} has {part.tensor.element_count:,} elements"
                raise DmlvizError(f"{found}, expected at most {MOST_ELEMENTS}: a level shows all of them.")
        said = " and ".join(braces(sizes) for sizes, _ in goal.outputs)
        asked = prompt or f"Make these outputs, of Sizes {said}, at feature level {subject.experiment.feature_level}."
        truth = DescAnswer(solution, tuple(sorted((steering or {}).items())))
        return Question(self, subject, seed, asked, truth, goal=goal, hidden=frozenset({"fixes"}))

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        if rule is None:
            return question.truth
        start = DescAnswer(question.subject.desc)  # what looks won already is left as it is
        return start if rule.id in self.rules(question, start) else None

    def read(self, question: Question, given: object) -> Answer:
        return read_desc(given, question.subject.desc.TYPE, any_operator=True)

    def json(self, answer: Answer) -> Any:
        return desc_json(answer)

    def score(self, question: Question, answer: Answer) -> float:
        tried = _tried(question, answer)
        return float(isinstance(tried, Experiment) and outputs_of(tried) == _goal(question))

    def rules(self, question: Question, answer: Answer) -> tuple[str, ...]:
        tried = _tried(question, answer)
        if isinstance(tried, str):
            return ()
        rules = operator_of(answer.desc).misreadings()
        attempt, wanted = Attempt(tried), _goal(question)
        return tuple(rule.id for rule in rules if attempt.gives(rule, wanted))

    def grade(self, question: Question, answer: Answer) -> Verdict:
        """The verdict; a failed try is explained by the wrong rule that makes the goal of it."""
        score = self.score(question, answer)
        rules = () if score == 1 else self.rules(question, answer)
        tried = _tried(question, answer)
        if rules and isinstance(tried, Experiment):
            rule = next(r for r in operator_of(answer.desc).misreadings() if r.id == rules[0])
            said = f"By “{rule.name}” this would be it. {rule.says(answer.desc, tried.trace().read)}"
            return Verdict(False, score, question.truth, rules, said, rule.look, rule.lights)
        said = tried if isinstance(tried, str) else self._failed(question, tried) if score < 1 else "That is the goal."
        return Verdict(score == 1, score, question.truth, (), said, self.hints(question)[0])

    def _failed(self, question: Question, tried: Experiment) -> str:
        report = tried.check()
        if report.errors:
            return f"A rule is broken: {report.errors[0].message}"
        assert question.goal is not None
        made = [part.tensor.sizes for part in tried.desc.outputs]
        wanted = [sizes for sizes, _ in question.goal.outputs]
        if made != wanted:
            shown = (" and ".join(map(braces, each)) for each in (made, wanted))
            return "The outputs have Sizes {}, expected {}.".format(*shown)
        return "The sizes are right, the values are not: look where the first element that differs comes from."

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        assert question.goal is not None
        wanted = " and ".join(braces(sizes) for sizes, _ in question.goal.outputs)
        return (
            f"The goal's Sizes {wanted} beside those of your outputs",
            operator_of(question.truth.desc).title,
            f"One way is {operator_of(question.truth.desc).name}: which of its fields must change?",
            self.says(question),
        )

    def says(self, question: Question) -> str:
        fields = (f"{k} {v}" for k, v in desc_json(question.truth)["desc"].items() if not isinstance(v, dict))
        return f"One way: {operator_of(question.truth.desc).name}, {', '.join(fields)}."


def _goal(question: Question) -> Made:
    assert question.goal is not None
    return made_from(question.goal, question.subject.desc.inputs[0].tensor.data_type)


def _tried(question: Question, answer: DescAnswer) -> Experiment | str:
    return flowed(question.subject.experiment, answer.desc, dict(answer.steering))


KIND = LevelKind()
