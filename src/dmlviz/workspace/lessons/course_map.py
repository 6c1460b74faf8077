"""The course map without a screen: lessons and levels in one list, and how far somebody came in each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from ...session.experiments import Session
from ...teaching.lessons.lessons import Lesson, lesson_of
from ...teaching.levels.level import Level, best
from ...teaching.progress.progress import Answered
from ...teaching.tasks.own_tasks import with_own_tasks
from ...teaching.words.catalogue import sentence
from .lesson import SKIPPED, Standing, first_tries, standing

OPEN, SOLVED, AT_PAR = "open", "solved", "at par"


def lesson_in(session: Session) -> Lesson | None:
    """The lesson that a session holds, with the tasks of shipped examples in it; None where nothing asks anything."""
    lesson = lesson_of(with_own_tasks(session))
    if lesson is None:
        return None
    steps = zip(lesson.steps, session.experiments, strict=True)
    return replace(lesson, steps=tuple(replace(step, experiment=one) for step, one in steps))


class LessonItem(Struct, frozen=True):
    """A lesson, and how far somebody came in it."""

    lesson: Lesson
    number: int
    """Of the lessons that come with dmlviz, from 1; 0 for one of the session's own."""
    standing: Standing
    firsts: tuple[str, ...]
    """Of each step the first try ever, as `first_tries` has them."""

    @property
    def id(self) -> str:
        return self.lesson.id

    @property
    def title(self) -> str:
        return self.lesson.title

    @property
    def about(self) -> str:
        """What a student can say or do after the lesson."""
        return self.lesson.goal

    @property
    def is_done(self) -> bool:
        return self.standing.rounds > 0 or self.standing.tested_out

    @property
    def is_at_end(self) -> bool:
        """True once it is gone through, and not begun anew."""
        standing = self.standing
        if not self.lesson.exit:
            return 0 < standing.count == standing.done
        return standing.rounds > 0 and set(standing.marks) <= {"", "left out"}

    @property
    def marks(self) -> tuple[str, ...]:
        """Of each step: how it stands in a lesson that is gone through, else how the first try went."""
        if self.standing.done or not self.is_done:
            return self.standing.marks
        return tuple(mark or SKIPPED for mark in self.firsts)

    @property
    def status_text(self) -> str:
        """How far somebody came, in a few words."""
        standing = self.standing
        if self.is_done and not standing.done:
            return sentence("map.done")
        if standing.done == standing.count and self.lesson.exit:
            return sentence("map.question", at=standing.exits + 1, count=self.lesson.exit)
        return sentence("words.of", number=standing.done, count=standing.count)


def _item(lesson: Lesson, number: int, answers: Sequence[Answered]) -> LessonItem:
    return LessonItem(lesson, number, standing(lesson, answers), first_tries(lesson, answers)[0])


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
        level = self.level
        return level.task.say or level.task.learn

    @property
    def status(self) -> str:
        """`OPEN`, `SOLVED` or `AT_PAR`."""
        if self.best is None:
            return OPEN
        return AT_PAR if self.best <= self.level.par else SOLVED

    @property
    def status_text(self) -> str:
        """Par, and the student's best where it is more than that."""
        say = partial(sentence, par=self.level.par)
        return say("map.best", best=self.best) if self.status == SOLVED else say("map.par")


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
        own = (_item(self._own, 0, answers),) if self._own is not None else ()
        lessons = tuple(_item(lesson, k + 1, answers) for k, lesson in enumerate(self._lessons))
        levels = tuple(LevelItem(level, best(level, answers)) for level in self._levels)
        return CourseState(own=own, lessons=lessons, levels=levels, at=at)

    def refresh(self, answers: Sequence[Answered]) -> CourseState:
        """The course with marks for `answers`, which may have grown."""
        self.state = self._state_of(answers, self.state.at)
        return self.state

    def go(self, at: int) -> CourseState:
        """Moves the cursor to item `at`, not beyond the ends."""
        state = self.state
        at = max(0, min(len(state.items) - 1, at))
        self.state = replace(state, at=at)
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

    def following(self, id_: str) -> Item | None:
        """The lesson or level after that of an id: the next one that isn't done yet, else the next; None at the end."""
        state = self.state
        group: Sequence[Item] = state.levels if any(level.id == id_ for level in state.levels) else state.lessons
        at = next((k for k, entry in enumerate(group) if entry.id == id_), None)
        if at is None:
            return group[0] if group else None
        after = group[at + 1 :]
        open_ = (e for e in after if not (e.is_done if isinstance(e, LessonItem) else e.status != OPEN))
        return next(open_, next(iter(after), None))

    def typed(self, text: str) -> tuple[int | None, bool]:
        """(the item whose number or id was typed, whether more may follow): `3` is a lesson, `L09` a level."""
        ids = [str(e.number) if isinstance(e, LessonItem) else e.id.lower() for e in self.state.items]
        begins = [k for k, id_ in enumerate(ids) if id_.startswith(text.lower())]
        whole = next((k for k in begins if ids[k] == text.lower()), None)
        return whole, len(begins) > (whole is not None)

    def find(self, id_: str) -> int | None:
        """Which lesson or level has an id, from 0; None where none has."""
        return next((k for k, entry in enumerate(self.state.items) if entry.id == id_), None)
