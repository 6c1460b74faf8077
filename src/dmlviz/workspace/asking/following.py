"""Questions that practice or a lesson chooses by the answers; a lesson's levels have a page of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import DmlvizError, quote
from ...scene.steps.apart import Apart
from ...teaching.diagnosis.practice import Practice
from ...teaching.progress.progress import Progress
from ...teaching.questions.question import Question
from ...teaching.tasks.own_tasks import played
from ...teaching.words.catalogue import sentence
from ..lessons.lesson import RunningLesson
from .asking import AskDesk


class PracticeDesk(AskDesk):
    """Asks about ever new descs."""

    source: Practice

    def __init__(self, practice: Practice, progress: Progress, now: Callable[[], float]) -> None:
        self.source = practice
        self._begin_with(practice.next(now()), progress, now)

    def _next(self) -> None:
        self._begin(self.source.next(self.now()))


class LessonDesk(AskDesk):
    """Goes through a lesson, until it has `ended`."""

    source: RunningLesson

    def __init__(self, lesson: RunningLesson, progress: Progress, now: Callable[[], float]) -> None:
        """Raises DmlvizError, with a sentence, where the lesson has nothing to ask."""
        self.source = self.lesson = lesson
        self.ended = False
        question = lesson.next(now())
        if question is None:
            raise DmlvizError(sentence("lesson.none_asked", title=quote(lesson.lesson.title)))
        self._named = lesson.lesson.name
        self._begin_with(question, progress, now)
        self._notices += lesson.problems

    def _plays(self, question: Question) -> Apart | None:
        return played(question)

    def _task_id(self) -> str:
        return self.lesson.task

    def _another(self) -> Question | None:
        return self.lesson.another()

    def _next(self) -> None:
        question = self.lesson.next(self.now())
        self.ended = question is None
        if question is not None:
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

    def _parts(self) -> dict[str, Any]:
        return {"lesson": self.lesson.state}
