"""The hands that are counted in both votes, and what they suggest to a speaker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from ...session.class_status import Said
from ...session.presentation_state import Counts
from ...teaching.words.catalogue import sentence
from .presented_item import Answer


class Counted(Struct, frozen=True):
    """One answer, with how many gave it in each vote."""

    label: str
    """Its letter; else the answer itself, "" for all that aren't named."""
    right: bool
    rule: str
    """A wrong rule's id and name, or ""."""
    counts: Counts
    """None in a vote in which it wasn't counted."""
    text: str = ""
    """What its letter stands for."""


def counted_hands(answers: Sequence[Answer], votes: Sequence[Counts]) -> tuple[Counted, ...]:
    """The hands of each answer in each vote."""
    every = zip(answers, zip(*votes, strict=True), strict=True)
    return tuple(Counted(answer.id, answer.right, answer.rule, counts, text=answer.text) for answer, counts in every)


def counted_said(votes: Sequence[tuple[Said, ...]]) -> tuple[Counted, ...]:
    """What phones answered in each vote: the commonest of the last one first, what has no name at the end."""
    every: dict[str, Said] = {}
    for said in (said for vote in votes[::-1] for said in vote):
        every.setdefault(said.text, said)
    counts = [{said.text: said.count for said in vote} for vote in votes]
    named = sorted(every.values(), key=lambda said: not said.text)
    return tuple(Counted(n.text, n.right, n.rule, tuple(vote.get(n.text, 0) for vote in counts)) for n in named)


def total_of(counted: Sequence[Counted], vote: int) -> int:
    """All who answered in a vote."""
    return sum(answer.counts[vote] or 0 for answer in counted)


def share_of(counted: Sequence[Counted], count: int | None, vote: int) -> int:
    """The share of so many in all who answered in a vote, 0 to 100."""
    return round(100 * (count or 0) / max(1, total_of(counted, vote)))


def commonest_rule(counted: Sequence[Counted], vote: int) -> tuple[str, int, int] | None:
    """The wrong rule that most go by, with how many, and of how many."""
    by_rule: Counter[str] = Counter()
    for answer in counted:
        if answer.rule:
            by_rule[answer.rule] += answer.counts[vote] or 0
    rule, count = max(by_rule.items(), key=lambda pair: pair[1], default=("", 0))
    return (rule, count, total_of(counted, vote)) if count else None


def advice(counted: Sequence[Counted], vote: int) -> str:
    """What the answers suggest to a speaker; "" before all are counted, and where none is right."""
    total, right = total_of(counted, vote), [answer for answer in counted if answer.right]
    is_whole = all(answer.counts[vote] is not None for answer in counted)
    if not total or not is_whole or (not right and all(answer.text for answer in counted)):
        return ""
    if vote:
        return sentence("present.advice_second")
    percent = share_of(counted, total_of(right, vote), vote)
    key = "present.advice_some" if percent <= 70 else "present.advice_many"
    return sentence(key if percent >= 30 else "present.advice_few")
