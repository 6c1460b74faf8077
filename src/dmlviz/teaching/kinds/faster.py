"""`faster`: which of two descs moves its bytes in fewer, longer copies?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from ...desc.base import Desc
from ...desc.fields import Role
from ...desc.levels import FeatureLevel
from ...desc.tensors import TensorDesc, braces
from ...desc.values import Filled, Iota, Random, Values
from ...errors import DmlvizError
from ...operators.maps import Place
from ...operators.registry import operator_of
from ...operators.wrong_rules import Misreading
from ...scene.elements.cursor import Cursor
from ...scene.memory.runs import run_of
from ...tracing import Trace
from ..questions.goals import is_valid
from ..questions.question import ANYTHING, Answer, Choice, Kind, Question, Wish
from ..questions.subject import Reading, Subject
from .lib.choices import read_choice
from .lib.memory_runs import source_addresses

TOTAL_BYTES = 1 << 20
"""What each desc's input holds."""
TIMES = 8
"""How many times longer the runs of one must be than the other's."""
LOOKED_AT = 8
"""Elements of an output around which runs are looked at: the median of those counts."""
WINDOW = 4096
"""Elements of an output that are looked at by a wrong rule."""


class FasterKind(Kind):
    """Asks which of two descs moves its bytes in longer copies; the answer is the letter of a choice."""

    name = "faster"
    stage = 3

    def make(self, subject: Subject, seed: int, wish: Wish = ANYTHING) -> Question | None:
        pair = _long_and_short(subject.desc, subject.experiment.feature_level)
        if pair is None:
            return None
        right = self.dice(subject, seed).choice("ab")
        descs = pair if right == "a" else pair[::-1]
        choices = tuple(Choice(letter, _desc_line(subject, desc)) for letter, desc in zip("ab", descs, strict=True))
        return self.pose(subject, seed, subject.sentence("faster.prompt"), {"memory"}, right, choices=choices)

    def answer(self, question: Question, rule: Misreading[Any] | None) -> Answer | None:
        pair = _long_and_short(question.subject.desc, question.subject.experiment.feature_level)
        if rule is None or pair is None or (rule.order is None and "memory" not in rule.lights):
            return question.truth
        longer, shorter = (_mean_run(rule, desc) for desc in pair)
        if longer is None or shorter is None or longer >= shorter:
            return question.truth
        return "b" if question.truth == "a" else "a"

    def read(self, question: Question, given: object) -> str:
        return read_choice(question, given)

    def says(self, question: Question) -> str:
        text = next(choice.text for choice in question.choices if choice.id == question.truth)
        return question.subject.sentence("faster.says", letter=question.truth, desc=text, times=TIMES)


@lru_cache(maxsize=16)
def _long_and_short(desc: Desc, level: FeatureLevel) -> tuple[Desc, Desc] | None:
    """Two large descs of the same operator and type, the one with far longer runs first; None where there are none."""
    if not desc.inputs:
        return None
    tried = [(_median_run(_trace_with_random_indices(large)), large) for large in _large_descs(desc, level)]
    if len(tried) < 2:
        return None
    tried.sort(key=lambda run: run[0])
    (short, shorter), (long, longer) = tried[0], tried[-1]
    return (longer, shorter) if long >= TIMES * short else None


def _large_descs(desc: Desc, level: FeatureLevel) -> Iterator[Desc]:
    """The operator on a large square: along its outer and along its inner axis."""
    kind = desc.inputs[0].tensor.data_type
    dimensions = max(2, desc.inputs[0].tensor.dimension_count)
    side = 1 << (TOTAL_BYTES // kind.item_size).bit_length() // 2
    whole = TensorDesc(kind, (1,) * (dimensions - 2) + (side, TOTAL_BYTES // kind.item_size // side))
    for axis in (dimensions - 2, dimensions - 1):
        try:
            large = operator_of(desc).resized(desc, whole, axis)
        except DmlvizError:
            continue
        if large is not None and is_valid(large, level):
            yield large


def _median_run(trace: Trace) -> int:
    """How many elements a copy moves: the median around several places of the first output."""
    sizes = trace.outputs[0].tensor.sizes
    lengths = []
    for i in range(LOOKED_AT):
        at = tuple((2 * i + 1) * n // (2 * LOOKED_AT) for n in sizes)
        lengths.append(run_of(trace, Cursor(Place(True, 0), at)).length)
    return sorted(lengths)[LOOKED_AT // 2]


def _trace_with_random_indices(desc: Desc) -> Trace:
    """The trace of a desc with indices at random: in order they would make one copy of all."""
    operator = operator_of(desc)
    values: list[Values] = []
    for k, part in enumerate(desc.inputs):
        fill = operator.default_fill(desc, k) or Iota(1, 1)
        if part.field.role is Role.INDICES:
            fill = Random(1, operator.bound(desc, k))
        values.append(Filled(part.tensor, fill))
    return Trace(desc, values, patient=False)


def _mean_run(rule: Misreading[Any], desc: Desc) -> float | None:
    """How many elements a copy moves by a wrong rule, on the mean of an output's beginning; None without sources."""
    trace, wrong = _trace_with_random_indices(desc), None
    if rule.order is None and rule.outputs is not None and rule.differs(desc, trace.read):
        wrong = rule.outputs(desc, trace.read)
    reading = Reading(trace, wrong, rule)
    if not reading.has_elements:
        return None
    tensor, at = source_addresses(trace, reading, 0, np.arange(WINDOW, dtype=np.int64), rule.order)
    cuts = int(np.count_nonzero((tensor[1:] != tensor[:-1]) | (at[1:] != at[:-1] + 1)))
    return WINDOW / (cuts + 1)


def _desc_line(subject: Subject, desc: Desc) -> str:
    """A desc in one line: `GATHER, InputTensor {512, 512} FLOAT32, IndicesTensor {1, 512} UINT32, Axis 0`."""
    members = [f"{p.path} {braces(p.tensor.sizes)} {p.tensor.data_type}" for p in desc.inputs]
    outputs = {part.field.name for part in desc.outputs}
    for field in desc.FIELDS:
        if field in desc.ATTRIBUTES:
            members.append(f"{field.name} {field.shown(desc.get(field.name))}")
        elif field.many and field.name in outputs:
            members += [f"{p.path} {braces(p.tensor.sizes)}" for p in desc.outputs]
    named = subject.sentence("faster.random") if any(p.field.role is Role.INDICES for p in desc.inputs) else ""
    return f"{operator_of(desc).name}{named}: {', '.join(members)}"


KIND = FasterKind()
