"""The hands that are counted in a vote, and what they suggest to a speaker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from ...session.class_status import Said
from ...session.presentation_state import Counts
from ...teaching.words.catalogue import sentence
from .presented_item import Answer


class Vote(Struct, frozen=True):
    """The hands of one vote, in the order of the answers."""

    counts: Counts

    @property
    def total(self) -> int:
        """All hands."""
        return sum(count or 0 for count in self.counts)

    @property
    def is_begun(self) -> bool:
        """True if hands were counted for any answer."""
        return any(count is not None for count in self.counts)

    @property
    def is_whole(self) -> bool:
        """True if hands were counted for every answer."""
        return bool(self.counts) and None not in self.counts

    def percent(self, number: int) -> int:
        """The share of answer `number` in all hands, 0 to 100; 0 where there are none."""
        return round(100 * (self.counts[number] or 0) / self.total) if self.total else 0


class Counted(Struct, frozen=True):
    """One answer, with how many gave it in each vote."""

    label: str
    """Its letter; else the answer itself, "" for all that aren't named."""
    right: bool
    rule: str
    """A wrong rule's id and name, or ""."""
    counts: Counts
    """None in a vote in which it wasn't counted."""


def counted_hands(answers: Sequence[Answer], votes: Sequence[Vote]) -> tuple[Counted, ...]:
    """The hands of each answer in each vote."""
    return tuple(
        Counted(answer.id, answer.right, answer.rule, tuple(vote.counts[k] for vote in votes))
        for k, answer in enumerate(answers)
    )


def counted_said(votes: Sequence[tuple[Said, ...] | None]) -> tuple[Counted, ...]:
    """What phones answered in each vote: the commonest of the last one first, what has no name at the end."""
    last = next((vote for vote in reversed(votes) if vote is not None), ())
    every: dict[str, Said] = {}
    for said in (*last, *(said for vote in votes for said in vote or ())):
        every.setdefault(said.text, said)
    counts = [vote if vote is None else {said.text: said.count for said in vote} for vote in votes]
    return tuple(
        Counted(
            each.text, each.right, each.rule, tuple(None if vote is None else vote.get(each.text, 0) for vote in counts)
        )
        for each in sorted(every.values(), key=lambda said: not said.text)
    )


def total_of(counted: Sequence[Counted], vote: int) -> int:
    """All who answered in a vote."""
    return sum(answer.counts[vote] or 0 for answer in counted)


def commonest_rule(counted: Sequence[Counted], vote: int) -> tuple[str, int, int] | None:
    """The wrong rule that most go by, with how many, and of how many."""
    by_rule: Counter[str] = Counter()
    for answer in counted:
        by_rule[answer.rule] += (answer.counts[vote] or 0) * bool(answer.rule)
    rule, count = by_rule.most_common(1)[0] if by_rule else ("", 0)
    return (rule, count, total_of(counted, vote)) if count else None


def advice(counted: Sequence[Counted], vote: int) -> str:
    """What the answers suggest to a speaker; "" before all are counted."""
    total = total_of(counted, vote)
    if not total or any(answer.counts[vote] is None for answer in counted):
        return ""
    if vote:
        return sentence("present.advice_second")
    percent = round(100 * sum(answer.counts[vote] or 0 for answer in counted if answer.right) / total)
    if percent < 30:
        return sentence("present.advice_few")
    if percent <= 70:
        return sentence("present.advice_some")
    return sentence("present.advice_many")
