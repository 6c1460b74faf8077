"""What a question asks for by its place, and what the reveal of another tells of that."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from msgspec import Struct

from ...desc.fields import Role
from ...desc.tensors import braces
from ..words.chain_rules import OF_CHAINS
from .question import Question
from .subject import Subject

OF_INPUTS = ("dest", "count")
"""Kinds about an input's element."""
OF_RULES = ("valid", "lowest", "fixes", "runs", "promised")
"""Kinds whose answer is of the desc as a whole: each is told by a reveal of its own kind alone."""
OF_VALUES = ("pictures", "cell", "fill", "order")


class Quantity(Struct, frozen=True):
    """One thing that a screen may show or ask: by its place, whatever number stands there."""

    what: str
    """`value`, `source`, `via` of an output's element; `dest`, `count` of an input's; `sizes`, `field`; a kind's name;
    `name` of the tensors' names, which stand in every picture."""
    path: str = ""
    index: tuple[int, ...] = ()


def asked_of(question: Question) -> frozenset[Quantity]:
    """The quantities that a question asks for; of a misprint what its text is about; none of a level."""
    return frozenset(_asked(question))


def _asked(question: Question) -> Iterator[Quantity]:
    name, at, desc = question.kind.name, question.at, question.subject.desc
    if name in OF_VALUES:
        yield from (Quantity("value", *place) for place in _elements(question))
    elif name in ("source", "via"):
        yield Quantity(name, desc.outputs[question.element.place.number].path, question.element.index)
    elif name in OF_INPUTS and at is not None:
        yield Quantity(name, desc.inputs[at.place.number].path, at.index)
    elif name == "unread":
        for part in desc.inputs:
            if part.field.role is Role.DATA:
                yield from (Quantity("count", part.path, index) for index in np.ndindex(*part.tensor.sizes))
    elif name == "sizes":
        yield from (Quantity("sizes", part.path) for part in desc.outputs if f"{part.path}.Sizes" in question.hidden)
    elif name in ("insizes", "blank") and question.blank is not None:
        path, is_sizes, _ = question.blank.partition(".Sizes")
        yield Quantity("sizes" if is_sizes else "field", path.partition("[")[0] if not is_sizes else path)
    elif name == "misprint":
        yield from _misprinted(question)
    elif name in OF_CHAINS:
        path = "" if at is None else desc.outputs[at.place.number].path
        yield Quantity(name, path, at.index if at is not None else sum(question.cells, ()))
    elif name in OF_RULES:
        yield Quantity(name)


def _misprinted(question: Question) -> Iterator[Quantity]:
    """What of the desc shows that a text is misprinted: numbers and sizes that it says, and names that aren't there."""
    desc, text = question.subject.desc, next(c.text for c in question.choices if c.id == question.truth)
    for field in desc.ATTRIBUTES:
        if re.search(rf"\b{field.name}\b", text, re.IGNORECASE):
            yield Quantity("field", field.name)
    for part in desc.parts:
        if braces(part.tensor.sizes).replace(" ", "") in text.replace(" ", ""):
            yield Quantity("sizes", part.path)
    if {*re.findall(r"\b[A-Z]\w*Tensors?\b", text)} - {field.name for field in desc.FIELDS}:
        yield Quantity("name")


def _elements(question: Question) -> Iterator[tuple[str, tuple[int, ...]]]:
    """(path, index) of the output elements whose values are asked for."""
    outputs, at = question.subject.desc.outputs, question.at
    if question.kind.name == "pictures":
        picture = next(choice.picture for choice in question.choices if choice.id == question.truth)
        assert picture is not None
        for k, (sizes, _) in enumerate(picture.outputs):
            number, start = (at.place.number, at.index) if at is not None else (k, (0,) * len(sizes))
            for inner in np.ndindex(*sizes):
                yield outputs[number].path, tuple(a + b for a, b in zip(start, inner, strict=True))
        return
    path, index = outputs[question.element.place.number].path, question.element.index
    if question.cells or question.kind.name == "cell":
        yield from ((path, cell) for cell in question.cells or (index,))
        return
    rest = np.ndindex(*question.subject.truth.sizes[question.element.place.number][len(index) :])
    yield from ((path, (*index, *inner)) for inner, _ in zip(rest, question.truth, strict=False))


def told_by_reveal(before: Question, question: Question) -> frozenset[Quantity]:
    """Of what `question` asks for, what the screen shows once `before` is answered.

    Whose picture is shown tells all of its desc but rules and memory: by wires, counts, titles and its formula.
    """
    one, other = before.subject, question.subject
    if one.desc != other.desc or not _alike(one, other, all_values=False):
        return frozenset()
    asked = asked_of(question)
    same = _alike(one, other, all_values=True)
    fields = {"sizes", "field"}
    shown = fields | {"source", "via", "dest", "count"} | ({"value"} if same else set()) if one.valid else fields
    own = asked_of(before) if same and one.experiment.feature_level is other.experiment.feature_level else frozenset()
    return frozenset(quantity for quantity in asked if quantity.what in shown or quantity in own)


def _alike(one: Subject, other: Subject, *, all_values: bool) -> bool:
    """True if two subjects of one desc have the same indices and lengths; with `all_values`, the same data too."""
    if one is other or not (one.valid and other.valid):
        return one is other or dict(one.experiment.values) == dict(other.experiment.values)
    return all(
        np.array_equal(_values(one, k), _values(other, k), equal_nan=False)
        for k, part in enumerate(one.desc.inputs)
        if all_values or part.field.role is not Role.DATA
    )


def _values(subject: Subject, number: int) -> Any:
    return subject.trace.read(number, np.arange(subject.desc.inputs[number].tensor.element_count, dtype=np.int64))
