"""Numbers inside a text: the one under the cursor, and the same one stepped."""

from __future__ import annotations

import re
from decimal import Decimal

MOST_STEPPED = 10**15
"""Numbers with a fraction or an exponent are stepped up to here: one more is another number as a float, too."""
MOST_DECIMALS = 15
_BEGUN = re.compile(
    r"[+-]?(?:i(?:nf?)?|n(?:an?)?|(?:\d+\.?\d*|\.\d*)(?:e[+-]?\d*)?)?",
    re.ASCII | re.IGNORECASE,
)
_NUMBER = re.compile(r"-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def ordinal(at: int, count: int) -> str:
    """`the second of 3`, so that nobody takes axis 1 for the first one; `at` counts from 0."""
    if count == 1:
        return "the only one"
    return f"the {ORDINALS[at]} of {count}" if at < len(ORDINALS) else f"{at + 1} of {count}"


def stepped(text: str, at: int, by: int) -> tuple[str, int]:
    """`text` with the number at position `at` changed by `by`, and where to stand then."""
    for match in _NUMBER.finditer(text):
        if match.start() <= at <= match.end():
            n = _changed(match.group(), by)
            return text[: match.start()] + n + text[match.end() :], min(at, match.start() + len(n))
    return text, at


def _changed(number: str, by: int) -> str:
    """A number's text with `by` more, as many decimals as it has: `0.9` by 1 is `1.9`."""
    if number.lstrip("-").isdigit():
        return str(int(number) + by)
    before = Decimal(number)
    return f"{before + by:f}" if before.adjusted() > -MOST_DECIMALS and abs(before) < MOST_STEPPED else number


def begins_float(text: str) -> bool:
    """True for what a float may begin with as it is typed: `-`, `1.`, `1e-`, `in`, `nan`."""
    return _BEGUN.fullmatch(text) is not None


def number_at(text: str, at: int) -> int | None:
    """Which of the numbers in `text` the position `at` is in or behind; None where there is none."""
    ends = [match.end() for match in re.finditer(r"-?\d+", text)]
    return next((i for i, end in enumerate(ends) if at <= end), len(ends) - 1) if ends else None
