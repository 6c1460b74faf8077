"""How many gave which answer, as bars: each with its share, and the rule behind it."""

from __future__ import annotations

from collections.abc import Sequence

from ...scene.spans import PLAIN, RULER, Line, Span, Style, cut, fitting, length
from ...teaching.words.catalogue import sentence
from ...workspace.wall.votes import Counted, total_of

STRONG, ACCENT = Style("letter"), Style("axis", strong=True)
BAR = 24
"""Columns of the bar of an answer that everybody gives."""
LEAST_BAR = 6
COUNT = 13
"""Columns beside a bar: how many, and their share."""
LEAST_LABEL, LEAST_SHORT = 16, 8
"""Columns that an answer's words have at least, in front of bars, and where all stand in a line."""
LEAST_RULE = 8
"""Columns that the rule behind an answer has, or it isn't named."""
PALE = "▒"
"""What the second vote's bar is made of where it stands below the first one's."""


def bar_lines(answers: Sequence[Counted], width: int, *, form: str, ids: bool = False) -> list[Line]:
    """Both votes of each answer, "beside" or "below" each other, or a line of each vote, "low".

    No lines where no vote has begun. `ids` names wrong rules by their id, too, which says nothing to a room.
    """
    votes = range(max((len(answer.counts) for answer in answers), default=0))
    begun = [vote for vote in votes if any(answer.counts[vote] is not None for answer in answers)]
    if not begun:
        return []
    names = (sentence("present.first"), sentence("present.second")) if len(begun) > 1 else ("", "")
    labels = [answer.label or sentence("present.room_others") for answer in answers]
    if form == "low":
        return [_vote_line(answers, labels, vote, names[vote], width) for vote in begun]
    rules = [answer.rule if ids else answer.rule.partition(" ")[2] or answer.rule for answer in answers]
    named = (max(map(len, names)) + 1) * (len(begun) > 1)
    longest = max(map(len, labels))
    narrow = min(longest, LEAST_LABEL) + 3 + 2 * (COUNT + named + LEAST_BAR) > width
    below = len(begun) > 1 and (form == "below" or narrow)
    beside = 1 if below else len(begun)  # below, one stands right above the other
    if below:
        names = (names[0].ljust(named - 1), names[1].ljust(named - 1))
    shown = min(longest, max(LEAST_LABEL, width - 5 - beside * (COUNT + named + BAR // beside)))
    head = shown + 3
    wanted = max((len(rule) + 2 for rule in rules if rule), default=0)  # the rule is worth more than the bar
    columns = max(LEAST_BAR, min(BAR // beside, (width - head - wanted) // beside - COUNT - named))
    lines: list[Line] = []
    for answer, label, rule in zip(answers, labels, rules, strict=True):
        style = STRONG if answer.right else PLAIN
        mark = "✓" if answer.right else " "
        line = [Span(f" {cut(label, shown).ljust(shown)} {mark}", ACCENT if answer.right else PLAIN)]
        for k, vote in enumerate(begun):
            pale = below and k > 0
            if pale:
                lines.append(_with_rule(line, rule, width))
                line = [Span(" " * head, PLAIN)]
            text = _bar_text(answers, answer.counts[vote], vote, names[vote], columns, PALE if pale else "█")
            line.append(Span(text, RULER if pale and not answer.right else style))
        lines.append(fitting(line, width) if below else _with_rule(line, rule, width))
    return lines


def share_of(answers: Sequence[Counted], count: int, vote: int) -> int:
    """The share of so many in all who answered in a vote, 0 to 100."""
    return round(100 * count / max(1, total_of(answers, vote)))


def _bar_text(answers: Sequence[Counted], count: int | None, vote: int, name: str, columns: int, block: str) -> str:
    which = f"{name} " if name else ""
    share = share_of(answers, count or 0, vote)
    shares = f"{share:>3} %" if count is not None else " " * 5
    bar = (block * round(share * columns / 100)).ljust(columns)
    return f"  {which}{'–' if count is None else count:>3}  {bar} {shares}"


def _with_rule(line: Line, rule: str, width: int) -> Line:
    """A line with the rule behind it, if there is room for as much of it as is worth reading."""
    room = width - length(line) - 2
    if not rule or room < min(LEAST_RULE, len(rule)):
        return fitting(line, width)
    return [*line, Span(f"  {cut(rule, room)}", PLAIN)]


def _vote_line(answers: Sequence[Counted], labels: Sequence[str], vote: int, name: str, width: int) -> Line:
    """All answers of one vote in a line."""
    line: Line = [Span(f"{name or sentence('present.hands'):<8}", RULER)]
    short = max(LEAST_SHORT, (width - len(line[0].text)) // len(answers) - COUNT)
    for answer, label in zip(answers, labels, strict=True):
        count = answer.counts[vote]
        told = "–" if count is None else f"{count} {share_of(answers, count, vote)}%"
        text = f"{cut(label, short)}{'✓' if answer.right else ''} {told}"
        line += [Span(text, STRONG if answer.right else PLAIN), Span("   ", PLAIN)]
    return fitting(line[:-1], width)
