"""The desc that is asked about, as far as a question lets it be seen: its numbers, and its tensors as plain tables."""

from __future__ import annotations

import numpy as np

from ..desc.fields import NumberField, NumbersField
from ..desc.tensors import braces
from ..teaching.answers import shown, values_of
from ..teaching.question import Question, Verdict
from .ask_state import FieldState, TableState

MOST_SHOWN = 64
"""Elements of a table that is shown with its values."""
LEVEL = "feature_level"
"""What a question calls the feature level, which is none of the struct's fields."""
WITHOUT_VALUES = frozenset({"valid", "waits", "lowest", "faster"})
"""Kinds that ask nothing about values."""


def fields_of(
    question: Question, verdict: Verdict | None, typed: str, *, is_open: bool, pictured: bool
) -> tuple[FieldState, ...]:
    """The desc's numbers, and where to look among them."""
    desc = question.subject.desc
    lights: tuple[str, ...] = ()
    if verdict is not None and not verdict.right:
        lights = verdict.lights
    fields = [
        FieldState(
            "FeatureLevel",
            _hidden(question, is_open, LEVEL, str(question.subject.experiment.feature_level)),
            is_open and question.blank == LEVEL,
        )
    ]
    if pictured and "FeatureLevel" not in lights:
        fields = []
    for field in desc.FIELDS:
        if not isinstance(field, (NumberField, NumbersField)):
            continue
        content = desc.get(field.name)
        text = braces(content) if isinstance(field, NumbersField) else str(content)
        blank = is_open and question.blank == field.name
        lit = any(light.split("[")[0] == field.name for light in lights)
        fields.append(
            FieldState(field.name, typed or "?" if blank else _hidden(question, is_open, field.name, text), blank, lit)
        )
    return tuple(fields)


def _hidden(question: Question, is_open: bool, path: str, text: str) -> str:
    return "?" if is_open and path in question.hidden else text


def tables_of(question: Question, typed: str, *, is_open: bool) -> tuple[TableState, ...]:
    """Every tensor as a plain table, as far as the question lets it be seen; of a large one the sizes alone."""
    subject = question.subject
    desc, tables = subject.desc, []
    blank = question.blank or ""
    with_values = subject.valid and question.kind.name not in WITHOUT_VALUES
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
                numbers = subject.truth.flat(k, 0, len(flat)) if is_output else subject.trace.read(k, flat)
                values = tuple(map(shown, values_of(numbers)))
            tables.append(TableState(title, sizes, values, is_output))
    return tuple(tables)
