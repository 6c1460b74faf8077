"""How many gave which answer, as bars: each with its share, and the rule behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...scene.spans import PLAIN, RULER, Line, Span, Style, cut, fitting, length
from ...teaching.words.catalogue import sentence
from ...teaching.words.texts import ENGLISH

STRONG, ACCENT = Style("letter"), Style("axis", strong=True)
BAR = 24
"""Columns of the bar of an answer that everybody gives."""
LEAST_BAR = 6
COUNT = 13
"""Columns beside a bar: how many, and their share."""
MOST_LABEL = 24
"""Columns of an answer's words."""
LEAST_RULE = 8
"""Columns that the rule behind an answer has, or it isn't named."""
PALE = "▒"
"""What the second vote's bar is made of where it stands below the first one's."""


class Bar(NamedTuple):
    """One answer."""

    label: str
    right: bool
    rule: str
    votes: tuple[tuple[int | None, int] | None, ...]
    """(how many, per cent) in each vote, None for one that wasn't counted; None for a vote that didn't begin."""


def bar_lines(bars: Sequence[Bar], width: int, *, form: str, lang: str = ENGLISH) -> list[Line]:
    """Both votes of each answer, "beside" or "below" each other, or a line of each vote, "low".

    No lines where no vote has begun.
    """
    names = sentence(lang, "present.first"), sentence(lang, "present.second")
    begun = [k for k, vote in enumerate(bars[0].votes if bars else ()) if vote is not None]
    if not begun:
        return []
    if form == "low":
        return [_vote_line(bars, k, names[k] if len(begun) > 1 else "", width, lang) for k in begun]
    shown = min(MOST_LABEL, max(len(bar.label) for bar in bars))
    head = shown + 3
    below = form == "below" and len(begun) > 1
    if below:  # one stands right above the other
        names = names[0].ljust(len(names[1])), names[1].ljust(len(names[0]))
    beside = 1 if below else len(begun)
    named = (max(map(len, names)) + 1) * (len(begun) > 1)
    wanted = max((len(bar.rule) + 2 for bar in bars), default=0)  # the rule is worth more than the bar
    columns = max(LEAST_BAR, min(BAR // beside, (width - head - wanted) // beside - COUNT - named))
    lines: list[Line] = []
    for bar in bars:
        style = STRONG if bar.right else PLAIN
        label = cut(bar.label, shown).ljust(shown)
        line = [Span(f" {label} {'✓' if bar.right else ' '}", ACCENT if bar.right else PLAIN)]
        for n, k in enumerate(begun):
            text = _bar_text(bar, k, names[k] if len(begun) > 1 else "", columns, pale=bool(n) and below)
            if below and n:
                lines.append(_with_rule(line, bar.rule, width))
                line = [Span(" " * head, PLAIN)]
            line.append(Span(text, (RULER if not bar.right else style) if below and n else style))
        lines.append(fitting(line, width) if below else _with_rule(line, bar.rule, width))
    return lines


def _bar_text(bar: Bar, vote: int, name: str, columns: int, *, pale: bool) -> str:
    told = bar.votes[vote]
    count, share = told if told is not None else (None, 0)
    blocks = (PALE if pale else "█") * round(share * columns / 100)
    which = f"{name} " if name else ""
    shares = f"{share:>3} %" if count is not None else " " * 5
    return f"  {which}{'–' if count is None else count:>3}  {blocks.ljust(columns)} {shares}"


def _with_rule(line: Line, rule: str, width: int) -> Line:
    """A line with the rule behind it, if there is room for as much of it as is worth reading."""
    room = width - length(line) - 2
    if not rule or room < min(LEAST_RULE, len(rule)):
        return fitting(line, width)
    return [*line, Span(f"  {cut(rule, room)}", PLAIN)]


def _vote_line(bars: Sequence[Bar], vote: int, name: str, width: int, lang: str) -> Line:
    """All answers of one vote in a line."""
    line: Line = [Span(f"{name or sentence(lang, 'present.hands'):<8}", RULER)]
    for bar in bars:
        told = bar.votes[vote]
        count, share = told if told is not None else (None, 0)
        text = f"{bar.label}{'✓' if bar.right else ''} {'–' if count is None else f'{count} {share}%'}"
        line += [Span(text, STRONG if bar.right else PLAIN), Span("   ", PLAIN)]
    return fitting(line[:-1], width)
