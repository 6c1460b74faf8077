"""How a class on phones stands, in a file: its server writes it, wall and speaker's screen read it.

It stands beside the presentation's state file. It has no answer of anybody, but how many gave which.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from .kept import Kept
from .presentation_state import Count, StateFile, Time

BEAT, STALE = 2.0, 8.0
"""Seconds after which a server writes its file again, though nothing is new, and after which it is gone."""
MOST_SAID = 5
"""Answers that are named; all others are counted together."""


class Said(Struct, frozen=True, kw_only=True):
    """One answer to a question whose answers have no letters, or one that all who have no letter gave."""

    text: str
    """As it is read aloud; "" for the rest, which stands last."""
    count: Count
    right: bool = False
    rule: str = ""
    """Who gives it: a wrong rule's id and name; "" for the right one, and where no rule gives it."""


class ClassStatus(Struct, frozen=True, kw_only=True):
    """How a class stands."""

    code: str
    """Seven letters and digits, which whoever joins types."""
    address: str
    """Where phones find it, such as `http://192.168.178.20:8765`, without a slash at its end."""
    host: str
    """The address of the instructor's own phone, which holds a secret: for the speaker's screen alone."""
    keeps: str = ""
    """The name of the file that answers are saved in at the end; "" where all is forgotten."""
    wall: bool = True
    """The class ends with its wall; False where the server runs by itself."""
    own_pace: bool = False
    title: str = ""
    tasks: Count = 0
    joined: Count = 0
    lost: Count = 0
    """Phones that were there and have been silent for a while."""
    question: str = ""
    """What stands for the question that the counts below are of, as `Presenting.question_key` has it."""
    vote: Annotated[int, Meta(ge=0, le=1)] = 0
    asked: bool = False
    """Phones ask this question; else they say that one looks at the wall."""
    answered: Count = 0
    said: tuple[Said, ...] = ()
    """Answers to a question without letters, the commonest first; () for one with letters, whose are hands."""
    trouble: str = ""
    """What the server can't do any more, in a sentence; "" for nothing."""
    beat: Time = 0.0

    def is_alive(self, now: float) -> bool:
        """True unless the server is gone."""
        return abs(now - self.beat) < STALE

    @property
    def spelled(self) -> str:
        """The code in two groups, as one reads it aloud: `K7Q M4XT`."""
        return f"{self.code[:3]} {self.code[3:]}"

    @property
    def spoken(self) -> str:
        """The address as one reads it aloud, and types it: browsers add `http://`."""
        return self.address.removeprefix("http://")


def status_file(state: StateFile) -> Kept[ClassStatus]:
    """The file of the class that `state`'s presentation is held with."""
    return Kept(state.file.with_suffix(".class"), ClassStatus)
