"""What kinds have in common that ask one thing of one element."""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from ....desc.values import Indices
from ....operators.wrong_rules import Misreading
from ...questions.elements import best_candidate, candidates, holders_answer_at, is_small, may_ask_output, windows
from ...questions.question import ANYTHING, Answer, At, Kind, Question, Window, Wish
from ...questions.subject import Reading, Subject
from ...questions.wording import what_tells_elements
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
        """The question about an element, as text."""

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        dice = self.dice(subject, seed)
        if not subject.valid:
            return None
        if wish.at is not None:
            elements = iter([wish.at] if may_ask_output(subject, wish.at) else ())
        else:
            elements = self._best_first(subject, dice) if self.has_any(subject) else iter(())
        for at in elements:
            shown = self.windows(subject, dice, at)
            if shown is not None:
                prompt, hidden = self.prompt(subject, at), what_tells_elements(subject)
                return self.pose(subject, seed, prompt, hidden, at=at, windows=shown)
        return None

    def _best_first(self, subject: Subject, dice: random.Random) -> Iterator[At]:
        """Elements to ask about, those that tell most first; none where `wants_told` and no rule differs."""
        left = candidates(subject, dice, self.ask)
        if self.wants_told and subject.element_readings and not any(candidate.told for candidate in left):
            return
        while (chosen := best_candidate(left, dice)) is not None:
            yield chosen.at
            left.remove(chosen)

    def windows(self, subject: Subject, dice: random.Random, at: At) -> tuple[Window, ...] | None:
        """The windows into large tensors; None where one window can't show what the answer follows from."""
        return windows(subject, dice, [at], data=self.shows_data)

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        return holders_answer_at(question.subject, question.subject.reading(rule), question.element, self.ask)


class InputElementKind(Kind):
    """A kind that asks one thing of an input element."""

    @abstractmethod
    def choose(self, subject: Subject, dice: random.Random) -> At | None:
        """The element to ask a valid subject about; None for none."""

    @abstractmethod
    def prompt(self, subject: Subject, at: At) -> str:
        """The question about an element, as text."""

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        if not subject.valid:
            return None
        at = wish.at
        if at is None:
            at = self.choose(subject, self.dice(subject, seed))
        elif not is_small(subject) or not may_ask_input(subject, at):
            return None
        if at is None:
            return None
        return self.pose(subject, seed, self.prompt(subject, at), what_tells_elements(subject), at=at)
