"""`misprint`: which of several lines is not as it should be? Only an author can ask that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from ...errors import DmlvizError, quote
from ...operators.wrong_rules import Misreading
from ..questions.question import Answer, Choice, Kind, Question
from ..questions.subject import Subject

LETTERS = "abcdefgh"


class MisprintKind(Kind):
    name = "misprint"
    stage = 2
    easy = True

    def make(self, subject: Subject, seed: int) -> Question | None:
        return None  # no desc knows what was printed about it

    def of_task(
        self,
        subject: Subject,
        seed: int,
        prompt: str,
        texts: Sequence[str],
        right: int,
        rules: Mapping[str, int] | None = None,
    ) -> Question:
        """A question of an author: `texts[right]` is the misprint; `rules` says which text a rule's holder takes.

        Texts are shuffled by the seed. Raises DmlvizError for fewer than two texts, equal ones, or a wrong number.
        """
        if not 2 <= len(texts) <= len(LETTERS) or len(set(texts)) < len(texts):
            raise DmlvizError(f"a misprint is one of {len(texts)} texts, expected 2 to {len(LETTERS)} that differ.")
        if not 0 <= right < len(texts):
            raise DmlvizError(f"right is {right}, expected 0 to {len(texts) - 1}.")
        order = list(range(len(texts)))
        self.dice(subject, seed).shuffle(order)
        choices = tuple(Choice(letter, texts[i]) for letter, i in zip(LETTERS, order, strict=False))
        letter_of = {i: letter for letter, i in zip(LETTERS, order, strict=False)}
        answers = {rule: letter_of[i] for rule, i in (rules or {}).items() if i != right}
        asked = Question(kind=self, subject=subject, seed=seed, prompt=prompt, truth=letter_of[right], choices=choices)
        return replace(asked, answers=answers)

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        return question.truth if rule is None else question.answers.get(rule.id, question.truth)

    def read(self, question: Question, given: object) -> Answer:
        return read_choice(question, given)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        return (
            question.subject.sentence("misprint.look"),
            question.subject.title,
            question.subject.sentence("misprint.formula"),
            self.says(question),
        )

    def says(self, question: Question) -> str:
        text = next(choice.text for choice in question.choices if choice.id == question.truth)
        return question.subject.sentence("misprint.says", letter=question.truth, text=text)


def read_choice(question: Question, given: object) -> str:
    """The id of one choice. Raises DmlvizError for anything else."""
    known = [choice.id for choice in question.choices]
    if not isinstance(given, str) or given not in known:
        raise DmlvizError(f"answer is {quote(given)}, expected one of {', '.join(known)}.")
    return given


KIND = MisprintKind()
