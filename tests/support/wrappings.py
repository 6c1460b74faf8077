"""What people paste code in: fences, quotes, prompts."""

from __future__ import annotations

from collections.abc import Callable


def fenced(text: str, fence: str = "```", language: str = "") -> str:
    """A block of code."""
    return f"{fence}{language}\n{text}\n{fence}\n"


def before_lines(text: str, mark: str) -> str:
    """A mark in front of every line."""
    return "".join(f"{mark}{line}\n" for line in text.split("\n"))


def prompted(text: str) -> str:
    """A dialogue in which every line was typed."""
    return "".join(f"In [{n}]: {line}\nOut[{n}]: \n" for n, line in enumerate(text.split("\n"), 1))


WRAPPINGS: tuple[Callable[[str], str], ...] = (
    lambda text: text,
    fenced,
    lambda text: fenced(text, "~~~~", "cpp"),
    lambda text: fenced(text, language="python"),
    lambda text: before_lines(text, "> "),
    lambda text: before_lines(text, "> > "),
    lambda text: before_lines(fenced(text), "> "),
    lambda text: fenced(before_lines(text, ">")),
    prompted,
    lambda text: before_lines(text, ">>> "),
    lambda text: before_lines(text, "    "),
    lambda text: text.replace("\n", "\r\n"),
)
