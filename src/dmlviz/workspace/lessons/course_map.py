"""The course without a screen: lessons and levels in one list, how far somebody came, and the end of a lesson."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ...errors import DmlvizError
from ...scene.drawing.small_table import SmallTable
from ...session.experiments import Session
from ...teaching.lessons.lessons import Lesson, lesson_of
from ...teaching.levels.level import Level, best
from ...teaching.progress.progress import AGAIN, Answered, is_of
from ...teaching.questions.question import Question
from ...teaching.questions.subject import Reading, Subject, shown
from ...teaching.tasks.own_tasks import with_own_tasks
from ...teaching.tasks.tasks import question_of
from ...teaching.words.catalogue import sentence
from .lesson import LEFT_OUT, MISSED, SKIPPED, exit_id, first_tries, has_tested_out, is_mended, standing


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


MOST_SHOWN = 36
"""Elements of a picture, at most."""


class Belief(Struct, frozen=True, kw_only=True):
    """A wrong rule that an answer of the lesson followed."""

    rule: str
    name: str
    """Of two rules that gave the same answers both names."""
    mended: bool
    """A later question on it was answered rightly."""
    feedback: str
    """What is so instead."""
    picture: tuple[SmallTable, SmallTable] | None
    """The output by that rule and the true one; None where no small output shows it."""


class LessonEnd(Struct, frozen=True, kw_only=True):
    """What the last page of a lesson shows."""

    title: str
    tested_out: bool
    firsts: tuple[str, ...]
    """Of each step the mark of the first answer ever; "" for none."""
    later: tuple[str, ...]
    """The same by now: "right" once any answer was."""
    exits: tuple[int, int]
    """(right, answers) of the last questions at the end."""
    beliefs: tuple[Belief, ...]
    """Those that were mended first."""
    following: str
    """The title of the lesson that comes next; "" where none does."""

    @property
    def missed(self) -> int:
        """How many steps were not answered rightly at the first try."""
        return sum(mark in (MISSED, SKIPPED) for mark in self.firsts)


def lesson_end(lesson: Lesson, answers: Sequence[Answered], *, following: str) -> LessonEnd:
    """The end of a lesson, by all answers of a student; `following` is the title of the next lesson."""
    firsts, later = first_tries(lesson, answers)
    tasks = {exit_id(lesson), *(step.task.id for step in lesson.steps if step.task is not None)}
    own = [a for a in answers if a.task.removesuffix(AGAIN) in tasks and is_of(a, lesson.name)]
    exits = [answer for answer in own if answer.task == exit_id(lesson)][-lesson.exit :] if lesson.exit else []
    given = {rule: tuple(k for k, a in enumerate(own) if rule in a.rules) for answer in own for rule in answer.rules}
    lines = dict.fromkeys(given[answer.rules[0]] for answer in own if answer.rules)
    alike = [([rule for rule in given if given[rule] == line], own[line[-1]]) for line in lines]
    beliefs = [belief for rules, last in alike if (belief := _belief(lesson, rules, last, own)) is not None]
    return LessonEnd(
        title=lesson.title,
        tested_out=has_tested_out(lesson, answers) and not exits,
        firsts=firsts,
        later=later,
        exits=(sum(answer.right for answer in exits), len(exits)),
        beliefs=tuple(sorted(beliefs, key=lambda belief: not belief.mended)),
        following=following,
    )


def _belief(lesson: Lesson, rules: Sequence[str], last: Answered, answers: Sequence[Answered]) -> Belief | None:
    """Wrong rules that gave the same answers in words, the first in the picture of the first step that shows it.

    None for what nothing knows.
    """
    rule = rules[0]
    asked = [question for question in _questions(lesson, last) if question.knows(rule)]
    if not asked:
        return None
    pictures = ((question, picture) for question in asked if (picture := _pictured(question.subject, rule)) is not None)
    question, picture = next(pictures, (asked[0], None))
    known = question.rule(rule)
    return Belief(
        rule=rule,
        name=" or ".join(question.rule(each).name for each in rules[:2] if question.knows(each)),
        mended=is_mended(rules, answers),
        feedback=known.says(question.subject.desc),
        picture=picture,
    )


def _questions(lesson: Lesson, answered: Answered) -> Iterator[Question]:
    """The questions of a lesson's steps about valid descs of an answer's operator, the one that was answered first."""
    tasks = [(step.experiment, step.task) for step in lesson.steps if step.task is not None]
    for experiment, task in sorted(tasks, key=lambda each: each[1].id != answered.task.removesuffix(AGAIN)):
        try:
            question = question_of(experiment, task, lesson.seed)
        except DmlvizError:
            continue
        if question.subject.operator.name == answered.operator and question.subject.valid:
            yield question


def _pictured(subject: Subject, rule: str) -> tuple[SmallTable, SmallTable] | None:
    """The first output by a rule and by the truth; None where that is large, or they look alike."""
    reading = subject.element_readings.get(rule) if subject.is_small else None
    if reading is None or not reading.sizes or not subject.truth.sizes:
        return None
    wrong, true = _table(reading), _table(subject.truth)
    promised = all(subject.truth.promised.get((0, index)) for index in np.ndindex(*subject.truth.sizes[0]))
    return None if wrong is None or true is None or wrong == true or not promised else (wrong, true)


def _table(reading: Reading) -> SmallTable | None:
    sizes = reading.sizes[0]
    if math.prod(sizes) > MOST_SHOWN:
        return None
    texts = [shown(reading.value[0, index]) for index in np.ndindex(*sizes)]
    return SmallTable(((tuple(n for n in sizes if n > 1) or (1,), texts),))
