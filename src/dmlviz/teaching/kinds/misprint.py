"""`misprint`: which of several lines is not as it should be? Only an author can ask that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from ...errors import DmlvizError
from ...operators.wrong_rules import Misreading
from ..questions.question import ANYTHING, Answer, Choice, Kind, Question, Wish
from ..questions.subject import Subject
from .lib.choices import read_choice

LETTERS = "abcdefgh"


class MisprintKind(Kind):
    """Asks which of an author's lines is a misprint; the answer is the letter of a choice."""

    name = "misprint"
    stage = 2

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

        Texts are shuffled by the seed. Raises DmlvizError for fewer than two texts, equal ones, or a wrong number.
        """
        if not 2 <= len(texts) <= len(LETTERS) or len(set(texts)) < len(texts):
            raise DmlvizError(f"a misprint is one of {len(texts)} texts, expected 2 to {len(LETTERS)} that differ.")
        if not 0 <= right < len(texts):
            raise DmlvizError(f"right is {right}, expected 0 to {len(texts) - 1}.")
        order = list(range(len(texts)))
        self.dice(subject, seed).shuffle(order)
        letter_of = dict(zip(order, LETTERS, strict=False))
        choices = tuple(Choice(letter, texts[i]) for i, letter in letter_of.items())
        answers = {rule: letter_of[i] for rule, i in (rules or {}).items() if i != right}
        question = self.pose(subject, seed, prompt, truth=letter_of[right], choices=choices)
        return replace(question, answers=answers)

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        return question.truth if rule is None else question.answers.get(rule.id, question.truth)

    def read(self, question: Question, given: object) -> str:
        return read_choice(question, given)

    def hints(self, question: Question) -> tuple[str, str, str, str]:
        sentence = question.subject.sentence
        title = question.subject.title
        return sentence("misprint.look"), title, sentence("misprint.formula"), self.says(question)

    def says(self, question: Question) -> str:
        text = next(choice.text for choice in question.choices if choice.id == question.truth)
        return question.subject.sentence("misprint.says", letter=question.truth, text=text)


KIND = MisprintKind()
