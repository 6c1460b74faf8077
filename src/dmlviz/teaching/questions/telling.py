"""What a question asks for by its place, and what the reveal of another tells of that."""

from __future__ import annotations

import numpy as np

from ...desc.fields import Role
from .question import Quantity, Question
from .subject import Subject


def asked_of(question: Question) -> frozenset[Quantity]:
    """The quantities that a question asks for."""
    return frozenset(question.kind.asks(question))


def told_by_reveal(before: Question, question: Question) -> frozenset[Quantity]:
    """Of what `question` asks for, what the screen shows once `before` is answered.

    Whose picture is shown tells all of its desc but rules and memory: by wires, counts, titles and its formula.
    """
    one, other = before.subject, question.subject
    if one.desc != other.desc or not _alike(one, other, all_values=False):
        return frozenset()
    same = _alike(one, other, all_values=True)
    shown = {"sizes", "field"}
    if one.valid:
        shown |= {"source", "via", "dest", "count", *(["value"] if same else ())}
    own = asked_of(before) if same and one.experiment.feature_level is other.experiment.feature_level else frozenset()
    return frozenset(quantity for quantity in asked_of(question) if quantity.what in shown or quantity in own)


def _alike(one: Subject, other: Subject, *, all_values: bool) -> bool:
    """True if two subjects of one desc have the same indices and lengths; with `all_values`, the same data too."""
    if one is other or not (one.valid and other.valid):
        return one is other or dict(one.experiment.values) == dict(other.experiment.values)
    numbers = [k for k, part in enumerate(one.desc.inputs) if all_values or part.field.role is not Role.DATA]
    flat = {k: np.arange(one.desc.inputs[k].tensor.element_count, dtype=np.int64) for k in numbers}
    return all(np.array_equal(one.trace.read(k, flat[k]), other.trace.read(k, flat[k])) for k in numbers)
