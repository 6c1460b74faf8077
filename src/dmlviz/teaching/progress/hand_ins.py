"""Hand-ins: what a student gives to whoever teaches, from `dmlviz progress`, `learn` and `quiz`, and from a page.

All of them have one shape, and each is one file. They can be forged: they serve practice, not examination.
"""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct, ValidationError, convert, field
from msgspec.structs import replace

from ...errors import SessionError, cut, plain
from ...formats.regular_files import open_regular
from ...session.experiments import text_of
from ...session.whole_files import write_whole
from .progress import Answered, checked

MOST_BYTES = 1 << 25
"""Bytes of a hand-in: a hundred thousand answers."""
MOST_NAME = 200
"""Letters of a name."""
VERSION = 1
Name = Annotated[str, Meta(max_length=MOST_NAME)]
IN_CLASS = b'"class": true}'
"""How a line ends of a student in a class, who has a number for a name."""
WRITES = "what `dmlviz progress --export`, a quiz, a lesson or a page wrote"


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
        """The file's text: a line for each answer."""
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
        raise SessionError(f"{name} is no hand-in: {cut(plain(str(error)), 150)}, expected {WRITES}.") from None
