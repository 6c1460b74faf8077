"""Numbers inside a text: the one under the cursor, and the same one stepped."""

from __future__ import annotations

import re


def short_type(name: str) -> str:
    """`F32` for FLOAT32, `U8` for UINT8, `I64` for INT64."""
    return name[0] + "".join(char for char in name if char.isdigit())


ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")


def ordinal(at: int, count: int) -> str:
    """`the second of 3`, so that nobody takes axis 1 for the first one; `at` counts from 0."""
    if count == 1:
        return "the only one"
    return f"the {ORDINALS[at]} of {count}" if at < len(ORDINALS) else f"{at + 1} of {count}"


def stepped(text: str, at: int, by: int) -> tuple[str, int]:
    """`text` with the number at position `at` changed by `by`, and where to stand then."""
    for match in re.finditer(r"-?\d+", text):
        if match.start() <= at <= match.end():
            number = str(int(match.group()) + by)
            return text[: match.start()] + number + text[match.end() :], min(at, match.start() + len(number))
    return text, at


def number_at(text: str, at: int) -> int | None:
    """Which of the numbers in `text` the position `at` is in or behind; None where there is none."""
    ends = [match.end() for match in re.finditer(r"-?\d+", text)]
    return next((i for i, end in enumerate(ends) if at <= end), len(ends) - 1) if ends else None
