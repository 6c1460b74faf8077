"""`misprint`: which of several lines is not as it should be? Only an author can ask that."""

from __future__ import annotations

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
        texts = [*wish.choices]
        if not texts:
            return None  # no desc knows what was printed about it
        if not 2 <= len(texts) <= MOST or len(set(texts)) < len(texts):
            raise DmlvizError(f"a misprint is one of {len(texts)} texts, expected 2 to {MOST} that differ.")
        self.dice(subject, seed).shuffle(texts)
        letters = dict(zip(texts, LETTERS, strict=False))
        choices = tuple(Choice(letter, text) for text, letter in letters.items())
        prompt, truth = subject.sentence("misprint.prompt"), letters[wish.truth]
        answers = {rule: letters[text] for rule, text in wish.wrong.items() if text != wish.truth}
        return replace(self.pose(subject, seed, prompt, truth=truth, choices=choices), answers=answers)

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
