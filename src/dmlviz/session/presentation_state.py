"""Where a presentation stands, in a file that both its screens write whole, and read when it has changed."""

from __future__ import annotations

import enum
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from .class_status import ClassStatus, Count
from .kept import Kept
from .whole_files import digest, state_folder

VOTES = 2
"""Votes on a question: before the room talks, and after."""
EXAMPLE = "example:"
"""What the name of a presentation begins with that is of an example."""
Time = Annotated[float, Meta(ge=0, lt=1e12)]
"""Seconds since 1970."""
Counts = tuple[Count | None, ...]
"""Hands for each answer; None for one that isn't counted yet."""


class Build(enum.Enum):
    """What of an experiment is on the wall."""

    QUESTION = "question"
    """The inputs, and what is asked; the outputs are hidden."""
    PLAY = "play"
    """The outputs are written step by step."""
    REVEAL = "reveal"


class Presented(Struct, frozen=True):
    experiment: Count = 0
    """From 0."""
    build: Build = Build.QUESTION
    step: Count = 0
    """The step that is shown while `build` is PLAY; where it plays, the one that it began with."""
    playing: bool = False
    black: bool = False
    vote: Annotated[int, Meta(ge=0, lt=VOTES)] = 0
    """Which vote is counted, from 0."""
    hands: Mapping[str, Annotated[tuple[Counts, ...], Meta(max_length=VOTES)]] = field(default_factory=dict)
    """The counts of each vote, by what stands for the question that they were counted for."""
    began: Time = 0.0
    changed: Time = 0.0
    """When somebody did something for the last time."""
    revealed: tuple[tuple[Count, Count], ...] = ()
    """(experiment, vote) of all that was told: none is open any more."""
    joining: bool = False
    """The wall shows how phones join; nothing is open meanwhile."""
    room: ClassStatus | None = None
    """How the phones stand; None where no class is held."""
    code: str = ""
    """A class's, which the next one on the same file has too; "" for none yet."""
    port: Count = 0
    of_class: bool = False
    """A class came here: the next one goes on here."""

    @property
    def is_open(self) -> bool:
        """True while the present question may be answered."""
        is_told = (self.experiment, self.vote) in self.revealed
        return self.build is Build.QUESTION and not self.joining and not is_told

    @property
    def told(self) -> bool:
        """True if the answer may be seen: from the reveal on, which steps may follow."""
        is_told = (self.experiment, self.vote) in self.revealed
        return self.build is Build.REVEAL or (self.build is Build.PLAY and is_told)

    def with_hands(self, question: str, vote: int, counts: Counts) -> Presented:
        votes = [self.counts(question, len(counts), each) for each in range(VOTES)]
        votes[vote] = counts
        return replace(self, hands={**self.hands, question: tuple(votes)})

    def counts(self, question: str, answers: int, vote: int) -> Counts:
        """The hands of one vote on a question; None for each of its `answers` where none were counted."""
        counts = dict(enumerate(self.hands.get(question, ()))).get(vote, ())
        return counts if len(counts) == answers else (None,) * answers


def name_of(path: Path | None, example: str | None = None) -> str | None:
    """What a presentation is called: by its file's resolved path, else its example. None for neither."""
    if path is not None:
        return os.path.abspath(path)  # links aren't followed: the file need not be there any more
    return f"{EXAMPLE}{example}" if example is not None else None


class StateFile(Kept[Presented]):
    """The state of one presentation, as both screens have it."""

    def __init__(self, name: str, where: Path | None = None) -> None:
        """`name` is `name_of` what is presented, or what else stands for it."""
        self.name = name
        stem = re.sub(r"[^A-Za-z0-9]+", "-", Path(name).stem)[:40].strip("-") or "session"
        tail = digest(name.encode(errors="surrogateescape"))[:16]
        super().__init__((where or state_folder() / "presenting") / f"{stem}-{tail}.json", Presented)
