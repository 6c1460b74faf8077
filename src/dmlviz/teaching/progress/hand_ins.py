"""Hand-ins: what a student gives to whoever teaches, from `dmlviz progress`, `learn` and `quiz`, and from a page.

All of them have one shape, and each is one file. They can be forged: they serve practice, not examination.
"""

from __future__ import annotations

import json
import os
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct, ValidationError, convert
from msgspec.structs import asdict, replace

from ...errors import SessionError, plain, quote
from ...formats.regular_files import open_regular
from ...session.experiments import text_of
from ...session.whole_files import write_whole
from .progress import LONGEST, SHIPPED, VERSION, Answered, answered_of

MOST_BYTES = 1 << 25
"""Bytes of a hand-in: a hundred thousand answers."""
MOST_NAME = 200
"""Letters of a name."""
IN_CLASS = b'"class": true}'
"""How a line ends of a student in a class, who has a number for a name."""
WRITES = "what `dmlviz progress --export`, a quiz, a lesson or a page wrote"


class AskedTask(Struct, frozen=True, kw_only=True):
    """A task that a student was to answer, whether or not they did."""

    task: Annotated[str, Meta(min_length=1)]
    operator: str = ""
    kind: str = ""
    seed: int = 0
    prompt: str = ""


class HandIn(Struct, frozen=True, kw_only=True):
    """What one file holds."""

    name: str
    """Whose answers these are, as they say; "" where they say nothing."""
    answers: tuple[Answered, ...]
    """In the order in which they were given."""
    lesson: str = ""
    """`Lesson.name`; "" for all sorts of answers, and in files of before."""
    page: str = ""
    """Of a page: 16 hex digits that tell it from other editions of its lesson."""
    tasks: tuple[AskedTask, ...] = ()
    """All that was asked, in its order; () where the file doesn't say."""
    file: str = ""
    """Where it was read from, as errors name it."""

    @property
    def summary(self) -> str:
        """How many answers it has, as a sentence begins: `3 answers are`."""
        return f"{len(self.answers):,} answer{'s are' if len(self.answers) != 1 else ' is'}"

    @property
    def line(self) -> str:
        """The same as one line of JSON, as a class's file has one for each student."""
        return json.dumps(json.loads(self.text) | {"class": True})

    @property
    def text(self) -> str:
        """The file's text: a line for each task and each answer."""
        about: dict[str, Any] = {"dmlviz_progress": VERSION, "as": self.name}
        about |= {key: text for key, text in (("lesson", self.lesson), ("page", self.page)) if text}
        head = json.dumps(about)[:-1]
        if self.tasks:
            tasks = ",\n".join(f"  {json.dumps(asdict(task))}" for task in self.tasks)
            head += f', "tasks": [\n{tasks}\n]'
        answers = ",\n".join(f"  {answered.line()}" for answered in self.answers)
        return f'{head}, "answers": [\n{answers}\n]}}\n'

    def write(self, file: Path) -> None:
        """Writes the file that is handed in, whole or not at all. Raises SessionError."""
        try:
            write_whole(file, self.text.encode())
        except OSError as error:
            raise SessionError(f"{plain(str(file))} can't be written: {error.strerror or error}.") from None


