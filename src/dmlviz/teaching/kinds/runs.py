"""`runs`: how many copies of memory do the outputs need?"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from ...desc.indexing import unravel
from ...operators.maps import NOWHERE, Sources
from ...operators.wrong_rules import Misreading
from ..questions.answers import Answer
from ..questions.goals import all_promised
from ..questions.question import ANYTHING, Kind, Question, Wish
from ..questions.subject import Subject
from ..words.catalogue import sentence
from .lib.forms import NUMBER

MOST_ELEMENTS = 4096
"""Elements of all outputs up to which runs are counted."""


class RunsKind(Kind):
    """Asks how many copies of memory the outputs need; the answer is an integer."""

    name, form = "runs", NUMBER
    stage = 3
    about_memory, late, looks_up = True, True, "sizes"

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        outputs = subject.desc.outputs
        is_counted = subject.valid and sum(part.tensor.element_count for part in outputs) <= MOST_ELEMENTS
        if not is_counted or not all_promised(subject.trace):
            return None
        constants, field = int(subject.trace.has_constants), subject.operator.constant_path
        if constants and not _runs_by(subject, None):
            return None
        prompt = sentence("runs.prompt", count=len(outputs), path=outputs[0].path, constants=constants, field=field)
        return self.pose(subject, seed, prompt, {"memory", "links"})

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        runs = _runs_by(question.subject, rule)
        return None if runs is None else len(runs)

    def says(self, question: Question) -> str:
        runs = _runs_by(question.subject, None) or []
        differ = int(min(runs, default=0) < max(runs, default=0))
        return sentence("runs.says", count=f"{len(runs):,}", most=f"{max(runs, default=0):,}", differ=differ)


def _runs_by(subject: Subject, rule: Misreading[Any] | None) -> list[int] | None:
    """The length of every run of the outputs, output by output, by a rule; the true ones for None.

    By a rule with an `order` memory runs along the first axis first. None where the outputs are larger than
    `MOST_ELEMENTS`, or the rule is about sizes alone.
    """
    order = rule.order if rule is not None else None
    reading = subject.truth if order is not None else subject.reading(rule)
    if not reading.has_elements or sum(map(math.prod, reading.sizes)) > MOST_ELEMENTS:
        return None
    runs: list[int] = []
    for output, sizes in enumerate(reading.sizes):
        flat, inputs = np.arange(math.prod(sizes), dtype=np.int64), [*subject.trace.input_sizes]
        sources = reading.sources(output, order(subject.desc, output, flat) if order else unravel(flat, sizes))
        if order is not None:
            sources, inputs = Sources(sources.tensor, sources.index[::-1]), [each[::-1] for each in inputs]
        tensor, at = sources.tensor, sources.flat(inputs)
        cut = (tensor[1:] != tensor[:-1]) | (at[1:] != at[:-1] + 1)
        ends = [0, *(np.flatnonzero(cut) + 1).tolist(), len(tensor)]
        runs += [b - a for a, b in itertools.pairwise(ends) if tensor[a] != NOWHERE]
    return runs


KINDS = (RunsKind(),)
