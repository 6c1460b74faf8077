"""How a class on phones stands, as wall and speaker's screen show it: no answer of anybody, but how many gave which."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

Count = Annotated[int, Meta(ge=0)]
MOST_SAID = 5
"""Answers that are named; all others are counted together."""


class Said(Struct, frozen=True, kw_only=True):
    """One answer, and how many gave it."""

    text: str
    """Its letter, or as it is read aloud; "" for the rest, which stands last."""
    count: Count | None
    """None where it wasn't counted."""
    right: bool = False
    rule: str = ""
    """Who gives it: a wrong rule's id and name; "" for the right one, and where no rule gives it."""
    says: str = ""
    """What is said to it."""
    before: Count | None = None
    """Its share in the vote before, 0 to 100."""


class ClassStatus(Struct, frozen=True, kw_only=True):
    """How a class stands."""

    code: str
    """Seven letters and digits, which whoever joins types."""
    address: str
    """Where phones find it, such as `http://192.168.178.20:8765`, without a slash at its end."""
    keeps: str = ""
    """The name of the file that answers are saved in; "" where all is forgotten."""
    title: str = ""
    tasks: Count = 0
    joined: Count = 0
    question: str = ""
    """What stands for the question that the counts below are of, as `Presenting.question_key` has it."""
    vote: Count = 0
    asked: bool = False
    """Phones ask this question; else they say that one looks at the wall."""
    answered: Count = 0
    said: tuple[Said, ...] = ()
    """The answers to a question without letters, the commonest first; () for one with, whose are hands."""
    trouble: str = ""
    """What the server can't do, in a sentence; "" for nothing."""

    @property
    def spelled(self) -> str:
        """The code in two groups, as one reads it aloud: `K7Q M4XT`."""
        return f"{self.code[:3]} {self.code[3:]}"

    @property
    def spoken(self) -> str:
        """The address as one reads it aloud, and types it: browsers add `http://`."""
        return self.address.removeprefix("http://")
