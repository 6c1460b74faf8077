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
from .lesson import LEFT_OUT, SKIPPED, first_tries, standing


def lesson_in(session: Session) -> Lesson | None:
    """The lesson that a session holds, with the tasks of shipped examples in it; None where nothing asks anything."""
    lesson = lesson_of(with_own_tasks(session))
    if lesson is None:
        return None
    steps = zip(lesson.steps, session.experiments, strict=True)
    return replace(lesson, steps=tuple(replace(step, experiment=one) for step, one in steps))


class Item(Struct, frozen=True, kw_only=True):
    """A lesson or a level, and how far somebody came in it."""

    id: str
    title: str
    about: str
    """What a student can do after the lesson; what the level asks for, or else what it teaches."""
    what: Lesson | Level
    sign: str
    """What stands before it in the list: a lesson's number, or a level's id and whether it is solved, or at par."""
    status: str
    """How far somebody came, in a few words."""
    is_done: bool
    number: int = 0
    """Of the lessons that come with dmlviz, from 1; 0 for anything else."""
    marks: tuple[str, ...] = ()
    """Of each step: how it stands in a lesson that is gone through, else how the first try went."""
    is_begun: bool = False
    is_at_end: bool = False
    """A lesson is gone through, and not begun anew."""


class Course(Struct, frozen=True):
    """Lessons and levels with what was answered of them."""

    lessons: tuple[Item, ...]
    """The session's own lesson first, where it has one."""
    levels: tuple[Item, ...]

    @property
    def items(self) -> tuple[Item, ...]:
        """Every lesson and level, in the order of the list."""
        return (*self.lessons, *self.levels)

    @property
    def next(self) -> Item:
        """The session's own lesson, the lesson that was begun, or the first that isn't done."""
        begun = [item for item in self.lessons if item.is_begun or not (item.number or item.is_done)]
        return next(iter((*begun, *(item for item in self.items if not item.is_done))), self.items[0])

    def following(self, id_: str) -> Item | None:
        """The lesson or level after that of an id: the next one that isn't done yet, else the next; None at the end."""
        group = self.levels if any(level.id == id_ for level in self.levels) else self.lessons
        after = group[[item.id for item in group].index(id_) + 1 :]
        return next((item for item in after if not item.is_done), after[0] if after else None)

    def find(self, id_: str) -> Item | None:
        """The lesson or level of an id."""
        return next((item for item in self.items if item.id == id_), None)


def course_of(
    lessons: Sequence[Lesson], levels: Sequence[Level], answers: Sequence[Answered], own: Lesson | None = None
) -> Course:
    """The course of whoever gave some answers; `own` is the lesson of the session that is open."""
    items = [] if own is None else [_lesson_item(own, 0, answers)]
    items += [_lesson_item(lesson, number, answers) for number, lesson in enumerate(lessons, 1)]
    return Course(tuple(items), tuple(_level_item(level, best(level, answers)) for level in levels))


def _lesson_item(lesson: Lesson, number: int, answers: Sequence[Answered]) -> Item:
    now = standing(lesson, answers)
    is_done = now.rounds > 0 or now.tested_out
    if is_done and not now.done:
        status = sentence("map.done")
    elif now.done == now.count and lesson.exit:
        status = sentence("map.question", at=now.exits + 1, count=lesson.exit)
    else:
        status = sentence("words.of", number=now.done, count=now.count)
    firsts, _ = first_tries(lesson, answers)
    ends_with_steps = not lesson.exit and 0 < now.count == now.done
    return Item(
        id=lesson.id,
        title=lesson.title,
        about=lesson.goal,
        what=lesson,
        sign=f"{number or '·'} ",
        status=status,
        is_done=is_done,
        number=number,
        marks=now.marks if now.done or not is_done else tuple(mark or SKIPPED for mark in firsts),
        is_begun=now.done > 0,
        is_at_end=ends_with_steps or (now.rounds > 0 and set(now.marks) <= {"", LEFT_OUT}),
    )


def _level_item(level: Level, least: int | None) -> Item:
    sign = "□" if least is None else "★" if least <= level.par else "✓"
    return Item(
        id=level.id,
        title=level.title(),
        about=level.task.say or level.task.learn,
        what=level,
        sign=f"{sign} {level.id}",
        status=sentence("map.best" if sign == "✓" else "map.par", par=level.par, best=least),
        is_done=least is not None,
    )
