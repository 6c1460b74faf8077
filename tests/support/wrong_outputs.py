"""What a wrong rule says of a desc with values, and what has to hold of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dmlviz as dml
from dmlviz.desc.base import Desc
from dmlviz.desc.indexing import ravel, sample_indices, unravel
from dmlviz.operators.maps import Place, Sources
from dmlviz.operators.registry import operator_of
from dmlviz.operators.report import root_of
from dmlviz.operators.wrong_rules import NOWHERE, Misreading, WrongOutputs
from dmlviz.session.examples import examples
from dmlviz.tracing import Trace

Array = NDArray[Any]
PANELS = {"formula", "memory", "rules", "levels", "ruler"}
KINDS = ("outputs", "accepts", "lowest_level", "reads", "input_sizes")


def rules_of(desc_type: type[Desc]) -> dict[str, Misreading[Any]]:
    """An operator's own wrong rules by id: those that begin with its letter."""
    operator = operator_of(desc_type.TYPE)
    found = operator.misreadings()
    assert len({rule.id for rule in found}) == len(found)
    return {rule.id: rule for rule in found if rule.id[0] == operator.name[0]}


def declared_well(desc_type: type[Desc]) -> None:
    """Each rule answers something, and lights what is there."""
    fields = {field.name for field in desc_type.FIELDS}
    for rule in rules_of(desc_type).values():
        assert any(getattr(rule, kind) for kind in KINDS), rule.id
        assert rule.lights, rule.id
        assert {root_of(path).split("[")[0] for path in rule.lights} <= fields | PANELS, rule.id
        assert rule.look, rule.id
        assert len(rule.name) <= 40, rule.name
        assert not rule.name.endswith("."), rule.name


def shipped_traces(desc_type: type[Desc]) -> list[Trace]:
    """The valid examples of an operator that are shipped, with their own index and length values."""
    made = []
    for session in examples().values():
        for each in session.experiments:
            small = sum(part.tensor.element_count for part in each.desc.parts) < 4096
            if isinstance(each.desc, desc_type) and small and dml.check(each.desc):
                _, *steering = (values.array() for values in each.sources())
                made.append(dml.trace(each.desc, [distinct(each.desc.inputs[0].tensor), *steering]))
    assert made
    return made


def distinct(tensor: dml.TensorDesc) -> Array:
    """1, 2, 3, ...: no two elements are equal, and none is 0."""
    return np.arange(1, tensor.element_count + 1).astype(tensor.data_type.dtype).reshape(tensor.sizes)


def every(sizes: Sequence[int]) -> tuple[NDArray[np.int64], ...]:
    return unravel(np.arange(int(np.prod(sizes)), dtype=np.int64), sizes)


def elements(trace: Trace, found: Sources) -> Array:
    """(N,) the elements that sources name; 0 for those from nowhere. Each source has to be there."""
    made = np.zeros(len(found.tensor), trace.outputs[0].tensor.data_type.dtype)
    assert {axis.shape for axis in found.index} == {made.shape}
    for axis in found.index:
        assert not axis[found.tensor == NOWHERE].any()
    for k in set(found.tensor.tolist()) - {NOWHERE}:
        sizes, here = trace.inputs[k].tensor.sizes, found.tensor == k
        for axis, size in zip(found.index, sizes, strict=True):
            assert ((axis[here] >= 0) & (axis[here] < size)).all()
        made[here] = trace.read(k, ravel([axis[here] for axis in found.index], sizes))
    if found.via is not None:
        for axis, size in zip(found.via, trace.inputs[found.via_tensor].tensor.sizes, strict=True):
            assert ((axis >= 0) & (axis < size)).all()
    return made


def told(rule: Misreading[Any], trace: Trace) -> WrongOutputs | None:
    assert rule.outputs is not None
    return rule.outputs(trace.desc, trace.read)


def pictures(rule: Misreading[Any], trace: Trace) -> list[Array] | None:
    """Each output by a rule that has pictures; None where it has no meaning."""
    found = told(rule, trace)
    if found is None:
        return None
    assert found.source is not None
    made = [elements(trace, found.source(k, every(sizes))) for k, sizes in enumerate(found.sizes)]
    return [each.reshape(sizes) for each, sizes in zip(made, found.sizes, strict=True)]


def picture(rule: Misreading[Any], trace: Trace) -> Array:
    """The only output by a rule that has a meaning here."""
    made = pictures(rule, trace)
    assert made is not None
    (found,) = made
    return found


def disagrees(rule: Misreading[Any], trace: Trace) -> bool:
    """True if a rule's outputs are not the truth's, found by looking at all of them."""
    found = told(rule, trace)
    if found is None:
        return False
    if found.sizes != tuple(part.tensor.sizes for part in trace.outputs):
        return True
    if found.source is None:
        return False
    made = pictures(rule, trace)
    assert made is not None
    return any((each != trace.reference(k)).any() for k, each in enumerate(made))


def windows_agree(rule: Misreading[Any], trace: Trace, dice: np.random.Generator) -> None:
    """Any window has the same sources as in the whole; one of no elements has none."""
    found = told(rule, trace)
    if found is None or found.source is None:
        return
    for output, sizes in enumerate(found.sizes):
        count = int(np.prod(sizes))
        whole = found.source(output, every(sizes))
        for picked in (dice.integers(0, count, 5), np.array([count - 1]), np.array([], np.int64)):
            part = found.source(output, unravel(picked.astype(np.int64), sizes))
            assert part.tensor.tolist() == whole.tensor[picked].tolist()
            pairs = [*zip(part.index, whole.index, strict=True), *zip(part.via or (), whole.via or (), strict=True)]
            assert all(mine.tolist() == theirs[picked].tolist() for mine, theirs in pairs)


def says_something(rule: Misreading[Any], trace: Trace, longest: int = 115) -> None:
    """A sentence for elements of every tensor, with all of its numbers."""
    sides = ((True, trace.outputs), (False, trace.inputs))
    said = {rule.says(trace.desc, trace.read)}
    for is_output, parts in sides:
        for k, part in enumerate(parts):
            some = unravel(sample_indices(part.tensor.element_count, 7), part.tensor.sizes)
            for at in zip(*(axis.tolist() for axis in some), strict=True):
                said.add(rule.says(trace.desc, trace.read, Place(is_output, k), at))
    for sentence in said:
        assert sentence.endswith(".")
        assert not set(sentence) & set("\n"), sentence
        assert "{" not in rule.feedback or sentence != rule.feedback, sentence
        assert "None" not in sentence, sentence
        assert len(sentence) <= longest, sentence


def all_hold(rules: dict[str, Misreading[Any]], trace: Trace, dice: np.random.Generator) -> None:
    """What holds of any rule at a valid desc with distinct values; all of its outputs are looked at."""
    for name, rule in rules.items():
        differs = rule.differs(trace.desc, trace.read)
        assert isinstance(differs, bool), name
        if rule.outputs is not None:
            assert differs == disagrees(rule, trace), name
            windows_agree(rule, trace, dice)
        if rule.accepts is not None:
            verdict = rule.accepts(trace.desc, trace.read)
            assert differs == (verdict is False), name
        says_something(rule, trace)
