"""What a class has handed in: what each student did at each task, and the wrong rules that the answers follow."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from .hand_ins import HandIn, tidied
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


class ClassTable(Struct, frozen=True):
    """All that a class has handed in."""

    students: Students
    rows: tuple[Row, ...]
    """By lesson, in the order in which its tasks were first answered, by student."""

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
    return ClassTable(students, tuple(_rows(students)))


def _rows(students: Students) -> Iterator[Row]:
    """What each student did at each task that anybody answered; without a lesson, of those who did."""
    given: dict[tuple[str, str], dict[str, list[Answered]]] = {}
    every = [(student, answer) for student, answers in students.items() for answer in answers]
    for student, answer in sorted(every, key=lambda each: each[1].time):
        lesson = counted_as(answer.lesson, answer.kind)
        # What is asked without a lesson is told apart by its kind, too.
        task = answer.task.removesuffix(AGAIN) if lesson else f"{answer.task}/{answer.kind}"
        given.setdefault((lesson, task), {}).setdefault(student, []).append(answer)
    for lesson, task in sorted(given, key=lambda key: key[0]):
        by_student = given[lesson, task]
        kind = next(iter(by_student.values()))[0].kind
        for student in students:
            if lesson or student in by_student:
                yield _row(lesson or NO_LESSON, task, kind, student, by_student.get(student, []))


def _row(lesson: str, task: str, kind: str, student: str, answers: Sequence[Answered]) -> Row:
    """What a student did at a task, by all answers in the order in which they were given."""
    tries = [answer for answer in answers if not answer.skipped]
    first, mark = None, SKIPPED if answers else NOTHING
    if tries:
        first = tries[0]
        mark = WRONG if not first.right else LOOKED_UP if first.looked_up else RIGHT
    return Row(
        lesson=lesson,
        task=task,
        kind=kind,
        student=student,
        first=mark,
        tries=len(tries),
        hints=max((answer.rungs for answer in answers), default=0),
        right=int(any(answer.right for answer in answers)),
        answer=json.dumps(first.answer, sort_keys=True, ensure_ascii=False) if first is not None else "",
        rules=first.rules if first is not None else (),
    )
