"""Hand-ins: what a student gives to whoever teaches, from `dmlviz progress`, `learn` and `quiz`, and from a page.

All of them have one shape, and each is one file. They can be forged: they serve practice, not examination.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct, ValidationError, convert, field
from msgspec.structs import asdict, replace

from ...errors import SessionError, cut, plain, quote
from ...formats.regular_files import open_regular
from ...session.experiments import text_of
from ...session.whole_files import write_whole
from .progress import SHIPPED, Answered, checked

MOST_BYTES = 1 << 25
"""Bytes of a hand-in: a hundred thousand answers."""
MOST_NAME = 200
"""Letters of a name."""
VERSION = 1
Name = Annotated[str, Meta(max_length=MOST_NAME)]
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

    name: Name = field(default="", name="as")
    """Whose answers these are, as they say; "" where they say nothing."""
    answers: tuple[Answered, ...]
    """In the order in which they were given."""
    lesson: Name = ""
    """`Lesson.name`; "" for all sorts of answers, and in files of before."""
    page: Name = ""
    """Of a page: 16 hex digits that tell it from other editions of its lesson."""
    tasks: tuple[AskedTask, ...] = ()
    """All that was asked, in its order; () where the file doesn't say."""
    file: str = ""
    """Where it was read from, as errors name it."""

    @property
    def line(self) -> str:
        """The same as one line of JSON, as a class's file has one for each student."""
        return json.dumps(json.loads(self.text) | {"class": True})

    @property
    def text(self) -> str:
        """The file's text: a line for each task and each answer."""
        about = {"dmlviz_progress": VERSION, "as": self.name, "lesson": self.lesson, "page": self.page}
        head = json.dumps({key: told for key, told in about.items() if told or key == "as"})[:-1]
        if self.tasks:
            tasks = ",\n".join(f"  {json.dumps(asdict(task))}" for task in self.tasks)
            head += f', "tasks": [\n{tasks}\n]'
        answers = ",\n".join(f"  {answered.line()}" for answered in self.answers)
        return f'{head}, "answers": [\n{answers}\n]}}\n'

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


def name_of(name: object, field: str) -> str:
    """A name as it is. Raises SessionError, which names `field`, for one that is too long, or no text."""
    text = text_of(name, field)
    if len(text) > MOST_NAME:
        raise SessionError(f"{field} has {len(text):,} letters, expected at most {MOST_NAME}.")
    return text


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
    if len(lines) < 2 or not all(line.startswith(b'{"') and line.endswith(b"}") for line in lines):
        lines = [text]
    names = [name] if len(lines) == 1 else [f"{name}, line {n + 1}" for n in range(len(lines))]
    hand_ins = [*map(_hand_in_of, lines, names)]
    is_class = all(line.rstrip().endswith(IN_CLASS) for line in lines)
    return [replace(each, name=f"{prefix} {each.name}".strip()) if is_class else each for each in hand_ins]


def _hand_in_of(text: bytes, name: str) -> HandIn:
    """What one hand-in's text holds. Raises SessionError, which names it `name`."""
    try:
        members = json.loads(text, parse_constant=str)  # NaN is a text then, where an answer holds it
        if not isinstance(members, dict) or members.get("dmlviz_progress") != VERSION:
            raise ValueError(f"dmlviz_progress is not {VERSION}")
        json.dumps(members, ensure_ascii=False).encode()  # not half a character
        said = members.get("as") or ""
        hand_in = convert(members | {"as": str(said) if type(said) is int else said, "file": name}, HandIn)
        hand_in = replace(hand_in, answers=tuple(map(checked, hand_in.answers)))
    except (ValueError, RecursionError, ValidationError) as error:
        raise SessionError(f"{name} is no hand-in: {cut(plain(str(error)), 150)}, expected {WRITES}.") from None
    for k, answer in enumerate(hand_in.answers):
        of, lesson = answer.lesson, hand_in.lesson
        if lesson and of not in ("", lesson) and not {of, lesson} <= SHIPPED:
            raise SessionError(f"{name}: answers[{k}].lesson is {quote(of)}, expected {quote(lesson)} as lesson says.")
    (often, count), *_ = Counter(task.task for task in hand_in.tasks).most_common(1) or [("", 0)]
    if count > 1:
        raise SessionError(f"{name}: tasks has {quote(often)} {count} times, expected each task once.")
    return hand_in
