"""Opens the course map over the explorer, and goes back to the step that was left to be explored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.screen import Screen

from ...errors import DmlvizError
from ...scene.elements.cursor import Cursor
from ...session.experiments import Experiment, Session
from ...teaching.words.catalogue import sentence
from ...workspace.asking.following import LessonDesk
from ...workspace.lessons.course_map import lesson_in
from .course_map import CourseMapScreen, Explored
from .question import progress_of


class Learning:
    """The course over one explorer."""

    def __init__(self, explorer: Screen[Any]) -> None:
        self._explorer = explorer
        self._left: LessonDesk | None = None  # while its desc is explored

    @property
    def waits(self) -> bool:
        """True if a step waits while its desc is explored."""
        return self._left is not None

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
        progress = progress_of(self._explorer)

        left, self._left = self._left, None

        def closed(looked: Explored | None) -> None:
            if looked is not None:
                self._left, cursor = looked
                explored(self._left.experiment, cursor)
                self._explorer.notify(sentence("explore.course"), markup=False)

        self._explorer.app.push_screen(CourseMapScreen(progress, own, left, begins), closed)
