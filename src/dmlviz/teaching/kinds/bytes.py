"""`bytes`: how many bytes does the longest copy of memory move?"""

from __future__ import annotations

from typing import Any

from ...operators.wrong_rules import Misreading
from ..memory_runs import runs_by
from ..question import Answer, Kind, Question
from ..subject import Subject
from .runs import can_count, read_count


class BytesKind(Kind):
    name = "bytes"
    stage = 3
    easy = True

    def make(self, subject: Subject, seed: int) -> Question | None:
        if not can_count(subject):
            return None
        what = "the outputs" if len(subject.desc.outputs) > 1 else subject.desc.outputs[0].path
        prompt = (
            f"A memcpy copies neighbours to neighbours. How many bytes does the longest one that writes {what} move?"
        )
        hidden = frozenset({"memory", "links"})
        return self.finished(Question(self, subject, seed, prompt, None, hidden=hidden))

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        subject = question.subject
        found = runs_by(subject, rule)
        return max(found) * _item(subject) if found else None

    def read(self, question: Question, given: object) -> Answer:
        return read_count(given)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        kind = question.subject.desc.outputs[0].tensor.data_type
        return (
            "The memory strip, and the DataType in the output's title",
            "A copy goes on while neighbours of the output come from neighbours of one input.",
            f"bytes = elements of the longest copy x bytes of a {kind} = ? x {_item(question.subject)}",
            self.says(question),
        )

    def says(self, question: Question) -> str:
        item, kind = _item(question.subject), question.subject.desc.outputs[0].tensor.data_type
        count = question.truth // item
        said = f"{count:,} element{'s' * (count != 1)}"
        return f"The longest copy has {said} of {kind}: {count:,} x {item} = {question.truth:,} bytes."


def _item(subject: Subject) -> int:
    return subject.desc.outputs[0].tensor.data_type.item_size


KIND = BytesKind()
