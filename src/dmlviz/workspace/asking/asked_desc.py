"""The desc that is asked about, as far as a question lets it be seen: its numbers, and its tensors as plain tables."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from ...desc.base import Desc, Part
from ...desc.indexing import unravel
from ...desc.tensors import braces
from ...scene.elements.cursor import Cursor
from ...teaching.questions.question import Question, Reply
from ...teaching.questions.subject import shown, values_of

MOST_SHOWN = 64
"""Elements of a table that is shown with its values."""
LEVEL = "feature_level"
"""What a question calls the feature level, which is none of the struct's fields."""


class FieldState(Struct, frozen=True):
    """One of the desc's numbers."""

    path: str
    text: str
    """What it holds; what is typed so far where it is blank."""
    blank: bool = False
    lit: bool = False
    """It is where to look."""


class TableState(Struct, frozen=True):
    """A tensor as a plain table, without colours that would tell."""

    title: str
    sizes: tuple[int, ...]
    values: tuple[str, ...]
    is_output: bool = False


def numbers_of(desc: Desc) -> tuple[tuple[str, str], ...]:
    """(name, text) of each field of a desc that is neither tensor nor count."""
    return tuple((field.name, field.shown(desc.get(field.name))) for field in desc.ATTRIBUTES)


def fields_of(
    question: Question, verdict: Reply | None, typed: str, *, is_open: bool, pictured: bool
) -> tuple[FieldState, ...]:
    """The level and the desc's numbers: `typed` in the blank one, `?` for hidden ones, lit where the verdict says.

    None of a chain while it is asked about: each stage's stand in its line.
    """
    if is_open and question.kind.of_chains:
        return ()
    lights = verdict.lights if verdict is not None and not verdict.right else ()
    subject, fields = question.subject, list[FieldState]()
    level = LEVEL, subject.sentence("words.feature_level"), str(subject.experiment.feature_level)
    for path, name, text in (level, *((name, name, text) for name, text in numbers_of(subject.desc))):
        blank = is_open and question.blank == path
        told = typed or "?" if blank else "?" if is_open and path in question.hidden else text
        lit = any(light.split("[")[0] == name for light in lights)
        if lit or path != LEVEL or not pictured:
            fields.append(FieldState(name, told, blank, lit))
    return tuple(fields)


def places_of(question: Question) -> list[Cursor]:
    """The elements whose values are asked for, in memory order, those under an index for `fill` and `order`."""
    at = question.at
    return [] if at is None else [Cursor(at.place, index) for index in question.kind.places(question)]


def tables_of(question: Question, typed: str, *, is_open: bool) -> tuple[TableState, ...]:
    """Every tensor as a plain table, as far as the question lets it be seen; of a large one the sizes alone."""
    subject = question.subject
    if question.kind.of_chains:
        lines = question.kind.lines(question)
        return tuple(TableState(title, sizes, tuple(map(shown, values))) for title, sizes, values in lines)
    with_values = subject.valid and not question.kind.about_rules
    hidden = question.hidden if is_open else frozenset[str]()
    tables = []
    for is_output, parts in ((False, subject.desc.inputs), (True, subject.desc.outputs)):
        for k, part in enumerate(parts):
            tensor = part.tensor
            is_seen = part.path not in hidden and not (is_output and "values" in hidden)
            values: tuple[str, ...] = ()
            if with_values and is_seen and tensor.element_count <= MOST_SHOWN:
                flat = np.arange(tensor.element_count, dtype=np.int64)
                numbers = (
                    subject.truth.values(k, unravel(flat, tensor.sizes)) if is_output else subject.trace.read(k, flat)
                )
                values = tuple(map(shown, values_of(numbers)))
            sizes = _sizes_told(question, part, typed) if is_open else braces(tensor.sizes)
            title = f"{part.path} {tensor.data_type} {sizes}"
            tables.append(TableState(title, tensor.sizes, values, is_output=is_output))
    return tuple(tables)


def _sizes_told(question: Question, part: Part, typed: str) -> str:
    """A tensor's sizes while they may be asked for: `typed`, or `?`, in the place of what is blank or hidden."""
    path, blank, sizes = f"{part.path}.Sizes", question.blank or "", part.tensor.sizes
    if blank == path:
        return braces([typed or "?"])
    if path in question.hidden:
        return "{?}"
    if not blank.startswith(f"{path}["):
        return braces(sizes)
    axis = int(blank.rpartition("[")[2][:-1])
    return braces([*sizes[:axis], typed or "?", *sizes[axis + 1 :]])
