"""What a class has handed in: students by tasks, tasks by answers, and the wrong rules that the answers follow."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

from msgspec import Struct
from msgspec.structs import replace

from ...errors import quote
from .hand_ins import AskedTask, HandIn, tidied
from .progress import AGAIN, EXIT, NO_LESSON, TEST, Answered, counted_as

RIGHT, LOOKED_UP, WRONG, SKIPPED = "right", "looked up", "wrong", "skipped"
"""How a first try went."""


class Tried(Struct, frozen=True, kw_only=True):
    """What one student did at one task."""

    student: str
    answers: tuple[Answered, ...]
    """In the order in which they were given; at least one."""

    @property
    def first(self) -> Answered:
        """The first answer; one that was skipped where nothing else was done."""
        return next((answer for answer in self.answers if not answer.skipped), self.answers[0])

    @property
    def tries(self) -> int:
        """Answers, without what was skipped."""
        return sum(not answer.skipped for answer in self.answers)

    @property
    def hints(self) -> int:
        """How many of the four hints were taken."""
        return max(answer.rungs for answer in self.answers)

    @property
    def mark(self) -> str:
        """How the first try went."""
        first = self.first
        if first.right:
            return LOOKED_UP if first.looked_up else RIGHT
        return SKIPPED if first.skipped else WRONG


class Given(Struct, frozen=True, kw_only=True):
    """One first answer to a task, and who gave it."""

    answer: str
    """As JSON; "" where nobody answered but skipped."""
    mark: str
    rules: tuple[str, ...]
    """Wrong rules that give it."""
    students: tuple[str, ...]


class ClassTask(Struct, frozen=True, kw_only=True):
    """One task, as a class has answered it."""

    lesson: str
    """The name of its lesson, or `NO_LESSON`."""
    asked: AskedTask
    tried: tuple[Tried, ...]
    """By student."""
    nothing: tuple[str, ...]
    """Students who handed in nothing of it; () of questions that differ from student to student."""

    @property
    def given(self) -> list[Given]:
        """The first answers, the commonest first."""
        groups: dict[tuple[str, str], list[Tried]] = {}
        for tried in self.tried:
            first = tried.first
            answer = "" if first.skipped else json.dumps(first.answer, sort_keys=True, ensure_ascii=False)
            groups.setdefault((tried.mark, answer), []).append(tried)
        given = [
            Given(answer=answer, mark=mark, rules=group[0].first.rules, students=tuple(t.student for t in group))
            for (mark, answer), group in groups.items()
        ]
        return sorted(given, key=lambda one: -len(one.students))


class ClassTable(Struct, frozen=True, kw_only=True):
    """All that a class has handed in."""

    students: tuple[tuple[str, tuple[Answered, ...]], ...]
    """(name, answers) of each, by name."""
    tasks: tuple[ClassTask, ...]
    """By lesson, in the order in which they are asked."""
    rules: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    """(wrong rules that give the same answer, students who gave such a one), those of most students first."""
    sentences: tuple[str, ...]
    """What was handed in twice under one name, and which of it counts."""

    @property
    def lessons(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(task.lesson for task in self.tasks))


def class_table(hand_ins: Iterable[HandIn]) -> ClassTable:
    """What hand-ins hold, by student. Of those of one name the later counts, for each lesson."""
    named = _named(hand_ins)
    students: dict[str, list[Answered]] = {}
    sentences: list[str] = []
    for name in sorted({hand_in.name for hand_in in named}, key=lambda name: (name.casefold(), name)):
        own = [hand_in for hand_in in named if hand_in.name == name]
        students[name] = []
        for lesson in sorted({lesson for hand_in in own for lesson in _lessons(hand_in)}):
            having = [hand_in for hand_in in own if lesson in _lessons(hand_in)]
            latest = max(having, key=lambda hand_in: _last_time(hand_in, lesson))
            answers = [answer for answer in latest.answers if answer.lesson == lesson]
            students[name] += {answer.line(): answer for answer in answers}.values()
            if len(having) > 1:
                of = f" of {quote(lesson)}" if lesson else ""
                sentences.append(
                    f"{quote(name)} has handed in {len(having)} files{of}: {latest.file} is the latest, and counts."
                )
    holders: dict[tuple[str, ...], list[str]] = {}
    for name, answers in students.items():
        for rules in dict.fromkeys(answer.rules for answer in answers if answer.rules):
            holders.setdefault(rules, []).append(name)
    return ClassTable(
        students=tuple((name, tuple(answers)) for name, answers in students.items()),
        tasks=tuple(_class_tasks(named, students)),
        rules=tuple((rules, tuple(holders[rules])) for rules in sorted(holders, key=lambda r: (-len(holders[r]), r))),
        sentences=tuple(sentences),
    )


def _named(hand_ins: Iterable[HandIn]) -> list[HandIn]:
    """Hand-ins of which each has a name: its file's where it says none, with its folder's
    where two files have one, with the whole path where two folders do.

    A name that is spelled in two ways is one. They are turned around: of two that were ended at one time the later in
    the list comes first.
    """
    listed = list(hand_ins)
    names = [name for hand_in in listed if not hand_in.name.strip() for name in _file_names(hand_in)]
    spellings: dict[str, str] = {}
    named = []
    for hand_in in listed:
        own = (name for name in _file_names(hand_in) if names.count(name) == 1)
        name = hand_in.name if hand_in.name.strip() else next(own, hand_in.file)
        named.append(replace(hand_in, name=spellings.setdefault(tidied(name), name)))
    return named[::-1]


def _file_names(hand_in: HandIn) -> tuple[str, str]:
    """What a hand-in without a name may be called: after its file, or after the folder of that, too."""
    path = Path(hand_in.file)
    return path.stem, f"{path.parent.name}/{path.stem}"


def _lessons(hand_in: HandIn) -> set[str]:
    """The lessons that a hand-in has something of; its own, though nothing of it was answered."""
    own = {hand_in.lesson} if hand_in.lesson or hand_in.tasks or not hand_in.answers else set()
    return own | {answer.lesson for answer in hand_in.answers}


def _last_time(hand_in: HandIn, lesson: str) -> str:
    """When a hand-in's last answer of a lesson was given; "" where nothing was."""
    return max((answer.time for answer in hand_in.answers if answer.lesson == lesson), default="")


