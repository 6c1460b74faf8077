"""What lessons are called in progress, and which answers are of one."""

from __future__ import annotations

from .progress import Answered

LESSONS = ("join", "split", "reverse", "gather", "tile", "invalid")
"""The shipped lessons, in the order in which they are taken."""
LEVELS = "levels"
"""The shipped levels."""
SHIPPED = frozenset((*LESSONS, LEVELS))


def counted_as(lesson: str, kind: str) -> str:
    """The lesson that an answer to a question of a kind is kept under: a level that shipped lessons share has one."""
    return LEVELS if kind == "level" and lesson in SHIPPED else lesson


def is_of(answered: Answered, lesson: str) -> bool:
    """True for an answer to a task of a lesson, by the lesson's name; an older answer that names none may be of any.

    The shipped lessons share levels: whoever has solved L12 in one has solved it in all.
    """
    return answered.lesson in ("", lesson) or {answered.lesson, lesson} <= SHIPPED
