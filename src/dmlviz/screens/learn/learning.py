"""Opens the course map over the explorer, and goes back to the step that was left to be explored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.screen import Screen

from ...errors import DmlvizError
from ...scene.elements.cursor import Cursor
from ...session.experiments import Experiment, Session
from ...teaching.words.catalogue import sentence
from ...workspace.lessons.course_map import lesson_in
from .course_map import CourseMapScreen, Explored, Waiting
from .question import progress_of


class Learning:
    """The course over one explorer."""

    def __init__(self, explorer: Screen[Any]) -> None:
        self._explorer = explorer
        self._waiting = Waiting()

    @property
    def waits(self) -> bool:
        """True if a step waits while its desc is explored."""
        return self._waiting.desk is not None

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

        def closed(explored_desc: Explored | None) -> None:
            if explored_desc is not None:
                explored(*explored_desc)
                self._explorer.notify(sentence("explore.course"), markup=False)

        self._explorer.app.push_screen(CourseMapScreen(progress, self._waiting, own=own, begins=begins), closed)
