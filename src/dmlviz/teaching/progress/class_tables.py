"""What a class has handed in: what each student did at each task, and the wrong rules that the answers follow."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from .hand_ins import AskedTask, HandIn, tidied
from .progress import AGAIN, NO_LESSON, Answered, counted_as

RIGHT, LOOKED_UP, WRONG, SKIPPED, NOTHING = "right", "looked up", "wrong", "skipped", "nothing"
"""How a first try went; nothing was handed in."""
Students = Mapping[str, Sequence[Answered]]
"""The answers of each, by name, in the order in which they were given."""


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


class ClassTable(Struct, frozen=True):
    """All that a class has handed in."""

    students: Students
    rows: tuple[Row, ...]
    """By lesson, in the order in which its tasks are asked, by student."""

    @property
    def rules(self) -> list[tuple[tuple[str, ...], list[str]]]:
        """(wrong rules that give the same answer, students who gave such a one), those of most students first."""
        holders: dict[tuple[str, ...], list[str]] = {}
        for name, answers in self.students.items():
            for rules in dict.fromkeys(answer.rules for answer in answers if answer.rules):
                holders.setdefault(rules, []).append(name)
        return sorted(holders.items(), key=lambda each: (-len(each[1]), each[0]))


def class_table(hand_ins: Sequence[HandIn]) -> ClassTable:
    """What hand-ins hold. Those of one name are one student's, and an answer in two of them counts once.

    One without a name goes by its file's.
    """
    given: dict[str, dict[str, Answered]] = {}
    spelled: dict[str, str] = {}
    for hand_in in hand_ins:
        tidy = tidied(hand_in.name)
        name = spelled.setdefault(tidy, hand_in.name) if tidy else hand_in.file
        given.setdefault(name, {}).update((answer.line(), answer) for answer in hand_in.answers)
    students = {name: [*given[name].values()] for name in sorted(given, key=lambda name: (name.casefold(), name))}
    return ClassTable(students, tuple(_rows(hand_ins, students)))


def _rows(hand_ins: Iterable[HandIn], students: Students) -> Iterator[Row]:
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
            key = _key(counted_as(answer.lesson, answer.kind), answer.task.removesuffix(AGAIN), answer.kind)
            asked.setdefault(key, AskedTask(task=key[1], kind=answer.kind))
            given.setdefault(key, {}).setdefault(student, []).append(answer)
    for key in sorted(asked, key=lambda key: key[0]):  # a lesson's stay in their order
        by_student = given.get(key, {})
        for student in students if key in told else by_student:
            yield _row(key[0] or NO_LESSON, asked[key], student, by_student.get(student, []))


def _key(lesson: str, task: str, kind: str) -> tuple[str, str]:
    """What tells a task from others: what is asked without a lesson is told apart by its kind, too."""
    return lesson, task if lesson else f"{task}/{kind}"


def _row(lesson: str, asked: AskedTask, student: str, answers: Sequence[Answered]) -> Row:
    """What a student did at a task, by all answers in the order in which they were given."""
    tries = [answer for answer in answers if not answer.skipped]
    first, mark = None, SKIPPED if answers else NOTHING
    if tries:
        first = tries[0]
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
