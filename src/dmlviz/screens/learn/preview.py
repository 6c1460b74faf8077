"""A task as a student sees it, for its author: what is answered there is kept nowhere."""

from __future__ import annotations

import time
from typing import Any

from textual.app import App

from ...session.experiments import Experiment
from ...teaching.lessons.lessons import Lesson
from ...teaching.levels.level import Level
from ...teaching.progress.progress import Progress
from ...teaching.tasks.tasks import task_of
from ...workspace.asking.following import LessonDesk
from ...workspace.lessons.lesson import RunningLesson
from .lesson import LessonScreen


def preview(app: App[Any], lesson: Lesson, experiment: Experiment) -> None:
    """Shows a lesson of one step, which `experiment` has. Raises DmlvizError where that can't be asked."""
    progress = Progress()
    task = task_of(experiment)
    if task is not None and task.goal:
        from .level import LevelScreen

        app.push_screen(LevelScreen(Level(experiment, task, lesson.name), progress))
        return
    app.push_screen(LessonScreen(LessonDesk(RunningLesson(lesson, ()), progress, time.time), progress))
