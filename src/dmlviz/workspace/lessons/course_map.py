"""The course map without a screen: lessons and levels in one list, and how far somebody came in each."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from ...session.experiments import Session
from ...teaching.lessons.lessons import Lesson, best, lesson_of
from ...teaching.levels.level import Level
from ...teaching.progress.progress import Answered
from ...teaching.tasks.own_tasks import with_own_tasks
from .lesson import Standing, standing

OPEN, SOLVED, AT_PAR = "open", "solved", "at par"


def lesson_in(session: Session) -> Lesson | None:
    """The lesson that a session holds, with the tasks of shipped examples in it; None where nothing asks anything."""
    lesson = lesson_of(with_own_tasks(session))
    if lesson is None:
        return None
    steps = zip(lesson.steps, session.experiments, strict=True)
    return replace(lesson, steps=tuple(replace(step, experiment=experiment) for step, experiment in steps))


class LessonItem(Struct, frozen=True):
    """A lesson, and how far somebody came in it."""

    lesson: Lesson
    number: int
    """Of the lessons that come with dmlviz, from 1; 0 for one of the session's own."""
    standing: Standing

    @property
    def id(self) -> str:
        return self.lesson.id

    @property
    def title(self) -> str:
        return self.lesson.title

    @property
    def about(self) -> str:
        """What a student can say or do after the lesson."""
        return self.lesson.goal.in_language(self.lesson.lang)

    @property
    def is_done(self) -> bool:
        return self.standing.rounds > 0

    @property
    def status_text(self) -> str:
        """How far somebody came, in a few words."""
        standing = self.standing
        if self.is_done and not standing.done:
            return "done"
        if standing.done == standing.count and self.lesson.exit:
            return f"question {standing.exits + 1} of {self.lesson.exit}"
        return f"{standing.done} of {standing.count}" + (", again" if self.is_done else "")


class LevelItem(Struct, frozen=True):
    """A level, and the student's best."""

    level: Level
    best: int | None

    @property
    def id(self) -> str:
        return self.level.id

    @property
    def title(self) -> str:
        return self.level.title()

    @property
    def about(self) -> str:
        """What the level asks for, or else what it teaches."""
        return self.level.task.say.in_language() or self.level.level_task.learn.in_language()

    @property
    def status(self) -> str:
        """`OPEN`, `SOLVED` or `AT_PAR`."""
        if self.best is None:
            return OPEN
        return AT_PAR if self.best <= self.level.par else SOLVED

    @property
    def status_text(self) -> str:
        """Par, and the student's best where it is more than that."""
        par = f"par {self.level.par}"
        return f"{self.best}, {par}" if self.status == SOLVED else par


Item = LessonItem | LevelItem


class CourseState(Struct, frozen=True):
    """What the map shows at one moment."""

    own: tuple[LessonItem, ...]
    """The session's own lesson, where it has one."""
    lessons: tuple[LessonItem, ...]
    levels: tuple[LevelItem, ...]
    at: int
    """Which of `items` the cursor is on."""

    @property
    def items(self) -> tuple[Item, ...]:
        """Every lesson and level, in the order of the list."""
        return (*self.own, *self.lessons, *self.levels)

    @property
    def item(self) -> Item:
        """The lesson or level that the cursor is on."""
        return self.items[self.at]


class CourseMap:
    """A cursor over lessons and levels."""

    def __init__(
        self,
        lessons: Sequence[Lesson],
        levels: Sequence[Level],
        answers: Sequence[Answered],
        *,
        own: Lesson | None = None,
    ) -> None:
        """`own` is the lesson of the session that is open. The cursor begins at what is to be done next."""
        self._lessons, self._levels, self._own = tuple(lessons), tuple(levels), own
        self.state = self._state_of(answers, 0)
        if own is None:
            self.to_next()

    def _state_of(self, answers: Sequence[Answered], at: int) -> CourseState:
        own = (LessonItem(self._own, 0, standing(self._own, answers)),) if self._own is not None else ()
        lessons = tuple(LessonItem(lesson, k + 1, standing(lesson, answers)) for k, lesson in enumerate(self._lessons))
        levels = tuple(LevelItem(level, best(level, answers)) for level in self._levels)
        return CourseState(own, lessons, levels, at)

    def refresh(self, answers: Sequence[Answered]) -> CourseState:
        """The course with marks for `answers`, which may have grown."""
        self.state = self._state_of(answers, self.state.at)
        return self.state

    def go(self, at: int) -> CourseState:
        """Moves the cursor to item `at`, not beyond the ends."""
        state = self.state
        at = max(0, min(len(state.items) - 1, at))
        self.state = CourseState(state.own, state.lessons, state.levels, at)
        return self.state

    def move(self, by: int) -> CourseState:
        return self.go(self.state.at + by)

    def to_next(self) -> CourseState:
        """Moves the cursor to the lesson that was begun, else the first that isn't done, else the first open level."""
        items = self.state.items
        begun = [k for k, entry in enumerate(items) if isinstance(entry, LessonItem) and entry.standing.done]
        new = [k for k, entry in enumerate(items) if isinstance(entry, LessonItem) and not entry.is_done]
        levels = [k for k, entry in enumerate(items) if isinstance(entry, LevelItem) and entry.status == OPEN]
        return self.go(next(iter((*begun, *new, *levels)), 0))

    def find(self, id_: str) -> int | None:
        """Which lesson or level has an id, from 0; None where none has."""
        return next((k for k, entry in enumerate(self.state.items) if entry.id == id_), None)
