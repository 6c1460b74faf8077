"""`waits`: which rules wait for a broken one, and say nothing until it holds?"""

from __future__ import annotations

from typing import Any

from ...operators.report import Severity
from ...operators.wrong_rules import Misreading
from ..questions.question import Answer, Choice, Kind, Question
from ..questions.subject import Subject
from .valid import read_ids


class WaitsKind(Kind):
    name = "waits"
    confirms_elsewise = True
    stage = 3

    def make(self, subject: Subject, seed: int) -> Question | None:
        report = subject.report
        if subject.valid or not report.waiting:
            return None
        broken = sorted({c.id for c in report.errors})
        ids = [c.id for c in report.checks if c.severity is not Severity.NOTE] + [w.id for w in report.waiting]
        choices = tuple(
            Choice(each, subject.rule_sentence(each) or each) for each in dict.fromkeys(ids) if each not in broken
        )
        prompt = subject.sentence("waits.prompt_one", rule=broken[0])
        if len(broken) > 1:
            prompt = subject.sentence("waits.prompt", rules=", ".join(broken))
        hidden = frozenset({"rules", "fixes"})
        return self.finished(
            Question(kind=self, subject=subject, seed=seed, prompt=prompt, truth=None, choices=choices, hidden=hidden)
        )

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        known = {choice.id for choice in question.choices}
        return tuple(sorted({w.id for w in question.subject.report.waiting} & known))

    def read(self, question: Question, given: object) -> Answer:
        return read_ids(question, given)

    def score(self, question: Question, answer: Answer) -> float:
        """Hits less what doesn't wait, as a share of all that wait."""
        truth, found = set(question.truth), set(answer)
        return max(0.0, (len(truth & found) - len(found - truth)) / len(truth))

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        sentence, count = question.subject.sentence, len(question.choices)
        first = question.subject.report.errors[0].id
        return (
            sentence("waits.look"),
            sentence("waits.rule"),
            sentence("waits.formula", waiting=len(question.truth), count=count, rule=first),
            self.says(question),
        )

    def says(self, question: Question) -> str:
        waiting = question.subject.report.waiting
        sentence = question.subject.sentence
        return f"{'; '.join(dict.fromkeys(sentence('waits.one', rule=w.id, on=w.on) for w in waiting))}."


KIND = WaitsKind()
