"""Who counts coordinates from 1: one too few is read into a question, and one too many stands in the answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from ....desc.base import Part
from ...questions.answers import Cell
from ...questions.question import Answer, At, Question


def moved(cell: Cell, by: int, parts: Sequence[Part]) -> Cell | None:
    """A cell with `by` more along each axis that is longer than 1; None where there is no such cell, or axis."""
    number, index = cell
    sizes = parts[number].tensor.sizes
    there = tuple(i + by if n > 1 else i for i, n in zip(index, sizes, strict=True))
    return (number, there) if there != index and all(0 <= i < n for i, n in zip(there, sizes, strict=True)) else None


def read_from_one(question: Question) -> Iterator[Answer]:
    """What is right of the element that a question's coordinates name when they are counted from 1, if there is one."""
    place, desc = question.element.place, question.subject.desc
    cell = moved((place.number, question.element.index), -1, desc.outputs if place.is_output else desc.inputs)
    if cell is not None:
        yield question.kind.answer(replace(question, at=At(place, cell[1])), None)
