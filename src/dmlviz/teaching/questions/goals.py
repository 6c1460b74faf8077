"""Goals: what a desc makes of small tensors, by the truth or by one wrong rule, held against the outputs wanted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ...desc.base import Desc
from ...desc.fields import Role
from ...desc.levels import FeatureLevel
from ...desc.tensors import DataType, braces
from ...desc.value_sources import Listed, convert
from ...operators.general_rules import evaluate
from ...operators.maps import CLAMPED
from ...operators.registry import operator_of
from ...operators.report import Severity
from ...operators.wrong_rules import Misreading, Sizes
from ...session.cell_edits import listed
from ...session.experiments import Experiment
from ...tracing import Trace
from ..words.catalogue import sentence
from .answers import values_of
from .question import Picture
from .subject import Reading, every_index

MOST_ELEMENTS = 512
"""Elements of a tensor that is shown whole, and tried with other numbers."""

Outputs = tuple[tuple[Sizes, DataType | None, bytes], ...]
"""Outputs as they are compared: sizes, type (None for any) and bits of each."""


def has_small_tensors(desc: Desc) -> bool:
    """True if every tensor exists and is small enough to be shown whole."""
    return all(p.tensor.can_exist and p.tensor.element_count <= MOST_ELEMENTS for p in desc.parts)


def is_valid(desc: Desc, level: FeatureLevel) -> bool:
    """True if no rule of severity error is broken; no fixes are looked for."""
    checks = evaluate(operator_of(desc), desc, level).checks
    return all(c.ok or c.severity is not Severity.ERROR for c in checks)


def with_lists(experiment: Experiment) -> Experiment:
    """The experiment with every value written out, so that no fill follows when a number is changed."""
    sources, _ = experiment.sources_or_defaults()
    lists = {
        part.path: Listed(tuple(listed(values.read(np.arange(part.tensor.element_count)))), part.tensor.sizes)
        for part, values in zip(experiment.desc.inputs, sources, strict=True)
        if part.tensor.can_exist
    }
    return replace(experiment, values=lists)


class Attempt:
    """A small experiment, which may be invalid, that is held against a goal."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.desc = experiment.desc

    @cached_property
    def small(self) -> bool:
        """True if every tensor exists and is small enough to be shown whole."""
        return has_small_tensors(self.desc)

    @cached_property
    def valid(self) -> bool:
        return is_valid(self.desc, self.experiment.feature_level)

    @property
    def misreadings(self) -> Sequence[Misreading[Any]]:
        """The wrong rules about its operator."""
        return operator_of(self.desc).misreadings()

    @cached_property
    def trace(self) -> Trace:
        return self.experiment.trace()

    @cached_property
    def outputs(self) -> Outputs | None:
        """The outputs; None where a tensor is large, a rule is broken, or an element isn't promised."""
        if not self.small or not self.valid or not all_promised(self.trace):
            return None
        return outputs_by(Reading(self.trace), self.desc)

    def gives(self, rule: Misreading[Any], wanted: Outputs, *, by_sizes: bool = False) -> bool:
        """True if by a wrong rule the desc gives `wanted`; one about sizes tells only by those, where `by_sizes`."""
        if not self.small or not self.trace.inputs:
            return False
        read = self.trace.read
        if self.valid:
            if rule.accepts is not None and rule.accepts(self.desc, read) is False:
                return False
            if rule.outputs is None or not rule.differs(self.desc, read):
                return self.outputs == wanted
        elif rule.accepts is None or rule.outputs is None or not rule.accepts(self.desc, read):
            return False
        wrong = rule.outputs(self.desc, read) if rule.outputs is not None else None
        if wrong is None or wrong.sizes != tuple(sizes for sizes, _, _ in wanted):
            return False
        reading = Reading(self.trace, wrong, rule)
        return outputs_by(reading, self.desc) == wanted if reading.has_elements else by_sizes

    def would_give(self, rule: Misreading[Any], wanted: Outputs) -> bool:
        """True if a broken desc would give `wanted` with the Axis that the holder of a rule meant by its number."""
        sizes = self.desc.inputs[0].tensor.sizes if self.desc.inputs else ()
        if not self.small or self.valid or rule.axis is None:
            return False
        for field in self.desc.ATTRIBUTES:
            if field.is_axis:
                written = self.desc.get(field.name)
                for axis in range(len(sizes)):
                    meant = self.desc.replace({field.name: axis})
                    if rule.axis(meant) == written:
                        return Attempt(replace(self.experiment, desc=meant)).outputs == wanted
        return False

    def explaining_rules(self, wanted: Outputs) -> tuple[str, ...]:
        """Ids of the wrong rules by which the desc gives `wanted`, or was meant to."""
        return tuple(rule.id for rule in self.misreadings if self.gives(rule, wanted) or self.would_give(rule, wanted))


