"""The screen of a lesson: its steps one after the other, each a question; a level has a screen of its own."""

from __future__ import annotations

from typing import Any, ClassVar

from textual.binding import Binding, BindingType

from ...teaching.levels.level import Level
from ...teaching.progress.progress import Progress
from ...workspace.asking.following import LessonDesk
from .question import QuestionScreen


class LessonScreen(QuestionScreen):
    """Asks what a lesson wants; closes by itself at its end."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("t", "do('begin_test')", "skip by questions", id="ask.test")]
    desk: LessonDesk

    def __init__(self, desk: LessonDesk, progress: Progress) -> None:
        super().__init__(desk)
        self._progress = progress

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if parameters == ("begin_test",):
            return self.desk.may_test
        return super().check_action(action, parameters)

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
