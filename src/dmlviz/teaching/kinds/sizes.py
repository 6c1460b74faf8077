"""`sizes`: what are the output's sizes?"""

from __future__ import annotations

from typing import Any

from ...desc.tensors import braces
from ...errors import DmlvizError, quote
from ...operators.report import Check
from ...operators.wrong_rules import Misreading
from ..questions.answers import read_sizes
from ..questions.question import Answer, Kind, Question
from ..questions.subject import Subject
from ..questions.wording import blanked, listed, look
from ..words.texts import ENGLISH

GENERAL = ("sizes.positive", "sizes.element_count")
"""Checks of sizes that say nothing of where they come from."""


class SizesKind(Kind):
    name = "sizes"
    confirms_elsewise = True
    alternatives = 20
    stage = 1

    def make(self, subject: Subject, seed: int) -> Question | None:
        if not subject.valid or not _follow(subject):
            return None  # of several outputs the sizes are given: they say where to cut
        path = subject.desc.outputs[0].path
        prompt = subject.sentence("sizes.prompt", path=path)
        hidden = frozenset({path, f"{path}.Sizes", "values", "memory", "rules", "fixes", "links", "reads"})
        return self.finished(Question(kind=self, subject=subject, seed=seed, prompt=prompt, truth=None, hidden=hidden))

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        return question.subject.reading(rule).sizes

    def read(self, question: Question, given: object) -> Answer:
        if not isinstance(given, list) or len(given) != 1 or not isinstance(given[0], list):
            raise DmlvizError(f"answer is {quote(given)}, expected a list with the sizes of 1 output, as [[4, 2]].")
        return (read_sizes(given[0], "answer[0]"),)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject = question.subject
        data, path = [part.path for part in subject.desc.inputs], subject.desc.outputs[0].path
        names = data if len(data) <= 2 else [subject.sentence("words.to", first=data[0], last=data[-1])]
        checks = _own(subject)
        words = " ".join(filter(None, (subject.rule_sentence(each.id) for each in checks)))
        own = checks if subject.lang == ENGLISH else []  # what checks say is English
        said = " ".join(blanked(_said(each)) for each in own)
        return (
            look(subject) if len(data) == 1 else subject.sentence("sizes.look", names=listed(names, subject.lang)),
            words or subject.title,
            said or subject.sentence("sizes.is", path=f"{path}.Sizes", sizes=braces("?" for _ in question.truth[0])),
            f"{braces(question.truth[0])}",
        )

    def says(self, question: Question) -> str:
        subject = question.subject
        checks = _own(subject) if subject.lang == ENGLISH else []
        why = "; ".join(_said(each).removesuffix(".") for each in checks)
        path, sizes = subject.desc.outputs[0].path, braces(question.truth[0])
        if why:
            return subject.sentence("sizes.says_why", path=path, sizes=sizes, why=why)
        return subject.sentence("sizes.says", path=path, sizes=sizes)


def _follow(subject: Subject) -> bool:
    """True if the only output's sizes follow from the rest of the desc."""
    desc = subject.desc
    if len(desc.outputs) != 1:
        return False
    field = desc.outputs[0].field
    if field.many:
        return False
    inferred = desc.replace({field.name: None}).outputs
    return bool(inferred) and inferred[0].tensor.sizes == desc.outputs[0].tensor.sizes


def _own(subject: Subject) -> list[Check]:
    """The operator's own checks that hold of the output's sizes."""
    path = f"{subject.desc.outputs[0].path}.Sizes"
    own = subject.evaluated
    return [each for each in own if each.ok and each.field.startswith(path) and each.id not in GENERAL]


def _said(check: Check) -> str:
    """A check's sentence, without what was expected where it was found."""
    head, _, expected = check.message.partition(", expected ")
    return f"{check.field} is {expected}" if expected else head


KIND = SizesKind()
