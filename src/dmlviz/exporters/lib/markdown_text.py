"""Text inside Markdown that shows up as it is, whatever it holds."""

from __future__ import annotations

import re

from ...errors import quote

_ACTIVE = re.compile(r"[\\`*_\[\]<>&|~#@$]")
"""What Markdown, or GitHub's, would act upon in the middle of a line."""
_TICKS = re.compile("`+")


def escaped(text: str) -> str:
    """Text in which Markdown acts upon nothing, to stand behind other text on its line."""
    return _ACTIVE.sub(r"\\\g<0>", _visible(text))


def code(text: str, most: int = 120) -> str:
    """A code span of one line, cut to `most` characters; no mark means anything in it."""
    shown = _visible(text)
    shown = shown if len(shown) <= most else f"{shown[: most - 1]}…"
    if not shown.strip():
        shown = quote(shown)  # a span of nothing is none
    ticks = "`" * (_longest(shown) + 1)
    # One space on each side is taken off again; without it, ticks or spaces at the ends would be lost.
    edge = " " if shown[0] in " `" or shown[-1] in " `" else ""
    return f"{ticks}{edge}{shown}{edge}{ticks}"


def fenced(text: str, language: str) -> str:
    """A block of code that nothing in `text` can end; its unprintable characters are written as escapes."""
    lines = [_visible(line) for line in text.removesuffix("\n").split("\n")]
    ticks = "`" * max(3, _longest(text) + 1)
    return "\n".join([f"{ticks}{language}", *lines, ticks])


def _longest(text: str) -> int:
    """The longest run of backticks."""
    return max((len(run) for run in _TICKS.findall(text)), default=0)


def _visible(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode("ascii") for c in text)
