"""Progress: what was answered, one line of JSON an answer, in one file of the user's own.

No name, no host and no network are in it. Answers can be forged: it serves practice, not examination.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct, ValidationError, convert
from msgspec.structs import asdict

from ...errors import SessionError, plain
from ...formats.json_text import is_nested
from ...formats.regular_files import open_regular, read_regular

VERSION = 1
AGAIN, TEST, EXIT = ".again", ".test", ".exit"
"""What ids end with of tasks that are tried again after a lesson, of questions that let a lesson be skipped, and of
those at its end."""
MOST_RUNGS = 4
NO_LESSON = "no lesson named"
"""Stands in tables for the lesson of answers that name none."""
LONGEST = 1 << 16
"""Bytes of a line that is read as an answer."""
MOST_NESTED = 100
"""Lists in lists, in what was answered."""
MOST_SECONDS = 1e12
"""Nobody takes so long: a mean of such numbers is finite, and has digits after the point."""


class Answered(Struct, frozen=True, kw_only=True):
    """One answer."""

    time: str
    """When it was given, UTC: `2026-11-22T19:40:05Z`."""
    task: str
    """What was asked about: an experiment's name, or a task's id."""
    operator: str
    """Without prefix: GATHER."""
    kind: str
    seed: int
    right: bool
    answer: Any = None
    """As JSON has it; None where it was skipped."""
    rules: tuple[str, ...] = ()
    """Wrong rules that give this answer."""
    on: str = ""
    """The missed rule that it was asked for; empty for none."""
    rungs: Annotated[int, Meta(ge=0, le=MOST_RUNGS)] = 0
    """Hints that were taken, 0 to 4."""
    skipped: bool = False
    looked_up: bool = False
    """Its desc was explored, or the last hint taken, before it was answered; False in answers of before."""
    seconds: Annotated[float, Meta(ge=0, le=MOST_SECONDS)] = 0.0
    lesson: str = ""
    """The name of the lesson that it belongs to; empty for none, and in answers of before."""

    def line(self) -> str:
        """The answer as a line of JSON, without a line break."""
        return json.dumps({"v": VERSION, **asdict(self)}, ensure_ascii=True)


def now_text(now: float) -> str:
    """A time in seconds since 1970, as answers write it: `2026-11-22T19:40:05Z`."""
    return datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def seconds_of(time: str) -> float:
    """Seconds since 1970 of an answer's time. Raises ValueError."""
    return datetime.strptime(time, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC).timestamp()


def answered_of(members: object) -> Answered:
    """An answer from its JSON form; keys that are not known are left out. Raises ValueError for what is no answer."""
    if not isinstance(members, dict):
        raise ValueError
    version = members.get("v", VERSION)
    if type(version) is not int or version > VERSION or is_nested(members.get("answer"), MOST_NESTED):
        raise ValueError
    try:
        answered = convert(members, Answered)
    except ValidationError as error:  # no ValueError before msgspec 0.21
        raise ValueError(str(error)) from None
    texts = [answered.time, answered.task, answered.operator, answered.kind, answered.on, answered.lesson]
    if isinstance(answered.answer, str):
        texts.append(answered.answer)
    "".join([*answered.rules, *texts]).encode()  # not half a character
    seconds_of(answered.time)
    return answered


def default_file() -> Path:
    """The file that answers are kept in."""
    from platformdirs import user_data_path

    return user_data_path("dmlviz", appauthor=False) / "progress.jsonl"


class Progress:
    """Answers so far; in a file, or without one for as long as the program runs.

    A line that can't be read loses itself alone. Where the file can't be read or written, `problems` has a sentence,
    and answers are kept in memory.
    """

    def __init__(self, file: Path | None = None) -> None:
        """Reads the answers in `file`; None keeps them for as long as the program runs."""
        self.file = file
        self.problems: list[str] = []
        self.answers: list[Answered] = []
        if file is None:
            return
        try:
            data = read_regular(file)
        except FileNotFoundError:
            return
        except OSError as error:
            self._keep_in_memory(f"{plain(str(file))} can't be read: {error.strerror or error}")
            return
        self.answers, lost = parse(data)
        if lost:
            lines = "1 line that isn't" if lost == 1 else f"{lost:,} lines that aren't"
            problem = f"{plain(str(file))} has {lines} what this version writes, expected answers"
            self.problems.append(f"{problem}; what is there is left alone.")

    def _keep_in_memory(self, sentence: str) -> None:
        """Notes a problem with the file, which is not written from now on."""
        self.problems.append(f"{sentence}; answers are kept until the program ends.")
        self.file = None

    def add(self, answered: Answered) -> None:
        """Appends an answer. Where that fails, `problems` has a sentence, and the answer stays in memory."""
        self.answers.append(answered)
        if self.file is None:
            return
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            # In one write: what another window appends stands before it or behind it.
            with open_regular(self.file, "ab") as out:
                start = b"" if self._ends_with_newline() else b"\n"  # a torn line before loses only itself
                out.write(start + answered.line().encode() + b"\n")
        except OSError as error:
            self._keep_in_memory(f"{plain(str(self.file))} can't be written: {error.strerror or error}")

    def _ends_with_newline(self) -> bool:
        """True if the file ends with a line break, or is empty."""
        assert self.file is not None
        with self.file.open("rb") as lines:
            size = lines.seek(0, os.SEEK_END)
            lines.seek(max(0, size - 1))
            return lines.read(1) in (b"", b"\n")

    def forget(self) -> int:
        """Deletes the file, and says how many answers were in it. Raises SessionError where it can't be deleted."""
        count, self.answers = len(self.answers), []
        if self.file is not None:
            try:
                self.file.unlink(missing_ok=True)
            except OSError as error:
                raise SessionError(f"{plain(str(self.file))} can't be deleted: {error.strerror or error}.") from None
        return count


def parse(data: bytes) -> tuple[list[Answered], int]:
    """The answers in a file of lines, and how many lines can't be read as one."""
    answers, lost = [], 0
    for line in data.split(b"\n"):
        if not line.strip():
            continue
        try:
            if len(line) > LONGEST:
                raise ValueError
            answers.append(answered_of(json.loads(line)))
        except (ValueError, RecursionError):
            lost += 1
    return answers, lost


def summary(answers: Iterable[Answered]) -> Mapping[str, tuple[int, int]]:
    """(right, answers) by operator, in the order in which they were first asked about."""
    counts: dict[str, tuple[int, int]] = {}
    for answered in answers:
        right, count = counts.get(answered.operator, (0, 0))
        counts[answered.operator] = right + answered.right, count + 1
    return counts


LESSONS = ("join", "split", "reverse", "gather", "tile", "invalid", "chain")
"""The shipped lessons, in the order in which they are taken."""
LEVELS = "levels"
"""The shipped levels."""
SHIPPED = frozenset((*LESSONS, LEVELS))


def counted_as(lesson: str, kind: str) -> str:
    """The lesson that an answer to a question of a kind is kept under: a level that shipped lessons share has one."""
    return LEVELS if kind == "level" and lesson in SHIPPED else lesson


def is_of(answered: Answered, lesson: str) -> bool:
    """True for an answer to a task of a lesson, by the lesson's name; an older answer that names none may be of any.

    The shipped lessons share levels: whoever has solved L12 in one has solved it in all.
    """
    return answered.lesson in ("", lesson) or {answered.lesson, lesson} <= SHIPPED