def tidied(name: str) -> str:
    """A name in one spelling, without blanks around it."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def name_of(name: object, field: str) -> str:
    """A name as it is. Raises SessionError, which names `field`, for one that is too long, or no text."""
    text = text_of(name, field)
    if len(text) > MOST_NAME:
        raise SessionError(f"{field} has {len(text):,} letters, expected at most {MOST_NAME}.")
    return text


def read_hand_in(file: Path) -> HandIn:
    """What was handed in as a file. Raises SessionError, one sentence, for anything else."""
    name, text = _text_of(file)
    return _hand_in_of(text, name)


def read_hand_ins(file: Path, *, prefix: str = "") -> list[HandIn]:
    """What was handed in as a file: one hand-in, or those of a class, line by line. Raises SessionError.

    A class has numbers for names: `prefix` is before them.
    """
    name, text = _text_of(file)
    lines = text.splitlines()
    hand_ins = (
        [_hand_in_of(line, f"{name}, line {n}") for n, line in enumerate(lines, 1)]
        if len(lines) > 1 and all(line.startswith(b'{"') and line.endswith(b"}") for line in lines)
        else [_hand_in_of(text, name)]
    )
    is_class = len(lines) == len(hand_ins) and all(line.endswith(IN_CLASS) for line in lines)
    return [replace(each, name=f"{prefix} {each.name}") for each in hand_ins] if is_class and prefix else hand_ins


def _text_of(file: Path) -> tuple[str, bytes]:
    """(a file's name as errors have it, what it holds). Raises SessionError."""
    name = plain(str(file))
    try:
        with open_regular(file) as opened:
            text = opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise SessionError(f"{name} can't be read: {error.strerror or error}.") from None
    if len(text) > MOST_BYTES:
        raise SessionError(f"{name} has more than {MOST_BYTES:,} bytes, expected a hand-in.")
    return name, text


def _hand_in_of(text: bytes, name: str) -> HandIn:
    """What one hand-in's text holds. Raises SessionError, which names it `name`."""
    try:
        members = json.loads(text, parse_constant=str)  # NaN is a text then, where an answer holds it
    except (ValueError, RecursionError):
        raise SessionError(f"{name} is no JSON, expected {WRITES}.") from None
    version = members.get("dmlviz_progress") if isinstance(members, dict) else None
    if type(version) is not int or not isinstance(members.get("answers"), list):
        raise SessionError(f"{name} holds no progress, expected {WRITES}.")
    if version > VERSION:
        raise SessionError(f"{name} is of version {version}, expected {VERSION}.")
    lesson = name_of(members.get("lesson", ""), f"{name}: lesson")
    student = members.get("as") or ""
    return HandIn(
        name=name_of(str(student) if type(student) is int else student, f"{name}: as"),
        answers=tuple(_answers(members["answers"], lesson, name)),
        lesson=lesson,
        page=name_of(members.get("page", ""), f"{name}: page"),
        tasks=_tasks(members.get("tasks", []), name),
        file=name,
    )


def free_for_hand_in(path: Path) -> Path:
    """A path at which nothing stands but an earlier hand-in. Raises SessionError."""
    if os.path.exists(path):
        try:
            read_hand_in(path)
        except SessionError:
            shown = plain(str(path))
            raise SessionError(f"{shown} is there and no hand-in, expected another name.") from None
    return path


def _answers(listed: Sequence[object], lesson: str, name: str) -> Iterable[Answered]:
    """The answers of a file, each of which belongs to its lesson, if it names one."""
    for k, members in enumerate(listed):
        try:
            answered = answered_of(members)
            if len(answered.line()) > LONGEST:
                raise ValueError
        except ValueError:
            raise SessionError(f"{name}: answers[{k}] is {quote(members)}, expected an answer.") from None
        if lesson and answered.lesson not in ("", lesson) and not {answered.lesson, lesson} <= SHIPPED:
            found = quote(answered.lesson)
            raise SessionError(f"{name}: answers[{k}].lesson is {found}, expected {quote(lesson)} as lesson says.")
        yield answered


def _tasks(listed: object, name: str) -> tuple[AskedTask, ...]:
    """The tasks of a file, each of them once."""
    if not isinstance(listed, list):
        raise SessionError(f"{name}: tasks is {quote(listed)}, expected a list of tasks.")
    tasks: dict[str, AskedTask] = {}
    for k, members in enumerate(listed):
        try:
            task = convert(members, AskedTask)
            json.dumps(asdict(task), ensure_ascii=False).encode()  # not half a character
        except (ValidationError, ValueError):
            raise SessionError(f'{name}: tasks[{k}] is {quote(members)}, expected an object with "task".') from None
        if task.task in tasks:
            raise SessionError(f"{name}: tasks[{k}] is {quote(task.task)} once more, expected each task once.")
        tasks[task.task] = task
    return tuple(tasks.values())
