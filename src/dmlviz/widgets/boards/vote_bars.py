"""How many gave which answer, as bars: each with its share, and the rule behind it."""

from __future__ import annotations

from collections.abc import Sequence

from ...scene.spans import DIM, PLAIN, RULER, Line, Span, Style, cut, fitting
from ...teaching.words.catalogue import sentence
from ...workspace.wall.votes import Counted, share_of

STRONG, ACCENT = Style("letter"), Style("axis", strong=True)
BAR, SHORT_BAR = 24, 12
"""Columns of the bar of an answer that everybody gives, and of one on a narrow screen."""
NARROW = 80
BESIDE = 30
"""Columns of the numbers, and of as much of a rule as is worth reading."""
LEAST_LABEL = 8


def bar_lines(counted: Sequence[Counted], vote: int, width: int, *, speaker: bool = False) -> list[Line]:
    """A line for each answer: its hands in a vote, their share, and in a second vote what that was in the first.

    A `speaker` sees them before any are counted, with wrong rules' ids, which say nothing to a room.
    """
    bar = BAR if width >= NARROW else SHORT_BAR
    labels = [answer.label or sentence("present.room_others") for answer in counted]
    columns = min(max(map(len, labels), default=0), max(LEAST_LABEL, width - bar - BESIDE))
    lines: list[Line] = []
    for answer, label in zip(counted, labels, strict=True):
        count, share = answer.counts[vote], share_of(counted, answer.counts[vote], vote)
        told = "–" if count is None else f"{share} %"
        if vote and answer.counts[0] is not None:
            told = f"{share_of(counted, answer.counts[0], 0)} → {told}"
        style = STRONG if answer.right else PLAIN
        rule = answer.rule if speaker else answer.rule.partition(" ")[2] or answer.rule
        if speaker and not rule:
            rule = sentence("present.is_right" if answer.right else "present.no_rule")
        line = [
            Span(f" {cut(label, columns).ljust(columns)} {'✓' if answer.right else ' '}", ACCENT),
            Span(f"  {'–' if count is None else count:>3}  ", STRONG),
            Span(f"{('█' * round(share * bar / 100)).ljust(bar)}  ", style),
            Span(f"{told:>{11 if vote else 5}}", RULER),
            Span(f"  {rule}" if rule else "", style),
            Span(f"  {answer.text}" if speaker and answer.text else "", DIM),
        ]
        lines.append(fitting(line, width))
    return lines
