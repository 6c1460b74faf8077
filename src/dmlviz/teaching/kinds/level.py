"""`level`: make these outputs; any desc of any operator that does will do."""

from __future__ import annotations

from typing import Any

from ...desc.base import Desc
from ...desc.tensors import braces
from ...errors import DmlvizError
from ...operators.registry import operator_of
from ...operators.wrong_rules import Misreading
from ...session.experiments import Experiment
from ..questions.goals import MOST_ELEMENTS, Attempt, Made, flowed, made_from, outputs_of
from ..questions.question import Answer, Kind, Picture, Question, Verdict
from ..questions.subject import Subject
from ..words.catalogue import rule_text, title_of
from .lib.desc_answers import DescAnswer, desc_json, read_desc
from .lib.failed_tries import explained_by, why_not


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
        said = subject.sentence("words.joint").join(braces(sizes) for sizes, _ in goal.outputs)
        level = subject.experiment.feature_level
        asked = prompt or subject.sentence("level.prompt", sizes=said, level=level)
        truth = DescAnswer(solution, tuple(sorted((steering or {}).items())))
        return Question(
            kind=self, subject=subject, seed=seed, prompt=asked, truth=truth, goal=goal, hidden=frozenset({"fixes"})
        )

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
        return () if isinstance(tried, str) else Attempt(tried).explained(_goal(question))

    def grade(self, question: Question, answer: Answer) -> Verdict:
        """The verdict; a failed try is explained by the wrong rule that makes the goal of it."""
        score, lang = self.score(question, answer), question.subject.lang
        tried = _tried(question, answer)
        if score == 1 or isinstance(tried, str):
            sentence = question.subject.sentence("level.won") if score == 1 else str(tried)
            return Verdict(
                right=score == 1,
                score=score,
                answer=question.truth,
                rules=(),
                feedback=sentence,
                look=self.hints(question)[0],
            )
        assert question.goal is not None
        attempt, rules = Attempt(tried), self.rules(question, answer)
        if rules:
            rule = next(r for r in operator_of(answer.desc).misreadings() if r.id == rules[0])
            look = rule_text(lang, rule, "look", operator_of(answer.desc).name)
            explained = explained_by(lang, attempt, rule)
            return Verdict(
                right=False,
                score=score,
                answer=question.truth,
                rules=rules,
                feedback=explained,
                look=look,
                lights=rule.lights,
            )
        sentence = why_not(lang, attempt, question.goal, marked=False)
        return Verdict(
            right=False, score=score, answer=question.truth, rules=(), feedback=sentence, look=self.hints(question)[0]
        )

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        assert question.goal is not None
        subject, operator = question.subject, operator_of(question.truth.desc)
        wanted = subject.sentence("words.joint").join(braces(sizes) for sizes, _ in question.goal.outputs)
        return (
            subject.sentence("level.look", sizes=wanted),
            title_of(subject.lang, operator),
            subject.sentence("level.formula", operator=operator.name),
            self.says(question),
        )

    def says(self, question: Question) -> str:
        fields = [f"{k} {v}" for k, v in desc_json(question.truth)["desc"].items() if not isinstance(v, dict)]
        fields += [f"{path} {braces(items)}" for path, items in question.truth.steering]
        name = operator_of(question.truth.desc).name
        return question.subject.sentence("level.says", operator=name, fields=", ".join(fields))


def _goal(question: Question) -> Made:
    assert question.goal is not None
    return made_from(question.goal, question.subject.desc.inputs[0].tensor.data_type)


def _tried(question: Question, answer: DescAnswer) -> Experiment | str:
    return flowed(question.subject.experiment, answer.desc, dict(answer.steering))


KIND = LevelKind()
