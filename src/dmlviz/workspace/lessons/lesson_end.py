"""The end of a lesson without a screen: what was mended, with a picture, and first tries beside later ones."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from ...errors import DmlvizError
from ...scene.drawing.small_table import SmallTable
from ...teaching.lessons.lessons import Lesson, Step
from ...teaching.progress.progress import AGAIN, Answered, is_of
from ...teaching.questions.question import Question
from ...teaching.questions.subject import Reading, Subject, shown
from ...teaching.tasks.tasks import question_of
from ...teaching.words.catalogue import sentence
from .lesson import MISSED, SKIPPED, exit_id, first_tries, is_mended

ACROSS, DOWN = 6, 4
"""Elements of a small table along the last axis that is longer than 1, and along the one before it."""


class Pictured(Struct, frozen=True):
    """The output by a wrong rule beside the true one: their titles and tables."""

    wrong: tuple[str, SmallTable]
    true: tuple[str, SmallTable]


class Belief(Struct, frozen=True, kw_only=True):
    """A wrong rule that an answer of the lesson followed."""

    rule: str
    name: str
    mended: bool
    """A later question on it was answered rightly."""
    feedback: str
    """What is so instead."""
    picture: Pictured | None = None
    """None where no small output shows it."""


class LessonEnd(Struct, frozen=True, kw_only=True):
    """What the last page of a lesson shows."""

    title: str
    tested_out: bool
    firsts: tuple[str, ...]
    """Of each step the first answer ever: "right", "looked up", "missed", "skipped", or "" for none."""
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


def lesson_end(lesson: Lesson, answers: Sequence[Answered], *, following: str, tested_out: bool = False) -> LessonEnd:
    """The end of a lesson, by all answers of a student; `following` is the title of the next lesson."""
    firsts, later = first_tries(lesson, answers)
    exits = [answer for answer in answers if answer.task == exit_id(lesson) and is_of(answer, lesson.name)]
    exits = exits[-lesson.exit :] if lesson.exit else []
    return LessonEnd(
        title=lesson.title,
        tested_out=tested_out,
        firsts=firsts,
        later=later,
        exits=(sum(answer.right for answer in exits), len(exits)),
        beliefs=tuple(sorted(_beliefs(lesson, answers), key=lambda belief: not belief.mended)),
        following=following,
    )


def _beliefs(lesson: Lesson, answers: Sequence[Answered]) -> list[Belief]:
    """The wrong rules that answers of a lesson followed, with what shows them; two that gave the same are one."""
    steps = {id_: step for step in lesson.steps if step.task for id_ in (step.task.id, f"{step.task.id}{AGAIN}")}
    own = [a for a in answers if (a.task in steps or a.task == exit_id(lesson)) and is_of(a, lesson.name)]
    together: dict[tuple[int, ...], list[str]] = {}
    said = dict.fromkeys(answer.rules[0] for answer in own if answer.rules)
    for rule in dict.fromkeys((*said, *(rule for answer in own for rule in answer.rules))):
        given = tuple(k for k, answer in enumerate(own) if rule in answer.rules)
        if rule in said or given in together:
            together.setdefault(given, []).append(rule)
    beliefs = []
    for given, rules in together.items():
        last = own[given[-1]]
        own_step = steps.get(last.task)
        tried = [*([own_step] if own_step else []), *(other for other in lesson.steps if other is not own_step)]
        belief = _belief(lesson, [step for step in tried if step.task is not None], rules, last.operator)
        if belief is not None:
            beliefs.append(replace(belief, mended=is_mended(rules, own)))
    return beliefs


def _belief(lesson: Lesson, steps: Sequence[Step], rules: Sequence[str], op: str) -> Belief | None:
    """Wrong rules in words, the first in the picture of the first step that shows it; None for what nothing knows."""
    named: Belief | None = None
    for step in steps:
        try:
            question = _question_of(lesson, step)
        except DmlvizError:
            continue
        subject = question.subject
        if subject.operator.name != op or not subject.valid or not question.knows(rules[0]):
            continue
        picture = _pictured(subject, rules[0])
        if named is None or picture is not None:
            known = [question.rule(rule) for rule in rules[:2] if question.knows(rule)]
            name, feedback = " or ".join(rule.name for rule in known), known[0].says(subject.desc)
            named = Belief(rule=rules[0], name=name, mended=False, feedback=feedback, picture=picture)
        if picture is not None:
            break
    return named


def _question_of(lesson: Lesson, step: Step) -> Question:
    assert step.task is not None
    return question_of(step.experiment, step.task, lesson.seed)


def _pictured(subject: Subject, rule: str) -> Pictured | None:
    """The first output by a rule and by the truth, of both what lies at the origin; None where they look alike."""
    reading = subject.element_readings.get(rule) if subject.is_small else None
    if reading is None or not reading.sizes or not subject.truth.sizes:
        return None
    wrong, true = _table(subject, reading), _table(subject, subject.truth)
    if wrong is None or true is None or wrong == true:
        return None
    said, so = (sentence(key) for key in ("end.said", "end.so"))
    return Pictured((said, wrong), (so, true))


def _table(subject: Subject, reading: Reading) -> SmallTable | None:
    """The cells of a reading's first output at the origin, `DOWN` rows of `ACROSS` at most; None for none."""
    sizes = reading.sizes[0]
    wide = [1] * len(sizes)
    for axis, most in zip([d for d in reversed(range(len(sizes))) if sizes[d] > 1][:2], (ACROSS, DOWN), strict=False):
        wide[axis] = min(sizes[axis], most)
    cells = [(0, index) for index in itertools.product(*map(range, wide))]
    if reading is subject.truth and not all(map(subject.truth.promised.get, cells)):
        return None
    texts = [shown(reading.value[cell]) for cell in cells]
    return SmallTable(((tuple(n for n in wide if n > 1) or (1,), texts),))
