"""`runs`: how many copies of memory do the outputs need?"""

from __future__ import annotations

from ..questions.question import Question
from ..questions.subject import Subject
from .lib.memory_runs import RunsKind, runs_by


class CountOfRunsKind(RunsKind):
    """Asks how many copies of memory the outputs need; the answer is an integer."""

    name = "runs"

    def number(self, subject: Subject, runs: list[int]) -> int:
        return len(runs)

    def says(self, question: Question) -> str:
        runs, sentence = runs_by(question.subject, None) or [], question.subject.sentence
        least, most, count = min(runs, default=0), max(runs, default=0), f"{len(runs):,}"
        if len(runs) == 1:
            return sentence("runs.one_of_one") if most == 1 else sentence("runs.one", most=f"{most:,}")
        if least < most:
            return sentence("runs.at_most", count=count, most=f"{most:,}")
        return (
            sentence("runs.of_one", count=count) if most == 1 else sentence("runs.each", count=count, most=f"{most:,}")
        )


KIND = CountOfRunsKind()
