"""`waits`: which rules wait for a broken one, and say nothing until it holds?"""

from __future__ import annotations

from typing import Any

from ...operators.report import Severity
from ...operators.sentences import sentence_of
from ...operators.wrong_rules import Misreading
from ..question import Answer, Choice, Kind, Question
from ..subject import Subject
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
            Choice(each, sentence_of(subject.operator, each) or each)
            for each in dict.fromkeys(ids)
            if each not in broken
        )
        said = f"Rule {broken[0]} is" if len(broken) == 1 else f"Rules {', '.join(broken)} are"
        prompt = f"{said} broken. Which rules wait for that, and can't be checked until it is mended?"
        hidden = frozenset({"rules", "fixes"})
        return self.finished(Question(self, subject, seed, prompt, None, choices=choices, hidden=hidden))

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
        report = question.subject.report
        return (
            "The rules that read the field that is wrong",
            "A rule waits where another failure leaves it without meaning, so that each mistake is told once.",
            f"{len(question.truth)} of {len(question.choices)} rules wait; {report.errors[0].id} is one they wait for.",
            self.says(question),
        )

    def says(self, question: Question) -> str:
        waiting = question.subject.report.waiting
        return f"{'; '.join(dict.fromkeys(f'{w.id} waits for {w.on}' for w in waiting))}."


KIND = WaitsKind()
