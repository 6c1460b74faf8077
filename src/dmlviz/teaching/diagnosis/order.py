"""Which question comes next, where a session's experiments are asked about."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

from ..kinds.fill import FILL
from ..questions.question import Kind, Question
from ..questions.subject import Subject
from .diagnosis import MOST, TOLD_BY, Diagnosis

MOST_SUBJECTS = 6
"""Experiments among which a diagnosis looks for its next question."""
LEAST_BITS = 0.02
"""What an answer has to tell to be asked for by a diagnosis."""


class Order:
    """Chooses the next question, none twice: until a diagnosis what tells it most, then each kind in turn."""

    def __init__(self, subjects: Sequence[Subject], kinds: Sequence[Kind], seed: int = 0) -> None:
        any_wired = any(subject.experiment.is_wired for subject in subjects)
        self._kinds = [kind for kind in kinds if any_wired or not kind.of_chains]
        self._subjects, self._seed, self._turn = subjects, seed, 0
        self._seen: set[Hashable] = set()
        self._in_turn = self._each_in_turn()
        self._telling = [kind for kind in kinds if kind.name in TOLD_BY]

    def asked(self, question: Question) -> None:
        """Marks a question as asked: it isn't asked again, in whatever words, or with its choices in another order."""
        self._seen.add(_key(question))

    def next_question(self, diagnosis: Diagnosis) -> Question | None:
        """The question to ask next, after the answers that `diagnosis` has had; None where there is none left."""
        question = self.confirming_question(diagnosis)
        if question is None and not diagnosis.done and self._turn < MOST:
            near = [self._subjects[(self._turn + k) % len(self._subjects)] for k in range(MOST_SUBJECTS)]
            made = (kind.make(each, self._seed + self._turn) for each in dict.fromkeys(near) for kind in self._telling)
            question = diagnosis.most_telling([*self._new(made)])
            if question is not None and diagnosis.information(question) < LEAST_BITS:
                question = None
            self._turn += 1
        question = question or next(self._in_turn, None)
        if question is not None:
            self.asked(question)
        return question

    def confirming_question(self, diagnosis: Diagnosis) -> Question | None:
        """A question that may confirm the rule that `diagnosis` suspects; None where there is none."""
        if diagnosis.suspected is None or diagnosis.done:
            return None
        seed = self._seed + self._turn
        makers: list[Callable[[Subject, int], Question | None]] = [FILL.whole] if FILL in self._kinds else []
        makers += [kind.make for kind in self._kinds if kind.confirms_elsewise]
        return diagnosis.next([*self._new(make(subject, seed) for subject in self._subjects for make in makers)])

    def _new(self, questions: Iterable[Question | None]) -> Iterator[Question]:
        """Those that were not asked yet."""
        return (question for question in questions if question is not None and _key(question) not in self._seen)

    def _each_in_turn(self) -> Iterator[Question]:
        """New questions of every kind in turn, easiest first, until there is none left."""
        count = len(self._subjects)
        for turn in itertools.count():
            any_new = False
            for number, kind in enumerate(self._kinds):
                subjects = (self._subjects[(turn + number + step) % count] for step in range(count))
                question = next(self._new(kind.make(subject, self._seed + turn) for subject in subjects), None)
                if question is not None:
                    any_new = True
                    yield question
            if not any_new:
                return


def _key(question: Question) -> tuple[Hashable, ...]:
    """What makes a question another one, whatever its seed and its words."""
    pictures = frozenset(choice.picture for choice in question.choices if choice.picture is not None)
    truth = None if question.choices else question.truth
    name = question.subject.experiment.name
    return name, question.kind.name, question.at, question.blank, truth, pictures
