"""Progress: what was answered, one line of JSON an answer, in one file of the user's own.

No name, no host and no network are in it. Answers can be forged: it serves practice, not examination.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct, ValidationError, convert
from msgspec.structs import asdict

from ...errors import SessionError, plain
from ...formats.json_text import is_nested
from ...formats.regular_files import open_regular, read_regular

AGAIN, TEST, EXIT = ".again", ".test", ".exit"
"""What ids end with of tasks that are tried again after a lesson, of questions that let a lesson be skipped, and of
those at its end."""
NO_LESSON = "no lesson named"
"""Stands in tables for the lesson of answers that name none."""
LONGEST = 1 << 16
MOST_NESTED = 100
LESSONS = ("join", "split", "reverse", "gather", "tile", "invalid", "chain", "errata")
"""The shipped lessons, in the order in which they are taken."""
LEVELS = "levels"
SHIPPED = frozenset((*LESSONS, LEVELS))


class Answered(Struct, frozen=True, kw_only=True):
    v: Annotated[int, Meta(le=2)] = 2
    """The version of lines; in those of 1 `on` is empty where a step was asked again."""
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
    on: str = ""
    """The missed rule that it was asked for; empty for none."""
    rungs: Annotated[int, Meta(ge=0, le=4)] = 0
    """Hints that were taken."""
    skipped: bool = False
    looked_up: bool = False
    """Its desc was explored, or the last hint taken, before it was answered; False in answers of before."""
    seconds: Annotated[float, Meta(ge=0, le=1e12)] = 0.0
    lesson: str = ""
    """The name of the lesson that it belongs to; empty for none, and in answers of before."""

    def line(self) -> str:
        return json.dumps(asdict(self))


def now_text(now: float) -> str:
    """A time in seconds since 1970, as answers write it: `2026-11-22T19:40:05Z`."""
    return datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def seconds_of(time: str) -> float:
    """Seconds since 1970 of an answer's time. Raises ValueError."""
    return datetime.strptime(time, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC).timestamp()


def checked(answered: Answered) -> Answered:
    """An answer that was read. Raises ValueError for a time that is none, half a character and lists without end."""
    seconds_of(answered.time)
    if is_nested(answered.answer, MOST_NESTED) or len(answered.line()) > LONGEST:
        raise ValueError(f"an answer has more than {LONGEST:,} bytes, or {MOST_NESTED} lists in each other")
    json.dumps(asdict(answered), ensure_ascii=False).encode()
    return answered


def default_file() -> Path:
    from platformdirs import user_data_path

    return user_data_path("dmlviz", appauthor=False) / "progress.jsonl"


class Progress:
    """Answers so far; in a file, or without one for as long as the program runs.

    A line that can't be read loses itself alone. Where the file can't be read or written, `problems` has a sentence,
    and answers are kept in memory.
    """

    def __init__(self, file: Path | None = None) -> None:
        self.file = file
        self.problems: list[str] = []
        self.answers: list[Answered] = []
        try:
            self.answers, lost = parse(read_regular(file) if file is not None else b"")
        except FileNotFoundError:
            return
        except OSError as error:
            self._keep_in_memory("read", error)
            return
        if lost:
            lines = "1 line that isn't" if lost == 1 else f"{lost:,} lines that aren't"
            self.problems.append(f"{plain(str(file))} has {lines} what this version writes; they are left alone.")

    def _keep_in_memory(self, what: str, error: OSError) -> None:
        why = f"{plain(str(self.file))} can't be {what}: {error.strerror or error}"
        self.problems.append(f"{why}; answers are kept until the program ends.")
        self.file = None

    def add(self, answered: Answered) -> None:
        """Appends an answer. Where that fails, `problems` has a sentence, and the answer stays in memory."""
        self.answers.append(answered)
        try:
            if self.file is None:
                return
            self.file.parent.mkdir(parents=True, exist_ok=True)
            # In one write: what another window appends stands before it or behind it.
            with open_regular(self.file, "ab") as out:
                is_torn = read_regular(self.file)[-1:] not in (b"", b"\n")  # such a line loses only itself
                out.write(b"\n" * is_torn + answered.line().encode() + b"\n")
        except OSError as error:
            self._keep_in_memory("written", error)

    def forget(self) -> int:
        """Deletes the file, and says how many answers were in it. Raises SessionError where it can't be deleted."""
        count, self.answers = len(self.answers), []
        try:
            if self.file is not None:
                self.file.unlink(missing_ok=True)
        except OSError as error:
            raise SessionError(f"{plain(str(self.file))} can't be deleted: {error.strerror or error}.") from None
        return count


def parse(data: bytes) -> tuple[list[Answered], int]:
    """The answers in a file of lines, and how many lines can't be read as one."""
    answers, lost = [], 0
    for line in filter(bytes.strip, data.split(b"\n")):
        try:
            answers.append(checked(convert(json.loads(line), Answered)))
        except (ValueError, RecursionError, ValidationError):  # no ValueError before msgspec 0.21
            lost += 1
    return answers, lost


def counted_as(lesson: str, kind: str) -> str:
    """The lesson that an answer to a question of a kind is kept under: a level that shipped lessons share has one."""
    return LEVELS if kind == "level" and lesson in SHIPPED else lesson


def is_of(answered: Answered, lesson: str) -> bool:
    """True for an answer to a task of a lesson, by the lesson's name; an older answer that names none may be of any.

    The shipped lessons share levels: whoever has solved L12 in one has solved it in all.
    """
    return answered.lesson in ("", lesson) or {answered.lesson, lesson} <= SHIPPED
