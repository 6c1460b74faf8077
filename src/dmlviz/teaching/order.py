"""Which question comes next, where a session's experiments are asked about."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Sequence

from .question import Kind, Question, Verdict
from .subject import Subject


class Order:
    """Every kind in turn, easiest first, each about another experiment; then all again, with another seed.

    A question that was asked is not asked again.
    """

    def __init__(self, subjects: Sequence[Subject], kinds: Sequence[Kind], seed: int = 0) -> None:
        self._subjects, self._kinds, self._seed = subjects, kinds, seed
        self._seen: set[Hashable] = set()
        self._next = self._in_turn()

    def next_question(self, asked: Sequence[Question], verdicts: Sequence[Verdict]) -> Question | None:
        """The question to ask next, after those that were asked and graded; None where there is none left."""
        return next(self._next, None)

    def _in_turn(self) -> Iterator[Question]:
        for turn in itertools.count():
            found = False
            for number, kind in enumerate(self._kinds):
                question = self._new(kind, turn, turn + number)
                if question is not None:
                    found = True
                    yield question
            if not found:
                return

    def _new(self, kind: Kind, turn: int, first: int) -> Question | None:
        count = len(self._subjects)
        for each in range(count):
            at = (first + each) % count
            question = kind.make(self._subjects[at], self._seed + turn)
            if question is not None:
                key = (at, kind.name, question.prompt, question.at, question.blank, question.truth)
                pictures = tuple(choice.picture for choice in question.choices)
                if (key, pictures) not in self._seen:
                    self._seen.add((key, pictures))
                    return question
        return None
