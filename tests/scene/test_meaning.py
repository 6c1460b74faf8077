"""The map in one line of pseudo-code: its numbers are true, by the trace, for every element of every example."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator
from typing import Any

import pytest
from support.shipped import shipped

from dmlviz.operators.registry import operator_of
from dmlviz.operators.workings import LETTERS, MapCode
from dmlviz.scene.words.meaning import Meaning, meaning
from dmlviz.session import examples
from dmlviz.session.experiments import Experiment
from dmlviz.tracing import Trace


def is_told(experiment: Experiment) -> bool:
    """True for a valid experiment, unless its operator isn't shipped and tells the formula of one element instead."""
    if not experiment.check().ok:
        return False
    desc = experiment.trace().desc
    return desc.TYPE in shipped() or operator_of(desc).map_code(desc) is not None


VALID = [
    pytest.param(experiment, id=f"{each.name}: {experiment.name}")
    for each in examples.all_examples()
    for experiment in each.session().experiments
    if is_told(experiment) and math.prod(experiment.desc.outputs[0].tensor.sizes) < 1000
]


class _Array:
    """An index or length tensor, whose elements are asked for as pseudo-code does: none beyond its ends."""

    def __init__(self, held: Any) -> None:
        self._held = held

    def __getitem__(self, index: Any) -> int:
        at = index if isinstance(index, tuple) else (index,)
        assert len(at) == self._held.ndim
        if not all(0 <= i < n for i, n in zip(at, self._held.shape, strict=True)):
            raise IndexError
        return int(self._held[at])


def _split(text: str) -> tuple[str, str]:
    """A tensor's path, and the index into it: `InputTensors[k]`, `0,i`."""
    found = re.fullmatch(r"(\w+(?:\[(?:k|0)\])?)\[(.*)\]", text)
    assert found is not None, text
    return found[1], found[2]


def _links(code: MapCode, trace: Trace) -> Iterator[tuple[str, tuple[int, ...], str, tuple[int, ...]]]:
    """What pseudo-code says: (output, index, input, index), for all that its letters can be."""
    names: dict[str, Any] = {
        part.path: _Array(values.array().reshape(part.tensor.sizes))
        for part, values in zip(trace.inputs, trace.values, strict=True)
    }
    tensors = {part.path: part.tensor.sizes for part in (*trace.inputs, *trace.outputs)}
    (to, to_index), (of, of_index) = _split(code.target), _split(code.source)
    used = [letter for letter in LETTERS if re.search(rf"\b{letter}\b", f"{to_index} {of_index}")]
    most = max(max(sizes) for sizes in tensors.values())
    starts = {}
    if found := re.fullmatch(r"s = ([\d, ]+) for k = ([\d, ]+)", code.where):
        starts = dict(zip(map(int, found[2].split(", ")), map(int, found[1].split(", ")), strict=True))
    for k, s in (starts or {0: 0}).items():
        output, source = to.replace("[k]", f"[{k}]"), of.replace("[k]", f"[{k}]")
        for at in itertools.product(range(most), repeat=len(used)):
            scope = {**names, **dict(zip(used, at, strict=True)), "k": k, "s": s, "min": min}
            try:
                if code.where.startswith("L = "):
                    scope["L"] = eval(code.where.removeprefix("L = "), scope)
                there, here = eval(f"({to_index},)", scope), eval(f"({of_index},)", scope)
            except IndexError:
                continue
            if all(0 <= i < n for i, n in zip(there, tensors[output], strict=True)):
                yield output, there, source, here


@pytest.mark.parametrize("experiment", VALID)
def test_the_pseudo_code_says_of_every_element_what_the_trace_says(experiment: Experiment) -> None:
    trace = experiment.trace()
    code = operator_of(experiment.desc).map_code(trace.desc)
    assert code is not None
    told = set()
    for output, there, source, here in _links(code, trace):
        number = next(k for k, part in enumerate(trace.outputs) if part.path == output)
        sizes = trace.inputs[next(k for k, part in enumerate(trace.inputs) if part.path == source)].tensor.sizes
        if any(i >= n for i, n in zip(here, sizes, strict=True)) and trace.operator.name in ("JOIN", "SPLIT"):
            continue  # the letter runs over the other part
        told.add((number, there))
        found = trace.source(number, there)
        if found.clamped and trace.operator.name == "GATHER":
            continue  # no value is promised there
        if found.nowhere:
            assert any(not 0 <= i < n for i, n in zip(here, sizes, strict=True))
            assert trace.operator.constant_path in code.where
            continue
        assert trace.inputs[found.tensor].path == source
        # A negative index counts from the end, as in Python.
        assert found.index == tuple(i + n if i < 0 else i for i, n in zip(here, sizes, strict=True))
    count = sum(part.tensor.element_count for part in trace.outputs)
    assert len(told) == count, "every element, once"


def test_a_broken_desc_has_its_operator_s_sentence_alone() -> None:
    desc = examples.example("rule-gather-sizes").session().experiments[0].desc
    assert meaning(desc, None) == Meaning("Picks slices of a tensor along one axis, by index.")
