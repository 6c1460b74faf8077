"""Opens questions, practice and the course over the explorer, and goes back to what was left to be explored."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace
from textual.app import App
from textual.screen import Screen

from ...errors import DmlvizError
from ...scene.elements.cursor import Cursor
from ...session.experiments import Experiment, Session
from ...session.new_experiments import fresh
from ...teaching.diagnosis.practice import Practice
from ...teaching.lessons.lessons import Lesson
from ...teaching.levels.level import Level
from ...teaching.progress.progress import Progress
from ...teaching.tasks.own_tasks import own_question
from ...teaching.tasks.tasks import task_of
from ...teaching.words.catalogue import sentence
from ...workspace.asking.asked_desc import places_of
from ...workspace.asking.asking import AskDesk, LessonDesk, PracticeDesk
from ...workspace.lessons.lesson import RunningLesson, lesson_in
from .course_map import CourseMapScreen, Explored
from .question import LessonScreen, QuestionScreen


class Learning:
    """What is asked over one explorer; what is left there to be explored waits until it is asked for again."""

    def __init__(self, explorer: Screen[Any]) -> None:
        self._explorer = explorer
        self._step: LessonDesk | None = None  # of a lesson, while its desc is explored
        self._left: dict[object, AskDesk] = {}
        self._done: list[Experiment] = []  # whose own task was answered

    @property
    def waits(self) -> bool:
        """True if a step of a lesson waits while its desc is explored."""
        return self._step is not None

    @property
    def _progress(self) -> Progress:
        progress: Progress = getattr(self._explorer.app, "progress", None) or Progress()
        return progress

    def open(self, session: Session, explored: Callable[[Experiment, Cursor], None], begins: str = "") -> None:
        """Opens the course map, or over it what was left to be explored.

        `session` is the one that is open: it may hold a lesson of its own. `begins` is the id of the lesson that is
        opened at once. `explored` gets the desc that somebody wants to explore, and the element that is looked at.
        """
        own = None
        try:
            own = lesson_in(session)
        except DmlvizError as error:
            self._explorer.notify(str(error), severity="warning", markup=False)
        left, self._step = self._step, None

        def closed(looked: Explored | None) -> None:
            if looked is not None:
                self._step, cursor = looked
                explored(self._step.experiment, cursor)
                self._explorer.notify(sentence("explore.course"), markup=False)

        self._explorer.app.push_screen(CourseMapScreen(self._progress, own, left, begins), closed)

    def ask(
        self,
        experiment: Experiment,
        session: Session,
        *,
        explored: Callable[[Cursor], None],
        answered: Callable[[], None],
        has_told: Callable[[Cursor], bool],
    ) -> None:
        """Asks about an experiment of a session, its own task first, or says that there is nothing to ask.

        `explored` gets the element that somebody wants to explore; the question waits until it is asked for again.
        `answered` is called once somebody leaves who has answered or skipped anything. `has_told` says whether an
        element of what the example asks was seen before: an answer counts as looked up then.
        """
        left = self._left.pop("one", None)
        try:
            desk = left if left and left.home is experiment else self._begun(experiment, session, has_told)
        except DmlvizError as error:
            self._explorer.notify(str(error), severity="warning", markup=False)
            return

        def looked(cursor: Cursor) -> None:
            if desk.experiment is experiment:  # what is asked "what if" has other elements
                explored(cursor)

        def done() -> None:
            self._done.append(experiment)
            answered()

        self._open_screen(desk, "one", "explore.question", looked, done)

    def _begun(self, experiment: Experiment, session: Session, has_told: Callable[[Cursor], bool]) -> AskDesk:
        """Questions about an experiment; what a lesson asks about it is counted as its step."""
        progress, lesson = self._progress, lesson_in(session)
        seed, is_done = len(progress.answers), any(done is experiment for done in self._done)
        own = None if is_done else own_question(experiment, seed)
        for step in lesson.steps if lesson is not None else ():
            if own is not None and step.experiment is experiment and step.task is not None:
                own = replace(own, task=replace(own.task, id=step.task.id))
        named = lesson.name if lesson is not None else ""
        desk = AskDesk(experiment, progress, time.time, seed=seed, own=own, named=named)
        if own is not None and any(map(has_told, places_of(own))):
            desk.look_up()
        return desk

    def practise(self, types: Sequence[str], explored: Callable[[Experiment], None]) -> None:
        """Asks about ever new descs of operators, by type; it waits while `explored` gets one to be explored."""
        progress, key = self._progress, tuple(types)
        desk = self._left.pop(key, None) or PracticeDesk(
            Practice([*map(fresh, types)], len(progress.answers), progress.answers), progress, time.time
        )
        self._open_screen(desk, key, "explore.practice", lambda _: explored(desk.experiment), lambda: None)

    def _open_screen(
        self,
        desk: AskDesk,
        key: object,
        farewell: str,
        explored: Callable[[Cursor], None],
        answered: Callable[[], None],
    ) -> None:
        """Opens a question; one that is left to be explored is kept by its `key`, with a sentence as a farewell."""

        def closed(cursor: Cursor | None) -> None:
            if desk.has_answers:
                answered()
            if cursor is not None:
                self._left[key] = desk
                explored(cursor)
                self._explorer.notify(sentence(farewell), markup=False)

        self._explorer.app.push_screen(QuestionScreen(desk), closed)


def preview(app: App[Any], lesson: Lesson, experiment: Experiment) -> None:
    """Shows its author a lesson of one step, which `experiment` has; what is answered there is kept nowhere.

    Raises DmlvizError where that can't be asked.
    """
    progress, task = Progress(), task_of(experiment)
    if task is not None and task.goal:
        from .level import LevelScreen

        app.push_screen(LevelScreen(Level(experiment, task, lesson.name), progress))
    else:
        app.push_screen(LessonScreen(LessonDesk(RunningLesson(lesson, ()), progress, time.time), progress))
