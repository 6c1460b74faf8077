"""The end of a lesson without a screen: what was mended, with a picture, and first tries beside later ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct

from ...errors import DmlvizError
from ...scene.drawing.small_table import SmallTable
from ...teaching.lessons.lessons import Lesson
from ...teaching.progress.progress import AGAIN, Answered, is_of
from ...teaching.questions.question import Question
from ...teaching.questions.subject import Reading, Subject, shown
from ...teaching.tasks.tasks import question_of
from .lesson import MISSED, SKIPPED, exit_id, first_tries, has_tested_out, is_mended

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
    """A reading's first output, without axes of one element, which nobody sees; None for a large one."""
    sizes = reading.sizes[0]
    if math.prod(sizes) > MOST_SHOWN:
        return None
    texts = [shown(reading.value[0, index]) for index in np.ndindex(*sizes)]
    return SmallTable(((tuple(n for n in sizes if n > 1) or (1,), texts),))
