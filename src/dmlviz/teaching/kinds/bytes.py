"""`bytes`: how many bytes does the longest copy of memory move?"""

from __future__ import annotations

from ..questions.answers import output_type
from ..questions.question import Question
from ..questions.subject import Subject
from .lib.memory_runs import RunsKind


class BytesKind(RunsKind):
    """Asks how many bytes the longest copy of memory moves; the answer is an integer."""

    name = "bytes"

    def number(self, subject: Subject, runs: list[int]) -> int | None:
        return max(runs) * output_type(subject.desc).item_size if runs else None

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        sentence, kind = question.subject.sentence, output_type(question.subject.desc)
        formula = sentence("bytes.formula", type=kind, item=kind.item_size)
        return sentence("bytes.look"), sentence("bytes.rule"), formula, self.says(question)

    def says(self, question: Question) -> str:
        sentence, kind = question.subject.sentence, output_type(question.subject.desc)
        count, size = question.truth // kind.item_size, f"{question.truth:,}"
        if count == 1:
            return sentence("bytes.says_one", type=kind, item=kind.item_size, bytes=size)
        return sentence("bytes.says", count=f"{count:,}", type=kind, item=kind.item_size, bytes=size)


KIND = BytesKind()