def _class_tasks(hand_ins: Sequence[HandIn], students: dict[str, list[Answered]]) -> Iterable[ClassTask]:
    """Each task that was asked or answered, in the order of its lesson's longest list of them."""
    asked: dict[tuple[str, str], AskedTask] = {}
    for hand_in in sorted(hand_ins, key=lambda one: -len(one.tasks)):
        for task in hand_in.tasks:
            asked.setdefault(_key(counted_as(hand_in.lesson, task.kind), task.task, task.kind), task)
    told, listing = set(asked), {lesson for lesson, _ in asked}
    tried: dict[tuple[str, str], dict[str, list[Answered]]] = {key: {} for key in asked}
    for student, answers in students.items():
        for answer in answers:
            key = _key(answer.lesson, answer.task.removesuffix(AGAIN), answer.kind)
            asked.setdefault(key, AskedTask(task=key[1], operator=answer.operator, kind=answer.kind))
            tried.setdefault(key, {}).setdefault(student, []).append(answer)
    for lesson, id_ in sorted(tried, key=lambda key: key[0]):  # a lesson's stay in their order
        own = tried[lesson, id_]
        is_everyones = bool(lesson) and not id_.endswith((EXIT, TEST))
        if lesson in listing:
            is_everyones = (lesson, id_) in told
        yield ClassTask(
            lesson=lesson or NO_LESSON,
            asked=asked[lesson, id_],
            tried=tuple(Tried(student=student, answers=tuple(answers)) for student, answers in own.items()),
            nothing=tuple(student for student in students if student not in own) if is_everyones else (),
        )


def _key(lesson: str, task: str, kind: str) -> tuple[str, str]:
    """What tells a task from others: what is asked without a lesson is told apart by its kind, too."""
    return lesson, task if lesson else f"{task}/{kind}"


Row = Mapping[str, object]
COLUMNS = (
    *("table", "name", "students", "answers", "right", "share", "median_seconds"),
    *("lesson", "task", "first", "tries", "hints", "answer", "rules"),
)
"""Those of the instructor's table; what one of its tables has no use for is left out of a row.

`table` is `task`, `rule` or `student`; then `try`, student by task; `answer`, task by answer, as JSON; `nothing`.
"""


def rows_of(table: ClassTable) -> Iterator[Row]:
    """Each task with how many answered it rightly, wrong rules with whose answers they give, each student; then
    what each student did at each task, each first answer to it, and who handed in nothing of it.

    Tasks of two lessons are two, whatever they are called. Skipped answers count as wrong.
    """
    groups: dict[tuple[str, str, str], list[tuple[str, Answered]]] = {}
    for name, answers in table.students:
        for answer in answers:
            keys = [("task", answer.lesson or NO_LESSON, f"{answer.task}/{answer.kind}"), ("student", "", name)]
            for key in keys + [("rule", "", " ".join(answer.rules))] * bool(answer.rules):
                groups.setdefault(key, []).append((name, answer))
    order = {"task": 0, "rule": 1, "student": 2}
    for (which, lesson, name), group in sorted(groups.items(), key=lambda row: (order[row[0][0]], *row[0][1:])):
        right = sum(answer.right for _, answer in group)
        yield {
            "table": which,
            "name": name,
            "students": len({student for student, _ in group}),
            "answers": len(group),
            "right": right,
            "share": f"{right / len(group):.2f}",
            "median_seconds": round(median(answer.seconds for _, answer in group), 1),
            "lesson": lesson,
        }
    for task in table.tasks:
        for tried in task.tried:
            yield {
                "table": "try",
                "name": tried.student,
                **_names(task),
                "first": tried.mark,
                "tries": tried.tries,
                "hints": tried.hints,
                "right": int(any(answer.right for answer in tried.answers)),
            }
    for task in table.tasks:
        for given in task.given:
            yield {
                "table": "answer",
                "name": ", ".join(given.students),
                "students": len(given.students),
                **_names(task),
                "first": given.mark,
                "answer": given.answer,
                "rules": " ".join(given.rules),
            }
    for task in table.tasks:
        for student in task.nothing:
            yield {"table": "nothing", "name": student, **_names(task)}


def _names(task: ClassTask) -> Row:
    return {"lesson": task.lesson, "task": task.asked.task}
