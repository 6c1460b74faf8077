"""`misprint`: which of several lines is not as it should be? Only an author can ask that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from ...errors import DmlvizError
from ...operators.wrong_rules import Misreading
from ..questions.answers import LETTERS, Answer
from ..questions.question import ANYTHING, Choice, Kind, Question, Wish
from ..questions.subject import Subject
from ..words.catalogue import sentence

MOST = 8
"""Texts to choose among."""


class MisprintKind(Kind):
    """Asks which of an author's lines is a misprint; the answer is the letter of a choice."""

    name = "misprint"
    stage = 2
    authored, of_any_desc, told_by_rules = True, True, True

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
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

        Texts are shuffled by the seed. Raises DmlvizError for fewer than two texts, equal ones, or too many.
        """
        if not 2 <= len(texts) <= MOST or len(set(texts)) < len(texts):
            raise DmlvizError(f"a misprint is one of {len(texts)} texts, expected 2 to {MOST} that differ.")
        order = list(range(len(texts)))
        self.dice(subject, seed).shuffle(order)
        choices = tuple(Choice(letter, texts[i]) for letter, i in zip(LETTERS, order, strict=False))
        answers = {rule: LETTERS[order.index(i)] for rule, i in (rules or {}).items() if i != right}
        question = self.pose(subject, seed, prompt, truth=LETTERS[order.index(right)], choices=choices)
        return replace(question, answers=answers)

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        return question.truth

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        look, formula = sentence("misprint.look"), sentence("misprint.formula")
        return look, question.subject.title, formula, self.says(question)

    def says(self, question: Question) -> str:
        text = next(choice.text for choice in question.choices if choice.id == question.truth)
        return sentence("misprint.says", letter=question.truth, text=text)


MISPRINT = MisprintKind()
KINDS = (MISPRINT,)
