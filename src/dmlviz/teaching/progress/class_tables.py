"""What a class has handed in: what each student did at each task, and the wrong rules that the answers follow."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from ...errors import quote
from .hand_ins import AskedTask, HandIn, tidied
from .progress import AGAIN, NO_LESSON, Answered, counted_as

RIGHT, LOOKED_UP, WRONG, SKIPPED, NOTHING = "right", "looked up", "wrong", "skipped", "nothing"
"""How a first try went; nothing was handed in."""
Students = Mapping[str, Sequence[Answered]]
"""The answers of each, by name."""


class Row(Struct, frozen=True, kw_only=True):
    """What one student did at one task: a row for a spreadsheet."""

    lesson: str
    """The name of its lesson, or `NO_LESSON`."""
    task: str
    kind: str
    student: str
    first: str
    """How the first try went; skipped where nothing else was done."""
    tries: int
    """Answers, without what was skipped."""
    hints: int
    right: int
    """1 if any answer was right, else 0."""
    answer: str
    """The first one as JSON; "" where nobody answered."""
    rules: tuple[str, ...]
    """Wrong rules that give it."""
    prompt: str


class ClassTable(Struct, frozen=True, kw_only=True):
    """All that a class has handed in."""

    students: Students
    rows: tuple[Row, ...]
    """By lesson, in the order in which its tasks are asked, by student."""
    sentences: tuple[str, ...]
    """What was handed in twice under one name, and which of it counts."""

    @property
    def rules(self) -> list[tuple[tuple[str, ...], list[str]]]:
        """(wrong rules that give the same answer, students who gave such a one), those of most students first."""
        holders: dict[tuple[str, ...], list[str]] = {}
        for name, answers in self.students.items():
            for rules in dict.fromkeys(answer.rules for answer in answers if answer.rules):
                holders.setdefault(rules, []).append(name)
        return sorted(holders.items(), key=lambda each: (-len(each[1]), each[0]))


def class_table(hand_ins: Iterable[HandIn]) -> ClassTable:
    """What hand-ins hold, by student. Of those of one name the later counts, for each lesson."""
    named = _named([*hand_ins])
    students: dict[str, list[Answered]] = {}
    sentences: list[str] = []
    for name in sorted({hand_in.name for hand_in in named}, key=lambda name: (name.casefold(), name)):
        by_lesson: dict[str, list[HandIn]] = {}
        for hand_in in named:
            for lesson in {hand_in.lesson, *(a.lesson for a in hand_in.answers)} if hand_in.name == name else ():
                by_lesson.setdefault(lesson, []).append(hand_in)
        students[name] = []
        for lesson, having in sorted(by_lesson.items(), key=lambda each: each[0]):
            own = [[answer for answer in hand_in.answers if answer.lesson == lesson] for hand_in in having]
            latest = max(range(len(own)), key=lambda k: max((answer.time for answer in own[k]), default=""))
            students[name] += {answer.line(): answer for answer in own[latest]}.values()
            if len(having) > 1 and (lesson or any(own)):
                of = f" of {quote(lesson)}" if lesson else ""
                counts = f"{having[latest].file} is the latest, and counts"
                sentences.append(f"{quote(name)} has handed in {len(having)} files{of}: {counts}.")
    return ClassTable(students=students, rows=tuple(_rows(named, students)), sentences=tuple(sentences))


def _named(hand_ins: list[HandIn]) -> list[HandIn]:
    """Hand-ins of which each has a name: its file's where it says none, the whole path where two files have one.

    A name that is spelled in two ways is one. They are turned around: of two that were ended at one time the later in
    the list comes first.
    """
    stems = [Path(hand_in.file).stem for hand_in in hand_ins if not hand_in.name.strip()]
    spellings: dict[str, str] = {}
    named = []
    for hand_in in hand_ins:
        stem = Path(hand_in.file).stem
        name = hand_in.name if hand_in.name.strip() else stem if stems.count(stem) == 1 else hand_in.file
        named.append(replace(hand_in, name=spellings.setdefault(tidied(name), name)))
    return named[::-1]


def _rows(hand_ins: Sequence[HandIn], students: Students) -> Iterator[Row]:
    """What each student did at each task that was asked or answered, in the order of its lesson's longest list.

    Whoever handed in nothing of a task that a file lists has a row, too.
    """
    asked: dict[tuple[str, str], AskedTask] = {}
    for hand_in in sorted(hand_ins, key=lambda one: -len(one.tasks)):
        for task in hand_in.tasks:
            asked.setdefault(_key(counted_as(hand_in.lesson, task.kind), task.task, task.kind), task)
    told = {*asked}
    given: dict[tuple[str, str], dict[str, list[Answered]]] = {}
    for student, answers in students.items():
        for answer in answers:
            key = _key(answer.lesson, answer.task.removesuffix(AGAIN), answer.kind)
            asked.setdefault(key, AskedTask(task=key[1], kind=answer.kind))
            given.setdefault(key, {}).setdefault(student, []).append(answer)
    for lesson, id_ in sorted(asked, key=lambda key: key[0]):  # a lesson's stay in their order
        by_student = given.get((lesson, id_), {})
        for student in students if (lesson, id_) in told else by_student:
            yield _row(lesson or NO_LESSON, asked[lesson, id_], student, by_student.get(student, []))


def _key(lesson: str, task: str, kind: str) -> tuple[str, str]:
    """What tells a task from others: what is asked without a lesson is told apart by its kind, too."""
    return lesson, task if lesson else f"{task}/{kind}"


def _row(lesson: str, asked: AskedTask, student: str, answers: Sequence[Answered]) -> Row:
    """What a student did at a task, by all answers in the order in which they were given."""
    tries = [answer for answer in answers if not answer.skipped]
    first = tries[0] if tries else None
    mark = SKIPPED if answers else NOTHING
    if first is not None:
        mark = WRONG if not first.right else LOOKED_UP if first.looked_up else RIGHT
    return Row(
        lesson=lesson,
        task=asked.task,
        kind=asked.kind,
        student=student,
        first=mark,
        tries=len(tries),
        hints=max((answer.rungs for answer in answers), default=0),
        right=int(any(answer.right for answer in answers)),
        answer=json.dumps(first.answer, sort_keys=True, ensure_ascii=False) if first is not None else "",
        rules=first.rules if first is not None else (),
        prompt=asked.prompt,
    )
