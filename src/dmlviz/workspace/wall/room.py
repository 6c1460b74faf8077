"""What wall and speaker's screen know of the phones in the room: frozen values, made of what their server tells.

Nothing of the counts is in the wall's before the reveal, and the address of the instructor's own phone in neither.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from msgspec import Struct

from ...errors import plain
from ...session.class_status import ClassStatus, Place, Said
from ...session.presentation_state import VOTES

ENOUGH = 2
"""Advice comes once one in so many has answered: of the first two answers nothing follows."""


class SaidAnswer(Struct, frozen=True, kw_only=True):
    """One answer to a question without letters, with how many gave it in each vote."""

    text: str
    """"" for all that aren't named."""
    right: bool
    rule: str
    """A wrong rule's id and name, or ""."""
    counts: tuple[int | None, ...]
    """None for a vote in which nobody was asked."""


class WallRoom(Struct, frozen=True, kw_only=True):
    """What the room may know of itself."""

    code: str
    """In two groups."""
    address: str
    """As one types it: without `http://`, which browsers add."""
    link: str
    """What the QR code says."""
    keeps: str
    """The name of the file that answers are saved in; "" where all is forgotten."""
    own_pace: bool
    title: str
    tasks: int
    joined: int
    asked: bool
    """Phones ask the present question."""
    answered: int
    """The present question, in the present vote."""
    open_for: str
    """How long the question has been open; "" while none is."""
    said: tuple[SaidAnswer, ...]
    """() before the reveal."""
    progress: tuple[int, ...]
    """At their own pace, how many are at each step, and last those who are done; else ()."""
    ends: bool
    """The class ends with the wall."""
    trouble: str
    """What the server can't do, in a sentence; "" for nothing."""


class NotesRoom(Struct, frozen=True, kw_only=True):
    """What the speaker alone knows of the room."""

    joined: int
    lost: int
    asked: bool
    answered: int
    open_for: str
    said: tuple[SaidAnswer, ...]
    commonest: tuple[str, int, int] | None
    """(wrong rule, how many go by it, of how many answers); None where nobody goes by one that is known."""
    own_pace: bool
    tasks: int
    places: tuple[Place, ...]
    trouble: str


def spoken_address(address: str) -> str:
    """An address as one reads it aloud."""
    return address.removeprefix("http://")


def saved_as(file: str) -> str:
    """The name of the file that answers are saved in, for a room: its folder is nobody's business. "" for none."""
    return plain(os.path.basename(file), 40)


def link_of(status: ClassStatus) -> str:
    """What the QR code says: upper case, which makes it small, but for a path of which that isn't known."""
    parts = urlsplit(status.address)
    return f"{parts.scheme}://{parts.netloc}".upper() + f"{parts.path}/{status.code}"


def wall_room(
    status: ClassStatus, question: str, vote: int, *, open_for: str, said: tuple[SaidAnswer, ...]
) -> WallRoom:
    """What the wall shows. `question` and `vote` are the present ones; `said` is () before the reveal."""
    present = is_of(status, question, vote)
    return WallRoom(
        code=status.spelled,
        address=spoken_address(status.address),
        link=link_of(status),
        keeps=saved_as(status.keeps),
        own_pace=status.own_pace,
        title=status.title,
        tasks=status.tasks,
        joined=status.joined,
        asked=status.asked and present and not status.own_pace,
        answered=status.answered if present else 0,
        open_for=open_for,
        said=said,
        progress=progress_of(status),
        ends=status.wall,
        trouble=status.trouble,
    )


def notes_room(
    status: ClassStatus,
    question: str,
    vote: int,
    *,
    open_for: str,
    said: tuple[SaidAnswer, ...],
    commonest: tuple[str, int, int] | None,
) -> NotesRoom:
    """What the speaker's screen shows."""
    present = is_of(status, question, vote)
    return NotesRoom(
        joined=status.joined,
        lost=status.lost,
        asked=status.asked and present and not status.own_pace,
        answered=status.answered if present else 0,
        open_for=open_for,
        said=said,
        commonest=commonest,
        own_pace=status.own_pace,
        tasks=status.tasks,
        places=status.places,
        trouble=status.trouble,
    )


def is_of(status: ClassStatus, question: str, vote: int) -> bool:
    """True if what the server counted last are the answers to a question in a vote."""
    return (status.question, status.vote) == (question, vote)


def progress_of(status: ClassStatus) -> tuple[int, ...]:
    """How many students are at each step, and last how many are done; () unless they go at their own pace."""
    if not status.own_pace:
        return ()
    at = Counter(min(place.step, status.tasks) for place in status.places)
    return tuple(at[step] for step in range(status.tasks + 1))


def both_votes(votes: Sequence[tuple[Said, ...] | None]) -> tuple[SaidAnswer, ...]:
    """Answers with their counts in both votes: the commonest of the last vote first, what has no name at the end."""
    last = next((vote for vote in reversed(votes) if vote is not None), ())
    every: dict[str, Said] = {}
    for said in (*last, *(said for vote in votes for said in vote or ())):
        every.setdefault(said.text, said)
    named = sorted(every.values(), key=lambda said: not said.text)
    return tuple(
        SaidAnswer(text=said.text, right=said.right, rule=said.rule, counts=_counts_of(said.text, votes))
        for said in named
    )


def _counts_of(text: str, votes: Sequence[tuple[Said, ...] | None]) -> tuple[int | None, ...]:
    counts = [
        None if vote is None else sum(said.count for said in vote if said.text == text)
        for vote in [*votes, *[None] * VOTES][:VOTES]
    ]
    return tuple(counts)


def commonest_rule(answers: Iterable[tuple[str, int]], total: int) -> tuple[str, int, int] | None:
    """The wrong rule that most go by, with how many, and of how many; of (rule, how many) of each answer."""
    by_rule: Counter[str] = Counter()
    for rule, count in answers:
        if rule:
            by_rule[rule] += count
    if not by_rule:
        return None
    rule, count = by_rule.most_common(1)[0]
    return (rule, count, total) if count else None
