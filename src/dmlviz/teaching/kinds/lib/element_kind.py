"""What kinds have in common that ask one thing of one element."""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from ....desc.values import Indices
from ....operators.wrong_rules import Misreading
from ...questions.elements import best, candidates, holders_at, is_small, may_ask, windows
from ...questions.question import Answer, At, Kind, Question
from ...questions.subject import Reading, Subject
from ...questions.wording import hides_elements
from .destinations import may_ask_input


class ElementKind(Kind):
    """A kind that asks one thing of an output element: of the one that tells most wrong rules apart."""

    shows_data: ClassVar[bool]
    """True if the answer follows from data, which a large tensor has a window of then."""
    wants_told: ClassVar[bool] = False
    """True if nothing is asked where every wrong rule gives the same answers as the truth."""

    @abstractmethod
    def has_any(self, subject: Subject) -> bool:
        """True if anything can be asked about a valid subject."""

    @abstractmethod
    def ask(self, reading: Reading, output: int, index: tuple[Indices, ...]) -> Sequence[Any | None]:
        """What a reading answers for each of N elements of an output; None where it can't."""

    @abstractmethod
    def prompt(self, subject: Subject, at: At) -> str:
        """What is asked about an element."""

    def make(self, subject: Subject, seed: int) -> Question | None:
        if not subject.valid or not self.has_any(subject):
            return None
        dice = self.dice(subject, seed)
        found = candidates(subject, dice, self.ask)
        if self.wants_told and subject.element_readings and not any(each.told for each in found):
            return None
        while (chosen := best(found, dice)) is not None:
            made = self._about(subject, seed, dice, chosen.at)
            if made is not None:
                return made
            found.remove(chosen)
        return None

    def wanted(
        self, subject: Subject, seed: int, *, at: At | None = None, first: int | None = None, rules: Sequence[str] = ()
    ) -> Question | None:
        if at is None:
            return self.make(subject, seed)
        asked = subject.valid and may_ask(subject, at)
        return self._about(subject, seed, self.dice(subject, seed), at) if asked else None

    def _about(self, subject: Subject, seed: int, dice: random.Random, at: At) -> Question | None:
        parts = windows(subject, dice, [at], data=self.shows_data)
        if parts is None:
            return None
        hidden = hides_elements(subject)
        asked = Question(
            kind=self,
            subject=subject,
            seed=seed,
            prompt=self.prompt(subject, at),
            truth=None,
            at=at,
            windows=parts,
            hidden=hidden,
        )
        return self.finished(asked)

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        assert question.at is not None
        return holders_at(question.subject, question.subject.reading(rule), question.at, self.ask)


class InputElementKind(Kind):
    """A kind that asks one thing of an input element."""

    @abstractmethod
    def prompt(self, subject: Subject, at: At) -> str:
        """What is asked about an element."""

    def wanted(
        self, subject: Subject, seed: int, *, at: At | None = None, first: int | None = None, rules: Sequence[str] = ()
    ) -> Question | None:
        if at is None:
            return self.make(subject, seed)
        asked = subject.valid and is_small(subject) and may_ask_input(subject, at)
        return self.about(subject, seed, at) if asked else None

    def about(self, subject: Subject, seed: int, at: At) -> Question:
        """The question about one element."""
        hidden = hides_elements(subject)
        return self.finished(
            Question(
                kind=self, subject=subject, seed=seed, prompt=self.prompt(subject, at), truth=None, at=at, hidden=hidden
            )
        )
