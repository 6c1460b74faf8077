"""The screen of a lesson: its steps one after the other, each a question; a level has a screen of its own."""

from __future__ import annotations

from typing import Any

from ...teaching.levels.level import Level
from ...teaching.progress.progress import Progress
from ...workspace.asking.following import LessonDesk
from .question import QuestionScreen


class LessonScreen(QuestionScreen):
    """Asks what a lesson wants; closes by itself at its end."""

    desk: LessonDesk

    def __init__(self, desk: LessonDesk, progress: Progress) -> None:
        super().__init__(desk)
        self._progress = progress

    def action_do(self, name: str, given: tuple[Any, ...] = ()) -> None:
        """Opens the level where that is what answers; leaves where the lesson has ended."""
        if name == "answer" and self.state.open and self.state.form.how == "edit":
            self._open_level()
            return
        super().action_do(name, given)
        if self.desk.ended:
            self.action_leave()

    def _open_level(self) -> None:
        from .level import LevelScreen

        lesson = self.desk.lesson
        assert lesson.step is not None
        assert lesson.step.task is not None
        level = Level(lesson.step.experiment, lesson.step.task, lesson.lesson.name)
        self.app.push_screen(
            LevelScreen(level, self._progress), lambda solved: self.action_do("returned", (bool(solved),))
        )
