"""Whether the reveal of one question tells what another asks for."""

from __future__ import annotations

import numpy as np

from ...desc.fields import Role
from .question import Question
from .subject import Subject


def told_by_reveal(before: Question, question: Question) -> bool:
    """True if the screen shows what `question` asks for once `before` is answered.

    Whose picture is shown tells all of its desc but rules and memory: by wires, counts, titles and its formula.
    """
    one, other, kind = before.subject, question.subject, question.kind
    if one.desc != other.desc or not _alike(one, other, all_values=False):
        return False
    same, shown = _alike(one, other, all_values=True), {"sizes", "field"}
    if one.valid:
        shown |= {"source", "via", "dest", "count", *(["value"] if same else ())}
    is_same_place = before.cells == question.cells and (before.at == question.at or not kind.of_chains)
    is_again = before.kind is kind and is_same_place and one.experiment.feature_level is other.experiment.feature_level
    return kind.quantity in shown or (same and is_again)


def _alike(one: Subject, other: Subject, *, all_values: bool) -> bool:
    """True if two subjects of one desc have the same indices and lengths; with `all_values`, the same data too."""
    if one is other or not (one.valid and other.valid):
        return one is other or dict(one.experiment.values) == dict(other.experiment.values)
    numbers = [k for k, part in enumerate(one.desc.inputs) if all_values or part.field.role is not Role.DATA]
    flat = {k: np.arange(one.desc.inputs[k].tensor.element_count, dtype=np.int64) for k in numbers}
    return all(np.array_equal(one.trace.read(k, flat[k]), other.trace.read(k, flat[k])) for k in numbers)
