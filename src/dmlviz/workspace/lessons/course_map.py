"""The course without a screen: lessons and levels in one list, and how far somebody came in each."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from ...session.experiments import Session
from ...teaching.lessons.lessons import Lesson, lesson_of
from ...teaching.levels.level import Level, best
from ...teaching.progress.progress import Answered
from ...teaching.tasks.own_tasks import with_own_tasks
from ...teaching.words.catalogue import sentence
from .lesson import LEFT_OUT, SKIPPED, Standing, first_tries, standing


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
        return standing.rounds > 0 and set(standing.marks) <= {"", LEFT_OUT}

    @property
    def marks(self) -> tuple[str, ...]:
        """Of each step: how it stands in a lesson that is gone through, else how the first try went."""
        if self.standing.done or not self.is_done:
            return self.standing.marks
        return tuple(mark or SKIPPED for mark in self.firsts)

    @property
    def status(self) -> str:
        """How far somebody came, in a few words."""
        standing = self.standing
        if self.is_done and not standing.done:
            return sentence("map.done")
        if standing.done == standing.count and self.lesson.exit:
            return sentence("map.question", at=standing.exits + 1, count=self.lesson.exit)
        return sentence("words.of", number=standing.done, count=standing.count)


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
        return self.level.task.say or self.level.task.learn

    @property
    def is_done(self) -> bool:
        return self.best is not None

    @property
    def sign(self) -> str:
        """Whether it is open, solved or solved at par."""
        if self.best is None:
            return "□"
        return "★" if self.best <= self.level.par else "✓"

    @property
    def status(self) -> str:
        """Par, and the student's best where it is more than that."""
        key = "map.best" if self.sign == "✓" else "map.par"
        return sentence(key, par=self.level.par, best=self.best)


Item = LessonItem | LevelItem


class Course(Struct, frozen=True):
    """Lessons and levels with what was answered of them."""

    lessons: tuple[LessonItem, ...]
    """The session's own lesson first, where it has one."""
    levels: tuple[LevelItem, ...]

    @property
    def items(self) -> tuple[Item, ...]:
        """Every lesson and level, in the order of the list."""
        return (*self.lessons, *self.levels)

    @property
    def next(self) -> Item:
        """The session's own lesson, the lesson that was begun, or the first that isn't done."""
        begun = [item for item in self.lessons if item.standing.done or not (item.number or item.is_done)]
        return next(iter((*begun, *(item for item in self.items if not item.is_done))), self.items[0])

    def following(self, id_: str) -> Item | None:
        """The lesson or level after that of an id: the next one that isn't done yet, else the next; None at the end."""
        group: Sequence[Item] = self.levels if any(level.id == id_ for level in self.levels) else self.lessons
        after = group[[item.id for item in group].index(id_) + 1 :]
        return next((item for item in after if not item.is_done), after[0] if after else None)

    def find(self, id_: str) -> Item | None:
        """The lesson or level of an id."""
        return next((item for item in self.items if item.id == id_), None)


def course_of(
    lessons: Sequence[Lesson], levels: Sequence[Level], answers: Sequence[Answered], own: Lesson | None = None
) -> Course:
    """The course of whoever gave some answers; `own` is the lesson of the session that is open."""
    numbered = [*((0, own) for own in [own] if own is not None), *enumerate(lessons, 1)]
    items = [
        LessonItem(lesson, number, standing(lesson, answers), first_tries(lesson, answers)[0])
        for number, lesson in numbered
    ]
    return Course(tuple(items), tuple(LevelItem(level, best(level, answers)) for level in levels))
