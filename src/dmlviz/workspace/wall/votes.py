"""The hands that are counted in a vote, and what they suggest to a speaker."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from ...session.presentation_state import Counts
from ...teaching.words.catalogue import sentence
from ...teaching.words.texts import ENGLISH
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


def advice(answers: Sequence[Answer], vote: Vote, number: int, lang: str = ENGLISH) -> str:
    """What the hands suggest to a speaker; "" before all are counted. `number` is the vote's, from 0."""
    right = [k for k, answer in enumerate(answers) if answer.right]
    if not right or not vote.is_whole or not vote.total:
        return ""
    return suggestion(sum(vote.percent(k) for k in right), number, lang)


def suggestion(percent: int, number: int, lang: str = ENGLISH) -> str:
    """What a share of right answers suggests, 0 to 100, in vote `number`, from 0."""
    if number:
        return sentence(lang, "present.advice_second")
    if percent < 30:
        return sentence(lang, "present.advice_few")
    if percent <= 70:
        return sentence(lang, "present.advice_some")
    return sentence(lang, "present.advice_many")
