"""Goals: what a desc makes of small tensors, by the truth or by one wrong rule, held against the outputs wanted."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ...desc.base import Desc
from ...desc.fields import Role
from ...desc.levels import FeatureLevel
from ...desc.tensors import DataType, braces
from ...desc.value_sources import Listed, convert
from ...errors import DmlvizError
from ...operators.general_rules import evaluate
from ...operators.maps import CLAMPED
from ...operators.registry import operator_of
from ...operators.report import Check, Severity
from ...operators.wrong_rules import Sizes
from ...session.cell_edits import listed
from ...session.experiments import Experiment
from ...tracing import Trace
from ..words.catalogue import sentence
from .question import Picture
from .subject import Reading, Rule, Subject, every_index, values_of

MOST_ELEMENTS = 512
"""Elements of a tensor that is shown whole, and tried with other numbers."""

Outputs = tuple[tuple[Sizes, DataType | None, bytes], ...]
"""Outputs as they are compared: sizes, type (None for any) and bits of each."""
Steering = Mapping[str, Sequence[Any]]


def first_error(desc: Desc, level: FeatureLevel) -> Check | None:
    """The first rule of severity error that is broken; no fixes are looked for."""
    checks = evaluate(operator_of(desc), desc, level).checks
    return next((check for check in checks if not check.ok and check.severity is Severity.ERROR), None)


def with_lists(experiment: Experiment) -> Experiment:
    """The experiment with every value written out, so that no fill follows when a number is changed."""
    sources, _ = experiment.sources_or_defaults()
    lists = {
        part.path: Listed(tuple(listed(values.read(part.tensor.flat))), part.tensor.sizes)
        for part, values in zip(experiment.desc.inputs, sources, strict=True)
        if part.tensor.can_exist
    }
    return replace(experiment, values=lists)


def flowed(start: Experiment, desc: Desc, steering: Steering) -> Experiment:
    """An experiment of `desc` with the elements of `start`. Raises DmlvizError where they don't fit.

    Data tensor k holds, row-major, the elements of `start`'s data tensor k (modulo their number). Index and length
    tensors hold `steering` by path, else what they held.
    """
    held = {path: source.items for path, source in with_lists(start).values.items() if isinstance(source, Listed)}
    models = itertools.cycle([part for part in start.desc.inputs if part.is_data])
    values: dict[str, Listed] = {}
    for part in desc.inputs:
        path = part.path
        room = part.tensor.element_count
        if part.is_data:
            model = next(models, part)
            items = held.get(model.path, ())
            if len(items) != room:
                there = f"{len(items):,}: the values are given and stay"
                raise DmlvizError(f"{path} has room for {room:,} elements, expected {there}.")
            if part.tensor.data_type is not model.tensor.data_type:
                found = f"{path}.DataType is {part.tensor.data_type}"
                raise DmlvizError(f"{found}, expected {model.tensor.data_type}: it is given.")
        elif path not in steering and path not in held:
            continue
        else:
            items = tuple(steering.get(path, held.get(path, ())))
            if len(items) != room:
                raise DmlvizError(f"{path} has room for {room:,} values, found {len(items):,}.")
        values[path] = Listed(items, part.tensor.sizes)
    return replace(start, desc=desc, values=values)


class Attempt(Subject):
    """A small experiment, which may be invalid, that is held against a goal."""

    @cached_property
    def is_whole(self) -> bool:
        """True if every tensor exists and is small enough to be shown whole."""
        tensors = (part.tensor for part in self.desc.parts)
        return all(tensor.can_exist and tensor.element_count <= MOST_ELEMENTS for tensor in tensors)

    @cached_property
    def error(self) -> Check | None:
        return first_error(self.desc, self.experiment.feature_level)

    @cached_property
    def outputs(self) -> Outputs | None:
        if not self.is_whole or self.error is not None or not all_promised(self.trace):
            return None
        return outputs_by(self.truth, self.desc)

    def gives(self, rule: Rule, wanted: Outputs, *, by_sizes: bool = False) -> bool:
        """True if by a wrong rule the desc gives `wanted`; one about sizes tells only by those, where `by_sizes`."""
        if not self.is_whole or not self.trace.inputs:
            return False
        read = self.trace.read
        is_valid = self.error is None
        accepted = rule.accepts(self.desc, read) if rule.accepts is not None else None
        if accepted is False or not (is_valid or (accepted and rule.outputs is not None)):
            return False
        if rule.outputs is None or (is_valid and not rule.differs(self.desc, read)):
            return self.outputs == wanted
        wrong = rule.outputs(self.desc, read)
        if wrong is None or wrong.sizes != tuple(sizes for sizes, _, _ in wanted):
            return False
        reading = Reading(self.trace, wrong, rule)
        return outputs_by(reading, self.desc) == wanted if reading.has_elements else by_sizes

    def would_give(self, rule: Rule, wanted: Outputs) -> bool:
        """True if a broken desc would give `wanted` with the Axis that the holder of a rule meant by its number."""
        if not self.is_whole or self.error is None or rule.axis is None:
            return False
        axes = range(len(self.desc.inputs[0].tensor.sizes) if self.desc.inputs else 0)
        for name in (field.name for field in self.desc.ATTRIBUTES if field.is_axis):
            for meant in (self.desc.replace({name: axis}) for axis in axes):
                if rule.axis(meant) == self.desc.get(name):
                    return Attempt(replace(self.experiment, desc=meant)).outputs == wanted
        return False


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
    every = enumerate(reading.sizes)
    return tuple((sizes, kind, reading.values(k, every_index(sizes)).tobytes()) for k, sizes in every)


def picture_of(experiment: Experiment) -> Picture:
    trace = experiment.trace()
    outputs = enumerate(trace.outputs)
    return Picture(tuple((part.tensor.sizes, tuple(values_of(trace.reference(k).reshape(-1)))) for k, part in outputs))


class Outcome:
    """What a try comes to: any desc, with the elements of a start, held against a goal."""

    def __init__(self, start: Experiment, goal: Picture, desc: Desc, steering: Steering) -> None:
        self._goal = goal.outputs
        kind = start.desc.inputs[0].tensor.data_type
        arrays = (np.array([convert(v, kind, "goal") for v in values], kind.dtype) for _, values in self._goal)
        wanted = zip(self._goal, arrays, strict=True)
        self._wanted = tuple((tuple(sizes), kind, array.tobytes()) for (sizes, _), array in wanted)
        self.attempt: Attempt | None = None
        """None where the start's elements don't fit."""
        self._refused = ""
        try:
            self.attempt = Attempt(flowed(start, desc, steering))
        except DmlvizError as error:
            self._refused = str(error)

    @cached_property
    def won(self) -> bool:
        return self.attempt is not None and self.attempt.outputs == self._wanted

    @cached_property
    def explaining(self) -> tuple[Rule, ...]:
        """The wrong rules by which a try that isn't the goal would be it, or was meant to."""
        attempt, wanted = self.attempt, self._wanted
        if attempt is None or self.won:
            return ()
        rules = operator_of(attempt.desc).misreadings()
        return tuple(rule for rule in rules if attempt.gives(rule, wanted) or attempt.would_give(rule, wanted))

    @property
    def rules(self) -> tuple[str, ...]:
        return tuple(rule.id for rule in self.explaining)

    @property
    def sentence(self) -> str:
        """Whether it is the goal, or why not: by a wrong rule that would make it, if there is one."""
        if self.attempt is not None and self.explaining:
            rule = self.explaining[0]
            return sentence("level.by_rule", rule=rule.name, feedback=rule.says(self.attempt.desc))
        return sentence("level.won") if self.won else self.trouble

    @property
    def trouble(self) -> str:
        """Why a try isn't the goal, as anybody sees it."""
        attempt = self.attempt
        if attempt is None:
            return self._refused
        if attempt.error is not None:
            return sentence("level.broken", rule=attempt.error.id, message=attempt.error.message)
        if not attempt.is_whole:
            return sentence("level.larger")
        own = [part.tensor.sizes for part in attempt.desc.outputs]
        wanted = [sizes for sizes, _ in self._goal]
        if own != wanted:
            found, expected = (" and ".join(map(braces, sizes)) for sizes in (own, wanted))
            return sentence("level.sizes", outputs=len(own), found=found, wanted=expected)
        return sentence("level.unpromised" if attempt.outputs is None else "level.values")

    @cached_property
    def outputs(self) -> Picture | None:
        """The outputs that it makes; None where a rule is broken, or a tensor is too large."""
        attempt = self.attempt
        is_shown = attempt is not None and attempt.is_whole and attempt.error is None
        return picture_of(attempt.experiment) if attempt is not None and is_shown else None

    @property
    def wrong_sizes(self) -> bool:
        """True if `outputs` are others than the goal's in number or in Sizes."""
        own = self.outputs.outputs if self.outputs is not None else self._goal
        return [sizes for sizes, _ in own] != [sizes for sizes, _ in self._goal]

    @cached_property
    def cells(self) -> frozenset[tuple[int, int]]:
        """Elements of `outputs` that the goal has otherwise, or not at all, by output and flat place in it."""
        goal = self._goal
        cells = set[tuple[int, int]]()
        for k, (sizes, values) in enumerate(self.outputs.outputs if self.outputs is not None else ()):
            wanted = dict(zip(np.ndindex(*goal[k][0]), goal[k][1], strict=True)) if k < len(goal) else {}
            indices = enumerate(np.ndindex(*sizes))
            cells |= {(k, flat) for flat, index in indices if wanted.get(index) != values[flat]}
        return frozenset(cells)
