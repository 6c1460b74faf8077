"""`waits`: which rules wait for a broken one, and say nothing until it holds?"""

from __future__ import annotations

from typing import Any

from ...operators.wrong_rules import Misreading
from ..questions.question import ANYTHING, Answer, Kind, Question, Wish
from ..questions.subject import Subject
from .lib.choices import nearest_choices, read_ids, rule_choices


class WaitsKind(Kind):
    """Asks which rules wait until a broken one holds; the answer is a tuple of their ids."""

    name = "waits"
    confirms_elsewise = True
    stage = 3

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        if subject.valid or not subject.report.waiting:
            return None
        broken = sorted({c.id for c in subject.report.errors})
        choices = tuple(choice for choice in rule_choices(subject) if choice.id not in broken)
        waiting = {w.id for w in subject.report.waiting}
        choices = nearest_choices(choices, waiting, self.dice(subject, seed))
        prompt = subject.sentence("waits.prompt_one", rule=broken[0])
        if len(broken) > 1:
            prompt = subject.sentence("waits.prompt", rules=", ".join(broken))
        return self.pose(subject, seed, prompt, {"rules", "fixes"}, choices=choices)

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        ids = {choice.id for choice in question.choices}
        return tuple(sorted({w.id for w in question.subject.report.waiting} & ids))

    def read(self, question: Question, given: object) -> tuple[str, ...]:
        return read_ids(question, given)

    def score(self, question: Question, answer: Answer) -> float:
        """The share of the waiting rules that were named, less those named that don't wait; not below 0."""
        truth, marked = set(question.truth), set(answer)
        return max(0.0, (len(truth & marked) - len(marked - truth)) / len(truth))

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        sentence, count = question.subject.sentence, len(question.choices)
        first = question.subject.report.errors[0].id
        formula = sentence("waits.formula", waiting=len(question.truth), count=count, rule=first)
        return sentence("waits.look"), sentence("waits.rule"), formula, self.says(question)

    def says(self, question: Question) -> str:
        sentence = question.subject.sentence
        told = (sentence("waits.one", rule=w.id, on=w.on) for w in question.subject.report.waiting)
        return f"{'; '.join(dict.fromkeys(told))}."


KIND = WaitsKind()
