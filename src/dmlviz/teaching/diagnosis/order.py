"""Which question comes next, where a session's experiments are asked about."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Iterator, Sequence

from ..kinds.fill import FillKind
from ..questions.question import Kind, Question
from ..questions.subject import Subject
from .diagnosis import TOLD_BY, Diagnosis

MOST_TELLING = 18
"""Questions that a quiz asks to tell which rule is held, skipped ones too."""
MOST_SUBJECTS = 6
"""Experiments among which a diagnosis looks for its next question."""
LEAST_BITS = 0.02
"""What an answer has to tell to be asked for by a diagnosis."""


class Order:
    """Chooses the next question, none twice: until a diagnosis what tells it most, then each kind in turn."""

    def __init__(self, subjects: Sequence[Subject], kinds: Sequence[Kind], seed: int = 0) -> None:
        any_wired = any(subject.experiment.is_wired for subject in subjects)
        self._kinds = [kind for kind in kinds if any_wired or not kind.of_chains]
        self._subjects, self._seed = subjects, seed
        self._seen: set[Hashable] = set()
        self._asked: set[Hashable] = set()  # by an author, in other words
        self._turn = 0
        self._in_turn = self._each_in_turn()
        self._telling = [kind for kind in kinds if kind.name in TOLD_BY]

    def asked(self, at: int, question: Question) -> None:
        """Marks a question about experiment `at`, from 0, as asked by its author: no other words ask it again."""
        self._asked.add(_question_key(at, question)[1:])

    def _is_new(self, at: int, question: Question) -> bool:
        """True for a question that was not asked yet, in any words."""
        key = _question_key(at, question)
        return key not in self._seen and key[1:] not in self._asked

    def next_question(self, diagnosis: Diagnosis) -> Question | None:
        """The question to ask next, after the answers that `diagnosis` has had; None where there is none left."""
        done = diagnosis.done or not self._telling or self._turn == MOST_TELLING
        chosen = None if done else self._most_telling(diagnosis)
        if chosen is None:
            return next(self._in_turn, None)
        at, question = chosen
        self._seen.add(_question_key(at, question))
        return question

    def confirming_question(self, diagnosis: Diagnosis) -> Question | None:
        """A question that may confirm the rule that `diagnosis` suspects; None where there is none."""
        chosen = self._confirming(diagnosis)
        if chosen is None:
            return None
        self._seen.add(_question_key(*chosen))
        return chosen[1]

    def _confirming(self, diagnosis: Diagnosis) -> tuple[int, Question] | None:
        """(experiment, question) for `confirming_question`."""
        if not diagnosis.wants_fill:
            return None
        seed = self._seed + self._turn
        kinds = [kind for kind in self._kinds if kind.confirms_elsewise or (diagnosis.rivals and kind in self._telling)]
        places = range(len(self._subjects))
        candidates = self._new((at, q) for at in places for q in self._each_confirming(at, seed, kinds))
        best = diagnosis.next([question for _, question in candidates])
        return next((candidate for candidate in candidates if candidate[1] is best), None)

    def _most_telling(self, diagnosis: Diagnosis) -> tuple[int, Question] | None:
        """(experiment, question) that tells the diagnosis most; None where none tells enough."""
        self._turn += 1
        seed, count = self._seed + self._turn, len(self._subjects)
        places = [(self._turn - 1 + i) % count for i in range(min(count, MOST_SUBJECTS))]
        confirming = self._confirming(diagnosis)
        if confirming is not None:
            return confirming
        telling = self._new((at, kind.make(self._subjects[at], seed)) for at in places for kind in self._telling)
        best = diagnosis.most_telling([question for _, question in telling])
        if best is None or diagnosis.information(best) < LEAST_BITS:
            return None
        return next(candidate for candidate in telling if candidate[1] is best)

    def _new(self, questions: Iterable[tuple[int, Question | None]]) -> list[tuple[int, Question]]:
        """Those of (experiment, question) that were not asked yet."""
        return [(at, question) for at, question in questions if question is not None and self._is_new(at, question)]

    def _each_confirming(self, at: int, seed: int, kinds: Sequence[Kind]) -> Iterator[Question | None]:
        """Questions about experiment `at` that may confirm a rule: its whole output, and what `kinds` ask."""
        for kind in self._kinds:
            if isinstance(kind, FillKind):
                yield kind.whole(self._subjects[at], seed)
        for kind in kinds:
            yield kind.make(self._subjects[at], seed)

    def _each_in_turn(self) -> Iterator[Question]:
        """New questions of every kind in turn, easiest first, until there is none left."""
        for turn in itertools.count():
            any_new = False
            for number, kind in enumerate(self._kinds):
                question = self._new_question(kind, turn, turn + number)
                if question is not None:
                    any_new = True
                    yield question
            if not any_new:
                return

    def _new_question(self, kind: Kind, turn: int, first: int) -> Question | None:
        """A new question of a kind, about the first experiment from `first` on that has one; None for none."""
        count = len(self._subjects)
        for step in range(count):
            at = (first + step) % count
            question = kind.make(self._subjects[at], self._seed + turn)
            if question is not None and self._is_new(at, question):
                self._seen.add(_question_key(at, question))
                return question
        return None


def _question_key(at: int, question: Question) -> tuple[Hashable, ...]:
    """(prompt, and what else makes a question another one, whatever its seed).

    Two that differ in the order of choices alone have the same key.
    """
    pictures = frozenset(choice.picture for choice in question.choices if choice.picture is not None)
    truth = None if question.choices else question.truth
    return question.prompt, at, question.kind.name, question.at, question.blank, truth, pictures
