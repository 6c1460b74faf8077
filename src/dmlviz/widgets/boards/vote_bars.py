"""How many gave which answer, as bars: each with its share, and the rule behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...scene.spans import DIM, PLAIN, RULER, Line, Span, Style, cut, fitting
from ...session.class_status import Said
from ...teaching.words.catalogue import sentence
from ...workspace.wall.presented_item import shares_of

STRONG, ACCENT = Style("letter"), Style("axis", strong=True)
BAR, SHORT_BAR = 24, 12
"""Columns of the bar of an answer that everybody gives, and of one on a narrow screen."""
NARROW = 80
BESIDE = 30
"""Columns of the numbers, and of as much of a rule as is worth reading."""
LEAST_LABEL = 8


def bar_lines(counted: Sequence[Said], width: int, *, meant: Mapping[str, str] | None = None) -> list[Line]:
    """A line for each answer: its hands, their share, and in a second vote what that was in the first.

    A speaker is told what letters stand for, by `meant`, and wrong rules' ids, which say nothing to a room.
    """
    bar = BAR if width >= NARROW else SHORT_BAR
    labels = [each.text or sentence("present.room_others") for each in counted]
    columns = min(max(map(len, labels), default=0), max(LEAST_LABEL, width - bar - BESIDE))
    shares = shares_of([each.count for each in counted])
    is_counted = any(share is not None for share in shares)
    lines: list[Line] = []
    for each, label, share in zip(counted, labels, shares, strict=True):
        line = [Span(f" {cut(label, columns).ljust(columns)} {'✓' if each.right else ' '}", ACCENT)]
        if is_counted or each.before is not None:
            told = "–" if share is None else f"{share} %"
            line += [
                Span(f"  {'–' if each.count is None else each.count:>3}  ", STRONG),
                Span(f"{('█' * round((share or 0) * bar / 100)).ljust(bar)}  ", STRONG if each.right else PLAIN),
                Span(f"{told if each.before is None else f'{each.before} → {told}':>5}", RULER),
            ]
        rule = each.rule if meant is not None else each.rule.partition(" ")[2] or each.rule
        if meant is not None and not rule:
            rule = sentence("present.is_right" if each.right else "present.no_rule")
        line.append(Span(f"  {rule}" if rule else "", PLAIN))
        line.append(Span(f"  {(meant or {}).get(each.text, '')}", DIM))
        lines.append(fitting(line, width))
    return lines