def all_promised(trace: Trace) -> bool:
    """True if every index of a small desc lies in its range, so that DirectML promises all outputs."""
    for k, part in enumerate(trace.outputs):
        sources = trace.sources(k, every_index(part.tensor.sizes))
        if sources.via_tensor < 0 or trace.inputs[sources.via_tensor].field.role is not Role.INDICES:
            continue  # a length that is too long acts as the axis
        if sources.flags is not None and bool((sources.flags & CLAMPED).any()):
            return False
    return True


def outputs_by(reading: Reading, desc: Desc) -> Outputs | None:
    """The outputs by a reading; None where they are too large, or the reading tells sizes alone."""
    if not reading.has_elements or any(math.prod(sizes) > MOST_ELEMENTS for sizes in reading.sizes):
        return None
    kind = desc.outputs[0].tensor.data_type if desc.outputs else None
    return tuple(
        (sizes, kind, reading.values(k, every_index(sizes)).tobytes()) for k, sizes in enumerate(reading.sizes)
    )


def picture_of(experiment: Experiment) -> Picture:
    """The outputs of a small, valid experiment, to be shown."""
    trace = experiment.trace()
    outputs = enumerate(trace.outputs)
    return Picture(tuple((part.tensor.sizes, tuple(values_of(trace.reference(k).reshape(-1)))) for k, part in outputs))


def outputs_in(picture: Picture, data_type: DataType) -> Outputs:
    """A picture's outputs in the form that is compared. Raises ValuesError for a value that the type doesn't hold."""
    outputs = []
    for sizes, values in picture.outputs:
        elements = np.array([convert(value, data_type, "goal") for value in values], data_type.dtype)
        outputs.append((tuple(sizes), data_type, elements.tobytes()))
    return tuple(outputs)


def flowed(start: Experiment, desc: Desc, steering: dict[str, Sequence[Any]]) -> Experiment | str:
    """An experiment of `desc` with the elements of `start`; a sentence on why they don't fit where they don't.

    Data tensor k holds, row-major, the elements of `start`'s data tensor k (modulo their number). Index and length
    tensors hold `steering` by path, else what they held.
    """
    before = with_lists(start)
    data = [p for p in start.desc.inputs if p.field.role is Role.DATA]
    values: dict[str, Listed] = {}
    count = 0
    for part in desc.inputs:
        path, wanted = part.path, part.tensor.element_count
        if part.field.role is Role.DATA:
            model = data[count % len(data)] if data else part
            elements = _listed_elements(before, model.path)
            count += 1
            if elements is None or len(elements) != wanted:
                there = len(elements or ())
                return f"{path} has room for {wanted:,} elements, expected {there:,}: the values are given and stay."
            if part.tensor.data_type is not model.tensor.data_type:
                return f"{path}.DataType is {part.tensor.data_type}, expected {model.tensor.data_type}: it is given."
            values[path] = Listed(tuple(elements), part.tensor.sizes)
            continue
        items = steering.get(path)
        if items is None:
            items = _listed_elements(before, path)
        if items is not None:
            if len(items) != wanted:
                return f"{path} has room for {wanted:,} values, found {len(items):,}."
            values[path] = Listed(tuple(items), part.tensor.sizes)
    return replace(start, desc=desc, values=values)


def _listed_elements(experiment: Experiment, path: str) -> Sequence[Any] | None:
    """The elements of a tensor whose values are a list; None for other values."""
    source = experiment.values.get(path)
    return source.items if isinstance(source, Listed) else None


def explained_by(attempt: Attempt, rule: Misreading[Any]) -> str:
    """A sentence with the wrong rule by which a try would make the goal, and what its holder is told."""
    return sentence("level.by_rule", rule=rule.name, feedback=rule.says(attempt.desc))


def why_not(attempt: Attempt, goal: Picture, *, marked: bool) -> str:
    """Why a try that no wrong rule explains misses the goal; `marked` if a picture marks what differs."""
    desc = attempt.desc
    if not attempt.valid:
        operator = operator_of(desc)
        checks = evaluate(operator, desc, attempt.experiment.feature_level).checks
        broken = next(check for check in checks if not check.ok and check.severity is Severity.ERROR)
        return sentence("level.broken", rule=broken.id, message=broken.message)
    if not attempt.small:
        return sentence("level.larger")
    own, wanted = [part.tensor.sizes for part in desc.outputs], [sizes for sizes, _ in goal.outputs]
    if own != wanted:
        mine, theirs = (sentence("words.joint").join(map(braces, sizes)) for sizes in (own, wanted))
        return sentence("level.sizes", outputs=len(own), found=mine, wanted=theirs)
    if attempt.outputs is None:
        return sentence("level.unpromised")
    return sentence("level.marked") if marked else sentence("level.values")
