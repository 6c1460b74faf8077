"""`bytes`: how many bytes does the longest copy of memory move?"""

from __future__ import annotations

from typing import Any

from ...operators.wrong_rules import Misreading
from ..questions.question import Answer, Kind, Question
from ..questions.subject import Subject
from .lib.memory_runs import runs_by
from .runs import can_count, read_count


class BytesKind(Kind):
    name = "bytes"
    stage = 3
    easy = True

    def make(self, subject: Subject, seed: int) -> Question | None:
        if not can_count(subject):
            return None
        prompt = subject.sentence("bytes.prompt", path=subject.desc.outputs[0].path)
        if len(subject.desc.outputs) > 1:
            prompt = subject.sentence("bytes.prompt_all")
        hidden = frozenset({"memory", "links"})
        return self.finished(Question(kind=self, subject=subject, seed=seed, prompt=prompt, truth=None, hidden=hidden))

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        subject = question.subject
        found = runs_by(subject, rule)
        return max(found) * _item(subject) if found else None

    def read(self, question: Question, given: object) -> Answer:
        return read_count(given)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        kind, sentence = question.subject.desc.outputs[0].tensor.data_type, question.subject.sentence
        return (
            sentence("bytes.look"),
            sentence("bytes.rule"),
            sentence("bytes.formula", type=kind, item=_item(question.subject)),
            self.says(question),
        )

    def says(self, question: Question) -> str:
        item, kind = _item(question.subject), question.subject.desc.outputs[0].tensor.data_type
        count = question.truth // item
        sentence, bytes_ = question.subject.sentence, f"{question.truth:,}"
        if count == 1:
            return sentence("bytes.says_one", type=kind, item=item, bytes=bytes_)
        return sentence("bytes.says", count=f"{count:,}", type=kind, item=item, bytes=bytes_)


def _item(subject: Subject) -> int:
    return subject.desc.outputs[0].tensor.data_type.item_size


KIND = BytesKind()
