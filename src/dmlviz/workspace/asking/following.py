"""Questions that practice or a lesson chooses by the answers; a lesson's levels have a page of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from ...errors import DmlvizError, quote
from ...scene.steps.apart import Apart
from ...teaching.diagnosis.practice import Practice
from ...teaching.progress.progress import Answered, Progress
from ...teaching.questions.question import Question
from ...teaching.tasks.own_tasks import played
from ...teaching.words.catalogue import found, sentence
from ..lessons.lesson import RunningLesson
from .ask_state import AskState
from .asking import AskDesk


class FollowingDesk(AskDesk):
    """Asks what `source` chooses, and says of each term what it is where it comes up first."""

    source: Practice | RunningLesson
    _seed = 0

    def _follow(self, question: Question, progress: Progress, now: Callable[[], float], *, named: str = "") -> None:
        self._terms: dict[str, tuple[Question, bool]] = {}  # what was the first to have a term, and whether it was open
        self._begin_with(question, progress, now, named=named)

    @property
    def _on(self) -> str:
        return self.source.on

    def _wrong_again(self) -> None:
        return None

    def _heard(self, answered: Answered) -> None:
        self.source.heard(self.question, self.answering.given, answered)

    @property
    def _after(self) -> str:
        return sentence("next.on")

    @property
    def _taught(self) -> tuple[str, ...]:
        return (self.source.news,)

    @property
    def state(self) -> AskState:
        state, asked = super().state, (self.question, self.open)
        for term in found(state.words):
            self._terms.setdefault(term, asked)
        return replace(state, introduced=tuple(term for term, first in self._terms.items() if first == asked))


class PracticeDesk(FollowingDesk):
    """Asks about ever new descs."""

    source: Practice

    def __init__(self, practice: Practice, progress: Progress, now: Callable[[], float]) -> None:
        self.source = practice
        self._follow(practice.next(now()), progress, now)

    def _next(self) -> None:
        self._begin(self.source.next(self.now()))


class LessonDesk(FollowingDesk):
    """Goes through a lesson, until it has `ended`."""

    source: RunningLesson

    def __init__(self, lesson: RunningLesson, progress: Progress, now: Callable[[], float]) -> None:
        """Raises DmlvizError, with a sentence, where the lesson has nothing to ask."""
        self.source = self.lesson = lesson
        self.ended = False
        question = lesson.next(now())
        if question is None:
            raise DmlvizError(sentence("lesson.none_asked", title=quote(lesson.lesson.title)))
        self._follow(question, progress, now, named=lesson.lesson.name)

    def _plays(self, question: Question) -> Apart | None:
        return played(question)

    def _task_id(self) -> str:
        return self.lesson.task

    def _another(self) -> Question | None:
        return self.lesson.another()

    def _next(self) -> None:
        question = self.lesson.next(self.now())
        if question is None:
            self.ended = True
        else:
            self._begin(question)

    def returned(self, solved: bool) -> None:
        """Takes over what was answered on a level's own page; once it is solved, the lesson goes on."""
        since, self._kept = self._progress.answers[self._kept :], len(self._progress.answers)
        heard = self.lesson.heard_level(since)
        if solved and not heard:
            self._keep(right=True)
        elif heard:
            self._count += 1
        if solved or heard:
            self._right += 1
            self._next()

    @property
    def _after(self) -> str:
        return self.lesson.after

    @property
    def _taught(self) -> tuple[str, ...]:
        right = self.verdict is not None and self.verdict.right
        return (*super()._taught, *self.lesson.told(right=right))

    def notices(self) -> list[str]:
        return [*super().notices(), *self.lesson.notices()]

    def _parts(self) -> dict[str, Any]:
        return {"lesson": self.lesson.state}
