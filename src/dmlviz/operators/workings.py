"""The computation behind a check: terms, and lines of pseudo-code with live numbers."""

from __future__ import annotations

from typing import NamedTuple


class Term(NamedTuple):
    """A number in a computation with the name of what it stands for; a sign between numbers has no name."""

    name: str
    text: str


class CodeLine(NamedTuple):
    """A line of pseudo-code, and what it comes to with the desc's numbers in place."""

    text: str
    live: str = ""
    ok: bool | None = None
    """Of an assertion: whether it holds; None where another failure leaves it without meaning, and of other lines."""
    failing: tuple[str, ...] = ()
    """The numbers of each failure, the first few of them."""
