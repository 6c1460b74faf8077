"""`runs`: how many copies of memory do the outputs need?"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...desc.indexing import unravel
from ...desc.values import Indices
from ...errors import DmlvizError, quote
from ...operators.maps import NOWHERE, Sources
from ...operators.wrong_rules import Misreading
from ...tracing import Trace
from ..questions.goals import all_promised
from ..questions.question import ANYTHING, Answer, Kind, Question, Wish
from ..questions.subject import Reading, Subject

MOST_ELEMENTS = 4096
"""Elements of all outputs up to which runs are counted."""


class RunsKind(Kind):
    """Asks how many copies of memory the outputs need; the answer is an integer."""

    name = "runs"
    stage = 3

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        outputs = subject.desc.outputs
        if not subject.valid or sum(part.tensor.element_count for part in outputs) > MOST_ELEMENTS:
            return None
        if not all_promised(subject.trace):
            return None
        prompt = subject.sentence("runs.prompt", path=outputs[0].path)
        if len(outputs) > 1:
            prompt = subject.sentence("runs.prompt_all")
        if subject.trace.has_constants:
            prompt = subject.sentence("runs.without", prompt=prompt, field=subject.operator.constant_path)
            if not _runs_by(subject, None):
                return None
        return self.pose(subject, seed, prompt, {"memory", "links"})

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        runs = _runs_by(question.subject, rule)
        return None if runs is None else len(runs)

    def read(self, question: Question, given: object) -> int:
        if type(given) is not int or given < 0:
            raise DmlvizError(f"answer is {quote(given)}, expected an integer from 0 on.")
        return given

    def says(self, question: Question) -> str:
        runs, sentence = _runs_by(question.subject, None) or [], question.subject.sentence
        least, most, count = min(runs, default=0), max(runs, default=0), f"{len(runs):,}"
        if len(runs) == 1:
            return sentence("runs.one_of_one") if most == 1 else sentence("runs.one", most=f"{most:,}")
        if least < most:
            return sentence("runs.at_most", count=count, most=f"{most:,}")
        return (
            sentence("runs.of_one", count=count) if most == 1 else sentence("runs.each", count=count, most=f"{most:,}")
        )


def _runs_by(subject: Subject, rule: Misreading[Any] | None) -> list[int] | None:
    """The length of every run of the outputs, output by output, by a rule; the true ones for None.

    By a rule with an `order` memory runs along the first axis first. None where the outputs are larger than
    `MOST_ELEMENTS`, or the rule is about sizes alone.
    """
    order = rule.order if rule is not None else None
    reading = subject.truth if order is not None else subject.reading(rule)
    if not reading.has_elements or sum(math.prod(sizes) for sizes in reading.sizes) > MOST_ELEMENTS:
        return None
    runs: list[int] = []
    for output, sizes in enumerate(reading.sizes):
        count = math.prod(sizes)
        tensor, at = _source_addresses(subject.trace, reading, output, np.arange(count, dtype=np.int64), order)
        cut = (tensor[1:] != tensor[:-1]) | (at[1:] != at[:-1] + 1)
        ends = [0, *(np.flatnonzero(cut) + 1).tolist(), count]
        runs += [b - a for a, b in itertools.pairwise(ends) if tensor[a] != NOWHERE]
    return runs


def _source_addresses(
    trace: Trace,
    reading: Reading,
    output: int,
    flat: Indices,
    order: Callable[[Any, int, Indices], tuple[Indices, ...]] | None,
) -> tuple[Indices, Indices]:
    """(tensor, flat index there) of the sources of an output's elements at flat positions in memory; both (N,).

    `order` is `Misreading.order`."""
    if order is None:
        return reading.addresses(output, unravel(flat, reading.sizes[output]))
    sources = reading.sources(output, order(trace.desc, output, flat))
    backwards = Sources(sources.tensor, sources.index[::-1])
    return sources.tensor, backwards.flat([sizes[::-1] for sizes in trace.input_sizes])


KIND = RunsKind()
