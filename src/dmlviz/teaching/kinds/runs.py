"""`runs`: how many copies of memory do the outputs need?"""

from __future__ import annotations

from typing import Any

from ...errors import DmlvizError, quote
from ...operators.wrong_rules import Misreading
from ..questions.goals import all_promised
from ..questions.question import Answer, Kind, Question
from ..questions.subject import Subject
from .lib.memory_runs import MOST_ELEMENTS, runs_by


class RunsKind(Kind):
    name = "runs"
    stage = 3
    easy = True

    def make(self, subject: Subject, seed: int) -> Question | None:
        if not can_count(subject):
            return None
        several = len(subject.desc.outputs) > 1
        prompt = subject.sentence("runs.prompt", path=subject.desc.outputs[0].path)
        if several:
            prompt = subject.sentence("runs.prompt_all")
        hidden = frozenset({"memory", "links"})
        return self.finished(Question(kind=self, subject=subject, seed=seed, prompt=prompt, truth=None, hidden=hidden))

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        subject = question.subject
        found = runs_by(subject, rule)
        return None if found is None else len(found)

    def read(self, question: Question, given: object) -> Answer:
        return read_count(given)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        return (
            question.subject.sentence("runs.look"),
            question.subject.sentence("runs.rule"),
            question.subject.sentence("runs.formula"),
            self.says(question),
        )

    def says(self, question: Question) -> str:
        found = runs_by(question.subject, None) or []
        count, most = len(found), max(found, default=0)
        sentence, copies, length = question.subject.sentence, f"{count:,}", f"{most:,}"
        if count == 1:
            return sentence("runs.one_of_one") if most == 1 else sentence("runs.one", most=length)
        if min(found, default=0) == most:
            one = most == 1
            return sentence("runs.of_one", count=copies) if one else sentence("runs.each", count=copies, most=length)
        return sentence("runs.at_most", count=copies, most=length)


def can_count(subject: Subject) -> bool:
    """True if the desc is valid, its outputs are small, and every element is promised."""
    if not subject.valid or sum(p.tensor.element_count for p in subject.desc.outputs) > MOST_ELEMENTS:
        return False
    return all_promised(subject.trace)


def read_count(given: object) -> int:
    """A count. Raises DmlvizError for what is no integer from 0 on."""
    if type(given) is not int or given < 0:
        raise DmlvizError(f"answer is {quote(given)}, expected an integer from 0 on.")
    return given


KIND = RunsKind()
