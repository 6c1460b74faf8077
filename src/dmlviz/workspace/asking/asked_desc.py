"""The desc that is asked about, as far as a question lets it be seen: its numbers, and its tensors as plain tables."""

from __future__ import annotations

import numpy as np

from ...desc.base import Desc
from ...desc.indexing import unravel
from ...desc.tensors import braces
from ...scene.elements.cursor import Cursor
from ...scene.names import short_name
from ...teaching.questions.question import Question, Reply
from ...teaching.questions.subject import shown, values_of
from .ask_state import FieldState, TableState

MOST_SHOWN = 64
"""Elements of a table that is shown with its values."""
LEVEL = "feature_level"
"""What a question calls the feature level, which is none of the struct's fields."""


def numbers_of(desc: Desc) -> tuple[tuple[str, str], ...]:
    """(name, text) of each field of a desc that is neither tensor nor count."""
    return tuple((field.name, field.shown(desc.get(field.name))) for field in desc.ATTRIBUTES)


def fields_of(
    question: Question, verdict: Reply | None, typed: str, *, is_open: bool, pictured: bool
) -> tuple[FieldState, ...]:
    """The level and the desc's numbers: `typed` in the blank one, `?` for hidden ones, lit where the verdict says.

    None of a chain while it is asked about: each stage's stand in its line.
    """
    desc = question.subject.desc
    if is_open and question.kind.of_chains:
        return ()
    lights: tuple[str, ...] = ()
    if verdict is not None and not verdict.right:
        lights = verdict.lights
    fields = [
        FieldState(
            question.subject.sentence("words.feature_level"),
            _unless_hidden(question, is_open, LEVEL, str(question.subject.experiment.feature_level)),
            is_open and question.blank == LEVEL,
        )
    ]
    if pictured and "FeatureLevel" not in lights:
        fields = []
    for name, number in numbers_of(desc):
        blank = is_open and question.blank == name
        lit = any(light.split("[")[0] == name for light in lights)
        text = typed or "?" if blank else _unless_hidden(question, is_open, name, number)
        fields.append(FieldState(name, text, blank, lit))
    return tuple(fields)


def places_of(question: Question) -> list[Cursor]:
    """The elements whose values are asked for, in memory order, those under an index for `fill` and `order`."""
    at = question.at
    return [] if at is None else [Cursor(at.place, index) for index in question.kind.places(question)]


def _unless_hidden(question: Question, is_open: bool, path: str, text: str) -> str:
    """`text`, or `?` while an open question hides `path`."""
    return "?" if is_open and path in question.hidden else text


def tables_of(question: Question, typed: str, *, is_open: bool) -> tuple[TableState, ...]:
    """Every tensor as a plain table, as far as the question lets it be seen; of a large one the sizes alone."""
    subject = question.subject
    if question.kind.of_chains:
        lines = question.kind.lines(question)
        return tuple(TableState(title, sizes, tuple(map(shown, values))) for title, sizes, values in lines)
    desc, tables = subject.desc, list[TableState]()
    blank = question.blank or ""
    with_values = subject.valid and not question.kind.about_rules
    for is_output, parts in ((False, desc.inputs), (True, desc.outputs)):
        for k, part in enumerate(parts):
            sizes = part.tensor.sizes
            braced = braces(sizes)
            if is_open and f"{part.path}.Sizes" in question.hidden:
                braced = "{?}" if blank != f"{part.path}.Sizes" else "{" + (typed or "?") + "}"
            elif is_open and blank.startswith(f"{part.path}.Sizes["):
                axis = int(blank.rpartition("[")[2][:-1])
                texts = [str(n) for n in sizes]
                texts[axis] = typed or "?"
                braced = braces(texts)
            title = f"{part.path} {part.tensor.data_type} {braced}"
            shows = with_values and part.tensor.element_count <= MOST_SHOWN
            if is_open and (part.path in question.hidden or (is_output and "values" in question.hidden)):
                shows = False
            values: tuple[str, ...] = ()
            if shows:
                flat = np.arange(part.tensor.element_count, dtype=np.int64)
                numbers = subject.truth.values(k, unravel(flat, sizes)) if is_output else subject.trace.read(k, flat)
                values = tuple(map(shown, values_of(numbers)))
            typed_apart = not tables or part.tensor.data_type is not desc.inputs[0].tensor.data_type
            words = short_name(part.path), str(part.tensor.data_type) * typed_apart, braced.replace(" ", "")
            short = " ".join(filter(None, words))
            tables.append(TableState(title, sizes, values, is_output=is_output, short=short))
    return tuple(tables)
