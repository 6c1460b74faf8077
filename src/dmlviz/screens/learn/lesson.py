"""The screen of a lesson: its steps one after the other, each a question; a level has a screen of its own."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from ...teaching.progress.progress import Progress
from ...workspace.asking.ask_state import Form
from ...workspace.asking.asking import Asking
from .question import QuestionScreen


class LessonScreen(QuestionScreen):
    """Asks what a lesson wants; closes by itself at its end, which `Asking.ended` tells."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("t", "test", "skip by questions", id="ask.test")]

    def __init__(self, asking: Asking, progress: Progress) -> None:
        super().__init__(asking)
        self._progress = progress

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.asking.may_test if action == "test" else super().check_action(action, parameters)

    def action_test(self) -> None:
        """Asks the questions that let the lesson be skipped."""
        self.present(self.asking.begin_test())

    def action_answer(self) -> None:
        """Answers the step, or opens its level; leaves where the lesson has ended."""
        if self.state.open and self.state.form is Form.DOOR:
            self._open_level()
            return
        super().action_answer()
        if self.asking.ended:
            self.action_leave()

    def _open_level(self) -> None:
        from ...teaching.levels.level import Level
        from .level import LevelScreen

        lesson = self.asking.lesson
        step = lesson.step if lesson is not None else None
        if lesson is None or step is None or step.task is None:
            return

        def closed(solved: bool | None) -> None:
            self.present(self.asking.returned(solved=bool(solved)))
            if self.asking.ended:
                self.action_leave()

        level = Level(step.experiment, step.task, lesson.lesson.name)
        self.app.push_screen(LevelScreen(level, self._progress), closed)
