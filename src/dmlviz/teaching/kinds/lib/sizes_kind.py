"""What kinds have in common that ask for the sizes of a tensor."""

from __future__ import annotations

from abc import abstractmethod

from ....desc.tensors import braces
from ....operators.report import Check
from ...questions.question import Kind, Question
from ...questions.subject import Subject
from ...questions.wording import blanked

GENERAL = ("sizes.positive", "sizes.element_count")
"""Checks of sizes that say nothing of where they come from."""


class SizesKind(Kind):
    """A kind that asks for the sizes of one tensor, which follow from the rest of the desc."""

    confirms_elsewise = True
    alternatives = 20

    @abstractmethod
    def path(self, subject: Subject) -> str | None:
        """The path of the tensor whose sizes are asked for; None for none."""

    @abstractmethod
    def right_sizes(self, question: Question) -> tuple[int, ...]:
        """The sizes that are the answer."""

    @abstractmethod
    def look(self, subject: Subject) -> str:
        """Where to look, in a few words."""

    def check_text(self, check: Check) -> str:
        """What a check says of the sizes; by default its message."""
        return check.message

    def question_about(self, subject: Subject, seed: int, path: str, blank: str | None = None) -> Question:
        """The question about the sizes of the tensor `path`; `blank` is the field that its JSON leaves blank."""
        hidden = {path, f"{path}.Sizes", "values", "memory", "rules", "fixes", "links", "reads"}
        return self.pose(subject, seed, subject.sentence(f"{self.name}.prompt", path=path), hidden, blank=blank)

    def sizes_checks(self, subject: Subject) -> list[Check]:
        """The checks of the tensor's sizes that hold, without those that any tensor has."""
        begin = f"{self.path(subject)}.Sizes"
        return [c for c in subject.evaluated if c.ok and c.field.startswith(begin) and c.id not in GENERAL]

    def reasons(self, subject: Subject) -> list[str]:
        """What `sizes_checks` say of the sizes."""
        return [self.check_text(check) for check in self.sizes_checks(subject)]

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        subject, sizes = question.subject, self.right_sizes(question)
        words = " ".join(filter(None, (subject.rule_sentence(check.id) for check in self.sizes_checks(subject))))
        formula = " ".join(map(blanked, self.reasons(subject)))
        unknown = subject.sentence("sizes.is", path=f"{self.path(subject)}.Sizes", sizes=braces("?" for _ in sizes))
        return self.look(subject), words or subject.title, formula or unknown, braces(sizes)
