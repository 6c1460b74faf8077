"""The hands that are counted in a vote, and what they suggest to a speaker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ...session.class_status import Said
from ...session.presentation_state import Counts
from ...teaching.words.catalogue import sentence
from .presented_item import Answer


def counted_hands(answers: Sequence[Answer], counts: Counts, first: Counts = ()) -> tuple[Said, ...]:
    """The hands of each answer in a vote; in the second one with their share in the `first`."""
    shares = shares_of(first) or [None] * len(answers)
    return tuple(
        Said(text=answer.id, count=count, right=answer.right, rule=answer.rule, says=answer.says, before=share)
        for answer, count, share in zip(answers, counts, shares, strict=True)
    )


def shares_of(counts: Sequence[int | None]) -> list[int | None]:
    """The share of each answer in all that were given, 0 to 100."""
    total = sum(count or 0 for count in counts)
    return [None if count is None else round(100 * count / max(1, total)) for count in counts]


def total_of(counted: Sequence[Said]) -> int:
    """All who answered."""
    return sum(each.count or 0 for each in counted)


def commonest_rule(counted: Sequence[Said]) -> tuple[str, int]:
    """The wrong rule that most go by, with how many; ("", 0) where nobody goes by any."""
    by_rule = Counter[str]()
    for each in counted:
        by_rule[each.rule] += (each.count or 0) if each.rule else 0
    return max(by_rule.items(), key=lambda pair: pair[1], default=("", 0))


def advice(counted: Sequence[Said], vote: int) -> str:
    """What the answers suggest to a speaker; "" before all are counted."""
    if not total_of(counted) or any(each.count is None for each in counted):
        return ""
    if vote:
        return sentence("present.advice_second")
    percent = 100 * sum(each.count or 0 for each in counted if each.right) / total_of(counted)
    key = "present.advice_some" if percent <= 70 else "present.advice_many"
    return sentence(key if percent >= 30 else "present.advice_few")
