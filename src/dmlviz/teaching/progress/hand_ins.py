"""Hand-ins, as `dmlviz progress`, `learn`, `quiz` and a page write them; a table of those of a class."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct, ValidationError, convert, field
from msgspec.structs import replace

from ...errors import SessionError, cut, plain
from ...formats.regular_files import open_regular
from ...session.experiments import text_of
from ...session.whole_files import write_whole
from .progress import AGAIN, NO_LESSON, Answered, checked, counted_as

MOST_BYTES = 1 << 25
"""Bytes of a hand-in: a hundred thousand answers."""
MOST_NAME = 200
VERSION = 1
Name = Annotated[str, Meta(max_length=MOST_NAME)]
IN_CLASS = b'"class": true}'
"""How a line ends of a student in a class, who has a number for a name."""


class HandIn(Struct, frozen=True, kw_only=True):
    """What one file holds; a page's has its edition and its tasks besides, as files of before have their tasks."""

    name: Name = field(default="", name="as")
    """Whose answers these are, as they say; "" where they say nothing."""
    answers: tuple[Answered, ...]
    """In the order in which they were given."""
    lesson: Name = ""
    """`Lesson.name`; "" for all sorts of answers, and in files of before."""
    file: str = ""
    """Where it was read from, as errors name it."""

    @property
    def line(self) -> str:
        """The same as one line of JSON, as a class's file has one for each student."""
        return json.dumps(json.loads(self.text) | {"class": True})

    @property
    def text(self) -> str:
        about = {"dmlviz_progress": VERSION, "as": self.name, "lesson": self.lesson}
        rows = ",\n".join(f"  {answer.line()}" for answer in self.answers)
        return f'{json.dumps(about)[:-1]}, "answers": [\n{rows}\n]}}\n'

    def write(self, file: Path) -> None:
        """Writes the file whole or not at all, and over nothing but an earlier hand-in. Raises SessionError."""
        if file.exists():
            try:
                read_hand_ins(file)
            except SessionError:
                raise SessionError(f"{plain(str(file))} is there and no hand-in, expected another name.") from None
        try:
            write_whole(file, self.text.encode())
        except OSError as error:
            raise SessionError(f"{plain(str(file))} can't be written: {error.strerror or error}.") from None


def tidied(name: str) -> str:
    """A name in one spelling, without blanks around it."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def name_of(name: str, field: str) -> str:
    """A name, tidied. Raises SessionError, which names `field`, for one that is too long, or has half a character."""
    if len(text_of(name, field)) > MOST_NAME:
        raise SessionError(f"{field} has {len(name):,} letters, expected at most {MOST_NAME}.")
    return tidied(name)


def read_hand_ins(file: Path, *, prefix: str = "") -> list[HandIn]:
    """What was handed in as a file: one hand-in, or those of a class, line by line.

    A class has numbers for names: `prefix` is before them. Raises SessionError, one sentence, for anything else.
    """
    name = plain(str(file))
    try:
        with open_regular(file) as opened:
            text = opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise SessionError(f"{name} can't be read: {error.strerror or error}.") from None
    if len(text) > MOST_BYTES:
        raise SessionError(f"{name} has more than {MOST_BYTES:,} bytes, expected a hand-in.")
    lines = text.splitlines()
    if not lines or not lines[0].rstrip().endswith(IN_CLASS):
        return [_hand_in_of(text, name)]
    hand_ins = (_hand_in_of(line, f"{name}, line {number}") for number, line in enumerate(lines, 1))
    return [replace(each, name=f"{prefix} {each.name}".strip()) for each in hand_ins]


def _hand_in_of(text: bytes, name: str) -> HandIn:
    """What one hand-in's text holds. Raises SessionError, which names it `name`."""
    try:
        members = json.loads(text, parse_constant=str)  # NaN is a text then, where an answer holds it
        if not isinstance(members, dict) or members.get("dmlviz_progress") != VERSION:
            raise ValueError(f"dmlviz_progress is not {VERSION}")
        json.dumps(members, ensure_ascii=False).encode()  # not half a character
        said = members.get("as") or ""
        hand_in = convert(members | {"as": str(said) if type(said) is int else said, "file": name}, HandIn)
        return replace(hand_in, answers=tuple(map(checked, hand_in.answers)))
    except (ValueError, RecursionError, ValidationError) as error:
        is_parsed = not isinstance(error, json.JSONDecodeError | UnicodeError | RecursionError)
        found = cut(plain(str(error)), 150) if is_parsed else "it is not JSON"
        expected = "a file from `dmlviz progress --export`, a quiz, a lesson or a page"
        raise SessionError(f"{name} is not a hand-in: {found}, expected {expected}.") from None


RIGHT, LOOKED_UP, WRONG, SKIPPED, NOTHING = "right", "looked up", "wrong", "skipped", "nothing"
"""How a first try went; nothing was handed in."""
Students = Mapping[str, Sequence[Answered]]
"""The answers of each, by name, in the order in which they were given."""


class Row(Struct, frozen=True, kw_only=True):
    """What one student did at one task: a row for a spreadsheet."""

    lesson: str
    task: str
    kind: str
    student: str
    first: str
    """How the first try went; skipped where nothing else was done."""
    tries: int
    """Answers, without what was skipped."""
    hints: int
    right: int
    answer: str
    """The first one as JSON; "" where nobody answered."""
    rules: tuple[str, ...]


class ClassTable(Struct, frozen=True):
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
    """What hand-ins hold, by name, without one by file; an answer in two of them counts once."""
    given: dict[str, dict[str, Answered]] = {}
    spelled: dict[str, str] = {}
    for hand_in in hand_ins:
        tidy = tidied(hand_in.name)
        name = spelled.setdefault(tidy, hand_in.name) if tidy else hand_in.file
        given.setdefault(name, {}).update((answer.line(), answer) for answer in hand_in.answers)
    students = {name: [*given[name].values()] for name in sorted(given, key=lambda name: (name.casefold(), name))}
    return ClassTable(students, tuple(_rows(students)))


def _rows(students: Students) -> Iterator[Row]:
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
    tries = [answer for answer in answers if not answer.skipped]
    first = next(iter(tries), None)
    mark = SKIPPED if answers else NOTHING
    if first is not None:
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
