"""A subject: a desc with its values that questions are asked about, what is true of it, and what wrong rules say."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ..desc.indexing import ravel, unravel
from ..desc.values import Array, Indices
from ..operators.base import Operator
from ..operators.maps import Sources
from ..operators.registry import operator_of
from ..operators.report import Report
from ..operators.wrong_rules import NOWHERE, Misreading, Sizes, WrongOutputs
from ..session.experiments import Experiment
from ..tracing import Trace


class Reading:
    """Outputs by the truth or by one wrong rule, asked window by window.

    `rule` is None for the truth. `sizes` are those of each output.
    """

    def __init__(self, trace: Trace, wrong: WrongOutputs | None = None, rule: Misreading[Any] | None = None) -> None:
        """The truth, unless `wrong` outputs are given; then of sizes alone if those have no sources."""
        self.rule = rule
        self._trace, self._wrong = trace, wrong
        self.sizes: tuple[Sizes, ...] = wrong.sizes if wrong else tuple(part.tensor.sizes for part in trace.outputs)

    @property
    def has_elements(self) -> bool:
        """False where the rule is about sizes alone."""
        return self._wrong is None or self._wrong.source is not None

    def sources(self, output: int, index: tuple[Indices, ...]) -> Sources:
        """Where elements come from; `index` has one (N,) array an axis of `sizes[output]`."""
        if self._wrong is None:
            return self._trace.sources(output, index)
        assert self._wrong.source is not None
        return self._wrong.source(output, index)

    def values(self, output: int, index: tuple[Indices, ...]) -> Array:
        """(N,) values of output elements; 0 for what comes from nowhere."""
        found = self.sources(output, index)
        made = np.zeros(len(found.tensor), self._trace.inputs[0].tensor.data_type.dtype)
        for k in np.unique(found.tensor).tolist():
            if k != NOWHERE:
                here = found.tensor == k
                at = ravel([axis[here] for axis in found.index], self._trace.inputs[k].tensor.sizes)
                made[here] = self._trace.read(k, at)
        return made

    def flat(self, output: int, start: int, stop: int) -> Array:
        """Values of an output's elements `start` to `stop`, in memory order."""
        count = int(np.prod(self.sizes[output], dtype=object))
        return self.values(output, unravel(np.arange(start, min(stop, count), dtype=np.int64), self.sizes[output]))


class Subject:
    """An experiment, its report, and every reading of it. Made once for all questions about the experiment."""

    def __init__(self, experiment: Experiment) -> None:
        self.experiment = experiment
        self.desc = experiment.desc
        self.operator: Operator[Any] = operator_of(experiment.desc)

    @cached_property
    def report(self) -> Report:
        return self.experiment.check()

    @property
    def valid(self) -> bool:
        return self.report.ok

    @cached_property
    def trace(self) -> Trace:
        """The links of the desc, which is valid."""
        return self.experiment.trace()

    @cached_property
    def rules(self) -> Sequence[Misreading[Any]]:
        """Every wrong rule about the operator."""
        return self.operator.misreadings()

    @cached_property
    def truth(self) -> Reading:
        """The desc is valid."""
        return Reading(self.trace)

    @cached_property
    def readings(self) -> dict[str, Reading]:
        """What the wrong rules that differ make of the outputs, by the rules' ids; of a valid desc."""
        found = {}
        for rule in self.rules:
            if rule.outputs is None or not rule.differs(self.desc, self.trace.read):
                continue
            wrong = rule.outputs(self.desc, self.trace.read)
            if wrong is not None:
                found[rule.id] = Reading(self.trace, wrong, rule)
        return found

    def reading(self, rule: Misreading[Any] | None) -> Reading:
        """The reading of a rule's holder: the truth's where the rule says nothing of this desc."""
        return self.truth if rule is None else self.readings.get(rule.id, self.truth)
